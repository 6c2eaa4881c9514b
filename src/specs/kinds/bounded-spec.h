/* Functions of a box for other kinds. Private. */
#pragma once

#include "../spec-kind.h"

G_BEGIN_DECLS

/* Which parameters of a box its bounds are. */
#define REEL_SPEC_LOW 0
#define REEL_SPEC_HIGH 1

/**
 * reel_bounded_spec_is_full:
 * @spec: a bounded spec
 *
 * Returns: whether the bounds of every element are the limits of its dtype
 */
gboolean reel_bounded_spec_is_full (const ReelSpec *spec);

G_END_DECLS
