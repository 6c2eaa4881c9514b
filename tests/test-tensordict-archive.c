/* Tensordicts in archives: those that the real library wrote, and our own. */
#include "../src/core/system/directories.h"
#include "../src/core/formats/zip.h"
#include "../src/reel.h"
#include "memmap-example.h"
#include "scratch.h"

#include <string.h>

static char *
golden_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "torchrl", "archives", name, NULL);
}

static ReelTensordict *
load (const char *path, ReelLoadFlags flags)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *td = reel_tensordict_load (path, flags, &error);

  g_assert_no_error (error);
  return td;
}

static void
assert_refused (const char *path, ReelLoadFlags flags, gint code, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensordict_load (path, flags, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, REEL_ERROR, code);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_assert_nonnull (strstr (error->message, words));
}

static ReelTensor *
get (const ReelTensordict *td, const char *path)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);

  g_assert_nonnull (tensor);
  return tensor;
}

/* The contents by tests/tools/make-archives.py. */
static void
assert_content (const ReelTensordict *td, ReelMemoryKind kind)
{
  const gint64 *a = (const gint64 *) get (td, "a")->data;
  const float *k = (const float *) get (td, "next/k é%2Fy")->data;
  const gint16 *wide = (const gint16 *) get (td, "wide")->data;

  for (gint i = 0; i < 6; i++)
    g_assert_cmpint (a[i], ==, i);
  g_assert_true (k[0] == 0.5f && k[1] == -1.5f);
  for (gint i = 0; i < 2000; i++)
    g_assert_cmpint (wide[i], ==, i % 7);
  g_assert_cmpint (reel_tensor_numel (get (td, "next/none")), ==, 0);
  g_assert_cmpint (reel_memory_get_kind (get (td, "a")->memory), ==, kind);
  g_assert_true (reel_tensordict_is_locked (td));
}

static void
test_golden_archives (void)
{
  static const struct
  {
    const char *name;
    ReelMemoryKind kind;
  } cases[] = { { "stored.tdz", REEL_MEMORY_SHARED },
                { "deflate.tdz", REEL_MEMORY_HEAP },
                { "plain.tdz", REEL_MEMORY_HEAP } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = golden_path (cases[i].name);
      g_test_message ("%s", cases[i].name);
      g_autoptr (ReelTensordict) td = load (path, REEL_LOAD_READ_ONLY | REEL_LOAD_VERIFY);
      assert_content (td, cases[i].kind);
    }
}

/* One mapping of the whole file, whose leaves begin at multiples of 64 bytes. */
static void
test_leaves_are_views (void)
{
  g_autofree char *path = golden_path ("stored.tdz");
  g_autoptr (ReelTensordict) td = load (path, REEL_LOAD_READ_ONLY);
  const ReelTensor *a = get (td, "a"), *wide = get (td, "wide");

  g_assert_true (a->memory == wide->memory);
  g_assert_cmpuint ((gsize) a->data % REEL_ZIP_ALIGNMENT, ==, 0);
  g_assert_cmpuint ((gsize) wide->data % REEL_ZIP_ALIGNMENT, ==, 0);
}

