/* The state of a replay buffer's files. Private to the library. */
#pragma once

#include "../../core/system/drafts.h"
#include "checkpoint-files.h"
#include "checkpoint-fingerprint.h"
#include "checkpoint.h"
#include "resumed-rows.h"
#include "run-state.h"
#include "buffer-stream-state.h"
#include "../samplers/sampler-private.h"
#include "../storages/storage-load.h"

G_BEGIN_DECLS

/**
 * ReelBufferFiles:
 * @storage: the buffer's storage
 * @sampler: its sampler
 * @writer: its writer
 * @checkpointer: (nullable): how dumps are written, %NULL for as they lie in memory
 * @info: JSON object of what others keep
 * @warnings: (element-type utf8): what was left out
 * @path: (nullable): the directory that the buffer was made live or opened in
 * @live: whether this buffer writes @path
 * @unwritten: whether it goes on with @path, and has changed nothing there yet
 * @announced: whether @path has a `reel.ring`
 * @sealed: (nullable): a dump that the storage has its files in, until its first write
 * @followed: whether another process wrote @path when it was opened
 * @incomplete: whether rows that were committed may be missing in @path
 * @clean: whether @path was closed
 * @held: (nullable): the directory that a live buffer writes
 * @leaves: (element-type utf8) (nullable): the leaf files of a live buffer, by their names in @held
 * @boot_id: (nullable): which start of which machine writes
 * @ring: (nullable): the file that it writes its ring to, see reel_ring_dup_file()
 * @run_state: (nullable): the state of the lanes that it is written by
 * @resumed: (nullable): its rows of before, of a live directory that was closed
 * @next_update: when the JSON files are due, on the monotonic clock in µs
 * @synced: one past the newest step that is known to survive a power loss
 * @failure: (nullable): the failed sync of rows, after which nothing more is written
 *
 * One a buffer, made when it is first asked for; it can outlive the buffer's own fields. The
 * writer's thread.
 */
typedef struct
{
  ReelStorage *storage;
  ReelSampler *sampler;
  ReelWriter *writer;
  ReelCheckpointer *checkpointer;
  json_t *info;
  GPtrArray *warnings;
  char *path;
  gboolean live;
  gboolean unwritten;
  gboolean announced;
  char *sealed;
  gboolean followed;
  gboolean incomplete;
  gboolean clean;
  ReelHeldDirectory *held;
  GPtrArray *leaves;
  char *boot_id;
  char *ring;
  ReelRunState *run_state;
  ReelResumedRows *resumed;
  gint64 next_update;
  gint64 synced;
  GError *failure;
} ReelBufferFiles;

/**
 * reel_buffer_files_get:
 * @buffer: a buffer
 *
 * Returns: (transfer none): what it keeps
 */
ReelBufferFiles *reel_buffer_files_get (ReelReplayBuffer *buffer);

/**
 * reel_buffer_files_peek:
 * @buffer: a buffer
 *
 * Returns: (transfer none) (nullable): its files, where it ever had to do with any
 */
ReelBufferFiles *reel_buffer_files_peek (ReelReplayBuffer *buffer);

/**
 * reel_buffer_files_warn:
 * @self: what a buffer keeps
 * @warning: (transfer full): a sentence, kept once
 */
void reel_buffer_files_warn (ReelBufferFiles *self, char *warning);

/**
 * reel_buffer_files_take_checkpoint:
 * @self: what a buffer keeps
 * @checkpoint: what was read
 *
 * Takes over its info and warnings in the place of those there are.
 */
void reel_buffer_files_take_checkpoint (ReelBufferFiles *self, const ReelCheckpoint *checkpoint);

/**
 * reel_buffer_files_describe:
 * @self: what a buffer keeps
 * @data: the allocation that its storage has or is to have
 *
 * Returns: (transfer full): the sidecar of the buffer as it stands, not clean
 */
ReelSidecar *reel_buffer_files_describe (ReelBufferFiles *self, ReelTensordict *data);

