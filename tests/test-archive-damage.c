/* Archives made to do harm: each ends in an error, soon and without much memory. */
#include "../src/core/formats/zip.h"
#include "../src/reel.h"
#include "memmap-example.h"
#include "scratch.h"

#include <string.h>
#include <zlib.h>

#define METADATA "{\"a\":{\"dtype\":\"torch.int8\",\"shape\":[4]},\"_type\":\"" TENSORDICT "\"}"

/* An entry as it is, and what the archive says of it where that is something else. */
typedef struct
{
  const char *name, *content;
  guint64 size; /* 0 for the truth */
  guint32 crc;  /* 0 for the truth */
  guint16 method;
  guint64 place; /* 0 for the truth */
  gsize length;  /* of content with zero bytes in it, else 0 */
} Item;

static GByteArray *
pack (const Item *items, gsize n)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autofree ReelZipEntry *entries = g_new0 (ReelZipEntry, n);

  for (gsize i = 0; i < n; i++)
    {
      gsize length = items[i].length ? items[i].length : strlen (items[i].content);
      ReelZipEntry *entry = &entries[i];
      entry->name = (char *) items[i].name;
      entry->method = items[i].method;
      entry->packed = length;
      entry->size = items[i].size ? items[i].size : length;
      entry->crc = items[i].crc ? items[i].crc
                                : (guint32) crc32_z (0, (const Bytef *) items[i].content, length);
      reel_zip_place (entry, bytes->len, FALSE);
      g_autoptr (GByteArray) header = reel_zip_local_header (entry);
      g_byte_array_append (bytes, header->data, header->len);
      g_byte_array_append (bytes, (const guint8 *) items[i].content, (guint) length);
      entry->header = items[i].place ? items[i].place : entry->header;
    }
  g_autoptr (GByteArray) end = reel_zip_directory (entries, n, bytes->len);
  g_byte_array_append (bytes, end->data, end->len);
  return bytes;
}

static char *
put (gconstpointer data, gsize length)
{
  char *path = scratch_path ("a.tdz");

  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
  return path;
}

static void
assert_refused (const GByteArray *bytes, gint code, const char *words)
{
  g_autofree char *path = put (bytes->data, bytes->len);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensordict_load (path, REEL_LOAD_READ_ONLY | REEL_LOAD_VERIFY, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, REEL_ERROR, code);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_assert_nonnull (strstr (error->message, words));
}

static void
assert_second_refused (Item second, const char *words)
{
  const Item items[] = { { .name = "meta.json", .content = METADATA }, second };
  g_autoptr (GByteArray) bytes = pack (items, 2);

  assert_refused (bytes, REEL_ERROR_DAMAGED, words);
}

static void
test_good (void)
{
  const Item items[] = { { .name = "meta.json", .content = METADATA },
                         { .name = "a.memmap", .content = "1234" } };
  g_autoptr (GByteArray) bytes = pack (items, 2);
  g_autofree char *path = put (bytes->data, bytes->len);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_load (path, REEL_LOAD_VERIFY, &error);

  g_assert_no_error (error);
  g_assert_cmpint (reel_tensordict_get_tensor (td, "a", NULL)->data[3], ==, '4');
}

