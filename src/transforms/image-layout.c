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

static ReelTensor *
find_last (ReelTensor *value)
{
  g_autoptr (ReelTensor) turned = NULL;

  if (value->ndim < 3 || reel_tensor_is_contiguous (value))
    return NULL;
  turned = reel_tensor_put_channels_last (value, NULL);
  return turned && reel_tensor_is_contiguous (turned) && reel_tensor_is_aligned (turned)
             ? g_steal_pointer (&turned)
             : NULL;
}

gboolean
reel_images_init (ReelImages *self, ReelTensor *value, GError **error)
{
  gint ndim = value->ndim;

  *self = (ReelImages){ .pixels = find_last (value),
                        .n = 1,
                        .height = value->shape[ndim - 2],
                        .width = value->shape[ndim - 1],
                        .inner = 1 };
  self->last = self->pixels != NULL;
  if (!self->last)
    self->pixels = reel_tensor_in_order (value, error);
  if (self->last)
    self->inner = value->shape[ndim - 3];
  for (gint i = 0; i < ndim - (self->last ? 3 : 2); i++)
    self->n *= value->shape[i];
  return self->pixels != NULL;
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
