/* Directories that are put in place whole, and locks that say which drafts are being written. */
#include "../src/core/system/directories.h"
#include "../src/core/system/drafts.h"
#include "../src/core/object/error.h"
#include "../src/core/system/file-ops.h"
#include "file-faults.h"
#include "scratch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

/* A draft with one file in it. */
static void
begin_with (ReelDraft *draft, const char *path, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *file = NULL;

  reel_draft_begin (draft, path, &error);
  g_assert_no_error (error);
  file = g_build_filename (draft->path, "file", NULL);
  scratch_put (file, text);
}

static gboolean
replace (ReelDraft *draft, char **leftover, GError **error)
{
  return reel_draft_hold (draft, error) && reel_draft_replace (draft, NULL, TRUE, leftover, error);
}

/* ---- a place that is free ---- */

static void
begin_faults (gboolean without_flags)
{
  file_faults_begin ();
  if (without_flags)
    file_faults_fail ("renameat2", 1, EINVAL, FALSE);
}

/* With the flags of renameat2, and on a file system that knows none: EINVAL at the first call,
 * which has a flag. */
static void
test_install_and_replace (gconstpointer without_flags)
{
  g_autofree char *path = scratch_path ("run/"), *file = scratch_path ("run/file");
  g_auto (ReelDraft) first = REEL_DRAFT_NONE, second = REEL_DRAFT_NONE;
  g_autofree char *leftover = NULL;
  g_autoptr (GError) error = NULL;

  begin_with (&first, path, "one");
  begin_with (&second, path, "two");
  g_assert_cmpstr (first.path, !=, second.path);
  begin_faults (without_flags != NULL);
  g_assert_true (reel_draft_install (&first, TRUE, &error));
  g_assert_cmpint (file_faults_count ("fsync"), ==, 1);
  file_faults_end ();
  scratch_assert_holds (file, "one");
  begin_faults (without_flags != NULL);
  g_assert_false (reel_draft_install (&second, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  file_faults_end ();
  scratch_assert_holds (file, "one");
  reel_draft_clear (&first);
  begin_faults (without_flags != NULL);
  g_assert_true (replace (&second, &leftover, &error));
  file_faults_end ();
  g_assert_null (leftover);
  scratch_assert_holds (file, "two");
  scratch_assert_names (scratch_directory, "run");
}

/* Entries of every kind, and whether they may be replaced without a flag. */
static void
test_install_takes_nothing_away (gconstpointer without_flags)
{
  static const char *const kinds[] = { "nothing", "empty",    "full",
                                       "file",    "dangling", "link to empty" };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = scratch_path (kinds[i]),
                      *kept = g_build_filename (path, "kept", NULL);
      g_autofree char *elsewhere = g_strconcat (path, ".elsewhere", NULL), *file = NULL;
      g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
      gboolean free = i < 2, installed;

      begin_with (&draft, path, "new"); /* all that is there appears after this */
      if (i == 1 || i == 2)
        g_assert_true (reel_directory_make (path, NULL));
      if (i == 2)
        scratch_put (kept, "kept");
      if (i == 3)
        scratch_put (path, "kept");
      if (i == 5)
        g_assert_true (reel_directory_make (elsewhere, NULL));
      if (i >= 4)
        g_assert_cmpint (symlink (elsewhere, path), ==, 0);
      begin_faults (without_flags != NULL);
      installed = reel_draft_install (&draft, TRUE, NULL);
      file_faults_end ();
      g_assert_cmpint (installed, ==, free);
      file = g_build_filename (path, "file", NULL);
      g_assert_cmpint (g_file_test (file, G_FILE_TEST_EXISTS), ==, free);
      if (i == 2)
        scratch_assert_holds (kept, "kept");
      if (i == 3)
        scratch_assert_holds (path, "kept");
      if (i >= 4)
        g_assert_true (g_file_test (path, G_FILE_TEST_IS_SYMLINK));
    }
}

/* The draft goes to where the link leads. */
static void
test_a_link_stays (void)
{
  g_autofree char *real = scratch_path ("real"), *link = scratch_path ("link/");
  g_autofree char *name = scratch_path ("link"), *file = scratch_path ("real/file");
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  g_assert_true (reel_directory_make (real, NULL));
  g_assert_cmpint (symlink (real, name), ==, 0);
  begin_with (&draft, link, "one");
  g_assert_true (replace (&draft, NULL, NULL));
  scratch_assert_holds (file, "one");
  g_assert_true (g_file_test (name, G_FILE_TEST_IS_SYMLINK));
}

/* ---- a place that is taken ---- */

static void
test_hold_needs_a_directory (void)
{
  g_autofree char *path = scratch_path ("run");
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
  g_autoptr (GError) error = NULL;

  begin_with (&draft, path, "one");
  g_assert_true (reel_draft_hold (&draft, &error));
  g_assert_cmpint (draft.held, ==, -1);
  scratch_put (path, "plain");
  g_assert_false (reel_draft_hold (&draft, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  scratch_assert_holds (path, "plain");
}

/* Of two that replace the same directory the second is refused until the first is done. */
static void
test_one_replaces_at_a_time (void)
{
  g_autofree char *path = scratch_path ("run"), *file = scratch_path ("run/file");
  g_auto (ReelDraft) first = REEL_DRAFT_NONE, second = REEL_DRAFT_NONE, third = REEL_DRAFT_NONE;
  g_autoptr (GError) error = NULL;

  begin_with (&first, path, "one");
  begin_with (&second, path, "two");
  begin_with (&third, path, "three");
  g_assert_true (reel_draft_install (&first, FALSE, NULL));
  reel_draft_clear (&first);
  g_assert_true (reel_draft_hold (&second, NULL));
  g_assert_false (reel_draft_hold (&third, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpint (third.held, ==, -1);
  g_assert_true (reel_draft_replace (&second, NULL, FALSE, NULL, NULL));
  g_assert_false (reel_draft_hold (&third, NULL)); /* the second has not let go of what it made */
  reel_draft_clear (&second);
  g_assert_true (replace (&third, NULL, NULL));
  scratch_assert_holds (file, "three");
}

/* Renamed by somebody whom no lock binds. */
static void
test_another_directory_is_not_removed (gconstpointer without_flags)
{
  g_autofree char *path = scratch_path ("run"), *moved = scratch_path ("moved");
  g_autofree char *file = scratch_path ("run/file"), *old = scratch_path ("moved/file");
  g_auto (ReelDraft) first = REEL_DRAFT_NONE, second = REEL_DRAFT_NONE;
  g_autoptr (GError) error = NULL;

  begin_with (&first, path, "one");
  g_assert_true (reel_draft_install (&first, FALSE, NULL));
  reel_draft_clear (&first);
  begin_with (&second, path, "two");
  g_assert_true (reel_draft_hold (&second, NULL));
  g_assert_cmpint (rename (path, moved), ==, 0);
  g_assert_true (reel_directory_make (path, NULL));
  scratch_put (file, "another");
  begin_faults (without_flags != NULL);
  g_assert_false (reel_draft_replace (&second, NULL, TRUE, NULL, &error));
  file_faults_end ();
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  scratch_assert_holds (file, "another");
  scratch_assert_holds (old, "one");
}

/* The sync is the last step; the caller may then clear its draft, and not the one that the disk
 * knows. */
static void
test_failed_sync_undoes_the_rename (void)
{
  g_autofree char *path = scratch_path ("run"), *file = scratch_path ("run/file");

  for (int exists = 0; exists < 2; exists++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
      g_autofree char *inside = NULL;

      begin_with (&draft, path, exists ? "two" : "one");
      inside = g_build_filename (draft.path, "file", NULL);
      file_faults_begin ();
      file_faults_fail ("fsync", 1, EIO, FALSE);
      g_assert_false (exists ? replace (&draft, NULL, &error)
                             : reel_draft_install (&draft, TRUE, &error));
      file_faults_end ();
      g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
      scratch_assert_holds (inside, exists ? "two" : "one");
      if (!exists)
        g_assert_true (reel_draft_install (&draft, TRUE, NULL));
      scratch_assert_holds (file, "one");
    }
}

/* ---- leftovers ---- */

static char *
make_named (const char *name)
{
  g_autofree char *path = scratch_path (name), *file = g_build_filename (path, "sub", NULL);

  g_assert_true (reel_directory_make (file, NULL));
  return g_strdup (name);
}

/* Of this place, of the form that is made here, and locked by nobody: numbers of processes say
 * nothing, for other containers have the same. */
static void
test_only_abandoned_is_removed (void)
{
  static const char *const kept[] = { ".run.7-0.old",  ".run.7-0.tmpx", ".run.7x-0.tmp",
                                      ".run.7-x.tmp",  ".run.7.tmp",    "run.7-0.tmp",
                                      ".runs.7-0.tmp", ".r.7-0.tmp",    ".run.x.7-0.tmp",
                                      ".run.-7-0.tmp", ".run.7-.tmp" };
  g_autofree char *path = scratch_path ("run/"), *own = NULL;
  g_autofree char *first = make_named (".run.7-0.tmp"), *second = make_named (".run.1-99999.tmp");
  g_autofree char *live = make_named (".run.99999999-0.tmp"), *live_path = scratch_path (live);
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) left = NULL;
  int lock = open (live_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  own = g_strdup_printf (".run.%d-88.tmp", (int) getpid ());
  g_ptr_array_add (names, g_steal_pointer (&live));
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    g_ptr_array_add (names, make_named (kept[i]));
  g_free (make_named (own));
  g_assert_cmpint (flock (lock, LOCK_EX), ==, 0);
  g_assert_true (reel_draft_begin (&draft, path, NULL));
  g_ptr_array_add (names, g_path_get_basename (draft.path));
  left = reel_directory_list (scratch_directory, NULL);
  g_assert_cmpuint (g_strv_length (left), ==, names->len);
  for (guint i = 0; i < names->len; i++)
    g_assert_true (g_strv_contains ((const char *const *) left, names->pdata[i]));
  close (lock);
}

/* Where nobody can say whether a draft is being written it stays. */
static void
test_without_locks_nothing_is_removed (void)
{
  g_autofree char *path = scratch_path ("run"), *name = make_named (".run.7-0.tmp");
  g_autofree char *left = scratch_path (name);
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  file_faults_begin ();
  file_faults_fail ("flock", 1, EOPNOTSUPP, TRUE);
  g_assert_true (reel_draft_begin (&draft, path, NULL));
  g_assert_true (reel_draft_install (&draft, FALSE, NULL));
  file_faults_end ();
  g_assert_true (g_file_test (left, G_FILE_TEST_EXISTS));
}

/* A process of another container can have the same number, and one that was killed too. */
static void
test_a_name_that_is_taken (void)
{
  g_autofree char *path = scratch_path ("run");
  int locks[20];

  for (int i = 0; i < 20; i++)
    {
      g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
      g_autofree char *name = NULL;
      guint n;

      g_assert_true (reel_draft_begin (&draft, path, NULL));
      g_assert_cmpint (sscanf (strrchr (draft.path, '-'), "-%u", &n), ==, 1);
      name = g_strdup_printf ("%.*s-%u.tmp", (int) (strrchr (draft.path, '-') - draft.path),
                              draft.path, n + 1);
      g_assert_cmpint (mkdir (name, 0777), ==, 0);
      locks[i] = open (name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      g_assert_cmpint (flock (locks[i], LOCK_EX), ==, 0);
    }
  for (int i = 0; i < 20; i++)
    close (locks[i]);
}

/* Drafts begun and cleaned up by several processes at once: none loses one that it writes. */
static void
test_no_live_draft_is_removed (void)
{
  g_autofree char *path = scratch_path ("run");
  int rounds = g_test_slow () ? 20000 : 400;
  pid_t children[3];

  for (gsize c = 0; c < G_N_ELEMENTS (children); c++)
    if ((children[c] = fork ()) == 0)
      {
        for (int i = 0; i < rounds; i++)
          {
            ReelDraft draft;
            g_autofree char *file = NULL;

            if (!reel_draft_begin (&draft, path, NULL))
              _exit (1);
            file = g_build_filename (draft.path, "file", NULL);
            if (!g_file_set_contents (file, "x", 1, NULL) || access (file, F_OK) != 0)
              _exit (2);
            reel_draft_clear (&draft);
          }
        _exit (0);
      }
  for (gsize c = 0; c < G_N_ELEMENTS (children); c++)
    {
      int status;

      g_assert_cmpint (waitpid (children[c], &status, 0), ==, children[c]);
      g_assert_cmpint (status, ==, 0);
    }
  scratch_assert_names (scratch_directory, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_test_with_data ("/core/drafts/install-and-replace", test_install_and_replace, NULL);
  scratch_test_with_data ("/core/drafts/install-and-replace-without-flags",
                          test_install_and_replace, GINT_TO_POINTER (1));
  scratch_test_with_data ("/core/drafts/install-takes-nothing-away",
                          test_install_takes_nothing_away, NULL);
  scratch_test_with_data ("/core/drafts/install-takes-nothing-away-without-flags",
                          test_install_takes_nothing_away, GINT_TO_POINTER (1));
  scratch_test ("/core/drafts/a-link-stays", test_a_link_stays);
  scratch_test ("/core/drafts/hold-needs-a-directory", test_hold_needs_a_directory);
  scratch_test ("/core/drafts/one-replaces-at-a-time", test_one_replaces_at_a_time);
  scratch_test_with_data ("/core/drafts/another-directory-is-not-removed",
                          test_another_directory_is_not_removed, NULL);
  scratch_test_with_data ("/core/drafts/another-directory-is-not-removed-without-flags",
                          test_another_directory_is_not_removed, GINT_TO_POINTER (1));
  scratch_test ("/core/drafts/failed-sync-undoes-the-rename", test_failed_sync_undoes_the_rename);
  scratch_test ("/core/drafts/only-abandoned-is-removed", test_only_abandoned_is_removed);
  scratch_test ("/core/drafts/without-locks-nothing-is-removed",
                test_without_locks_nothing_is_removed);
  scratch_test ("/core/drafts/a-name-that-is-taken", test_a_name_that_is_taken);
  scratch_test ("/core/drafts/no-live-draft-is-removed", test_no_live_draft_is_removed);
  return g_test_run ();
}
