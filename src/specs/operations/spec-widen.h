/* One spec for the values of two. Private. */
#pragma once

#include "../spec.h"

G_BEGIN_DECLS

/**
 * reel_spec_widen:
 * @a: a composite
 * @b: another
 *
 * Joins two composites whose leaves have the same keys, element types and shapes. Leaves that
 * differ in their bounds become unbounded.
 *
 * Returns: (transfer full) (nullable): a composite that contains the values of both; %NULL where
 *   they differ in more than bounds
 */
ReelSpec *reel_spec_widen (const ReelSpec *a, const ReelSpec *b);

G_END_DECLS
