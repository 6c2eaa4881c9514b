/* GIF: few colours come back as they were, many nearly; time passes as it should. */
#include "config.h"

#include "../apps/render/film.h"
#include "../apps/render/palette.h"

#include <stdlib.h>
#include <string.h>

#include "scratch.h"

/* ---- palettes ---- */

static void
fill_noise (guint8 *pixels, gint64 n, guint n_colours, guint seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autofree guint8 *colours = g_malloc (n_colours * 3);

  for (guint i = 0; i < n_colours * 3; i++)
    colours[i] = (guint8) g_rand_int_range (random, 0, 256);
  for (gint64 i = 0; i < n; i++)
    memcpy (pixels + 3 * i, colours + 3 * g_rand_int_range (random, 0, (gint) n_colours), 3);
}

static void
test_exact (void)
{
  enum
  {
    N = 4000
  };
  static guint8 pixels[N * 3], skip[N], numbers[N];

  for (guint n_colours = 1; n_colours <= 255; n_colours += 2)
    {
      Palette palette;

      fill_noise (pixels, N, n_colours, n_colours);
      palette_map (&palette, pixels, skip, N, numbers);
      g_assert_cmpint (palette.n, <=, n_colours);
      for (gint64 i = 0; i < N; i++)
        g_assert_cmpmem (palette.colours[numbers[i]], 3, pixels + 3 * i, 3);
    }
}

/* All of the cube of colours in 255: nothing is further off than its box is wide. */
static void
test_many (void)
{
  enum
  {
    N = 32 * 32 * 32
  };
  static guint8 pixels[N * 3], skip[N], numbers[N];
  Palette palette;
  gint worst = 0;

  for (gint i = 0; i < N; i++)
    for (gint c = 0; c < 3; c++)
      pixels[3 * i + c] = (guint8) ((i >> (5 * c) & 31) * 8);
  palette_map (&palette, pixels, skip, N, numbers);
  g_assert_cmpint (palette.n, ==, 255);
  for (gint i = 0; i < N; i++)
    for (gint c = 0; c < 3; c++)
      worst = MAX (worst, abs (palette.colours[numbers[i]][c] - pixels[3 * i + c]));
  g_assert_cmpint (worst, <=, 32);
}

static void
test_skipped (void)
{
  guint8 pixels[] = { 1, 2, 3, 9, 9, 9, 4, 5, 6 }, skip[] = { 0, 1, 0 }, numbers[] = { 77, 77, 77 };
  Palette palette;

  palette_map (&palette, pixels, skip, 3, numbers);
  g_assert_cmpint (palette.n, ==, 2);
  g_assert_cmpint (numbers[1], ==, 77);
  memset (skip, 1, 3);
  palette_map (&palette, pixels, skip, 3, numbers);
  g_assert_cmpint (palette.n, ==, 0);
}

#ifdef REEL_WITH_GIF
#include <gif_lib.h>

/* ---- films, read again by giflib ---- */

#define WIDTH 40
#define HEIGHT 30

static ReelTensor *
draw (gint i, guint n_colours)
{
  const gint64 shape[] = { HEIGHT, WIDTH, 3 };
  ReelTensor *picture = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, NULL);

  fill_noise (picture->data, WIDTH * HEIGHT, n_colours, 1);
  reel_image_fill (picture, i % 50 - 5, i / 2 - 3, 9, 7, 0xff0000 + (guint32) i, 255);
  return picture;
}

/* Puts a part of a film upon what was shown before; its time in hundredths of a second. */
static gint
show (const SavedImage *image, guint8 *shown)
{
  const GifImageDesc *part = &image->ImageDesc;
  gint time = 0, clear = -1;

  for (int k = 0; k < image->ExtensionBlockCount; k++)
    {
      GraphicsControlBlock control;
      if (image->ExtensionBlocks[k].Function != GRAPHICS_EXT_FUNC_CODE)
        continue;
      DGifExtensionToGCB ((size_t) image->ExtensionBlocks[k].ByteCount,
                          image->ExtensionBlocks[k].Bytes, &control);
      time = control.DelayTime;
      clear = control.TransparentColor;
    }
  for (int y = 0; y < part->Height; y++)
    for (int x = 0; x < part->Width; x++)
      {
        int number = image->RasterBits[y * part->Width + x];
        const GifColorType *colour = &part->ColorMap->Colors[number];
        guint8 *at = shown + ((part->Top + y) * WIDTH + part->Left + x) * 3;

        if (number == clear)
          continue;
        at[0] = colour->Red;
        at[1] = colour->Green;
        at[2] = colour->Blue;
      }
  return time;
}

