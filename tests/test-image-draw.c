/* Drawing on pictures: all parts that are on them, and nothing beside. */
#include "../src/reel.h"

#include <string.h>

#define SIDE 5

static ReelTensor *
new_image (gint64 height, gint64 width, guint8 value)
{
  const gint64 shape[] = { height, width, 3 };
  ReelTensor *image = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, NULL);

  memset (image->data, value, reel_tensor_nbytes (image));
  return image;
}

static guint8
pixel (const ReelTensor *image, gint64 x, gint64 y)
{
  return image->data[(y * image->shape[1] + x) * 3];
}

static void
test_fill (void)
{
  for (gint64 x = -2; x <= SIDE + 1; x++)
    for (gint64 y = -2; y <= SIDE + 1; y++)
      for (gint64 w = -1; w <= SIDE + 2; w++)
        for (gint64 h = -1; h <= SIDE + 2; h++)
          {
            g_autoptr (ReelTensor) image = new_image (SIDE, SIDE, 7);
            reel_image_fill (image, x, y, w, h, 0x123456, 255);
            for (gint64 j = 0; j < SIDE; j++)
              for (gint64 i = 0; i < SIDE; i++)
                {
                  gboolean in = x <= i && i < x + w && y <= j && j < y + h;
                  const guint8 *at = image->data + (j * SIDE + i) * 3;
                  g_assert_cmphex (at[0] << 16 | at[1] << 8 | at[2], ==, in ? 0x123456 : 0x070707);
                }
          }
}

static void
test_opacity (void)
{
  for (guint opacity = 0; opacity <= 255; opacity++)
    {
      g_autoptr (ReelTensor) image = new_image (1, 1, 200);
      reel_image_fill (image, 0, 0, 1, 1, 0x640000, (guint8) opacity);
      gint expected = (gint) (200 - 100.0 * opacity / 255 + 0.5);
      g_assert_cmpint (ABS (image->data[0] - expected), <=, 1);
    }
}

static void
test_put (void)
{
  for (gint64 x = -4; x <= SIDE + 1; x++)
    for (gint64 y = -4; y <= SIDE + 1; y++)
      {
        g_autoptr (ReelTensor) image = new_image (SIDE, SIDE, 0);
        g_autoptr (ReelTensor) other = new_image (2, 3, 0);
        for (gint k = 0; k < 6; k++)
          memset (other->data + 3 * k, 1 + k, 3);
        reel_image_put (image, x, y, other);
        for (gint64 j = 0; j < SIDE; j++)
          for (gint64 i = 0; i < SIDE; i++)
            {
              gboolean in = x <= i && i < x + 3 && y <= j && j < y + 2;
              g_assert_cmpint (pixel (image, i, j), ==, in ? 1 + (j - y) * 3 + i - x : 0);
            }
      }
}

/* By every pair of sizes: each pixel is one of its place, or the mean of those that it covers. */
static void
test_scale (void)
{
  for (gint64 n = 1; n <= 9; n++)
    for (gint64 m = 1; m <= 9; m++)
      {
        g_autoptr (ReelTensor) from = new_image (1, n, 0), to = new_image (2, m, 0);
        for (gint64 i = 0; i < n; i++)
          memset (from->data + 3 * i, (int) (20 * i), 3);
        reel_image_scale (from, to);
        for (gint64 i = 0; i < m; i++)
          {
            gint64 begin = i * n / m, end = MAX ((i + 1) * n / m, begin + 1), sum = 0;
            for (gint64 k = begin; k < end; k++)
              sum += 20 * k;
            g_assert_cmpint (pixel (to, i, 0), ==, (sum + (end - begin) / 2) / (end - begin));
            g_assert_cmpint (pixel (to, i, 1), ==, pixel (to, i, 0));
          }
      }
}

/* ---- text ---- */

static ReelTensor *
write_character (const char *text)
{
  ReelTensor *image = new_image (16, 16, 0);

  reel_image_draw_text (image, 5, 3, 1, 0xffffff, text);
  return image;
}

