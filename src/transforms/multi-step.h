/* N-step returns of stored transitions. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelMultiStep:
 * @n_steps: how many rewards are summed up at most, at least 1
 * @gamma: what each is multiplied with once more than the one before, above 0, at most 1
 * @reward_keys: (array zero-terminated=1) (nullable): paths below `next`; %NULL for `reward`
 * @done_key: (nullable): path below `next` of the flag that ends a trajectory; %NULL for `done`
 * @done_keys: (array zero-terminated=1) (nullable): paths below `next` of the flags that stay those
 *   of their step; %NULL for `done`, `terminated` and `truncated`
 * @mask_key: (nullable): path of a mask, True for steps that count; ignored where there is none
 * @trajectory_key: (nullable): path of ids, int64; where two steps that follow one another differ,
 *   a trajectory ends. Ignored where there are none
 *
 * The result of reel_multi_step() for a step.
 */
typedef struct
{
  gint64 n_steps;
  double gamma;
  const char *const *reward_keys;
  const char *done_key;
  const char *const *done_keys;
  const char *mask_key;
  const char *trajectory_key;
} ReelMultiStep;

/**
 * reel_multi_step:
 * @td: steps `[*B, T]`, time the last batch dimension, trajectories one behind the other; may be
 *   locked, strided, and is not changed
 * @how: what is to be done
 * @error: KEY when a reward or the flag is missing; VALUE for @how, a mask or ids that do not fit;
 *   TYPE for rewards that are no reals or flags that are not bool; RUNTIME when the flag fits
 *   neither the batch size nor all leaves; NO_SPACE
 *
 * Looks ahead by up to n steps, k of them where the trajectory or the data end before: `next` holds
 * what came after the last of them, and as reward the sum of gamma^i × the rewards of these steps,
 * summed in double precision. The rewards before that are kept as `next/original_reward` (of
 * several: `original_` before the last key of each). Flags stay as they are. New are
 * `steps_to_next_obs`, int64: k; `gamma`, float32: gamma^k; `nonterminal`, bool: whether k is more
 * than 1 and the mask True. Where the flag has more dimensions than the batch (agents), all leaves
 * must begin with its shape.
 *
 * Source: torchrl.data.postprocs.MultiStep.
 *
 * Returns: (transfer full): a tensordict like @td, which shares the leaves that do not change
 */
REEL_API
ReelTensordict *reel_multi_step (ReelTensordict *td, const ReelMultiStep *how, GError **error);

G_END_DECLS
