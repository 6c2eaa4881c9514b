/* JPEG: the pixels of files are those of Pillow, and nothing damaged passes. */
#include "config.h"

#include "../src/reel.h"

#include <string.h>

static char *
read_seed (const char *name, gsize *length)
{
  g_autofree char *file = g_strconcat (name, ".jpg", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "jpeg", file, NULL);
  g_autoptr (GError) error = NULL;
  char *bytes;

  g_file_get_contents (path, &bytes, length, &error);
  g_assert_no_error (error);
  return bytes;
}

static ReelTensor *
decode (const char *name, GError **error)
{
  gsize length;
  g_autofree char *bytes = read_seed (name, &length);

  return reel_image_decode_jpeg (bytes, length, name, error);
}

#ifdef REEL_WITH_JPEG

/* By tests/tools/make-jpegs.py. */
static const struct
{
  const char *name;
  gint64 height, width;
  const char *digest;
} files[] = {
  { "420", 19, 29, "ee9569851b087b68fc66bd30f6ab0bc78cd254d09f5bfb64d8dca063754d6597" },
  { "422", 19, 29, "fa8312a8939f5000dd8a81c702466577d15ef090926b9c20316fe479313fe940" },
  { "444", 19, 29, "c65586c3f63f0bf4ba37e5ce4b4e10f010db89cc6be85e4d207a2358db253819" },
  { "grey", 19, 29, "b8c0e62df212a8ebfcfa36447f47a2b07fbefc98e69a433adf138bd9a970e3f9" },
  { "one-pixel", 1, 1, "843b0029f279cf1cd71d35b13cce9b6a7409f8a184f57577da0b0ee223713970" },
  { "progressive", 19, 29, "bc9a526972acbb4c527c2a48bf1e09cfb8d9868ad1b5b0eaaedc9478e9d02f87" },
  { "restarts", 19, 29, "2ed933fc8b936f936c6c81220c7bfa5f1ea852defb80a4a28d0a501a8531ea93" },
  { "rgb", 19, 29, "d18ac80bc1c876fd05df08c297ad9f77b2d5595d4b5e8fb893799cf1ca2b6729" },
};

static void
test_pixels_are_those_of_pillow (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensor) image = decode (files[i].name, &error);
      g_autofree char *digest = NULL;

      g_assert_no_error (error);
      g_test_message ("%s", files[i].name);
      g_assert_cmpint (image->shape[0], ==, files[i].height);
      g_assert_cmpint (image->shape[1], ==, files[i].width);
      g_assert_cmpint (image->shape[2], ==, 3);
      digest =
          g_compute_checksum_for_data (G_CHECKSUM_SHA256, image->data, reel_tensor_nbytes (image));
      g_assert_cmpstr (digest, ==, files[i].digest);
    }
}

static void
test_damaged_files_are_errors (void)
{
  static const struct
  {
    const char *name, *message;
  } cases[] = {
    { "bomb", "more pixels than it can hold" },
    { "bomb-progressive", "more pixels than it can hold" },
    { "cmyk", "colours" },
    { "cut", "Premature end" },
    { "cut-progressive", "Premature end" },
    { "header-alone", "Premature end" },
    { "huge", "too large" },
    { "no-size", "" },
    { "noise", "Corrupt" },
    { "taller", "premature end" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (decode (cases[i].name, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_true (g_str_has_prefix (error->message, cases[i].name));
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
}

/* Wherever a file is cut before its last two bytes, which end it, something is missing. */
static void
test_every_cut_is_an_error (void)
{
  static const char *const names[] = { "420", "progressive", "restarts" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gsize length;
      g_autofree char *bytes = read_seed (names[i], &length);

      for (gsize n = 0; n + 2 < length; n++)
        g_assert_null (reel_image_decode_jpeg (bytes, n, names[i], NULL));
    }
}

#else

static void
test_a_build_without_libjpeg_says_so (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (decode ("420", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_nonnull (strstr (error->message, "libjpeg-dev"));
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#ifdef REEL_WITH_JPEG
  g_test_add_func ("/core/jpeg/pixels-are-those-of-pillow", test_pixels_are_those_of_pillow);
  g_test_add_func ("/core/jpeg/damaged-files-are-errors", test_damaged_files_are_errors);
  g_test_add_func ("/core/jpeg/every-cut-is-an-error", test_every_cut_is_an_error);
#else
  g_test_add_func ("/core/jpeg/a-build-without-libjpeg-says-so",
                   test_a_build_without_libjpeg_says_so);
#endif
  return g_test_run ();
}
