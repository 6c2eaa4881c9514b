/* Episodes that end on all ranks, and their sums. */
#include "ranks-collector-private.h"

void
reel_ranks_collector_list_episodes_of (ReelRanksCollector *self, const ReelRankBatch *batch)
{
  g_array_append_vals (self->episodes, batch->episodes->data, batch->episodes->len);
}

void
reel_ranks_collector_number_episodes (ReelRanksCollector *self, guint from)
{
  ReelCollectorEpisode *episodes = &g_array_index (self->episodes, ReelCollectorEpisode, 0);
  guint n = self->episodes->len - from;

  if (n == 0)
    return;
  if (self->mode == REEL_RANKS_SYNC)
    qsort (episodes + from, n, sizeof *episodes, reel_finished_episodes_compare);
  for (guint i = from; i < self->episodes->len; i++)
    episodes[i].number = self->n_episodes++;
}

void
reel_ranks_collector_add_all_stats (const ReelRanksCollector *self, ReelCollectorStats *stats)
{
  reel_collector_stats_add (stats, &self->own_stats);
  for (guint i = 0; i < self->n_peers; i++)
    reel_collector_stats_add (stats, &self->peers[i].stats);
}
