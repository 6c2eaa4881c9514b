/* Resolves the leaves of a storage into base, row size and stride, and recognises records. */
#include "columns.h"

#define PART_BYTES 16384
#define LINE 64

/* Bytes from one row of a leaf to the next, −1 where rows lie unevenly or in pieces. */
static gint64
find_stride (const ReelTensor *leaf, gint n_dims, gsize row_bytes)
{
  gint64 dense = (gint64) reel_dtype_size (leaf->dtype), stride = -1, rows = 1;

  for (gint dim = leaf->ndim - 1; dim >= n_dims; dim--)
    {
      if (leaf->shape[dim] != 1 && leaf->strides[dim] != dense)
        return -1;
      dense *= leaf->shape[dim];
    }
  for (gint dim = n_dims - 1; dim >= 0; dim--)
    if (leaf->shape[dim] != 1)
      {
        if (stride >= 0 && leaf->strides[dim] != stride * rows)
          return -1;
        if (stride < 0)
          stride = leaf->strides[dim];
        rows *= leaf->shape[dim];
      }
  if (rows == 1)
    return (gint64) row_bytes;
  return stride < (gint64) row_bytes ? -1 : stride;
}

static gboolean
resolve (ReelColumn *column, const ReelTensor *leaf, gint n_dims, const char *path, GError **error)
{
  gint64 lanes = 1, stride;

  for (gint dim = 1; dim < n_dims; dim++)
    lanes *= leaf->shape[dim];
  column->dtype = leaf->dtype;
  column->step_bytes = reel_tensor_nbytes (leaf) / (gsize) leaf->shape[0];
  column->row_bytes = column->step_bytes / (gsize) lanes;
  column->data = leaf->data;
  stride = column->row_bytes > 0 ? find_stride (leaf, n_dims, column->row_bytes) : 0;
  column->row_stride = (gsize) stride;
  if (stride >= 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" is not contiguous, as a storage's leaves must be: its rows are not evenly "
               "spaced, each in one piece",
               path);
  return FALSE;
}

/* Whether all rows of one slot lie within one stride. */
static void
find_records (ReelColumns *self)
{
  const guint8 *first = NULL, *last = NULL;
  gsize stride = 0;

  for (guint i = 0; i < self->n; i++)
    {
      const ReelColumn *column = &self->at[i];

      if (column->row_bytes == 0)
        continue;
      if (reel_column_is_dense (column) || (first && column->row_stride != stride))
        return;
      stride = column->row_stride;
      first = first ? MIN (first, column->data) : column->data;
      last = MAX (last, column->data + column->row_bytes);
    }
  self->are_records = first && (gsize) (last - first) <= stride;
  if (self->are_records)
    self->records = (ReelRows){ first, (gsize) (last - first), stride };
}

gboolean
reel_columns_resolve (ReelColumns *self, ReelTensordict *data, gint n_dims, GError **error)
{
  g_auto (GStrv) paths = reel_tensordict_list_leaves (data);

  *self = (ReelColumns){ .n = g_strv_length (paths) };
  self->at = g_new0 (ReelColumn, self->n);
  for (guint i = 0; i < self->n; i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (data, paths[i], error);

      if (!leaf || !resolve (&self->at[i], leaf, n_dims, paths[i], error))
        {
          reel_columns_clear (self);
          return FALSE;
        }
      self->at[i].path = g_strdup (paths[i]);
    }
  find_records (self);
  return TRUE;
}

void
reel_columns_clear (ReelColumns *self)
{
  for (guint i = 0; i < self->n; i++)
    g_free ((char *) self->at[i].path);
  g_clear_pointer (&self->at, g_free);
  self->n = 0;
}

/* ---- cache lines ---- */

/* Whether every row of a column lies in a line as the first one does, or within one. */
static gboolean
is_even (const ReelRows *rows)
{
  gsize bytes = rows->row_bytes;

  /* Powers of two at multiples of their own size never lie across two lines. */
  if (rows->stride % LINE == 0 || bytes <= 1)
    return TRUE;
  return (bytes & (bytes - 1)) == 0 && rows->stride % bytes == 0 && (gsize) rows->data % bytes == 0
         && bytes <= LINE;
}

static void
add_line (ReelRowLines *lines, gint64 most, const ReelRows *rows, gsize at)
{
  if (lines->n >= most)
    return;
  lines->first[lines->n] = rows->data + at;
  lines->stride[lines->n++] = rows->stride;
}

/* A byte in each line, and where lines begin elsewhere in each row, also the last byte. */
static void
add_lines (ReelRowLines *lines, gint64 most, const ReelRows *rows)
{
  gsize first = rows->stride % LINE == 0 ? (gsize) rows->data % LINE : 0;

  for (gsize at = 0; at < rows->row_bytes; at += LINE - (first + at) % LINE)
    add_line (lines, most, rows, at);
  if (!is_even (rows))
    add_line (lines, most, rows, rows->row_bytes - 1);
}

void
reel_columns_list_lines (const ReelColumns *self, gint64 most, ReelRowLines *lines)
{
  lines->n = 0;
  most = MIN (most, REEL_MAX_ROW_LINES);
  if (self->are_records)
    add_lines (lines, most, &self->records);
  for (guint i = 0; i < self->n && !self->are_records && lines->n < most; i++)
    {
      ReelRows rows = reel_column_rows (&self->at[i]);

      add_lines (lines, most, &rows);
    }
}

gint64
reel_columns_part (const ReelColumns *self)
{
  return self->are_records ? MAX (1, (gint64) (PART_BYTES / self->records.stride)) : G_MAXINT64;
}

static void
put (const ReelColumn *column, const ReelCopyKernels *kernels, const guint8 *rows, gint64 slot,
     gint64 n)
{
  guint8 *to = column->data + (gsize) slot * column->row_stride;

  if (reel_column_is_dense (column))
    kernels->copy (to, rows, (gsize) n * column->row_bytes);
  else
    kernels->strided (to, (gint64) column->row_stride, rows, (gint64) column->row_bytes,
                      column->row_bytes, n);
}

void
reel_columns_put (const ReelColumns *self, const ReelCopyKernels *kernels,
                  const guint8 *const *rows, gint64 slot, gint64 n)
{
  gint64 part = reel_columns_part (self), count;

  for (gint64 first = 0; first < n; first += count)
    {
      count = MIN (part, n - first);
      for (guint i = 0; i < self->n; i++)
        if (self->at[i].row_bytes > 0)
          put (&self->at[i], kernels, rows[i] + (gsize) first * self->at[i].row_bytes, slot + first,
               count);
    }
}
