/* Collects on all ranks: rank 0 says what is to be stepped, and puts together what comes. */
#include "../collectors/collector-private.h"
#include "../collectors/finished-episodes.h"
#include "../collectors/step-block.h"
#include "../collectors/lane-state.h"
#include "../collectors/ted-columns.h"
#include "../envs/env-private.h"
#include "rank-peer.h"

#include <math.h>
#include <string.h>

/* Rows between two commits of a buffer at most. */
#define BLOCK_ROWS 32768

typedef enum
{
  SYNC,
  ASYNC
} Mode;

typedef enum
{
  FAIL,
  DROP
} OnRankError;

struct _ReelRanksCollector
{
  ReelCollector parent_instance;

  gint mode;
  gint on_rank_error;

  ReelRankLanes *own; /* those of rank 0; in async mode it steps none, and they say the sizes */
  ReelRankPeer *peers;
  guint n_peers;
  gint64 n_lanes; /* of a step that is stored */
  gint64 n_steps; /* that were stored */
  gint64 n_asked; /* in async mode: that are stored or will be */
  gboolean begun;
  gint64 version; /* of the weights that @own acts with, -1 for those of its beginning */

  ReelCollectorStats own_stats; /* of the batches that count */
  ReelCollectorStats moved;     /* of lanes that have gone elsewhere since */
  guint8 *state;                /* of all lanes after the last batch, where it is kept */
  gboolean is_moved;            /* whether the lanes go on from it elsewhere */

  /* Where steps go: the columns of the buffer's blocks, or a block of its own. */
  ReelTedColumns *columns;
  guint *order; /* by leaf: its column */
  guint *found; /* by column: that of a buffer that lends, else NULL */
  guint8 **into, **leaves;
  ReelStepBlock *block;
  GArray *episodes;
  gint64 n_episodes;
  GError *failure; /* after which nothing can follow */
};

G_DECLARE_FINAL_TYPE (ReelRanksCollector, reel_ranks_collector, REEL, RANKS_COLLECTOR,
                      ReelCollector)
G_DEFINE_FINAL_TYPE (ReelRanksCollector, reel_ranks_collector, REEL_TYPE_COLLECTOR)

static const ReelCollectorParts *
get_parts (ReelRanksCollector *self)
{
  return reel_collector_get_parts (REEL_COLLECTOR (self));
}

static const ReelCollectorStats no_stats = { .return_min = INFINITY, .return_max = -INFINITY };

/* ---- the lanes of the ranks ---- */

static guint
count_workers (const ReelRanksCollector *self)
{
  guint n = self->mode == SYNC;

  for (guint i = 0; i < self->n_peers; i++)
    n += self->peers[i].there;
  return n;
}

/* cut: the task of the worker that is number @i of @n. */
static ReelRankTask
cut (const ReelRanksCollector *self, const ReelRankTask *all, guint i, guint n)
{
  ReelRankTask task = *all;
  gint64 end;

  if (self->mode == ASYNC)
    {
      task.begin = i * self->n_lanes;
      task.n = self->n_lanes;
      return task;
    }
  reel_ranks_cut (self->n_lanes, (gint) i, (gint) n, &task.begin, &end);
  task.n = end - task.begin;
  return task;
}

static gint64
count_most_steps (ReelRanksCollector *self)
{
  const ReelCollectorParts *parts = get_parts (self);
  gint64 rows = parts->frames_per_batch;

  if (parts->total_frames >= 0)
    rows = MIN (rows, MAX (parts->total_frames, 1));
  gint64 steps = (rows + self->n_lanes - 1) / self->n_lanes;
  return self->found ? MIN (steps, MAX (BLOCK_ROWS / self->n_lanes, 1)) : steps;
}

static void
end_all (ReelRanksCollector *self)
{
  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].there)
      reel_rank_peer_end (&self->peers[i], self->own);
}

