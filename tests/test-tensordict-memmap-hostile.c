/* Directories made to do harm: links in circles, depth, what is no file; and what earlier saves or
 * others left in the way of a save. */
#include "../src/core/system/directories.h"
#include "../src/core/tensordict-files/file-tree.h"
#include "../src/reel.h"
#include "memmap-example.h"
#include "scratch.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define END "\"_type\": \"" TENSORDICT "\"}"
#define TWO_CHILDREN "{\"a\": {\"type\": \"T\"}, \"b\": {\"type\": \"T\"}, " END

static void
put (const char *directory, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_assert_true (reel_directory_make (directory, NULL));
  scratch_put (path, text);
}

static void
put_link (const char *directory, const char *name, const char *target)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
assert_refused (const char *path, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error));
  g_test_message ("%.300s", error->message);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_circles (void)
{
  g_autofree char *path = scratch_path ("d");

  put (path, "meta.json", TWO_CHILDREN);
  put_link (path, "a", ".");
  put_link (path, "b", "..");
  assert_refused (path, "d/a: is a directory of another key too");
}

/* Forty levels of two links each to the next would be 2^40 directories. */
static void
test_many_ways_to_one_directory (void)
{
  g_autofree char *path = scratch_path ("0");

  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i), *next = g_strdup_printf ("../%u", i + 1);
      g_autofree char *directory = scratch_path (name);
      put (directory, "meta.json", TWO_CHILDREN);
      put_link (directory, "a", next);
      put_link (directory, "b", next);
    }
  g_autofree char *last = scratch_path ("40");
  put (last, "meta.json", "{" END);
  g_autoptr (GError) error = NULL;
  g_assert_null (reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error));
  g_assert_true (error->domain == REEL_ERROR);
}

/* A lazy stack whose first element is itself. */
static void
test_stack_of_itself (void)
{
  g_autofree char *path = scratch_path ("d");

  put (path, "meta.json", "{\"_type\": \"<class 'tensordict._lazy.LazyStackedTensorDict'>\"}");
  assert_refused (path, "numbered from 0, found none");
  put_link (path, "0", ".");
  assert_refused (path, "of another key too");
}

/* @depth directories, one in the other. */
static char *
put_deep (guint depth)
{
  char *path = scratch_path ("d");
  g_autoptr (GString) at = g_string_new (path);

  for (guint i = 0; i < depth; i++)
    {
      put (at->str, "meta.json", "{\"a\": {\"type\": \"T\"}, " END);
      g_string_append (at, "/a");
    }
  put (at->str, "meta.json", "{" END);
  return path;
}

static void
test_depth (void)
{
  g_autofree char *path = put_deep (REEL_FILE_TREE_DEPTH);
  g_autoptr (ReelTensordict) td = memmap_load (path);
  g_autofree char *deeper = put_deep (REEL_FILE_TREE_DEPTH + 1);

  assert_refused (deeper, "more than 256 levels deep");
}

/* A value that could not be read again is not written. */
static void
test_depth_of_what_is_saved (void)
{
  static const guint depths[] = { REEL_FILE_TREE_DEPTH, REEL_FILE_TREE_DEPTH + 1, 10000 };
  g_autofree char *path = scratch_path ("d");

  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
      g_autoptr (GError) error = NULL;
      for (guint level = 0; level < depths[i]; level++)
        {
          ReelTensordict *outer = reel_tensordict_new (0, NULL);
          g_assert_true (reel_tensordict_set_tensordict (outer, "a", td, NULL));
          reel_tensordict_unref (td);
          td = outer;
        }
      g_assert_cmpint (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, &error), ==, i == 0);
      if (i > 0)
        g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      else
        g_assert_no_error (error);
    }
}

/* Opening a pipe would wait for its writer. */
static void
test_leaves_that_are_no_files (void)
{
  g_autofree char *path = scratch_path ("d"), *leaf = scratch_path ("d/a.memmap");

  put (path, "meta.json", "{\"a\": {\"dtype\": \"torch.int8\", \"shape\": [4]}, " END);
  g_assert_cmpint (mkfifo (leaf, 0666), ==, 0);
  assert_refused (path, "a.memmap: expected a file of 4 bytes, found something else");
  g_assert_cmpint (unlink (leaf), ==, 0);
  put_link (path, "a.memmap", "a.memmap");
  assert_refused (path, "a.memmap: expected a file of 4 bytes, found something else");
  g_assert_cmpint (unlink (leaf), ==, 0);
  g_assert_true (reel_directory_make (leaf, NULL));
  assert_refused (path, "a.memmap: expected a file of 4 bytes, found something else");
}

