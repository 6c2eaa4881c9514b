/* Directories of memory-mapped tensordicts: those of the real TorchRL read and written again, and
 * damage of every kind found without touching anything. */
#include "../src/core/directories.h"
#include "../src/core/json.h"
#include "../src/core/memmap-format.h"
#include "../src/reel.h"
#include "file-faults.h"
#include "power-loss.h"
#include "scratch.h"

#include <string.h>

#define TENSORDICT "<class 'tensordict._td.TensorDict'>"

/* ---- what the real one wrote ---- */

static char *
golden_path (const char *name, const char *below)
{
  return g_test_build_filename (G_TEST_DIST, "data", "torchrl", name, below, NULL);
}

static json_t *
load_json (const char *path)
{
  g_autoptr (GError) error = NULL;
  json_t *root = reel_json_load_file (path, &error);

  g_assert_no_error (error);
  return root;
}

/* The data in it, which nobody looks at, may be beyond 2^63. */
static json_t *
load_expectation (const char *name)
{
  g_autofree char *path = golden_path (name, "expect.json");
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (char *at = text; (at = strstr (at, "1844674407370955161"));)
    *at = ' ';
  json_t *root = reel_json_parse (path, text, strlen (text), &error);
  g_assert_no_error (error);
  return root;
}

/* The path of a key: its real components where percent-encoding changed one, else those on disk. */
static char *
path_of (const char *on_disk, const json_t *leaf)
{
  const json_t *key = json_object_get (leaf, "key");
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < json_array_size (key); i++)
    g_ptr_array_add (parts, reel_path_escape (json_string_value (json_array_get (key, i))));
  g_ptr_array_add (parts, NULL);
  return key ? g_strjoinv ("/", (char **) parts->pdata) : g_strdup (on_disk);
}

static char *
digest (ReelTensor *tensor)
{
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (tensor, NULL);

  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, dense->data, reel_tensor_nbytes (dense));
}

static void
assert_leaf (const ReelTensordict *td, const char *path, const json_t *expected)
{
  g_autoptr (GError) error = NULL;
  ReelTensor *tensor = reel_tensordict_get_tensor (td, path, &error);
  gint64 shape[REEL_MAX_NDIM];
  gint ndim;

  g_assert_no_error (error);
  g_assert_cmpstr (reel_dtype_name (tensor->dtype), ==,
                   json_string_value (json_object_get (expected, "dtype")));
  g_assert_true (reel_json_get_shape (expected, path, "shape", &ndim, shape, NULL));
  g_autoptr (ReelTensor) valid =
      ndim > 0 ? reel_tensor_slice (tensor, 0, 0, shape[0], 1, NULL) : reel_tensor_ref (tensor);
  g_assert_cmpmem (valid->shape, valid->ndim * sizeof *shape, shape, ndim * sizeof *shape);
  g_autofree char *sum = digest (valid);
  g_assert_cmpstr (sum, ==, json_string_value (json_object_get (expected, "sha256")));
  g_assert_cmpint (reel_memory_get_kind (tensor->memory), ==, REEL_MEMORY_FILE);
}

static void
assert_leaves (const ReelTensordict *td, json_t *keys)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  const char *on_disk;
  json_t *leaf;
  guint n = 0;

  json_object_foreach (keys, on_disk, leaf)
  {
    if (!json_object_get (leaf, "sha256"))
      continue;
    g_autofree char *path = path_of (on_disk, leaf);
    assert_leaf (td, path, leaf);
    n++;
  }
  g_assert_cmpuint (g_strv_length (leaves), ==, n);
}

/* The first bytes of a file that may be longer are those of another. */
static void
assert_begins_with (const char *longer, const char *begin)
{
  g_autofree char *a = NULL, *b = NULL;
  gsize a_length, b_length;

  g_assert_true (g_file_get_contents (longer, &a, &a_length, NULL));
  g_assert_true (g_file_get_contents (begin, &b, &b_length, NULL));
  g_assert_cmpuint (a_length, >=, b_length);
  g_assert_cmpmem (a, b_length, b, b_length);
}

static gboolean
is_directory (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_DIR);
}

