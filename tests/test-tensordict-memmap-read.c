/* Directories of tensordicts made by hand: every form that is read, and damage of every kind found
 * without touching anything. */
#include "../src/core/system/directories.h"
#include "../src/core/tensordict-files/memmap-format.h"
#include "../src/reel.h"
#include "memmap-example.h"
#include "scratch.h"

#include <string.h>

/* A directory in the scratch one with this metadata. */
static char *
put_directory (const char *name, const char *metadata)
{
  char *path = scratch_path (name);
  g_autofree char *file = g_build_filename (path, "meta.json", NULL);

  g_assert_true (reel_directory_make (path, NULL));
  scratch_put (file, metadata);
  return path;
}

static void
put_leaf (const char *directory, const char *name, const char *bytes)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  scratch_put (path, bytes);
}

#define LEAF(shape, dtype) "{\"shape\": " shape ", \"dtype\": \"torch." dtype "\"}"
#define END "\"shape\": [2], \"device\": \"cpu\", \"_type\": \"" TENSORDICT "\"}"

static void
assert_keys (const ReelTensordict *td, const char *expected)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  g_autofree char *list = g_strjoinv (" ", leaves);

  g_assert_cmpstr (list, ==, expected);
}

static void
assert_batch_size (const ReelTensordict *td, const char *path, gint ndim, const gint64 *expected)
{
  ReelTensordict *child = reel_tensordict_get_tensordict (td, path, NULL);
  gint found_ndim;
  const gint64 *found = reel_tensordict_get_batch_size (child, &found_ndim);

  g_assert_cmpmem (found, found_ndim * sizeof *found, expected, ndim * sizeof *expected);
}

static void
test_leaves_come_before_collections (void)
{
  g_autofree char *path =
      put_directory ("d", "{\"s\": {\"type\": \"X\"}, \"b\": " LEAF (
                              "[2]", "int8") ", \"a\": " LEAF ("[2]", "int8") ", " END);
  g_autofree char *child = put_directory ("d/s", "{\"c\": " LEAF ("[2]", "int8") ", " END);

  put_leaf (path, "a.memmap", "aa");
  put_leaf (path, "b.memmap", "bbLONGER");
  put_leaf (child, "c.memmap", "cc");
  g_autoptr (ReelTensordict) td = memmap_load (path);
  assert_keys (td, "b a s/c");
  g_assert_cmpint (reel_tensordict_get_tensor (td, "b", NULL)->data[1], ==, 'b');
}

static void
test_tolerated_extras (void)
{
  g_autofree char *path = put_directory (
      "d", "{\"n\": 3, \"t\": \"text\", \"list\": [1], \"none\": null, \"o\": {}, "
           "\"half\": {\"dtype\": 1}, \"other\": {\"shape\": 1, \"type\": null}, \"a\": "
           "{\"dtype\": \"torch.int8\", \"more\": 1, \"shape\": [2], \"is_nested\": false}, " END);
  g_autofree char *stray = put_directory ("d/stray", "no JSON");

  put_leaf (path, "a.memmap", "aa");
  put_leaf (path, "unlisted.memmap", "xx");
  g_autoptr (ReelTensordict) td = memmap_load (path);
  assert_keys (td, "a");
}

static void
test_minimal_metadata (void)
{
  g_autofree char *path = put_directory ("d", "{\"_type\": \"" TENSORDICT "\"}");
  g_autoptr (ReelTensordict) td = memmap_load (path);
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  g_assert_cmpint (ndim, ==, 0);
  g_assert_cmpstr (reel_tensordict_get_device (td), ==, "cpu");
}

static void
test_device_none (void)
{
  g_autofree char *path =
      put_directory ("d", "{\"device\": \"None\", \"_type\": \"" TENSORDICT "\"}");
  g_autoptr (ReelTensordict) td = memmap_load (path);

  g_assert_null (reel_tensordict_get_device (td));
}

static void
test_classes_of_the_same_layout (void)
{
  static const char *const classes[] = { "tensordict.nn.params.TensorDictParams",
                                         "tensordict.persistent.PersistentTensorDict", "my.Own" };

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      g_autofree char *metadata =
          g_strdup_printf ("{\"shape\": [2], \"_type\": \"<class '%s'>\"}", classes[i]);
      g_autofree char *path = put_directory ("d", metadata);
      g_autoptr (ReelTensordict) td = memmap_load (path);
    }
}

