/* An ensemble of three buffers, whose rows tell whose they are. */
#pragma once

#include "counted-rows.h"

/* Rows of buffer b are numbered from 1000 b on. */
#define APART 1000

typedef struct
{
  ReelReplayBuffer *buffers[3];
  ReelReplayBufferEnsemble *ensemble;
} Three;

/**
 * three_new_member:
 * @b: which buffer; the seed of its sampler
 * @sampler: its sampler
 * @n: rows that it gets; it has room for 8
 *
 * Returns: (transfer full): a buffer
 */
ReelReplayBuffer *three_new_member (gint b, const char *sampler, gint64 n);

/**
 * three_new:
 *
 * Returns: three buffers of 6 rows and an ensemble of them
 */
Three three_new (const char *sampler, const ReelEnsembleOptions *options);

void three_clear (Three *three);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Three, three_clear)

/**
 * three_get:
 *
 * Returns: the int64 at a row of a part
 */
gint64 three_get (const ReelTensordict *batch, const char *key, gint64 part, gint64 row);

/**
 * three_assert_batch:
 *
 * Every row of @batch, `[n_parts, n]`, stands where its index says, in the buffer of its part.
 */
void three_assert_batch (const ReelTensordict *batch, gint64 n_parts, gint64 n);
