/* Storages: the memory of rows. */
#pragma once

#include "../../core/object/object.h"
#include "../../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelStorage:
 *
 * A ring of steps in memory or in files: one column a key, `[steps, lanes…, feature…]`, time first.
 * In files each column lies by itself; in memory the rows of all columns may lie interleaved.
 * A *step* is one index of the first dimension, a *row* one step of one lane. The layout is fixed
 * by the first write, which allocates the whole capacity.
 *
 * One thread writes at a time: it reserves a block of steps, fills it with any number of helpers,
 * and commits it. Any number of threads, and for files of processes, may read meanwhile: they take
 * a view, copy rows, and ask whether the writer reached them in the meantime (design: a seqlock
 * whose counters never wrap, docs/architecture.md).
 *
 * Properties of every storage: `capacity` (rows; rounded up to whole steps when `ndim` is over 1,
 * as TorchRL's max_size), `dim-extend` (see reel_storage_get_dim_extend()), `ndim` (storage
 * dimensions, 1: rows, 2: steps × lanes; 3: two dimensions of lanes).
 *
 * Ids: `tensor` (`lazy-tensor`, `LazyTensorStorage`) in memory, `memmap` (`LazyMemmapStorage`) in
 * files: those of `scratch-dir` stay unless `auto-cleanup` removes them, see
 * reel_storage_cleanup(); without a directory they have no names and go with the process, however
 * it ends.
 *
 * Storages of values hold rows of any shapes and keys, each by itself: tensordicts, trees, strings
 * and numbers (reel_tree_new_single_value()). They have no columns and no layout, and memory for
 * the rows that are there. Stores and reads make shallow copies: keys are one's own,
 * elements are shared, so what is written to the elements of a tensor that was stored shows in
 * later reads, and who does so answers for those who read meanwhile. `collate` says what several
 * rows become: `stack`, `lazy-stack`, or `rows`, a list of them. `ndim` is 1; blocks are not lent;
 * slice samplers, `staleness-aware` and collectors, which want columns, refuse them.
 *
 * - `list` (`ListStorage`)
 * - `lazy-stack` (`LazyStackStorage`; `stack-dim`): rows become a lazy stack
 * - `compressed-list` (`CompressedListStorage`; `compression-level`): each leaf is deflated; rows
 *   become a lazy stack. Nothing is shared. The only one of them that has files
 */
#define REEL_TYPE_STORAGE (reel_storage_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelStorage, reel_storage, REEL, STORAGE, ReelObject)

/**
 * ReelStorageClass:
 * @peer_name: TorchRL's name of the class, which reel_storage_to_string() prints
 * @shares_rows: whether a forked process shares the memory of @allocate; it shares the counters of
 *   the ring then, and either process may write, one after the other
 * @allocate: required but for storages of values. Makes the memory: a zeroed tensordict with the
 *   keys, dtypes and shapes of
 *   @layout, whose tensors are expanded views without memory of that size. All space that will be
 *   needed is reserved before it returns: NO_SPACE otherwise
 * @deallocate: optional. Removes what @allocate made beside that memory, which is gone and was
 *   never written
 * @count_row_bytes: optional. The bytes that @allocate takes for a row of @step, which is one step
 * of all lanes; without it the bytes of its leaves
 * @prepare: optional. The steps [first, first + n) of the ring, n ≤ capacity, are written next for
 *   the first time; called in the first pass over the ring, by the writer, in order. May start work
 *   in the background. Returns FALSE when they cannot be written: NO_SPACE
 * @forget: optional. Every row was forgotten
 * @cleanup: optional, see reel_storage_cleanup()
 * @to_string: optional. TorchRL's print, where that is not the layout
 *
 * Virtual functions of a storage.
 */
struct _ReelStorageClass
{
  ReelObjectClass parent_class;

  const char *peer_name;
  gboolean shares_rows;
  ReelTensordict *(*allocate) (ReelStorage *self, ReelTensordict *layout, GError **error);
  void (*deallocate) (ReelStorage *self);
  gsize (*count_row_bytes) (ReelStorage *self, const ReelTensordict *step);
  gboolean (*prepare) (ReelStorage *self, gint64 first, gint64 n, GError **error);
  void (*forget) (ReelStorage *self);
  gboolean (*cleanup) (ReelStorage *self, GError **error);
  char *(*to_string) (ReelStorage *self);
};

