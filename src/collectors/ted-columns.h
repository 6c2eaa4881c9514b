/* The keys that a collector writes, and where each lies in a block of steps. Private. */
#pragma once

#include "../buffers/storages/storage.h"
#include "../envs/env.h"

G_BEGIN_DECLS

/**
 * ReelTedColumns:
 * @n_lanes: lanes of the env
 * @n_columns: leaves of a step
 * @actions: index of the first action leaf, in the order of the action spec
 * @n_actions: how many there are
 * @observations: index of the first leaf of the root observation, in the order of its spec; then
 *   the flags that agents have of their own: what one step hands on to the next
 * @next_observations: index of the first leaf of the observation below `next`, and likewise
 * @n_observations: leaves of either
 * @n_carried: leaves of either with the flags of agents
 * @next_reward: index of `next/reward`
 * @next_done: index of `next/done`
 * @next_terminated: index of `next/terminated`
 * @next_truncated: index of `next/truncated`
 * @group_rewards: index of the first reward of a group of agents, below `next`
 * @n_groups: groups of agents; each has one reward and three flags: done, terminated, truncated
 * @traj_ids: index of `collector/traj_ids`
 * @flags: index of the first of the three flags at the root
 * @paths: (array zero-terminated=1): the path of each leaf
 * @row_bytes: (array length=n_columns): bytes of one lane's value
 *
 * The leaves of a step, numbered so that what a step passes on as an array lies side by side; files
 * have another order, so a block's pointers are looked up by path, once.
 */
typedef struct
{
  gint64 n_lanes;
  guint n_columns;
  guint actions, n_actions;
  guint observations, next_observations, n_observations, n_carried;
  guint next_reward, next_done, next_terminated, next_truncated;
  guint group_rewards, n_groups;
  guint traj_ids;
  guint flags;
  char **paths;
  gsize *row_bytes;
} ReelTedColumns;

#define REEL_TED_N_FLAGS 3

/**
 * reel_ted_columns_new:
 * @env: an env
 * @layout: its step, of reel_collector_make_layout()
 *
 * Returns: (transfer full): its columns
 */
ReelTedColumns *reel_ted_columns_new (ReelEnv *env, ReelTensordict *layout);

/**
 * reel_ted_columns_free:
 * @columns: (transfer full): columns
 */
void reel_ted_columns_free (ReelTedColumns *columns);

/**
 * reel_ted_columns_find:
 * @columns: columns
 * @layout: the step that they were made of
 * @storage: an allocated storage
 * @error: VALUE when @storage holds other keys, types, shapes or lanes than @layout, naming both
 *
 * Returns: (transfer full) (array): the index of each column among @storage's; free with g_free()
 */
guint *reel_ted_columns_find (const ReelTedColumns *columns, ReelTensordict *layout,
                              ReelStorage *storage, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTedColumns, reel_ted_columns_free)

G_END_DECLS
