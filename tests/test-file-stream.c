/* A stream writes what it was given, and its checksums are those of what it wrote. */
#include "../src/core/formats/crc32c.h"
#include "../src/core/object/error.h"
#include "../src/core/formats/file-stream.h"
#include "../src/core/system/files.h"
#include "file-faults.h"
#include "scratch.h"

#include <errno.h>
#include <string.h>

#define LARGE (((gsize) 16 << 20) + 5000) /* is written directly, its end is not */

static guint8 *
make_bytes (gsize length)
{
  guint8 *bytes = g_malloc (length + 1);
  guint32 state = 1;

  for (gsize i = 0; i < length; i++)
    {
      state = state * 1664525u + 1013904223u;
      bytes[i] = (guint8) (state >> 24);
    }
  return bytes;
}

/* In writes of @step bytes. */
static gboolean
write_stream (const char *path, const guint8 *bytes, gsize length, gsize step, gsize block,
              GArray **sums, GError **error)
{
  g_autofree char *temporary = NULL;
  ReelFileStream stream;
  int fd = reel_file_begin_temporary (path, &temporary, error);
  gboolean written = TRUE;

  *sums = NULL;
  if (fd < 0)
    return FALSE;
  reel_file_stream_begin (&stream, fd, temporary, (gint64) length, block);
  for (gsize at = 0; written && at < length; at += step)
    written = reel_file_stream_write (&stream, bytes + at, MIN (step, length - at), error);
  written = reel_file_stream_end (&stream, written, sums, error);
  written = reel_file_end_temporary (fd, path, written, error)
            && reel_file_rename (temporary, path, error);
  return written || !reel_file_remove (temporary, NULL);
}

/* The file has sums of its blocks. */
static void
assert_sums (const char *path, const GArray *sums, gsize block)
{
  g_autofree char *bytes = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_assert_cmpuint (sums->len, ==, (length + block - 1) / block);
  for (guint i = 0; i < sums->len; i++)
    g_assert_cmphex (g_array_index (sums, guint32, i), ==,
                     reel_crc32c_portable (0, bytes + i * block, MIN (block, length - i * block)));
}

static void
assert_content (const char *path, const guint8 *bytes, gsize length)
{
  g_autofree char *found = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (path, &found, &n, NULL));
  g_assert_cmpmem (found, n, bytes, length);
}

static void
check (const guint8 *bytes, gsize length, gsize step, gsize block)
{
  g_autofree char *path = scratch_path ("file");
  g_autoptr (GArray) sums = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (write_stream (path, bytes, length, step, block, &sums, &error));
  g_assert_no_error (error);
  assert_content (path, bytes, length);
  if (block > 0)
    assert_sums (path, sums, block);
  else
    g_assert_null (sums);
}

static void
test_small_files (void)
{
  static const gsize lengths[] = { 0, 1, 4095, 4096, 4097, 131071, 131072, 131073, 300000 };
  static const gsize steps[] = { 1000, 4096, 131072, 1000000 };
  static const gsize blocks[] = { 0, 1000, 131072, 1 << 20 };
  g_autofree guint8 *bytes = make_bytes (300000);

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (gsize s = 0; s < G_N_ELEMENTS (steps); s++)
      for (gsize b = 0; b < G_N_ELEMENTS (blocks); b++)
        check (bytes, lengths[i], steps[s], blocks[b]);
}

static void
test_large_files (void)
{
  g_autofree guint8 *bytes = make_bytes (LARGE);

  check (bytes, LARGE, LARGE, 0);
  check (bytes, LARGE, LARGE, 1 << 20);
  check (bytes, LARGE, 300001, 3 << 20);
}

/* The plans of file-faults.h. */
typedef struct
{
  const char *call;
  gint64 nth;
  int error; /* 0 for a short write */
} Fault;

/* Files that cannot be written directly are written as ever. */
static void
test_without_direct_writes (void)
{
  static const Fault faults[] = { { "openat", 2, EINVAL },
                                  { "pwrite", 1, EINVAL },
                                  { "pwrite", 7, EINVAL },
                                  { "pwrite", 1, 0 },
                                  { "pwrite", 5, 0 } };
  g_autofree guint8 *bytes = make_bytes (LARGE);
  g_autofree char *path = scratch_path ("file");

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (GArray) sums = NULL;
      g_autoptr (GError) error = NULL;
      gboolean written;

      file_faults_begin ();
      if (faults[i].error)
        file_faults_fail (faults[i].call, faults[i].nth, faults[i].error, FALSE);
      else
        file_faults_shorten (faults[i].nth);
      written = write_stream (path, bytes, LARGE, LARGE, 1 << 20, &sums, &error);
      g_assert_true (file_faults_struck ());
      file_faults_end ();
      g_assert_no_error (error);
      g_assert_true (written);
      assert_content (path, bytes, LARGE);
      assert_sums (path, sums, 1 << 20);
    }
}

static void
test_failed_writes (void)
{
  static const Fault faults[] = { { "pwrite", 1, ENOSPC }, { "pwrite", 9, EIO } };
  g_autofree guint8 *bytes = make_bytes (LARGE);
  g_autofree char *path = scratch_path ("file");

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (GArray) sums = NULL;
      g_autoptr (GError) error = NULL;

      file_faults_begin ();
      file_faults_fail (faults[i].call, faults[i].nth, faults[i].error, FALSE);
      g_assert_false (write_stream (path, bytes, LARGE, LARGE, 1 << 20, &sums, &error));
      file_faults_end ();
      g_assert_nonnull (error);
      g_assert_cmpint (error->code, ==,
                       faults[i].error == EIO ? REEL_ERROR_IO : REEL_ERROR_NO_SPACE);
      g_assert_null (sums);
      scratch_assert_names (scratch_directory, "");
    }
}

typedef struct
{
  guint8 *bytes;
  gsize length;
} Source;

static void
change (gpointer data)
{
  Source *source = data;

  memset (source->bytes, 0, source->length);
}

/* A change of the source while it is written changes the sums and the file alike. */
static void
test_source_that_changes (gconstpointer of)
{
  gsize length = GPOINTER_TO_SIZE (of);
  g_autofree char *path = scratch_path ("file");

  for (gint64 nth = 2; nth < 6; nth++)
    {
      g_autofree guint8 *bytes = make_bytes (length);
      Source source = { bytes, length };
      g_autoptr (GArray) sums = NULL;

      file_faults_begin ();
      file_faults_call (nth, change, &source);
      g_assert_true (write_stream (path, bytes, length, length, 1 << 16, &sums, NULL));
      g_assert_true (file_faults_struck ());
      file_faults_end ();
      assert_sums (path, sums, 1 << 16);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_test ("/core/file-stream/small-files", test_small_files);
  scratch_test ("/core/file-stream/large-files", test_large_files);
  scratch_test ("/core/file-stream/without-direct-writes", test_without_direct_writes);
  scratch_test ("/core/file-stream/failed-writes", test_failed_writes);
  scratch_test_with_data ("/core/file-stream/small-source-that-changes", test_source_that_changes,
                          GSIZE_TO_POINTER ((gsize) 300000));
  scratch_test_with_data ("/core/file-stream/large-source-that-changes", test_source_that_changes,
                          GSIZE_TO_POINTER (LARGE));
  return g_test_run ();
}
