/* Functions of a storage for checkpoints, indices and priorities. Private. */
#pragma once

#include "storage.h"
#include "ring.h"

G_BEGIN_DECLS

/* In the place of a number of steps: rows were changed in their place. */
#define REEL_ROWS_CHANGED (-1)

/**
 * ReelCommitFunc:
 * @storage: the storage
 * @first_step: number of the first step that became readable
 * @n_steps: how many; 0 when the storage was emptied, and @first_step is the next to come;
 *   %REEL_ROWS_CHANGED where stored rows are others now
 * @user_data: what it was attached with
 *
 * Called in the writer's thread for every range of steps, once, right after it became readable, and
 * after each change of rows in their place.
 * Ranges come in order; numbers are left out where more was written at once than the ring holds.
 */
typedef void (*ReelCommitFunc) (ReelStorage *storage, gint64 first_step, gint64 n_steps,
                                gpointer user_data);

/**
 * reel_storage_attach:
 * @self: a storage
 * @func: whom to tell
 * @user_data: for @func
 *
 * Tells @func of every committed range from now on. The writer's thread; not from within @func.
 */
void reel_storage_attach (ReelStorage *self, ReelCommitFunc func, gpointer user_data);

/**
 * reel_storage_detach:
 * @self: a storage
 * @func: as it was attached
 * @user_data: as it was attached
 */
void reel_storage_detach (ReelStorage *self, ReelCommitFunc func, gpointer user_data);

/**
 * ReelWriteGate:
 * @user_data: what it was set with
 * @error: why nothing may be written yet
 *
 * Prepares what must be on disk before a row changes. Called in the writer's thread.
 *
 * Returns: whether the write may go on
 */
typedef gboolean (*ReelWriteGate) (gpointer user_data, GError **error);

/**
 * reel_storage_set_gate:
 * @self: a storage
 * @gate: (nullable): called before the next write; %NULL for none
 * @user_data: for @gate
 *
 * The first write calls @gate, and fails with it. A gate that succeeded is not called again. The
 * writer's thread.
 */
void reel_storage_set_gate (ReelStorage *self, ReelWriteGate gate, gpointer user_data);

/**
 * ReelOverwriteGuard:
 * @end: the steps before this number are about to be written; %G_MAXINT64 where any slot may be
 * @user_data: what it was set with
 * @error: why they may not be written
 *
 * Has what the slots contain dealt with before it is overwritten. Called in the writer's thread.
 *
 * Returns: whether the write may go on
 */
typedef gboolean (*ReelOverwriteGuard) (gint64 end, gpointer user_data, GError **error);

/**
 * reel_storage_set_guard:
 * @self: a storage
 * @guard: (nullable): called before each write; %NULL for none
 * @user_data: for @guard
 *
 * Each write calls @guard, and fails with it. The writer's thread.
 */
void reel_storage_set_guard (ReelStorage *self, ReelOverwriteGuard guard, gpointer user_data);

/**
 * reel_storage_begin_replace:
 * @self: an allocated storage
 * @error: as reel_storage_begin_write(), and what its guard says
 *
 * The first part of every change of rows in their place.
 *
 * Returns: whether the writer may go on
 */
gboolean reel_storage_begin_replace (ReelStorage *self, GError **error);

/**
 * reel_storage_get_identity:
 * @self: a storage
 *
 * A number that no other storage of the process has or had, and that is another one when the memory
 * is there: what was resolved of a storage holds as long as this is the same. Any thread.
 *
 * Returns: the number, never 0
 */
guint64 reel_storage_get_identity (ReelStorage *self);

/**
 * reel_storage_count_filled:
 * @self: a storage
 * @view: what can be read of it
 *
 * The length that TorchRL gives. Any thread.
 *
 * Returns: rows from slot 0 on that were written since it was last emptied, also those that the
 *   writer is just overwriting
 */
gint64 reel_storage_count_filled (ReelStorage *self, const ReelStorageView *view);

/**
 * reel_storage_begin_change:
 * @self: an allocated storage
 *
 * Rows that may be read are going to be changed in their place. Readers draw again what they read
 * from now until reel_storage_end_change(). The writer's thread.
 */
void reel_storage_begin_change (ReelStorage *self);

/**
 * reel_storage_end_change:
 * @self: a storage between begin and end
 *
 * The change is done. Streaming stores of other threads are fenced by them.
 */
void reel_storage_end_change (ReelStorage *self);

