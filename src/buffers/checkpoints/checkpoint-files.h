/* The files of a checkpoint: recognised, read and written. Private to the library; format in
 * docs/file-format.md. */
#pragma once

#include "checkpointer.h"
#include "flat-ted.h"
#include "../../core/formats/file-sums.h"
#include "../../core/system/held-directory.h"
#include "../storages/ring.h"
#include "../samplers/sampler.h"
#include "../../core/system/files.h"
#include "sidecar.h"

G_BEGIN_DECLS

/**
 * ReelCheckpointKind:
 * @sampler: (transfer none): the id of the sampler whose state lies there, `random` for none
 * @sampler_state: (transfer none) (nullable): that state, in words; %NULL for none
 * @writer: (transfer none): the id of the writer, `immutable` for none
 * @writer_state: (transfer none) (nullable): what it knows beside the counts, in words; %NULL for
 *   nothing
 * @format: (transfer none): the id of the checkpointer that reads the rows, or %REEL_VALUES_FORMAT
 *
 * The contents of a directory, as its files describe them.
 */
typedef struct
{
  const char *sampler;
  const char *sampler_state;
  const char *writer;
  const char *writer_state;
  const char *format;
} ReelCheckpointKind;

/**
 * reel_checkpoint_part:
 * @path: a checkpoint: a directory, or `DIR/storage/0`, a member of an ensemble that lies in `DIR`;
 *   `DIR/storage/0/1` where that is an ensemble too
 * @name: a file of a checkpoint, such as `storage/meta.json` or `sampler`
 *
 * TorchRL keeps the storages, samplers and writers of an ensemble below a number each: what is
 * `writer/metadata.json` of a buffer alone is `DIR/writer/0/metadata.json` of a member. So do we
 * batches that are ready; our sidecar lies with the storage.
 *
 * Returns: (transfer full): its path
 */
char *reel_checkpoint_part (const char *path, const char *name);

/**
 * reel_checkpoint_is_member:
 * @path: as for reel_checkpoint_part()
 *
 * Returns: whether it is a member of an ensemble; only @path itself is looked at
 */
gboolean reel_checkpoint_is_member (const char *path);

/**
 * REEL_CHECKPOINT_H5_FILE:
 *
 * The file that TorchRL's H5StorageCheckpointer writes, below `storage`.
 */
#define REEL_CHECKPOINT_H5_FILE "checkpoint.h5"

/**
 * REEL_CHECKPOINT_QUEUE_FILE:
 *
 * The pickle in which TorchRL keeps the batches that it drew ahead. Each of its dumps has one.
 */
#define REEL_CHECKPOINT_QUEUE_FILE "prefetch.pkl"

/**
 * reel_checkpoint_recognise:
 * @path: a directory
 * @kind: (out caller-allocates): what it holds
 * @warnings: (element-type utf8): sentences about state that is left out are added
 * @error: DAMAGED when it is no checkpoint; NOT_IMPLEMENTED naming a kind that cannot be read; IO
 *
 * Returns: whether @path holds a buffer over one storage of tensordicts or trees
 */
gboolean reel_checkpoint_recognise (const char *path, ReelCheckpointKind *kind, GPtrArray *warnings,
                                    GError **error);

/**
 * reel_checkpoint_recognise_with_sidecar:
 * @path: a directory
 * @kind: (out caller-allocates): its kind
 * @sidecar: (out) (transfer full) (nullable): its sidecar; %NULL where it has none
 * @error: as reel_checkpoint_recognise() and reel_sidecar_read()
 *
 * Returns: whether both were read
 */
gboolean reel_checkpoint_recognise_with_sidecar (const char *path, ReelCheckpointKind *kind,
                                                 ReelSidecar **sidecar, GError **error);

/**
 * reel_checkpoint_find_format:
 * @storage: the directory of a storage
 * @format: (out): the id of the checkpointer that reads its rows, or %REEL_VALUES_FORMAT
 * @error: DAMAGED, IO
 *
 * Returns: 1 where a storage is there, 0 where none is, −1 on failure
 */
