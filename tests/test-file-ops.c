#include "../src/core/directories.h"
#include "../src/core/error.h"
#include "../src/core/file-ops.h"
#include "../src/core/files.h"
#include "../src/core/mapping.h"
#include "file-faults.h"
#include "power-loss.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_SIZE (G_GINT64_CONSTANT (1) << 62)

static char *scratch; /* an empty directory for each test */

static char *
in_scratch (const char *name)
{
  return g_build_filename (scratch, name, NULL);
}

static void
put (const char *path, const char *text)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
assert_holds (const char *path, const char *text)
{
  g_autofree char *found = NULL;

  g_assert_true (g_file_get_contents (path, &found, NULL, NULL));
  g_assert_cmpstr (found, ==, text);
}

/* The names in a directory, joined by blanks. */
static char *
names_in (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = reel_directory_list (path, &error);

  g_assert_no_error (error);
  return g_strjoinv (" ", names);
}

static void
assert_names (const char *path, const char *expected)
{
  g_autofree char *names = names_in (path);

  g_assert_cmpstr (names, ==, expected);
}

static gint64
descriptors_open (void)
{
  g_autoptr (GDir) directory = g_dir_open ("/proc/self/fd", 0, NULL);
  gint64 n = 0;

  while (g_dir_read_name (directory))
    n++;
  return n;
}

static void
test_read_whole (void)
{
  g_autofree char *path = in_scratch ("a"), *text = NULL, *empty = NULL, *proc = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  put (path, "hello");
  text = reel_file_read (path, 5, &length, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, "hello");
  g_assert_cmpuint (length, ==, 5);
  g_assert_null (reel_file_read (path, 4, &length, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, path));
  put (path, "");
  empty = reel_file_read (path, 0, &length, NULL);
  g_assert_cmpstr (empty, ==, "");
  g_assert_cmpuint (length, ==, 0);
  proc =
      reel_file_read ("/proc/self/status", 1 << 20, &length, NULL); /* says that it has no bytes */
  g_assert_nonnull (proc);
  g_assert_cmpuint (length, >, 100);
}

static void
test_open_takes_regular_files_only (void)
{
  g_autofree char *pipe = in_scratch ("pipe"), *none = in_scratch ("none");
  const char *const refused[] = { scratch, pipe, none };

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (reel_file_open (refused[i], FALSE, &error), ==,
                       -1); /* and does not wait for a writer */
      g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
      g_assert_nonnull (strstr (error->message, refused[i]));
    }
}

static void
test_query (void)
{
  g_autofree char *file = in_scratch ("file"), *link = in_scratch ("link"),
                  *below = in_scratch ("file/x");
  ReelPathKind kind;
  gint64 size;

  put (file, "123");
  g_assert_cmpint (symlink ("nowhere", link), ==, 0);
  g_assert_true (reel_path_query (file, &kind, &size, NULL) && kind == REEL_PATH_FILE && size == 3);
  g_assert_true (reel_path_query (scratch, &kind, &size, NULL) && kind == REEL_PATH_DIRECTORY
                 && size == 0);
  g_assert_true (reel_path_query (link, &kind, &size, NULL) && kind == REEL_PATH_OTHER);
  g_assert_true (reel_path_query (below, &kind, &size, NULL) && kind == REEL_PATH_MISSING);
  g_assert_true (reel_path_query ("", &kind, NULL, NULL) && kind == REEL_PATH_MISSING);
}

