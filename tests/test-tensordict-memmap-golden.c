/* Directories of tensordicts that the real TorchRL wrote, read and written again. */
#include "../src/core/system/directories.h"
#include "../src/core/formats/json.h"
#include "../src/core/tensordict/variant.h"
#include "../src/reel.h"
#include "memmap-example.h"
#include "scratch.h"

#include <string.h>

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
  if (reel_tensor_numel (tensor) > 0)
    g_assert_cmpint (reel_memory_get_kind (tensor->memory), ==, REEL_MEMORY_FILE);
}

static void
assert_non_tensor (const ReelTensordict *td, const char *path, const json_t *expected)
{
  g_autoptr (GError) error = NULL;
  ReelNonTensor *non_tensor = reel_tensordict_get_non_tensor (td, path, &error);
  const char *class_name = json_string_value (json_object_get (expected, "nontensor"));

  g_assert_no_error (error);
  g_autoptr (GVariant) list = reel_non_tensor_to_list (non_tensor);
  g_autoptr (json_t) found = reel_variant_to_json (list);
  /* Of a storage the rows that are valid are expected. */
  while (json_array_size (found) > json_array_size (json_object_get (expected, "data")))
    json_array_remove (found, json_array_size (found) - 1);
  g_assert_true (json_equal (found, json_object_get (expected, "data")));
  g_assert_cmpint (reel_non_tensor_is_single (non_tensor), ==,
                   strcmp (class_name, "NonTensorStack") != 0);
  g_assert_cmpint (reel_non_tensor_is_meta (non_tensor), ==, strcmp (class_name, "MetaData") == 0);
}

static void assert_leaves (const ReelTensordict *td, json_t *keys, gboolean tensors_alone);

/* A lazy stack's elements, or a ragged tensor's components, each as a tensordict of its own. */
static void
assert_stack (const ReelTensordict *td, const json_t *elements, const json_t *components)
{
  gsize n;
  ReelTensordict *const *found = reel_lazy_stack_get_elements (td, &n);

  g_assert_cmpuint (n, ==, json_array_size (elements ? elements : components));
  for (gsize i = 0; i < n; i++)
    if (elements)
      assert_leaves (found[i], json_array_get (elements, i), FALSE);
    else
      assert_leaf (found[i], "_-single-tensor-_", json_array_get (components, i));
}

static void
assert_leaves (const ReelTensordict *td, json_t *keys, gboolean tensors_alone)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  g_auto (GStrv) others = reel_tensordict_list_non_tensors (td);
  const char *on_disk;
  json_t *leaf;
  guint n = 0, n_others = 0, n_stacks = 0;

  json_object_foreach (keys, on_disk, leaf)
  {
    g_autofree char *path = path_of (on_disk, leaf);
    if (json_object_get (leaf, "sha256"))
      assert_leaf (td, path, leaf);
    else if (json_object_get (leaf, "nontensor") && !tensors_alone)
      assert_non_tensor (td, path, leaf);
    const json_t *elements = json_object_get (leaf, "elements");
    const json_t *components = json_object_get (leaf, "ragged");
    if (elements || components)
      assert_stack (reel_tensordict_get_tensordict (td, path, NULL), elements, components);
    n_stacks += elements || components;
    n += json_object_get (leaf, "sha256") != NULL;
    n_others += json_object_get (leaf, "nontensor") != NULL;
  }
  g_assert_true (n_stacks > 0 || g_strv_length (leaves) == n);
  g_assert_cmpuint (g_strv_length (others), ==, tensors_alone ? 0 : n_others);
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
check_golden (const char *name, const char *below, ReelLoadFlags flags)
{
  gboolean complete = !(flags & REEL_LOAD_TENSORS);
  g_autofree char *path = golden_path (name, below);
  g_autofree char *copy = scratch_path (name);
  g_autoptr (json_t) expect = load_expectation (name);
  json_t *storage = json_object_get (expect, "storage");
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) left_out = NULL;

  g_test_message ("%s", name);
  g_autoptr (ReelTensordict) td =
      reel_tensordict_load_partial (path, REEL_LOAD_READ_ONLY | flags, &left_out, &error);
  g_assert_no_error (error);
  g_assert_cmpint (left_out[0] == NULL, ==, complete);
  g_assert_true (reel_tensordict_is_locked (td));
  if (json_object_get (expect, "elements"))
    assert_stack (td, json_object_get (expect, "elements"), NULL);
  else
    assert_leaves (td, json_object_get (storage ? storage : expect, "keys"), !complete);

  g_assert_true (reel_tensordict_save (td, copy, REEL_SAVE_DEFAULT, &error));
  g_assert_no_error (error);
  /* The reader took a PersistentTensorDict for what it is on disk, a TensorDict. */
  assert_same_files (path, copy, complete && strcmp (name, "td-persistent") != 0);
  if (complete)
    assert_all_files (path, copy);
  g_autoptr (ReelTensordict) again = reel_tensordict_load (copy, REEL_LOAD_SHARED, NULL);
  g_assert_true (reel_tensordict_equal (td, again));
}