gint reel_checkpoint_find_format (const char *storage, const char **format, GError **error);

/**
 * reel_checkpoint_find_sampler:
 * @directory: the directory of a sampler, which may be missing
 * @id: (inout): the id of the sampler whose state it holds; unchanged where it holds none
 * @what: (inout): that state, in words; as @id
 * @error: DAMAGED, IO
 *
 * Returns: whether it could look
 */
gboolean reel_checkpoint_find_sampler (const char *directory, const char **id, const char **what,
                                       GError **error);

/**
 * reel_checkpoint_name_left_out:
 * @path: a checkpoint
 * @warnings: (element-type utf8): sentences are added about what TorchRL keeps there that has no
 *   meaning here: the state of its random generator and transforms, batches that it drew ahead
 * @error: IO
 *
 * Returns: whether it could look
 */
gboolean reel_checkpoint_name_left_out (const char *path, GPtrArray *warnings, GError **error);

/**
 * reel_checkpoint_warn_not_taken:
 * @path: a checkpoint
 * @what: state that lies there, in words
 * @warnings: (element-type utf8): a sentence that it is left there is added
 */
void reel_checkpoint_warn_not_taken (const char *path, const char *what, GPtrArray *warnings);

/**
 * ReelCheckpointPlace:
 * @begin: number of the oldest step that can be read
 * @end: one past the newest
 * @write_count: steps written
 *
 * Where a ring stands.
 */
typedef struct
{
  gint64 begin;
  gint64 end;
  gint64 write_count;
} ReelCheckpointPlace;

/**
 * ReelCheckpointCounts:
 * @len: rows, from slot 0
 * @cursor: the slot that is written next
 * @write_count: steps written
 * @clamped: whether a count is beyond what TorchRL can load, and stands as near as it can
 *
 * The same in the terms of TorchRL's files.
 */
typedef struct
{
  gint64 len;
  gint64 cursor;
  gint64 write_count;
  gboolean clamped;
} ReelCheckpointCounts;

/**
 * ReelTornSlots:
 * @first: the first slot
 * @n: slots from there, modulo the capacity
 *
 * Slots of a wrapped ring that a killed writer left half written.
 */
typedef struct
{
  gint64 first;
  gint64 n;
} ReelTornSlots;

/**
 * reel_checkpoint_find_torn:
 * @begin: number of the oldest step that can be read
 * @end: one past the newest
 * @capacity: steps
 *
 * Returns: the torn slots of a ring without a writer, as far as TorchRL's files cannot leave them
 *   out: these know slots from 0 on, or all
 */
ReelTornSlots reel_checkpoint_find_torn (gint64 begin, gint64 end, gint64 capacity);

/**
 * reel_checkpoint_count:
 * @place: where a ring stands
 * @capacity: its slots, steps
 * @lanes: rows a step
 * @counts: (out caller-allocates): what TorchRL's files say of it
 *
 * TorchRL knows slots from 0 on, or all: a wrapped ring whose oldest steps are being overwritten
 * counts as full.
 */
void reel_checkpoint_count (const ReelCheckpointPlace *place, gint64 capacity, gint64 lanes,
                            ReelCheckpointCounts *counts);

/**
 * ReelChecksumsScope:
 * @path: a checkpoint
 * @leaves: whether the files of the rows are among the files
 * @fresh: (array length=n_fresh): files that are about to be written
 * @n_fresh: how many there are
 * @known: (nullable): checksums of files that need not be read, by name
 *
 * The files that get checksums: all that say what the data are.
 */
typedef struct
{
  const char *path;
  gboolean leaves;
  const ReelFileContent *fresh;
  gsize n_fresh;
  const json_t *known;
} ReelChecksumsScope;

/**
 * reel_checksums_new:
 * @path: a checkpoint
 * @sums: checksums of files in it, made while they were written
 *
 * Returns: (transfer full): the member `checksums` of the sidecar, which has no other files yet
 */
