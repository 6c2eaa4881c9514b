#include "image-pass.h"

#include <string.h>

#include "../core/tensor/tensor-private.h"
#include "crop-window.h"
#include "image-layout.h"

/* ---- what is joined ---- */

ReelImagePass *
reel_image_pass_new (ReelTransform *const *links, guint n, ReelDtype dtype, gint ndim,
                     const gint64 *shape)
{
  ReelImagePass *self = g_new0 (ReelImagePass, 1);

  *self = (ReelImagePass){
    .dtype = dtype,
    .ndim = ndim,
    .bytes = dtype == REEL_DTYPE_UINT8,
    .how = { .interpolation = REEL_BILINEAR, .sums = TRUE },
    .rest = g_ptr_array_new_with_free_func (g_object_unref),
  };
  memcpy (self->shape, shape, (gsize) ndim * sizeof *shape);
  if (ndim < 3 || !reel_isa_choose (&self->how.isa, NULL))
    return self;
  while (
      self->n_joined < n && !self->closed
      && REEL_TRANSFORM_GET_CLASS (links[self->n_joined])->join_pass (links[self->n_joined], self))
    self->n_joined++;
  self->how.w = self->shape[ndim - 2];
  self->how.h = self->shape[ndim - 1];
  return self;
}

void
reel_image_pass_free (ReelImagePass *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->rest);
  g_free (self);
}

guint
reel_image_pass_get_n_joined (const ReelImagePass *self)
{
  return self->n_joined;
}

/* Images of float32, and still of all dimensions. */
static gboolean
is_open (const ReelImagePass *self)
{
  return self->dtype == REEL_DTYPE_FLOAT32 && self->rest->len == 0;
}

gboolean
reel_image_pass_turn (ReelImagePass *self, gboolean divide)
{
  gint64 *last = self->shape + self->ndim - 3;
  const gint64 height = last[0], width = last[1], channels = last[2];

  if (self->n_joined > 0 || (!self->bytes && self->dtype != REEL_DTYPE_FLOAT32)
      || divide != self->bytes)
    return FALSE;
  last[0] = channels;
  last[1] = height;
  last[2] = width;
  self->turned = TRUE;
  self->how.unit = divide;
  self->dtype = REEL_DTYPE_FLOAT32;
  return TRUE;
}

gboolean
reel_image_pass_cut (ReelImagePass *self, gint64 top, gint64 left, gint64 rows, gint64 columns)
{
  gint64 *last = self->shape + self->ndim - 2;

  if (!is_open (self) || self->resized || rows < 1 || columns < 1 || top < 0 || left < 0
      || top + rows > last[0] || left + columns > last[1])
    return FALSE;
  self->top += top;
  self->left += left;
  self->rows = last[0] = rows;
  self->columns = last[1] = columns;
  self->cut = TRUE;
  return TRUE;
}

/* Of lines whose pixels have their elements side by side, or of the result. */
gboolean
reel_image_pass_make_gray (ReelImagePass *self, ReelTransform *transform)
{
  gint64 *channels = self->shape + self->ndim - 3;

  if (!is_open (self) || *channels != 3 || (!self->turned && !self->resized))
    return FALSE;
  if (self->resized)
    g_ptr_array_add (self->rest, g_object_ref (transform));
  else
    self->how.gray = TRUE;
  *channels = 1;
  return TRUE;
}

gboolean
reel_image_pass_resize (ReelImagePass *self, const ReelResizing *how)
{
  gint64 *last = self->shape + self->ndim - 2;

  if (last[0] == how->w && last[1] == how->h && is_open (self))
    return TRUE;
  if (!is_open (self) || self->resized || last[0] < 1 || last[1] < 1
      || last[1] > REEL_MOST_LINE / MAX (last[-1], 1)
      || (reel_resizing_picks (how) && !self->how.unit))
    return FALSE;
  self->how.interpolation = how->interpolation;
  self->how.antialias = how->antialias;
  last[0] = how->w;
  last[1] = how->h;
  self->resized = TRUE;
  return TRUE;
}

gboolean
reel_image_pass_add_dim (ReelImagePass *self, ReelTransform *transform, gint64 dim)
{
  if (self->n_joined == 0 || self->dtype != REEL_DTYPE_FLOAT32 || self->ndim == REEL_MAX_NDIM
      || dim >= 0 || -dim > self->ndim + 1)
    return FALSE;
  g_ptr_array_add (self->rest, g_object_ref (transform));
  self->closed = TRUE;
  return TRUE;
}

/* ---- what it does ---- */

/* A view of the pixels: channels first, and a window. */
static ReelTensor *
look_at (const ReelImagePass *self, ReelTensor *value, GError **error)
{
  g_autoptr (ReelTensor) ordered = self->turned ? reel_tensor_in_order (value, error) : NULL;
  g_autoptr (ReelTensor) turned = NULL;

  if (self->turned && !ordered)
    return NULL;
  turned = self->turned ? reel_tensor_put_channels_first (ordered, error) : reel_tensor_ref (value);
  return turned && self->cut
             ? reel_crop_window (turned, self->top, self->left, self->rows, self->columns, error)
             : g_steal_pointer (&turned);
}

ReelTensor *
reel_image_pass_run (const ReelImagePass *self, ReelTensor *value, GError **error)
{
  g_autoptr (ReelTensor) pixels = look_at (self, value, error);
  ReelTensor *made = pixels ? reel_image_resize (pixels, &self->how, error) : NULL;

  for (guint i = 0; made && i < self->rest->len; i++)
    {
      ReelTransform *each = self->rest->pdata[i];
      ReelTensor *next = REEL_TRANSFORM_GET_CLASS (each)->apply (each, made, error);

      reel_tensor_unref (made);
      made = next;
    }
  return made;
}
