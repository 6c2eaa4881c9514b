/* Replay buffers in files: dumps, live directories, opening. */
#pragma once

#include "checkpointer.h"
#include "../replay-buffer.h"

G_BEGIN_DECLS

/*
 * Ways to keep a buffer on disk:
 *
 * reel_replay_buffer_create_live() makes the buffer of a run: any process can follow it while it is
 * written, and a kill loses no committed step. reel_collector_new_live() adds env and policy.
 * reel_replay_buffer_make_live() does the same for a buffer with a sampler or a writer of your own.
 * reel_replay_buffer_dumps() writes a buffer once, with the states of all its parts; use it for
 * checkpoints of a buffer in memory, and wherever the sampler's state matters.
 * A `memmap` storage with a `scratch-dir` is memory on a disk: rows that do not fit into RAM.
 * TorchRL and other processes cannot open the directory until reel_replay_buffer_dumps() was
 * called.
 */

/**
 * ReelCheckpointFlags:
 * @REEL_CHECKPOINT_DEFAULT: refuse a path at which something stands
 * @REEL_CHECKPOINT_FORCE: replace the checkpoint that stands there; it stands until the new one
 *   does. A directory that is neither empty nor a checkpoint is refused all the same, and so is one
 *   that is still being written, or has files that neither Reel nor TorchRL wrote
 *
 * Permitted changes to a path that exists.
 */
typedef enum
{
  REEL_CHECKPOINT_DEFAULT = 0,
  REEL_CHECKPOINT_FORCE = 1 << 0,
} ReelCheckpointFlags;

/**
 * ReelOpenFlags:
 * @REEL_OPEN_DEFAULT: bring the files of a run whose writer was killed up to its last committed
 *   step
 * @REEL_OPEN_READ_ONLY: change nothing on disk
 *
 * Permitted changes to a directory that is opened.
 */
typedef enum
{
  REEL_OPEN_DEFAULT = 0,
  REEL_OPEN_READ_ONLY = 1 << 0,
} ReelOpenFlags;

/**
 * ReelRingInfo:
 * @begin: number of the oldest step that can be read, counted from the first ever written
 * @end: one past the newest
 * @capacity: steps that the ring holds
 * @torn_first: slot of the first step that a killed writer left half written
 * @torn_n: steps from there, modulo @capacity; 0 when none is torn, and where the torn ones end at
 *   the last slot: then they lie past the length that TorchRL reads, which begins at slot 0
 * @live: whether the steps are announced in a `reel.ring` file
 * @written: whether a writer holds that file now, this process or another
 * @incomplete: whether committed rows may be missing: the directory was copied before it was
 *   closed, or its machine stopped
 * @clean: whether the directory was closed, and holds checksums of what it held then
 *
 * Where a buffer stands.
 */
typedef struct
{
  gint64 begin;
  gint64 end;
  gint64 capacity;
  gint64 torn_first;
  gint64 torn_n;
  gboolean live;
  gboolean written;
  gboolean incomplete;
  gboolean clean;
} ReelRingInfo;

/**
 * reel_replay_buffer_set_checkpointer:
 * @self: a buffer
 * @checkpointer: (nullable): how reel_replay_buffer_dumps() writes rows from now on, and which
 *   hooks run when they are saved and loaded; %NULL for the one that a buffer has by itself,
 *   `tensor`
 *
 * A live directory, and a dump to where the storage has its files, hold rows with the layout that
 * they have in memory whatever is set here. The writer's thread.
 */
REEL_API
void reel_replay_buffer_set_checkpointer (ReelReplayBuffer *self, ReelCheckpointer *checkpointer);

/**
 * reel_replay_buffer_get_checkpointer:
 * @self: a buffer
 *
 * The writer's thread.
 *
 * Returns: (transfer none): how its rows are written, for hooks to be added
 */
REEL_API
ReelCheckpointer *reel_replay_buffer_get_checkpointer (ReelReplayBuffer *self);