/* have_begun: waits for all that were asked to begin, and ends them all where one cannot. */
static gboolean
have_begun (ReelRanksCollector *self, const gboolean *asked, GError **error)
{
  g_autoptr (GError) first = NULL;

  for (guint i = 0; i < self->n_peers; i++)
    {
      ReelRankPeer *peer = &self->peers[i];
      GError *failure = NULL;

      if (!asked[i] || reel_rank_has_begun (peer->rank, self->own, &failure))
        continue;
      reel_rank_peer_name (peer, &failure);
      peer->there = FALSE;
      if (first == NULL)
        first = failure;
      else
        g_error_free (failure);
    }
  if (first == NULL)
    return TRUE;
  end_all (self);
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/* begin_all: gives each rank that is there its lanes. */
static gboolean
begin_all (ReelRanksCollector *self, GError **error)
{
  const ReelCollectorParts *parts = get_parts (self);
  g_autofree char *env = reel_object_to_text (REEL_OBJECT (parts->env));
  g_autofree char *policy = reel_object_to_text (REEL_OBJECT (parts->policy));
  g_autofree gboolean *asked = g_new0 (gboolean, MAX (self->n_peers, 1));
  guint n = count_workers (self), next = self->mode == SYNC;
  g_autofree char *properties = g_strdup_printf (
      ",exploration-type=%s,track-traj-ids=%s,track-policy-version=%s",
      reel_collector_explorations[parts->exploration], parts->track_traj_ids ? "true" : "false",
      parts->track_policy_version ? "true" : "false");
  ReelRankTask all = {
    .env = env,
    .policy = policy,
    .properties = properties,
    .n_all = self->mode == SYNC ? self->n_lanes : self->n_lanes * self->n_peers,
    .most_steps = count_most_steps (self),
    .threads = parts->threads,
    .list_episodes = parts->list_episodes,
    .keep_state = self->on_rank_error == DROP && self->mode == SYNC,
  };

  g_object_get (parts->env, "seed", &all.seed, NULL);
  ReelRankTask own = cut (self, &all, 0, n);
  g_clear_pointer (&self->own, reel_rank_lanes_free);
  self->own = reel_rank_lanes_new (&own, error);
  if (self->own == NULL)
    return FALSE;
  self->version = -1;
  g_return_val_if_fail (self->own->n_columns == self->columns->n_columns, FALSE);
  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].there)
      {
        ReelRankTask task = cut (self, &all, next++, n);

        reel_rank_peer_take (&self->peers[i], &task, self->own);
        asked[i] = TRUE;
        reel_rank_begin (self->peers[i].rank, &task, NULL); /* who is lost is noticed next */
      }
  return have_begun (self, asked, error);
}

/* ---- opening ---- */

static gboolean
check (ReelRanksCollector *self, const ReelRanks *ranks, GError **error)
{
  const ReelCollectorParts *parts = get_parts (self);
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
  else if (self->mode == ASYNC && ranks->n_ranks == 1)
    why = "mode=async needs two ranks at least";
  else if (self->mode == ASYNC && parts->resume)
    why = "resume=true needs mode=sync: rows of async ranks contain no order";
  else if (self->mode == SYNC && ranks->n_ranks > self->n_lanes)
    why = "there are more ranks than lanes: give the environment a greater num-envs";
  else if (self->mode == SYNC && ranks->n_ranks > 1 && reel_env_outlasts_episodes (parts->env)
           && reel_env_joins_lanes (parts->env))
    why = "lanes of the environment share the state of a transform, such as the statistics of "
          "vec-norm, which cannot be on several ranks";
  else if (self->mode == SYNC && self->on_rank_error == DROP && !reel_env_has_state (parts->env))
    why = "on-rank-error=drop needs an environment whose states can be copied, for other ranks to "
          "take its lanes over";
  else
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot collect %" G_GINT64_FORMAT " lanes on %d ranks: %s", self->n_lanes,
               ranks->n_ranks, why);
  return FALSE;
}

/* find_order: the column of each leaf, in the order in which ranks send them. */
static void
find_order (ReelRanksCollector *self)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (get_parts (self)->layout);

  self->order = g_new (guint, self->columns->n_columns);
  self->into = g_new (guint8 *, self->columns->n_columns);
  self->leaves = g_new (guint8 *, self->columns->n_columns);
  for (guint i = 0; leaves[i]; i++)
    for (guint c = 0; c < self->columns->n_columns; c++)
      if (strcmp (leaves[i], self->columns->paths[c]) == 0)
        self->order[i] = c;
}

static gboolean
find_place (ReelRanksCollector *self, GError **error)
{
  const ReelCollectorParts *parts = get_parts (self);

  self->columns = reel_ted_columns_new (parts->env, parts->policy, parts->layout);
  find_order (self);
  if (reel_collector_writes_in_place (parts))
    {
      self->found = reel_ted_columns_find (self->columns, parts->layout,
                                           reel_replay_buffer_get_storage (parts->buffer), error);
      return self->found != NULL;
    }
  self->block =
      reel_step_block_new (parts->layout, self->columns, count_most_steps (self), FALSE, error);
  return self->block != NULL;
}