static void
test_transfers_are_whole (void)
{
  g_autofree char *path = in_scratch ("a");
  g_autoptr (GError) error = NULL;
  int fd = reel_file_create (path, 10, &error);
  char back[12];

  g_assert_no_error (error);
  file_faults_begin ();
  file_faults_shorten (1);
  g_assert_true (reel_file_write_at (fd, path, "abcdefg", 7, 2, &error));
  file_faults_shorten (file_faults_count ("pwrite") + 1);
  g_assert_true (reel_file_read_at (fd, path, back, 10, 0, &error));
  g_assert_cmpint (file_faults_count ("pwrite"), ==, 2);
  g_assert_cmpint (file_faults_count ("pread"), ==, 2);
  file_faults_end ();
  g_assert_cmpmem (back, 10, "\0\0abcdefg\0", 10);
  g_assert_false (reel_file_read_at (fd, path, back, 4, 7, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_true (reel_file_close (fd, path, NULL));
}

static void
test_create_reserves (void)
{
  g_autofree char *path = in_scratch ("a"), *huge = in_scratch ("huge");
  g_autoptr (GError) error = NULL;
  struct stat status;
  int fd = reel_file_create (path, 1 << 20, &error);

  g_assert_no_error (error);
  g_assert_cmpint (fstat (fd, &status), ==, 0);
  g_assert_cmpint (status.st_size, ==, 1 << 20);
  g_assert_cmpint (status.st_blocks * 512, >=, 1 << 20);
  g_assert_true (reel_file_close (fd, path, NULL));
  g_assert_cmpint (reel_file_create (path, 0, &error), ==, -1); /* never over another */
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_clear_error (&error);
  file_faults_begin ();
  g_assert_cmpint (reel_file_create (huge, HUGE_SIZE, &error), ==, -1);
  g_assert_cmpint (file_faults_count ("fallocate"), ==,
                   0); /* which would fill the disk before it failed */
  file_faults_end ();
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, "4611686018427387904 bytes) needed"));
  g_assert_nonnull (strstr (error->message, "available"));
  assert_names (scratch, "a");
}

static void
test_create_without_fallocate (void)
{
  g_autofree char *path = in_scratch ("a"), *huge = in_scratch ("huge");
  g_autoptr (GError) error = NULL;
  int fd;

  file_faults_begin ();
  file_faults_fail ("fallocate", 1, EOPNOTSUPP, TRUE);
  fd = reel_file_create (path, 12345, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_file_size (fd, path, NULL), ==, 12345);
  g_assert_true (reel_file_close (fd, path, NULL));
  g_assert_cmpint (reel_file_create (huge, HUGE_SIZE, &error), ==, -1);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  file_faults_end ();
  assert_names (scratch, "a");
}