/**
 * reel_checkpoint_check_target:
 * @path: a path for a checkpoint
 * @flags: whether it may replace another one
 * @error: RUNTIME where something else is at @path, a checkpoint that may not be replaced, or a run
 *   that is still being written; IO
 *
 * For a program that asks before long work; reel_replay_buffer_dumps() asks again. Any thread.
 *
 * Returns: whether a checkpoint may be put there
 */
REEL_API
gboolean reel_checkpoint_check_target (const char *path, ReelCheckpointFlags flags, GError **error);

/**
 * reel_replay_buffer_dumps:
 * @self: a buffer
 * @path: the directory to make; its parent must exist. Where the storage's own files are `storage`
 *   below it, only what describes them is written anew; but not where @self was opened for reading,
 *   or closed: then it is replaced as any other
 * @flags: whether it may replace a checkpoint
 * @error: RUNTIME "Cannot save a non-initialized storage." before the first write, when something
 *   stands at @path, or when the storage's own files do and the checkpointer or a hook would write
 *   others; what checkpointer and hooks say; NO_SPACE, IO
 *
 * Writes a checkpoint as TorchRL's `rb.dumps (path)` does: written beside @path, made durable, then
 * renamed once, so that @path is at every moment what stood there or the whole checkpoint. The
 * state of the sampler is written too: nobody may draw with it meanwhile. Parts that the buffer's
 * checkpointer does not keep are listed by reel_replay_buffer_dup_warnings(). The writer's thread.
 * Format: docs/file-format.md.
 *
 * Returns: whether it stands; after a failure what stood at @path still does
 */
REEL_API
gboolean reel_replay_buffer_dumps (ReelReplayBuffer *self, const char *path,
                                   ReelCheckpointFlags flags, GError **error);

/**
 * ReelOrderedDump:
 * @capacity: in: rows that it shall have room for, rounded up to whole steps; 0 for as many as the
 *   buffer has, but one step more than there are rows, for TorchRL does not know where a full ring
 *   begins. Out: what it has room for
 * @ndim: in: storage dimensions, 1 to 3; 0 for those of the buffer. Out: what it has
 * @length: out: rows that were written
 * @n_dropped: out: the oldest rows, for which there was no room
 * @n_cut: out: rows that were marked as truncated, see reel_replay_buffer_dumps_in_order()
 *
 * How a checkpoint differs from the buffer that it is made of.
 */
typedef struct
{
  gint64 capacity;
  gint ndim;
  gint64 length;
  gint64 n_dropped;
  gint64 n_cut;
} ReelOrderedDump;

/**
 * reel_replay_buffer_dumps_in_order:
 * @self: a buffer, opened or not
 * @path: the directory to make; its parent must exist
 * @dump: (inout): what shall differ; then what does
 * @flags: whether it may replace a checkpoint
 * @error: RUNTIME before the first write, or when something stands at @path; VALUE for a capacity
 *   without room for a step; INDEX where another process overwrote rows meanwhile; NO_SPACE, IO
 *
 * Writes a checkpoint as reel_replay_buffer_dumps() does, with the oldest row in slot 0: what
 * follows the last slot of a wrapped ring is the first, which TorchRL forgets when it loads one.
 * The newest rows are kept where @dump has no room for all. From several lanes to `ndim` 1 the
 * lanes follow each other, each in order of time; the last row of a lane whose trajectory goes on
 * is marked in `next/truncated` and `next/done`, as TorchRL's collectors mark what they cut.
 * Between `ndim` 2 and 3 lanes are numbered through. Rows, info and default batch size are taken
 * over, and written by the buffer's checkpointer; priorities and other state of the sampler are
 * not. The writer's thread.
 *
 * Returns: whether it stands; after a failure what stood at @path still does
 */
REEL_API
gboolean reel_replay_buffer_dumps_in_order (ReelReplayBuffer *self, const char *path,
                                            ReelOrderedDump *dump, ReelCheckpointFlags flags,
                                            GError **error);

