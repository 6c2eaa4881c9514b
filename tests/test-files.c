#include "../src/core/object/error.h"
#include "../src/core/system/file-ops.h"
#include "../src/core/system/files.h"
#include "../src/core/system/mapping.h"
#include "file-faults.h"
#include "scratch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HUGE_SIZE (G_GINT64_CONSTANT (1) << 62)

static void
test_read_whole (void)
{
  g_autofree char *path = scratch_path ("a"), *text = NULL, *empty = NULL, *proc = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  scratch_put (path, "hello");
  text = reel_file_read (path, 5, &length, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, "hello");
  g_assert_cmpuint (length, ==, 5);
  g_assert_null (reel_file_read (path, 4, &length, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, path));
  scratch_put (path, "");
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
  g_autofree char *pipe = scratch_path ("pipe"), *none = scratch_path ("none");
  const char *const refused[] = { scratch_directory, pipe, none };

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
  g_autofree char *file = scratch_path ("file"), *link = scratch_path ("link"),
                  *below = scratch_path ("file/x");
  ReelPathKind kind;
  gint64 size;

  scratch_put (file, "123");
  g_assert_cmpint (symlink ("nowhere", link), ==, 0);
  g_assert_true (reel_path_query (file, &kind, &size, NULL) && kind == REEL_PATH_FILE && size == 3);
  g_assert_true (reel_path_query (scratch_directory, &kind, &size, NULL)
                 && kind == REEL_PATH_DIRECTORY && size == 0);
  g_assert_true (reel_path_query (link, &kind, &size, NULL) && kind == REEL_PATH_OTHER);
  g_assert_true (reel_path_query (below, &kind, &size, NULL) && kind == REEL_PATH_MISSING);
  g_assert_true (reel_path_query ("", &kind, NULL, NULL) && kind == REEL_PATH_MISSING);
}

static void
test_transfers_are_whole (void)
{
  g_autofree char *path = scratch_path ("a");
  g_autoptr (GError) error = NULL;
  int fd = reel_file_create (path, 10, &error);
  g_autofree char *back = NULL;
  gsize length;

  g_assert_no_error (error);
  file_faults_begin ();
  file_faults_shorten (1);
  g_assert_true (reel_file_write_at (fd, path, "abcdefg", 7, 2, &error));
  g_assert_cmpint (file_faults_count ("pwrite"), ==, 2);
  g_assert_true (reel_file_close (fd, path, NULL));
  file_faults_end ();
  back = reel_file_read (path, 10, &length, &error);
  g_assert_cmpmem (back, length, "\0\0abcdefg\0", 10);
}

static void
test_create_reserves (void)
{
  g_autofree char *path = scratch_path ("a"), *huge = scratch_path ("huge");
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
  scratch_assert_names (scratch_directory, "a");
}

static void
test_create_without_fallocate (void)
{
  g_autofree char *path = scratch_path ("a"), *huge = scratch_path ("huge");
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
  scratch_assert_names (scratch_directory, "a");
}

static void
test_map (void)
{
  g_autofree char *path = scratch_path ("a");
  g_autoptr (GError) error = NULL;
  ReelMapping read_only, copy, shared, none;

  scratch_put (path, "0123456789");
  g_assert_true (reel_file_map (path, -1, REEL_MAP_READ, -1, &read_only, &error));
  g_assert_true (reel_file_map (path, -1, REEL_MAP_COPY, 4, &copy, &error));
  g_assert_true (reel_file_map (path, -1, REEL_MAP_WRITE, 10, &shared, &error));
  g_assert_cmpuint (read_only.length, ==, 10);
  g_assert_cmpuint (copy.length, ==, 4);
  copy.data[0] = 'x';
  shared.data[1] = 'y';
  g_assert_cmpmem (read_only.data, 10, "0y23456789", 10);
  scratch_assert_holds (path, "0y23456789");
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
  scratch_assert_holds (path, "0y23456789"); /* never extended */
}

