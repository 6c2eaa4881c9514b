#include "show.h"

gint64
show_count (const Show *self)
{
  return self->sources[0]->n;
}

gint64
show_stride (const Show *self)
{
  return show_count (self) < 0 ? 1 : self->columns * self->rows;
}

static void
free_parts (Frames **parts, gsize n)
{
  for (gsize i = 0; i < n; i++)
    frames_free (parts[i]);
  g_free (parts);
}

static Frames *
open_grid (const Show *self, gint64 number, GError **error)
{
  gint64 places = self->columns * self->rows, n = places;
  gboolean played = show_count (self) < 0;

  if (!played && number >= 0)
    n = CLAMP (show_count (self) - number, 1, places);

  Frames **parts = g_new0 (Frames *, n);

  for (gint64 i = 0; i < n; i++)
    {
      parts[i] = episodes_open (self->sources[played ? i : 0], played ? number : number + i, error);
      if (!parts[i])
        {
          free_parts (parts, (gsize) i);
          return NULL;
        }
    }
  return frames_new_grid (parts, (gsize) n, self->columns, self->rows);
}

Frames *
show_open (const Show *self, gint64 number, GError **error)
{
  gboolean single = self->columns * self->rows == 1;
  Frames *frames =
      single ? episodes_open (self->sources[0], number, error) : open_grid (self, number, error);

  if (frames && self->width > 0)
    frames_set_size (frames, self->width, self->height);
  if (frames && self->rate > 0)
    frames->rate = self->rate;
  return frames;
}

void
show_clear (Show *self)
{
  for (gsize i = 0; i < self->n_sources; i++)
    episodes_free (self->sources[i]);
  g_clear_pointer (&self->sources, g_free);
  self->n_sources = 0;
}
