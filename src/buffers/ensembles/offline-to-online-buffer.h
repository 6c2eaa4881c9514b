/* A buffer that mixes offline rows into its batches. */
#pragma once

#include "../replay-buffer.h"

G_BEGIN_DECLS

/**
 * ReelOfflineToOnlineBuffer:
 *
 * Batches of which a part is of data that were there before, and the rest of what an agent meets
 * now: TorchRL's `OfflineToOnlineReplayBuffer`. Each of the two buffers keeps its own storage,
 * sampler, writer and transforms; only the online one is written.
 *
 * Id `offline-to-online`, property `offline-fraction` (0.5), 0 to 1, which may be set between two
 * batches, by a #ReelScheduler too. One thread samples at a time, while another writes.
 */
#define REEL_TYPE_OFFLINE_TO_ONLINE_BUFFER (reel_offline_to_online_buffer_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelOfflineToOnlineBuffer, reel_offline_to_online_buffer, REEL,
                      OFFLINE_TO_ONLINE_BUFFER, ReelObject)

/**
 * reel_offline_to_online_buffer_new:
 * @offline: (transfer none): what was there before
 * @online: (transfer none): what is written
 * @offline_fraction: the part of a batch that is of @offline, above 0 and below 1
 * @batch_size: rows of a batch when reel_offline_to_online_buffer_sample() is not told; 0 for no
 *   default
 * @error: VALUE for another fraction
 *
 * Returns: (transfer full): both together
 */
REEL_API
ReelOfflineToOnlineBuffer *reel_offline_to_online_buffer_new (ReelReplayBuffer *offline,
                                                              ReelReplayBuffer *online,
                                                              double offline_fraction,
                                                              gint64 batch_size, GError **error);

/**
 * reel_offline_to_online_buffer_get_offline:
 * @self: both together
 *
 * Returns: (transfer none): what was there before
 */
REEL_API
ReelReplayBuffer *reel_offline_to_online_buffer_get_offline (ReelOfflineToOnlineBuffer *self);

/**
 * reel_offline_to_online_buffer_get_online:
 * @self: both together
 *
 * Returns: (transfer none): what is written: extend it, add to it
 */
REEL_API
ReelReplayBuffer *reel_offline_to_online_buffer_get_online (ReelOfflineToOnlineBuffer *self);

/**
 * reel_offline_to_online_buffer_get_length:
 * @self: both together
 *
 * Returns: rows that can be sampled now, of both
 */
REEL_API
gint64 reel_offline_to_online_buffer_get_length (ReelOfflineToOnlineBuffer *self);

/**
 * reel_offline_to_online_buffer_count_offline:
 * @self: both together
 * @n: rows of a batch
 *
 * Returns: how many of them would be offline now: the fraction of @n, rounded as Python's `round`
 *   does, halves to even; all where the online buffer is empty
 */
REEL_API
gint64 reel_offline_to_online_buffer_count_offline (ReelOfflineToOnlineBuffer *self, gint64 n);

/**
 * reel_offline_to_online_buffer_anneal:
 * @self: both together
 * @step: a step of the training, from 0
 * @total_steps: the step from which on nothing is offline, at least 1
 *
 * Sets the fraction to what it was at first, times 1 − @step / @total_steps.
 */
REEL_API
void reel_offline_to_online_buffer_anneal (ReelOfflineToOnlineBuffer *self, gint64 step,
                                           gint64 total_steps);

/**
 * reel_offline_to_online_buffer_sample:
 * @self: both together
 * @batch_size: rows wanted; 0 for the default
 * @batch: (inout): %NULL, or the batch that the last call gave, which is filled again, without any
 *   allocation where the parts are as long as before and the buffers have no transforms. `[batch
 *   size]`: first the offline rows, as reel_offline_to_online_buffer_count_offline() says, then the
 *   others, each drawn by the sampler of its buffer; of one buffer alone what that gives
 * @error: RUNTIME "batch_size not specified. …"; what reel_replay_buffer_sample_with() says; KEY,
 *   RUNTIME where the buffers differ in keys or shapes
 *
 * Returns: whether @batch was set
 */
REEL_API
gboolean reel_offline_to_online_buffer_sample (ReelOfflineToOnlineBuffer *self, gint64 batch_size,
                                               ReelTensordict **batch, GError **error);

G_END_DECLS
