#include "lane-episodes.h"

#include <math.h>
#include <string.h>

void
reel_lane_episodes_init (ReelLaneEpisodes *self, gint64 n_lanes)
{
  self->n_lanes = n_lanes;
  self->ids = g_new (gint64, n_lanes);
  self->returns = g_new0 (double, n_lanes);
  self->records = g_new (ReelLaneRecord, n_lanes);
  for (gint64 lane = 0; lane < n_lanes; lane++)
    {
      self->ids[lane] = lane;
      self->records[lane] = (ReelLaneRecord){ 0, 0, INFINITY, -INFINITY };
    }
}

void
reel_lane_episodes_clear (ReelLaneEpisodes *self)
{
  g_clear_pointer (&self->ids, g_free);
  g_clear_pointer (&self->returns, g_free);
  g_clear_pointer (&self->records, g_free);
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
  self->ids[lane] += self->n_lanes;
}

void
reel_lane_episodes_finish (ReelLaneEpisodes *self, const guint8 *done, gint64 n_steps, gint64 begin,
                           gint64 end)
{
  gint64 lane = begin;

  /* Few lanes are done at a time: eight flags, each 0 or 1, are looked at as one word. */
  for (; lane + 8 <= end; lane += 8)
    {
      guint64 word;
      memcpy (&word, done + lane, sizeof word);
      for (; word; word &= word - 1)
        finish_lane (self, lane + __builtin_ctzll (word) / 8, n_steps);
    }
  for (; lane < end; lane++)
    if (done[lane])
      finish_lane (self, lane, n_steps);
}

void
reel_lane_episodes_tally (const ReelLaneEpisodes *self, ReelCollectorStats *stats)
{
  for (gint64 lane = 0; lane < self->n_lanes; lane++)
    {
      const ReelLaneRecord *record = &self->records[lane];
      stats->episodes += self->ids[lane] / self->n_lanes;
      stats->length_sum += record->begun;
      stats->return_sum += record->return_sum;
      stats->return_min = MIN (stats->return_min, record->return_min);
      stats->return_max = MAX (stats->return_max, record->return_max);
    }
}
