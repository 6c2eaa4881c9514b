/* Episodes as files: a PNG for each picture, or one for all. */
#include "render.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

/* What is between the pictures of a sheet, and how wide they are drawn. */
#define GAP 4
#define GREY 160
#define TILE_WIDTH 240

static ReelTensor *
new_picture (gint64 width, gint64 height, GError **error)
{
  const gint64 shape[] = { height, width, 3 };

  return reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, error);
}

gboolean
render_to_files (Frames *frames, gint64 width, gint64 height, const char *path, GError **error)
{
  g_autoptr (ReelTensor) picture = new_picture (width, height, error);

  if (!picture)
    return FALSE;
  if (g_mkdir (path, 0777) != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s: cannot make this directory: %s", path,
                   g_strerror (errno));
      return FALSE;
    }
  g_autofree char *last = g_strdup_printf ("%" G_GINT64_FORMAT, frames->n - 1);
  int digits = MAX ((int) strlen (last), 4);

  for (gint64 i = 0; i < frames->n; i++)
    {
      g_autofree char *name = g_strdup_printf ("frame-%0*" G_GINT64_FORMAT ".png", digits, i);
      g_autofree char *file = g_build_filename (path, name, NULL);
      if (!frames_draw (frames, i, width, height, picture->data, error)
          || !reel_image_write_png (picture, file, error))
        return FALSE;
    }
  return TRUE;
}

/* Puts a picture into the sheet, its left upper corner at x, y. */
static void
put (ReelTensor *sheet, gint64 x, gint64 y, const ReelTensor *picture)
{
  gint64 height = picture->shape[0], row = picture->shape[1] * 3, sheet_row = sheet->shape[1] * 3;

  for (gint64 i = 0; i < height; i++)
    memcpy (sheet->data + (y + i) * sheet_row + x * 3, picture->data + i * row, (gsize) row);
}

/* Drawings are made small; stored pictures are as large as they are. */
static void
choose_size (const Frames *frames, gint64 *width, gint64 *height)
{
  if (*width > 0)
    return;
  *width = frames->env ? MIN (frames->width, TILE_WIDTH) : frames->width;
  *height = MAX (frames->height * *width / frames->width, 1);
}

gboolean
render_to_sheet (Frames *frames, gint64 width, gint64 height, gint64 columns, gint64 rows,
                 const char *path, GError **error)
{
  gint64 n = MIN (frames->n, columns * rows);

  choose_size (frames, &width, &height);
  columns = MIN (columns, n);
  rows = (n + columns - 1) / columns;
  g_autoptr (ReelTensor) picture = new_picture (width, height, error);
  g_autoptr (ReelTensor) sheet =
      picture ? new_picture (columns * (width + GAP) + GAP, rows * (height + GAP) + GAP, error)
              : NULL;
  if (!sheet)
    return FALSE;
  memset (sheet->data, GREY, reel_tensor_nbytes (sheet));
  for (gint64 k = 0; k < n; k++)
    {
      gint64 i = n > 1 ? k * (frames->n - 1) / (n - 1) : 0;
      if (!frames_draw (frames, i, width, height, picture->data, error))
        return FALSE;
      put (sheet, GAP + k % columns * (width + GAP), GAP + k / columns * (height + GAP), picture);
    }
  return reel_image_write_png (sheet, path, error);
}
