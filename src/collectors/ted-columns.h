/* The keys that a collector writes, and where each lies in a block of steps. Private. */
#pragma once

#include "../buffers/storages/storage.h"
#include "../envs/env.h"
#include "../policies/policy.h"

G_BEGIN_DECLS

#define REEL_TED_N_FLAGS 3

/**
 * ReelTedRange:
 * @first: index of the first column
 * @n: number of columns
 *
 * Columns that are next to each other.
 */
typedef struct
{
  guint first, n;
} ReelTedRange;

/**
 * ReelTedColumns:
 * @n_lanes: lanes of the env
 * @n_columns: leaves of a step
 * @actions: the action leaves, in the order of the action spec
 * @outputs: what the policy writes beside them, likewise
 * @root: leaves that one step carries to the next: the observation at the root, in the order of its
 *   spec, the state of the policy, then the three flags of each group of agents, then flags of the
 *   env's own
 * @next: the same leaves below `next`
 * @n_observations: leaves of @root, and of @next, that are observations
 * @n_states: those that are the policy's state
 * @next_reward: index of `next/reward`; of one of the unseen where the env does not show it, as of
 *   the next three
 * @next_done: index of `next/done`
 * @next_terminated: index of `next/terminated`
 * @next_truncated: index of `next/truncated`
 * @group_rewards: the reward of each group of agents, below `next`
 * @own_rewards: rewards of the env's own, likewise
 * @traj_ids: index of `collector/traj_ids`; of one of the unseen where the layout has none
 * @versions: `policy_version` and `next/policy_version`, where the collector tracks them
 * @flags: those of done, terminated, truncated at the root that the env shows
 * @n_unseen: places behind the last column for rewards, flags and ids that no data have, of at most
 *   8 bytes a lane
 * @paths: (array zero-terminated=1): the path of each leaf
 * @row_bytes: (array length=n_columns): bytes of one lane's value
 *
 * The leaves of a step, numbered so that leaves which a function takes as an array are adjacent.
 * Files have another order: reel_ted_columns_find() looks up a block's pointers by path, once.
 */
typedef struct
{
  gint64 n_lanes;
  guint n_columns;
  ReelTedRange actions, outputs;
  ReelTedRange root, next;
  guint n_observations, n_states;
  guint next_reward, next_done, next_terminated, next_truncated;
  ReelTedRange group_rewards, own_rewards;
  guint traj_ids;
  ReelTedRange versions;
  ReelTedRange flags;
  guint n_unseen;
  char **paths;
  gsize *row_bytes;
} ReelTedColumns;

/**
 * ReelTedStep:
 * @all: (array): the address of each column
 * @action: of the action leaves
 * @output: of what the policy writes beside them
 * @root: of the leaves that are known before the step
 * @state: of the policy's state among them
 * @next: of the leaves that the step produces
 * @next_state: of the policy's state among them
 * @next_group_flags: of the flags of the groups of agents among @next, three for each group
 * @group_reward: of the rewards of the groups
 * @own_reward: of the rewards of the env's own
 * @version: of the two versions of the policy
 * @reward: of `next/reward`, and so on
 *
 * The addresses of one step's columns by name: each field is a place in @all.
 */
typedef struct
{
  guint8 **all;
  guint8 **action;
  guint8 **output;
  guint8 **root;
  guint8 **state;
  guint8 **next;
  guint8 **next_state;
  guint8 **next_group_flags;
  guint8 **group_reward;
  guint8 **own_reward;
  guint8 **reward, **done, **terminated, **truncated;
  guint8 **traj_ids;
  guint8 **version;
} ReelTedStep;

/**
 * reel_ted_columns_name:
 * @columns: columns
 * @all: (array): the address of each of them, which may change later
 *
 * Returns: (transfer none): the names of the places in @all
 */
static inline ReelTedStep
reel_ted_columns_name (const ReelTedColumns *columns, guint8 **all)
{
  return (ReelTedStep){
    .all = all,
    .action = all + columns->actions.first,
    .output = all + columns->outputs.first,
    .root = all + columns->root.first,
    .state = all + columns->root.first + columns->n_observations,
    .next = all + columns->next.first,
    .next_state = all + columns->next.first + columns->n_observations,
    .next_group_flags = all + columns->next.first + columns->n_observations + columns->n_states,
    .group_reward = all + columns->group_rewards.first,
    .own_reward = all + columns->own_rewards.first,
    .reward = all + columns->next_reward,
    .done = all + columns->next_done,
    .terminated = all + columns->next_terminated,
    .truncated = all + columns->next_truncated,
    .traj_ids = all + columns->traj_ids,
    .version = all + columns->versions.first,
  };
}

/**
 * reel_ted_layout_add_versions:
 * @layout: the step of an env and a policy
 * @n_lanes: lanes
 * @error: VALUE where they write such a key
 *
 * Adds what a collector writes that tracks the version of its policy, before
 * reel_ted_columns_new().
 *
 * Returns: whether it was added
 */
gboolean reel_ted_layout_add_versions (ReelTensordict *layout, gint64 n_lanes, GError **error);

/**
 * reel_ted_columns_new:
 * @env: an env
 * @policy: what acts, bound to it
 * @layout: their step, of reel_collector_make_layout()
 *
 * Returns: (transfer full): its columns
 */
ReelTedColumns *reel_ted_columns_new (ReelEnv *env, ReelPolicy *policy, ReelTensordict *layout);

/**
 * reel_ted_columns_free:
 * @columns: (transfer full): columns
 */
void reel_ted_columns_free (ReelTedColumns *columns);

/**
 * reel_ted_columns_find:
 * @columns: columns
 * @layout: the step that they were made of, or that of some of its lanes
 * @storage: an allocated storage
 * @error: VALUE when @storage holds other keys, types, shapes or lanes than @layout, naming both
 *
 * Returns: (transfer full) (array): the index of each column among @storage's; free with g_free()
 */
guint *reel_ted_columns_find (const ReelTedColumns *columns, ReelTensordict *layout,
                              ReelStorage *storage, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTedColumns, reel_ted_columns_free)

G_END_DECLS
