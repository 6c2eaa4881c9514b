/* The arrays of an episode in a dataset of Minari that is written. Private to the library; only
 * there where it was configured with HDF5. */
#pragma once

#include "export-rows.h"
#include "minari-spaces.h"

G_BEGIN_DECLS

/**
 * ReelMinariUse:
 * @REEL_MINARI_STEP: a row for each step
 * @REEL_MINARI_STATE: the row before the first step, then one after each
 * @REEL_MINARI_TERMINATION: whether a step ends its episode
 * @REEL_MINARI_TRUNCATION: whether a step is the last of an episode that does not end there
 *
 * Which rows an array has.
 */
typedef enum
{
  REEL_MINARI_STEP,
  REEL_MINARI_STATE,
  REEL_MINARI_TERMINATION,
  REEL_MINARI_TRUNCATION,
} ReelMinariUse;

/**
 * ReelMinariArray:
 * @rows: of which rows
 * @use: which of them
 * @form: how elements are stored
 * @column: (nullable): the key; of flags %NULL
 * @next: (nullable): of states the key below `next`
 * @stream: gives the rows, of one episode after another
 * @n_lost: states below `next` that are not the next row of their episode
 * @episode: that is read
 * @at: its next row
 *
 * An array, and its rows on their way to a file.
 */
typedef struct
{
  const ReelExportRows *rows;
  ReelMinariUse use;
  ReelMinariForm form;
  const ReelColumn *column;
  const ReelColumn *next;
  ReelRowStream stream;
  gint64 n_lost;
  guint episode;
  gint64 at;
} ReelMinariArray;

/**
 * reel_minari_array_begin:
 * @self: an array of which the first five fields are set
 *
 * Sets the others, for the first row.
 */
void reel_minari_array_begin (ReelMinariArray *self);

/**
 * reel_minari_array_count_rows:
 * @self: an array
 * @episode: number of an episode
 *
 * Returns: its rows of that episode
 */
gint64 reel_minari_array_count_rows (const ReelMinariArray *self, gint64 episode);

/**
 * reel_minari_array_count_all:
 * @self: an array
 *
 * Returns: its rows of all episodes
 */
gint64 reel_minari_array_count_all (const ReelMinariArray *self);

/**
 * reel_minari_array_get_dtype:
 * @self: an array
 *
 * Returns: the type of its elements in the file
 */
ReelDtype reel_minari_array_get_dtype (const ReelMinariArray *self);

G_END_DECLS
