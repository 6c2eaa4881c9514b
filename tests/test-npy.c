/* Arrays of NumPy in blocks of rows, and the bytes of an archive that are read once. */
#include "../src/core/formats/npy.h"
#include "../src/reel.h"
#include "scratch.h"

#include <string.h>
#include <zlib.h>

#define ROWS 1001
#define COLUMNS 1000

/* An array `[rows, columns]` of uint32, each its place. */
static GByteArray *
make_array (guint rows, guint columns)
{
  g_autofree char *text = g_strdup_printf (
      "{'shape': (%u, %u), 'descr': '<u4', 'fortran_order': False}\n", rows, columns);
  const guint16 length = (guint16) strlen (text);
  GByteArray *file = g_byte_array_new ();

  g_byte_array_append (file, (const guint8 *) "\x93NUMPY\x01\x00", 8);
  g_byte_array_append (file, (const guint8 *) &length, 2);
  g_byte_array_append (file, (const guint8 *) text, length);
  for (guint32 i = 0; i < rows * columns; i++)
    g_byte_array_append (file, (const guint8 *) &i, sizeof i);
  return file;
}

static ReelMemory *
wrap (const GByteArray *file)
{
  return reel_memory_new_wrapped (REEL_MEMORY_HEAP, file->data, file->len, NULL, NULL);
}

static void
check_rows (gpointer data, gint64 first, gint64 n, const guint8 *rows)
{
  gint64 *next = data;

  g_assert_cmpint (first, ==, *next);
  for (gint64 i = 0; i < n * COLUMNS; i++)
    g_assert_cmpint (((const guint32 *) (gpointer) rows)[i], ==, first * COLUMNS + i);
  *next += n;
}

static void
test_rows_come_in_blocks (void)
{
  g_autoptr (GByteArray) file = make_array (ROWS, COLUMNS);
  g_autoptr (ReelMemory) memory = wrap (file);
  g_autoptr (ReelByteStream) stream = reel_byte_stream_new (memory);
  g_autoptr (GError) error = NULL;
  ReelArrayInfo array;
  gint64 next = 0;

  g_assert_true (reel_npy_read_header (stream, &array, NULL, &error));
  g_assert_cmpint (array.dtype, ==, REEL_DTYPE_UINT32);
  g_assert_cmpint (array.ndim, ==, 2);
  g_assert_true (reel_npy_read_rows (stream, &array, check_rows, &next, &error));
  g_assert_no_error (error);
  g_assert_cmpint (next, ==, ROWS);
}

/* Each byte comes once, for reads of any size. */
static void
test_every_byte_comes_once (void)
{
  guint8 bytes[7] = { 1, 2, 3, 4, 5, 6, 7 }, read[8];
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, bytes, sizeof bytes, NULL, NULL);

  for (gsize n = 1; n <= sizeof read; n++)
    {
      g_autoptr (ReelByteStream) stream = reel_byte_stream_new (memory);
      gsize n_read, at = 0;

      do
        {
          g_assert_true (reel_byte_stream_read (stream, read, n, &n_read, NULL));
          g_assert_cmpmem (read, n_read, bytes + at, n_read);
          at += n_read;
        }
      while (n_read == n);
      g_assert_cmpint (at, ==, sizeof bytes);
      g_assert_true (reel_byte_stream_end (stream, NULL));
    }
}

/* An archive of one stored file whose checksum is off by @wrong. */
static char *
put_archive (const GByteArray *file, guint32 wrong)
{
  char *path = scratch_path ("a.npz");
  ReelZipEntry entry = { .name = (char *) "a.npy",
                         .packed = file->len,
                         .size = file->len,
                         .crc = (guint32) crc32_z (0, file->data, file->len) ^ wrong };

  reel_zip_place (&entry, 0, FALSE);
  g_autoptr (GByteArray) archive = reel_zip_local_header (&entry);
  g_byte_array_append (archive, file->data, file->len);
  g_autoptr (GByteArray) end = reel_zip_directory (&entry, 1, archive->len);
  g_byte_array_append (archive, end->data, end->len);
  g_assert_true (
      g_file_set_contents (path, (const char *) archive->data, (gssize) archive->len, NULL));
  return path;
}

static gboolean
read_archive (const char *path, GError **error)
{
  g_autoptr (ReelZip) zip = reel_zip_open (path, REEL_MAP_READ, NULL);
  g_autoptr (ReelByteStream) stream =
      reel_byte_stream_new_entry (zip, reel_zip_find (zip, "a.npy"), NULL);
  ReelArrayInfo array;
  gint64 next = 0;

  g_assert_true (reel_npy_read_header (stream, &array, NULL, NULL));
  return reel_npy_read_rows (stream, &array, check_rows, &next, error);
}

static void
test_checksums_of_archives_are_compared (void)
{
  g_autoptr (GByteArray) file = make_array (3, COLUMNS);
  g_autofree char *good = put_archive (file, 0);
  g_autoptr (GError) error = NULL;

  g_assert_true (read_archive (good, NULL));
  g_autofree char *bad = put_archive (file, 1);
  g_assert_false (read_archive (bad, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "checksum"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_in_memory ();
  g_test_add_func ("/core/npy/rows-come-in-blocks", test_rows_come_in_blocks);
  g_test_add_func ("/core/npy/every-byte-comes-once", test_every_byte_comes_once);
  scratch_test ("/core/npy/checksums-of-archives-are-compared",
                test_checksums_of_archives_are_compared);
  return g_test_run ();
}
