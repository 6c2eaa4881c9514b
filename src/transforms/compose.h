/* Chains of transforms. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * ReelCompose:
 *
 * Transforms one behind the other: forward from the first to the last, inverse from the last to the
 * first. In text `a|b`; `(a|b)` inside another chain.
 */
#define REEL_TYPE_COMPOSE (reel_compose_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelCompose, reel_compose, REEL, COMPOSE, ReelTransform)

/**
 * reel_compose_new:
 *
 * Returns: (transfer full): a chain without transforms, which does nothing
 */
REEL_API
ReelCompose *reel_compose_new (void);

/**
 * reel_compose_get_length:
 * @self: a chain
 *
 * Returns: how many transforms it has
 */
REEL_API
guint reel_compose_get_length (ReelCompose *self);

/**
 * reel_compose_get:
 * @self: a chain
 * @index: which; negative counts from the end
 * @error: INDEX when there is none
 *
 * Returns: (transfer none): the transform
 */
REEL_API
ReelTransform *reel_compose_get (ReelCompose *self, gint index, GError **error);

/**
 * reel_compose_append:
 * @self: a chain
 * @transform: (transfer none): what is to come last. Of a chain the transforms move over one by
 *   one, and it is left empty
 * @error: RUNTIME when @transform has a parent
 *
 * Returns: whether it was appended
 */
REEL_API
gboolean reel_compose_append (ReelCompose *self, ReelTransform *transform, GError **error);

/**
 * reel_compose_insert:
 * @self: a chain
 * @index: which place it is to have, from minus the length to the length; negative counts from the
 *   end
 * @transform: (transfer none): what to insert; a chain stays one
 * @error: VALUE for @index; RUNTIME when @transform has a parent
 *
 * Returns: whether it was inserted
 */
REEL_API
gboolean reel_compose_insert (ReelCompose *self, gint index, ReelTransform *transform,
                              GError **error);

/**
 * reel_compose_pop:
 * @self: a chain
 * @index: which; negative counts from the end
 * @error: INDEX when there is none
 *
 * Returns: (transfer full): the transform, which has no parent any more
 */
REEL_API
ReelTransform *reel_compose_pop (ReelCompose *self, gint index, GError **error);

/**
 * reel_compose_slice:
 * @self: a chain
 * @begin: the first; negative counts from the end; clamped as Python does
 * @end: one past the last; likewise
 * @step: from one to the next; negative walks from the end to the beginning. With −1, G_MAXINT and
 *   G_MININT as @begin and @end are the whole chain in reverse, Python's `chain[::-1]`
 * @error: VALUE for a step of 0; as reel_transform_clone()
 *
 * Returns: (transfer full): a chain of clones of these transforms
 */
REEL_API
ReelCompose *reel_compose_slice (ReelCompose *self, gint begin, gint end, gint step,
                                 GError **error);

G_END_DECLS
