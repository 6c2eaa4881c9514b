/* Episodes as files: pictures one by one, films, or one picture of all. */
#include "../common/draft.h"
#include "film.h"
#include "../common/interrupt.h"
#include "render.h"

#define TILE_WIDTH 240
#define TILES 4

/* ---- films ---- */

static gboolean
add_film (GPtrArray *films, Film *film)
{
  if (film)
    g_ptr_array_add (films, film);
  return film != NULL;
}

static gboolean
open_films (GPtrArray *films, const Frames *frames, const RenderFiles *files, GError **error)
{
  gint64 width = frames->width, height = frames->height;

  return (!files->png || add_film (films, film_new_png (files->png, frames->n, error)))
         && (!files->gif
             || add_film (films, film_new_gif (files->gif, width, height, frames->rate, error)))
         && (!files->mp4
             || add_film (films, film_new_mp4 (files->mp4, width, height, frames->rate, error)));
}

/* Ctrl-C reaches a program that is at work for us too, which ends then: no failure of it. */
static gboolean
add_picture (GPtrArray *films, ReelTensor *picture, GError **error)
{
  for (guint k = 0; k < films->len; k++)
    {
      Film *film = g_ptr_array_index (films, k);
      if (!film->add (film, picture, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
finish_films (GPtrArray *films, GError **error)
{
  for (guint k = 0; k < films->len; k++)
    {
      Film *film = g_ptr_array_index (films, k);
      if (!film->finish (film, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_films (Frames *frames, const RenderFiles *files, gint64 *n_left_out, GError **error)
{
  g_autoptr (GPtrArray) films = g_ptr_array_new_with_free_func ((GDestroyNotify) film_free);
  g_autoptr (ReelTensor) picture = picture_new (frames->width, frames->height, error);

  if (!picture || !open_films (films, frames, files, error))
    return FALSE;
  for (gint64 i = 0; films->len > 0 && i < frames->n && !interrupt_came (); i++)
    if (!frames_draw (frames, i, files->overlay, picture, error)
        || !add_picture (films, picture, error))
      return FALSE;
  if (!interrupt_came () && !finish_films (films, error))
    return FALSE;
  *n_left_out = 0;
  for (guint k = 0; k < films->len; k++)
    *n_left_out += ((const Film *) g_ptr_array_index (films, k))->n_left_out;
  return TRUE;
}

/* ---- the sheet ---- */

/* Drawings are made small; stored pictures are as large as they are. */
static void
choose_tile (const Frames *frames, const RenderFiles *files, gint64 *width, gint64 *height)
{
  *width = files->tile_width;
  *height = files->tile_height;
  if (*width > 0)
    return;
  *width = frames_are_stored (frames) || frames->is_plot || frames->parts
               ? frames->width
               : MIN (frames->width, TILE_WIDTH);
  *height = MAX (frames->height * *width / frames->width, 1);
}

/* A plot shows all of the episode by itself. */
static void
choose_tiles (const Frames *frames, const RenderFiles *files, gint64 *columns, gint64 *n)
{
  gint64 most = files->tile_columns * files->tile_rows;

  *columns = files->tile_columns;
  if (most == 0)
    {
      *columns = frames->is_plot ? 1 : TILES;
      most = *columns * *columns;
    }
  *n = MIN (frames->n, most);
  *columns = MIN (*columns, *n);
}

static gboolean
draw_sheet (Frames *frames, const RenderFiles *files, const Draft *draft, GError **error)
{
  gint64 columns, n, width, height;

  choose_tiles (frames, files, &columns, &n);
  gint64 rows = (n + columns - 1) / columns;

  choose_tile (frames, files, &width, &height);
  g_autoptr (ReelTensor) picture = picture_new (width, height, error);
  g_autoptr (ReelTensor) sheet =
      picture ? picture_new (columns * (width + FRAMES_GAP) + FRAMES_GAP,
                             rows * (height + FRAMES_GAP) + FRAMES_GAP, error)
              : NULL;

  if (!sheet)
    return FALSE;
  reel_image_fill (sheet, 0, 0, sheet->shape[1], sheet->shape[0], FRAMES_GREY, 255);
  for (gint64 k = 0; k < n; k++)
    {
      gint64 i = n > 1 ? k * (frames->n - 1) / (n - 1) : frames->is_plot ? frames->n - 1 : 0;

      if (interrupt_came ())
        return TRUE;
      if (!frames_draw (frames, i, files->overlay, picture, error))
        return FALSE;
      reel_image_put (sheet, FRAMES_GAP + k % columns * (width + FRAMES_GAP),
                      FRAMES_GAP + k / columns * (height + FRAMES_GAP), picture);
    }
  return draft_write_png (draft, sheet, error);
}

static gboolean
write_sheet (Frames *frames, const RenderFiles *files, GError **error)
{
  g_autoptr (Draft) draft = draft_new (files->sheet, FALSE, error);

  return draft && draw_sheet (frames, files, draft, error)
         && (interrupt_came () || draft_keep (draft, error));
}

gboolean
render_to_files (Frames *frames, const RenderFiles *files, gint64 *n_left_out, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (write_films (frames, files, n_left_out, &local)
      && (!files->sheet || interrupt_came () || write_sheet (frames, files, &local)))
    return TRUE;
  if (interrupt_came ())
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
