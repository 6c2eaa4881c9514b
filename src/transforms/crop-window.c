#include "crop-window.h"

#include "../core/tensor/tensor-private.h"

#include <string.h>

/* The common part of a window and an image in one dimension: its begin in each, and its extent. */
typedef struct
{
  gint64 in_image, in_window, n;
} Overlap;

static Overlap
overlap (gint64 extent, gint64 first, gint64 n)
{
  gint64 begin = MAX (first, 0), end = MIN (first + n, extent);

  return (Overlap){ begin, begin - first, MAX (end - begin, 0) };
}

/* take: rows [row, row + rows) and as many columns of images, as a view. */
static ReelTensor *
take (ReelTensor *value, gint64 row, gint64 rows, gint64 column, gint64 columns, GError **error)
{
  g_autoptr (ReelTensor) cut =
      reel_tensor_slice (value, value->ndim - 2, row, row + rows, 1, error);

  return cut ? reel_tensor_slice (cut, value->ndim - 1, column, column + columns, 1, error) : NULL;
}

/* pad: zeros, and in their place what is inside. */
static ReelTensor *
pad (ReelTensor *value, Overlap down, Overlap across, gint64 rows, gint64 columns, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) padded = NULL, from = NULL, to = NULL;

  memcpy (shape, value->shape, (gsize) value->ndim * sizeof *shape);
  shape[value->ndim - 2] = rows;
  shape[value->ndim - 1] = columns;
  padded = reel_tensor_new (value->dtype, value->ndim, shape, error);
  if (!padded || down.n == 0 || across.n == 0)
    return g_steal_pointer (&padded);
  from = take (value, down.in_image, down.n, across.in_image, across.n, error);
  to = from ? take (padded, down.in_window, down.n, across.in_window, across.n, error) : NULL;
  if (!to || !reel_tensor_copy (to, from, error))
    return NULL;
  return g_steal_pointer (&padded);
}

ReelTensor *
reel_crop_window (ReelTensor *value, gint64 top, gint64 left, gint64 rows, gint64 columns,
                  GError **error)
{
  Overlap down, across;

  if (value->ndim < 2)
    {
      g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);

      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "an image has rows and columns, and the value is of shape %s", shape);
      return NULL;
    }
  down = overlap (value->shape[value->ndim - 2], top, rows);
  across = overlap (value->shape[value->ndim - 1], left, columns);
  if (down.n == rows && across.n == columns)
    return take (value, top, rows, left, columns, error);
  return pad (value, down, across, rows, columns, error);
}
