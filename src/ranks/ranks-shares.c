/* The shares of the ranks: lanes are dealt out to those that are there. */
#include "ranks-collector-private.h"

/* Rows between two commits of a buffer at most. */
#define BLOCK_ROWS 32768

guint
reel_ranks_collector_count_workers (const ReelRanksCollector *self)
{
  guint n = self->mode == REEL_RANKS_SYNC;

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

  if (self->mode == REEL_RANKS_ASYNC)
    {
      task.begin = i * self->n_lanes;
      task.n = self->n_lanes;
      return task;
    }
  reel_ranks_cut (self->n_lanes, (gint) i, (gint) n, &task.begin, &end);
  task.n = end - task.begin;
  return task;
}

gint64
reel_ranks_collector_count_most_steps (ReelRanksCollector *self)
{
  const ReelCollectorParts *parts = reel_ranks_collector_get_parts (self);
  gint64 rows = parts->frames_per_batch;

  if (parts->total_frames >= 0)
    rows = MIN (rows, MAX (parts->total_frames, 1));
  gint64 steps = (rows + self->n_lanes - 1) / self->n_lanes;
  return self->found ? MIN (steps, MAX (BLOCK_ROWS / self->n_lanes, 1)) : steps;
}

void
reel_ranks_collector_end_all (ReelRanksCollector *self)
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
  reel_ranks_collector_end_all (self);
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

gboolean
reel_ranks_collector_begin_all (ReelRanksCollector *self, GError **error)
{
  const ReelCollectorParts *parts = reel_ranks_collector_get_parts (self);
  g_autofree char *env = reel_object_to_text (REEL_OBJECT (parts->env));
  g_autofree char *policy = reel_object_to_text (REEL_OBJECT (parts->policy));
  g_autofree gboolean *asked = g_new0 (gboolean, MAX (self->n_peers, 1));
  guint n = reel_ranks_collector_count_workers (self), next = self->mode == REEL_RANKS_SYNC;
  g_autofree char *properties = g_strdup_printf (
      ",exploration-type=%s,track-traj-ids=%s,track-policy-version=%s",
      reel_collector_explorations[parts->exploration], parts->track_traj_ids ? "true" : "false",
      parts->track_policy_version ? "true" : "false");
  ReelRankTask all = {
    .env = env,
    .policy = policy,
    .properties = properties,
    .n_all = self->mode == REEL_RANKS_SYNC ? self->n_lanes : self->n_lanes * self->n_peers,
    .most_steps = reel_ranks_collector_count_most_steps (self),
    .threads = parts->threads,
    .list_episodes = parts->list_episodes,
    .keep_state = self->on_rank_error == REEL_RANKS_DROP && self->mode == REEL_RANKS_SYNC,
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
