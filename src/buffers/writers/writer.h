/* Writers: the choice of the slots of new rows. */
#pragma once

#include "../storages/storage.h"

G_BEGIN_DECLS

/**
 * ReelWriter:
 *
 * Where new data go in a storage. Used by the one thread that writes.
 *
 * Ids: `round-robin` (`RoundRobinWriter`): around the ring, the newest over the oldest; with
 * `track-generations` batches say of each row how often its slot was written, `index_generation`.
 * `tensordict-round-robin` (`TensorDictRoundRobinWriter`): the same, and rows hold their slot as
 * `index`. `immutable` (`ImmutableDatasetWriter`): refuses every write. `max-value`
 * (`TensorDictMaxValueWriter`): keeps the rows of the greatest ranks: `rank-key` says where ranks
 * stand (default `next/reward`), `reduction` how several of a row become one (default `sum`).
 */
#define REEL_TYPE_WRITER (reel_writer_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelWriter, reel_writer, REEL, WRITER, ReelObject)

/**
 * ReelWriterRows:
 * @storage: what a writer writes to
 * @data: (nullable): the rows that it is going to hold, by slot from 0 on: `[slots, …]`, or a list
 *   of values; %NULL for those that it holds
 * @view: which of them can be read then
 *
 * The rows that a state of a writer was said of.
 */
typedef struct
{
  ReelStorage *storage;
  ReelTensordict *data;
  ReelStorageView view;
} ReelWriterRows;

/**
 * ReelWriterClass:
 * @peer_name: TorchRL's name of the class, for printing
 * @refusal: %NULL, or why nothing is ever written: the words of the RUNTIME error that every write
 *   and emptying give. The other slots are left out then
 * @check: optional. Whether it can write to @storage, which holds memory or not: asked when a
 *   buffer takes the writer, and before each write
 * @bind: optional. Prepares @storage, when a buffer takes the writer or the storage
 * @complete: optional. The stored form of @data, before the layout is fixed and
 *   checked: a tensordict of the same batch size, (transfer full)
 * @extend: required. Stores @data, n ≥ 1 steps `[n, lanes…]` whose layout was checked against the
 *   allocated @storage, and sets @slots (nullable, n long) to the slot of each step, −1 where it
 *   was rejected
 * @add: optional, for what needs no @complete. Stores one step `[lanes…]`, at the cursor, where
 *   @storage takes it as it is, and says whether it did: else it comes again by @extend
 * @reserve: optional, %NULL for a writer that cannot say beforehand where data go. Lends steps as
 *   reel_storage_reserve() does
 * @describe: optional. TorchRL's print behind the cursor, `, name=value` for each property
 * @dup_state: optional. Adds to a state what it must know beside the counts to go on. May be asked
 *   from within a write, of what can be read then
 * @read_state: optional, with @take_state and @free_state. The values of such a state for a writer
 * of
 *   @rows, checked; changes nothing. @said stays %NULL where that is nothing beside the counts
 * @take_state: goes on from what @read_state said, nullable, once @storage holds these rows
 * @free_state: frees it, taken or not
 *
 * Virtual functions of a writer.
 */
struct _ReelWriterClass
{
  ReelObjectClass parent_class;

  const char *peer_name;
  const char *refusal;
  gboolean (*check) (ReelWriter *self, ReelStorage *storage, GError **error);
  void (*bind) (ReelWriter *self, ReelStorage *storage);
  ReelTensordict *(*complete) (ReelWriter *self, ReelStorage *storage, ReelTensordict *data,
                               GError **error);
  gboolean (*extend) (ReelWriter *self, ReelStorage *storage, ReelTensordict *data, gint64 *slots,
                      GError **error);
  gboolean (*add) (ReelWriter *self, ReelStorage *storage, ReelTensordict *step, gboolean *added,
                   GError **error);
  gboolean (*reserve) (ReelWriter *self, ReelStorage *storage, gint64 n_steps,
                       ReelReservation *block, GError **error);
  char *(*describe) (ReelWriter *self);
  gboolean (*dup_state) (ReelWriter *self, ReelStorage *storage, ReelTensordict *state,
                         GError **error);
  gboolean (*read_state) (ReelWriter *self, const ReelWriterRows *rows, const ReelTensordict *state,
                          gpointer *said, GError **error);
  void (*take_state) (ReelWriter *self, ReelStorage *storage, gpointer said);
  GDestroyNotify free_state;
};