json_t *reel_checksums_new (const char *path, const ReelFileSums *sums);

/**
 * reel_checksums_of_files:
 * @scope: which files
 * @block: bytes that have one checksum, a power of two
 * @error: IO
 *
 * Returns: (transfer full): the member `files` of the checksums: by the name of a file, such as
 *   `storage/meta.json`, the sum of each block
 */
json_t *reel_checksums_of_files (const ReelChecksumsScope *scope, gint64 block, GError **error);

/**
 * reel_checksums_check_file:
 * @path: a file
 * @checksums: the member of the sidecar
 * @sums: what it says of @path
 * @error: IO
 *
 * Returns: 1 when the file is what was written, or nobody can tell; 0 when it is not; −1 on failure
 */
gint reel_checksums_check_file (const char *path, const json_t *checksums, const json_t *sums,
                                GError **error);

/**
 * reel_checksums_choose_block:
 * @bytes: of all files
 *
 * Returns: bytes that have one checksum, such that there are not too many of them
 */
gint64 reel_checksums_choose_block (gint64 bytes);

/**
 * ReelCheckpointFiles:
 * @sidecar: (nullable): the sidecar, which says where the ring stands
 * @batch_size: default batch size, 0 for none
 * @max_sample_count: how often the sampler gives a row, 0 where it does not consume
 * @writer: what reel_writer_dup_state() said of the writer; empty where it never writes
 * @data: (nullable): what is stored, for its keys where it is a tree; %NULL where its files say
 *   how much of it is valid
 *
 * The sources of the JSON files.
 */
typedef struct
{
  const ReelSidecar *sidecar;
  gint64 batch_size;
  gint64 max_sample_count;
  const ReelTensordict *writer;
  const ReelTensordict *data;
} ReelCheckpointFiles;

/**
 * reel_checkpoint_write_json:
 * @path: the directory, with `storage` in it
 * @held: (nullable): the same directory, which is written durably whatever @path leads to by now
 * @files: what to write
 * @whole: whether to write those files too that never change
 * @durable: whether they must survive a power loss
 * @error: NO_SPACE, IO; KEY as reel_tree_save()
 *
 * Writes the JSON files, each of which is at every moment the old or the new one.
 *
 * Returns: whether all were written
 */
gboolean reel_checkpoint_write_json (const char *path, const ReelHeldDirectory *held,
                                     const ReelCheckpointFiles *files, gboolean whole,
                                     gboolean durable, GError **error);

/**
 * reel_checkpoint_write_writer_files:
 * @path: the directory of a writer
 * @state: what reel_writer_dup_state() said of a writer that writes
 * @error: NO_SPACE, IO
 *
 * Returns: whether `metadata.json`, and the leaf beside it, were written
 */
gboolean reel_checkpoint_write_writer_files (const char *path, const ReelTensordict *state,
                                             GError **error);

/**
 * reel_checkpoint_write_length:
 * @path: the directory of a storage
 * @data: what is stored, for its keys where it is a tree
 * @length: rows, as #ReelCheckpointCounts has them
 * @durable: whether the file must survive a power loss
 * @error: NO_SPACE, IO; KEY as reel_tree_save()
 *
 * Returns: whether `storage_metadata.json` was written
 */
gboolean reel_checkpoint_write_length (const char *path, const ReelTensordict *data, gint64 length,
                                       gboolean durable, GError **error);

