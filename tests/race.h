/* One thread that writes, and some that sample meanwhile. */
#pragma once

#include "../src/reel.h"

#include <stdatomic.h>

#define RACE_READERS 2

typedef struct _Race Race;

/**
 * Race:
 * @buffer: what is written to and sampled
 * @batch_size: rows that are asked for
 * @samplers: texts of a sampler for each reader; %NULL for `random`
 * @write: writes a little; returns whether there is more to write
 * @sample: the next batch; %NULL for reel_replay_buffer_sample_with()
 * @count_torn: how many rows of a batch are not what they should be; %NULL for those of its first
 *   dimension that are not whole (counted-rows.h)
 * @look: reads in another way, after each batch; %NULL for nothing
 * @lanes: for @write
 * @n_steps: for @write: those to be written
 * @n_written: for @write: how many are
 * @least: rows that readers are to see before the writer ends
 * @data: for @write and @count_torn
 * @n_read: rows that were seen
 * @n_torn: those that were torn
 * @n_starved: batches that a reader gave up to wait for, and asked for again
 */
struct _Race
{
  ReelReplayBuffer *buffer;
  gint64 batch_size;
  const char *samplers[RACE_READERS];
  gboolean (*write) (Race *race);
  gboolean (*sample) (Race *race, ReelSampler *sampler, ReelTensordict **batch, GError **error);
  gint64 (*count_torn) (Race *race, const ReelTensordict *batch);
  void (*look) (Race *race);
  gint64 lanes;
  gint64 n_steps;
  gint64 n_written;
  gint64 least;
  gpointer data;
  atomic_llong n_read;
  atomic_llong n_torn;
  atomic_llong n_starved;
};

/**
 * race_run:
 * @n_readers: threads that sample, at most %RACE_READERS
 *
 * Runs until all is written. Each reader sees one batch more when the writer is done, so that some
 * rows are seen on the slowest of machines. Fails where a row is torn.
 */
void race_run (Race *race, gint n_readers);

/**
 * race_count:
 *
 * Counts the first @n rows of @rows as seen, and those that are not whole as torn.
 */
void race_count (Race *race, const ReelTensordict *rows, gint64 n);

/**
 * race_extend:
 *
 * A @write: extends the buffer by 1 to 9 counted steps of its lanes, up to `n_steps`.
 */
gboolean race_extend (Race *race);

/**
 * race_commit:
 *
 * A @write: the same by a block that the buffer lends.
 */
gboolean race_commit (Race *race);