static void
test_views_of_another (void)
{
  g_autofree char *path = put_directory ("d", "{\"_type\": \"<class 'my.Own'>\"}");
  g_autofree char *inside = put_directory ("d/_source", "{" END);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensordict_load (path, REEL_LOAD_SHARED, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_nonnull (strstr (error->message, "is a my.Own, which cannot be read"));
}

/* tensordict 0.3: nested collections are not listed, and there is no is_nested. */
static void
test_oldest_layout (void)
{
  g_autofree char *path = put_directory ("d", "{\"a\": " LEAF ("[2]", "int8") ", " END);
  g_autofree char *child = put_directory ("d/s", "{\"c\": " LEAF ("[2]", "int8") ", " END);
  g_autofree char *empty = scratch_path ("d/empty");

  put_leaf (path, "a.memmap", "aa");
  put_leaf (child, "c.memmap", "cc");
  g_assert_true (reel_directory_make (empty, NULL));
  g_autoptr (ReelTensordict) td = memmap_load (path);
  assert_keys (td, "a s/c");
}

/* Versions before 0.14 used keys as names as they are; the encoded name is looked for first. */
static void
test_plain_names (void)
{
  g_autofree char *path =
      put_directory ("d", "{\"a b\": " LEAF ("[2]", "int8") ", \"s p\": {\"type\": \"T\"}, " END);
  g_autofree char *child = put_directory ("d/s p", "{\"x y\": " LEAF ("[2]", "int8") ", " END);

  put_leaf (path, "a b.memmap", "11");
  put_leaf (child, "x y.memmap", "22");
  g_autoptr (ReelTensordict) old = memmap_load (path);
  assert_keys (old, "a b s p/x y");
  g_assert_cmpint (reel_tensordict_get_tensor (old, "a b", NULL)->data[0], ==, '1');
  put_leaf (path, "a%20b.memmap", "33");
  g_autoptr (ReelTensordict) td = memmap_load (path);
  g_assert_cmpint (reel_tensordict_get_tensor (td, "a b", NULL)->data[0], ==, '3');
}

/* A child whose own batch size is shorter than its parent's takes the parent's. */
static void
test_children_take_the_batch_size (void)
{
  const gint64 two[] = { 2 }, longer[] = { 2, 3 };
  g_autofree char *path =
      put_directory ("d", "{\"s\": {\"type\": \"T\"}, \"l\": {\"type\": \"T\"}, " END);
  g_autofree char *child = put_directory (
      "d/s", "{\"c\": " LEAF ("[2]", "int8") ", \"shape\": [], \"_type\": \"" TENSORDICT "\"}");
  g_autofree char *other =
      put_directory ("d/l", "{\"shape\": [2, 3], \"_type\": \"" TENSORDICT "\"}");

  put_leaf (child, "c.memmap", "cc");
  g_autoptr (ReelTensordict) td = memmap_load (path);
  assert_batch_size (td, "s", 1, two);
  assert_batch_size (td, "l", 2, longer);
}

static void
test_empty_leaves_need_no_file (void)
{
  g_autofree char *path =
      put_directory ("d", "{\"none\": " LEAF ("[2, 0]", "int64") ", \"empty\": " LEAF (
                              "[2, 0]", "int64") ", \"long\": " LEAF ("[2, 0]", "int64") ", " END);

  put_leaf (path, "empty.memmap", "");
  put_leaf (path, "long.memmap", "xxxx");
  g_autoptr (ReelTensordict) td = memmap_load (path);
  assert_keys (td, "none empty long");
  g_assert_cmpint (reel_tensor_numel (reel_tensordict_get_tensor (td, "none", NULL)), ==, 0);
}

/* ---- damage ---- */

static void
assert_damaged (const char *path, const char *file, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *full = g_build_filename (path, file, NULL);

  g_assert_null (reel_tensordict_load (path, REEL_LOAD_SHARED, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, full));
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_bad_metadata (void)
{
  static const struct
  {
    const char *metadata, *words;
  } cases[] = {
    { "", ":1:0: " },
    { "{\"a\": ", ":1:6: " },
    { "[]", "expected an object, found an array" },
    { "{\"shape\": [2]}", "\"_type\" is missing; expected a string" },
    { "{\"_type\": 3}", "\"_type\": expected a string, found the integer 3" },
    { "{\"_type\": \"TensorDict\"}", "\"_type\": expected the string \"<class '…'>\"" },
    { "{\"_type\": \"<class '>\"}", "\"_type\": expected the string" },
    { "{\"_type\": \"<class ''>\"}", "\"_type\": expected the string" },
    { "{\"shape\": 2, \"_type\": \"" TENSORDICT "\"}", "\"shape\": expected an array" },
    { "{\"shape\": [2.0], \"_type\": \"" TENSORDICT "\"}", "found the real 2.0" },
    { "{\"shape\": [-2], \"_type\": \"" TENSORDICT "\"}", "found the integer -2" },
    { "{\"a\": " LEAF ("[2]", "float8_e4m3fn") ", " END, "unknown element type \"torch.float8" },
    { "{\"a\": " LEAF ("[2]", "double") ", " END, "unknown element type \"torch.double\"" },
    { "{\"a\": {\"dtype\": 7, \"shape\": [2]}, " END, "\"a\": \"dtype\": expected a string" },
    { "{\"a\": " LEAF ("2", "int8") ", " END, "\"a\": \"shape\": expected an array" },
    { "{\"a\": " LEAF ("[2, null]", "int8") ", " END, "\"a\": \"shape\"[1]: expected an integer" },
    { "{\"a\": " LEAF ("[3]", "int8") ", " END, "begins with the batch size [2], found [3]" },
    { "{\"a\": " LEAF ("[]", "int8") ", " END, "begins with the batch size [2], found []" },
    { "{\"a\": " LEAF ("[2, 4611686018427387904]", "int8") ", " END, "2^63" },
    { "{\"a\": " LEAF ("[2, 0, 4611686018427387904, 4611686018427387904]", "int8") ", " END,
      "2^63" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = put_directory ("d", cases[i].metadata);
      put_leaf (path, "a.memmap", "aa");
      assert_damaged (path, "meta.json", cases[i].words);
    }
}

static void
test_no_directory (void)
{
  g_autofree char *missing = scratch_path ("missing");
  g_autofree char *file = scratch_path ("file");
  g_autofree char *empty = scratch_path ("empty");

  scratch_put (file, "text");
  g_assert_true (reel_directory_make (empty, NULL));
  assert_damaged (missing, "", "expected a directory");
  assert_damaged (file, "", "is not a zip archive, or cut off: 4 bytes");
  assert_damaged (empty, "meta.json", "this JSON file is missing");
}

static void
test_missing_and_short_files (void)
{
  g_autofree char *path = put_directory ("d", "{\"a\": " LEAF ("[2, 3]", "int16") ", " END);
  g_autofree char *leaf = g_build_filename (path, "a.memmap", NULL);

  assert_damaged (path, "a.memmap", "expected a file of 12 bytes, found nothing");
  scratch_put (leaf, "elevenbytes");
  assert_damaged (path, "a.memmap", "12");
  assert_damaged (path, "a.memmap", "11");
  scratch_assert_holds (leaf, "elevenbytes");
  scratch_put (leaf, "");
  assert_damaged (path, "a.memmap", "12");
  scratch_assert_holds (leaf, "");
}

static void
test_missing_collections (void)
{
  g_autofree char *path = put_directory ("d", "{\"s\": {\"type\": \"TensorDict\"}, " END);

  assert_damaged (path, "s", "expected a directory, found nothing");
  g_autofree char *child = put_directory ("d/s", "{");
  assert_damaged (path, "s/meta.json", ":1:");
}

/* Keys that would lead elsewhere are never used as names. */
static void
test_keys_lead_nowhere_else (void)
{
  g_autofree char *path = put_directory ("d", "{\"../secret\": " LEAF ("[2]", "int8") ", " END);
  g_autofree char *secret = scratch_path ("secret.memmap");

  scratch_put (secret, "ss");
  assert_damaged (path, "..%2Fsecret.memmap", "found nothing");
  g_assert_false (reel_memmap_key_is_name (".."));
  g_assert_false (reel_memmap_key_is_name ("."));
  g_assert_false (reel_memmap_key_is_name (""));
  g_assert_false (reel_memmap_key_is_name ("a/b"));
  g_assert_false (reel_memmap_key_is_name ("a\\b"));
  g_assert_false (reel_memmap_key_is_name ("c:x"));
  g_assert_true (reel_memmap_key_is_name ("ab:c d"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  scratch_test ("/core/tensordict-memmap/leaves-come-before-collections",
                test_leaves_come_before_collections);
  scratch_test ("/core/tensordict-memmap/tolerated-extras", test_tolerated_extras);
  scratch_test ("/core/tensordict-memmap/minimal-metadata", test_minimal_metadata);
  scratch_test ("/core/tensordict-memmap/device-none", test_device_none);
  scratch_test ("/core/tensordict-memmap/classes-of-the-same-layout",
                test_classes_of_the_same_layout);
  scratch_test ("/core/tensordict-memmap/views-of-another", test_views_of_another);
  scratch_test ("/core/tensordict-memmap/oldest-layout", test_oldest_layout);
  scratch_test ("/core/tensordict-memmap/plain-names", test_plain_names);
  scratch_test ("/core/tensordict-memmap/children-take-the-batch-size",
                test_children_take_the_batch_size);
  scratch_test ("/core/tensordict-memmap/empty-leaves-need-no-file",
                test_empty_leaves_need_no_file);
  scratch_test ("/core/tensordict-memmap/bad-metadata", test_bad_metadata);
  scratch_test ("/core/tensordict-memmap/no-directory", test_no_directory);
  scratch_test ("/core/tensordict-memmap/missing-and-short-files", test_missing_and_short_files);
  scratch_test ("/core/tensordict-memmap/missing-collections", test_missing_collections);
  scratch_test ("/core/tensordict-memmap/keys-lead-nowhere-else", test_keys_lead_nowhere_else);

  return g_test_run ();
}
