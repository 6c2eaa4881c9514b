/* Imported rows, cut into trajectories that are padded to the longest. Private to the library. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * reel_episodes_split:
 * @from: a directory of mapped leaves `[N]` with `next/done`, and maybe `traj_ids`
 * @directory: an empty directory
 * @force_end: whether `next/done` is true in the last column of every row, padding included, as
 *   TorchRL's D4RL has it
 * @error: KEY where there is no `next/done`; DAMAGED, NO_SPACE, IO
 *
 * Writes leaves `[trajectories, longest]`, as reel_split_trajectories() gives them, without holding
 * more of them in memory than the rows under way.
 *
 * Returns: whether they were written
 */
gboolean reel_episodes_split (const char *from, const char *directory, gboolean force_end,
                              GError **error);

G_END_DECLS