static void
test_ragged_sizes (void)
{
  static const struct
  {
    const char *shape;
    gint64 sizes[2];
    const char *words;
  } cases[] = {
    { "[1, 2]", { 2, 2 }, NULL },
    { "[1, 2]", { -1, 2 }, "negative" },
    { "[1, 2]", { G_MAXINT64, 2 }, "2^63" },
    { "[2, 1]", { G_MAXINT64, 2 }, "2^63" },
    { "[1, 2]", { 1 << 20, 1 }, "r.memmap: has 4 bytes, 1048576 expected" },
    { "[4, 2]", { 1, 1 }, "r.shape.memmap: has 16 bytes, 64 expected" },
    { "[1099511627776, 0]", { 1, 1 }, "found sizes of shape [1099511627776, 0]" },
    { "[1099511627776, 1]", { 1, 1 }, "found sizes of shape [1099511627776, 1]" },
    { "[1, 17]", { 1, 1 }, "found sizes of shape [1, 17]" },
    { "[0, 2]", { 1, 1 }, "found sizes of shape [0, 2]" },
    { "[2]", { 1, 1 }, "found sizes of shape [2]" },
  };
  g_autofree char *path = scratch_path ("d"), *file = scratch_path ("d/r.shape.memmap");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *metadata = g_strdup_printf ("{\"r\": {\"dtype\": \"torch.int8\", "
                                                   "\"is_nested\": true, \"shape\": %s}, " END,
                                                   cases[i].shape);
      put (path, "meta.json", metadata);
      put (path, "r.memmap", "1234");
      g_assert_true (
          g_file_set_contents (file, (const char *) cases[i].sizes, sizeof cases[i].sizes, NULL));
      if (cases[i].words)
        assert_refused (path, cases[i].words);
      else
        reel_tensordict_unref (memmap_load (path));
    }
}

/* ---- what stands in the way of a save ---- */

static ReelTensordict *
new_stack (guint n)
{
  g_autoptr (GPtrArray) tds =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (tds, memmap_new_example ());
  return reel_lazy_stack_new ((ReelTensordict *const *) tds->pdata, n, 0, NULL);
}

static void
test_shorter_stack (void)
{
  g_autofree char *path = scratch_path ("d");

  for (guint n = 4; n >= 1; n--)
    {
      g_autoptr (ReelTensordict) td = new_stack (n);
      g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
      g_autoptr (ReelTensordict) found = memmap_load (path);
      g_assert_true (reel_tensordict_equal (td, found));
    }
}

static void
test_pickles_of_before (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autoptr (ReelNonTensor) text =
      reel_non_tensor_new (g_variant_new_string ("x"), 1, (gint64[]){ 2 }, NULL);
  g_autofree char *path = scratch_path ("d"), *inside = scratch_path ("d/n");

  put (inside, "other.pickle", "code");
  put (inside, "pickle.pkl", "code");
  g_assert_true (reel_tensordict_set_non_tensor (td, "n", text, NULL));
  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  scratch_assert_names (inside, "meta.json");
}

/* A link in the place of a directory would have the files written elsewhere. */
static void
test_links_in_the_way (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("d"), *elsewhere = scratch_path ("elsewhere");
  g_autofree char *leaf = scratch_path ("d/a.memmap"), *secret = scratch_path ("secret");
  g_autofree char *link = scratch_path ("d/next");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_directory_make (elsewhere, NULL));
  g_assert_true (reel_directory_make (path, NULL));
  put_link (path, "next", elsewhere);
  g_assert_false (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  scratch_assert_names (elsewhere, "");
  g_assert_cmpint (unlink (link), ==, 0);
  scratch_put (secret, "secret");
  put_link (path, "a.memmap", secret);
  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  scratch_assert_holds (secret, "secret");
  g_assert_false (g_file_test (leaf, G_FILE_TEST_IS_SYMLINK));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/core/tensordict-memmap/hostile/" name, function)
  TEST ("circles", test_circles);
  TEST ("many-ways-to-one-directory", test_many_ways_to_one_directory);
  TEST ("stack-of-itself", test_stack_of_itself);
  TEST ("depth", test_depth);
  TEST ("depth-of-what-is-saved", test_depth_of_what_is_saved);
  TEST ("leaves-that-are-no-files", test_leaves_that_are_no_files);
  TEST ("ragged-sizes", test_ragged_sizes);
  TEST ("shorter-stack", test_shorter_stack);
  TEST ("pickles-of-before", test_pickles_of_before);
  TEST ("links-in-the-way", test_links_in_the_way);

  return g_test_run ();
}