/**
 * reel_buffer_files_write_json:
 * @self: what a buffer keeps
 * @path: the directory to write to
 * @held: (nullable): as reel_checkpoint_write_json()
 * @sidecar: what reel_buffer_files_describe() said
 * @data: (nullable): what it was said of, as ReelCheckpointFiles has it
 * @buffer: (nullable): whose default batch size to write; %NULL to leave that file alone
 * @durable: whether they must survive a power loss when this returns
 * @error: NO_SPACE, IO
 *
 * Writes the JSON files, and warns of counts that TorchRL cannot load.
 *
 * Returns: whether they were written
 */
gboolean reel_buffer_files_write_json (ReelBufferFiles *self, const char *path,
                                       const ReelHeldDirectory *held, const ReelSidecar *sidecar,
                                       const ReelTensordict *data, ReelReplayBuffer *buffer,
                                       gboolean durable, GError **error);

/**
 * reel_live_buffer_update:
 * @self: what a live buffer keeps
 * @error: NO_SPACE, IO; RUNTIME where its directory was moved or removed
 *
 * Syncs the leaves, then brings the JSON files up to the ring. Nothing more can be written where
 * the directory is not in its place.
 *
 * Returns: whether all that is committed now survives a power loss
 */
gboolean reel_live_buffer_update (ReelBufferFiles *self, GError **error);

/**
 * reel_live_buffer_close:
 * @self: what a live buffer keeps
 * @error: as reel_replay_buffer_close()
 *
 * Returns: whether all is on disk; the buffer is not live any more in any case
 */
gboolean reel_live_buffer_close (ReelBufferFiles *self, GError **error);

/**
 * reel_live_buffer_release:
 * @self: what a live buffer keeps
 *
 * Ends its writing without a change of the files: the lock is free.
 */
void reel_live_buffer_release (ReelBufferFiles *self);

/**
 * reel_live_buffer_recover:
 * @checkpoint: a directory whose JSON files are behind its ring, and whose writer is gone
 * @files: of the buffer that it was opened as
 *
 * Brings the JSON files up to the ring and removes what the writer left half made. Where that
 * cannot be, @files gets a warning.
 *
 * Returns: whether the directory is as it was read, but for that; else it must be read again
 */
gboolean reel_live_buffer_recover (ReelCheckpoint *checkpoint, ReelBufferFiles *files);

/**
 * reel_live_buffer_resume:
 * @self: what a buffer keeps whose storage has just taken over the leaves of @checkpoint
 * @checkpoint: a directory that was live; its ring, locked for writing, is taken
 * @held: (transfer full): the directory
 * @leaves: (transfer full): its leaves, by their names in @held
 * @resumed: (transfer full) (nullable): its rows, whose comparison begins
 *
 * Continues where the last writer stopped. The files stay as they are until the first write, which
 * fails where they cannot say that the directory is being written again.
 */
void reel_live_buffer_resume (ReelBufferFiles *self, ReelCheckpoint *checkpoint,
                              ReelHeldDirectory *held, GPtrArray *leaves, ReelResumedRows *resumed);

/**
 * reel_live_buffer_hold:
 * @path: a directory with a ring
 * @ring: that ring
 * @leaves: (out) (transfer full) (element-type utf8): its leaves, by their names in it
 * @error: RUNTIME where @ring is of another directory that had the path; IO
 *
 * Returns: (transfer full): the directory of @ring
 */
ReelHeldDirectory *reel_live_buffer_hold (const char *path, const ReelRing *ring,
                                          GPtrArray **leaves, GError **error);

/**
 * reel_checkpoint_check_storage:
 * @storage: a storage
 * @error: RUNTIME before the first write; NOT_IMPLEMENTED for one that no files can hold
 *
 * Returns: whether a checkpoint of it can be written
 */
gboolean reel_checkpoint_check_storage (ReelStorage *storage, GError **error);

/**
 * reel_checkpoint_is_home:
 * @storage: a storage
 * @path: a checkpoint
 *
 * Returns: whether the files of @storage are `storage` below @path
 */
gboolean reel_checkpoint_is_home (ReelStorage *storage, const char *path);

/**
 * reel_checkpoint_has_files_in:
 * @storage: a storage
 * @directory: a directory
 *
 * Returns: whether the files of @storage are in @directory
 */
