/* The rewards and flags that an env shows. Private. */
#pragma once

#include "env.h"

G_BEGIN_DECLS

#define REEL_ENV_N_FLAGS 3 /* done, terminated and truncated */

/**
 * ReelEnvResult:
 * @path: its key
 * @dtype: element type
 * @row_bytes: bytes of one lane's value
 *
 * A reward or flag that has no field of its own in #ReelEnvIO.
 */
typedef struct
{
  char *path;
  ReelDtype dtype;
  gsize row_bytes;
} ReelEnvResult;

/**
 * ReelEnvResults:
 * @reward: rewards of the lane, without those of groups
 * @done: flags of the lane, likewise
 * @shows_reward: whether @reward contains `reward`, float32 `[1]`
 * @shows_flag: likewise @done and done, terminated and truncated, bool `[1]`
 * @list: (array): the other leaves, as in `results` of #ReelEnvIO: rewards first, then flags
 * @n_rewards: rewards in @list
 * @n_flags: flags in @list
 */
typedef struct
{
  ReelSpec *reward, *done;
  gboolean shows_reward;
  gboolean shows_flag[REEL_ENV_N_FLAGS];
  ReelEnvResult *list;
  gsize n_rewards, n_flags;
} ReelEnvResults;

extern const char *const reel_env_flag_names[REEL_ENV_N_FLAGS];

/**
 * reel_env_results_init:
 * @self: (out caller-allocates): for reel_env_results_clear()
 * @reward: (transfer full) (nullable): %NULL for `reward` alone
 * @done: (transfer full) (nullable): %NULL for the three flags
 * @error: TYPE for a flag that is not bool; VALUE
 *
 * Returns: whether each leaf has its place
 */
gboolean reel_env_results_init (ReelEnvResults *self, ReelSpec *reward, ReelSpec *done,
                                GError **error);

/**
 * reel_env_results_clear:
 * @self: results, or zeros
 */
void reel_env_results_clear (ReelEnvResults *self);

/**
 * reel_env_flag_is_of_cuts:
 * @path: the key of a flag
 *
 * Returns: whether the flag is true where an episode is truncated: done and truncated, of the lane
 *   or of a group
 */
gboolean reel_env_flag_is_of_cuts (const char *path);

/**
 * reel_env_results_cut:
 * @self: results
 * @begin: first lane
 * @end: one past the last
 * @io: a step
 *
 * Sets the flags of the lanes that are truncated, by a limit that their class does not know.
 */
void reel_env_results_cut (const ReelEnvResults *self, gint64 begin, gint64 end,
                           const ReelEnvIO *io);

/**
 * reel_env_results_find_done:
 * @self: results
 *
 * Returns: (transfer none) (nullable): the key of the flag that says whether a lane is done; %NULL
 *   where none does
 */
const char *reel_env_results_find_done (const ReelEnvResults *self);

G_END_DECLS
