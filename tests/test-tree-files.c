/* Trees as TorchRL's storages write them, read and written again. */
#include "../src/core/system/directories.h"
#include "../src/core/formats/json.h"
#include "../src/reel.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

static char *
golden_storage (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "torchrl", name, "dump", "storage", NULL);
}

static ReelTensor *
new_tensor (ReelDtype dtype, gint ndim, gint64 first, gint64 second)
{
  const gint64 shape[] = { first, second };

  return reel_tensor_new (dtype, ndim, shape, NULL);
}

/* The storage of the golden rb-pytree, of other rows. */
static ReelTensordict *
new_like (void)
{
  g_autoptr (ReelTensordict) tuple = reel_tree_new (REEL_TENSORDICT_TUPLE);
  g_autoptr (ReelTensordict) list = reel_tree_new (REEL_TENSORDICT_LIST);
  ReelTensordict *tree = reel_tree_new (REEL_TENSORDICT_MAP);
  g_autoptr (ReelTensor) a0 = new_tensor (REEL_DTYPE_FLOAT32, 1, 2, 0);
  g_autoptr (ReelTensor) a1 = new_tensor (REEL_DTYPE_INT64, 2, 2, 2);
  g_autoptr (ReelTensor) b0 = new_tensor (REEL_DTYPE_BOOL, 2, 2, 1);
  g_autoptr (ReelTensor) d = new_tensor (REEL_DTYPE_UINT8, 1, 2, 0);

  g_assert_true (reel_tree_append_tensor (tuple, a0, NULL));
  g_assert_true (reel_tree_append_tensor (tuple, a1, NULL));
  g_assert_true (reel_tree_append_tensor (list, b0, NULL));
  g_assert_true (reel_tensordict_set_tensordict (tree, "a", tuple, NULL));
  g_assert_true (reel_tensordict_set_tensordict (tree, "b", list, NULL));
  g_assert_true (reel_tensordict_set_tensor (tree, "c/d", d, NULL));
  return tree;
}

static ReelTensordict *
load (const char *path, const ReelTensordict *like, gint64 rows)
{
  GError *error = NULL;
  gint64 length;
  ReelTensordict *tree = reel_tree_load (path, like, REEL_LOAD_READ_ONLY, &length, &error);

  g_assert_no_error (error);
  g_assert_cmpint (length, ==, rows);
  g_assert_true (reel_tensordict_is_locked (tree));
  return tree;
}

static void
assert_text (const ReelTensordict *tree, const char *expected)
{
  g_autofree char *text = reel_tensordict_to_string (tree);

  g_assert_cmpstr (text, ==, expected);
}

/* Files of the same names, leaves of the same bytes, metadata of the same JSON. */
static void
assert_same_files (const char *golden, const char *ours)
{
  g_auto (GStrv) expected = reel_directory_list (golden, NULL);
  g_auto (GStrv) names = reel_directory_list (ours, NULL);

  g_assert_cmpuint (g_strv_length (names), ==, g_strv_length (expected));
  for (guint i = 0; names[i]; i++)
    {
      g_autofree char *a = g_build_filename (golden, names[i], NULL);
      g_autofree char *b = g_build_filename (ours, names[i], NULL);
      g_autofree char *left = NULL;
      g_autofree char *right = NULL;
      gsize n_left, n_right;

      if (g_file_test (b, G_FILE_TEST_IS_DIR))
        {
          assert_same_files (a, b);
          continue;
        }
      if (g_str_has_suffix (b, ".json"))
        {
          g_autoptr (json_t) theirs = reel_json_load_file (a, NULL);
          g_autoptr (json_t) mine = reel_json_load_file (b, NULL);
          g_assert_true (json_equal (theirs, mine));
          continue;
        }
      g_assert_true (g_file_get_contents (a, &left, &n_left, NULL));
      g_assert_true (g_file_get_contents (b, &right, &n_right, NULL));
      g_assert_cmpmem (left, n_left, right, n_right);
    }
}

static void
save (const ReelTensordict *tree, const char *path, gint64 length)
{
  GError *error = NULL;

  g_assert_true (reel_tree_save (tree, path, length, &error));
  g_assert_no_error (error);
}