/**
 * reel_replay_buffer_copy_in_order:
 * @self: a buffer whose storage has columns
 * @dump: (inout): what shall differ; then what does
 * @error: as for reel_replay_buffer_dumps_in_order(); TYPE for a storage without columns
 *
 * The buffer that reel_replay_buffer_dumps_in_order() would write, in a `memmap` storage without a
 * directory. The writer's thread.
 *
 * Returns: (transfer full): the copy
 */
REEL_API
ReelReplayBuffer *reel_replay_buffer_copy_in_order (ReelReplayBuffer *self, ReelOrderedDump *dump,
                                                    GError **error);

/**
 * reel_replay_buffer_check_dumps:
 * @self: a buffer whose storage holds memory
 * @path: the directory that reel_replay_buffer_dumps() is to make later
 * @flags: as for it
 * @error: what it would say now of the path, the permission to write there, and the space
 *
 * Asks beforehand, so that a long run is not lost at its end. The writer's thread.
 *
 * Returns: whether a dump would stand now; nothing is left behind either way
 */
REEL_API
gboolean reel_replay_buffer_check_dumps (ReelReplayBuffer *self, const char *path,
                                         ReelCheckpointFlags flags, GError **error);

/**
 * reel_replay_buffer_loads:
 * @self: a buffer that nobody reads meanwhile
 * @path: a checkpoint that TorchRL or Reel wrote, or the directory of a run
 * @error: VALUE when capacity, lanes, keys, shapes or dtypes do not fit the storage; DAMAGED with
 *   file, found and expected; NOT_IMPLEMENTED naming a kind of checkpoint that cannot be read;
 *   RUNTIME where it would write on files that another process writes, or where files that are no
 *   live run's were changed each time that they were read; NO_SPACE, IO
 *
 * Takes over rows, cursor, write count and default batch size, as TorchRL's `rb.loads (path)` does,
 * whichever checkpointer wrote them; load hooks of the buffer's own run, and a checkpointer of the
 * same kind tells the keys.
 * A storage that holds no memory yet takes the layout of the files, but keeps its capacity; where
 * that is another than theirs and holds the rows, they come in order of time, the oldest to slot 0;
 * one that does must have their keys or some of them. The sampler goes on where the files say, or
 * begins anew where they hold no state of its kind. A `memmap` storage without memory whose files
 * are `storage` below @path maps them, to write on; where @path was live, @self is live from then
 * on, as after reel_replay_buffer_make_live(), and who follows the directory follows @self: so one
 * process hands over to the next. Files that were closed are compared with their checksums, rows
 * beyond the first 16 MB while @self is written: a difference is DAMAGED here, at a later write, or
 * when it is closed. State of samplers and writers that the buffer has no part for,
 * batches drawn ahead that are none of these rows, and keys that are no tensors (strings, objects),
 * are left out and named by
 * reel_replay_buffer_dup_warnings(); such keys in files that it would map to write on are
 * NOT_IMPLEMENTED. The writer's thread.
 *
 * Returns: whether it was loaded; after a failure the buffer is as before, all its parts included,
 *   unless the error says that a file changed in its place while rows were copied: then it holds
 *   none
 */
REEL_API
gboolean reel_replay_buffer_loads (ReelReplayBuffer *self, const char *path, GError **error);

/**
 * reel_replay_buffer_open:
 * @path: a checkpoint that TorchRL or Reel wrote, or the directory of a run
 * @flags: what may be done to it
 * @error: DAMAGED with file, found and expected; NOT_IMPLEMENTED naming a kind of checkpoint that
 *   cannot be read; IO
 *
 * Maps a directory for reading, without a copy unless a checkpointer laid the rows out otherwise;
 * no hooks run; dimensions, capacity and classes are inferred where it does not say them. The
 * sampler is the one that it names, and goes on where that one was. Anything unreadable besides its
 * tensors is left out and named by reel_replay_buffer_dup_warnings(). The buffer of a run that is
 * still written follows its writer. Nothing can be written to the buffer: load the directory into
 * one of your own to go on with it.
 *
 * Returns: (transfer full): the buffer
 */
