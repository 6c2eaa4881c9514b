/* The rows of a buffer on their way to a file: episode after episode. Private to the library. */
#pragma once

#include "../buffers/replay-buffer.h"
#include "../core/formats/row-stream.h"

G_BEGIN_DECLS

/**
 * ReelExportPiece:
 * @first_row: number of its first row, as #ReelStorageView counts rows
 * @n_steps: its steps, at least 1
 * @first_step: steps of its episode before it
 *
 * Steps of an episode that follow each other in a lane.
 */
typedef struct
{
  gint64 first_row;
  gint64 n_steps;
  gint64 first_step;
} ReelExportPiece;

/**
 * ReelExportEpisode:
 * @first_piece: the first of its pieces
 * @n_pieces: how many, at least 1
 * @n_steps: its steps
 * @cut: whether its end is not stored, and its last row counts as truncated
 *
 * An episode, or what the buffer has of it. Its pieces are one, but where workers that do not wait
 * for each other wrote their batches in turn.
 */
typedef struct
{
  guint first_piece;
  guint n_pieces;
  gint64 n_steps;
  gboolean cut;
} ReelExportEpisode;

/**
 * ReelExportRows:
 * @storage: of columns, which nobody writes
 * @view: its rows
 * @columns: (array length=n_columns): its columns
 * @n_columns: how many
 * @pieces: (element-type ReelExportPiece): those of an episode one after the other
 * @episodes: (element-type ReelExportEpisode): lane after lane, each in order of time
 * @n_rows: steps of all episodes
 * @n_cut: how many of @episodes are cut
 *
 * The rows that are exported.
 */
typedef struct
{
  ReelStorage *storage;
  ReelStorageView view;
  const ReelColumn *columns;
  guint n_columns;
  GArray *pieces;
  GArray *episodes;
  gint64 n_rows;
  gint64 n_cut;
} ReelExportRows;

/**
 * reel_export_rows_new:
 * @buffer: a buffer
 * @error: RUNTIME without rows; NOT_IMPLEMENTED for rows that have no columns; NO_SPACE
 *
 * Finds the episodes. Where nothing separates them, each lane is one. Pieces of one trajectory id
 * are joined where the first has no end, and its last row leads to the first row of the second.
 *
 * Returns: (transfer full): the rows, valid while @buffer is
 */
ReelExportRows *reel_export_rows_new (ReelReplayBuffer *buffer, GError **error);

/**
 * reel_export_rows_store_ends:
 * @self: rows
 *
 * Returns: whether they have a flag that says where an episode was cut
 */
gboolean reel_export_rows_store_ends (const ReelExportRows *self);

/**
 * reel_export_rows_free:
 * @self: (nullable) (transfer full): rows
 */
void reel_export_rows_free (ReelExportRows *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelExportRows, reel_export_rows_free)

/**
 * reel_export_rows_get_leaf:
 * @self: rows
 * @column: one of its columns
 *
 * Returns: (transfer none): the leaf, whose first dimensions are those of the storage
 */
const ReelTensor *reel_export_rows_get_leaf (const ReelExportRows *self, const ReelColumn *column);

/**
 * reel_export_rows_get_shape:
 * @self: rows
 * @column: one of its columns
 * @ndim: (out): dimensions of a row
 *
 * Returns: (transfer none) (array length=ndim): extents of a row
 */
const gint64 *reel_export_rows_get_shape (const ReelExportRows *self, const ReelColumn *column,
                                          gint *ndim);

/**
 * reel_export_rows_find:
 * @self: rows
 * @path: a key
 *
 * Returns: (transfer none) (nullable): the column of that key
 */
const ReelColumn *reel_export_rows_find (const ReelExportRows *self, const char *path);

/**
 * reel_export_rows_copy:
 * @self: rows
 * @column: one of its columns
 * @episode: an episode
 * @step: its first step to copy
 * @n: how many
 * @to: where they go
 *
 * Copies rows of an episode, and lets go of the pages of a mapped file.
 */
void reel_export_rows_copy (const ReelExportRows *self, const ReelColumn *column,
                            const ReelExportEpisode *episode, gint64 step, gint64 n, guint8 *to);

/**
 * reel_export_rows_count_differences:
 * @self: rows
 * @next: a column
 * @column: another, whose rows are as large
 * @episode: an episode
 * @step: a step
 * @n: how many; the last is not the last of @episode
 *
 * Compares rows of @next with those of @column a step later, and lets go of the pages of a mapped
 * file.
 *
 * Returns: how many differ
 */
gint64 reel_export_rows_count_differences (const ReelExportRows *self, const ReelColumn *next,
                                           const ReelColumn *column,
                                           const ReelExportEpisode *episode, gint64 step, gint64 n);

/**
 * ReelExportColumn:
 * @rows: of which rows
 * @column: the column
 * @marks: whether its last row of a cut episode becomes true
 * @episode: that is read
 * @step: its next step
 *
 * The rows of a column, one after the other, for the `read` of a #ReelRowStream.
 */
typedef struct
{
  const ReelExportRows *rows;
  const ReelColumn *column;
  gboolean marks;
  guint episode;
  gint64 step;
} ReelExportColumn;

/**
 * reel_export_column_init:
 * @self: (out caller-allocates): the column
 * @rows: rows
 * @column: one of their columns
 *
 * Begins with the first row. The flags `next/done` and `next/truncated` are marked.
 */
void reel_export_column_init (ReelExportColumn *self, const ReelExportRows *rows,
                              const ReelColumn *column);

/**
 * reel_export_column_read:
 * @data: a #ReelExportColumn
 * @to: where the rows go
 * @n: how many, of those that are left
 */
void reel_export_column_read (gpointer data, guint8 *to, gint64 n);

G_END_DECLS
