/* Buffers whose sampler remembers something, saved, loaded and drawn from. */
#pragma once

#include "../src/core/formats/json.h"
#include "../src/reel.h"

/**
 * sampler_state_new_buffer:
 * @storage: text of a storage
 * @sampler: text of a sampler
 * @batch_size: rows of a batch, 0 for no default
 *
 * Returns: (transfer full): an empty buffer
 */
ReelReplayBuffer *sampler_state_new_buffer (const char *storage, const char *sampler,
                                            gint64 batch_size);

/**
 * sampler_state_new_like:
 * @expect: what is known of a checkpoint of TorchRL's
 * @storage_kind: id of a storage
 * @sampler: text of a sampler
 *
 * Returns: (transfer full): an empty buffer of that capacity, of batches of 3 rows
 */
ReelReplayBuffer *sampler_state_new_like (const json_t *expect, const char *storage_kind,
                                          const char *sampler);

/**
 * sampler_state_get:
 *
 * Returns: (transfer full): what the sampler of @buffer remembers
 */
ReelTensordict *sampler_state_get (ReelReplayBuffer *buffer);

/**
 * SamplerStateGolden:
 * @expect: what is known of a checkpoint of TorchRL's
 * @dump: where a copy of it is
 * @before: digest of its files
 * @buffer: it, open
 */
typedef struct
{
  json_t *expect;
  char *dump;
  char *before;
  ReelReplayBuffer *buffer;
} SamplerStateGolden;

/**
 * sampler_state_open_golden:
 * @name: a checkpoint of TorchRL's
 * @golden: (out caller-allocates): a copy of it, opened without a warning and with its content.
 *   What is drawn changes none of its files: sampler_state_close_golden() holds it
 */
void sampler_state_open_golden (const char *name, SamplerStateGolden *golden);
void sampler_state_close_golden (SamplerStateGolden *golden);

/**
 * sampler_state_copy_by_files:
 *
 * Dumps @from and loads it into @to.
 */
void sampler_state_copy_by_files (ReelReplayBuffer *from, ReelReplayBuffer *to);

/**
 * sampler_state_copy_by_memory:
 *
 * Gives @to the state of @from.
 */
void sampler_state_copy_by_memory (ReelReplayBuffer *from, ReelReplayBuffer *to);

/**
 * sampler_state_draw:
 *
 * Draws a batch, which must not fail.
 */
void sampler_state_draw (ReelReplayBuffer *buffer, ReelTensordict **batch);
