/* Collects the batches of ranks as they come. */
#include "ranks-collector-private.h"

/* ask_next: the steps that are still to be asked for, or none. */
static void
ask_next (ReelRanksCollector *self, ReelRankPeer *peer, ReelRanksTry *try)
{
  const ReelCollectorParts *parts = reel_ranks_collector_get_parts (self);
  ReelCollectorTask task = {
    .n_steps = reel_ranks_collector_count_most_steps (self),
    .restarts = parts->reset_at_each_iter,
    .truncates = parts->set_truncated,
  };

  if (parts->total_frames >= 0)
    task.n_steps = MIN (task.n_steps,
                        (parts->total_frames + self->n_lanes - 1) / self->n_lanes - self->n_asked);
  if (task.n_steps == 0 || !peer->there)
    return;
  reel_ranks_collector_ask (self, peer, &task, try);
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
  ReelReplayBuffer *buffer = reel_ranks_collector_get_parts (self)->buffer;
  gint64 n = self->n_lanes;

  if (self->found == NULL)
    {
      if (!reel_step_block_renew (self->block, error))
        return FALSE;
      reel_rank_batch_spread (batch, self->own, 0, batch->n_steps, n,
                              reel_ranks_collector_point (self, NULL), 0, n);
      return reel_ranks_collector_see_block (self, batch->n_steps, steps, error);
    }
  for (gint64 done = 0; done < batch->n_steps;)
    {
      ReelReservation lent;

      if (!reel_replay_buffer_reserve (buffer, batch->n_steps - done, &lent, error))
        return FALSE;
      reel_rank_batch_spread (batch, self->own, done, lent.n_steps, n,
                              reel_ranks_collector_point (self, &lent), 0, n);
      done += lent.n_steps;
      reel_replay_buffer_commit (buffer, &lent, lent.n_steps);
    }
  return TRUE;
}

/* go_on: without the ranks that ended, if that is wanted. Others do their steps. */
static gboolean
go_on (ReelRanksCollector *self, ReelRanksTry *try, GError **error)
{
  if (self->on_rank_error != REEL_RANKS_DROP || try->hard
      || reel_ranks_collector_count_workers (self) == 0)
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

gboolean
reel_ranks_collector_collect_async (ReelRanksCollector *self, gint64 *n_collected,
                                    ReelTensordict **steps, GError **error)
{
  for (;;)
    {
      ReelRanksTry try = { 0 };
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
          reel_ranks_collector_list_episodes_of (self, &peer->batch);
          reel_ranks_collector_number_episodes (self, 0);
          return (try.failure == NULL || go_on (self, &try, error))
                 && store (self, &peer->batch, steps, error);
        }
      self->n_asked -= asked;
      reel_ranks_try_note (&try, peer, failure);
      if (!go_on (self, &try, error))
        return FALSE;
    }
}

gboolean
reel_ranks_collector_begin_async (ReelRanksCollector *self, GError **error)
{
  ReelRanksTry try = { 0 };

  if (self->begun)
    return TRUE;
  self->begun = TRUE;
  for (guint i = 0; i < self->n_peers; i++)
    ask_next (self, &self->peers[i], &try);
  return try.failure == NULL || go_on (self, &try, error);
}