static void
test_names (void)
{
  static const char *const names[] = { "../a.memmap", "/a.memmap", "b/../../a",      "b/./a",
                                       "b//a",        "",          "\xff\xfe.memmap" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    assert_second_refused ((Item){ .name = names[i], .content = "1234" },
                           "leads out of the archive or is none");
  g_autofree char *deep = g_strnfill (20000, '/');
  for (gsize i = 0; i < 20000; i += 2)
    deep[i] = 'd';
  deep[19999] = 'e';
  assert_second_refused ((Item){ .name = deep, .content = "1234" },
                         "leads out of the archive or is none");
}

static void
test_names_that_clash (void)
{
  const Item items[] = { { .name = "meta.json", .content = METADATA },
                         { .name = "a.memmap", .content = "1234" },
                         { .name = "a.memmap/b", .content = "1" } };
  g_autoptr (GByteArray) bytes = pack (items, 3);

  assert_refused (bytes, REEL_ERROR_DAMAGED, "::a.memmap: is a file and a directory");
  assert_second_refused ((Item){ .name = "meta.json", .content = METADATA },
                         "::meta.json: is twice in the archive");
}

static void
test_sizes (void)
{
  assert_second_refused ((Item){ .name = "a.memmap", .content = "1234", .size = 5 },
                         "in another number of bytes");
  assert_second_refused ((Item){ .name = "a.memmap", .content = "1234", .size = (guint64) 1 << 63 },
                         "claims more bytes");
  assert_second_refused ((Item){ .name = "a.memmap", .content = "1234", .size = G_MAXUINT64 },
                         "claims more bytes");
  assert_second_refused ((Item){ .name = "a.memmap", .content = "123" },
                         "::a.memmap: has 3 bytes, 4 expected");
  assert_second_refused ((Item){ .name = "b", .content = "1234" },
                         "expected a file of 4 bytes, found nothing");
  assert_second_refused ((Item){ .name = "a.memmap",
                                 .content = "1234",
                                 .size = (guint64) 1 << 40,
                                 .method = REEL_ZIP_DEFLATED },
                         "claims more bytes than can be unpacked from it");
}

static void
test_checksums (void)
{
  const Item items[] = { { .name = "meta.json", .content = METADATA, .crc = 1 },
                         { .name = "a.memmap", .content = "1234" } };
  g_autoptr (GByteArray) bytes = pack (items, 2);

  assert_refused (bytes, REEL_ERROR_DAMAGED, "::meta.json: its checksum is");
  assert_second_refused ((Item){ .name = "a.memmap", .content = "1234", .crc = 1 },
                         "::a.memmap: its checksum is");
}

/* Entries that unpack into more than their size, or less. */
static void
test_bombs (void)
{
  static const guint64 claims[] = { 1, 4, 1000, 3999, 4001, 5000 };
  Bytef zeros[4000] = { 0 };
  Bytef packed[256];
  z_stream stream = {
    .next_in = zeros, .avail_in = sizeof zeros, .next_out = packed, .avail_out = sizeof packed
  };

  deflateInit2 (&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  g_assert_cmpint (deflate (&stream, Z_FINISH), ==, Z_STREAM_END);
  deflateEnd (&stream);
  for (gsize i = 0; i < G_N_ELEMENTS (claims); i++)
    assert_second_refused ((Item){ .name = "a.memmap",
                                   .content = (const char *) packed,
                                   .size = claims[i],
                                   .method = REEL_ZIP_DEFLATED,
                                   .length = stream.total_out },
                           claims[i] < 4 ? "4 expected" : "does not unpack into as many bytes");
}

/* An entry is used up by what it unpacks into. */
static void
test_bytes_behind_what_is_packed (void)
{
  Bytef content[] = "1234", packed[64] = { 0 };
  z_stream stream = {
    .next_in = content, .avail_in = 4, .next_out = packed, .avail_out = sizeof packed
  };

  deflateInit2 (&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  g_assert_cmpint (deflate (&stream, Z_FINISH), ==, Z_STREAM_END);
  deflateEnd (&stream);
  assert_second_refused ((Item){ .name = "a.memmap",
                                 .content = (const char *) packed,
                                 .size = 4,
                                 .crc = (guint32) crc32 (0, content, 4),
                                 .method = REEL_ZIP_DEFLATED,
                                 .length = stream.total_out + 1 },
                         "does not unpack into as many bytes");
}

/* Inside the content of one entry lies another, listed too. */
static void
test_overlaps (void)
{
  const Item inner = { .name = "a.memmap", .content = "1234" };
  g_autoptr (GByteArray) nested = pack (&inner, 1);
  Item items[] = { { .name = "meta.json", .content = METADATA },
                   { .name = "x", .content = (const char *) nested->data, .length = nested->len },
                   inner };
  g_autoptr (GByteArray) first = pack (items, 3);
  const guint8 *place = memmem (first->data, first->len, nested->data, nested->len);

  items[2].place = (guint64) (place - first->data);
  g_autoptr (GByteArray) bytes = pack (items, 3);
  assert_refused (bytes, REEL_ERROR_DAMAGED, "::a.memmap: overlaps another entry");
  items[2].place = 7;
  g_autoptr (GByteArray) elsewhere = pack (items, 3);
  assert_refused (elsewhere, REEL_ERROR_DAMAGED, "disagrees with the directory");
  items[2].place = G_MAXINT64;
  g_autoptr (GByteArray) behind = pack (items, 3);
  assert_refused (behind, REEL_ERROR_DAMAGED, "begins behind the contents");
}

/* The last entry claims bytes of the directory behind it. */
static void
test_cut_off (void)
{
  const Item items[] = { { .name = "meta.json", .content = METADATA },
                         { .name = "b", .content = "1234" } };
  g_autoptr (GByteArray) bytes = pack (items, 2);
  guint8 *record = memmem (bytes->data, bytes->len, "PK\1\2", 4);

  record = memmem (record + 4, 100, "PK\1\2", 4);
  record[20] = record[24] = 5; /* packed, and unpacked */
  assert_refused (bytes, REEL_ERROR_DAMAGED, "::b: is cut off");
}

static void
test_encrypted (void)
{
  const Item items[] = { { .name = "meta.json", .content = METADATA },
                         { .name = "a.memmap", .content = "1234" } };
  g_autoptr (GByteArray) bytes = pack (items, 2);
  guint8 *record = memmem (bytes->data, bytes->len, "PK\1\2", 4);

  record[8] |= 1;
  assert_refused (bytes, REEL_ERROR_NOT_IMPLEMENTED, "::meta.json: is encrypted");
}

/* An archive as it is written, compressed or not. */
static GByteArray *
new_good (ReelSaveFlags flags)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("good.tdz");
  char *bytes;
  gsize length;

  g_assert_true (reel_tensordict_save (td, path, flags, NULL));
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  return g_byte_array_new_take ((guint8 *) bytes, length);
}

static void
test_every_length (void)
{
  g_autoptr (GByteArray) bytes = new_good (REEL_SAVE_DEFAULT);

  for (guint length = 0; length < bytes->len; length++)
    {
      g_autofree char *path = put (bytes->data, length);
      g_autoptr (GError) error = NULL;
      g_assert_null (reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
    }
}

/* Every byte changed: an error, or a byte that says nothing. */
static void
check_every_byte (ReelSaveFlags flags)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autoptr (GByteArray) bytes = new_good (flags);

  for (guint i = 0; i < bytes->len; i++)
    {
      bytes->data[i] ^= 0x55;
      g_autofree char *path = put (bytes->data, bytes->len);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) found =
          reel_tensordict_load (path, REEL_LOAD_READ_ONLY | REEL_LOAD_VERIFY, &error);
      g_assert_true (found ? reel_tensordict_equal (td, found) : error != NULL);
      bytes->data[i] ^= 0x55;
    }
}

static void
test_every_byte (void)
{
  check_every_byte (REEL_SAVE_DEFAULT);
  check_every_byte (REEL_SAVE_COMPRESSED);
}

static void
test_more_entries_than_there_are (void)
{
  g_autoptr (GByteArray) bytes = new_good (REEL_SAVE_DEFAULT);
  guint8 *end = bytes->data + bytes->len - 22;

  end[8] = end[10] = 200;
  assert_refused (bytes, REEL_ERROR_DAMAGED, "200 entries in");
  end[8] = end[10] = 1;
  assert_refused (bytes, REEL_ERROR_DAMAGED, "has more than its 1 entries");
}

static void
put_number (guint8 *at, guint64 value, gsize n)
{
  for (gsize i = 0; i < n; i++)
    at[i] = (guint8) (value >> (8 * i));
}

/* The same end in the form of large archives, and then of one disk of several. */
static void
test_wide_end (void)
{
  static const gsize disks[] = { 16, 20, 24 };
  g_autoptr (GByteArray) bytes = new_good (REEL_SAVE_DEFAULT);
  const guint8 *end = bytes->data + bytes->len - 22;
  guint64 offset = end[16] | (guint64) end[17] << 8 | (guint64) end[18] << 16;
  guint64 size = end[12] | (guint64) end[13] << 8, n = end[10];
  guint8 wide[76] = "PK\6\6", last[22];
  g_autoptr (GError) error = NULL;

  memcpy (last, end, sizeof last);
  g_byte_array_set_size (bytes, bytes->len - 22);
  memcpy (wide + 56, "PK\6\7", 4);
  put_number (wide + 24, n, 8);
  put_number (wide + 32, n, 8);
  put_number (wide + 40, size, 8);
  put_number (wide + 48, offset, 8);
  put_number (wide + 64, bytes->len, 8);
  gsize at = bytes->len;
  g_byte_array_append (bytes, wide, sizeof wide);
  g_byte_array_append (bytes, last, sizeof last);
  g_autofree char *path = put (bytes->data, bytes->len);
  g_autoptr (ReelTensordict) td = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (disks); i++)
    {
      bytes->data[at + disks[i]] ^= 1;
      assert_refused (bytes, REEL_ERROR_NOT_IMPLEMENTED, "one of several files");
      bytes->data[at + disks[i]] ^= 1;
    }
}