/* resume: where the run that filled the buffer ended, as a collector of all lanes finds it. */
static gboolean
resume (ReelRanksCollector *self, GError **error)
{
  const ReelCollectorParts *parts = get_parts (self);
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
  const ReelCollectorParts *parts = get_parts (self);
  const ReelRanks *ranks = reel_ranks_get (error);

  if (ranks == NULL)
    return FALSE;
  self->n_lanes = reel_env_get_num_envs (parts->env);
  self->moved = self->own_stats = no_stats;
  if (!check (self, ranks, error) || !find_place (self, error)
      || (parts->resume && !resume (self, error)))
    return FALSE;
  self->n_peers = (guint) ranks->n_ranks - 1;
  self->peers = g_new0 (ReelRankPeer, MAX (self->n_peers, 1));
  for (guint i = 0; i < self->n_peers; i++)
    self->peers[i] = (ReelRankPeer){ .rank = (gint) i + 1, .there = TRUE, .stats = no_stats };
  return begin_all (self, error);
}

static void
finalize (GObject *object)
{
  ReelRanksCollector *self = REEL_RANKS_COLLECTOR (object);

  if (self->own)
    end_all (self);
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

/* ---- who fails ---- */

/* A try at one batch of all ranks. */
typedef struct
{
  GError *failure; /* the first */
  gboolean hard;   /* whether a rank that is there failed */
} Try;

static void
note_failure (Try *try, ReelRankPeer *peer, GError *failure)
{
  gboolean ended = reel_ranks_has_lost (peer->rank);

  peer->there = peer->there && !ended;
  try->hard = try->hard || !ended;
  if (try->failure == NULL)
    try->failure = failure;
  else
    g_error_free (failure);
}

/* ---- sync ---- */

/* slice: a copy of the state of some lanes. */
static guint8 *
slice_state (const ReelRanksCollector *self, const ReelRankTask *task, gsize *n_bytes)
{
  gsize bytes = 0;

  for (guint i = 0; i < self->own->widths->len; i++)
    bytes += g_array_index (self->own->widths, gsize, i);
  *n_bytes = bytes * (gsize) task->n;

  guint8 *slice = g_malloc (*n_bytes);

  reel_rank_state_copy (self->own->widths, slice, task->n, 0, self->state, self->n_lanes,
                        task->begin, task->n);
  return slice;
}

/* sees_others: whether the weights of the policy are others than those of @version. */
static gboolean
sees_others (ReelRanksCollector *self, gint64 version, ReelPolicyWeights *weights)
{
  return reel_policy_see_weights (get_parts (self)->policy, weights) && weights->version != version;
}

static gboolean
give_weights (ReelRanksCollector *self, ReelRankPeer *peer, GError **error)
{
  ReelPolicyWeights weights;

  if (!sees_others (self, peer->version, &weights))
    return TRUE;
  peer->version = weights.version;
  return reel_rank_give_weights (peer->rank, &weights, error);
}

static gboolean
put_own_weights (ReelRanksCollector *self, GError **error)
{
  ReelPolicyWeights weights;

  if (!sees_others (self, self->version, &weights))
    return TRUE;
  self->version = weights.version;
  return reel_rank_lanes_put_weights (self->own, &weights, error);
}

static void
ask (ReelRanksCollector *self, ReelRankPeer *peer, const ReelCollectorTask *task, Try *try)
{
  gsize bytes = 0;
  g_autofree guint8 *state = self->is_moved ? slice_state (self, &peer->task, &bytes) : NULL;
  GError *failure = NULL;

  if (give_weights (self, peer, &failure)
      && reel_rank_step (peer->rank, task, self->n_steps, state, bytes, &failure))
    {
      peer->asked = task->n_steps;
      return;
    }
  reel_rank_peer_name (peer, &failure);
  note_failure (try, peer, failure);
}

static gboolean
collect_own (ReelRanksCollector *self, const ReelCollectorTask *task, GError **error)
{
  gsize bytes;

  if (self->is_moved)
    {
      g_autofree guint8 *state = slice_state (self, &self->own->task, &bytes);

      reel_lane_state_set (self->own->collector, self->n_steps, state);
    }
  return put_own_weights (self, error) && reel_rank_lanes_collect (self->own, task, error);
}

/* try_gather: a batch of each rank, in the order of ranks. All that were asked have answered, or
 * have ended, when it returns. */
static gboolean
try_gather (ReelRanksCollector *self, const ReelCollectorTask *task, Try *try)
{
  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].there)
      ask (self, &self->peers[i], task, try);
  if (!try->hard && !collect_own (self, task, try->failure ? NULL : &try->failure))
    try->hard = TRUE;
  for (guint i = 0; i < self->n_peers; i++)
    {
      ReelRankPeer *peer = &self->peers[i];
      GError *failure = NULL;

      if (peer->asked > 0 && !reel_rank_peer_receive (peer, self->own, &failure))
        note_failure (try, peer, failure);
    }
  return try->failure == NULL;
}