static void
test_print (void)
{
  g_autofree char *path = golden_path ("stored.tdz");
  g_autofree char *expected_path = golden_path ("print.txt");
  g_autofree char *expected = NULL;
  g_autoptr (ReelTensordict) td = load (path, REEL_LOAD_READ_ONLY);
  g_autofree char *text = reel_tensordict_to_string (td);

  g_assert_true (g_file_get_contents (expected_path, &expected, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

static void
test_unknown_compression_is_named (void)
{
  g_autofree char *bzip2 = golden_path ("bzip2.tdz");
  g_autofree char *lzma = golden_path ("lzma.tdz");

  assert_refused (bzip2, REEL_LOAD_DEFAULT, REEL_ERROR_NOT_IMPLEMENTED,
                  "::a.memmap: is compressed by method 12");
  assert_refused (lzma, REEL_LOAD_DEFAULT, REEL_ERROR_NOT_IMPLEMENTED,
                  "::a.memmap: is compressed by method 14");
}

static char *
copy_golden (const char *name)
{
  g_autofree char *path = golden_path (name);
  g_autofree char *bytes = NULL;
  char *copy = scratch_path (name);
  gsize length;

  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_assert_true (g_file_set_contents (copy, bytes, (gssize) length, NULL));
  return copy;
}

static void
test_writes (void)
{
  g_autofree char *path = copy_golden ("stored.tdz");
  g_autoptr (ReelTensordict) mine = load (path, REEL_LOAD_DEFAULT);

  *(gint64 *) get (mine, "a")->data = 100;
  g_autoptr (ReelTensordict) shared = load (path, REEL_LOAD_SHARED);
  assert_content (shared, REEL_MEMORY_SHARED);
  *(gint64 *) get (shared, "a")->data = 100;
  g_autoptr (ReelTensordict) again = load (path, REEL_LOAD_READ_ONLY);
  g_assert_cmpint (*(gint64 *) get (again, "a")->data, ==, 100);
  assert_refused (path, REEL_LOAD_VERIFY, REEL_ERROR_DAMAGED, "::a.memmap: its checksum is");
}

/* Entries that must be copied cannot be shared. */
static void
test_copies_cannot_be_shared (void)
{
  g_autofree char *deflate = copy_golden ("deflate.tdz");
  g_autofree char *plain = copy_golden ("plain.tdz");

  assert_refused (deflate, REEL_LOAD_SHARED, REEL_ERROR_NOT_IMPLEMENTED, "is compressed");
  assert_refused (plain, REEL_LOAD_SHARED, REEL_ERROR_NOT_IMPLEMENTED, "is not aligned");
}

/* ---- written ---- */

/* A tensordict that has strides, no elements, odd names, and a leaf of several chunks. */
static ReelTensordict *
new_mixture (void)
{
  const gint64 none[] = { 2, 0 }, large[] = { 2, 3 << 20, 3 };
  ReelTensordict *td = memmap_new_example ();
  g_autoptr (ReelTensor) empty = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, none, NULL);
  g_autoptr (ReelTensor) many = reel_tensor_new (REEL_DTYPE_UINT8, 3, large, NULL);
  g_autoptr (ReelTensor) swapped = reel_tensor_slice (many, 1, 5, 1000, 7, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (many); i++)
    many->data[i] = (guint8) (i * i >> 7);
  g_assert_true (reel_tensordict_set_tensor (td, "next/é", empty, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "next/large", many, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "strided", swapped, NULL));
  return td;
}

static void
test_round_trip (void)
{
  static const ReelSaveFlags flags[] = { REEL_SAVE_DEFAULT, REEL_SAVE_COMPRESSED };
  g_autoptr (ReelTensordict) td = new_mixture ();

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = scratch_path (i ? "new/folder/b.tdz" : "new/folder/a.tdz");
      g_assert_true (reel_tensordict_save (td, path, flags[i], &error));
      g_assert_no_error (error);
      g_autoptr (ReelTensordict) found = load (path, REEL_LOAD_VERIFY);
      g_assert_true (reel_tensordict_equal (td, found));
      g_assert_cmpint (reel_memory_get_kind (get (found, "a")->memory), ==,
                       i ? REEL_MEMORY_HEAP : REEL_MEMORY_SHARED);
    }
  g_autofree char *folder = scratch_path ("new/folder");
  scratch_assert_names (folder, "a.tdz b.tdz");
}

/* Names, sizes, checksums and order of tensordict's own, and the same alignment. */
static void
test_entries_are_those_of_tensordict (void)
{
  g_autofree char *golden = golden_path ("stored.tdz");
  g_autofree char *path = scratch_path ("ours.tdz");
  g_autoptr (ReelTensordict) td = load (golden, REEL_LOAD_READ_ONLY);
  g_autoptr (ReelZip) theirs = reel_zip_open (golden, REEL_MAP_READ, NULL);

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_NEW, NULL));
  g_autoptr (ReelZip) ours = reel_zip_open (path, REEL_MAP_READ, NULL);
  static const char *const names[] = { "meta.json", "a.memmap", "wide.memmap", "next/meta.json",
                                       "next/k%20é%2Fy.memmap" };
  guint64 before = 0;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const ReelZipEntry *a = reel_zip_find (theirs, names[i]);
      const ReelZipEntry *b = reel_zip_find (ours, names[i]);
      g_assert_cmpuint (a->size, ==, b->size);
      /* Reading put the leaves of the root before its collections. */
      g_assert_true (i == 0 || a->crc == b->crc);
      g_assert_cmpuint (a->payload, ==, b->payload);
      g_assert_cmpuint (b->header, >=, before);
      before = b->header;
    }
}