REEL_API
ReelReplayBuffer *reel_replay_buffer_open (const char *path, ReelOpenFlags flags, GError **error);

/**
 * reel_replay_buffer_make_live:
 * @self: a buffer with a `memmap` storage that holds no memory yet and no directory of its own
 * @path: the directory to make; its parent must exist
 * @step: one step of all lanes, as for reel_storage_allocate(). Names of its dimensions name the
 *   lanes; the first dimension of the storage is named `time`
 * @flags: whether it may replace a checkpoint
 * @error: RUNTIME when the storage is of another kind or holds memory already, or something stands
 *   at @path; NO_SPACE before anything stands at @path; IO
 *
 * Keeps the buffer in a directory that TorchRL's `rb.loads (path)` opens at any moment, and any
 * process can follow. It is complete before it stands at @path, its space reserved. From then on
 * the committed steps are announced in `reel.ring`; the JSON files are brought up to date after the
 * first commit and then at most once a second, after the leaves were synced. A killed writer leaves
 * every committed step readable, a power loss those of the last update that were not overwritten
 * since. A failed sync of rows ends the run: every later write fails with it. The writer's thread.
 *
 * Returns: whether the buffer is live; after a failure it is as before, and so is @path
 */
REEL_API
gboolean reel_replay_buffer_make_live (ReelReplayBuffer *self, const char *path,
                                       ReelTensordict *step, ReelCheckpointFlags flags,
                                       GError **error);

/**
 * reel_replay_buffer_create_live:
 * @path: as reel_replay_buffer_make_live()
 * @capacity: rows, rounded up to whole steps
 * @step: as reel_replay_buffer_make_live(); its batch dimensions are the lanes
 * @flags: as reel_replay_buffer_make_live()
 * @error: as reel_replay_buffer_make_live()
 *
 * A buffer over a `memmap` storage with a `random` sampler and a `round-robin` writer, made live.
 *
 * Returns: (transfer full): the buffer
 */
REEL_API
ReelReplayBuffer *reel_replay_buffer_create_live (const char *path, gint64 capacity,
                                                  ReelTensordict *step, ReelCheckpointFlags flags,
                                                  GError **error);

/**
 * reel_replay_buffer_close:
 * @self: a buffer
 * @error: the first failure to make something durable since the buffer was made live; NO_SPACE, IO;
 *   DAMAGED where rows of before differ from their checksums: the directory is not closed then
 *
 * Ends a live directory: syncs it, writes checksums of what it holds, says that it was closed, and
 * lets the lock go. The buffer can be read on, and not written. For other buffers it does nothing.
 * A live buffer that is dropped is closed as well, but nobody learns of a failure. The writer's
 * thread.
 *
 * Returns: whether all is on disk
 */
REEL_API
gboolean reel_replay_buffer_close (ReelReplayBuffer *self, GError **error);

/**
 * ReelBatchFunc:
 * @source: a buffer, an ensemble, or what else gives batches
 * @batch_size: rows wanted; 0 for its default
 * @batch: (inout): as for reel_replay_buffer_sample(); %NULL afterwards where there are no more
 * @error: why there is none
 *
 * Returns: whether @batch was set, or there are no more
 */
typedef gboolean (*ReelBatchFunc) (gpointer source, gint64 batch_size, ReelTensordict **batch,
                                   GError **error);

/**
 * reel_batches_save:
 * @draw: (scope call): what draws a batch
 * @source: whom it draws from
 * @batch_size: rows of a batch
 * @n: (inout): how many batches; then how many there were
 * @path: as in reel_replay_buffer_save_batches()
 * @n_rows: (out) (optional): rows of all of them
 * @error: as in reel_replay_buffer_save_batches()
 *
 * reel_replay_buffer_save_batches() for anything that gives batches. Where @draw says that there
 * are no more, those before stand at @path; without a single one nothing does.
 *
 * Returns: whether they stand there, durably
 */
