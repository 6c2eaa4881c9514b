#include "overlay.h"

#include <string.h>

#define LIGHT 0xf4f4f4
#define DARK 0x101418
#define SHADE 170

/* Characters of a line that is worth breaking; smaller pictures show how it begins. */
#define SHORTEST_LINE 12

gint
overlay_scale (const ReelTensor *picture)
{
  return (gint) CLAMP (MIN (picture->shape[1] / 260, picture->shape[0] / 180), 1, 4);
}

/* Bytes of the line at @text that fit: all of it, or up to the last space, or within a word. */
static gsize
fit (const char *text, gint64 n_characters)
{
  gsize length = strcspn (text, "\n"), at = 0, space = 0;

  for (gint64 n = 0; at < length && n < n_characters; n++)
    {
      space = text[at] == ' ' && n > 0 ? at : space;
      for (at++; at < length && (text[at] & 0xc0) == 0x80;)
        at++;
    }
  return at == length || text[at] == ' ' || space == 0 ? at : space;
}

/* Breaks lines that are longer than so many characters. */
static char *
wrap (const char *text, gint64 n_characters)
{
  GString *wrapped = g_string_new (NULL);

  while (*text)
    {
      gsize length = fit (text, n_characters);
      g_string_append_len (wrapped, text, (gssize) length);
      text += length;
      if (*text)
        g_string_append_c (wrapped, '\n');
      text += *text == ' ' || *text == '\n';
    }
  return g_string_free (wrapped, FALSE);
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
  gint64 most = (picture->shape[1] - 2 * border + scale) / (REEL_IMAGE_GLYPH_WIDTH * scale);
  g_autofree char *lines = wrap (text, MAX (most, SHORTEST_LINE));
  gint64 width = reel_image_text_width (lines, scale) - scale + 2 * border;
  gint64 height = count_lines (lines) * REEL_IMAGE_LINE_HEIGHT * scale - 2 * scale + 2 * border;

  x = x < 0 ? picture->shape[1] + x - width : x;
  y = y < 0 ? picture->shape[0] + y - height : y;
  reel_image_fill (picture, x, y, width, height, DARK, SHADE);
  reel_image_draw_text (picture, x + border, y + border, scale, LIGHT, lines);
}

void
overlay_draw (const Frames *frames, gint64 i, const StepNote *note, ReelTensor *picture)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "step %" G_GINT64_FORMAT, i);
  if (frames->whole)
    g_string_append_printf (text, "/%" G_GINT64_FORMAT, frames_count_steps (frames));
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
