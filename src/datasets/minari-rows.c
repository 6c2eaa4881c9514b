#include "minari-rows.h"

#include "../core/tensor/convert-kernel.h"

#include <string.h>

#define DONE "next/done"
#define TERMINATED "next/terminated"
#define TRUNCATED "next/truncated"

/* ---- elements ---- */

static void
convert (ReelDtype from, const guint8 *rows, ReelDtype to, guint8 *at, gsize n)
{
  ReelIsa isa;

  reel_isa_choose (&isa, NULL);
  REEL_KERNEL_PICK (reel_convert_kernels, isa)->convert (from, rows, to, at, n);
}

/* The place of the first element that is not zero. */
static gint64
find_class (const guint8 *flags, gsize n)
{
  const guint8 *found = memchr (flags, 1, n);

  return found ? found - flags : 0;
}

static void
put_classes (const ReelMinariArray *self, const guint8 *rows, gint64 n, guint8 *to)
{
  const gsize n_elements = self->column->row_bytes / reel_dtype_size (self->column->dtype);
  g_autofree guint8 *flags = g_malloc ((gsize) n * n_elements + 1);

  convert (self->column->dtype, rows, REEL_DTYPE_BOOL, flags, (gsize) n * n_elements);
  for (gint64 i = 0; i < n; i++)
    {
      const gint64 class = find_class (flags + (gsize) i * n_elements, n_elements);

      memcpy (to + (gsize) i * sizeof class, &class, sizeof class);
    }
}

static void
put (const ReelMinariArray *self, const ReelColumn *column, const ReelExportEpisode *episode,
     gint64 step, gint64 n, guint8 *to)
{
  const ReelDtype dtype = reel_minari_array_get_dtype (self);
  g_autofree guint8 *rows = NULL;

  if (self->form != REEL_MINARI_CLASS && dtype == column->dtype)
    {
      reel_export_rows_copy (self->rows, column, episode, step, n, to);
      return;
    }
  rows = g_malloc ((gsize) n * column->row_bytes + 1);
  reel_export_rows_copy (self->rows, column, episode, step, n, rows);
  if (self->form == REEL_MINARI_CLASS)
    put_classes (self, rows, n, to);
  else
    convert (column->dtype, rows, dtype, to,
             (gsize) n * column->row_bytes / reel_dtype_size (column->dtype));
}

/* ---- states ---- */

/* A row of @next is not written where another of its episode follows, which is to be the same. */
static void
compare (ReelMinariArray *self, const ReelExportEpisode *episode, gint64 step, gint64 n)
{
  n = MIN (n, episode->n_steps - 1 - step);
  if (n > 0)
    self->n_lost +=
        reel_export_rows_count_differences (self->rows, self->next, self->column, episode, step, n);
}

/* ---- flags ---- */

/* The flags of some steps; zeros without a key. */
static guint8 *
read_flags (const ReelMinariArray *self, const char *path, const ReelExportEpisode *episode,
            gint64 step, gint64 n)
{
  const ReelColumn *column = reel_export_rows_find (self->rows, path);
  guint8 *flags = g_malloc0 ((gsize) n);

  if (column && column->row_bytes == reel_dtype_size (column->dtype))
    {
      g_autofree guint8 *rows = g_malloc ((gsize) n * column->row_bytes);

      reel_export_rows_copy (self->rows, column, episode, step, n, rows);
      convert (column->dtype, rows, REEL_DTYPE_BOOL, flags, (gsize) n);
    }
  return flags;
}

/* A step that is done, and not by the other flag, ends by this one; the last of an episode that
 * ends by neither is truncated. */
static void
put_flags (const ReelMinariArray *self, const ReelExportEpisode *episode, gint64 step, gint64 n,
           guint8 *to)
{
  const gboolean terminates = self->use == REEL_MINARI_TERMINATION;
  const char *path = terminates ? TERMINATED : TRUNCATED;
  const gboolean stored = reel_export_rows_find (self->rows, path) != NULL;
  g_autofree guint8 *own = read_flags (self, path, episode, step, n);
  g_autofree guint8 *other =
      read_flags (self, terminates ? TRUNCATED : TERMINATED, episode, step, n);
  g_autofree guint8 *done = read_flags (self, DONE, episode, step, n);

  for (gint64 i = 0; i < n; i++)
    {
      gboolean last = step + i + 1 == episode->n_steps;

      to[i] = own[i] || (!stored && terminates && done[i] && !other[i])
              || (!terminates && last && !other[i]);
    }
}

/* ---- rows ---- */

static gint64
count_rows (const ReelMinariArray *self, const ReelExportEpisode *episode)
{
  return episode->n_steps + (self->use == REEL_MINARI_STATE);
}

static void
put_steps (ReelMinariArray *self, const ReelExportEpisode *episode, gint64 n, guint8 *to)
{
  if (self->use == REEL_MINARI_STEP || self->use == REEL_MINARI_STATE)
    put (self, self->column, episode, self->at, n, to);
  else
    put_flags (self, episode, self->at, n, to);
  if (self->use == REEL_MINARI_STATE)
    compare (self, episode, self->at, n);
}

static void
read_rows (gpointer data, guint8 *to, gint64 n)
{
  ReelMinariArray *self = data;

  for (gint64 some; n > 0; n -= some)
    {
      const ReelExportEpisode *episode =
          &g_array_index (self->rows->episodes, ReelExportEpisode, self->episode);

      some = self->at < episode->n_steps ? MIN (n, episode->n_steps - self->at) : 1;
      if (self->at < episode->n_steps)
        put_steps (self, episode, some, to);
      else
        put (self, self->next, episode, episode->n_steps - 1, 1, to);
      to += (gsize) some * self->stream.row_bytes;
      self->at += some;
      if (self->at < count_rows (self, episode))
        continue;
      self->episode++;
      self->at = 0;
    }
}

void
reel_minari_array_begin (ReelMinariArray *self)
{
  gsize n_elements = 1;

  if (self->column && self->form != REEL_MINARI_CLASS)
    n_elements = self->column->row_bytes / reel_dtype_size (self->column->dtype);
  self->n_lost = 0;
  self->episode = 0;
  self->at = 0;
  self->stream = (ReelRowStream){ reel_minari_array_count_all (self),
                                  n_elements * reel_dtype_size (reel_minari_array_get_dtype (self)),
                                  read_rows, self };
}

gint64
reel_minari_array_count_rows (const ReelMinariArray *self, gint64 episode)
{
  return count_rows (self, &g_array_index (self->rows->episodes, ReelExportEpisode, episode));
}

gint64
reel_minari_array_count_all (const ReelMinariArray *self)
{
  return self->rows->n_rows
         + (self->use == REEL_MINARI_STATE ? (gint64) self->rows->episodes->len : 0);
}

ReelDtype
reel_minari_array_get_dtype (const ReelMinariArray *self)
{
  if (!self->column)
    return REEL_DTYPE_BOOL;
  switch (self->form)
    {
    case REEL_MINARI_BITS: return REEL_DTYPE_INT8;
    case REEL_MINARI_INTEGER:
    case REEL_MINARI_CLASS: return REEL_DTYPE_INT64;
    default: return self->column->dtype;
    }
}
