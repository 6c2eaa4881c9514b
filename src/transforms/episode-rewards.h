/* Sums of rewards along time. Private. */
#pragma once

#include "transform-private.h"

G_BEGIN_DECLS

/**
 * reel_find_time:
 * @td: a tensordict
 * @dim: (out): the batch dimension named `time`, else the last one
 * @error: RUNTIME without batch dimensions
 *
 * Returns: whether there is one
 */
gboolean reel_find_time (const ReelTensordict *td, gint *dim, GError **error);

/**
 * reel_sum_rewards_row:
 * @dtype: of rewards and sums: floating, or int64
 * @n: how many there are of each
 * @before: (array length=n) (nullable): sums up to the step before; %NULL for none
 * @starts: (array length=n) (nullable): whether an episode begins here, so that @before does not
 *   count; %NULL if none does
 * @rewards: (array length=n): rewards of this step
 * @sums: (array length=n) (out): sums up to this step. May be @before
 *
 * Adds one step, in the precision of @dtype.
 */
void reel_sum_rewards_row (ReelDtype dtype, gint64 n, const guint8 *before, const guint8 *starts,
                           const guint8 *rewards, guint8 *sums);

/**
 * reel_sum_rewards:
 * @rewards: of a floating dtype, or integers, whose sums are int64
 * @ends: (nullable): bool of the same shape: whether an episode ends; %NULL if none does
 * @time_dim: the dimension of time
 * @error: TYPE for another dtype
 *
 * Returns: (transfer full): the rewards of each episode up to each step
 */
ReelTensor *reel_sum_rewards (ReelTensor *rewards, ReelTensor *ends, gint time_dim, GError **error);

G_END_DECLS
