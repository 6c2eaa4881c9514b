/* Pictures that are stored, drawn at other sizes. */
#include "../apps/render/frames.h"

#include <string.h>

static guint8
pixel_of (gint64 x, gint64 y, gint c)
{
  return (guint8) (1 + 13 * x + 47 * y + 5 * c);
}

static gboolean
draw (Frames *self, gint64 i, ReelTensor *picture, GError **error)
{
  for (gint64 at = 0; at < reel_tensor_numel (picture); at++)
    picture->data[at] = pixel_of (at / 3 % self->stored_width, at / 3 / self->stored_width, at % 3);
  return TRUE;
}

static void
free_frames (Frames *self)
{
  g_free (self);
}

static Frames *
new_stored (gint64 width, gint64 height)
{
  static const FramesClass klass = { .draw = draw, .free = free_frames };
  Frames *frames = g_new0 (Frames, 1);

  frames->klass = &klass;
  frames->n = 1;
  frames->whole = TRUE;
  frames->width = frames->stored_width = width;
  frames->height = frames->stored_height = height;
  return frames;
}

/* A pixel of an enlarged picture: that of the stored one by the whole factor, or the grey. */
static guint8
expected_at (const ReelTensor *picture, const Frames *frames, gint64 x, gint64 y, gint c)
{
  gint64 factor =
      MIN (picture->shape[1] / frames->stored_width, picture->shape[0] / frames->stored_height);
  gint64 width = factor * frames->stored_width, height = factor * frames->stored_height;

  x -= (picture->shape[1] - width) / 2;
  y -= (picture->shape[0] - height) / 2;
  return x >= 0 && y >= 0 && x < width && y < height ? pixel_of (x / factor, y / factor, c)
                                                     : FRAMES_GREY >> (16 - 8 * c) & 0xff;
}

static void
assert_enlarged (Frames *frames, const ReelTensor *picture)
{
  for (gint64 at = 0; at < reel_tensor_numel (picture); at++)
    g_assert_cmpint (picture->data[at], ==,
                     expected_at (picture, frames, at / 3 % picture->shape[1],
                                  at / 3 / picture->shape[1], at % 3));
}

/* Every size up to thirteen pixels a side, of pictures up to four. */
static void
test_enlarged (void)
{
  for (gint64 stored = 0; stored < 16; stored++)
    {
      g_autoptr (Frames) frames = new_stored (1 + stored % 4, 1 + stored / 4);

      for (gint64 width = frames->width; width <= 13; width++)
        for (gint64 height = frames->height; height <= 13; height++)
          {
            g_autoptr (ReelTensor) picture = picture_new (width, height, NULL);

            g_assert_true (frames_draw (frames, 0, FALSE, picture, NULL));
            assert_enlarged (frames, picture);
          }
    }
}

/* Columns and rows of a picture that are not grey. */
static void
measure (const ReelTensor *picture, gint64 *width, gint64 *height)
{
  guint8 columns[16] = { 0 }, rows[16] = { 0 };

  for (gint64 at = 0; at < reel_tensor_numel (picture); at++)
    if (picture->data[at] != (FRAMES_GREY & 0xff))
      columns[at / 3 % picture->shape[1]] = rows[at / 3 / picture->shape[1]] = 1;
  *width = *height = 0;
  for (gint i = 0; i < 16; i++)
    {
      *width += columns[i];
      *height += rows[i];
    }
}

/* One that is too large keeps its shape, as far as whole pixels do, and touches two sides. */
static void
test_made_smaller (void)
{
  for (gint64 stored = 0; stored < 16; stored++)
    for (gint64 target = 0; target < 64; target++)
      {
        gint64 w = 1 + target % 8, h = 1 + target / 8, width, height;
        g_autoptr (Frames) frames = new_stored (1 + stored % 4 * 2, 1 + stored / 4 * 2);
        g_autoptr (ReelTensor) picture = picture_new (w, h, NULL);
        double share =
            MIN ((double) w / (double) frames->width, (double) h / (double) frames->height);

        if (share >= 1)
          continue;
        g_assert_true (frames_draw (frames, 0, FALSE, picture, NULL));
        measure (picture, &width, &height);
        g_assert_cmpint (width, ==, MAX ((gint64) (share * (double) frames->width + 1e-9), 1));
        g_assert_cmpint (height, ==, MAX ((gint64) (share * (double) frames->height + 1e-9), 1));
      }
}

/* A size that is asked for is that of the picture; so is each of a grid. */
static void
test_size (void)
{
  Frames **parts = g_new0 (Frames *, 2);

  parts[0] = new_stored (3, 2);
  parts[1] = new_stored (3, 2);
  g_autoptr (Frames) grid = frames_new_grid (parts, 2, 2, 1);
  frames_set_size (grid, 7, 5);
  g_assert_cmpint (grid->width, ==, 3 * FRAMES_GAP + 2 * 7);
  g_assert_cmpint (grid->height, ==, 2 * FRAMES_GAP + 5);
  g_assert_true (frames_are_stored (grid));

  g_autoptr (ReelTensor) picture = picture_new (grid->width, grid->height, NULL);
  g_autoptr (ReelTensor) cell = picture_new (7, 5, NULL);

  g_assert_true (frames_draw (grid, 0, FALSE, picture, NULL));
  for (gint64 y = 0; y < 5; y++)
    memcpy (cell->data + y * 7 * 3,
            picture->data + ((y + FRAMES_GAP) * grid->width + 2 * FRAMES_GAP + 7) * 3, 7 * 3);
  assert_enlarged (grid->parts[1], cell);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/apps/frames/enlarged-by-whole-factors", test_enlarged);
  g_test_add_func ("/apps/frames/made-smaller-in-shape", test_made_smaller);
  g_test_add_func ("/apps/frames/sizes-asked-for", test_size);
  return g_test_run ();
}