static void
test_golden_tensordicts (void)
{
  static const char *const names[] = { "td-dtypes",      "td-floats",      "td-keys",
                                       "td-longer-file", "td-nested",      "td-shapes",
                                       "td-strides",     "td-persistent",  "td-nontensor",
                                       "td-tensorclass", "td-stdlib-json", "td-lazy0",
                                       "td-lazy1",       "td-ragged",      "live-memmap" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    check_golden (names[i], "dump", REEL_LOAD_DEFAULT);
}

/* Python objects in pickles are told of; the rest of what stands beside them is read. */
static void
test_golden_pickles (void)
{
  static const char *const names[] = { "td-nontensor-pickle", "td-nontensorstack" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = golden_path (names[i], "dump");
      g_autoptr (json_t) expect = load_expectation (names[i]);
      json_t *keys = json_object_get (expect, "keys");
      g_auto (GStrv) left_out = NULL;
      g_autoptr (ReelTensordict) td =
          reel_tensordict_load_partial (path, REEL_LOAD_READ_ONLY, &left_out, NULL);
      const char *key = i ? "obj" : "o";
      g_autoptr (GError) error = NULL;

      g_assert_cmpuint (g_strv_length (left_out), ==, 1);
      g_assert_nonnull (strstr (left_out[0], "that only a pickle holds"));
      g_assert_true (g_str_has_prefix (left_out[0], path));
      g_assert_null (reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_assert_false (reel_tensordict_contains (td, key));
      json_object_del (keys, key);
      assert_leaves (td, keys, FALSE);
    }
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
      check_golden (names[i], "dump/storage", REEL_LOAD_DEFAULT);
      if (strcmp (names[i], "rb-strings") == 0)
        check_golden (names[i], "dump/storage", REEL_LOAD_TENSORS);
      n++;
    }
  g_assert_cmpuint (n, >=, 8);
}

static void
test_device_and_print (void)
{
  g_autofree char *path = golden_path ("live-memmap", "dump");
  g_autoptr (ReelTensordict) td = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, NULL);
  g_autofree char *text = reel_tensordict_to_string (td);

  g_assert_cmpstr (reel_tensordict_get_device (td), ==, "cpu");
  g_assert_nonnull (strstr (text, "MemoryMappedTensor(shape=torch.Size("));
  g_assert_nonnull (strstr (text, "is_shared=True),\n"));
  g_assert_null (strstr (text, "device=None"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  scratch_test ("/core/tensordict-memmap/golden-tensordicts", test_golden_tensordicts);
  scratch_test ("/core/tensordict-memmap/golden-pickles", test_golden_pickles);
  scratch_test ("/core/tensordict-memmap/golden-storages", test_golden_storages);
  scratch_test ("/core/tensordict-memmap/device-and-print", test_device_and_print);

  return g_test_run ();
}