static void
add_all_stats (const ReelRanksCollector *self, ReelCollectorStats *stats)
{
  reel_collector_stats_add (stats, &self->own_stats);
  for (guint i = 0; i < self->n_peers; i++)
    reel_collector_stats_add (stats, &self->peers[i].stats);
}

/* move_lanes: the ranks that are there take over the lanes of one that ended, where all lanes were
 * after the last batch. */
static gboolean
move_lanes (ReelRanksCollector *self, GError **error)
{
  add_all_stats (self, &self->moved);
  self->own_stats = no_stats;
  for (guint i = 0; i < self->n_peers; i++)
    self->peers[i].stats = no_stats;
  end_all (self);
  self->is_moved = self->state != NULL;
  return begin_all (self, error);
}

/* gather: a batch of all lanes, by those ranks that are there in the end. */
static gboolean
gather (ReelRanksCollector *self, const ReelCollectorTask *task, GError **error)
{
  for (;;)
    {
      Try try = { 0 };

      if (try_gather (self, task, &try))
        break;
      if (self->on_rank_error != DROP || try.hard)
        {
          g_propagate_error (error, try.failure);
          return FALSE;
        }
      reel_ranks_warn (
          g_strdup_printf ("%s; the other ranks take the lanes over", try.failure->message));
      g_error_free (try.failure);
      if (!move_lanes (self, error))
        return FALSE;
    }
  self->is_moved = FALSE;
  return TRUE;
}

static void
keep_state_of (ReelRanksCollector *self, const ReelRankTask *task, const ReelRankBatch *batch)
{
  gsize bytes = 0;

  for (guint i = 0; self->state == NULL && i < self->own->widths->len; i++)
    bytes += g_array_index (self->own->widths, gsize, i);
  if (self->state == NULL)
    self->state = g_malloc (bytes * (gsize) self->n_lanes);
  reel_rank_state_copy (self->own->widths, self->state, self->n_lanes, task->begin, batch->state,
                        task->n, 0, task->n);
}

/* count: the batches of all ranks are stored, and count from now on. */
static void
count_batches (ReelRanksCollector *self)
{
  self->own_stats = self->own->batch.stats;
  if (self->own->batch.state)
    keep_state_of (self, &self->own->task, &self->own->batch);
  for (guint i = 0; i < self->n_peers; i++)
    {
      ReelRankPeer *peer = &self->peers[i];

      if (!peer->there)
        continue;
      peer->stats = peer->batch.stats;
      if (peer->batch.state)
        keep_state_of (self, &peer->task, &peer->batch);
    }
}

/* spread: what all ranks collected, to the columns at @into. */
static void
spread (ReelRanksCollector *self, gint64 n_steps, guint8 *const *into)
{
  reel_rank_batch_spread (&self->own->batch, self->own, 0, n_steps, self->own->task.n, into,
                          self->own->task.begin, self->n_lanes);
  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].there)
      reel_rank_batch_spread (&self->peers[i].batch, self->own, 0, n_steps, self->peers[i].task.n,
                              into, self->peers[i].task.begin, self->n_lanes);
}

/* ---- episodes ---- */

static void
list_episodes_of (ReelRanksCollector *self, const ReelRankBatch *batch)
{
  g_array_append_vals (self->episodes, batch->episodes->data, batch->episodes->len);
}

