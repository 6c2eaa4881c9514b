/* PNG: what others wrote is read, what was written is read again, and nothing damaged passes. */
#include "../src/reel.h"

#include <string.h>

#include "scratch.h"

static char *
seed_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "png", name, NULL);
}

static char *
digest (const ReelTensor *image)
{
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, image->data, reel_tensor_nbytes (image));
}

/* ---- files of others; digests of their pixels by Pillow, those of 16 bits by hand ---- */

static const struct
{
  const char *name;
  gint64 height, width;
  const char *digest;
} files[] = {
  { "alpha", 5, 7, "e731e4caa54f9738810aee3a6d8f5360772e01a81e070564e3590e564677e04d" },
  { "flat", 6, 9, "5739efc4c428bba45b4447c3a56a024f3c95768c639a7750821db18f91a77fc3" },
  { "grey-16", 4, 5, "d110a727ff4d6bffe73b9aafb39aa8d6717384a7b8cb825f43906e68ef6db074" },
  { "grey", 5, 7, "dea0e03fdc10f7a1cb90a71642054f70f38385d497c34d12693e2cb46932afde" },
  { "interlaced-16", 4, 5, "9ba36e4a5d3520aec5c01826b0ae7b87f184f400c4f3d522084617c935eb2c88" },
  { "noise", 5, 7, "e731e4caa54f9738810aee3a6d8f5360772e01a81e070564e3590e564677e04d" },
  { "one-bit", 5, 7, "75178ab030bcb40cc18f11ef23971a2fad85bc1d134c012e4def05533b83b098" },
  { "palette-transparent", 6, 9,
    "5739efc4c428bba45b4447c3a56a024f3c95768c639a7750821db18f91a77fc3" },
  { "palette", 6, 9, "5739efc4c428bba45b4447c3a56a024f3c95768c639a7750821db18f91a77fc3" },
  { "text", 5, 7, "e731e4caa54f9738810aee3a6d8f5360772e01a81e070564e3590e564677e04d" },
};

static void
test_files_of_others (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strconcat (files[i].name, ".png", NULL);
      g_autofree char *path = seed_path (name);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensor) image = reel_image_read_png (path, &error);

      g_assert_no_error (error);
      g_test_message ("%s", files[i].name);
      g_assert_cmpint (image->shape[0], ==, files[i].height);
      g_assert_cmpint (image->shape[1], ==, files[i].width);
      g_assert_cmpint (image->shape[2], ==, 3);

      g_autofree char *found = digest (image);

      g_assert_cmpstr (found, ==, files[i].digest);
    }
}

/* ---- round trips ---- */

/* A picture of runs whose length is about @run pixels. */
static ReelTensor *
make_image (gint64 height, gint64 width, gint run, GRand *rand)
{
  const gint64 shape[] = { height, width, 3 };
  ReelTensor *image = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, NULL);
  gsize n = reel_tensor_nbytes (image);

  for (gsize i = 0; i < n; i += 3)
    if (i > 0 && g_rand_int_range (rand, 0, run) > 0)
      memcpy (image->data + i, image->data + i - 3, 3);
    else
      for (gsize c = 0; c < 3; c++)
        image->data[i + c] = (guint8) g_rand_int (rand);
  return image;
}

static void
test_written_is_read (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autofree char *path = scratch_path ("it.png");

  for (gint round = 0; round < 60; round++)
    {
      g_autoptr (ReelTensor) image =
          make_image (1 + round % 7 * 13, 1 + round % 5 * 40, 1 + round % 3 * 8, rand);
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_image_write_png (image, path, &error));
      g_assert_no_error (error);

      g_autoptr (ReelTensor) again = reel_image_read_png (path, &error);

      g_assert_no_error (error);
      g_assert_true (reel_tensor_equal (image, again));
    }
}

/* One frame of many, and one that strides over others. */
static void
test_views_are_written (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) tall = make_image (12, 10, 2, rand);
  const gint64 frames[] = { 4, 3, 10, 3 };
  g_autoptr (ReelTensor) stack = reel_tensor_view (tall, 4, frames, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensor) strided = reel_tensor_select (stack, 1, 1, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = reel_image_encode_png (strided, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensor) again = reel_image_decode_png (g_bytes_get_data (bytes, NULL),
                                                        g_bytes_get_size (bytes), "it", &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensor_equal (strided, again));
}

static void
test_no_pictures (void)
{
  static const gint64 shapes[][3] = { { 4, 4, 1 }, { 0, 4, 3 }, { 4, 0, 3 }, { 32769, 1, 3 } };
  const gint64 plain[] = { 4, 4, 3 };
  g_autoptr (ReelTensor) floats = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, plain, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_image_encode_png (floats, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (ReelTensor) image = reel_tensor_new (REEL_DTYPE_UINT8, 3, shapes[i], NULL);

      g_clear_error (&error);
      g_assert_null (reel_image_encode_png (image, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
    }
}

/* ---- damage ---- */

static void
assert_damaged (const char *data, gsize length)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_image_decode_png (data, length, "it.png", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "it.png"));
}

/* No bit of a file can change, and no end be missing, without being noticed. */
static void
test_damage_is_noticed (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strconcat (files[i].name, ".png", NULL);
      g_autofree char *path = seed_path (name), *data = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (path, &data, &length, NULL));
      for (gsize n = 0; n < length; n++)
        {
          g_autofree char *cut = g_memdup2 (data, n);
          assert_damaged (cut, n);
        }
      for (gsize bit = 0; bit < 8 * length; bit++)
        {
          data[bit / 8] ^= (char) (1 << bit % 8);
          assert_damaged (data, length);
          data[bit / 8] ^= (char) (1 << bit % 8);
        }
    }
}

/* A few bytes that claim 3 GB are refused before memory is taken. */
static void
test_claims_are_checked (void)
{
  g_autofree char *path = seed_path ("huge-claim.png");
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_image_read_png (path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/image/files-of-others", test_files_of_others);
  scratch_test ("/core/image/written-is-read", test_written_is_read);
  g_test_add_func ("/core/image/views-are-written", test_views_are_written);
  g_test_add_func ("/core/image/no-pictures", test_no_pictures);
  g_test_add_func ("/core/image/damage-is-noticed", test_damage_is_noticed);
  g_test_add_func ("/core/image/claims-are-checked", test_claims_are_checked);

  return g_test_run ();
}