static void
test_golden (void)
{
  g_autofree char *path = golden_storage ("rb-pytree");
  g_autofree char *copy = scratch_path ("tree");
  g_autoptr (ReelTensordict) like = new_like ();
  g_autoptr (ReelTensordict) tree = load (path, like, 3);
  g_autoptr (ReelTensordict) bare = load (path, NULL, 3);

  assert_text (tree, "{'a': ('Tensor(shape=torch.Size([5]), dtype=torch.float32, device=cpu)', "
                     "'Tensor(shape=torch.Size([5, 2]), dtype=torch.int64, device=cpu)'), "
                     "'b': ['Tensor(shape=torch.Size([5, 1]), dtype=torch.bool, device=cpu)'], "
                     "'c': {'d': 'Tensor(shape=torch.Size([5]), dtype=torch.uint8, device=cpu)'}}");
  g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (tree, "a/1", NULL)->data)[5], ==, 5);
  g_assert_cmpint (reel_tensordict_get_kind (reel_tensordict_get_tensordict (bare, "a", NULL)), ==,
                   REEL_TENSORDICT_LIST);
  g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (tree, "c/d", NULL),
                                    reel_tensordict_get_tensor (bare, "c/d", NULL)));
  save (tree, copy, 3);
  assert_same_files (path, copy);
  save (bare, copy, 3);
  assert_same_files (path, copy);
}

static void
test_golden_single (void)
{
  g_autofree char *path = golden_storage ("rb-single-tensor");
  g_autofree char *copy = scratch_path ("single");
  g_autoptr (ReelTensordict) tree = load (path, NULL, 3);
  g_autoptr (ReelTensordict) again = load (path, tree, 3);

  g_assert_cmpint (reel_tensordict_get_kind (tree), ==, REEL_TENSORDICT_SINGLE);
  g_assert_true (reel_tensordict_equal (tree, again));
  save (tree, copy, 3);
  assert_same_files (path, copy);
}

/* Numbers that are no list, names that no other system takes, and leaves without elements. */
static void
test_other_keys (void)
{
  g_autofree char *path = scratch_path ("tree");
  g_autoptr (ReelTensordict) tree = new_like ();
  g_autoptr (ReelTensor) seven = new_tensor (REEL_DTYPE_INT16, 1, 2, 0);
  g_autoptr (ReelTensor) none = new_tensor (REEL_DTYPE_INT16, 2, 2, 0);

  g_assert_true (reel_tree_set_tensor (tree, 7, seven, NULL));
  g_assert_true (reel_tensordict_set_tensor (tree, "two words", none, NULL));
  g_assert_true (reel_tensordict_set_tensor (tree, "c:", none, NULL));
  g_assert_true (reel_tensordict_set_tensor (tree, "back\\slash", none, NULL));
  save (tree, path, 2);
  g_autoptr (ReelTensordict) back = load (path, tree, 2);
  g_assert_true (reel_tensordict_equal (tree, back));
  g_autofree char *expected = reel_tensordict_to_string (tree);
  assert_text (back, expected);
  g_autoptr (ReelTensordict) found = load (path, NULL, 2);
  g_autofree char *text = reel_tensordict_to_string (found);
  g_assert_nonnull (strstr (text, "7: 'Tensor(shape=torch.Size([2]), dtype=torch.int16"));
  save (found, path, 2);
}

/* A name that has the dots itself, as TorchRL writes and does not find it. */
static void
test_dots (void)
{
  g_autofree char *path = scratch_path ("tree");
  g_autofree char *metadata = g_build_filename (path, "storage_metadata.json", NULL);
  g_autofree char *leaf = g_build_filename (path, "c.d.memmap", NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0777), ==, 0);
  scratch_put (leaf, "abc");
  scratch_put (metadata, "{\"metadata\": {\"c.d\": {\"dtype\": \"torch.uint8\", \"shape\": [3]}}, "
                         "\"is_pytree\": true, \"len\": 3}");
  g_autoptr (ReelTensordict) tree = load (path, NULL, 3);
  g_assert_cmpint (reel_tensordict_get_tensor (tree, "c.d", NULL)->data[2], ==, 'c');
  g_autoptr (ReelTensordict) again = load (path, tree, 3);
  g_assert_true (reel_tensordict_equal (tree, again));
}