static void
test_populate_finds_the_full_disk (void)
{
  g_autofree char *path = scratch_path ("a");
  g_autoptr (GError) error = NULL;
  ReelMapping mapping;

  scratch_put (path, "0123456789");
  g_assert_true (reel_file_map (path, -1, REEL_MAP_WRITE, -1, &mapping, NULL));
  file_faults_begin ();
  file_faults_fail ("madvise", 1, EFAULT, FALSE);
  g_assert_false (reel_mapping_populate (&mapping, path, 0, 10, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  file_faults_end ();
  reel_mapping_unmap (&mapping);
}

static int
advise_aligned (void *address, size_t length, int advice)
{
  g_assert_cmpuint ((gsize) address % (gsize) sysconf (_SC_PAGESIZE), ==, 0);
  return reel_file_ops_system ()->madvise (address, length, advice);
}

/* The kernel refuses other addresses, and then the pages would be missing. */
static void
test_populate_begins_at_a_page (void)
{
  g_autofree char *path = scratch_path ("a");
  ReelFileOps ops = *reel_file_ops_system ();
  ReelMapping mapping;

  scratch_put (path, "0123456789");
  g_assert_true (reel_file_map (path, -1, REEL_MAP_WRITE, -1, &mapping, NULL));
  ops.madvise = advise_aligned;
  reel_file_ops_set (&ops);
  g_assert_true (reel_mapping_populate (&mapping, path, 3, 10, NULL));
  reel_file_ops_set (NULL);
  reel_mapping_unmap (&mapping);
}

static void
test_locks (void)
{
  g_autofree char *path = scratch_path ("a");
  int first, second, reader;
  gboolean taken, locked;

  scratch_put (path, "");
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
test_sync_starts_all_before_it_waits (void)
{
  g_autoptr (GError) error = NULL;
  const char *directory = scratch_directory;
  ReelFileHandle files[130];

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strdup_printf ("f%" G_GSIZE_FORMAT, i);

      files[i] = (ReelFileHandle){ scratch_path (name), -1 };
      scratch_put (files[i].path, "x");
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

static void
test_write_atomic_leaves_no_litter (void)
{
  g_autofree char *path = scratch_path ("a");

  scratch_put (path, "old");
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
        g_assert_true (written || !strstr (error->message, ".tmp")); /* names what is wanted */
      }
      struck = file_faults_struck ();
      file_faults_end ();
      scratch_assert_names (scratch_directory, "a");
      if (written)
        scratch_assert_holds (path, "new");
      scratch_put (path, "old");
      if (!struck)
        break;
    }
}

static gpointer
read_pipe (gpointer path)
{
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

/* A file of another kind than regular stays as it is. */
/* The last report of close(): the disk has not taken the data. */
static void
test_close_failure_is_told (void)
{
  g_autofree char *path = scratch_path ("a");
  g_autoptr (GError) error = NULL;

  scratch_put (path, "old");
  file_faults_begin ();
  file_faults_fail ("close", 1, EIO, FALSE);
  g_assert_false (reel_file_write_atomic (path, "new", 3, FALSE, &error));
  g_assert_true (file_faults_struck ());
  file_faults_end ();
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_assert_nonnull (strstr (error->message, path));
  scratch_assert_holds (path, "old");
  scratch_assert_names (scratch_directory, "a");
}

static void
test_temporary_that_is_not_whole (void)
{
  g_autofree char *path = scratch_path ("a"), *temporary = NULL;
  g_autoptr (GError) error = NULL;
  int fd = reel_file_begin_temporary (path, &temporary, &error);
  gboolean written;

  g_assert_no_error (error);
  file_faults_begin ();
  file_faults_fail ("pwrite", 1, ENOSPC, FALSE);
  written = reel_file_write_at (fd, temporary, "new", 3, 0, &error);
  g_assert_false (reel_file_end_temporary (fd, path, written, &error));
  file_faults_end ();
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
}

static void
test_write_atomic_replaces_files_only (void)
{
  g_autofree char *pipe = scratch_path ("pipe"), *link = scratch_path ("link");
  g_autofree char *file = scratch_path ("file"), *other = scratch_path ("other");
  g_autofree char *read = NULL;
  g_autofree char *much = g_strnfill (200000, 'x');
  g_autoptr (GError) error = NULL;
  GThread *reader;
  struct stat status;
  ino_t replaced;

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  reader = g_thread_new ("reader", read_pipe, pipe);
  g_assert_true (reel_file_write_atomic (pipe, much, strlen (much), TRUE, &error));
  g_assert_no_error (error);
  read = g_thread_join (reader);
  g_assert_cmpstr (read, ==, much);
  g_assert_true (lstat (pipe, &status) == 0 && S_ISFIFO (status.st_mode));

  scratch_put (file, "what was longer");
  g_assert_cmpint (stat (file, &status), ==, 0);
  replaced = status.st_ino;
  g_assert_cmpint (symlink ("file", link), ==, 0);
  g_assert_true (reel_file_write_atomic (link, "new", 3, TRUE, &error));
  g_assert_no_error (error);
  g_assert_true (lstat (link, &status) == 0 && S_ISLNK (status.st_mode));
  scratch_assert_holds (file, "new");
  g_assert_true (stat (file, &status) == 0 && status.st_ino != replaced);

  g_assert_cmpint (symlink ("/dev/full", other), ==, 0);
  g_assert_false (reel_file_write_atomic (other, "new", 3, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, other));
  g_clear_error (&error);
  g_assert_true (reel_file_write_atomic ("/dev/null", "new", 3, TRUE, &error)); /* as a name, too */
  g_assert_no_error (error);
  g_assert_true (lstat ("/dev/null", &status) == 0 && S_ISCHR (status.st_mode));
  scratch_assert_names (scratch_directory, "file link other pipe");
}

/* Takes a little, and leaves. */
static gpointer
read_little (gpointer path)
{
  FILE *file = fopen (path, "r");
  gint first = fgetc (file);

  fclose (file);
  return GINT_TO_POINTER (first);
}

/* By the default of SIGPIPE, which ends a process. Signals that the thread had blocked stay so. */
static void
test_lost_readers (void)
{
  g_autofree char *pipe = scratch_path ("pipe"), *much = g_strnfill (200000, 'x');
  sigset_t blocked, waiting;

  signal (SIGPIPE, SIG_DFL);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  for (gint waits = 0; waits < 2; waits++)
    {
      g_autoptr (GError) error = NULL;
      GThread *reader = g_thread_new ("reader", read_little, pipe);

      g_assert_false (reel_file_write_atomic (pipe, much, strlen (much), FALSE, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
      g_assert_nonnull (strstr (error->message, pipe));
      g_assert_nonnull (strstr (error->message, g_strerror (EPIPE)));
      g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (reader)), ==, 'x');
      pthread_sigmask (SIG_BLOCK, NULL, &blocked);
      sigpending (&waiting);
      g_assert_cmpint (sigismember (&blocked, SIGPIPE), ==, waits);
      g_assert_cmpint (sigismember (&waiting, SIGPIPE), ==, waits);
      /* Once more where one waits already, which is somebody else's. */
      sigaddset (&blocked, SIGPIPE);
      pthread_sigmask (SIG_BLOCK, &blocked, NULL);
      pthread_kill (pthread_self (), SIGPIPE);
    }
  sigtimedwait (&blocked, NULL, &(struct timespec){ 0 });
  sigemptyset (&blocked);
  sigaddset (&blocked, SIGPIPE);
  pthread_sigmask (SIG_UNBLOCK, &blocked, NULL);
}

/* A disk that fails half-way is no end of the file. */
static void
test_failed_read_is_no_end (void)
{
  g_autofree char *path = scratch_path ("a");
  gsize length;

  scratch_put (path, "hello");
  for (gint64 n = 1; n <= 2; n++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;

      file_faults_begin ();
      file_faults_fail ("read", n, EIO, FALSE);
      text = reel_file_read (path, 100, &length, &error);
      g_assert_true (file_faults_struck ());
      file_faults_end ();
      g_assert_null (text);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_test ("/core/files/read-whole", test_read_whole);
  scratch_test ("/core/files/failed-read-is-no-end", test_failed_read_is_no_end);
  scratch_test ("/core/files/open-takes-regular-files-only", test_open_takes_regular_files_only);
  scratch_test ("/core/files/query", test_query);
  scratch_test ("/core/files/transfers-are-whole", test_transfers_are_whole);
  scratch_test ("/core/files/create-reserves", test_create_reserves);
  scratch_test ("/core/files/create-without-fallocate", test_create_without_fallocate);
  scratch_test ("/core/files/map", test_map);
  scratch_test ("/core/files/populate-finds-the-full-disk", test_populate_finds_the_full_disk);
  scratch_test ("/core/files/populate-begins-at-a-page", test_populate_begins_at_a_page);
  scratch_test ("/core/files/locks", test_locks);
  scratch_test ("/core/files/sync-starts-all-before-it-waits",
                test_sync_starts_all_before_it_waits);
  scratch_test ("/core/files/write-atomic-leaves-no-litter", test_write_atomic_leaves_no_litter);
  scratch_test ("/core/files/close-failure-is-told", test_close_failure_is_told);
  scratch_test ("/core/files/temporary-that-is-not-whole", test_temporary_that_is_not_whole);
  scratch_test ("/core/files/write-atomic-replaces-files-only",
                test_write_atomic_replaces_files_only);
  scratch_test ("/core/files/readers-that-leave-are-an-error", test_lost_readers);
  return g_test_run ();
}