gboolean reel_checkpoint_has_files_in (ReelStorage *storage, const char *directory);

/**
 * reel_checkpoint_save_rows:
 * @storage: an allocated storage of columns
 * @checkpointer: how to write
 * @directory: the directory of the rows, which exists
 * @sums: (nullable): where checksums of files are entered, by path
 * @warnings: a sentence for each thing that is lost is added
 * @error: what hooks and @checkpointer say
 *
 * Writes the rows, but not `storage_metadata.json`. Nothing is synced.
 *
 * Returns: (transfer full): what the hooks made of the rows
 */
ReelTensordict *reel_checkpoint_save_rows (ReelStorage *storage, ReelCheckpointer *checkpointer,
                                           const char *directory, ReelFileSums *sums,
                                           GPtrArray *warnings, GError **error);

/**
 * reel_checkpoint_fill:
 * @self: a buffer whose storage holds memory
 * @path: where its parts are to lie, as reel_checkpoint_part() has it; the directories that they
 *   lie in are there
 * @error: NO_SPACE, IO
 *
 * Writes all files of a checkpoint. Nothing is synced.
 *
 * Returns: whether they are there
 */
gboolean reel_checkpoint_fill (ReelReplayBuffer *self, const char *path, GError **error);

/**
 * reel_checkpoint_seal:
 * @self: a buffer whose storage has its files below @path, and is not written any more
 * @path: a checkpoint that lacks all but its rows
 * @error: NO_SPACE, IO
 *
 * Completes the checkpoint, durably, with checksums of all of its files.
 *
 * Returns: whether it is complete
 */
gboolean reel_checkpoint_seal (ReelReplayBuffer *self, const char *path, GError **error);

/**
 * ReelLoading:
 * @buffer: whose rows they become
 * @checkpoint: what was read
 * @attach: whether the files become the storage's own
 * @move: the rows
 * @sampler: what the sampler goes on from
 * @ahead: (nullable): batches that were drawn ahead
 * @stream: these batches, made
 * @held: (nullable): a live directory that is written on
 * @leaves: (element-type utf8) (nullable): its files
 * @resumed: (nullable): its rows, where they have checksums
 *
 * A checkpoint on its way into a buffer, as reel_replay_buffer_loads() describes. All zeros before.
 */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelCheckpoint *checkpoint;
  gboolean attach;
  ReelRowMove move;
  ReelSamplerState sampler;
  ReelTensordict *ahead;
  ReelStreamState stream;
  ReelHeldDirectory *held;
  GPtrArray *leaves;
  ReelResumedRows *resumed;
} ReelLoading;

/**
 * reel_loading_check:
 * @self: (out caller-allocates): what is to be loaded
 * @buffer: where to
 * @path: where from
 * @error: as reel_replay_buffer_loads()
 *
 * First: reads and checks everything; changes nothing.
 *
 * Returns: whether @path fits @buffer
 */
gboolean reel_loading_check (ReelLoading *self, ReelReplayBuffer *buffer, const char *path,
                             GError **error);

/**
 * reel_loading_prepare:
 * @self: what was checked
 * @error: NO_SPACE; VALUE or TYPE where the sampler cannot draw from such rows; IO
 *
 * Second: makes all memory that it takes.
 *
 * Returns: whether it can be taken
 */
gboolean reel_loading_prepare (ReelLoading *self, GError **error);

/**
 * reel_loading_is_steady:
 * @self: what was checked, and perhaps prepared
 * @look: what lay there before
 *
 * Returns: whether nobody changed the checkpoint since, or its ring tells what is written there
 */
gboolean reel_loading_is_steady (const ReelLoading *self, const ReelCheckpointFingerprint *look);

/**
 * reel_loading_check_taken:
 * @self: what was taken
 * @look: what lay there before
 * @error: RUNTIME: files were changed in their place while rows were copied
 *
 * Returns: whether the buffer holds what lay there; else it holds nothing
 */
gboolean reel_loading_check_taken (const ReelLoading *self, const ReelCheckpointFingerprint *look,
                                   GError **error);

/**
 * reel_loading_take:
 * @self: what was prepared
 *
 * Third: the buffer goes on from there.
 */