/**
 * ReelColumn:
 * @path: the key, a path such as `next/observation`
 * @dtype: of its elements
 * @row_bytes: bytes of one row, the feature of one lane; 0 for a leaf without elements
 * @step_bytes: bytes of one step of all lanes, lanes × @row_bytes
 * @row_stride: bytes from one row to the next: @row_bytes where the column lies by itself, more
 *   where rows are records of all columns
 * @data: slot 0, lane 0; slot s, lane l lies (s × lanes + l) × @row_stride further
 *
 * One leaf of a storage, resolved once. Slot s holds the steps whose number is s modulo the
 * capacity.
 */
typedef struct
{
  const char *path;
  ReelDtype dtype;
  gsize row_bytes;
  gsize step_bytes;
  gsize row_stride;
  guint8 *data;
} ReelColumn;

/**
 * ReelStorageView:
 * @first_row: number of the oldest row that can be read
 * @end_row: one past the newest
 * @capacity: rows that the ring holds
 * @lanes: rows a step
 *
 * The rows of a storage at one moment. Rows are numbered from the first ever written, step × lanes
 * + lane, and keep their number: a row lies in row slot (number modulo capacity).
 */
typedef struct
{
  gint64 first_row;
  gint64 end_row;
  gint64 capacity;
  gint64 lanes;
} ReelStorageView;

/**
 * ReelReservation:
 * @first_step: number of the first step lent
 * @n_steps: steps lent, at least 1
 * @columns: (array): one pointer per column, in reel_storage_get_columns() order: step 0, lane 0 of
 *   the block. Step t, lane l lies t × step_bytes + l × row_bytes further, whatever the storage's
 *   row_stride
 *
 * Steps lent to be written, on the caller's stack. The pointers are valid until the block is
 * committed; what they hold before is unspecified. Different threads may fill different lanes.
 */
typedef struct
{
  gint64 first_step;
  gint64 n_steps;
  guint8 *const *columns;
} ReelReservation;

/**
 * reel_storage_allocate:
 * @self: a storage that holds no memory yet
 * @step: one step of all lanes: batch size `[]` for `ndim` 1, else `[lanes…]`, at least one leaf.
 *   The values are not stored
 * @error: RUNTIME when memory is already held, VALUE when the batch size does not fit `ndim` or
 *   there are no leaves, NO_SPACE, IO, and what the class says
 *
 * Makes room for the whole capacity, zeroed, in the layout of @step. Dimension names of @step name
 * the lanes; name dimension 0 through reel_storage_get_data(). reel_replay_buffer_extend() and
 * reel_replay_buffer_add() do this themselves at the first write.
 *
 * Returns: whether there is room
 */
REEL_API
gboolean reel_storage_allocate (ReelStorage *self, ReelTensordict *step, GError **error);

/**
 * reel_storage_count_bytes:
 * @self: a storage without memory
 * @step: as for reel_storage_allocate()
 * @error: VALUE where @step has too few batch dimensions or no leaves; TYPE
 *
 * How much reel_storage_allocate() would take, to ask for it beforehand. Any thread.
 *
 * Returns: bytes, padding of records included, 2^63 − 1 where they are more; −1 on failure
 */
REEL_API
gint64 reel_storage_count_bytes (ReelStorage *self, const ReelTensordict *step, GError **error);

/**
 * reel_storage_new_from_data:
 * @data: (nullable): `[steps, …]` for @ndim 1, `[steps, lanes, …]` for 2: time first, as
 *   reel_storage_get_data() gives it
 * @capacity: rows, all that @data have; −1 says the same
 * @ndim: storage dimensions, 1 to 3
 * @error: VALUE where there are no data, too few dimensions, other rows than @capacity, or a leaf
 *   whose rows do not lie evenly apart, each in one piece; TYPE where there are non-tensors
 *
 * A full storage in memory that is @data's own: what is written to one is seen in the other. New
 * rows go from the first step on. TorchRL's `TensorStorage(data)`. @data itself is not locked.
 *
 * Returns: (transfer full): the storage
 */
REEL_API
ReelStorage *reel_storage_new_from_data (ReelTensordict *data, gint64 capacity, gint ndim,
                                         GError **error);

/**
 * reel_storage_is_allocated:
 * @self: a storage
 *
 * Returns: whether its layout is fixed and its memory there; always of a storage of values. Any
 *   thread
 */
REEL_API
gboolean reel_storage_is_allocated (ReelStorage *self);

