/* Collects on all ranks: rank 0 says what is to be stepped, and puts together what comes. */
#include "ranks-collector-private.h"

G_DEFINE_FINAL_TYPE (ReelRanksCollector, reel_ranks_collector, REEL_TYPE_COLLECTOR)

/* ---- opening ---- */

static gboolean
check (ReelRanksCollector *self, const ReelRanks *ranks, GError **error)
{
  const ReelCollectorParts *parts = reel_ranks_collector_get_parts (self);
  const char *why = NULL;

  if (parts->init_random_frames > 0)
    why = "init-random-frames has no policy of all lanes that ranks could share";
  else if (!parts->extend_buffer)
    why = "extend-buffer=false writes steps one by one, and ranks send whole batches";
  else if (parts->numbers.all > 0)
    why = "all-lanes is for a collector that has some lanes of a run, and ranks share all";
  else if (ranks->rank != 0)
    why = "rank 0 alone has the collector: the others call reel_ranks_serve()";
  else if (!reel_policy_is_lanewise (parts->policy))
    why = "the policy acts on all lanes at once, and ranks have only some of them";
  else if (self->mode == REEL_RANKS_ASYNC && ranks->n_ranks == 1)
    why = "mode=async needs two ranks at least";
  else if (self->mode == REEL_RANKS_ASYNC && parts->resume)
    why = "resume=true needs mode=sync: rows of async ranks contain no order";
  else if (self->mode == REEL_RANKS_SYNC && ranks->n_ranks > self->n_lanes)
    why = "there are more ranks than lanes: give the environment a greater num-envs";
  else if (self->mode == REEL_RANKS_SYNC && ranks->n_ranks > 1
           && reel_env_outlasts_episodes (parts->env) && reel_env_joins_lanes (parts->env))
    why = "lanes of the environment share the state of a transform, such as the statistics of "
          "vec-norm, which cannot be on several ranks";
  else if (self->mode == REEL_RANKS_SYNC && self->on_rank_error == REEL_RANKS_DROP
           && !reel_env_has_state (parts->env))
    why = "on-rank-error=drop needs an environment whose states can be copied, for other ranks to "
          "take its lanes over";
  else
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot collect %" G_GINT64_FORMAT " lanes on %d ranks: %s", self->n_lanes,
               ranks->n_ranks, why);
  return FALSE;
}

/* resume: where the run that filled the buffer ended, as a collector of all lanes finds it. */
static gboolean
resume (ReelRanksCollector *self, GError **error)
{
  const ReelCollectorParts *parts = reel_ranks_collector_get_parts (self);
  g_autoptr (ReelCollector) whole = reel_collector_new ("sync:resume=true,threads=1", parts->env,
                                                        parts->policy, parts->buffer, error);

  if (whole == NULL)
    return FALSE;
  self->n_steps = reel_lane_state_count_steps (whole);
  if (self->n_steps == 0)
    return TRUE;

  g_autoptr (GArray) widths = reel_lane_state_list_widths (whole);
  gsize bytes = 0;

  for (guint i = 0; i < widths->len; i++)
    bytes += g_array_index (widths, gsize, i);
  self->state = g_malloc (bytes * (gsize) self->n_lanes);
  reel_lane_state_get (whole, self->state);
  self->is_moved = TRUE;
  self->n_episodes = reel_lane_state_count_episodes (whole);
  return TRUE;
}

static gboolean
open_collector (ReelCollector *collector, GError **error)
{
  ReelRanksCollector *self = REEL_RANKS_COLLECTOR (collector);
  const ReelCollectorParts *parts = reel_ranks_collector_get_parts (self);
  const ReelRanks *ranks = reel_ranks_get (error);

  if (ranks == NULL)
    return FALSE;
  self->n_lanes = reel_env_get_num_envs (parts->env);
  self->moved = self->own_stats = reel_ranks_no_stats;
  if (!check (self, ranks, error) || !reel_ranks_collector_find_place (self, error)
      || (parts->resume && !resume (self, error)))
    return FALSE;
  self->n_peers = (guint) ranks->n_ranks - 1;
  self->peers = g_new0 (ReelRankPeer, MAX (self->n_peers, 1));
  for (guint i = 0; i < self->n_peers; i++)
    self->peers[i] =
        (ReelRankPeer){ .rank = (gint) i + 1, .there = TRUE, .stats = reel_ranks_no_stats };
  return reel_ranks_collector_begin_all (self, error);
}

