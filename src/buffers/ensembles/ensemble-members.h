/* Operations on a member of an ensemble, a buffer or another ensemble. Private. */
#pragma once

#include "replay-buffer-ensemble.h"

G_BEGIN_DECLS

/**
 * reel_ensemble_member_sample:
 * @member: a buffer or an ensemble
 * @n: rows
 * @batch: (inout): as in reel_replay_buffer_sample_with()
 * @error: as there
 *
 * Returns: whether @batch was set
 */
gboolean reel_ensemble_member_sample (GObject *member, gint64 n, ReelTensordict **batch,
                                      GError **error);

/**
 * reel_ensemble_member_count_sampleable:
 * @member: a buffer or an ensemble
 * @n: rows of a batch of it
 * @count: (out): as reel_sampler_count_sampleable(); of an ensemble, the sum over its members
 * @error: as there; VALUE where @n is no multiple of the parts of an ensemble
 *
 * Returns: whether @count was set
 */
gboolean reel_ensemble_member_count_sampleable (GObject *member, gint64 n, gint64 *count,
                                                GError **error);

/**
 * reel_ensemble_member_index:
 * @member: a buffer or an ensemble
 * @index: what of each of its buffers
 * @error: as reel_replay_buffer_index()
 *
 * Returns: (transfer full): what it gives
 */
ReelTensordict *reel_ensemble_member_index (GObject *member, const ReelIndex *index,
                                            GError **error);

/**
 * reel_ensemble_member_get_stats:
 * @member: a buffer or an ensemble
 * @stats: (out): what it is now
 */
void reel_ensemble_member_get_stats (GObject *member, ReelReplayBufferStats *stats);

/**
 * reel_ensemble_list_members:
 * @path: a checkpoint of an ensemble
 * @error: DAMAGED, IO
 *
 * Returns: (transfer full) (array zero-terminated=1): the checkpoints of those members that have
 *   rows; free with g_strfreev()
 */
char **reel_ensemble_list_members (const char *path, GError **error);

G_END_DECLS
