#include "../src/core/directories.h"
#include "../src/core/error.h"
#include "file-faults.h"
#include "scratch.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
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

/* A directory to be put in place, with one file in it. */
static char *
temporary_with (const char *path, const char *text)
{
  g_autoptr (GError) error = NULL;
  char *temporary = reel_directory_make_temporary (path, &error);
  g_autofree char *file = NULL;

  g_assert_no_error (error);
  file = g_build_filename (temporary, "file", NULL);
  scratch_put (file, text);
  return temporary;
}

/* With the flags of renameat2, and on a file system that knows none: EINVAL at the first call,
 * which has a flag. */
static void
test_install_and_replace (gconstpointer without_flags)
{
  g_autofree char *path = scratch_path ("run/"), *file = scratch_path ("run/file"),
                  *plain = scratch_path ("plain");
  g_autofree char *first = temporary_with (path, "one"), *second = temporary_with (path, "two");
  g_autofree char *leftover = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (first, !=, second);
  file_faults_begin ();
  if (without_flags)
    file_faults_fail ("renameat2", 1, EINVAL, FALSE);
  g_assert_true (reel_directory_install (first, path, TRUE, &error));
  g_assert_cmpint (file_faults_count ("fsync"), ==, 1);
  file_faults_end ();
  scratch_assert_holds (file, "one");
  file_faults_begin ();
  if (without_flags)
    file_faults_fail ("renameat2", 1, EINVAL, FALSE);
  g_assert_false (reel_directory_install (second, path, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_assert_nonnull (strstr (error->message, g_strerror (EEXIST)));
  g_clear_error (&error);
  file_faults_end ();
  scratch_assert_holds (file, "one");
  file_faults_begin ();
  if (without_flags)
    file_faults_fail ("renameat2", 1, EINVAL, FALSE);
  g_assert_true (reel_directory_replace (second, path, TRUE, &leftover, &error));
  file_faults_end ();
  g_assert_null (leftover);
  scratch_assert_holds (file, "two");
  scratch_assert_names (scratch_directory, "run");
  scratch_put (plain, "x");
  g_assert_false (reel_directory_replace (path, plain, FALSE, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  scratch_assert_holds (plain, "x");
}

/* The sync is the last step; the caller may then remove its directory, and not the one that the
 * disk knows. */
static void
test_failed_sync_undoes_the_rename (void)
{
  g_autofree char *path = scratch_path ("run"), *file = scratch_path ("run/file");
  g_autofree char *first = temporary_with (path, "one"), *second = temporary_with (path, "two");

  for (int exists = 0; exists < 2; exists++)
    {
      g_autoptr (GError) error = NULL;
      const char *temporary = exists ? second : first;
      g_autofree char *inside = g_build_filename (temporary, "file", NULL);

      file_faults_begin ();
      file_faults_fail ("fsync", 1, EIO, FALSE);
      g_assert_false (reel_directory_replace (temporary, path, TRUE, NULL, &error));
      file_faults_end ();
      g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
      scratch_assert_holds (inside, exists ? "two" : "one");
      if (!exists)
        g_assert_true (reel_directory_install (first, path, TRUE, NULL));
      scratch_assert_holds (file, "one");
    }
}

static void
test_replace_takes_a_free_name (void)
{
  g_autofree char *path = scratch_path ("run"), *file = scratch_path ("run/file");
  g_autofree char *temporary = temporary_with (path, "one");

  g_assert_true (reel_directory_replace (temporary, path, TRUE, NULL, NULL));
  scratch_assert_holds (file, "one");
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

/* The number of a process that has ended. */
static int
ended_process (void)
{
  pid_t child = fork ();

  if (child == 0)
    _exit (0);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
  return (int) child;
}

static char *
make_named (const char *format, int pid)
{
  g_autofree char *name = g_strdup_printf (format, pid), *path = scratch_path (name);
  g_autofree char *file = g_build_filename (path, "sub", NULL);

  g_assert_true (reel_directory_make (file, NULL));
  return g_steal_pointer (&name);
}

/* Of this path, of the form that is made here, and of no living process. */
static void
test_only_abandoned_is_removed (void)
{
  static const char *const kept[] = { ".run.%d-0.old",  ".run.%d-0.tmpx", ".run.%dx-0.tmp",
                                      ".run.%d-x.tmp",  ".run.%d.tmp",    "run.%d-0.tmp",
                                      ".runs.%d-0.tmp", ".r.%d-0.tmp",    ".run.x.%d-0.tmp",
                                      ".run.-%d-0.tmp", ".run.0-%d.tmp" };
  int pid = ended_process ();
  g_autofree char *path = scratch_path ("run/"), *nowhere = scratch_path ("no/where");
  g_autofree char *first = make_named (".run.%d-0.tmp", pid);
  g_autofree char *second = make_named (".run.%d-4294967295.tmp", pid);
  g_autofree char *own = make_named (".run.%d-99.tmp", (int) getpid ());
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) left = NULL;

  g_ptr_array_add (names, g_steal_pointer (&own));
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    g_ptr_array_add (names, make_named (kept[i], pid));
  reel_directory_remove_abandoned (path);
  reel_directory_remove_abandoned (nowhere);
  reel_directory_remove_abandoned ("/");
  left = reel_directory_list (scratch_directory, NULL);
  g_assert_cmpuint (g_strv_length (left), ==, names->len);
  for (guint i = 0; i < names->len; i++)
    g_assert_true (g_strv_contains ((const char *const *) left, names->pdata[i]));
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
  scratch_test_with_data ("/core/directories/install-and-replace", test_install_and_replace, NULL);
  scratch_test_with_data ("/core/directories/install-and-replace-without-flags",
                          test_install_and_replace, GINT_TO_POINTER (1));
  scratch_test ("/core/directories/failed-sync-undoes-the-rename",
                test_failed_sync_undoes_the_rename);
  scratch_test ("/core/directories/replace-takes-a-free-name", test_replace_takes_a_free_name);
  scratch_test ("/core/directories/remove-follows-no-link", test_remove_follows_no_link);
  scratch_test ("/core/directories/only-abandoned-is-removed", test_only_abandoned_is_removed);
  scratch_test ("/core/directories/remove-refuses-roots", test_remove_refuses_roots);
  return g_test_run ();
}