/* A comment at its end belongs to an archive, and may say anything. */
static void
test_comment (void)
{
  g_autoptr (GByteArray) bytes = new_good (REEL_SAVE_DEFAULT);

  bytes->data[bytes->len - 2] = 5;
  g_byte_array_append (bytes, (const guint8 *) "PK\5\6!", 5);
  g_autofree char *path = put (bytes->data, bytes->len);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error);
  g_assert_no_error (error);
  bytes->data[bytes->len - 1] = '?';
  g_byte_array_append (bytes, (const guint8 *) "x", 1);
  assert_refused (bytes, REEL_ERROR_DAMAGED, "is not a zip archive, or cut off");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/core/archive-damage/" name, function)
  TEST ("good", test_good);
  TEST ("names", test_names);
  TEST ("names-that-clash", test_names_that_clash);
  TEST ("sizes", test_sizes);
  TEST ("checksums", test_checksums);
  TEST ("bombs", test_bombs);
  TEST ("bytes-behind-what-is-packed", test_bytes_behind_what_is_packed);
  TEST ("overlaps", test_overlaps);
  TEST ("cut-off", test_cut_off);
  TEST ("encrypted", test_encrypted);
  TEST ("every-length", test_every_length);
  TEST ("every-byte", test_every_byte);
  TEST ("more-entries-than-there-are", test_more_entries_than_there_are);
  TEST ("wide-end", test_wide_end);
  TEST ("comment", test_comment);

  return g_test_run ();
}