static void
finalize (GObject *object)
{
  ReelRanksCollector *self = REEL_RANKS_COLLECTOR (object);

  if (self->own)
    reel_ranks_collector_end_all (self);
  for (guint i = 0; i < self->n_peers; i++)
    reel_rank_peer_clear (&self->peers[i]);
  g_clear_pointer (&self->own, reel_rank_lanes_free);
  g_clear_pointer (&self->block, reel_step_block_free);
  g_clear_pointer (&self->columns, reel_ted_columns_free);
  g_clear_pointer (&self->episodes, g_array_unref);
  g_clear_error (&self->failure);
  g_free (self->peers);
  g_free (self->state);
  g_free (self->order);
  g_free (self->found);
  g_free (self->into);
  g_free (self->leaves);
  G_OBJECT_CLASS (reel_ranks_collector_parent_class)->finalize (object);
}

/* ---- the class ---- */

static gboolean
collect (ReelCollector *collector, const ReelCollectorTask *task, gint64 *n_collected,
         ReelTensordict **steps, GError **error)
{
  ReelRanksCollector *self = REEL_RANKS_COLLECTOR (collector);

  g_array_set_size (self->episodes, 0);
  if (self->failure == NULL && self->mode == REEL_RANKS_SYNC)
    reel_ranks_collector_collect_sync (self, task, n_collected, steps, &self->failure);
  else if (self->failure == NULL && reel_ranks_collector_begin_async (self, &self->failure))
    reel_ranks_collector_collect_async (self, n_collected, steps, &self->failure);
  if (reel_ranks_is_asked_to_stop ())
    reel_collector_stop (collector);
  if (self->failure)
    g_propagate_error (error, g_error_copy (self->failure));
  return self->failure == NULL;
}

static void
tally (ReelCollector *collector, ReelCollectorStats *stats)
{
  const ReelRanksCollector *self = REEL_RANKS_COLLECTOR (collector);

  reel_collector_stats_add (stats, &self->moved);
  reel_ranks_collector_add_all_stats (self, stats);
}

static const GArray *
list_episodes (ReelCollector *collector)
{
  return REEL_RANKS_COLLECTOR (collector)->episodes;
}

static const ReelId ids[] = {
  { "ranks", NULL, "steps lanes on all processes that mpirun started" },
  { "DistributedCollector", NULL, "TorchRL's name of ranks" },
  { NULL, NULL, NULL },
};

static void
reel_ranks_collector_class_init (ReelRanksCollectorClass *klass)
{
  static const char *const modes[] = { "sync", "async", NULL };
  static const char *const ends[] = { "fail", "drop", NULL };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelCollectorClass *collector_class = REEL_COLLECTOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  reel_object_class_add_enum (
      object_class, "mode", G_STRUCT_OFFSET (ReelRanksCollector, mode), modes, REEL_RANKS_SYNC,
      "sync: the ranks share the lanes, and a batch has them all; async: "
      "each rank but 0 has all lanes, and its batch is stored when it comes",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      object_class, "on-rank-error", G_STRUCT_OFFSET (ReelRanksCollector, on_rank_error), ends,
      REEL_RANKS_FAIL, "the answer to the end of a rank: fail, or drop to continue without it",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  collector_class->open = open_collector;
  collector_class->collect = collect;
  collector_class->tally = tally;
  collector_class->list_episodes = list_episodes;
}

static void
reel_ranks_collector_init (ReelRanksCollector *self)
{
  self->episodes = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));
}
