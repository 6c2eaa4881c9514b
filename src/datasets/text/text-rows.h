/* Rows of texts in a file of JSON Lines or CSV, one after the other. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * REEL_MAX_TEXT_COLUMNS:
 *
 * Columns that are read of a file.
 */
#define REEL_MAX_TEXT_COLUMNS 3

/**
 * ReelTextRows:
 *
 * A file that is mapped, and a place in it. One thread uses it.
 */
typedef struct _ReelTextRows ReelTextRows;

/**
 * ReelTextRead:
 * @REEL_TEXT_FAILED: the error is set
 * @REEL_TEXT_END: there are no more rows
 * @REEL_TEXT_ROW: a row was read
 */
typedef enum
{
  REEL_TEXT_FAILED,
  REEL_TEXT_END,
  REEL_TEXT_ROW,
} ReelTextRead;

/**
 * reel_text_rows_open:
 * @path: a file whose name ends in `.jsonl`, `.ndjson` or `.csv`
 * @columns: (array zero-terminated=1): the keys of the texts of a row, at most
 *   %REEL_MAX_TEXT_COLUMNS
 * @error: VALUE for another ending; KEY where the first line of a CSV file lacks a column; IO
 *
 * Returns: (transfer full): the rows
 */
ReelTextRows *reel_text_rows_open (const char *path, const char *const *columns, GError **error);

/**
 * reel_text_rows_next:
 * @self: rows
 * @texts: (out) (array): a text for each column, valid until the next call
 * @error: DAMAGED with the line, for what is no JSON object, CSV or UTF-8, or has no such text
 *
 * Empty lines are no rows.
 *
 * Returns: what was read
 */
ReelTextRead reel_text_rows_next (ReelTextRows *self, const char **texts, GError **error);

/**
 * reel_text_rows_rewind:
 * @self: rows, which begin anew
 */
void reel_text_rows_rewind (ReelTextRows *self);

/**
 * reel_text_rows_close:
 * @self: (transfer full): rows
 */
void reel_text_rows_close (ReelTextRows *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTextRows, reel_text_rows_close)

G_END_DECLS
