/* The time of batches. */
#pragma once

#include "../src/reel.h"

/**
 * sample_time:
 * @batch_size: rows of a batch
 * @batch: (inout): the batch of the last call, which is filled again
 * @n: batches
 *
 * Returns: seconds that @n batches take
 */
double sample_time (ReelReplayBuffer *buffer, gint64 batch_size, ReelTensordict **batch, gint64 n);