static void
test_glyphs (void)
{
  g_autoptr (GPtrArray) images =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  for (gint c = ' '; c <= '~' + 1; c++)
    {
      const char text[] = { (char) c, '\0' };
      ReelTensor *image = write_character (text);

      for (gint64 y = 0; y < 16; y++)
        for (gint64 x = 0; x < 16; x++)
          if (x < 5 || x >= 10 || y < 3 || y >= 12)
            g_assert_cmpint (pixel (image, x, y), ==, 0);
      for (guint k = 0; k < images->len; k++)
        {
          const ReelTensor *other = g_ptr_array_index (images, k);
          g_assert_true (memcmp (other->data, image->data, reel_tensor_nbytes (image)) != 0);
        }
      g_ptr_array_add (images, image);
    }
}

static void
test_lines (void)
{
  g_autoptr (ReelTensor) one = new_image (40, 40, 0), two = new_image (40, 40, 0);

  reel_image_draw_text (one, 1, 2, 2, 0xffffff, "ab\nc");
  reel_image_draw_text (two, 1, 2, 2, 0xffffff, "a");
  reel_image_draw_text (two, 1 + 2 * REEL_IMAGE_GLYPH_WIDTH, 2, 2, 0xffffff, "b");
  reel_image_draw_text (two, 1, 2 + 2 * REEL_IMAGE_LINE_HEIGHT, 2, 0xffffff, "c");
  g_assert_cmpmem (one->data, 4800, two->data, 4800);
  g_assert_cmpint (reel_image_text_width ("ab\nc", 2), ==, 4 * REEL_IMAGE_GLYPH_WIDTH);
  g_assert_cmpint (reel_image_text_width ("", 3), ==, 0);
}

/* One box a character, whatever it is; bytes that are no UTF-8 are one each. */
static void
test_other_characters (void)
{
  static const char *const texts[] = { "\303\251", "\342\200\224", "\377", "\001",
                                       "\360\237\230\200" };
  g_autoptr (ReelTensor) box = write_character ("\177");

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelTensor) image = write_character (texts[i]);
      g_assert_cmpmem (image->data, 768, box->data, 768);
      g_assert_cmpint (reel_image_text_width (texts[i], 1), ==, REEL_IMAGE_GLYPH_WIDTH);
    }
  g_assert_cmpint (reel_image_text_width ("a\303", 1), ==, 2 * REEL_IMAGE_GLYPH_WIDTH);
}

static void
test_beyond (void)
{
  for (gint64 x = -30; x < 20; x++)
    for (gint64 y = -30; y < 20; y++)
      {
        g_autoptr (ReelTensor) image = new_image (7, 9, 0);
        reel_image_draw_text (image, x, y, 2, 0xffffff, "Wg\n|");
      }
}

static void
test_drawable (void)
{
  const gint64 shape[] = { 4, 4, 3 }, flat[] = { 4, 4 };
  g_autoptr (ReelTensor) good = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, NULL);
  g_autoptr (ReelTensor) two = reel_tensor_new (REEL_DTYPE_UINT8, 2, flat, NULL);
  g_autoptr (ReelTensor) real = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, shape, NULL);
  g_autoptr (ReelTensor) turned = reel_tensor_transpose (good, 0, 1, NULL);

  g_assert_true (reel_image_is_drawable (good));
  g_assert_false (reel_image_is_drawable (NULL));
  g_assert_false (reel_image_is_drawable (two));
  g_assert_false (reel_image_is_drawable (real));
  g_assert_false (reel_image_is_drawable (turned));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/core/image-draw/boxes-end-at-their-edges", test_fill);
  g_test_add_func ("/core/image-draw/opacity-is-a-share", test_opacity);
  g_test_add_func ("/core/image-draw/pictures-in-pictures", test_put);
  g_test_add_func ("/core/image-draw/scaled-by-what-is-covered", test_scale);
  g_test_add_func ("/core/image-draw/glyphs-differ-and-stay-in-their-cells", test_glyphs);
  g_test_add_func ("/core/image-draw/lines-and-scales", test_lines);
  g_test_add_func ("/core/image-draw/other-characters-are-boxes", test_other_characters);
  g_test_add_func ("/core/image-draw/text-beyond-the-edge", test_beyond);
  g_test_add_func ("/core/image-draw/what-is-a-picture", test_drawable);
  return g_test_run ();
}
