/* The episodes that a buffer holds. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

typedef struct
{
  double min;
  double mean;
  double max;
} Spread;

/* `whole` episodes are in the buffer from their first step to their last, in one place or in pieces
   of one trajectory id; the spreads are theirs.
   `parts` are cut: by the ring's beginning, where members or lanes follow each other, or not ended
   yet. */
typedef struct
{
  gint64 whole;
  gint64 parts;
  Spread length;
  Spread reward_sum;
} EpisodeStats;

/* Of a ReelReplayBuffer or a ReelReplayBufferEnsemble. FALSE where no column says where episodes
   end. */
gboolean episode_stats_init (EpisodeStats *stats, gpointer opened);

G_END_DECLS
