/* The episodes of each lane: id, return so far, and sums over those that are finished. */
#include "lane-episodes.h"

#include <math.h>
#include <string.h>

/* Threads write to different pages, where they have that many lanes. */
#define PAGE 4096

static gsize
whole_pages (gsize bytes)
{
  return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void
allocate (ReelLaneEpisodes *self)
{
  gsize n = (gsize) self->n_lanes;

  self->ids = g_aligned_alloc (n, sizeof *self->ids, PAGE);
  self->returns = g_aligned_alloc0 (n, sizeof *self->returns, PAGE);
  self->records = g_aligned_alloc (n, sizeof *self->records, PAGE);
}

static gboolean
allocate_shared (ReelLaneEpisodes *self, GError **error)
{
  gsize n = (gsize) self->n_lanes;
  gsize ids = whole_pages (n * sizeof *self->ids);
  gsize returns = whole_pages (n * sizeof *self->returns);
  gsize bytes = ids + returns + whole_pages (n * sizeof *self->records);

  if (!reel_mapping_new_shared (bytes, &self->shared))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "cannot share %" G_GSIZE_FORMAT " bytes of episodes with worker processes",
                   bytes);
      return FALSE;
    }
  self->ids = (gint64 *) (gpointer) self->shared.data;
  self->returns = (double *) (gpointer) (self->shared.data + ids);
  self->records = (ReelLaneRecord *) (gpointer) (self->shared.data + ids + returns);
  return TRUE;
}

gboolean
reel_lane_episodes_init (ReelLaneEpisodes *self, gint64 n_lanes, const ReelLaneNumbers *numbers,
                         gboolean is_shared, GError **error)
{
  self->n_lanes = n_lanes;
  self->stride = numbers->all > 0 ? numbers->all : n_lanes;
  if (!is_shared)
    allocate (self);
  else if (!allocate_shared (self, error))
    return FALSE;
  for (gint64 lane = 0; lane < n_lanes; lane++)
    {
      self->ids[lane] = numbers->first + lane;
      self->records[lane] = (ReelLaneRecord){ 0, 0, INFINITY, -INFINITY };
    }
  return TRUE;
}

void
reel_lane_episodes_resume (ReelLaneEpisodes *self, const ReelResumedLanes *resumed)
{
  for (gint64 lane = 0; lane < self->n_lanes; lane++)
    {
      const ReelResumedLane *from = &resumed->lanes[lane];
      self->ids[lane] = from->done ? from->id + self->stride : from->id;
      self->returns[lane] = from->done ? 0 : from->total;
      self->records[lane].begun = from->done ? resumed->n_steps : from->begun;
      self->episodes_before += self->ids[lane] / self->stride;
      self->steps_before += self->records[lane].begun;
    }
}

static const guint8 *
take (gpointer to, const guint8 *from)
{
  memcpy (to, from, 8);
  return from + 8;
}

static guint8 *
put (guint8 *to, gconstpointer from)
{
  memcpy (to, from, 8);
  return to + 8;
}

void
reel_lane_episodes_get_state (const ReelLaneEpisodes *self, gint64 begin, gint64 end, guint8 *state)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      state = put (state, &self->ids[lane]);
      state = put (state, &self->returns[lane]);
      state = put (state, &self->records[lane].begun);
    }
}

void
reel_lane_episodes_set_state (ReelLaneEpisodes *self, gint64 begin, gint64 end, const guint8 *state)
{
  if (begin == 0)
    self->episodes_before = self->steps_before = 0;
  for (gint64 lane = begin; lane < end; lane++)
    {
      self->records[lane] = (ReelLaneRecord){ 0, 0, INFINITY, -INFINITY };
      state = take (&self->ids[lane], state);
      state = take (&self->returns[lane], state);
      state = take (&self->records[lane].begun, state);
      self->episodes_before += self->ids[lane] / self->stride;
      self->steps_before += self->records[lane].begun;
    }
}

void
reel_lane_episodes_clear (ReelLaneEpisodes *self)
{
  if (self->shared.data)
    {
      reel_mapping_unmap (&self->shared);
      return;
    }
  g_clear_pointer (&self->ids, g_aligned_free);
  g_clear_pointer (&self->returns, g_aligned_free);
  g_clear_pointer (&self->records, g_aligned_free);
}

static void
finish_lane (ReelLaneEpisodes *self, gint64 lane, gint64 n_steps)
{
  ReelLaneRecord *record = &self->records[lane];
  double total = self->returns[lane];

  record->begun = n_steps;
  record->return_sum += total;
  record->return_min = MIN (record->return_min, total);
  record->return_max = MAX (record->return_max, total);
  self->returns[lane] = 0;
  self->ids[lane] += self->stride;
}

void
reel_lane_episodes_finish (ReelLaneEpisodes *self, const gint64 *lanes, gsize n, gint64 n_steps)
{
  for (gsize i = 0; i < n; i++)
    finish_lane (self, lanes[i], n_steps);
}

void
reel_lane_episodes_skip (ReelLaneEpisodes *self, gint64 lane)
{
  self->ids[lane] += self->stride;
}

void
reel_lane_episodes_tally_lanes (const ReelLaneEpisodes *self, gint64 begin, gint64 end,
                                ReelCollectorStats *stats)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      const ReelLaneRecord *record = &self->records[lane];
      /* An id is lane + stride × number, so it counts the finished ones. The step at which the
       * present one began is the sum of their lengths. */
      stats->episodes += self->ids[lane] / self->stride;
      stats->length_sum += record->begun;
      stats->return_sum += record->return_sum;
      stats->return_min = MIN (stats->return_min, record->return_min);
      stats->return_max = MAX (stats->return_max, record->return_max);
    }
}

void
reel_lane_episodes_tally (const ReelLaneEpisodes *self, ReelCollectorStats *stats)
{
  stats->episodes -= self->episodes_before;
  stats->length_sum -= self->steps_before;
  reel_lane_episodes_tally_lanes (self, 0, self->n_lanes, stats);
}

gint64
reel_lane_episodes_limit_steps (const ReelLaneEpisodes *self, gint64 total, gint64 n_steps)
{
  ReelCollectorStats stats = { 0 };

  if (total == 0)
    return n_steps;
  reel_lane_episodes_tally (self, &stats);

  gint64 left = total - self->episodes_before - stats.episodes;

  return left > 0 ? MIN (n_steps, (left - 1) / self->n_lanes + 1) : 0;
}
