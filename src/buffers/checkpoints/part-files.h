/* Files of a storage, a sampler or a writer alone. */
#pragma once

#include "checkpoint.h"

G_BEGIN_DECLS

/*
 * Storage, sampler and writer each in a directory of its own, as TorchRL's `storage.dumps (path)`,
 * `sampler.dumps (path)` and `writer.dumps (path)` write them: the files are those of `storage`,
 * `sampler` and `writer` in a checkpoint. TorchRL's `loads (path)` of the like object reads them.
 *
 * A directory is written beside its place, made durable, and renamed once. Its parent must exist.
 * Its files contain no capacity, no ring and no random numbers: reel_replay_buffer_dumps() keeps
 * these too. Load the storage first, then the writer, then the sampler: the cursor of the writer
 * says where a full storage begins.
 */

/**
 * reel_storage_dumps:
 * @self: a storage
 * @checkpointer: (nullable): how to write rows, and its save hooks; %NULL for `tensor`
 * @path: the directory to make. Where the storage has its own files there, only
 *   `storage_metadata.json` is written
 * @flags: whether it may replace a directory that a storage, sampler or writer alone made; never
 *   one inside a checkpoint
 * @warnings: (out) (optional) (transfer full): a sentence for each thing that @checkpointer loses
 * @error: RUNTIME "Cannot save a non-initialized storage." before the first write, when something
 *   is at @path, or while steps are half written; NOT_IMPLEMENTED for a `list` or `lazy-stack`
 *   storage; what @checkpointer and hooks say; NO_SPACE, IO
 *
 * TorchRL's `storage.dumps (path)`. The writer's thread.
 *
 * Returns: whether it is in place; after a failure @path is as before
 */
REEL_API
gboolean reel_storage_dumps (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path,
                             ReelCheckpointFlags flags, char ***warnings, GError **error);

/**
 * reel_storage_loads:
 * @self: a storage that nobody reads meanwhile, not of a live buffer or of one that was opened
 * @checkpointer: (nullable): whose load hooks run; one of the same kind names the keys
 * @path: what TorchRL's or Reel's `dumps` of a storage wrote; `storage` of a checkpoint too
 * @warnings: (out) (optional) (transfer full): a sentence for each thing that was left out
 * @error: VALUE when capacity, lanes, keys, shapes or dtypes do not fit; DAMAGED with file, found
 *   and expected; NOT_IMPLEMENTED for files that cannot be read; RUNTIME for a storage that may not
 *   be written, and for files that changed each time that they were read; NO_SPACE, IO
 *
 * TorchRL's `storage.loads (path)`: the rows from slot 0 on, as many as the files count. Writing
 * goes on behind them, and of a full storage at slot 0 until reel_writer_loads() says otherwise. A
 * storage without memory takes the layout of the files, and keeps its capacity. A `memmap` storage
 * without memory whose directory is @path maps the files. The writer's thread.
 *
 * Returns: whether @self contains the rows; after a failure it is as before, unless the error says
 *   that a file changed while rows were copied: then it is empty
 */
REEL_API
gboolean reel_storage_loads (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path,
                             char ***warnings, GError **error);

/**
 * reel_sampler_dumps:
 * @self: a sampler
 * @storage: the storage that it draws from
 * @path: the directory to make
 * @flags: as for reel_storage_dumps()
 * @error: RUNTIME when something is at @path, or where the sampler has nothing to save before the
 *   first write; what the sampler says; NO_SPACE, IO
 *
 * TorchRL's `sampler.dumps (path)`. A sampler without a state writes nothing, and @path does not
 * exist afterwards. The thread that samples.
 *
 * Returns: whether it is in place; after a failure @path is as before
 */
REEL_API
gboolean reel_sampler_dumps (ReelSampler *self, ReelStorage *storage, const char *path,
                             ReelCheckpointFlags flags, GError **error);

/**
 * reel_sampler_loads:
 * @self: a sampler
 * @storage: the storage that it is going to draw from, with the rows of which the state was saved
 * @path: what TorchRL's or Reel's `dumps` of a sampler wrote
 * @error: VALUE where @path contains the state of another sampler, or values that cannot be; IO
 *   where it is missing; DAMAGED with file, found and expected; RUNTIME for files that changed each
 *   time that they were read
 *
 * TorchRL's `sampler.loads (path)`. Random numbers go on as they would without it. A sampler
 * without a state reads nothing, whether or not @path exists. The thread that samples.
 *
 * Returns: whether it goes on from there; else it is as before
 */
REEL_API
gboolean reel_sampler_loads (ReelSampler *self, ReelStorage *storage, const char *path,
                             GError **error);

/**
 * reel_writer_dumps:
 * @self: a writer
 * @storage: the storage that it writes to
 * @path: the directory to make
 * @flags: as for reel_storage_dumps()
 * @error: RUNTIME when something is at @path; what the writer says; NO_SPACE, IO
 *
 * TorchRL's `writer.dumps (path)`. A write count beyond 2³¹ − 1, which TorchRL cannot load, is
 * saved as that number. An `immutable` writer writes nothing, and @path does not exist afterwards.
 * The writer's thread.
 *
 * Returns: whether it is in place; after a failure @path is as before
 */
REEL_API
gboolean reel_writer_dumps (ReelWriter *self, ReelStorage *storage, const char *path,
                            ReelCheckpointFlags flags, GError **error);

/**
 * reel_writer_loads:
 * @self: a writer
 * @storage: the storage that it writes to, with the rows of which the state was saved
 * @path: what TorchRL's or Reel's `dumps` of a writer wrote
 * @error: VALUE where the cursor is not behind the rows of @storage, or the ranks are not those of
 *   its rows; RUNTIME where the cursor of a live buffer, or of one that was opened, would change;
 *   DAMAGED with file, found and expected; IO
 *
 * TorchRL's `writer.loads (path)`. A full @storage begins at the cursor afterwards: its rows stay
 * in their slots and have other numbers, so samplers forget what they know of them. An `immutable`
 * writer reads nothing. The writer's thread, while nobody samples.
 *
 * Returns: whether it goes on from there; else it is as before
 */
REEL_API
gboolean reel_writer_loads (ReelWriter *self, ReelStorage *storage, const char *path,
                            GError **error);

G_END_DECLS
