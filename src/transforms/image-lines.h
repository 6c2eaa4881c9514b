/* Rows of images as they are summed: of one type, gray where asked, without what nobody reads.
 * Private. */
#pragma once

#include "image-kernel.h"
#include "image-layout.h"
#include "resampling.h"

G_BEGIN_DECLS

/**
 * ReelLineKind:
 * @gray: whether the three elements of a pixel become one
 * @unit: whether bytes are divided by 255 before that. If not, gray ones are as `gray_bytes` has
 *   it
 *
 * What pixels become.
 */
typedef struct
{
  gboolean gray;
  gboolean unit;
} ReelLineKind;

/**
 * ReelLines:
 * @n: pixels of a line
 * @inner: elements of a pixel
 * @first: (array): where a line has the first source of each column of the result
 *
 * The rows of one image after the other. A row that was made a line is kept while the rows behind
 * it are asked for, as many as one row of the result is made of.
 */
typedef struct
{
  gint64 n;
  gint64 inner;
  gint32 *first;
  /*< private >*/
  const ReelImageKernels *kernels;
  const ReelImages *images;
  ReelDtype dtype;
  ReelLineKind kind;
  gsize row_size;  /* bytes of a row of the image */
  gsize line_size; /* and of a line */
  const guint8 *image;
  gint64 expected;  /* rows before the next to fetch */
  gint64 n_runs;    /* pieces of a row that are read; 0: all is one */
  gsize run_size;   /* bytes of a piece */
  gsize *starts;    /* bytes of the row before each */
  guint8 *picked;   /* they of a row */
  ReelTensor *kept; /* lines; NULL: rows are lines as they are */
  gint64 *rows;     /* of which rows they are; −1 for none */
} ReelLines;

/**
 * reel_lines_init:
 * @self: (out caller-allocates): what to fill
 * @kernels: of the level to use
 * @images: images that outlive @self, of bytes or of @dtype
 * @dtype: elements of lines: float32 or float64; float32 of bytes
 * @kind: what pixels become
 * @columns: (nullable): what is read of a line; %NULL for all
 * @n_rows: rows of which one row of the result is made, at most
 * @error: NO_SPACE
 *
 * Returns: whether it was filled; reel_lines_clear() is due in any case
 */
gboolean reel_lines_init (ReelLines *self, const ReelImageKernels *kernels,
                          const ReelImages *images, ReelDtype dtype, ReelLineKind kind,
                          const ReelResampling *columns, gint64 n_rows, GError **error);

/**
 * reel_lines_begin:
 * @self: lines
 * @i: which image
 *
 * From now on the rows are those of another image.
 */
void reel_lines_begin (ReelLines *self, gint64 i);

/**
 * reel_lines_get:
 * @self: lines
 * @row: of the image
 *
 * Returns: (transfer none): the line, until `n_rows` others have been asked for
 */
gconstpointer reel_lines_get (ReelLines *self, gint64 row);

/**
 * reel_lines_write:
 * @self: lines of all pixels
 * @row: of the image
 * @line: (array): where to write the line
 */
void reel_lines_write (const ReelLines *self, gint64 row, gpointer line);

/**
 * reel_lines_expect:
 * @self: lines
 * @row: of the image
 *
 * Fetches a row from memory, unless it or one behind it was expected before: it will be asked for
 * soon.
 */
void reel_lines_expect (ReelLines *self, gint64 row);

/**
 * reel_lines_clear:
 * @self: lines
 */
void reel_lines_clear (ReelLines *self);

G_END_DECLS
