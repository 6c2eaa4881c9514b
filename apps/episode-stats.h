/* The episodes that a buffer holds. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

typedef struct
{
  double min;
  double mean;
  double max;
} Spread;

/* `whole` episodes lie in the buffer from their first step to their last; the spreads are theirs.
   `parts` are cut: by the ring's beginning, or not ended yet. */
typedef struct
{
  gint64 whole;
  gint64 parts;
  Spread length;
  Spread reward_sum;
} EpisodeStats;

/* Of the episodes that the library's index of trajectories finds. FALSE where no column tells where
   they end. */
gboolean episode_stats_init (EpisodeStats *stats, ReelStorage *storage);

G_END_DECLS
