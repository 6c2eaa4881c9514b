#include "golden-datasets.h"

#include "../src/core/formats/zip.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

/* ---- raw files ---- */

static void
unpack_file (const ReelZip *zip, const char *name, const char *to)
{
  g_autoptr (GError) error = NULL;
  ReelMemory *memory = reel_zip_extract (zip, reel_zip_find (zip, name), &error);
  gsize length;

  g_assert_no_error (error);
  const char *bytes = (const char *) reel_memory_get_data (memory, &length);
  g_assert_true (g_file_set_contents (to, bytes, (gssize) length, NULL));
  reel_memory_unref (memory);
}

static void
unpack (const ReelZip *zip, const char *name, const char *to)
{
  g_auto (GStrv) names = NULL;

  if (reel_zip_find (zip, name))
    {
      unpack_file (zip, name, to);
      return;
    }
  names = reel_zip_list (zip, name);
  g_assert_cmpint (g_mkdir_with_parents (to, 0777), ==, 0);
  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *below =
          *name ? g_strconcat (name, "/", names[i], NULL) : g_strdup (names[i]);
      g_autofree char *path = g_build_filename (to, names[i], NULL);

      unpack (zip, below, path);
    }
}

json_t *
golden_dataset_open (const char *name)
{
  g_autofree char *json = g_strconcat ("datasets/", name, ".json", NULL);
  g_autofree char *archive = g_strconcat (name, ".zip", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "datasets", archive, NULL);
  g_autofree char *to = scratch_path (name);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelZip) zip = reel_zip_open (path, REEL_MAP_READ, &error);

  g_assert_no_error (error);
  unpack (zip, "", to);
  return golden_load (json);
}

/* An empty directory has no place in an archive. */
char *
golden_dataset_raw (const char *name, const char *directory)
{
  g_autofree char *all = scratch_path (name);
  char *path = g_build_filename (all, directory, NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0777), ==, 0);
  return path;
}

/* ---- leaves ---- */

static char *
describe (const ReelTensor *tensor)
{
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous ((ReelTensor *) tensor, NULL);
  g_autofree char *sum =
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, dense->data, reel_tensor_nbytes (dense));
  g_autoptr (GString) text = g_string_new (reel_dtype_name (dense->dtype));

  for (gint d = 0; d < dense->ndim; d++)
    g_string_append_printf (text, " %" G_GINT64_FORMAT, dense->shape[d]);
  g_string_append_printf (text, " %.16s", sum);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A non-tensor: `["text", [rows], [a text a row]]`. */
static void
assert_texts (const json_t *key, const ReelTensordict *rows, const char *name)
{
  const json_t *texts = json_array_get (key, 2);
  ReelNonTensor *values = reel_tensordict_get_non_tensor (rows, name, NULL);
  gint ndim;

  g_assert_nonnull (values);
  const gint64 *size = reel_non_tensor_get_batch_size (values, &ndim);
  g_assert_cmpint (ndim, ==, 1);
  g_assert_cmpint (size[0], ==, json_array_size (texts));
  g_assert_false (reel_non_tensor_is_single (values));
  for (gint64 i = 0; i < size[0]; i++)
    g_assert_cmpstr (g_variant_get_string (reel_non_tensor_get_value (values, &i), NULL), ==,
                     json_string_value (json_array_get (texts, (gsize) i)));
}

static gboolean
is_text (const json_t *key)
{
  return g_strcmp0 (json_string_value (json_array_get (key, 0)), "text") == 0;
}

static char *
describe_expected (const json_t *key)
{
  const json_t *shape = json_array_get (key, 1);
  g_autoptr (GString) text = g_string_new (json_string_value (json_array_get (key, 0)));

  for (gsize d = 0; d < json_array_size (shape); d++)
    g_string_append_printf (text, " %lld",
                            (long long) json_integer_value (json_array_get (shape, d)));
  g_string_append_printf (text, " %s", json_string_value (json_array_get (key, 2)));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
golden_dataset_assert_leaves (const json_t *keys, const ReelTensordict *rows, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (rows);
  gsize n_texts = 0;
  const char *name;
  json_t *key;

  json_object_foreach ((json_t *) keys, name, key)
  {
    if (is_text (key))
      {
        assert_texts (key, rows, name);
        n_texts++;
        continue;
      }
    const ReelTensor *leaf = reel_tensordict_get_tensor (rows, name, &error);

    g_assert_no_error (error);
    g_autofree char *is = describe (leaf), *expected = describe_expected (key);
    if (!g_str_equal (is, expected))
      g_error ("%s/%s is %s, expected %s", what, name, is, expected);
  }
  g_assert_cmpuint (g_strv_length (leaves) - reel_tensordict_contains (rows, "index"), ==,
                    json_object_size (keys) - n_texts);
}

void
golden_dataset_assert (const json_t *keys, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) rows = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error);

  g_assert_no_error (error);
  golden_dataset_assert_leaves (keys, rows, path);
}
