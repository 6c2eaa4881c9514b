/* Samplers, buffers and batches, made of texts or not at all, and what is in batches. */
#pragma once

#include "../src/reel.h"

/**
 * make_sampler:
 *
 * Returns: (transfer full): what @text says
 */
ReelSampler *make_sampler (const char *text);

/**
 * make_buffer:
 * @sampler: (nullable): text, or the default
 * @writer: (nullable): as well
 *
 * Returns: (transfer full): an empty buffer
 */
ReelReplayBuffer *make_buffer (const char *storage, const char *sampler, const char *writer,
                               gint64 batch_size);

/**
 * make_batch:
 * @sampler: (nullable): other than the buffer's own
 *
 * Returns: (transfer full): up to @n rows
 */
ReelTensordict *make_batch (ReelReplayBuffer *buffer, ReelSampler *sampler, gint64 n);

/**
 * assert_batch_refused:
 * @message: a pattern
 */
void assert_batch_refused (ReelReplayBuffer *buffer, ReelSampler *sampler, gint64 n, ReelError code,
                           const char *message);

/**
 * batch_rows:
 *
 * Returns: how many there are
 */
gint64 batch_rows (const ReelTensordict *batch);

/**
 * batch_bools:
 *
 * Returns: a leaf of bool
 */
const guint8 *batch_bools (const ReelTensordict *batch, const char *path);

/**
 * batch_int64s:
 *
 * Returns: a leaf of int64
 */
const gint64 *batch_int64s (const ReelTensordict *batch, const char *path);