/**
 * reel_storage_track_generations:
 * @self: a storage
 *
 * From now on it counts how often each slot is written: reel_storage_get_generations(). The
 * writer's thread; samplers begin anew where @self holds memory.
 */
void reel_storage_track_generations (ReelStorage *self);

/**
 * reel_storage_has_generations:
 * @self: a storage
 *
 * Returns: whether it counts them. Any thread
 */
gboolean reel_storage_has_generations (ReelStorage *self);

/**
 * reel_storage_get_generation:
 * @self: a storage that counts them
 * @slot: of a step
 *
 * Told of a row that is copied between two looks it is that of the copy. Any thread.
 *
 * Returns: its generation
 */
gint64 reel_storage_get_generation (ReelStorage *self, gint64 slot);

/**
 * reel_storage_count_writes:
 * @self: an allocated storage
 * @slot: the first that is going to be written; readers know already that it is
 * @n: how many follow one another, around the ring
 */
void reel_storage_count_writes (ReelStorage *self, gint64 slot, gint64 n);

/**
 * reel_storage_copy_generations:
 * @self: a storage
 * @error: NO_SPACE
 *
 * Returns: (transfer full) (nullable): `[steps]`; %NULL without an error where it counts none
 */
ReelTensor *reel_storage_copy_generations (ReelStorage *self, GError **error);

/**
 * reel_storage_check_generations:
 * @values: a tensor
 * @n_slots: steps of a storage
 * @error: VALUE
 *
 * Returns: whether reel_storage_set_generations() takes them
 */
gboolean reel_storage_check_generations (const ReelTensor *values, gint64 n_slots, GError **error);

/**
 * reel_storage_set_generations:
 * @self: an allocated storage that counts them
 * @values: as reel_storage_copy_generations() gave them; −1 for slots that it lacks
 */
void reel_storage_set_generations (ReelStorage *self, const ReelTensor *values);

/**
 * reel_storage_write:
 * @self: an allocated storage
 * @data: `[n, lanes…]`, n ≥ 1, exactly the keys, dtypes and shapes of the storage; listed rows of
 *   any shape for a storage of values, see reel_rows_list()
 * @error: KEY, TYPE or RUNTIME naming what does not fit, before anything is written; RUNTIME when a
 *   block is out
 *
 * Writes steps at the cursor, announced block by block; of more steps than the ring holds the last
 * ones alone. The writer's thread.
 *
 * Returns: whether they were written
 */
gboolean reel_storage_write (ReelStorage *self, ReelTensordict *data, GError **error);

/**
 * reel_storage_write_step:
 * @self: an allocated storage
 * @step: `[lanes…]`
 * @written: (out): whether it was written; else it is nothing for this short way, which looks
 *   nothing up and allocates nothing: reel_storage_write() takes it, or says why not
 * @error: RUNTIME when a block is out; NO_SPACE
 *
 * Writes a step at the cursor that has the keys of the storage in their order and whose leaves are
 * contiguous. The writer's thread.
 *
 * Returns: whether nothing failed
 */
gboolean reel_storage_write_step (ReelStorage *self, const ReelTensordict *step, gboolean *written,
                                  GError **error);

/**
 * reel_storage_view_filled:
 * @self: a storage
 * @error: RUNTIME before the first write; TYPE for a storage of values
 *
 * Returns: (transfer full): a view of all that is filled, in ring order: `[T]`, or `[B, T]`
 */
ReelTensordict *reel_storage_view_filled (ReelStorage *self, GError **error);

/**
 * reel_storage_begin_values:
 * @self: a storage of values that was just made
 *
 * It has no columns, and is there from the start: a ring of as many slots as rows.
 */
void reel_storage_begin_values (ReelStorage *self);

/**
 * ReelSteps:
 *
 * Steps that a storage can take, on their way into it.
 */
typedef struct _ReelSteps ReelSteps;

/**
 * reel_steps_free:
 * @steps: (transfer full) (nullable): steps
 */
void reel_steps_free (ReelSteps *steps);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelSteps, reel_steps_free)

/**
 * reel_storage_take_steps:
 * @self: an allocated storage
 * @data: as for reel_storage_write()
 * @n_new: steps that will be written at the cursor, at most; the others are to replace some
 * @error: as reel_storage_write()
 *
 * Checks all that can fail, for who decides then which steps go where. The writer's thread.
 *
 * Returns: (transfer full): the steps, valid while @data is
 */