/**
 * ReelCheckpoint:
 * @path: the directory
 * @storage: the directory of its rows
 * @data: the allocation, mapped where it lies so; where there are @values, nothing but its shape
 * @packed: (nullable): what gives the rows where they do not lie so; @data is nothing but their
 *   outline then
 * @values: (element-type ReelStoredValue) (nullable): the rows of a storage of values, by their
 *   slots
 * @is_tree: whether it is a tree; its nodes are then lists and dicts, by their keys
 * @in_place: whether the leaves are files that a storage can map
 * @ndim: storage dimensions
 * @capacity: slots, steps
 * @lanes: rows a step
 * @place: where the ring stands
 * @batch_size: default batch size, 0 for none, −1 where it does not say
 * @kind: sampler and writer
 * @writer_state: what lies there of a writer beside the counts, under the keys of
 *   reel_writer_dup_state()
 * @sidecar: (nullable): the sidecar, %NULL where there is none or TorchRL wrote since
 * @ring: (nullable): the ring of a directory that is or was live; locked for writing where the
 *   leaves are shared
 * @written: whether another writer holds @ring now
 * @behind: whether the JSON files are behind @place
 * @incomplete: whether rows that were committed may be missing
 * @moved: whether its rows come to other slots than they have
 * @warnings: (element-type utf8): what was left out
 *
 * A directory that was read.
 */
typedef struct
{
  char *path;
  char *storage;
  ReelTensordict *data;
  ReelFlatUnpack *packed;
  GPtrArray *values;
  gboolean is_tree;
  gboolean in_place;
  gint ndim;
  gint64 capacity;
  gint64 lanes;
  ReelCheckpointPlace place;
  gint64 batch_size;
  ReelCheckpointKind kind;
  ReelTensordict *writer_state;
  ReelSidecar *sidecar;
  ReelRing *ring;
  gboolean written;
  gboolean behind;
  gboolean incomplete;
  gboolean moved;
  GPtrArray *warnings;
} ReelCheckpoint;

/**
 * reel_checkpoint_read:
 * @path: a directory that TorchRL or Reel wrote
 * @flags: how to map the leaves; with REEL_LOAD_SHARED to write on
 * @ndim: storage dimensions that it must have, 0 to find out
 * @checkpointer: (nullable): whose keys and load hooks to use
 * @error: DAMAGED with file, found and expected; NOT_IMPLEMENTED naming what it is; RUNTIME where
 *   it is to be written on and another process writes it; IO
 *
 * Reads and checks everything; changes nothing.
 *
 * Returns: (transfer full): what it holds
 */
ReelCheckpoint *reel_checkpoint_read (const char *path, ReelLoadFlags flags, gint ndim,
                                      ReelCheckpointer *checkpointer, GError **error);

/**
 * reel_checkpoint_read_storage:
 * @path: the directory of a storage alone
 * @flags: how to map the leaves
 * @ndim: storage dimensions that it must have, 0 to find out
 * @checkpointer: (nullable): whose keys and load hooks to use
 * @error: as reel_checkpoint_read()
 *
 * Reads and checks everything; changes nothing. The directory contains no cursor: row 0 is in slot
 * 0.
 *
 * Returns: (transfer full): its rows, without sampler, writer and sidecar
 */
ReelCheckpoint *reel_checkpoint_read_storage (const char *path, ReelLoadFlags flags, gint ndim,
                                              ReelCheckpointer *checkpointer, GError **error);

/**
 * reel_checkpoint_check_inside:
 * @path: a checkpoint whose files are to be written in their place
 * @error: RUNTIME naming a link that leads out of @path, and where to
 *
 * Leaves are looked at where they are mapped.
 *
 * Returns: whether no metadata would be written elsewhere
 */
gboolean reel_checkpoint_check_inside (const char *path, GError **error);

/**
 * reel_checkpoint_read_prefetch:
 * @self: a directory that was read
 * @state: (out) (transfer full) (nullable): the batches that were drawn ahead, %NULL for none
 * @error: DAMAGED with file, found and expected; IO
 *
 * Returns: whether @state was set
 */
gboolean reel_checkpoint_read_prefetch (const ReelCheckpoint *self, ReelTensordict **state,
                                        GError **error);

/**
 * reel_checkpoint_read_sampler:
 * @self: a directory that was read
 * @sampler: who is to go on from it
 * @state: (out) (transfer full) (nullable): what lies there for @sampler; %NULL where there is
 *   nothing of its form, and @sampler begins anew. A sentence about state that is left, or missed,
 *   is added to the warnings
 * @error: DAMAGED with file, found and expected; IO
 *
 * Returns: whether @state was set
 */
