/* Collects steps of all lanes from all ranks, in their order. */
#include "ranks-collector-private.h"

static gboolean
put_own_weights (ReelRanksCollector *self, GError **error)
{
  ReelPolicyWeights weights;

  if (!reel_ranks_collector_sees_others (self, self->version, &weights))
    return TRUE;
  self->version = weights.version;
  return reel_rank_lanes_put_weights (self->own, &weights, error);
}

static gboolean
collect_own (ReelRanksCollector *self, const ReelCollectorTask *task, GError **error)
{
  gsize bytes;

  if (self->is_moved)
    {
      g_autofree guint8 *state = reel_ranks_collector_slice_state (self, &self->own->task, &bytes);

      reel_lane_state_set (self->own->collector, self->n_steps, state);
    }
  return put_own_weights (self, error) && reel_rank_lanes_collect (self->own, task, error);
}

/* try_gather: a batch of each rank, in the order of ranks. All that were asked have answered, or
 * have ended, when it returns. */
static gboolean
try_gather (ReelRanksCollector *self, const ReelCollectorTask *task, ReelRanksTry *try)
{
  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].there)
      reel_ranks_collector_ask (self, &self->peers[i], task, try);
  if (!try->hard && !collect_own (self, task, try->failure ? NULL : &try->failure))
    try->hard = TRUE;
  for (guint i = 0; i < self->n_peers; i++)
    {
      ReelRankPeer *peer = &self->peers[i];
      GError *failure = NULL;

      if (peer->asked > 0 && !reel_rank_peer_receive (peer, self->own, &failure))
        reel_ranks_try_note (try, peer, failure);
    }
  return try->failure == NULL;
}

/* move_lanes: the ranks that are there take over the lanes of one that ended, where all lanes were
 * after the last batch. */
static gboolean
move_lanes (ReelRanksCollector *self, GError **error)
{
  reel_ranks_collector_add_all_stats (self, &self->moved);
  self->own_stats = reel_ranks_no_stats;
  for (guint i = 0; i < self->n_peers; i++)
    self->peers[i].stats = reel_ranks_no_stats;
  reel_ranks_collector_end_all (self);
  self->is_moved = self->state != NULL;
  return reel_ranks_collector_begin_all (self, error);
}

/* gather: a batch of all lanes, by those ranks that are there in the end. */
static gboolean
gather (ReelRanksCollector *self, const ReelCollectorTask *task, GError **error)
{
  for (;;)
    {
      ReelRanksTry try = { 0 };

      if (try_gather (self, task, &try))
        break;
      if (self->on_rank_error != REEL_RANKS_DROP || try.hard)
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

static void
list_all_episodes (ReelRanksCollector *self)
{
  guint from = self->episodes->len;

  reel_ranks_collector_list_episodes_of (self, &self->own->batch);
  for (guint i = 0; i < self->n_peers; i++)
    if (self->peers[i].there)
      reel_ranks_collector_list_episodes_of (self, &self->peers[i].batch);
  reel_ranks_collector_number_episodes (self, from);
}

/* collect_lent: steps into a block that the buffer lends, all or none. */
static gboolean
collect_lent (ReelRanksCollector *self, ReelCollectorTask task, gint64 *n_collected, GError **error)
{
  ReelReplayBuffer *buffer = reel_ranks_collector_get_parts (self)->buffer;
  gint64 left = task.n_steps - *n_collected;
  ReelReservation lent;

  if (!reel_replay_buffer_reserve (buffer, MIN (left, reel_ranks_collector_count_most_steps (self)),
                                   &lent, error))
    return FALSE;
  task.n_steps = lent.n_steps;
  task.restarts = task.restarts && *n_collected == 0;
  task.truncates = task.truncates && lent.n_steps == left;

  gboolean gathered = gather (self, &task, error);

  if (gathered)
    spread (self, lent.n_steps, reel_ranks_collector_point (self, &lent));
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
  spread (self, task->n_steps, reel_ranks_collector_point (self, NULL));
  return reel_ranks_collector_see_block (self, task->n_steps, steps, error);
}

gboolean
reel_ranks_collector_collect_sync (ReelRanksCollector *self, const ReelCollectorTask *task,
                                   gint64 *n_collected, ReelTensordict **steps, GError **error)
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
