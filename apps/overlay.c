#include "overlay.h"

#define LIGHT 0xf4f4f4
#define DARK 0x101418
#define SHADE 170

gint
overlay_scale (const ReelTensor *picture)
{
  return (gint) CLAMP (MIN (picture->shape[1] / 260, picture->shape[0] / 180), 1, 4);
}

static gint64
count_lines (const char *text)
{
  gint64 n = 1;

  for (; *text; text++)
    n += *text == '\n';
  return n;
}

void
overlay_write (ReelTensor *picture, gint64 x, gint64 y, const char *text)
{
  gint scale = overlay_scale (picture);
  gint64 border = 3 * scale;
  gint64 width = reel_image_text_width (text, scale) - scale + 2 * border;
  gint64 height = count_lines (text) * REEL_IMAGE_LINE_HEIGHT * scale - 2 * scale + 2 * border;

  x = x < 0 ? picture->shape[1] + x - width : x;
  y = y < 0 ? picture->shape[0] + y - height : y;
  reel_image_fill (picture, x, y, width, height, DARK, SHADE);
  reel_image_draw_text (picture, x + border, y + border, scale, LIGHT, text);
}

void
overlay_draw (const Frames *frames, gint64 i, const StepNote *note, ReelTensor *picture)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "step %" G_GINT64_FORMAT, i);
  if (frames->whole)
    g_string_append_printf (text, "/%" G_GINT64_FORMAT, frames->n - 1);
  if (frames->rate > 0)
    g_string_append_printf (text, "\ntime %.2f s", (double) i / frames->rate);
  if (note->action)
    g_string_append_printf (text, "\naction %s", note->action);
  if (note->rewarded)
    g_string_append_printf (text, "\nreward %.4g\nreturn %.5g", note->reward, note->total);
  if (note->terminated)
    g_string_append (text, "\nterminated");
  if (note->truncated)
    g_string_append (text, "\ntruncated");
  overlay_write (picture, 0, 0, text->str);
}