static char *
write_film (gint n, double rate, guint n_colours)
{
  char *path = scratch_path ("film.gif");
  g_autoptr (GError) error = NULL;
  g_autoptr (Film) film = film_new_gif (path, WIDTH, HEIGHT, rate, &error);

  g_assert_no_error (error);
  for (gint i = 0; i < n; i++)
    {
      g_autoptr (ReelTensor) picture = draw (i, n_colours);
      g_assert_true (film->add (film, picture, &error));
    }
  g_assert_true (film->finish (film, &error));
  return path;
}

/* Every picture for which there is time, exactly, at its time. */
static void
check_film (gint n, double rate)
{
  g_autofree char *path = write_film (n, rate, 200);
  GifFileType *gif = DGifOpenFileName (path, NULL);
  static guint8 shown[WIDTH * HEIGHT * 3];
  gint time = 0;

  g_assert_cmpint (DGifSlurp (gif), ==, GIF_OK);
  for (int k = 0; k < gif->ImageCount; k++)
    {
      gint took = show (&gif->SavedImages[k], shown);
      gboolean last = k == gif->ImageCount - 1, found = FALSE;
      double i = last ? n - 1 : time * rate / 100, far = last ? 0.1 : 0.5 + rate / 200;

      /* By rounding to hundredths the neighbours are as near. */
      for (gint j = (gint) MAX (i - far, 0); j <= MIN (i + far, n - 1) && !found; j++)
        {
          g_autoptr (ReelTensor) picture = draw (j, 200);
          found = j >= i - far && memcmp (picture->data, shown, sizeof shown) == 0;
        }
      g_assert_true (found);
      g_assert_cmpint (took, >=, 2);
      time += took;
    }
  if (rate <= 50)
    g_assert_cmpint (gif->ImageCount, ==, n);
  g_assert_cmpfloat (ABS (time - 100 - (n - 1) * 100 / rate), <=, 2.5);
  DGifCloseFile (gif, NULL);
}

static void
test_films (void)
{
  static const double rates[] = { 0.5, 7, 25, 30, 33.3, 50, 60, 100, 125, 1000 };

  for (guint r = 0; r < G_N_ELEMENTS (rates); r++)
    for (gint n = 1; n <= 60; n = 2 * n + 1)
      check_film (n, rates[r]);
}

static void
test_same_again (void)
{
  g_autofree char *path = scratch_path ("still.gif");
  g_autoptr (Film) film = film_new_gif (path, WIDTH, HEIGHT, 10, NULL);
  g_autoptr (ReelTensor) picture = draw (3, 9);

  for (gint i = 0; i < 5; i++)
    g_assert_true (film->add (film, picture, NULL));
  g_assert_true (film->finish (film, NULL));

  GifFileType *gif = DGifOpenFileName (path, NULL);
  static guint8 shown[WIDTH * HEIGHT * 3];

  g_assert_cmpint (DGifSlurp (gif), ==, GIF_OK);
  g_assert_cmpint (gif->ImageCount, ==, 5);
  for (int k = 0; k < 5; k++)
    {
      show (&gif->SavedImages[k], shown);
      g_assert_cmpmem (shown, sizeof shown, picture->data, sizeof shown);
    }
  g_assert_cmpint (gif->SavedImages[4].ImageDesc.Width, ==, 1);
  DGifCloseFile (gif, NULL);
}

/* An unfinished film leaves nothing, and an old file stays. */
static void
test_left (void)
{
  g_autofree char *path = scratch_path ("film.gif");
  g_autoptr (ReelTensor) picture = draw (0, 9);
  g_autoptr (GError) error = NULL;

  scratch_put (path, "old");
  Film *film = film_new_gif (path, WIDTH, HEIGHT, 10, NULL);
  g_assert_true (film->add (film, picture, NULL) && film->add (film, picture, NULL));
  film_free (film);
  scratch_assert_names (scratch_directory, "film.gif");
  scratch_assert_holds (path, "old");
  g_assert_null (film_new_gif (path, 70000, 2, 10, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/apps/palette/few-colours-stay", test_exact);
  g_test_add_func ("/apps/palette/many-are-near", test_many);
  g_test_add_func ("/apps/palette/what-is-passed-over", test_skipped);
#ifdef REEL_WITH_GIF
  scratch_test ("/apps/film-gif/pictures-and-times-come-back", test_films);
  scratch_test ("/apps/film-gif/what-does-not-change", test_same_again);
  scratch_test ("/apps/film-gif/what-is-not-finished", test_left);
#endif
  return g_test_run ();
}
