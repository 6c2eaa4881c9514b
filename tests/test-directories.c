#include "../src/core/system/directories.h"
#include "../src/core/object/error.h"
#include "file-faults.h"
#include "scratch.h"

#include <string.h>
#include <unistd.h>

static void
test_check_space (void)
{
  g_autofree char *path = scratch_path ("not/yet/there");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_directory_check_space (path, 4096, &error));
  g_assert_false (reel_directory_check_space (path, G_MAXINT64, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_true (g_str_has_prefix (error->message, path));
}

static void
test_make_tree (void)
{
  g_autofree char *deep = scratch_path ("a/b/c//"), *file = scratch_path ("file"),
                  *below = scratch_path ("file/x/y");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_directory_make (deep, &error));
  g_assert_true (reel_directory_make (deep, &error));
  g_assert_true (g_file_test (deep, G_FILE_TEST_IS_DIR));
  scratch_put (file, "");
  g_assert_false (reel_directory_make (file, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (reel_directory_make (below, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_false (reel_directory_make ("", &error));
  g_assert_nonnull (error);
}

static void
test_remove_follows_no_link (void)
{
  g_autofree char *tree = scratch_path ("tree/a/b"), *top = scratch_path ("tree"),
                  *file = scratch_path ("tree/a/f");
  g_autofree char *outside = scratch_path ("outside"), *kept = scratch_path ("outside/kept");
  g_autofree char *link = scratch_path ("tree/a/link"), *direct = scratch_path ("direct/");
  g_autofree char *direct_name = scratch_path ("direct");

  g_assert_true (reel_directory_make (tree, NULL) && reel_directory_make (outside, NULL));
  scratch_put (file, "x");
  scratch_put (kept, "x");
  g_assert_cmpint (symlink (outside, link), ==, 0);
  g_assert_cmpint (symlink (outside, direct_name), ==, 0);
  g_assert_true (reel_directory_remove (top, NULL));
  g_assert_true (reel_directory_remove (top, NULL)); /* gone is gone */
  g_assert_true (reel_directory_remove (direct, NULL));
  scratch_assert_names (scratch_directory, "outside");
  scratch_assert_holds (kept, "x");
}

static void
test_remove_refuses_roots (void)
{
  static const char *const refused[] = { "", "/", "//", ".", "..", "a/..", "/.", "./" };

  file_faults_begin ();
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_directory_remove (refused[i], &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
    }
  g_assert_cmpint (file_faults_count (NULL), ==, 0);
  file_faults_end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_test ("/core/directories/check-space", test_check_space);
  scratch_test ("/core/directories/make-tree", test_make_tree);
  scratch_test ("/core/directories/remove-follows-no-link", test_remove_follows_no_link);
  scratch_test ("/core/directories/remove-refuses-roots", test_remove_refuses_roots);
  return g_test_run ();
}
