/* Ensembles of replay buffers in files. */
#pragma once

#include "../checkpoints/checkpoint.h"
#include "replay-buffer-ensemble.h"

G_BEGIN_DECLS

/**
 * reel_checkpoint_is_ensemble:
 * @path: a directory
 *
 * Returns: whether it is a checkpoint of an ensemble, for reel_replay_buffer_ensemble_open(); one
 *   of its members, `DIR/storage/0`, can be an ensemble too. %FALSE for what cannot be read
 */
REEL_API
gboolean reel_checkpoint_is_ensemble (const char *path);

/**
 * reel_replay_buffer_ensemble_dumps:
 * @self: an ensemble
 * @path: the directory to make; its parent must exist
 * @flags: whether it may replace a checkpoint
 * @error: RUNTIME when something stands at @path; NO_SPACE, IO
 *
 * Writes all members as TorchRL's `ReplayBufferEnsemble.dumps (path)` does, in one directory: made
 * beside @path, made durable, then renamed once. Members without rows are named as such. TorchRL
 * keeps no weights: they, `sample_from_all`, `num_buffer_sampled`, the seed and how far the choice
 * of members is stand in our sidecar. Batches that the ensemble itself drew ahead are not kept,
 * which is a warning. While nobody writes to the members or samples. Format: docs/file-format.md.
 *
 * Returns: whether it stands; after a failure what stood at @path still does
 */
REEL_API
gboolean reel_replay_buffer_ensemble_dumps (ReelReplayBufferEnsemble *self, const char *path,
                                            ReelCheckpointFlags flags, GError **error);

/**
 * reel_replay_buffer_ensemble_loads:
 * @self: an ensemble that nobody reads meanwhile
 * @path: a checkpoint of an ensemble of as many members, nested alike
 * @error: VALUE where there are more or fewer members; as reel_replay_buffer_loads()
 *
 * Loads every member, as TorchRL's `ReplayBufferEnsemble.loads (path)` does; those that had no rows
 * are emptied. All files are read and checked before the first row changes. How the ensemble is
 * sampled stays, but for the default batch size; its choice of members goes on where it was, and
 * batches drawn ahead are dropped. The thread that writes to the members.
 *
 * Returns: whether all were loaded; after a failure every member is as before, as for
 *   reel_replay_buffer_loads()
 */
REEL_API
gboolean reel_replay_buffer_ensemble_loads (ReelReplayBufferEnsemble *self, const char *path,
                                            GError **error);

/**
 * reel_replay_buffer_ensemble_open:
 * @path: a checkpoint of an ensemble
 * @flags: what may be done to it
 * @error: as reel_replay_buffer_open()
 *
 * Maps every member for reading, as reel_replay_buffer_open() does; a member alone is opened by
 * that with `DIR/storage/0`. One without rows has the capacity 1. It is sampled as our sidecar
 * says; all alike where there is none.
 *
 * Returns: (transfer full): the ensemble
 */
REEL_API
ReelReplayBufferEnsemble *reel_replay_buffer_ensemble_open (const char *path, ReelOpenFlags flags,
                                                            GError **error);

/**
 * reel_replay_buffer_ensemble_dup_warnings:
 * @self: an ensemble
 *
 * Returns: (transfer full) (array zero-terminated=1): what dumping it could not do, and as
 *   reel_replay_buffer_dup_warnings() of every member; free with g_strfreev()
 */
REEL_API
char **reel_replay_buffer_ensemble_dup_warnings (ReelReplayBufferEnsemble *self);

G_END_DECLS