ReelSteps *reel_storage_take_steps (ReelStorage *self, ReelTensordict *data, gint64 n_new,
                                    GError **error);

/**
 * reel_storage_replace_steps:
 * @self: a storage
 * @data: from reel_storage_take_steps()
 * @steps: (array length=n): which steps of them
 * @slots: (array length=n): where each goes: slots that hold something
 * @n: how many; 0 changes nothing
 *
 * Changes steps in their place: one change of the revision for all of them.
 */
void reel_storage_replace_steps (ReelStorage *self, const ReelSteps *data, const gint64 *steps,
                                 const gint64 *slots, gint64 n);

/**
 * reel_storage_put_steps:
 * @self: a storage
 * @data: from reel_storage_take_steps()
 * @slots: (array length=n): where each step of them goes, −1 for nowhere, no slot twice
 * @n: how many
 * @n_new: how many slots on from the cursor are among @slots; the others hold steps, which are
 *   replaced
 *
 * Writes steps at the cursor, announced block by block, then changes others in their place: one
 * change of the revision for all of them. A follower gets them by
 * reel_storage_list_replaced().
 */
void reel_storage_put_steps (ReelStorage *self, const ReelSteps *data, const gint64 *slots,
                             gint64 n, gint64 n_new);

/**
 * reel_storage_list_replaced:
 * @self: a storage
 * @seen: (inout): how many replaced steps the caller knows of; −1 for none of those there were
 * @slots: (out caller-allocates) (array length=room): the slots of the next ones, in their order
 * @room: of @slots
 *
 * Steps that took the place of others away from the cursor: their numbers are those of the steps
 * before them. Of storages with one dimension, where steps are rows. Any thread, with a number of
 * its own in @seen.
 *
 * Returns: how many there are in @slots, 0 when all are known; −1 where more were replaced since
 *   than are kept, which is as many as there are slots: any step may be another then
 */
gint64 reel_storage_list_replaced (ReelStorage *self, gint64 *seen, gint64 *slots, gint64 room);

/**
 * reel_storage_make_data:
 * @self: a storage without memory
 * @step: as for reel_storage_allocate()
 * @error: as reel_storage_allocate()
 *
 * The first half of reel_storage_allocate(), for who has more to do before anybody may see the
 * memory; reel_storage_adopt() is the second, and then does not fail.
 *
 * Returns: (transfer full): the allocation; @self is as before but for what its class keeps
 */
ReelTensordict *reel_storage_make_data (ReelStorage *self, ReelTensordict *step, GError **error);

/**
 * reel_storage_check_free:
 * @self: a storage
 * @error: RUNTIME where it is of a live buffer, or of one that was opened, or a block is out; what
 *   its gate says
 *
 * The writer's thread.
 *
 * Returns: whether its rows may be replaced or numbered anew
 */
gboolean reel_storage_check_free (ReelStorage *self, GError **error);

/**
 * reel_storage_seal:
 * @self: an allocated storage without a block out
 * @why: (transfer none): static; ends the message of the RUNTIME error that every write gives from
 *   now on. Emptying is a programming error then
 *
 * The writer's thread.
 */
void reel_storage_seal (ReelStorage *self, const char *why);

/**
 * reel_storage_adopt:
 * @self: a storage without memory
 * @data: `[capacity in steps, lanes…, …]`, every leaf contiguous: becomes the allocation
 * @error: VALUE when the batch size does not fit `ndim` or the capacity, a leaf is not contiguous
 *   or there are none; RUNTIME when memory is already held
 *
 * Uses loaded memory as it is; its shape sets lanes. Its steps must be those of the capacity: see
 * reel_storage_set_capacity(). The ring is empty: see reel_storage_restore() and
 * reel_storage_take_ring().
 *
 * Returns: whether it was adopted
 */
gboolean reel_storage_adopt (ReelStorage *self, ReelTensordict *data, GError **error);

/**
 * reel_storage_disown:
 * @self: a storage that adopted its memory and that nobody has read or written since
 * @capacity: what its capacity was before
 * @identity: what reel_storage_get_identity() said before
 *
 * Undoes reel_storage_allocate() and reel_storage_adopt(): what was made for the memory is removed.
 */
void reel_storage_disown (ReelStorage *self, gint64 capacity, guint64 identity);

