/* Indices that operations are made of. Private to the library. */
#pragma once

#include "../tensor/index-plan.h"

G_BEGIN_DECLS

/**
 * reel_take_repeats:
 * @plan: (out caller-allocates): to be cleared by the caller, also after a failure
 * @ndim: dimensions
 * @shape: (array length=ndim): their extents
 * @dim: a dimension; negative counts from the end
 * @n: 1, or the extent of @dim
 * @repeats: (array length=n): how often each index stands in the result; one for all
 * @error: INDEX, RUNTIME, NO_SPACE
 *
 * The index that repeats the elements of a dimension, each beside itself.
 *
 * Returns: whether @plan was set
 */
gboolean reel_take_repeats (ReelIndexPlan *plan, gint ndim, const gint64 *shape, gint dim, gsize n,
                            const gint64 *repeats, GError **error);

/**
 * reel_take_rolled:
 * @plan: (out caller-allocates): to be cleared by the caller, also after a failure
 * @ndim: dimensions
 * @shape: (array length=ndim): their extents
 * @dim: a dimension; negative counts from the end
 * @shift: how far each element moves on
 * @error: INDEX, NO_SPACE
 *
 * The index that moves the elements of a dimension on; what leaves it at the end comes back at the
 * begin.
 *
 * Returns: whether @plan was set
 */
gboolean reel_take_rolled (ReelIndexPlan *plan, gint ndim, const gint64 *shape, gint dim,
                           gint64 shift, GError **error);

/**
 * reel_take_gathered:
 * @plan: (out caller-allocates): to be cleared by the caller, also after a failure
 * @ndim: dimensions
 * @shape: (array length=ndim): their extents
 * @dim: a dimension; negative counts from the end
 * @index: int64 or int32 indices of it, of at most @ndim dimensions
 * @error: RUNTIME, INDEX, TYPE, NO_SPACE
 *
 * The index of torch.gather().
 *
 * Returns: whether @plan was set
 */
gboolean reel_take_gathered (ReelIndexPlan *plan, gint ndim, const gint64 *shape, gint dim,
                             ReelTensor *index, GError **error);

G_END_DECLS