static void
test_equal_archives (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *a = scratch_path ("a.tdz"), *b = scratch_path ("b.tdz");
  g_autofree char *a_bytes = NULL, *b_bytes = NULL;
  gsize a_length, b_length;

  g_assert_true (reel_tensordict_save (td, a, REEL_SAVE_DEFAULT, NULL));
  g_assert_true (reel_tensordict_save (td, b, REEL_SAVE_DEFAULT, NULL));
  g_assert_true (g_file_get_contents (a, &a_bytes, &a_length, NULL));
  g_assert_true (g_file_get_contents (b, &b_bytes, &b_length, NULL));
  g_assert_cmpmem (a_bytes, a_length, b_bytes, b_length);
}

static void
test_saving_over_itself (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("a.tdz");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  g_autoptr (ReelTensordict) mapped = load (path, REEL_LOAD_READ_ONLY);
  g_autoptr (ReelTensordict) row = reel_tensordict_slice (mapped, 0, 1, 2, 1, NULL);
  g_assert_true (reel_tensordict_save (row, path, REEL_SAVE_DEFAULT, NULL));
  g_assert_true (reel_tensordict_equal (td, mapped));
  g_autoptr (ReelTensordict) again = load (path, REEL_LOAD_READ_ONLY);
  g_assert_true (reel_tensordict_equal (row, again));
  g_assert_false (reel_tensordict_save (td, path, REEL_SAVE_NEW, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_only_archives_are_compressed (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("directory");
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_tensordict_save (td, path, REEL_SAVE_COMPRESSED, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, ".tdz"));
}

/* Zeros, to be filled through the archive; their checksums are right until then. */
static void
test_like_another (void)
{
  g_autoptr (ReelTensordict) like = new_mixture ();
  g_autofree char *path = scratch_path ("like.tdz");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_save_like (like, path, &error);

  g_assert_no_error (error);
  g_autoptr (ReelTensordict) zeros = load (path, REEL_LOAD_VERIFY);
  g_assert_true (reel_tensordict_equal (td, zeros));
  g_assert_cmpint (((gint16 *) get (td, "a")->data)[5], ==, 0);
  ((gint16 *) get (td, "a")->data)[5] = 7;
  g_autoptr (ReelTensordict) again = load (path, REEL_LOAD_READ_ONLY);
  g_assert_cmpint (((gint16 *) get (again, "a")->data)[5], ==, 7);
  g_assert_null (reel_tensordict_save_like (like, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  scratch_test ("/core/tensordict-archive/golden-archives", test_golden_archives);
  scratch_test ("/core/tensordict-archive/leaves-are-views", test_leaves_are_views);
  scratch_test ("/core/tensordict-archive/print", test_print);
  scratch_test ("/core/tensordict-archive/unknown-compression-is-named",
                test_unknown_compression_is_named);
  scratch_test ("/core/tensordict-archive/writes", test_writes);
  scratch_test ("/core/tensordict-archive/copies-cannot-be-shared", test_copies_cannot_be_shared);
  scratch_test ("/core/tensordict-archive/round-trip", test_round_trip);
  scratch_test ("/core/tensordict-archive/entries-are-those-of-tensordict",
                test_entries_are_those_of_tensordict);
  scratch_test ("/core/tensordict-archive/equal-archives", test_equal_archives);
  scratch_test ("/core/tensordict-archive/saving-over-itself", test_saving_over_itself);
  scratch_test ("/core/tensordict-archive/only-archives-are-compressed",
                test_only_archives_are_compressed);
  scratch_test ("/core/tensordict-archive/like-another", test_like_another);

  return g_test_run ();
}
