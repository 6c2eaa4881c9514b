#include "image-draw.h"

#include <string.h>

gboolean
reel_image_is_drawable (const ReelTensor *image)
{
  return image != NULL && image->dtype == REEL_DTYPE_UINT8 && image->ndim == 3
         && image->shape[0] > 0 && image->shape[1] > 0 && image->shape[2] == 3
         && reel_tensor_is_contiguous (image);
}

static inline guint8
mix (guint8 old, guint8 new, guint8 opacity)
{
  return (guint8) ((old * (255 - opacity) + new *opacity + 127) / 255);
}

void
reel_image_fill (ReelTensor *image, gint64 x, gint64 y, gint64 width, gint64 height, guint32 colour,
                 guint8 opacity)
{
  g_return_if_fail (reel_image_is_drawable (image));

  gint64 right = MIN (x + width, image->shape[1]), end = MIN (y + height, image->shape[0]);

  x = MAX (x, 0);
  for (y = MAX (y, 0); y < end; y++)
    {
      guint8 *pixel = image->data + (y * image->shape[1] + x) * 3;

      for (gint64 at = x; at < right; at++, pixel += 3)
        {
          pixel[0] = mix (pixel[0], (guint8) (colour >> 16), opacity);
          pixel[1] = mix (pixel[1], (guint8) (colour >> 8), opacity);
          pixel[2] = mix (pixel[2], (guint8) colour, opacity);
        }
    }
}

void
reel_image_put (ReelTensor *image, gint64 x, gint64 y, const ReelTensor *other)
{
  g_return_if_fail (reel_image_is_drawable (image) && reel_image_is_drawable (other));

  gint64 from = MAX (-x, 0), to = MIN (other->shape[1], image->shape[1] - x);

  for (gint64 row = MAX (-y, 0); row < other->shape[0] && y + row < image->shape[0]; row++)
    if (from < to)
      memcpy (image->data + ((y + row) * image->shape[1] + x + from) * 3,
              other->data + (row * other->shape[1] + from) * 3, (gsize) (to - from) * 3);
}

/* The pixels [begin, end) of one side that pixel i of another side of n is made of. */
static void
covered (gint64 i, gint64 n, gint64 n_from, gint64 *begin, gint64 *end)
{
  *begin = i * n_from / n;
  *end = MAX ((i + 1) * n_from / n, *begin + 1);
}

static void
average (const ReelTensor *from, gint64 top, gint64 bottom, gint64 left, gint64 right,
         guint8 *pixel)
{
  gint64 sums[3] = { 0 }, n = (bottom - top) * (right - left);

  for (gint64 y = top; y < bottom; y++)
    {
      const guint8 *at = from->data + (y * from->shape[1] + left) * 3;

      for (gint64 x = left; x < right; x++, at += 3)
        for (gint c = 0; c < 3; c++)
          sums[c] += at[c];
    }
  for (gint c = 0; c < 3; c++)
    pixel[c] = (guint8) ((sums[c] + n / 2) / n);
}

void
reel_image_scale (const ReelTensor *from, ReelTensor *to)
{
  g_return_if_fail (reel_image_is_drawable (from) && reel_image_is_drawable (to));

  guint8 *pixel = to->data;
  gint64 top, bottom, left, right;

  for (gint64 y = 0; y < to->shape[0]; y++)
    {
      covered (y, to->shape[0], from->shape[0], &top, &bottom);
      for (gint64 x = 0; x < to->shape[1]; x++, pixel += 3)
        {
          covered (x, to->shape[1], from->shape[1], &left, &right);
          average (from, top, bottom, left, right, pixel);
        }
    }
}