gboolean reel_checkpoint_read_sampler (ReelCheckpoint *self, ReelSampler *sampler,
                                       ReelTensordict **state, GError **error);

/**
 * reel_checkpoint_read_sampler_files:
 * @path: the directory of a sampler
 * @form: (nullable): as reel_sampler_get_state_form(); %NULL for an empty state
 * @error: DAMAGED with file, found and expected; IO
 *
 * Returns: (transfer full): the state, its leaves mapped
 */
ReelTensordict *reel_checkpoint_read_sampler_files (const char *path, const char *form,
                                                    GError **error);

/**
 * reel_checkpoint_write_sampler_files:
 * @path: an empty directory
 * @sampler: a sampler
 * @storage: what it draws from
 * @error: NO_SPACE, IO, what the sampler says
 *
 * Writes what TorchRL's sampler of that kind writes, which may be nothing.
 *
 * Returns: whether all was written
 */
gboolean reel_checkpoint_write_sampler_files (const char *path, ReelSampler *sampler,
                                              ReelStorage *storage, GError **error);

/**
 * reel_checkpoint_write_sampler:
 * @path: the directory
 * @sampler: a sampler
 * @storage: what it draws from
 * @durable: whether it must survive a power loss
 * @error: NO_SPACE, IO, what the sampler says
 *
 * Writes `sampler` below @path as TorchRL's sampler of that kind does, or removes it where @sampler
 * has nothing to remember. All of it is the old or the new one at any moment.
 *
 * Returns: whether what lies there is the state of @sampler
 */
gboolean reel_checkpoint_write_sampler (const char *path, ReelSampler *sampler,
                                        ReelStorage *storage, gboolean durable, GError **error);

/**
 * reel_checkpoint_read_priorities:
 * @path: the directory `sampler` of a prioritized sampler
 * @error: DAMAGED with file, found and expected; IO
 *
 * Returns: (transfer full): the state, its leaves mapped
 */
ReelTensordict *reel_checkpoint_read_priorities (const char *path, GError **error);

/**
 * reel_checkpoint_write_priorities:
 * @path: as for reel_checkpoint_read_priorities(); made if it is missing
 * @state: the state of a prioritized sampler
 * @error: NO_SPACE, IO
 *
 * Returns: whether all files were written; each is the old or the new one
 */
gboolean reel_checkpoint_write_priorities (const char *path, const ReelTensordict *state,
                                           GError **error);

/**
 * reel_checkpoint_read_consuming:
 * @path: the directory `sampler` of a consuming sampler
 * @error: as reel_torch_archive_load()
 *
 * Returns: (transfer full): the state
 */
ReelTensordict *reel_checkpoint_read_consuming (const char *path, GError **error);

/**
 * reel_checkpoint_write_consuming:
 * @path: as for reel_checkpoint_read_consuming(); made if it is missing
 * @state: the state of a consuming sampler
 * @error: as reel_torch_archive_save()
 *
 * Returns: whether the file was written
 */
gboolean reel_checkpoint_write_consuming (const char *path, const ReelTensordict *state,
                                          GError **error);

/**
 * reel_checkpoint_free:
 * @self: (transfer full) (nullable): a checkpoint
 */
void reel_checkpoint_free (ReelCheckpoint *self);

/**
 * reel_checkpoint_list_leaves:
 * @path: a checkpoint
 * @error: IO
 *
 * Returns: (transfer full) (element-type utf8): every leaf file below `storage`
 */
GPtrArray *reel_checkpoint_list_leaves (const char *path, GError **error);

/**
 * reel_checkpoint_sync_tree:
 * @path: a directory
 * @error: IO
 *
 * Returns: whether everything below @path now survives a power loss; its own name may not
 */
gboolean reel_checkpoint_sync_tree (const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelCheckpoint, reel_checkpoint_free)

G_END_DECLS
