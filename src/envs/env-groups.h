/* Groups of agents, which are rewarded and end each for itself. Private. */
#pragma once

#include "env.h"

G_BEGIN_DECLS

/* One of them: where its data are, and how many agents a lane has. */
typedef struct
{
  char *key;
  gint64 n_agents;
} ReelEnvGroup;

typedef struct
{
  ReelEnvGroup *list;
  gsize n;
} ReelEnvGroups;

/**
 * reel_env_groups_add:
 * @groups: groups, zeroed at first
 * @key: where the data of the new one are
 * @n_agents: how many
 */
void reel_env_groups_add (ReelEnvGroups *groups, const char *key, gint64 n_agents);

/**
 * reel_env_groups_clear:
 * @groups: groups
 */
void reel_env_groups_clear (ReelEnvGroups *groups);

/**
 * reel_env_groups_extend_specs:
 * @groups: groups
 * @reward: (inout): composite of the reward; gets that of each group
 * @done: (inout): composite of the flags; gets those of each group
 * @error: VALUE for a key that two groups have, or the lane itself
 *
 * Returns: whether it was done
 */
gboolean reel_env_groups_extend_specs (const ReelEnvGroups *groups, ReelSpec **reward,
                                       ReelSpec **done, GError **error);

/**
 * reel_env_groups_finish:
 * @groups: groups
 * @begin: first lane
 * @end: one past the last
 * @io: a step of these lanes, whose own flags are complete
 *
 * Completes the flags of every agent.
 */
void reel_env_groups_finish (const ReelEnvGroups *groups, gint64 begin, gint64 end,
                             const ReelEnvIO *io);

G_END_DECLS
