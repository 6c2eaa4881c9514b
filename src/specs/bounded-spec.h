/* What other kinds ask of a box. Private. */
#pragma once

#include "spec-kind.h"

G_BEGIN_DECLS

/**
 * reel_bounded_spec_is_full:
 * @spec: a bounded spec
 *
 * Returns: whether the bounds of every element are the limits of its dtype
 */
gboolean reel_bounded_spec_is_full (const ReelSpec *spec);

G_END_DECLS
