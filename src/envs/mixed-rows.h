/* The rows of parts in the lazy stack of an env of unlike lanes. Private. */
#pragma once

#include "env-private.h"

G_BEGIN_DECLS

/**
 * reel_mixed_take:
 * @env: an env of unlike lanes
 * @td: a lazy stack of one element a lane
 * @error: RUNTIME where lanes of a part have other keys or shapes than their neighbours; NO_SPACE
 *
 * Returns: (transfer full) (element-type ReelTensordict): what each part of @env takes for its
 *   lanes; entries that are set in it are not set in @td
 */
GPtrArray *reel_mixed_take (ReelEnv *env, const ReelTensordict *td, GError **error);

/**
 * reel_mixed_join:
 * @env: an env of unlike lanes
 * @rows: (element-type ReelTensordict): of each part, as reel_mixed_take() makes them
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the lazy stack of one element a lane
 */
ReelTensordict *reel_mixed_join (ReelEnv *env, const GPtrArray *rows, GError **error);

/**
 * reel_mixed_give:
 * @env: an env of unlike lanes
 * @rows: (element-type ReelTensordict): of each part, as reel_mixed_take() makes them
 * @td: what they were taken from
 * @asked: (nullable): a key that is removed
 * @error: NO_SPACE
 *
 * Sets the entries of @rows in @td. A `next` of @rows takes the place of that of @td.
 *
 * Returns: whether they were set
 */
gboolean reel_mixed_give (ReelEnv *env, const GPtrArray *rows, ReelTensordict *td,
                          const char *asked, GError **error);

/**
 * reel_mixed_choose:
 * @mask: bool, one a lane
 * @a: a lazy stack of one element a lane
 * @b: likewise
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the elements of @a in lanes of @mask, those of @b in the others
 */
ReelTensordict *reel_mixed_choose (const ReelTensor *mask, const ReelTensordict *a,
                                   const ReelTensordict *b, GError **error);

/**
 * reel_mixed_stack_steps:
 * @steps: (array length=n): lazy stacks of one element a lane
 * @n: their number, at least 1
 * @lazy: whether the steps of a lane are a lazy stack themselves
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the steps of each lane, as a lazy stack of one element a lane
 */
ReelTensordict *reel_mixed_stack_steps (ReelTensordict *const *steps, gsize n, gboolean lazy,
                                        GError **error);

G_END_DECLS
