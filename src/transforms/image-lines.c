/* The rows of an image as lines to sum: widened, gray, and without pixels that nobody reads, each
 * made once. */
#include "image-lines.h"

#include "../core/tensor/tensor-private.h"

#include <string.h>

#define WORD 8
#define CACHE_LINE 64

/* ---- the pixels that are read ---- */

/* Runs as long as the longest, so that one begins a known way behind the other. */
static void
find_runs (ReelLines *self, const ReelResampling *columns)
{
  gsize pixel = self->row_size / (gsize) self->images->width;
  gint64 run;

  if (columns == NULL)
    return;
  run = columns->most;
  self->first = g_new (gint32, columns->n);
  for (gint64 i = 0; i < columns->n; i++)
    self->first[i] = columns->first[i];
  if (columns->n > self->images->width / 2 / run)
    return;
  self->n = run * columns->n;
  self->n_runs = columns->n;
  self->run_size = (gsize) run * pixel;
  self->starts = g_new (gsize, columns->n);
  for (gint64 i = 0; i < columns->n; i++)
    {
      self->starts[i] = (gsize) columns->first[i] * pixel;
      self->first[i] = (gint32) (i * run);
    }
}

/* Word by word: what is too much of one run is where the next one goes. Not beyond the row. */
static const guint8 *
pick (const ReelLines *self, const guint8 *row)
{
  gsize run = self->run_size, words = (run + WORD - 1) / WORD * WORD;
  guint8 *to = self->picked;

  if (self->n_runs == 0)
    return row;

  const gsize *start = self->starts, *end = start + self->n_runs;

  for (; start < end && *start + words <= self->row_size; start++, to += run)
    for (gsize at = 0; at < words; at += WORD)
      memcpy (to + at, row + *start + at, WORD);
  for (; start < end; start++, to += run)
    memcpy (to, row + *start, MIN (run, self->row_size - *start));
  return self->picked;
}

/* ---- lines ---- */

static void
make (const ReelLines *self, const guint8 *row, gpointer line)
{
  const guint8 *pixels = pick (self, row);
  gboolean bytes = self->images->pixels->dtype == REEL_DTYPE_UINT8;

  if (bytes && self->kind.gray)
    (self->kind.unit ? self->kernels->gray_unit_bytes : self->kernels->gray_bytes) (pixels, line,
                                                                                    self->n);
  else if (bytes)
    (self->kind.unit ? self->kernels->to_unit_u8 : self->kernels->widen_u8) (pixels, line,
                                                                             self->n * self->inner);
  else if (!self->kind.gray)
    memcpy (line, pixels, self->line_size);
  else if (self->dtype == REEL_DTYPE_FLOAT32)
    self->kernels->gray_f32 ((const float *) pixels, (const float *) pixels + 1,
                             (const float *) pixels + 2, 3, line, self->n);
  else
    self->kernels->gray_f64 ((const double *) pixels, (const double *) pixels + 1,
                             (const double *) pixels + 2, 3, line, self->n);
}

gboolean
reel_lines_init (ReelLines *self, const ReelImageKernels *kernels, const ReelImages *images,
                 ReelDtype dtype, ReelLineKind kind, const ReelResampling *columns, gint64 n_rows,
                 GError **error)
{
  gint64 shape[2] = { MIN (n_rows, images->height), 0 };
  gsize pixel = (gsize) images->inner * reel_dtype_size (images->pixels->dtype);

  *self = (ReelLines){ .n = images->width,
                       .inner = kind.gray ? 1 : images->inner,
                       .kernels = kernels,
                       .images = images,
                       .dtype = dtype,
                       .kind = kind,
                       .row_size = (gsize) images->width * pixel };
  find_runs (self, columns);
  shape[1] = self->n * self->inner;
  self->line_size = (gsize) shape[1] * reel_dtype_size (dtype);
  if (self->n_runs == 0 && !kind.gray && images->pixels->dtype == dtype)
    return TRUE;
  self->kept = reel_tensor_new_unfilled (dtype, 2, shape, error);
  self->picked = g_malloc ((gsize) self->n_runs * self->run_size + WORD);
  self->rows = g_new (gint64, shape[0]);
  return self->kept != NULL;
}

void
reel_lines_begin (ReelLines *self, gint64 i)
{
  self->image = self->images->data + (gsize) i * self->images->image_bytes;
  self->expected = 0;
  for (gint64 k = 0; self->kept && k < self->kept->shape[0]; k++)
    self->rows[k] = -1;
}

/* The processor sees the next rows come only where all are read. */
void
reel_lines_expect (ReelLines *self, gint64 row)
{
  const guint8 *at = self->image + (gsize) row * self->images->row_bytes;

  if (!self->kept || row < self->expected)
    return;
  self->expected = row + 1;
  for (gsize i = 0; i < self->row_size; i += CACHE_LINE)
    __builtin_prefetch (at + i, 0, 2);
}

gconstpointer
reel_lines_get (ReelLines *self, gint64 row)
{
  const guint8 *at = self->image + (gsize) row * self->images->row_bytes;
  gint64 place;
  guint8 *line;

  if (!self->kept)
    return at;
  /* As many places as a window has rows, so that no two rows of a window share one. */
  place = row % self->kept->shape[0];
  line = self->kept->data + (gsize) place * self->line_size;
  if (self->rows[place] != row)
    make (self, at, line);
  self->rows[place] = row;
  return line;
}

void
reel_lines_write (const ReelLines *self, gint64 row, gpointer line)
{
  make (self, self->image + (gsize) row * self->images->row_bytes, line);
}

void
reel_lines_clear (ReelLines *self)
{
  g_clear_pointer (&self->kept, reel_tensor_unref);
  g_free (self->rows);
  g_free (self->picked);
  g_free (self->starts);
  g_free (self->first);
}