/**
 * reel_writer_extend:
 * @self: a writer
 * @storage: where to
 * @data: `[n, lanes…]`; the first write allocates @storage in the layout of its first step
 * @slots: (out caller-allocates) (optional): the slot that each of the n steps got, −1 where
 *   it was rejected
 * @error: RUNTIME "Expected at least one element in extend." for n = 0, VALUE for
 *   fewer batch dimensions than the storage has, RUNTIME for lanes or feature shapes that differ
 *   from the storage's, KEY for keys that differ, TYPE for dtypes that differ, NO_SPACE; RUNTIME
 * "This dataset doesn't allow writing." of an `immutable` writer
 *
 * Stores all of @data or, on failure, nothing. More steps than the storage holds are fine: the
 * later ones win. The writer's thread.
 *
 * Returns: whether the data were stored
 */
REEL_API
gboolean reel_writer_extend (ReelWriter *self, ReelStorage *storage, ReelTensordict *data,
                             gint64 *slots, GError **error);

/**
 * reel_writer_reserve:
 * @self: a writer
 * @storage: where to
 * @n_steps: steps wanted, at least 1
 * @block: (out caller-allocates): what is lent; reel_storage_commit() ends it
 * @error: RUNTIME as reel_storage_reserve(), or when this kind of writer lends nothing
 *
 * Returns: whether @block was lent
 */
REEL_API
gboolean reel_writer_reserve (ReelWriter *self, ReelStorage *storage, gint64 n_steps,
                              ReelReservation *block, GError **error);

/**
 * reel_writer_check:
 * @self: a writer
 * @storage: what it is to write to
 * @error: VALUE from a `max-value` writer where @storage has more than one dimension
 *
 * Returns: whether it can; reel_replay_buffer_new() asks
 */
REEL_API
gboolean reel_writer_check (ReelWriter *self, ReelStorage *storage, GError **error);

/**
 * reel_writer_bind:
 * @self: a writer
 * @storage: what it is to write to
 * @error: as reel_writer_check()
 *
 * Makes both ready for each other. A buffer that takes one of them does this. The writer's thread.
 *
 * Returns: whether it can write to @storage
 */
REEL_API
gboolean reel_writer_bind (ReelWriter *self, ReelStorage *storage, GError **error);

/**
 * reel_writer_may_write:
 * @self: a writer
 * @error: RUNTIME "This dataset doesn't allow writing."
 *
 * Returns: whether its class ever writes; else every write, and emptying, gives that error
 */
REEL_API
gboolean reel_writer_may_write (ReelWriter *self, GError **error);

/**
 * reel_writer_dup_state:
 * @self: a writer
 * @storage: what it writes to
 * @error: what the class says; NO_SPACE
 *
 * TorchRL's `writer.state_dict ()`, with the same keys: `_cursor` and `_write_count`, int64, which
 * an `immutable` writer has not. Of a `max-value` writer also `_rank_key`, its path, and
 * `_current_top_values`, `[n, 2]`: rank and slot of each row, as a binary heap; int64 where ranks
 * are integers, else float32, or float64 where float32 would lose digits. The writer's thread.
 *
 * Returns: (transfer full): a tensordict without batch dimensions, apart from @self
 */
REEL_API
ReelTensordict *reel_writer_dup_state (ReelWriter *self, ReelStorage *storage, GError **error);

/**
 * reel_writer_set_state:
 * @self: a writer
 * @storage: what it writes to, with the rows of which @state was said
 * @state: what reel_writer_dup_state() said. Without `_write_count` the count goes on; keys of
 *   other classes are left alone
 * @error: KEY, TYPE for what is missing or of another kind; VALUE where @storage goes on at another
 *   slot, or the ranks are not those of its rows
 *
 * Goes on from @state. The writer's thread.
 *
 * Returns: whether it does; else it is as before
 */
REEL_API
gboolean reel_writer_set_state (ReelWriter *self, ReelStorage *storage, const ReelTensordict *state,
                                GError **error);

/**
 * reel_writer_to_string:
 * @self: a writer
 * @storage: what it writes to
 *
 * Returns: (transfer full): what TorchRL prints of the like writer:
 *   `RoundRobinWriter(cursor=3, full_storage=False)`
 */
REEL_API
char *reel_writer_to_string (ReelWriter *self, ReelStorage *storage);

G_END_DECLS
