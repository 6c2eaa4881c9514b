/* How many steps the episode of each lane has taken. Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Lanes of a word: those that are counted together where they are stepped together. */
#define REEL_LANE_WORD 64

/* A clock that is due at this time has to be looked at. */
#define REEL_LANE_DUE_UNKNOWN G_MININT64

/**
 * ReelLaneClock:
 * @now: steps that the lanes of a word have taken all at once
 * @due: no lane of the word reaches the limit of an episode before @now is this
 */
typedef struct
{
  gint64 now;
  gint64 due;
} ReelLaneClock;

/**
 * ReelLaneClocks:
 * @begun: by lane: @now less the steps of its episode
 * @words: by 64 lanes
 *
 * A step of whole words counts their clocks, and leaves the lanes alone; a step of some lanes of a
 * word has these begin earlier. Threads may be at different lanes of a word.
 */
typedef struct
{
  gint64 *begun;
  ReelLaneClock *words;
} ReelLaneClocks;

/**
 * reel_lane_clocks_bytes:
 * @n_lanes: number of lanes
 *
 * Returns: bytes that their clocks take
 */
static inline gsize
reel_lane_clocks_bytes (gint64 n_lanes)
{
  gsize n_words = ((gsize) n_lanes + REEL_LANE_WORD - 1) / REEL_LANE_WORD;

  return n_words * sizeof (ReelLaneClock) + (gsize) n_lanes * sizeof (gint64);
}

/**
 * reel_lane_clocks_at:
 * @memory: reel_lane_clocks_bytes() of zeros
 * @n_lanes: number of lanes
 *
 * Returns: their clocks, there
 */
static inline ReelLaneClocks
reel_lane_clocks_at (gpointer memory, gint64 n_lanes)
{
  gint64 *begun = memory;

  return (ReelLaneClocks){ begun, (ReelLaneClock *) (gpointer) (begun + n_lanes) };
}

/**
 * reel_lane_clocks_get:
 * @self: clocks
 * @lane: a lane
 *
 * Returns: steps of its episode
 */
static inline gint64
reel_lane_clocks_get (const ReelLaneClocks *self, gint64 lane)
{
  guint64 now = (guint64) self->words[lane / REEL_LANE_WORD].now;

  return (gint64) (now - (guint64) self->begun[lane]);
}

/* Other threads may say the same of other lanes. */
static inline void
reel_lane_clock_doubt (ReelLaneClock *word)
{
  if (__atomic_load_n (&word->due, __ATOMIC_RELAXED) != REEL_LANE_DUE_UNKNOWN)
    __atomic_store_n (&word->due, REEL_LANE_DUE_UNKNOWN, __ATOMIC_RELAXED);
}

/**
 * reel_lane_clocks_set:
 * @self: clocks
 * @lane: a lane
 * @elapsed: what reel_lane_clocks_get() gives from now on, any number
 */
static inline void
reel_lane_clocks_set (const ReelLaneClocks *self, gint64 lane, gint64 elapsed)
{
  ReelLaneClock *word = &self->words[lane / REEL_LANE_WORD];

  self->begun[lane] = (gint64) ((guint64) word->now - (guint64) elapsed);
  reel_lane_clock_doubt (word);
}

/**
 * reel_lane_clocks_restart:
 * @self: clocks
 * @lane: a lane, whose episode begins: nothing of its word is due any earlier for that
 */
static inline void
reel_lane_clocks_restart (const ReelLaneClocks *self, gint64 lane)
{
  self->begun[lane] = self->words[lane / REEL_LANE_WORD].now;
}

/**
 * reel_lane_clocks_count:
 * @self: clocks
 * @lane: a lane that takes a step, without the others of its word
 *
 * Returns: steps of its episode, with this one
 */
static inline gint64
reel_lane_clocks_count (const ReelLaneClocks *self, gint64 lane)
{
  self->begun[lane] = (gint64) ((guint64) self->begun[lane] - 1);
  reel_lane_clock_doubt (&self->words[lane / REEL_LANE_WORD]);
  return reel_lane_clocks_get (self, lane);
}

G_END_DECLS