/**
 * reel_storage_get_data:
 * @self: a storage
 *
 * Returns: (transfer none) (nullable): the whole allocation, batch size `[capacity in steps,
 *   lanes…]` on device cpu, locked, in ring order, written steps or not; %NULL before the first
 *   write, and of a storage of values. Valid while @self lives; who writes through it answers for
 *   readers
 */
REEL_API
ReelTensordict *reel_storage_get_data (ReelStorage *self);

/**
 * reel_storage_get_columns:
 * @self: a storage
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n) (nullable): the leaves, in the order of the data, which
 *   in files is that of tensordict's loader: of each level the tensors first. %NULL before the
 *   first write, and of a storage of values. Valid and unchanged while @self lives
 */
REEL_API
const ReelColumn *reel_storage_get_columns (ReelStorage *self, guint *n);

/**
 * reel_storage_find_column:
 * @self: a storage
 * @path: a leaf
 * @error: KEY when there is none, with those there are
 *
 * Returns: its index among the columns, −1 on failure
 */
REEL_API
gint reel_storage_find_column (ReelStorage *self, const char *path, GError **error);

/**
 * reel_storage_cleanup:
 * @self: a storage
 * @error: IO
 *
 * Removes the directory in which a `memmap` storage has its files, with all that is in it. Rows can
 * be read and written on as long as @self lives. With the property `auto-cleanup` this is done when
 * @self goes away, or by exit(); a signal that ends a process runs nothing, so a program that
 * leaves through exit() or the end of main() catches SIGINT and SIGTERM first, as `collect` does.
 * The directory of a live buffer is never removed by itself. The writer's thread.
 *
 * Returns: whether there was something to remove, and it is gone; %FALSE without an @error where
 *   there was nothing
 */
REEL_API
gboolean reel_storage_cleanup (ReelStorage *self, GError **error);

/**
 * reel_storage_get_ndim:
 * @self: a storage
 *
 * Returns: storage dimensions, 1 to 3
 */
REEL_API
gint reel_storage_get_ndim (ReelStorage *self);

/**
 * reel_storage_get_dim_extend:
 * @self: a storage
 *
 * TorchRL's `dim_extend`, from 0 on: what extends a buffer has its steps along this dimension, and
 * so has what is read by lane. The storage keeps them first: both are views with this dimension and
 * the first exchanged.
 *
 * Returns: the dimension of the steps
 */
REEL_API
gint reel_storage_get_dim_extend (ReelStorage *self);

/**
 * reel_storage_get_lanes:
 * @self: a storage
 *
 * Returns: rows a step, 1 for `ndim` 1; 0 before the first write when `ndim` is over 1
 */
REEL_API
gint64 reel_storage_get_lanes (ReelStorage *self);

/**
 * reel_storage_get_capacity:
 * @self: a storage
 *
 * Returns: rows it can hold: what was asked for before the first write, then rounded up to whole
 *   steps
 */
REEL_API
gint64 reel_storage_get_capacity (ReelStorage *self);

/**
 * reel_storage_get_length:
 * @self: a storage
 *
 * Returns: rows that can be read now; the steps of a block that is reserved over old ones do not
 *   count. Any thread
 */
REEL_API
gint64 reel_storage_get_length (ReelStorage *self);

/**
 * reel_storage_dup_state:
 * @self: a storage
 * @error: NO_SPACE
 *
 * TorchRL's `storage.state_dict ()`: `initialized`, bool; `_len`, int64: rows from slot 0 on, as
 * TorchRL counts them; and where there is memory `_storage`: the allocation, rows that cannot be
 * read zero, and `_begin` and `_end`, int64: numbers of the oldest step that can be read and of the
 * next one. Of a storage of values `_storage` is a list of its rows by their slots, and
 * `_capacity`, int64, says how many slots there are; files hold such a state where they hold the
 * rows. The writer's thread.
 *
 * Returns: (transfer full): a tensordict without batch dimensions, apart from @self
 */
REEL_API
ReelTensordict *reel_storage_dup_state (ReelStorage *self, GError **error);

/**
 * reel_storage_set_state:
 * @self: a storage that nobody reads
 * @state: what reel_storage_dup_state() said of any storage, which may change afterwards. Without
 *   `_begin` and `_end` the rows are those from slot 0 on
 * @error: KEY, TYPE for what is missing or of another kind; VALUE for numbers that cannot be, and
 *   where lanes, keys, shapes, dtypes or the number of rows do not fit; NO_SPACE
 *
 * Takes over rows and where writing goes on. A storage that holds no memory takes the layout, but
 * keeps its capacity; where that is another, rows come in order of time, the oldest to slot 0. Of
 * one that was not initialized nothing is taken, and @self is emptied. The writer's thread.
 *
 * Returns: whether it holds them; else it is as before
 */
