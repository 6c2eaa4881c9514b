/* Environments that play the tables of tests/data/transforms. */
#pragma once

#include "golden-transforms.h"

/**
 * table_env_can_play:
 * @table: the table of an environment
 *
 * Returns: whether it does not reset itself
 */
gboolean table_env_can_play (const json_t *table);

/**
 * table_env_new:
 * @table: a table that can be played
 *
 * Returns: (transfer full): an env of as many lanes as it has
 */
ReelEnv *table_env_new (const json_t *table);

/**
 * table_env_follow_seeds:
 * @env: an env that plays a table
 *
 * The next episode of a lane is the one that its seed says, from when it is seeded next; without
 * this, a seed always means the first.
 */
void table_env_follow_seeds (ReelEnv *env);