REEL_API
gboolean reel_batches_save (ReelBatchFunc draw, gpointer source, gint64 batch_size, gint64 *n,
                            const char *path, gint64 *n_rows, GError **error);

/**
 * reel_replay_buffer_save_batches:
 * @self: a buffer
 * @batch_size: rows of a batch; 0 for the buffer's default
 * @n: how many batches
 * @path: the directory to make; its parent must exist, and nothing may be there
 * @n_rows: (out) (optional): rows of all of them
 * @error: as reel_replay_buffer_sample(), with the number of the batch; RUNTIME when something is
 *   at @path; as reel_tensordict_save()
 *
 * Draws batches, and keeps them in @path`/0`, @path`/1` and so on, as `TensorDict.memmap()` writes
 * them: reel_tensordict_load() and `TensorDict.load_memmap()` map each. Made beside @path, then
 * synced and renamed once, so that @path has all batches or is not there. The thread that samples.
 *
 * Returns: whether they stand there, durably; after a failure nothing does
 */
REEL_API
gboolean reel_replay_buffer_save_batches (ReelReplayBuffer *self, gint64 batch_size, gint64 n,
                                          const char *path, gint64 *n_rows, GError **error);

/**
 * reel_replay_buffer_set_info:
 * @self: a buffer
 * @key: a name, such as `env`
 * @json: (nullable): any JSON value as text; %NULL removes the entry
 * @error: VALUE when @json is no JSON
 *
 * Keeps something about the buffer in its sidecar, `reel.json`: the env and its properties, the
 * policy, seeds. Written with the next checkpoint, or the next update of a live directory. The
 * writer's thread.
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_replay_buffer_set_info (ReelReplayBuffer *self, const char *key, const char *json,
                                      GError **error);

/**
 * reel_replay_buffer_dup_info:
 * @self: a buffer
 * @key: a name
 *
 * Returns: (transfer full) (nullable): what was kept under @key, as JSON text; %NULL for nothing
 */
REEL_API
char *reel_replay_buffer_dup_info (ReelReplayBuffer *self, const char *key);

/**
 * reel_replay_buffer_list_info:
 * @self: a buffer
 *
 * Returns: (transfer full) (array zero-terminated=1): the names under which something is kept, in
 *   the order in which they were set; free with g_strfreev()
 */
REEL_API
char **reel_replay_buffer_list_info (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_dup_warnings:
 * @self: a buffer
 *
 * Omissions of opening, loading and writing, a sentence each: state of a sampler
 * that the buffer has no part for, keys that are no tensors, counts beyond what TorchRL can load,
 * files of a machine that lost its power.
 *
 * Returns: (transfer full) (array zero-terminated=1): the sentences; free with g_strfreev()
 */
REEL_API
char **reel_replay_buffer_dup_warnings (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_get_ring:
 * @self: a buffer
 * @info: (out caller-allocates): where it stands now; all zeros before the first write
 * @error: IO
 *
 * Any thread.
 *
 * Returns: whether @info was set
 */
REEL_API
gboolean reel_replay_buffer_get_ring (ReelReplayBuffer *self, ReelRingInfo *info, GError **error);

/**
 * reel_checkpoint_read_form:
 * @path: as for reel_replay_buffer_open()
 * @error: as for reel_replay_buffer_open()
 *
 * How the rows lie in the files.
 *
 * Returns: (transfer full): the text of the checkpointer that wrote them, such as `tensor` or
 *   `flat:reward-keys=[cost]`; `compressed-list` for rows without columns
 */
REEL_API
char *reel_checkpoint_read_form (const char *path, GError **error);

G_END_DECLS
