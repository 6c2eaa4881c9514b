/* Images with their channels where memory has them: last, as part of a pixel, or first, as images
 * of their own. */
#include "image-layout.h"

#include "../core/tensor/tensor-private.h"

/* ---- where the channels are ---- */

/* A view whose last three dimensions are those at these places of the last three. */
static ReelTensor *
turn (ReelTensor *value, gint a, gint b, gint c, GError **error)
{
  gint dims[REEL_MAX_NDIM], first = value->ndim - 3;

  for (gint i = 0; i < first; i++)
    dims[i] = i;
  dims[first] = first + a;
  dims[first + 1] = first + b;
  dims[first + 2] = first + c;
  return reel_tensor_permute (value, dims, error);
}

ReelTensor *
reel_tensor_put_channels_last (ReelTensor *value, GError **error)
{
  return turn (value, 1, 2, 0, error);
}

ReelTensor *
reel_tensor_put_channels_first (ReelTensor *value, GError **error)
{
  return turn (value, 2, 0, 1, error);
}

/* ---- images ---- */

/* Whether the last @n_inner dimensions but the first of them, which are rows, are packed, and so
 * are the images. */
static gboolean
has_rows (const ReelTensor *view, gint n_inner)
{
  gint rows = view->ndim - n_inner;
  gint64 packed = (gint64) reel_dtype_size (view->dtype);

  for (gint i = view->ndim - 1; i > rows; packed *= view->shape[i--])
    if (view->strides[i] != packed)
      return FALSE;
  for (gint i = 0; i < rows - 1; i++)
    if (view->strides[i] != view->strides[i + 1] * view->shape[i + 1])
      return FALSE;
  return view->strides[rows] >= packed && (rows == 0 || view->strides[rows - 1] > 0);
}

static ReelTensor *
find_last (ReelTensor *value, ReelImageNeeds needs)
{
  g_autoptr (ReelTensor) turned = NULL;

  if (value->ndim < 3 || (reel_tensor_is_contiguous (value) && !(needs & REEL_IMAGES_PIXELS)))
    return NULL;
  turned = reel_tensor_put_channels_last (value, NULL);
  if (!turned || !reel_tensor_is_aligned (turned))
    return NULL;
  if (reel_tensor_is_contiguous (turned))
    return g_steal_pointer (&turned);
  if (needs & REEL_IMAGES_PACKED || has_rows (value, 2) || !has_rows (turned, 3))
    return NULL;
  return g_steal_pointer (&turned);
}

static ReelTensor *
find_first (ReelTensor *value, ReelImageNeeds needs, GError **error)
{
  if (!(needs & REEL_IMAGES_PACKED) && reel_tensor_is_aligned (value) && has_rows (value, 2))
    return reel_tensor_ref (value);
  return reel_tensor_in_order (value, error);
}

static void
set_packed (ReelImages *self)
{
  gsize pixel = (gsize) self->inner * reel_dtype_size (self->pixels->dtype);

  self->data = self->pixels->data;
  self->row_bytes = (gsize) self->width * pixel;
  self->image_bytes = (gsize) self->height * self->row_bytes;
}

void
reel_images_take (ReelImages *self, ReelTensor *pixels)
{
  reel_tensor_unref (self->pixels);
  self->pixels = pixels;
  set_packed (self);
}

gboolean
reel_images_init (ReelImages *self, ReelTensor *value, ReelImageNeeds needs, GError **error)
{
  gint ndim = value->ndim, rows = ndim - 2;

  *self = (ReelImages){ .pixels = find_last (value, needs),
                        .n = 1,
                        .height = value->shape[ndim - 2],
                        .width = value->shape[ndim - 1],
                        .inner = 1 };
  self->last = self->pixels != NULL;
  if (!self->last)
    self->pixels = find_first (value, needs, error);
  if (!self->pixels)
    return FALSE;
  if (self->last)
    {
      self->inner = value->shape[ndim - 3];
      rows--;
    }
  for (gint i = 0; i < rows; i++)
    self->n *= value->shape[i];
  set_packed (self);
  if (!reel_tensor_is_contiguous (self->pixels))
    {
      self->row_bytes = (gsize) self->pixels->strides[rows];
      self->image_bytes = rows > 0 ? (gsize) self->pixels->strides[rows - 1] : 0;
    }
  return TRUE;
}

ReelTensor *
reel_images_new_like (const ReelImages *self, ReelDtype dtype, gint64 height, gint64 width,
                      gint64 channels, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = self->pixels->ndim, rows = ndim - (self->last ? 3 : 2);

  for (gint i = 0; i < ndim; i++)
    shape[i] = i == rows ? height : i == rows + 1 ? width : self->pixels->shape[i];
  if (self->last && channels > 0)
    shape[ndim - 1] = channels;
  return reel_tensor_new_unfilled (dtype, ndim, shape, error);
}

ReelTensor *
reel_images_turn (const ReelImages *self, ReelTensor *made, GError **error)
{
  return self->last ? reel_tensor_put_channels_first (made, error) : reel_tensor_ref (made);
}

void
reel_images_clear (ReelImages *self)
{
  g_clear_pointer (&self->pixels, reel_tensor_unref);
}