REEL_API
gboolean reel_storage_set_state (ReelStorage *self, const ReelTensordict *state, GError **error);

/**
 * reel_storage_get_generations:
 * @self: a storage
 * @index: int64: which rows, as extend and sample give it: `[n]` or `[n, ndim]`
 * @error: TYPE, VALUE for an @index of no use
 *
 * How often the slot of each step was written: 0 after the first time, one more each time that it
 * is overwritten, by whatever writer, or emptied. So who kept what `index_generation` said of a row
 * knows whether its slot still holds it. −1 where nothing was ever written, out of range, and
 * everywhere until a writer with `track-generations` was given to a buffer over @self: what is
 * written in place (`rb[i] = v`) does not count. Any thread.
 *
 * Returns: (transfer full): int64 `[n]`
 */
REEL_API
ReelTensor *reel_storage_get_generations (ReelStorage *self, const ReelTensor *index,
                                          GError **error);

/**
 * reel_storage_get_cursor:
 * @self: a storage
 *
 * Returns: the slot, in steps, that is written next
 */
REEL_API
gint64 reel_storage_get_cursor (ReelStorage *self);

/**
 * reel_storage_get_view:
 * @self: a storage
 * @view: (out): what can be read now; no rows before the first write
 *
 * Any thread.
 */
REEL_API
void reel_storage_get_view (ReelStorage *self, ReelStorageView *view);

/**
 * reel_storage_first_intact_row:
 * @self: a storage
 *
 * For a reader that copied rows of a view: those with a smaller number than this may be torn, for
 * the writer has begun to overwrite them; the others are whole. Any thread.
 *
 * Returns: the number of the oldest row that no writer has touched
 */
REEL_API
gint64 reel_storage_first_intact_row (ReelStorage *self);

/**
 * reel_storage_get_revision:
 * @self: a storage
 *
 * How often rows were changed in their place, rather than written at the cursor: 2 for each change,
 * odd while one is under way. A reader that copies rows takes it before and after: where it was odd
 * or differs, some may be torn, or of two revisions. Changes by the process that is followed are
 * counted too. Any thread.
 *
 * Returns: the count
 */
REEL_API
guint64 reel_storage_get_revision (ReelStorage *self);

/**
 * reel_storage_reserve:
 * @self: a storage that holds memory
 * @n_steps: steps wanted, at least 1
 * @block: (out caller-allocates): what is lent
 * @error: RUNTIME before the first write, or when a block is still out; NO_SPACE where files could
 *   not reserve their space beforehand
 *
 * Lends the next steps for writing: at most @n_steps, at most an eighth of the capacity but one at
 * least, and never past the end of the ring; ask again for the rest. The oldest steps that the
 * block overwrites can no longer be read. The block is the ring itself, or where rows are records
 * a piece of memory from which commit packs them; of these a block takes half of the second-level
 * cache at most. Nothing is allocated after the first call. The writer's thread; any thread may
 * then write its lanes of the block.
 *
 * Returns: whether @block was lent
 */
REEL_API
gboolean reel_storage_reserve (ReelStorage *self, gint64 n_steps, ReelReservation *block,
                               GError **error);

/**
 * reel_storage_commit:
 * @self: a storage
 * @block: the block that it lent last; taken back
 * @n_steps: how many of its steps to publish, from its first; 0 gives it back
 *
 * Makes the steps readable at once and announces them. The writer's thread, once all that write the
 * block have handed over.
 */
REEL_API
void reel_storage_commit (ReelStorage *self, ReelReservation *block, gint64 n_steps);

/**
 * reel_storage_empty:
 * @self: a storage
 *
 * Forgets every row; memory, files and layout stay, and the cursor is 0. Any reader finds nothing
 * from now on. The writer's thread.
 */
REEL_API
void reel_storage_empty (ReelStorage *self);

/**
 * reel_storage_to_string:
 * @self: a storage
 *
 * Returns: (transfer full): what TorchRL prints of the like storage, byte for byte
 */
REEL_API
char *reel_storage_to_string (ReelStorage *self);

G_END_DECLS
