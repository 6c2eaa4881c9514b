#include "rank-peer.h"

#include <string.h>

void
reel_rank_peer_clear (ReelRankPeer *self)
{
  g_clear_pointer (&self->memory, g_free);
  g_clear_pointer (&self->batch.columns, g_free);
  g_clear_pointer (&self->batch.state, g_free);
  g_clear_pointer (&self->batch.episodes, g_array_unref);
}

void
reel_rank_peer_take (ReelRankPeer *self, const ReelRankTask *task, const ReelRankLanes *like)
{
  gsize row = 0, state = 0;

  reel_rank_peer_clear (self);
  self->task = *task;
  self->asked = 0;
  self->version = -1;
  for (guint c = 0; c < like->n_columns; c++)
    row += like->row_bytes[c];
  for (guint i = 0; i < like->widths->len; i++)
    state += g_array_index (like->widths, gsize, i);
  self->memory = g_malloc (row * (gsize) (task->most_steps * task->n));
  self->batch.columns = g_new0 (guint8 *, like->n_columns);
  self->batch.episodes = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));
  self->state_bytes = task->keep_state ? state * (gsize) task->n : 0;
  if (task->keep_state)
    self->batch.state = g_malloc (self->state_bytes);
}

void
reel_rank_peer_name (const ReelRankPeer *self, GError **error)
{
  const ReelRanks *ranks = reel_ranks_get (NULL);

  if (reel_ranks_has_lost (self->rank) && error != NULL)
    {
      g_clear_error (error);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s, with lanes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                   ", ended in the middle of the work",
                   ranks->names[self->rank], self->task.begin, self->task.begin + self->task.n - 1);
      return;
    }
  g_prefix_error (error,
                  "lanes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", %s: ", self->task.begin,
                  self->task.begin + self->task.n - 1, ranks->names[self->rank]);
}

gboolean
reel_rank_peer_receive (ReelRankPeer *self, const ReelRankLanes *like, GError **error)
{
  g_autofree ReelRankPart *parts = g_new (ReelRankPart, like->n_columns + 1);
  guint8 *at = self->memory;
  gboolean received = reel_rank_receive_counts (self->rank, &self->batch, error);

  self->asked = 0;
  for (guint c = 0; received && c < like->n_columns; c++)
    {
      gsize bytes = (gsize) (self->batch.n_steps * self->task.n) * like->row_bytes[c];

      parts[c] = (ReelRankPart){ at, bytes };
      self->batch.columns[c] = at;
      at += bytes;
    }
  parts[like->n_columns] = (ReelRankPart){ self->batch.state, self->state_bytes };
  if (received && reel_rank_receive_parts (self->rank, parts, like->n_columns + 1, error))
    return TRUE;
  reel_rank_peer_name (self, error);
  return FALSE;
}

void
reel_rank_peer_end (ReelRankPeer *self, const ReelRankLanes *like)
{
  ReelRankMessage message = { .kind = REEL_RANK_END };

  if (self->asked > 0)
    reel_rank_peer_receive (self, like, NULL);
  if (!reel_ranks_has_lost (self->rank))
    reel_rank_send (self->rank, &message, NULL, 0, NULL);
}

void
reel_rank_batch_spread (const ReelRankBatch *self, const ReelRankLanes *like, gint64 from,
                        gint64 n_steps, gint64 n, guint8 *const *into, gint64 first, gint64 n_lanes)
{
  for (guint c = 0; c < like->n_columns; c++)
    {
      gsize row = like->row_bytes[c], bytes = (gsize) n * row, stride = (gsize) n_lanes * row;
      const guint8 *source = self->columns[c] + (gsize) from * bytes;
      guint8 *to = into[c] + (gsize) first * row;

      if (n == n_lanes)
        memcpy (to, source, bytes * (gsize) n_steps);
      else
        for (gint64 step = 0; step < n_steps; step++, source += bytes, to += stride)
          memcpy (to, source, bytes);
    }
}

void
reel_collector_stats_add (ReelCollectorStats *self, const ReelCollectorStats *other)
{
  self->episodes += other->episodes;
  self->length_sum += other->length_sum;
  self->return_sum += other->return_sum;
  if (other->episodes == 0)
    return;
  self->return_min = MIN (self->return_min, other->return_min);
  self->return_max = MAX (self->return_max, other->return_max);
}