static void
assert_not_saved (const ReelTensordict *tree, ReelError code, const char *message)
{
  g_autofree char *path = scratch_path ("refused");
  GError *error = NULL;

  g_assert_false (reel_tree_save (tree, path, 0, &error));
  g_assert_error (error, REEL_ERROR, (gint) code);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
test_what_is_not_saved (void)
{
  static const char *const keys[] = { "c.d", "a%2Fb", "12", ".." };
  static const char *const shown[] = { "c.d", "a/b", "12", ".." };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) holder = new_like ();
  g_autoptr (ReelTensor) tensor = new_tensor (REEL_DTYPE_INT16, 1, 2, 0);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (ReelTensordict) tree = reel_tree_new (REEL_TENSORDICT_MAP);
      g_autofree char *message =
          g_strdup_printf ("the key \"%s\" of a tree cannot be stored: %s; rename it", shown[i],
                           i == 2 ? "TorchRL would read it as a number"
                                  : "it cannot be the name of a file without a dot");
      g_assert_true (reel_tensordict_set_tensor (tree, keys[i], tensor, NULL));
      assert_not_saved (tree, REEL_ERROR_KEY, message);
    }
  assert_not_saved (td, REEL_ERROR_TYPE,
                    "a list, tuple, plain dict or single tensor is expected; tensordicts are saved "
                    "by reel_tensordict_save()");
  g_assert_true (reel_tensordict_set_tensordict (holder, "td", td, NULL));
  assert_not_saved (holder, REEL_ERROR_TYPE,
                    "\"td\" cannot be stored: files of a tree hold lists, tuples, plain dicts and "
                    "tensors alone");
}

static void
assert_not_loaded (const char *metadata, const ReelTensordict *like, ReelError code,
                   const char *message)
{
  g_autofree char *path = scratch_path ("bad");
  g_autofree char *file = g_build_filename (path, "storage_metadata.json", NULL);
  GError *error = NULL;
  gint64 length;

  g_assert_cmpint (g_mkdir_with_parents (path, 0777), ==, 0);
  scratch_put (file, metadata);
  g_assert_null (reel_tree_load (path, like, REEL_LOAD_DEFAULT, &length, &error));
  g_assert_error (error, REEL_ERROR, (gint) code);
  if (!strstr (error->message, message))
    g_error ("\"%s\" has no \"%s\"", error->message, message);
  g_clear_error (&error);
}

#define TREE(leaves) "{\"metadata\": {" leaves "}, \"is_pytree\": true, \"len\": 3}"
#define LEAF(key) "\"" key "\": {\"dtype\": \"torch.float32\", \"shape\": [3]}"

static void
test_what_is_not_loaded (void)
{
  g_autoptr (ReelTensordict) like = new_like ();
  g_autofree char *path = golden_storage ("rb-pytree");
  g_autoptr (ReelTensor) other = new_tensor (REEL_DTYPE_FLOAT64, 1, 2, 0);
  GError *error = NULL;
  gint64 length;

  assert_not_loaded ("{\"metadata\": {}, \"is_pytree\": false, \"len\": 3}", NULL, REEL_ERROR_TYPE,
                     "reel_tensordict_load()");
  assert_not_loaded ("{\"is_pytree\": true, \"len\": 3}", NULL, REEL_ERROR_DAMAGED, "metadata");
  assert_not_loaded (TREE (LEAF ("a")), NULL, REEL_ERROR_DAMAGED, "a.memmap");
  assert_not_loaded (TREE (LEAF ("../x")), NULL, REEL_ERROR_DAMAGED, "names no leaf");
  assert_not_loaded (TREE (LEAF ("a..b")), NULL, REEL_ERROR_DAMAGED, "names no leaf");
  assert_not_loaded (TREE (LEAF ("")), NULL, REEL_ERROR_DAMAGED, "names no leaf");
  assert_not_loaded (TREE ("\"a\": {\"dtype\": \"torch.float32\", \"shape\": [-3]}"), NULL,
                     REEL_ERROR_DAMAGED, "storage_metadata.json");
  assert_not_loaded (TREE (LEAF ("a")), like, REEL_ERROR_KEY, "expected a leaf \"a.0\"");
  g_assert_true (reel_tensordict_set_tensor (like, "a/0", other, NULL));
  g_assert_null (reel_tree_load (path, like, REEL_LOAD_DEFAULT, &length, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "\"a.0\" is float32 [5], expected float64 [2]"));
  g_clear_error (&error);
}

static void
test_leaves_too_many (void)
{
  g_autofree char *path = golden_storage ("rb-pytree");
  g_autoptr (ReelTensordict) like = new_like ();
  GError *error = NULL;
  gint64 length;

  g_assert_true (reel_tensordict_remove (like, "c", NULL));
  g_assert_null (reel_tree_load (path, like, REEL_LOAD_DEFAULT, &length, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  scratch_test ("/core/tree-files/golden", test_golden);
  scratch_test ("/core/tree-files/golden-single", test_golden_single);
  scratch_test ("/core/tree-files/other-keys", test_other_keys);
  scratch_test ("/core/tree-files/dots", test_dots);
  scratch_test ("/core/tree-files/what-is-not-saved", test_what_is_not_saved);
  scratch_test ("/core/tree-files/what-is-not-loaded", test_what_is_not_loaded);
  scratch_test ("/core/tree-files/leaves-too-many", test_leaves_too_many);

  return g_test_run ();
}