void reel_loading_take (ReelLoading *self);

/**
 * reel_loading_clear:
 * @self: a loading, which is all zeros afterwards. Where it was not taken, the buffer is as before
 */
void reel_loading_clear (ReelLoading *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelLoading, reel_loading_clear)

/**
 * reel_checkpoint_find_rows:
 * @checkpoint: what was read
 *
 * Returns: its rows, as something to be moved into a storage; valid as long as @checkpoint
 */
ReelStoredRows reel_checkpoint_find_rows (const ReelCheckpoint *checkpoint);

/**
 * reel_checkpoint_check_attach:
 * @checkpoint: what was read
 * @checkpointer: (nullable): whose load hooks would run
 * @storage: a storage without memory, whose directory the files are in
 * @error: VALUE where the files are not as @storage would have them
 *
 * Returns: whether the files can be those of @storage
 */
gboolean reel_checkpoint_check_attach (const ReelCheckpoint *checkpoint,
                                       ReelCheckpointer *checkpointer, ReelStorage *storage,
                                       GError **error);

/**
 * reel_part_put_in_place:
 * @draft: a finished directory of a part
 * @flags: with FORCE it replaces another one of a part that is not in a checkpoint
 * @error: as reel_checkpoint_put_in_place()
 *
 * Returns: whether it is in place, durably
 */
gboolean reel_part_put_in_place (ReelDraft *draft, ReelCheckpointFlags flags, GError **error);

/**
 * reel_part_check_target:
 * @path: where a storage, a sampler or a writer alone is to be
 * @flags: what may happen to another one
 * @error: as reel_checkpoint_check_target()
 *
 * Returns: whether a part may be put there
 */
gboolean reel_part_check_target (const char *path, ReelCheckpointFlags flags, GError **error);

/**
 * REEL_DATASET_FILE:
 *
 * A file beside the rows of a dataset: which one it is. Rows without it were saved by somebody
 * else.
 */
#define REEL_DATASET_FILE "dataset.json"

/**
 * reel_dataset_put_in_place:
 * @draft: a finished directory of rows, as tensordicts are saved, with a %REEL_DATASET_FILE
 * @flags: with FORCE it replaces another one that is not part of a checkpoint or other rows, and
 *   has no file of anybody else's
 * @error: as reel_checkpoint_put_in_place()
 *
 * Returns: whether it is in place, durably
 */
gboolean reel_dataset_put_in_place (ReelDraft *draft, ReelCheckpointFlags flags, GError **error);

/**
 * reel_dataset_check_target:
 * @path: where a dataset is to be
 * @flags: what may happen to another one
 * @error: as reel_checkpoint_check_target()
 *
 * Returns: whether a dataset may be put there
 */
gboolean reel_dataset_check_target (const char *path, ReelCheckpointFlags flags, GError **error);

/**
 * reel_checkpoint_put_in_place:
 * @draft: a finished checkpoint; reel_checkpoint_check_target() was asked before it was begun
 * @flags: with FORCE it replaces a checkpoint that has no writer, and no file of anybody else's
 * @warnings: (element-type utf8): a sentence about what could not be removed is added
 * @error: RUNTIME when something is there that it may not replace, whenever that appeared; IO; the
 *   draft is as before
 *
 * A replaced checkpoint stays locked until it is gone: no writer can begin there meanwhile.
 *
 * Returns: whether it is in place, durably
 */
gboolean reel_checkpoint_put_in_place (ReelDraft *draft, ReelCheckpointFlags flags,
                                       GPtrArray *warnings, GError **error);

/**
 * reel_checksums_compute:
 * @storage: a storage
 * @n_slots: the slots [0, @n_slots) are covered
 * @torn: slots that a killed writer left half written; a block with bytes of theirs has null for a
 *   checksum
 * @kept: (nullable): checksums of rows of before: blocks that were not written since keep theirs
 * and are not read; one that was continued has that of its new bytes added
 *
 * Returns: (transfer full): the member `checksums` of the sidecar
 */
json_t *reel_checksums_compute (ReelStorage *storage, gint64 n_slots, const ReelTornSlots *torn,
                                const ReelKeptSums *kept);

G_END_DECLS