/* Every file of @ours stands in @golden too, leaves byte for byte, metadata as JSON. */
static void
assert_same_files (const char *golden, const char *ours, gboolean same_metadata)
{
  g_auto (GStrv) names = reel_directory_list (ours, NULL);

  for (guint i = 0; names[i]; i++)
    {
      g_autofree char *a = g_build_filename (golden, names[i], NULL);
      g_autofree char *b = g_build_filename (ours, names[i], NULL);
      if (is_directory (b))
        assert_same_files (a, b, same_metadata);
      else if (g_str_has_suffix (b, ".memmap"))
        assert_begins_with (a, b);
      else if (same_metadata)
        {
          g_autoptr (json_t) theirs = load_json (a);
          g_autoptr (json_t) mine = load_json (b);
          g_assert_true (json_equal (theirs, mine));
        }
    }
}

/* The reverse: all that @golden has and a tensordict could have written stands in @ours. */
static void
assert_all_files (const char *golden, const char *ours)
{
  g_auto (GStrv) names = reel_directory_list (golden, NULL);

  for (guint i = 0; names[i]; i++)
    {
      g_autofree char *a = g_build_filename (golden, names[i], NULL);
      g_autofree char *b = g_build_filename (ours, names[i], NULL);
      if (g_str_has_suffix (a, ".memmap"))
        g_assert_true (g_file_test (b, G_FILE_TEST_IS_REGULAR));
      else if (is_directory (a))
        assert_all_files (a, b);
    }
}

static void
check_golden (const char *name, const char *below, gboolean complete)
{
  g_autofree char *path = golden_path (name, below);
  g_autofree char *copy = scratch_path (name);
  g_autoptr (json_t) expect = load_expectation (name);
  json_t *storage = json_object_get (expect, "storage");
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) left_out = NULL;

  g_test_message ("%s", name);
  g_autoptr (ReelTensordict) td =
      reel_tensordict_load_memmap_partial (path, REEL_MEMMAP_READ_ONLY, &left_out, &error);
  g_assert_no_error (error);
  g_assert_cmpint (left_out[0] == NULL, ==, complete);
  g_assert_true (reel_tensordict_is_locked (td));
  assert_leaves (td, json_object_get (storage ? storage : expect, "keys"));

  g_assert_true (reel_tensordict_save_memmap (td, copy, &error));
  g_assert_no_error (error);
  /* The reader took a PersistentTensorDict for what it is on disk, a TensorDict. */
  assert_same_files (path, copy, complete && strcmp (name, "td-persistent") != 0);
  if (complete)
    assert_all_files (path, copy);
  g_autoptr (ReelTensordict) again = reel_tensordict_load_memmap (copy, REEL_MEMMAP_DEFAULT, NULL);
  g_assert_true (reel_tensordict_equal (td, again));
}

