/* The leaves of a tensordict that an env reads and writes: looked up once. Private. */
#pragma once

#include "env-results.h"
#include "env-states.h"

G_BEGIN_DECLS

/* A leaf: its path, and the shape of all lanes. */
typedef struct
{
  char *path;
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM + 1];
  gsize row_bytes;
} ReelEnvLeaf;

/**
 * ReelEnvLeafList:
 * @list: (array length=n): leaves
 * @paths: (array zero-terminated=1): their paths
 * @n: how many
 */
typedef struct
{
  ReelEnvLeaf *list;
  char **paths;
  gsize n;
} ReelEnvLeafList;

/**
 * ReelEnvLeaves:
 * @n_lanes: lanes
 * @ndim: batch dimensions: none for a single lane
 * @actions: in the order of reel_spec_list_leaves()
 * @observations: likewise
 * @states: observations that a step reads
 * @results: rewards and flags of the lane
 * @n_groups: groups of agents
 * @rewards: that of the lane where it is shown, those of groups, then those in @results
 * @flags: done, terminated and truncated of the lane that are shown, those of each group, then
 *   those in @results
 * @unseen: memory of what the lane does not show: its reward, then its three flags
 * @masks: (array): by action: which of @observations says what is allowed, or −1
 * @seed: of random actions
 * @n_drawn: how many times they were drawn
 * @n_acted: how many times policies acted
 *
 * The memory of the functions that take tensordicts, in the order in which #ReelEnvIO has
 * it.
 */
typedef struct
{
  gint64 n_lanes;
  gint ndim;
  ReelEnvLeafList actions;
  ReelEnvLeafList observations;
  const ReelEnvStates *states;
  const ReelEnvResults *results;
  gsize n_groups;
  ReelEnvLeafList rewards;
  ReelEnvLeafList flags;
  guint8 *unseen;
  gint *masks;
  guint64 seed;
  gint64 n_drawn;
  gint64 n_acted;
} ReelEnvLeaves;

/**
 * reel_env_leaves_free:
 * @leaves: (transfer full): leaves
 */
void reel_env_leaves_free (ReelEnvLeaves *leaves);

/**
 * reel_env_get_leaves:
 * @env: an env
 *
 * Returns: (transfer none): its leaves, made when they are first asked for
 */
ReelEnvLeaves *reel_env_get_leaves (ReelEnv *env);

/**
 * reel_env_list_leaves:
 * @env: an env
 * @specs: composite of one lane
 * @leaves: (out caller-allocates): its leaves, in the order of reel_spec_list_leaves(); free with
 *   reel_env_leaf_list_clear()
 */
void reel_env_list_leaves (ReelEnv *env, const ReelSpec *specs, ReelEnvLeafList *leaves);

/**
 * reel_env_leaf_list_clear:
 * @leaves: leaves
 */
void reel_env_leaf_list_clear (ReelEnvLeafList *leaves);

/**
 * reel_env_check_batch:
 * @env: an env
 * @td: a tensordict
 * @error: RUNTIME, in TorchRL's words
 *
 * Returns: whether the batch size of @td is that of @env, and it may be changed
 */
gboolean reel_env_check_batch (ReelEnv *env, const ReelTensordict *td, GError **error);

/**
 * reel_env_ref_leaf:
 * @td: a tensordict
 * @leaf: a leaf
 * @error: KEY, TYPE, RUNTIME naming it and what there is
 *
 * Returns: (transfer full): what @td has there, as rows one behind the other
 */
ReelTensor *reel_env_ref_leaf (const ReelTensordict *td, const ReelEnvLeaf *leaf, GError **error);

/**
 * reel_env_leaves_point:
 * @leaves: leaves
 * @rewards: (array): the column of each of the rewards
 * @flags: (array): likewise of the flags
 * @groups: (array): room for each group
 * @results: (array): room for each of the results
 *
 * Returns: a step with rewards and flags in these columns, and in memory of @leaves where they are
 *   not shown
 */
ReelEnvIO reel_env_leaves_point (const ReelEnvLeaves *leaves, guint8 *const *rewards,
                                 guint8 *const *flags, ReelEnvGroupStep *groups, guint8 **results);

/**
 * reel_env_new_leaf:
 * @leaf: a leaf
 * @error: NO_SPACE
 *
 * Returns: (transfer full): zeros of all lanes
 */
ReelTensor *reel_env_new_leaf (const ReelEnvLeaf *leaf, GError **error);

G_END_DECLS