/* number: those behind the first @from, in the order of their ends. */
static void
number_episodes (ReelRanksCollector *self, guint from)
{
  ReelCollectorEpisode *episodes = &g_array_index (self->episodes, ReelCollectorEpisode, 0);
  guint n = self->episodes->len - from;

  if (n == 0)
    return;
  if (self->mode == SYNC)
    qsort (episodes + from, n, sizeof *episodes, reel_finished_episodes_compare);
  for (guint i = from; i < self->episodes->len; i++)
    episodes[i].number = self->n_episodes++;
}

static void
list_all_episodes (ReelRanksCollector *self)
{
  guint from = self->episodes->len;

  list_episodes_of (self, &self->own->batch);
  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].there)
      list_episodes_of (self, &self->peers[i].batch);
  number_episodes (self, from);
}

/* ---- storing ---- */

/* point: to where step 0 of lane 0 of each leaf belongs: in what the buffer lent, or in the block.
 */
static guint8 *const *
point (ReelRanksCollector *self, const ReelReservation *lent)
{
  if (lent == NULL)
    reel_step_block_point (self->block, 0, self->into);
  for (guint i = 0; i < self->columns->n_columns; i++)
    self->leaves[i] =
        lent ? lent->columns[self->found[self->order[i]]] : self->into[self->order[i]];
  return self->leaves;
}

static gboolean
see_block (ReelRanksCollector *self, gint64 n_steps, ReelTensordict **steps, GError **error)
{
  *steps = reel_step_block_see (self->block, n_steps, get_parts (self)->return_same_td, error);
  return *steps != NULL;
}

/* collect_lent: steps into a block that the buffer lends, all or none. */
static gboolean
collect_lent (ReelRanksCollector *self, ReelCollectorTask task, gint64 *n_collected, GError **error)
{
  ReelReplayBuffer *buffer = get_parts (self)->buffer;
  gint64 left = task.n_steps - *n_collected;
  ReelReservation lent;

  if (!reel_replay_buffer_reserve (buffer, MIN (left, count_most_steps (self)), &lent, error))
    return FALSE;
  task.n_steps = lent.n_steps;
  task.restarts = task.restarts && *n_collected == 0;
  task.truncates = task.truncates && lent.n_steps == left;

  gboolean gathered = gather (self, &task, error);

  if (gathered)
    spread (self, lent.n_steps, point (self, &lent));
  reel_replay_buffer_commit (buffer, &lent, gathered ? task.n_steps : 0);
  return gathered;
}

/* collect_block: steps into the block of the collector. */
static gboolean
collect_block (ReelRanksCollector *self, const ReelCollectorTask *task, ReelTensordict **steps,
               GError **error)
{
  if (!reel_step_block_renew (self->block, error) || !gather (self, task, error))
    return FALSE;
  spread (self, task->n_steps, point (self, NULL));
  return see_block (self, task->n_steps, steps, error);
}

static gboolean
collect_sync (ReelRanksCollector *self, const ReelCollectorTask *task, gint64 *n_collected,
              ReelTensordict **steps, GError **error)
{
  while (*n_collected < task->n_steps
         && !reel_collector_ends_batch (REEL_COLLECTOR (self), *n_collected))
    {
      if (!(self->found ? collect_lent (self, *task, n_collected, error)
                        : collect_block (self, task, steps, error)))
        return FALSE;
      count_batches (self);
      list_all_episodes (self);
      *n_collected += self->own->batch.n_steps;
      self->n_steps += self->own->batch.n_steps;
    }
  return TRUE;
}

/* ---- async ---- */

/* ask_next: the steps that are still to be asked for, or none. */
static void
ask_next (ReelRanksCollector *self, ReelRankPeer *peer, Try *try)
{
  const ReelCollectorParts *parts = get_parts (self);
  ReelCollectorTask task = {
    .n_steps = count_most_steps (self),
    .restarts = parts->reset_at_each_iter,
    .truncates = parts->set_truncated,
  };

  if (parts->total_frames >= 0)
    task.n_steps = MIN (task.n_steps,
                        (parts->total_frames + self->n_lanes - 1) / self->n_lanes - self->n_asked);
  if (task.n_steps == 0 || !peer->there)
    return;
  ask (self, peer, &task, try);
  self->n_asked += peer->asked;
}

/* find_first: the rank whose batch is there first, or NULL where none is asked for one. */
static ReelRankPeer *
find_first (ReelRanksCollector *self)
{
  g_autofree gint *ranks = g_new (gint, self->n_peers);
  guint n = 0;

  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].asked > 0)
      ranks[n++] = self->peers[i].rank;
  return n > 0 ? &self->peers[ranks[reel_rank_wait_for_any (ranks, n)] - 1] : NULL;
}

