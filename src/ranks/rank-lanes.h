/* The lanes of one rank: an env of them alone, and a collector that steps it. Private. */
#pragma once

#include "../collectors/collector.h"
#include "../policies/policy-weights.h"
#include "ranks-private.h"

G_BEGIN_DECLS

/**
 * ReelRankTask:
 * @env: the text of the env, of whose lanes some are meant
 * @policy: that of the policy
 * @properties: of the collector, in its text
 * @begin: the first lane, as counted among all
 * @n: lanes
 * @n_all: lanes of all ranks
 * @seed: of lane 0 of all
 * @most_steps: steps of a batch at most
 * @threads: that step
 * @list_episodes: whether episodes that end are listed
 * @keep_state: whether each batch comes with the state after it
 *
 * The lanes that a rank steps. Lane l of it is lane @begin + l of all, by its seed, its actions and
 * its trajectory ids.
 */
typedef struct
{
  const char *env;
  const char *policy;
  const char *properties;
  gint64 begin, n, n_all;
  gint64 seed;
  gint64 most_steps;
  gint64 threads;
  gboolean list_episodes;
  gboolean keep_state;
} ReelRankTask;

/**
 * ReelRankBatch:
 * @n_steps: steps of each lane
 * @columns: (array): by leaf of the layout, `[n_steps, n]` values
 * @stats: of the lanes, since reel_rank_lanes_new()
 * @episodes: (element-type ReelCollectorEpisode): that ended in it, of lanes counted among all
 * @state: (nullable): of the lanes after it, as lane-state.h says
 *
 * The batch of one rank.
 */
typedef struct
{
  gint64 n_steps;
  guint8 **columns;
  ReelCollectorStats stats;
  GArray *episodes;
  guint8 *state;
} ReelRankBatch;

/**
 * ReelRankLanes:
 * @task: what they are; its texts are not kept
 * @n_columns: leaves of a step
 * @row_bytes: (array length=n_columns): bytes of one lane
 * @leaves: (array zero-terminated=1): their paths
 * @widths: of a state, see lane-state.h
 * @state_bytes: of the state of the lanes
 * @batch: the last one
 *
 * The lanes of a rank, and where they are.
 */
typedef struct
{
  ReelRankTask task;
  ReelCollector *collector;
  guint n_columns;
  char **leaves;
  gsize *row_bytes;
  GArray *widths;
  gsize state_bytes;
  ReelRankBatch batch;
} ReelRankLanes;

/**
 * reel_rank_lanes_new:
 * @task: what they are
 * @error: as reel_object_new_from_text() of env and policy, and reel_collector_new(); VALUE for a
 *   policy that acts on all lanes at once
 *
 * Returns: (transfer full): the lanes, which have not begun
 */
ReelRankLanes *reel_rank_lanes_new (const ReelRankTask *task, GError **error);

/**
 * reel_rank_lanes_free:
 * @self: (transfer full) (nullable): lanes
 */
void reel_rank_lanes_free (ReelRankLanes *self);

/**
 * reel_rank_lanes_put_weights:
 * @self: lanes
 * @weights: of a policy of the same text
 * @error: VALUE where they do not fit
 *
 * Has the policy act with them from the next batch on.
 *
 * Returns: whether they fit
 */
gboolean reel_rank_lanes_put_weights (ReelRankLanes *self, const ReelPolicyWeights *weights,
                                      GError **error);

/**
 * reel_rank_lanes_collect:
 * @self: lanes
 * @task: steps of each lane, at most those that the lanes were made for; no random policy acts
 * @error: what env and policy say
 *
 * Steps the lanes, and sets `batch`, whose columns are the collector's own memory.
 *
 * Returns: whether all steps were done
 */
gboolean reel_rank_lanes_collect (ReelRankLanes *self, const ReelCollectorTask *task,
                                  GError **error);

/**
 * reel_rank_task_to_variant:
 * @self: a task
 *
 * Returns: (transfer full): it, for a message
 */
GVariant *reel_rank_task_to_variant (const ReelRankTask *self);

/**
 * reel_rank_task_from_variant:
 * @self: (out caller-allocates): the task
 * @variant: what reel_rank_task_to_variant() made; its texts are in it
 */
void reel_rank_task_from_variant (ReelRankTask *self, GVariant *variant);

/**
 * REEL_RANK_TASK_TYPE:
 *
 * The type of a task in a message.
 */
#define REEL_RANK_TASK_TYPE G_VARIANT_TYPE ("(sssxxxxxxbb)")

/**
 * reel_rank_state_copy:
 * @widths: (element-type gsize): of a state
 * @to: a state of @n_to lanes
 * @to_first: the first lane of it to write
 * @from: a state of @n_from lanes
 * @from_first: the first lane of it to read
 * @n: lanes
 *
 * Copies lanes of a state into another of the same run.
 */
void reel_rank_state_copy (const GArray *widths, guint8 *to, gint64 n_to, gint64 to_first,
                           const guint8 *from, gint64 n_from, gint64 from_first, gint64 n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelRankLanes, reel_rank_lanes_free)

G_END_DECLS