/**
 * reel_storage_restore:
 * @self: an allocated storage that nobody reads
 * @begin: number of the oldest step
 * @end: one past the newest; its remainder modulo the capacity is the cursor
 *
 * Says which steps of the allocation are valid.
 */
void reel_storage_restore (ReelStorage *self, gint64 begin, gint64 end);

/**
 * reel_storage_take_ring:
 * @self: an allocated storage that nobody reads
 * @ring: (transfer full): a ring of the same capacity in steps, in whose counters the storage goes
 *   on
 *
 * Puts a ring in a file, created or opened, in the place of the one in memory.
 */
void reel_storage_take_ring (ReelStorage *self, ReelRing *ring);

/**
 * reel_storage_get_ring:
 * @self: a storage
 *
 * Returns: (transfer none) (nullable): its ring, %NULL before memory is there
 */
ReelRing *reel_storage_get_ring (ReelStorage *self);

/**
 * reel_memmap_storage_set_directory:
 * @self: a `memmap` storage
 * @path: its property `scratch-dir` from now on: where files will be made, or where those that are
 *   mapped were moved
 */
void reel_memmap_storage_set_directory (ReelStorage *self, const char *path);

/**
 * reel_memmap_storage_get_directory:
 * @self: a `memmap` storage
 *
 * Returns: (transfer none) (nullable): its property `scratch-dir`
 */
const char *reel_memmap_storage_get_directory (ReelStorage *self);

/**
 * reel_memmap_storage_get_type:
 *
 * Returns: the class of `memmap` storages, the one that can be made live
 */
GType reel_memmap_storage_get_type (void);

/**
 * reel_random_sampler_get_type:
 *
 * Returns: the class of the sampler that a buffer takes where none is given
 */
GType reel_random_sampler_get_type (void);

/**
 * reel_round_robin_writer_get_type:
 *
 * Returns: the class of the writer that a buffer takes where none is given
 */
GType reel_round_robin_writer_get_type (void);

/**
 * reel_immutable_writer_get_type:
 *
 * Returns: the class of the writer of data that came without one
 */
GType reel_immutable_writer_get_type (void);

/**
 * reel_storage_shares_rows:
 * @self: an allocated storage
 *
 * Returns: whether a process that is forked now shares its rows
 */
gboolean reel_storage_shares_rows (ReelStorage *self);

/* Steps lent to several who fill them at once. The number of a step tells its slot, and so its
 * place in each column; records are none. */

/**
 * reel_storage_most_ahead:
 * @self: an allocated storage
 *
 * Returns: steps that may be out at a time: half of them can still be read
 */
gint64 reel_storage_most_ahead (ReelStorage *self);

/**
 * ReelSettleFunc:
 * @data: of who lends
 *
 * Waits until nobody fills steps that were lent, and commits those that can be.
 */
typedef void (*ReelSettleFunc) (gpointer data);

/**
 * reel_storage_watch_ahead:
 * @self: a storage
 * @settle: (nullable): what is called before the storage is closed, until no step is out any more
 * @data: for it
 */
void reel_storage_watch_ahead (ReelStorage *self, ReelSettleFunc settle, gpointer data);

/**
 * reel_storage_settle_ahead:
 * @self: a storage that is to be closed
 *
 * Has the steps that are out committed, and takes back the rest. The writer's thread.
 */
void reel_storage_settle_ahead (ReelStorage *self);

/**
 * reel_storage_lend_ahead:
 * @self: an allocated storage of columns
 * @n_steps: steps, which are with those that are out at most reel_storage_most_ahead()
 * @first_step: (out): number of the first
 * @error: as reel_storage_reserve()
 *
 * Lends the steps after those that are out already. The oldest steps that they overwrite can no
 * longer be read. The writer's thread; any thread or process may fill them.
 *
 * Returns: whether they were lent
 */
gboolean reel_storage_lend_ahead (ReelStorage *self, gint64 n_steps, gint64 *first_step,
                                  GError **error);

/**
 * reel_storage_commit_ahead:
 * @self: a storage that lent at least these steps
 * @n_steps: how many of the oldest to publish
 *
 * Makes them readable at once. The writer's thread, once those who fill them have handed over.
 */
void reel_storage_commit_ahead (ReelStorage *self, gint64 n_steps);

/**
 * reel_storage_drop_ahead:
 * @self: a storage
 *
 * Takes back all steps that are out. Nobody fills them any more.
 */
void reel_storage_drop_ahead (ReelStorage *self);

G_END_DECLS
