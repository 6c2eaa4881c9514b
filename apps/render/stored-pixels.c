#include "stored-pixels.h"

#include <math.h>
#include <string.h>

/* A smaller array of another name is no picture: a board, a mask. */
#define LEAST_SIDE 16
#define MOST_STACKED 16

static gboolean
set_form (StoredPixels *self, PixelsForm form, gint64 height, gint64 width, gint64 n_frames)
{
  self->form = form;
  self->height = height;
  self->width = width;
  self->n_frames = n_frames;
  return TRUE;
}

/* Frames in a dimension of their own, `[n, C, H, W]`: the last is shown. */
static gboolean
read_stack (StoredPixels *self, gboolean bytes, const gint64 *shape)
{
  if (shape[0] < 1 || shape[0] > MOST_STACKED)
    return FALSE;
  if (shape[1] == 3)
    return set_form (self, bytes ? PIXELS_COLOURS_FIRST : PIXELS_SHARES_FIRST, shape[2], shape[3],
                     shape[0]);
  return shape[1] == 1
         && set_form (self, bytes ? PIXELS_GREY : PIXELS_GREY_SHARES, shape[2], shape[3], shape[0]);
}

/* The form of one row of this shape. */
static gboolean
read_form (StoredPixels *self, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  gboolean bytes = dtype == REEL_DTYPE_UINT8;

  if (!bytes && dtype != REEL_DTYPE_FLOAT32)
    return FALSE;
  if (bytes && ndim == 2)
    return set_form (self, PIXELS_GREY, shape[0], shape[1], 1);
  if (ndim == 4)
    return read_stack (self, bytes, shape);
  if (ndim != 3)
    return FALSE;
  if (bytes && shape[2] == 3)
    return set_form (self, PIXELS_COLOURS_LAST, shape[0], shape[1], 1);
  if (bytes && shape[2] == 1)
    return set_form (self, PIXELS_GREY, shape[0], shape[1], 1);
  if (shape[0] == 3)
    return set_form (self, bytes ? PIXELS_COLOURS_FIRST : PIXELS_SHARES_FIRST, shape[1], shape[2],
                     1);
  if (shape[0] <= MOST_STACKED)
    return set_form (self, bytes ? PIXELS_GREY : PIXELS_GREY_SHARES, shape[1], shape[2], shape[0]);
  return FALSE;
}

static gboolean
try (StoredPixels *self, const ReelTensordict *row, const char *path, gint64 least)
{
  const ReelTensor *value = reel_tensordict_get_tensor (row, path, NULL);

  if (!value || value->ndim < 3
      || !read_form (self, value->dtype, value->ndim - 1, value->shape + 1) || self->width < least
      || self->height < least || self->width > REEL_IMAGE_MOST || self->height > REEL_IMAGE_MOST)
    return FALSE;
  self->path = g_strdup (path);
  return TRUE;
}

static gboolean
is_candidate (const ReelTensordict *row, const char *path)
{
  const ReelTensor *value = reel_tensordict_get_tensor (row, path, NULL);

  return value && value->dtype == REEL_DTYPE_UINT8 && !g_str_has_prefix (path, "next/");
}

gboolean
stored_pixels_find (StoredPixels *self, const ReelTensordict *row)
{
  g_auto (GStrv) paths = reel_tensordict_list_leaves (row);

  if (try (self, row, "pixels", 1))
    return TRUE;
  for (char **path = paths; *path; path++)
    if (is_candidate (row, *path) && try (self, row, *path, LEAST_SIDE))
      return TRUE;
  return FALSE;
}

void
stored_pixels_clear (StoredPixels *self)
{
  g_clear_pointer (&self->path, g_free);
}

static guint8
from_share (float share)
{
  return isfinite (share) ? (guint8) lrintf (CLAMP (share, 0.0f, 1.0f) * 255) : 0;
}

/* Writes one colour of all pixels, or with three the same grey, from a plane. */
static void
put_plane (const StoredPixels *self, gconstpointer plane, gboolean shares, gint first, gint n,
           guint8 *pixels)
{
  for (gint64 i = 0; i < self->width * self->height; i++)
    {
      guint8 value = shares ? from_share (((const float *) plane)[i]) : ((const guint8 *) plane)[i];

      for (gint c = first; c < first + n; c++)
        pixels[i * 3 + c] = value;
    }
}

gboolean
stored_pixels_draw (const StoredPixels *self, const ReelTensor *stored, ReelTensor *picture,
                    GError **error)
{
  StoredPixels here = { 0 };
  gint64 area = self->width * self->height;

  if (!stored || stored->ndim < 3
      || !read_form (&here, stored->dtype, stored->ndim - 1, stored->shape + 1)
      || here.form != self->form || here.width != self->width || here.height != self->height
      || here.n_frames != self->n_frames || !reel_tensor_is_contiguous (stored))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "pictures of one episode differ in shape: \"%s\" is not always %" G_GINT64_FORMAT
                   " × %" G_GINT64_FORMAT,
                   self->path, self->width, self->height);
      return FALSE;
    }

  gboolean shares = self->form == PIXELS_SHARES_FIRST || self->form == PIXELS_GREY_SHARES;
  gsize plane = (gsize) area * reel_dtype_size (stored->dtype);

  if (self->form == PIXELS_COLOURS_LAST)
    memcpy (picture->data, stored->data, (gsize) area * 3);
  else if (self->form == PIXELS_GREY || self->form == PIXELS_GREY_SHARES)
    put_plane (self, stored->data + (gsize) (self->n_frames - 1) * plane, shares, 0, 3,
               picture->data);
  else
    for (gint c = 0; c < 3; c++)
      put_plane (self, stored->data + (gsize) ((self->n_frames - 1) * 3 + c) * plane, shares, c, 1,
                 picture->data);
  return TRUE;
}
