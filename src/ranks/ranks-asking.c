/* Asks ranks for steps, each with the weights and the states that it lacks. */
#include "ranks-collector-private.h"

void
reel_ranks_try_note (ReelRanksTry *try, ReelRankPeer *peer, GError *failure)
{
  gboolean ended = reel_ranks_has_lost (peer->rank);

  peer->there = peer->there && !ended;
  try->hard = try->hard || !ended;
  if (try->failure == NULL)
    try->failure = failure;
  else
    g_error_free (failure);
}

guint8 *
reel_ranks_collector_slice_state (const ReelRanksCollector *self, const ReelRankTask *task,
                                  gsize *n_bytes)
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

gboolean
reel_ranks_collector_sees_others (ReelRanksCollector *self, gint64 version,
                                  ReelPolicyWeights *weights)
{
  return reel_policy_see_weights (reel_ranks_collector_get_parts (self)->policy, weights)
         && weights->version != version;
}

static gboolean
give_weights (ReelRanksCollector *self, ReelRankPeer *peer, GError **error)
{
  ReelPolicyWeights weights;

  if (!reel_ranks_collector_sees_others (self, peer->version, &weights))
    return TRUE;
  peer->version = weights.version;
  return reel_rank_give_weights (peer->rank, &weights, error);
}

void
reel_ranks_collector_ask (ReelRanksCollector *self, ReelRankPeer *peer,
                          const ReelCollectorTask *task, ReelRanksTry *try)
{
  gsize bytes = 0;
  g_autofree guint8 *state =
      self->is_moved ? reel_ranks_collector_slice_state (self, &peer->task, &bytes) : NULL;
  GError *failure = NULL;

  if (give_weights (self, peer, &failure)
      && reel_rank_step (peer->rank, task, self->n_steps, state, bytes, &failure))
    {
      peer->asked = task->n_steps;
      return;
    }
  reel_rank_peer_name (peer, &failure);
  reel_ranks_try_note (try, peer, failure);
}