static void
test_golden_tensordicts (void)
{
  static const char *const names[] = { "td-dtypes",      "td-floats",     "td-keys",
                                       "td-longer-file", "td-nested",     "td-shapes",
                                       "td-strides",     "td-persistent", "live-memmap" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    check_golden (names[i], "dump", TRUE);
  check_golden ("td-stdlib-json", "dump", FALSE);
}

static void
test_golden_storages (void)
{
  g_autofree char *folder = golden_path (".", NULL);
  g_auto (GStrv) names = reel_directory_list (folder, NULL);
  guint n = 0;

  for (guint i = 0; names[i]; i++)
    {
      g_autofree char *metadata = golden_path (names[i], "dump/storage/meta.json");
      if (!g_file_test (metadata, G_FILE_TEST_EXISTS))
        continue;
      g_autoptr (json_t) root = load_json (metadata);
      const char *type = json_string_value (json_object_get (root, "_type"));
      if (g_strcmp0 (type, TENSORDICT) != 0 || g_str_has_prefix (names[i], "rb-nested")
          || g_str_has_prefix (names[i], "rb-flat"))
        continue;
      check_golden (names[i], "dump/storage", strcmp (names[i], "rb-strings") != 0);
      n++;
    }
  g_assert_cmpuint (n, >=, 8);
}

static void
test_device_and_print (void)
{
  g_autofree char *path = golden_path ("live-memmap", "dump");
  g_autoptr (ReelTensordict) td = reel_tensordict_load_memmap (path, REEL_MEMMAP_READ_ONLY, NULL);
  g_autofree char *text = reel_tensordict_to_string (td);

  g_assert_cmpstr (reel_tensordict_get_device (td), ==, "cpu");
  g_assert_nonnull (strstr (text, "MemoryMappedTensor(shape=torch.Size("));
  g_assert_nonnull (strstr (text, "is_shared=True),\n"));
  g_assert_null (strstr (text, "device=None"));
}

static void
test_unknown_collections_are_named (void)
{
  static const struct
  {
    const char *name, *word;
    gboolean root;
  } cases[] = {
    { "td-lazy0", "tensordict._lazy.LazyStackedTensorDict", TRUE },
    { "td-lazy1", "tensordict._lazy.LazyStackedTensorDict", FALSE },
    { "td-nontensor", "tensordict.tensorclass.", FALSE },
    { "td-nontensorstack", "tensordict.tensorclass.NonTensorStack", FALSE },
    { "td-nontensor-pickle", "tensordict.tensorclass.NonTensorData", FALSE },
    { "td-ragged", "ragged tensor", FALSE },
    { "td-tensorclass", ".", TRUE },
    { "td-stdlib-json", "\"txt\" is a tensordict.tensorclass.NonTensorData", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = golden_path (cases[i].name, "dump");
      g_auto (GStrv) left_out = NULL;
      GError *error = NULL;

      g_test_message ("%s", cases[i].name);
      g_assert_null (reel_tensordict_load_memmap (path, REEL_MEMMAP_READ_ONLY, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_assert_nonnull (strstr (error->message, cases[i].word));
      g_assert_true (g_str_has_prefix (error->message, path));
      g_clear_error (&error);
      g_autoptr (ReelTensordict) td =
          reel_tensordict_load_memmap_partial (path, REEL_MEMMAP_READ_ONLY, &left_out, &error);
      if (cases[i].root)
        g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      else
        g_assert_no_error (error);
      g_assert_cmpint (td != NULL, ==, !cases[i].root);
      g_clear_error (&error);
    }
}

/* ---- directories made by hand ---- */

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

static ReelTensordict *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *td = reel_tensordict_load_memmap (path, REEL_MEMMAP_DEFAULT, &error);

  g_assert_no_error (error);
  return td;
}

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
  g_autoptr (ReelTensordict) td = load (path);
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
  g_autoptr (ReelTensordict) td = load (path);
  assert_keys (td, "a");
}

static void
test_minimal_metadata (void)
{
  g_autofree char *path = put_directory ("d", "{\"_type\": \"" TENSORDICT "\"}");
  g_autoptr (ReelTensordict) td = load (path);
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
  g_autoptr (ReelTensordict) td = load (path);

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
      g_autoptr (ReelTensordict) td = load (path);
    }
}

static void
test_classes_of_another_layout (void)
{
  static const char *const insides[] = { "d/_tensordict", "d/_source" };
  g_autofree char *path = put_directory ("d", "{\"_type\": \"<class 'my.Own'>\"}");

  for (guint i = 0; i < G_N_ELEMENTS (insides); i++)
    {
      g_autofree char *inside = put_directory (insides[i], "{" END);
      g_autoptr (GError) error = NULL;
      g_assert_null (reel_tensordict_load_memmap (path, REEL_MEMMAP_DEFAULT, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_assert_true (reel_directory_remove (inside, NULL));
    }
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
  g_autoptr (ReelTensordict) td = load (path);
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
  g_autoptr (ReelTensordict) old = load (path);
  assert_keys (old, "a b s p/x y");
  g_assert_cmpint (reel_tensordict_get_tensor (old, "a b", NULL)->data[0], ==, '1');
  put_leaf (path, "a%20b.memmap", "33");
  g_autoptr (ReelTensordict) td = load (path);
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
  g_autoptr (ReelTensordict) td = load (path);
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
  g_autoptr (ReelTensordict) td = load (path);
  assert_keys (td, "none empty long");
  g_assert_cmpint (reel_tensor_numel (reel_tensordict_get_tensor (td, "none", NULL)), ==, 0);
}

/* ---- damage ---- */

static void
assert_damaged (const char *path, const char *file, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *full = g_build_filename (path, file, NULL);

  g_assert_null (reel_tensordict_load_memmap (path, REEL_MEMMAP_DEFAULT, &error));
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
    { "{\"shape\": [2]}", "\"_type\": expected a string, found nothing" },
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
  assert_damaged (file, "", "expected a directory, found something else");
  assert_damaged (empty, "meta.json", "expected a JSON file, found nothing");
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

/* ---- writing ---- */

static ReelTensordict *
new_example (void)
{
  const gint64 shape[] = { 2, 3 };
  ReelTensordict *td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT16, 2, shape, NULL);
  g_autoptr (ReelTensor) bytes = reel_tensor_new (REEL_DTYPE_UINT8, 1, shape, NULL);

  for (guint i = 0; i < 6; i++)
    ((gint16 *) tensor->data)[i] = i;
  g_assert_true (reel_tensordict_set_tensor (td, "a", tensor, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "next/b c", bytes, NULL));
  return td;
}

static void
test_saved_directory (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autofree char *path = scratch_path ("some/where/d");
  g_autofree char *metadata = scratch_path ("some/where/d/meta.json");
  g_autofree char *next = scratch_path ("some/where/d/next");

  g_assert_true (reel_tensordict_save_memmap (td, path, NULL));
  scratch_assert_names (path, "a.memmap meta.json next");
  scratch_assert_names (next, "b%20c.memmap meta.json");
  scratch_assert_holds (metadata,
                        "{\"a\":{\"device\":\"cpu\",\"shape\":[2,3],\"dtype\":\"torch.int16\","
                        "\"is_nested\":false},\"next\":{\"type\":\"TensorDict\"},\"shape\":[2],"
                        "\"device\":\"cpu\",\"_type\":\"" TENSORDICT "\"}");
  g_autoptr (ReelTensordict) again = load (path);
  g_assert_true (reel_tensordict_equal (td, again));
}

static void
test_saving_over_itself (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autofree char *path = scratch_path ("d");

  g_assert_true (reel_tensordict_save_memmap (td, path, NULL));
  g_autoptr (ReelTensordict) mapped = load (path);
  g_autoptr (ReelTensordict) swapped = reel_tensordict_slice (mapped, 0, 1, 2, 1, NULL);
  g_assert_true (reel_tensordict_save_memmap (swapped, path, NULL));
  g_assert_true (reel_tensordict_equal (td, mapped));
  g_autoptr (ReelTensordict) again = load (path);
  g_assert_true (reel_tensordict_equal (swapped, again));
}

static void
test_writes_reach_the_files (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autofree char *path = scratch_path ("d");

  g_assert_true (reel_tensordict_save_memmap (td, path, NULL));
  g_autoptr (ReelTensordict) mapped = load (path);
  ((gint16 *) reel_tensordict_get_tensor (mapped, "a", NULL)->data)[5] = 500;
  g_autoptr (ReelTensordict) again =
      reel_tensordict_load_memmap (path, REEL_MEMMAP_READ_ONLY, NULL);
  g_assert_cmpint (((gint16 *) reel_tensordict_get_tensor (again, "a", NULL)->data)[5], ==, 500);
}

static void
set_scalar (ReelTensordict *td, const char *path)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

static void
assert_key_error (const ReelTensordict *td, const char *word)
{
  g_autofree char *path = scratch_path ("d");
  GError *error = NULL;

  g_assert_false (reel_tensordict_save_memmap (td, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_nonnull (strstr (error->message, word));
  g_clear_error (&error);
  g_assert_null (reel_tensordict_new_memmap (td, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
test_keys_that_cannot_be_stored (void)
{
  static const char *const keys[] = { "shape",   "device",  "_type",
                                      "n/shape", "bad\xff", "meta.json/x" };
  static const char *const clash[] = { "x", "x.memmap/y" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
      set_scalar (td, keys[i]);
      assert_key_error (td, "cannot be stored");
    }
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
      set_scalar (td, clash[i]);
      set_scalar (td, clash[1 - i]);
      assert_key_error (td, "\"x.memmap\"");
    }
}

static void
test_odd_keys_that_can (void)
{
  static const char *const keys[] = { "dtype", "type",   "%",        ".",  "..",
                                      "a%2Fb", "%25",    "x.y",      "é𝄞", "\x7f\x01",
                                      "a:b?*", "n/%/..", "meta.json" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autofree char *path = scratch_path ("d");

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    set_scalar (td, keys[i]);
  g_assert_true (reel_tensordict_save_memmap (td, path, NULL));
  g_autoptr (ReelTensordict) again = load (path);
  g_assert_true (reel_tensordict_equal (td, again));
}

static void
test_new_files (void)
{
  const gint64 one[] = { 1, 3 }, big[] = { 1000, 3 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, one, NULL);
  g_autoptr (ReelTensor) expanded = reel_tensor_expand (tensor, 2, big, NULL);
  g_autoptr (ReelTensor) none = reel_tensor_slice (expanded, 1, 0, 0, 1, NULL);
  g_autoptr (ReelTensordict) like = reel_tensordict_new (1, big);
  g_autofree char *path = scratch_path ("d");
  g_autofree char *next = scratch_path ("d/next");
  g_autoptr (GError) error = NULL;

  ((float *) tensor->data)[0] = 1;
  g_assert_true (reel_tensordict_set_tensor (like, "a", expanded, NULL));
  g_assert_true (reel_tensordict_set_tensor (like, "next/n", none, NULL));
  g_autoptr (ReelTensordict) td = reel_tensordict_new_memmap (like, path, &error);
  g_assert_no_error (error);
  scratch_assert_names (path, "a.memmap meta.json next");
  scratch_assert_names (next, "meta.json");
  ReelTensor *a = reel_tensordict_get_tensor (td, "a", NULL);
  for (gint64 i = 0; i < 3000; i++)
    g_assert_cmpfloat (((float *) a->data)[i], ==, 0);
  ((float *) a->data)[2999] = 7;
  g_autoptr (ReelTensordict) again = load (path);
  g_assert_true (reel_tensordict_equal (td, again));
  g_assert_true (reel_tensordict_is_locked (td));
  g_assert_null (reel_tensordict_new_memmap (like, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_assert_cmpfloat (((float *) a->data)[2999], ==, 7);
}

static void
test_no_space (void)
{
  const gint64 huge[] = { (gint64) 1 << 55 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, NULL);
  g_autoptr (ReelTensor) expanded = reel_tensor_expand (tensor, 1, huge, NULL);
  g_autoptr (ReelTensordict) like = reel_tensordict_new (1, huge);
  g_autofree char *path = scratch_path ("d");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_tensor (like, "a", expanded, NULL));
  g_assert_null (reel_tensordict_new_memmap (like, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_clear_error (&error);
  g_assert_false (reel_tensordict_save_memmap (like, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* ---- faults of the system ---- */

/* Whatever call fails, and from wherever on: the old directory or the new one, never a mixture that
 * looks whole, and nothing beside it. */
static void
test_saving_fails_at_any_call (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autofree char *path = scratch_path ("d");

  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, FALSE);
      gboolean saved = reel_tensordict_save_memmap (td, path, &error);
      gboolean struck = file_faults_struck ();
      file_faults_end ();
      g_assert_cmpint (saved, ==, error == NULL);
      if (!struck)
        {
          g_assert_no_error (error);
          break;
        }
      g_assert_true (reel_directory_remove (path, NULL));
    }
  g_autoptr (ReelTensordict) again = load (path);
  g_assert_true (reel_tensordict_equal (td, again));
}

static void
test_making_fails_at_any_call (void)
{
  g_autoptr (ReelTensordict) like = new_example ();
  g_autofree char *path = scratch_path ("d");

  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      file_faults_begin ();
      file_faults_fail (NULL, n, ENOSPC, FALSE);
      g_autoptr (ReelTensordict) td = reel_tensordict_new_memmap (like, path, &error);
      gboolean struck = file_faults_struck ();
      file_faults_end ();
      g_assert_cmpint (td != NULL, ==, error == NULL);
      if (!struck)
        break;
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

static void
test_reading_fails_at_any_call (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autofree char *path = scratch_path ("d");

  g_assert_true (reel_tensordict_save_memmap (td, path, NULL));
  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, FALSE);
      g_autoptr (ReelTensordict) found =
          reel_tensordict_load_memmap (path, REEL_MEMMAP_READ_ONLY, &error);
      gboolean struck = file_faults_struck ();
      file_faults_end ();
      /* A failed close after reading changes nothing. */
      g_assert_true (found ? reel_tensordict_equal (found, td) : error != NULL);
      if (!struck)
        break;
    }
}

/* Power goes at any call: the directory of before, or the one that was to be. */
static void
test_saving_survives_power_loss (void)
{
  g_autoptr (ReelTensordict) old = new_example ();
  g_autoptr (ReelTensordict) new = reel_tensordict_clone (old, TRUE, NULL);
  g_autofree char *root = scratch_path ("disk");
  g_autofree char *path = scratch_path ("disk/d");
  g_autofree char *target = scratch_path ("after");
  g_autofree char *after = scratch_path ("after/d");

  ((gint16 *) reel_tensordict_get_tensor (new, "a", NULL)->data)[0] = 99;
  g_assert_true (reel_tensordict_save_memmap (old, path, NULL));
  for (gint64 n = 1;; n++)
    {
      g_autoptr (ReelTensordict) before = load (path);
      if (!reel_tensordict_equal (before, old))
        g_assert_true (reel_tensordict_save_memmap (old, path, NULL));
      file_faults_begin ();
      PowerLoss *loss = power_loss_begin (root);
      file_faults_fail (NULL, n, EIO, TRUE);
      gboolean saved = reel_tensordict_save_memmap (new, path, NULL);
      gboolean struck = file_faults_struck ();
      power_loss_rebuild (loss, n % 2 ? POWER_LOSS_SYNCED_NAMES : POWER_LOSS_ALL_NAMES, target);
      power_loss_end (loss);
      file_faults_end ();
      g_autoptr (ReelTensordict) found = load (after);
      gboolean is_new = reel_tensordict_equal (found, new);
      g_assert_true (is_new || reel_tensordict_equal (found, old));
      g_assert_true (is_new || !saved);
      g_clear_pointer (&found, reel_tensordict_unref);
      g_assert_true (reel_directory_remove (target, NULL));
      if (!struck)
        break;
    }
}

/* Directories that had to be made are there after it too, all the way down. */
static void
test_new_directories_survive_power_loss (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autofree char *root = scratch_path ("disk");
  g_autofree char *path = scratch_path ("disk/some/where/d");
  g_autofree char *target = scratch_path ("after");
  g_autofree char *after = scratch_path ("after/some/where/d");

  g_assert_true (reel_directory_make (root, NULL));
  file_faults_begin ();
  PowerLoss *loss = power_loss_begin (root);
  g_assert_true (reel_tensordict_save_memmap (td, path, NULL));
  power_loss_rebuild (loss, POWER_LOSS_SYNCED_NAMES, target);
  power_loss_end (loss);
  file_faults_end ();
  g_autoptr (ReelTensordict) found = load (after);
  g_assert_true (reel_tensordict_equal (found, td));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  scratch_test ("/core/tensordict-memmap/golden-tensordicts", test_golden_tensordicts);
  scratch_test ("/core/tensordict-memmap/golden-storages", test_golden_storages);
  scratch_test ("/core/tensordict-memmap/device-and-print", test_device_and_print);
  scratch_test ("/core/tensordict-memmap/unknown-collections-are-named",
                test_unknown_collections_are_named);
  scratch_test ("/core/tensordict-memmap/leaves-come-before-collections",
                test_leaves_come_before_collections);
  scratch_test ("/core/tensordict-memmap/tolerated-extras", test_tolerated_extras);
  scratch_test ("/core/tensordict-memmap/minimal-metadata", test_minimal_metadata);
  scratch_test ("/core/tensordict-memmap/device-none", test_device_none);
  scratch_test ("/core/tensordict-memmap/classes-of-the-same-layout",
                test_classes_of_the_same_layout);
  scratch_test ("/core/tensordict-memmap/classes-of-another-layout",
                test_classes_of_another_layout);
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
  scratch_test ("/core/tensordict-memmap/saved-directory", test_saved_directory);
  scratch_test ("/core/tensordict-memmap/saving-over-itself", test_saving_over_itself);
  scratch_test ("/core/tensordict-memmap/writes-reach-the-files", test_writes_reach_the_files);
  scratch_test ("/core/tensordict-memmap/keys-that-cannot-be-stored",
                test_keys_that_cannot_be_stored);
  scratch_test ("/core/tensordict-memmap/odd-keys-that-can", test_odd_keys_that_can);
  scratch_test ("/core/tensordict-memmap/new-files", test_new_files);
  scratch_test ("/core/tensordict-memmap/no-space", test_no_space);
  scratch_test ("/core/tensordict-memmap/saving-fails-at-any-call", test_saving_fails_at_any_call);
  scratch_test ("/core/tensordict-memmap/making-fails-at-any-call", test_making_fails_at_any_call);
  scratch_test ("/core/tensordict-memmap/reading-fails-at-any-call",
                test_reading_fails_at_any_call);
  scratch_test ("/core/tensordict-memmap/saving-survives-power-loss",
                test_saving_survives_power_loss);
  scratch_test ("/core/tensordict-memmap/new-directories-survive-power-loss",
                test_new_directories_survive_power_loss);

  return g_test_run ();
}
