/* Rows that were stored elsewhere, in files or in memory, into a storage. Private. */
#pragma once

#include "ring.h"
#include "row-copy.h"
#include "storage.h"

G_BEGIN_DECLS

/**
 * ReelStoredRows:
 * @name: what they are, for messages: a path
 * @data: `[slots, lanes…, …]`, every leaf contiguous
 * @begin: number of the oldest step that is valid; its slot is the remainder
 * @end: one past the newest
 * @ring: (nullable): in which another process goes on to write
 * @values: (element-type ReelStoredValue) (nullable): what the slots hold, from 0 on, where these
 *   are rows of a storage of values; of @data is then nothing but its shape
 * @unpack: (nullable): copies rows that lie otherwise than in memory, as reel_row_copy_run() does
 *   others; of @data is then nothing but its outline
 * @packed: for @unpack
 *
 * A ring that lies somewhere.
 */
typedef struct
{
  const char *name;
  ReelTensordict *data;
  gint64 begin;
  gint64 end;
  const ReelRing *ring;
  GPtrArray *values;
  void (*unpack) (gpointer packed, const ReelRowCopy *copy);
  gpointer packed;
} ReelStoredRows;

/**
 * reel_stored_rows_clear:
 * @self: rows of reel_storage_read_state(), all zeros afterwards
 */
void reel_stored_rows_clear (ReelStoredRows *self);

/**
 * reel_stored_rows_count_lanes:
 * @self: rows
 * @ndim: storage dimensions
 *
 * Returns: rows a step, −1 where there are fewer dimensions
 */
gint64 reel_stored_rows_count_lanes (const ReelStoredRows *self, gint ndim);

/**
 * reel_stored_rows_move:
 * @self: rows that fit
 * @storage: where they are to go
 *
 * Returns: whether they come to other slots: into another capacity they come in order of time, the
 *   oldest to slot 0
 */
gboolean reel_stored_rows_move (const ReelStoredRows *self, ReelStorage *storage);

/**
 * reel_stored_rows_check:
 * @self: rows
 * @storage: where they are to go
 * @error: VALUE where lanes, capacity, keys, shapes or dtypes do not fit
 *
 * Returns: whether they do, space aside
 */
gboolean reel_stored_rows_check (const ReelStoredRows *self, ReelStorage *storage, GError **error);

/**
 * reel_stored_rows_get_view:
 * @self: rows that fit
 * @storage: where they are to go
 * @view: (out): what can be read of @storage once they are there
 */
void reel_stored_rows_get_view (const ReelStoredRows *self, ReelStorage *storage,
                                ReelStorageView *view);

/**
 * ReelRowMove:
 * @rows: what is moved
 * @storage: (nullable): where to; %NULL once it was done
 * @capacity: of @storage before it got its memory for them, 0 where it had it before
 * @identity: of @storage then
 * @from: (nullable): rows of columns, as a storage
 * @values: (element-type ReelStoredValue) (nullable): rows of values, in order of time
 *
 * Rows on their way into a storage, with all that this takes.
 */
typedef struct
{
  ReelStoredRows rows;
  ReelStorage *storage;
  gint64 capacity;
  guint64 identity;
  ReelStorage *from;
  GPtrArray *values;
} ReelRowMove;

/**
 * reel_row_move_prepare:
 * @self: (out caller-allocates): a move; to be given to reel_row_move_clear()
 * @rows: rows that fit, which must stay until it was run
 * @storage: where they are to go; one without memory takes their layout, and names of dimensions
 * @error: NO_SPACE
 *
 * Does all that can fail.
 *
 * Returns: whether it can be run
 */
gboolean reel_row_move_prepare (ReelRowMove *self, const ReelStoredRows *rows, ReelStorage *storage,
                                GError **error);

/**
 * reel_row_move_adopt:
 * @self: (out caller-allocates): a move; to be given to reel_row_move_clear()
 * @rows: rows that fit
 * @storage: one without memory, of which @rows become the memory as they lie there
 * @error: as reel_storage_adopt()
 *
 * As reel_row_move_prepare(), for a move that copies nothing.
 *
 * Returns: whether it can be run
 */
gboolean reel_row_move_adopt (ReelRowMove *self, const ReelStoredRows *rows, ReelStorage *storage,
                              GError **error);

/**
 * reel_row_move_run:
 * @self: a move that was prepared
 *
 * The valid rows are in the storage afterwards, and no others. Numbers of steps stay what they are,
 * but for those that move.
 */
void reel_row_move_run (ReelRowMove *self);

/**
 * reel_row_move_clear:
 * @self: a move; all zeros afterwards. Where it was not run, the storage is as before
 */
void reel_row_move_clear (ReelRowMove *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelRowMove, reel_row_move_clear)

/**
 * reel_stored_rows_load:
 * @self: rows that fit
 * @storage: where they go; one without memory takes their layout, and names of dimensions
 * @error: NO_SPACE
 *
 * Prepares a move, and runs it.
 *
 * Returns: whether @storage holds them; else it is as before
 */
gboolean reel_stored_rows_load (const ReelStoredRows *self, ReelStorage *storage, GError **error);

/**
 * reel_storage_read_state:
 * @self: a storage
 * @state: as for reel_storage_set_state()
 * @rows: (out caller-allocates): the rows of @state, which fit; without data where there are none.
 *   To be given to reel_stored_rows_clear()
 * @error: as reel_storage_set_state()
 *
 * Changes nothing.
 *
 * Returns: whether @self can take @state
 */
gboolean reel_storage_read_state (ReelStorage *self, const ReelTensordict *state,
                                  ReelStoredRows *rows, GError **error);

G_END_DECLS
