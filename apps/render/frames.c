#include "frames.h"

#include "../common/interrupt.h"
#include "overlay.h"

ReelTensor *
picture_new (gint64 width, gint64 height, GError **error)
{
  const gint64 shape[] = { height, width, 3 };

  return reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, error);
}

void
frames_free (Frames *self)
{
  if (!self)
    return;
  for (gsize i = 0; i < self->n_parts; i++)
    frames_free (self->parts[i]);
  g_free (self->parts);
  g_free (self->name);
  g_free (self->remark);
  if (self->klass)
    self->klass->free (self);
  else
    g_free (self);
}

/* ---- grids ---- */

static void
measure_grid (Frames *self)
{
  self->n = 1;
  self->whole = TRUE;
  self->width = self->height = 0;
  for (gsize i = 0; i < self->n_parts; i++)
    {
      const Frames *part = self->parts[i];
      self->n = MAX (self->n, part->n);
      self->whole &= part->whole;
      self->width = MAX (self->width, part->width);
      self->height = MAX (self->height, part->height);
    }
  self->width = self->columns * (self->width + FRAMES_GAP) + FRAMES_GAP;
  self->height = self->rows * (self->height + FRAMES_GAP) + FRAMES_GAP;
}

Frames *
frames_new_grid (Frames **parts, gsize n_parts, gint64 columns, gint64 rows)
{
  Frames *self = g_new0 (Frames, 1);

  self->parts = parts;
  self->n_parts = n_parts;
  self->columns = columns;
  self->rows = rows;
  self->rate = parts[0]->rate;
  self->name = g_strdup (parts[0]->name);
  self->remark = g_strdup (parts[0]->remark);
  measure_grid (self);
  return self;
}

static gboolean
draw_grid (Frames *self, gint64 i, gboolean overlay, ReelTensor *picture, GError **error)
{
  gint64 width = (picture->shape[1] - FRAMES_GAP) / self->columns - FRAMES_GAP;
  gint64 height = (picture->shape[0] - FRAMES_GAP) / self->rows - FRAMES_GAP;
  g_autoptr (ReelTensor) cell = picture_new (MAX (width, 1), MAX (height, 1), error);

  if (!cell)
    return FALSE;
  reel_image_fill (picture, 0, 0, picture->shape[1], picture->shape[0], FRAMES_GREY, 255);
  for (gsize k = 0; k < self->n_parts; k++)
    {
      if (!frames_draw (self->parts[k], i, overlay, cell, error))
        return FALSE;
      reel_image_put (picture, FRAMES_GAP + (gint64) k % self->columns * (width + FRAMES_GAP),
                      FRAMES_GAP + (gint64) k / self->columns * (height + FRAMES_GAP), cell);
    }
  return TRUE;
}

/* ---- all ---- */

gboolean
frames_advance (Frames *self, GError **error)
{
  if (self->whole)
    return TRUE;
  if (!self->parts)
    return self->klass->advance (self, error);
  for (gsize i = 0; i < self->n_parts; i++)
    if (!frames_advance (self->parts[i], error))
      return FALSE;
  measure_grid (self);
  return TRUE;
}

gboolean
frames_finish (Frames *self, gint64 most, GError **error)
{
  while (!self->whole && self->n <= most && !interrupt_came ())
    if (!frames_advance (self, error))
      return FALSE;
  return TRUE;
}

gboolean
frames_are_stored (const Frames *self)
{
  for (gsize i = 0; i < self->n_parts; i++)
    if (!frames_are_stored (self->parts[i]))
      return FALSE;
  return self->parts || self->stored_width > 0;
}

void
frames_set_size (Frames *self, gint64 width, gint64 height)
{
  for (gsize i = 0; i < self->n_parts; i++)
    frames_set_size (self->parts[i], width, height);
  if (self->parts)
    measure_grid (self);
  else
    {
      self->width = width;
      self->height = height;
    }
}

/* ---- stored pictures at other sizes ---- */

/* The largest whole multiple of a size that fits, else the largest size of the same shape. */
static void
fit (gint64 *width, gint64 *height, gint64 most_width, gint64 most_height)
{
  gint64 factor = MIN (most_width / *width, most_height / *height);

  if (factor > 0)
    {
      *width *= factor;
      *height *= factor;
    }
  else if (most_width * *height < most_height * *width)
    {
      *height = MAX (*height * most_width / *width, 1);
      *width = most_width;
    }
  else
    {
      *width = MAX (*width * most_height / *height, 1);
      *height = most_height;
    }
}

static gboolean
put_scaled (const ReelTensor *stored, ReelTensor *picture, GError **error)
{
  gint64 width = stored->shape[1], height = stored->shape[0];

  fit (&width, &height, picture->shape[1], picture->shape[0]);
  g_autoptr (ReelTensor) scaled = picture_new (width, height, error);

  if (!scaled)
    return FALSE;
  reel_image_scale (stored, scaled);
  reel_image_fill (picture, 0, 0, picture->shape[1], picture->shape[0], FRAMES_GREY, 255);
  reel_image_put (picture, (picture->shape[1] - width) / 2, (picture->shape[0] - height) / 2,
                  scaled);
  return TRUE;
}

static gboolean
draw_scaled (Frames *self, gint64 i, ReelTensor *picture, GError **error)
{
  gint64 width = self->stored_width, height = self->stored_height;

  if (width == 0 || (picture->shape[1] == width && picture->shape[0] == height))
    return self->klass->draw (self, i, picture, error);

  g_autoptr (ReelTensor) stored = picture_new (width, height, error);

  return stored && self->klass->draw (self, i, stored, error)
         && put_scaled (stored, picture, error);
}

/* ---- what is seen ---- */

gboolean
frames_draw (Frames *self, gint64 i, gboolean overlay, ReelTensor *picture, GError **error)
{
  g_auto (StepNote) note = { 0 };

  if (self->parts)
    return draw_grid (self, i, overlay, picture, error);
  i = MIN (i, self->n - 1);
  if (!draw_scaled (self, i, picture, error))
    return FALSE;
  if (!overlay)
    return TRUE;
  if (!self->klass->note (self, i, &note, error))
    return FALSE;
  overlay_draw (self, i, &note, picture);
  return TRUE;
}