static void
test_check_space (void)
{
  g_autofree char *path = in_scratch ("not/yet/there");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_directory_check_space (path, 4096, &error));
  g_assert_false (reel_directory_check_space (path, G_MAXINT64, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_true (g_str_has_prefix (error->message, path));
}

static void
test_map (void)
{
  g_autofree char *path = in_scratch ("a");
  g_autoptr (GError) error = NULL;
  ReelMapping read_only, copy, shared, none;

  put (path, "0123456789");
  g_assert_true (reel_file_map (path, -1, REEL_MAP_READ, -1, &read_only, &error));
  g_assert_true (reel_file_map (path, -1, REEL_MAP_COPY, 4, &copy, &error));
  g_assert_true (reel_file_map (path, -1, REEL_MAP_WRITE, 10, &shared, &error));
  g_assert_cmpuint (read_only.length, ==, 10);
  g_assert_cmpuint (copy.length, ==, 4);
  copy.data[0] = 'x';
  shared.data[1] = 'y';
  g_assert_cmpmem (read_only.data, 10, "0y23456789", 10);
  assert_holds (path, "0y23456789");
  g_assert_true (reel_mapping_populate (&shared, path, 3, 10, &error));
  g_assert_no_error (error);
  reel_mapping_unmap (&read_only);
  reel_mapping_unmap (&copy);
  reel_mapping_unmap (&shared);
  reel_mapping_unmap (&shared);
  g_assert_false (reel_file_map (path, -1, REEL_MAP_WRITE, 11, &none, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "has 10 bytes, 11 expected"));
  g_assert_null (none.data);
  g_assert_true (reel_file_map (path, -1, REEL_MAP_WRITE, 0, &none, NULL));
  g_assert_null (none.data);
  assert_holds (path, "0y23456789"); /* never extended */
}

static void
test_populate_finds_the_full_disk (void)
{
  g_autofree char *path = in_scratch ("a");
  g_autoptr (GError) error = NULL;
  ReelMapping mapping;

  put (path, "0123456789");
  g_assert_true (reel_file_map (path, -1, REEL_MAP_WRITE, -1, &mapping, NULL));
  file_faults_begin ();
  file_faults_fail ("madvise", 1, EFAULT, FALSE);
  g_assert_false (reel_mapping_populate (&mapping, path, 0, 10, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  file_faults_end ();
  reel_mapping_unmap (&mapping);
}

static void
test_locks (void)
{
  g_autofree char *path = in_scratch ("a");
  int first, second, reader;
  gboolean taken, locked;

  put (path, "");
  first = reel_file_open (path, TRUE, NULL);
  second = reel_file_open (path, TRUE, NULL);
  reader = reel_file_open (path, FALSE, NULL);
  g_assert_true (reel_file_is_locked (reader, path, &locked, NULL) && !locked);
  g_assert_true (reel_file_lock (first, path, &taken, NULL) && taken);
  g_assert_true (reel_file_lock (second, path, &taken, NULL) && !taken);
  g_assert_true (reel_file_is_locked (reader, path, &locked, NULL) && locked);
  g_assert_true (reel_file_close (first, path, NULL)); /* which an end of the process does too */
  g_assert_true (reel_file_is_locked (reader, path, &locked, NULL) && !locked);
  g_assert_true (reel_file_lock (second, path, &taken, NULL) && taken);
  reel_file_close (second, path, NULL);
  reel_file_close (reader, path, NULL);
}

static void
test_make_tree (void)
{
  g_autofree char *deep = in_scratch ("a/b/c//"), *file = in_scratch ("file"),
                  *below = in_scratch ("file/x/y");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_directory_make (deep, &error));
  g_assert_true (reel_directory_make (deep, &error));
  g_assert_true (g_file_test (deep, G_FILE_TEST_IS_DIR));
  put (file, "");
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
  put (file, text);
  return temporary;
}

/* With the flags of renameat2, and on a file system that knows none: EINVAL at the first call,
 * which has a flag. */
static void
test_install_and_replace (gconstpointer without_flags)
{
  g_autofree char *path = in_scratch ("run/"), *file = in_scratch ("run/file"),
                  *plain = in_scratch ("plain");
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
  assert_holds (file, "one");
  file_faults_begin ();
  if (without_flags)
    file_faults_fail ("renameat2", 1, EINVAL, FALSE);
  g_assert_false (reel_directory_install (second, path, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_assert_nonnull (strstr (error->message, g_strerror (EEXIST)));
  g_clear_error (&error);
  file_faults_end ();
  assert_holds (file, "one");
  file_faults_begin ();
  if (without_flags)
    file_faults_fail ("renameat2", 1, EINVAL, FALSE);
  g_assert_true (reel_directory_replace (second, path, TRUE, &leftover, &error));
  file_faults_end ();
  g_assert_null (leftover);
  assert_holds (file, "two");
  assert_names (scratch, "run");
  put (plain, "x");
  g_assert_false (reel_directory_replace (path, plain, FALSE, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  assert_holds (plain, "x");
}

/* The sync is the last step; the caller may then remove its directory, and not the one that the
 * disk knows. */
static void
test_failed_sync_undoes_the_rename (void)
{
  g_autofree char *path = in_scratch ("run"), *file = in_scratch ("run/file");
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
      assert_holds (inside, exists ? "two" : "one");
      if (!exists)
        g_assert_true (reel_directory_install (first, path, TRUE, NULL));
      assert_holds (file, "one");
    }
}

static void
test_replace_takes_a_free_name (void)
{
  g_autofree char *path = in_scratch ("run"), *file = in_scratch ("run/file");
  g_autofree char *temporary = temporary_with (path, "one");

  g_assert_true (reel_directory_replace (temporary, path, TRUE, NULL, NULL));
  assert_holds (file, "one");
}

static void
test_remove_follows_no_link (void)
{
  g_autofree char *tree = in_scratch ("tree/a/b"), *top = in_scratch ("tree"),
                  *file = in_scratch ("tree/a/f");
  g_autofree char *outside = in_scratch ("outside"), *kept = in_scratch ("outside/kept");
  g_autofree char *link = in_scratch ("tree/a/link"), *direct = in_scratch ("direct/");
  g_autofree char *direct_name = in_scratch ("direct");

  g_assert_true (reel_directory_make (tree, NULL) && reel_directory_make (outside, NULL));
  put (file, "x");
  put (kept, "x");
  g_assert_cmpint (symlink (outside, link), ==, 0);
  g_assert_cmpint (symlink (outside, direct_name), ==, 0);
  g_assert_true (reel_directory_remove (top, NULL));
  g_assert_true (reel_directory_remove (top, NULL)); /* gone is gone */
  g_assert_true (reel_directory_remove (direct, NULL));
  assert_names (scratch, "outside");
  assert_holds (kept, "x");
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

static void
test_sync_starts_all_before_it_waits (void)
{
  g_autoptr (GError) error = NULL;
  const char *directory = scratch;
  ReelFileHandle files[130];

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strdup_printf ("f%" G_GSIZE_FORMAT, i);

      files[i] = (ReelFileHandle){ in_scratch (name), -1 };
      put (files[i].path, "x");
    }
  files[7].fd = reel_file_open (files[7].path, TRUE, NULL);
  file_faults_begin ();
  g_assert_true (reel_files_sync (files, G_N_ELEMENTS (files), &directory, 1, &error));
  g_assert_cmpint (file_faults_count ("sync_file_range"), ==, 130);
  g_assert_cmpint (file_faults_count ("fdatasync"), ==, 130);
  g_assert_cmpint (file_faults_count ("fsync"), ==, 1);
  g_assert_cmpint (file_faults_count ("openat"), ==,
                   130); /* the directory too, and not the one that was open */
  file_faults_end ();
  reel_file_close (files[7].fd, "", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    g_free ((char *) files[i].path);
}

/* ---- a job that uses everything, for the tests that fail each call ---- */

typedef struct
{
  char *run, *meta, *index, *leaf;
} Job;

static Job
job_begin (void)
{
  return (Job){ in_scratch ("run"), in_scratch ("run/meta"), in_scratch ("run/index"),
                in_scratch ("run/leaf") };
}

static void
job_end (Job *job)
{
  g_free (job->run);
  g_free (job->meta);
  g_free (job->index);
  g_free (job->leaf);
}

static gboolean
fill (const char *directory, const char *text, GError **error)
{
  g_autofree char *meta = g_build_filename (directory, "meta", NULL),
                  *leaf = g_build_filename (directory, "leaf", NULL);
  g_autofree char *index = g_build_filename (directory, "index", NULL);
  const ReelFileContent contents[] = { { meta, text, strlen (text) },
                                       { index, text, strlen (text) } };
  const ReelFileHandle handle = { leaf, -1 };
  int fd = reel_file_create (leaf, 4096, error);
  ReelMapping mapping;
  gboolean mapped;

  if (fd < 0)
    return FALSE;
  mapped = reel_file_map (leaf, fd, REEL_MAP_WRITE, 4096, &mapping, error);
  if (mapped)
    {
      gboolean populated = reel_mapping_populate (&mapping, leaf, 0, 4096, error);

      if (populated)
        strcpy ((char *) mapping.data, text);
      reel_mapping_unmap (&mapping);
      mapped = populated;
    }
  return reel_file_close (fd, leaf, mapped ? error : NULL) && mapped
         && reel_files_sync (&handle, 1, NULL, 0, error)
         && reel_files_write_atomic (contents, G_N_ELEMENTS (contents), TRUE, error);
}

/* Puts a directory of three files in place of what was there. */
static gboolean
publish (const Job *job, const char *text, GError **error)
{
  g_autofree char *temporary = NULL;

  if (!reel_directory_check_space (job->run, 4096, error))
    return FALSE;
  temporary = reel_directory_make_temporary (job->run, error);
  if (!temporary)
    return FALSE;
  if (fill (temporary, text, error)
      && reel_directory_replace (temporary, job->run, TRUE, NULL, error))
    return TRUE;
  reel_directory_remove (temporary, NULL);
  return FALSE;
}

/* All three files of one of these versions. */
static void
assert_version (const char *directory, const char *const *versions)
{
  static const char *const names[] = { "meta", "index", "leaf" };
  g_autofree char *first = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL), *text = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      if (!first)
        first = g_strdup (text);
      g_assert_true (g_strv_contains (versions, text));
      g_assert_cmpstr (text, ==, first);
    }
}

static void
test_every_call_may_fail (gconstpointer code)
{
  static const char *const versions[] = { "old", "new", NULL };
  Job job = job_begin ();

  g_assert_true (publish (&job, "old", NULL));
  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      gint64 before = descriptors_open ();
      gboolean published, struck;

      file_faults_begin ();
      file_faults_fail (NULL, n, GPOINTER_TO_INT (code), FALSE);
      published = publish (&job, "new", &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_true (published == (error == NULL));
      if (error)
        g_assert_true (error->domain == REEL_ERROR && strstr (error->message, scratch));
      g_assert_cmpint (descriptors_open (), ==, before);
      assert_version (job.run, published ? &versions[1] : versions);
      if (!struck)
        break;
      g_assert_true (publish (&job, "old", NULL));
    }
  job_end (&job);
}

static void
test_interruptions_are_repeated (void)
{
  static const char *const versions[] = { "new", NULL };
  Job job = job_begin ();

  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      gboolean struck;

      file_faults_begin ();
      file_faults_fail (NULL, n, EINTR, FALSE);
      publish (&job, "new", &error);
      struck = file_faults_struck ();
      if (error) /* these two neither wait nor move data: the system never interrupts them */
        g_assert_true (strstr (error->message, "map") || strstr (error->message, "list"));
      file_faults_end ();
      if (!error)
        {
          assert_version (job.run, versions);
          assert_names (scratch, "run");
        }
      g_assert_true (reel_directory_remove (job.run, NULL));
      if (!struck)
        break;
    }
  job_end (&job);
}

static void
test_short_transfers_are_completed (void)
{
  static const char *const versions[] = { "new", NULL };
  Job job = job_begin ();

  for (gint64 n = 1;; n++)
    {
      gboolean struck;

      file_faults_begin ();
      file_faults_shorten (n);
      g_assert_true (publish (&job, "new", NULL));
      struck = file_faults_struck ();
      file_faults_end ();
      assert_version (job.run, versions);
      if (!struck)
        break;
    }
  job_end (&job);
}

/* The power goes at each call in turn: what was published before is there whole, or what replaces
 * it. */
static void
test_power_may_fail_at_every_call (void)
{
  static const char *const versions[] = { "old", "new", NULL };
  Job job = job_begin ();

  for (gint64 n = 1;; n++)
    {
      PowerLoss *loss;
      gboolean published, struck;

      g_assert_true (publish (&job, "old", NULL));
      file_faults_begin ();
      loss = power_loss_begin (scratch);
      file_faults_fail (NULL, n, EIO, TRUE);
      published = publish (&job, "new", NULL);
      struck = file_faults_struck ();
      for (PowerLossNames names = POWER_LOSS_SYNCED_NAMES; names <= POWER_LOSS_ALL_NAMES; names++)
        {
          g_autofree char *after = g_strdup_printf ("%s.after", scratch),
                          *run = g_build_filename (after, "run", NULL);

          power_loss_rebuild (loss, names, after);
          assert_version (run, published ? &versions[1] : versions);
          reel_file_ops_set (NULL);
          g_assert_true (reel_directory_remove (after, NULL));
        }
      power_loss_end (loss);
      file_faults_end ();
      g_assert_true (reel_directory_remove (job.run, NULL));
      if (!struck)
        break;
    }
  job_end (&job);
}

/* The recorder itself: what is not synced is lost. */
static void
test_power_loss_forgets_what_was_not_synced (void)
{
  g_autofree char *file = in_scratch ("file"), *renamed = in_scratch ("renamed");
  g_autofree char *after = g_strdup_printf ("%s.after", scratch),
                  *found = g_build_filename (after, "renamed", NULL);
  PowerLoss *loss = power_loss_begin (scratch);

  g_assert_true (reel_file_write_atomic (file, "data", 4, FALSE, NULL));
  g_assert_cmpint (rename (file, renamed), ==, 0);
  power_loss_rebuild (loss, POWER_LOSS_SYNCED_NAMES, after);
  assert_names (after, "");
  g_assert_true (reel_directory_remove (after, NULL));
  power_loss_rebuild (loss, POWER_LOSS_ALL_NAMES, after);
  assert_holds (found, "");
  g_assert_true (reel_directory_remove (after, NULL));
  g_assert_true (reel_directory_sync (scratch, NULL));
  power_loss_rebuild (loss, POWER_LOSS_SYNCED_NAMES, after);
  assert_holds (found, "");
  g_assert_true (reel_directory_remove (after, NULL));
  power_loss_end (loss);
}

static void
test_write_atomic_leaves_no_litter (void)
{
  g_autofree char *path = in_scratch ("a");

  put (path, "old");
  for (gint64 n = 1;; n++)
    {
      gboolean written, struck;

      file_faults_begin ();
      file_faults_fail (NULL, n, ENOSPC, FALSE);
      {
        g_autoptr (GError) error = NULL;

        written = reel_file_write_atomic (path, "new", 3, TRUE, &error);
        if (!written)
          g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
      }
      struck = file_faults_struck ();
      file_faults_end ();
      assert_names (scratch, "a");
      if (written)
        assert_holds (path, "new");
      put (path, "old");
      if (!struck)
        break;
    }
}

/* ---- each test in its own directory ---- */

typedef struct
{
  void (*plain) (void);
  void (*with_data) (gconstpointer);
  gconstpointer data;
} Case;

static void
run_case (gconstpointer data)
{
  const Case *test = data;

  scratch = g_dir_make_tmp ("reel-file-ops-XXXXXX", NULL);
  g_assert_nonnull (scratch);
  if (test->plain)
    test->plain ();
  else
    test->with_data (test->data);
  g_assert_true (reel_directory_remove (scratch, NULL));
  g_clear_pointer (&scratch, g_free);
}

static void
add (const char *name, void (*plain) (void), void (*with_data) (gconstpointer), gconstpointer data)
{
  g_autofree char *path = g_strconcat ("/core/file-ops/", name, NULL);
  Case *test = g_new (Case, 1);

  *test = (Case){ plain, with_data, data };
  g_test_add_data_func_full (path, test, run_case, g_free);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("read-whole", test_read_whole, NULL, NULL);
  add ("open-takes-regular-files-only", test_open_takes_regular_files_only, NULL, NULL);
  add ("query", test_query, NULL, NULL);
  add ("transfers-are-whole", test_transfers_are_whole, NULL, NULL);
  add ("create-reserves", test_create_reserves, NULL, NULL);
  add ("create-without-fallocate", test_create_without_fallocate, NULL, NULL);
  add ("check-space", test_check_space, NULL, NULL);
  add ("map", test_map, NULL, NULL);
  add ("populate-finds-the-full-disk", test_populate_finds_the_full_disk, NULL, NULL);
  add ("locks", test_locks, NULL, NULL);
  add ("make-tree", test_make_tree, NULL, NULL);
  add ("install-and-replace", NULL, test_install_and_replace, NULL);
  add ("install-and-replace-without-flags", NULL, test_install_and_replace, GINT_TO_POINTER (1));
  add ("failed-sync-undoes-the-rename", test_failed_sync_undoes_the_rename, NULL, NULL);
  add ("replace-takes-a-free-name", test_replace_takes_a_free_name, NULL, NULL);
  add ("remove-follows-no-link", test_remove_follows_no_link, NULL, NULL);
  add ("remove-refuses-roots", test_remove_refuses_roots, NULL, NULL);
  add ("sync-starts-all-before-it-waits", test_sync_starts_all_before_it_waits, NULL, NULL);
  add ("every-call-may-fail-for-a-fault", NULL, test_every_call_may_fail, GINT_TO_POINTER (EIO));
  add ("every-call-may-fail-for-space", NULL, test_every_call_may_fail, GINT_TO_POINTER (ENOSPC));
  add ("interruptions-are-repeated", test_interruptions_are_repeated, NULL, NULL);
  add ("short-transfers-are-completed", test_short_transfers_are_completed, NULL, NULL);
  add ("power-may-fail-at-every-call", test_power_may_fail_at_every_call, NULL, NULL);
  add ("power-loss-forgets-what-was-not-synced", test_power_loss_forgets_what_was_not_synced, NULL,
       NULL);
  add ("write-atomic-leaves-no-litter", test_write_atomic_leaves_no_litter, NULL, NULL);
  return g_test_run ();
}