/* store: a batch of one rank, in the blocks of the buffer or in that of the collector. */
static gboolean
store (ReelRanksCollector *self, const ReelRankBatch *batch, ReelTensordict **steps, GError **error)
{
  ReelReplayBuffer *buffer = get_parts (self)->buffer;
  gint64 n = self->n_lanes;

  if (self->found == NULL)
    {
      if (!reel_step_block_renew (self->block, error))
        return FALSE;
      reel_rank_batch_spread (batch, self->own, 0, batch->n_steps, n, point (self, NULL), 0, n);
      return see_block (self, batch->n_steps, steps, error);
    }
  for (gint64 done = 0; done < batch->n_steps;)
    {
      ReelReservation lent;

      if (!reel_replay_buffer_reserve (buffer, batch->n_steps - done, &lent, error))
        return FALSE;
      reel_rank_batch_spread (batch, self->own, done, lent.n_steps, n, point (self, &lent), 0, n);
      done += lent.n_steps;
      reel_replay_buffer_commit (buffer, &lent, lent.n_steps);
    }
  return TRUE;
}

/* go_on: without the ranks that ended, if that is wanted. Others do
 * their steps. */
static gboolean
go_on (ReelRanksCollector *self, Try *try, GError **error)
{
  if (self->on_rank_error != DROP || try->hard || count_workers (self) == 0)
    {
      g_propagate_error (error, g_steal_pointer (&try->failure));
      return FALSE;
    }
  reel_ranks_warn (g_strdup_printf ("%s; the others continue", try->failure->message));
  g_clear_error (&try->failure);
  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].asked == 0)
      ask_next (self, &self->peers[i], try);
  return try->failure == NULL || go_on (self, try, error);
}

static gboolean
collect_async (ReelRanksCollector *self, gint64 *n_collected, ReelTensordict **steps,
               GError **error)
{
  for (;;)
    {
      Try try = { 0 };
      GError *failure = NULL;
      ReelRankPeer *peer = find_first (self);
      gint64 asked = peer ? peer->asked : 0;

      if (peer == NULL)
        return TRUE;
      if (reel_rank_peer_receive (peer, self->own, &failure))
        {
          ask_next (self, peer, &try);
          peer->stats = peer->batch.stats;
          *n_collected = peer->batch.n_steps;
          self->n_steps += *n_collected;
          list_episodes_of (self, &peer->batch);
          number_episodes (self, 0);
          return (try.failure == NULL || go_on (self, &try, error))
                 && store (self, &peer->batch, steps, error);
        }
      self->n_asked -= asked;
      note_failure (&try, peer, failure);
      if (!go_on (self, &try, error))
        return FALSE;
    }
}

/* ---- the class ---- */

/* begin: what no batch before has asked for. */
static gboolean
begin (ReelRanksCollector *self, GError **error)
{
  Try try = { 0 };

  if (self->begun || self->mode == SYNC)
    return TRUE;
  self->begun = TRUE;
  for (guint i = 0; i < self->n_peers; i++)
    ask_next (self, &self->peers[i], &try);
  return try.failure == NULL || go_on (self, &try, error);
}

static gboolean
collect (ReelCollector *collector, const ReelCollectorTask *task, gint64 *n_collected,
         ReelTensordict **steps, GError **error)
{
  ReelRanksCollector *self = REEL_RANKS_COLLECTOR (collector);

  g_array_set_size (self->episodes, 0);
  if (self->failure == NULL && begin (self, &self->failure))
    {
      if (self->mode == SYNC)
        collect_sync (self, task, n_collected, steps, &self->failure);
      else
        collect_async (self, n_collected, steps, &self->failure);
    }
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
  add_all_stats (self, stats);
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
      object_class, "mode", G_STRUCT_OFFSET (ReelRanksCollector, mode), modes, SYNC,
      "sync: the ranks share the lanes, and a batch has them all; async: "
      "each rank but 0 has all lanes, and its batch is stored when it comes",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      object_class, "on-rank-error", G_STRUCT_OFFSET (ReelRanksCollector, on_rank_error), ends,
      FAIL, "the answer to the end of a rank: fail, or drop to continue without it",
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
