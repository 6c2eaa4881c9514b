/* Which file each dataset of D4RL is in. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_d4rl_list_ids:
 *
 * Returns: (transfer full) (array zero-terminated=1): the ids of all datasets, in order
 */
char **reel_d4rl_list_ids (void);

/**
 * reel_d4rl_find_file:
 * @id: the id of a dataset
 *
 * Returns: (transfer none) (nullable): its file below the directory of all, without the suffix
 *   `.hdf5`: `gym_mujoco_v2/hopper_medium-v2`; %NULL for an unknown id
 */
const char *reel_d4rl_find_file (const char *id);

G_END_DECLS
