/* Files of HDF5 as others see them, and those of others: types, layouts, order, what is refused. */
#include "../src/core/formats/hdf5.h"
#include "../src/core/formats/hdf5-sets.h"
#include "../src/core/tensor/mapped-memory.h"
#include "../src/reel.h"
#include "one-group.h"
#include "scratch.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <hdf5.h>
#include <string.h>
#include <unistd.h>

#define N 3

/* ---- what is written ---- */

/* Three numbers of each type, and their bytes, which nobody else makes. */
static const struct
{
  ReelDtype dtype;
  const char *bytes;
  double numbers[N];
} types[] = {
  { REEL_DTYPE_UINT8, "\x00\x7f\xff", { 0, 127, 255 } },
  { REEL_DTYPE_INT8, "\x00\x7f\xff", { 0, 127, -1 } },
  { REEL_DTYPE_INT16, "\x02\x01\xff\x7f\xfe\xff", { 258, 32767, -2 } },
  { REEL_DTYPE_UINT16, "\x02\x01\xff\x7f\xfe\xff", { 258, 32767, 65534 } },
  { REEL_DTYPE_INT32, "\x00\x00\x01\x00\x01\x00\x00\x00\xff\xff\xff\xff", { 65536, 1, -1 } },
  { REEL_DTYPE_UINT32,
    "\x00\x00\x01\x00\x01\x00\x00\x00\xff\xff\xff\xff",
    { 65536, 1, 4294967295.0 } },
  { REEL_DTYPE_INT64,
    "\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
    "\xff\xff\xff\xff\xff\xff\xff\xff",
    { 4294967296.0, 1, -1 } },
  { REEL_DTYPE_UINT64,
    "\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x80",
    { 4294967296.0, 1, 9223372036854775808.0 } },
  { REEL_DTYPE_FLOAT16, "\x00\x3e\x00\xc0\x01\x04", { 1.5, -2, 0x1.004p-14 } },
  { REEL_DTYPE_FLOAT32, "\x00\x00\xc0\x3f\x00\x00\x00\xc0\x00\x00\x00\x00", { 1.5, -2, 0 } },
  { REEL_DTYPE_FLOAT64,
    "\x00\x00\x00\x00\x00\x00\xf8\x3f\x00\x00\x00\x00\x00\x00\x00\xc0"
    "\x00\x00\x00\x00\x00\x00\x00\x00",
    { 1.5, -2, 0 } },
};

/* The stream of a leaf. */
typedef struct
{
  const guint8 *bytes;
  ReelRowStream stream;
} Source;

static void
read_bytes (gpointer data, guint8 *to, gint64 n)
{
  Source *source = data;
  gsize size = (gsize) n * source->stream.row_bytes;

  memcpy (to, source->bytes, size);
  source->bytes += size;
}

static const ReelRowStream *
get_rows (gpointer data, const ReelTensor *leaf)
{
  Source *source = data;
  gsize i = 0;

  while (types[i].dtype != leaf->dtype)
    i++;
  source += i;
  source->bytes = (const guint8 *) types[i].bytes;
  source->stream = (ReelRowStream){ N, reel_dtype_size (leaf->dtype), read_bytes, source };
  return &source->stream;
}

/* Another reader makes the same numbers of them. */
static void
test_types_are_what_they_say (void)
{
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (0, NULL);
  Source sources[G_N_ELEMENTS (types)];
  g_autofree char *path = scratch_path ("types.h5");
  const gint64 n = N;
  hid_t file;

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (ReelTensor) leaf = reel_tensor_new (types[i].dtype, 1, &n, NULL);

      g_assert_true (
          reel_tensordict_set_tensor (outline, reel_dtype_name (types[i].dtype), leaf, NULL));
    }
  one_group_write (outline, get_rows, sources, path);
  file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *name = g_strconcat ("/group_0/", reel_dtype_name (types[i].dtype), NULL);
      hid_t set = H5Dopen2 (file, name, H5P_DEFAULT);
      double numbers[N];

      g_assert_cmpint (H5Dread (set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), >=,
                       0);
      for (gint k = 0; k < N; k++)
        g_assert_true (numbers[k] == types[i].numbers[k]);
      H5Dclose (set);
    }
  H5Fclose (file);
}

/* ---- what others write ---- */

static void
put (hid_t file, const char *name, hid_t type, const gint32 *numbers, hsize_t n, hid_t how)
{
  hid_t space = H5Screate_simple (1, &n, NULL), links = H5Pcreate (H5P_LINK_CREATE), set;

  H5Pset_create_intermediate_group (links, 1);
  set = H5Dcreate2 (file, name, type, space, links, how, H5P_DEFAULT);
  if (numbers)
    g_assert_cmpint (H5Dwrite (set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), >=,
                     0);
  H5Dclose (set);
  H5Pclose (links);
  H5Sclose (space);
}

static hid_t
new_plist (H5D_layout_t layout)
{
  const hsize_t chunk = 1;
  hid_t how = H5Pcreate (H5P_DATASET_CREATE);

  H5Pset_layout (how, layout);
  if (layout == H5D_CHUNKED)
    H5Pset_chunk (how, 1, &chunk);
  return how;
}

static ReelTensordict *
find (const char *path, GError **error)
{
  g_autoptr (ReelMemory) memory =
      reel_memory_new_mapped (REEL_MEMORY_SHARED, path, -1, REEL_MAP_READ, -1, NULL);

  return reel_hdf5_find (memory, "group_", "done", error);
}

/* Ten groups of one, two or three rows, in the order of their numbers. */
static void
test_other_layouts_are_read (void)
{
  const hid_t kinds[] = { H5T_STD_I32LE, H5T_STD_I32BE, H5T_STD_I32LE, H5T_STD_I32LE };
  const H5D_layout_t layouts[] = { H5D_CONTIGUOUS, H5D_CONTIGUOUS, H5D_CHUNKED, H5D_COMPACT };
  static const char *const keys[] = { "done", "turned", "chunks", "compact" };
  g_autofree char *path = scratch_path ("others.h5");
  hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  g_autoptr (ReelTensordict) found = NULL;
  g_autoptr (GError) error = NULL;
  gint32 expected[64];
  gint n = 0;

  for (gint g = 0; g < 12; g++)
    {
      for (gint i = 0; i < g % 3 + 1; i++)
        expected[n++] = 1000 * g + i;
      for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
        {
          g_autofree char *name = g_strdup_printf ("group_%d/%s", g, keys[k]);
          hid_t how = new_plist (layouts[k]);

          put (file, name, kinds[k], expected + n - (g % 3 + 1), (hsize_t) (g % 3 + 1), how);
          H5Pclose (how);
        }
    }
  H5Fclose (file);
  found = find (path, &error);
  g_assert_no_error (error);
  for (gint g = 0; g < 12; g++)
    g_assert_cmpint (
        ((const gint64 *) reel_tensordict_get_tensor (found, "lengths", NULL)->data)[g], ==,
        g % 3 + 1);
  g_assert_true (reel_tensordict_contains (found, "where/done"));
  for (gsize k = 1; k < G_N_ELEMENTS (keys); k++)
    {
      g_autofree char *rows = g_strconcat ("rows/", keys[k], NULL);
      const ReelTensor *tensor = reel_tensordict_get_tensor (found, rows, NULL);

      g_assert_nonnull (tensor);
      g_assert_cmpmem (tensor->data, reel_tensor_nbytes (tensor), expected,
                       (gsize) n * sizeof *expected);
    }
}

/* ---- what is refused ---- */

static void
link_softly (hid_t file)
{
  H5Lcreate_soft ("/group_0/done", file, "group_1/x", H5P_DEFAULT, H5P_DEFAULT);
}

static void
link_group (hid_t file)
{
  H5Lcreate_soft ("/group_0", file, "group_2", H5P_DEFAULT, H5P_DEFAULT);
}

static void
put_outside (hid_t file)
{
  hid_t how = new_plist (H5D_CONTIGUOUS);

  H5Pset_external (how, "elsewhere", 0, 8);
  put (file, "group_1/x", H5T_STD_I32LE, NULL, 2, how);
  H5Pclose (how);
}

static void
put_many (hid_t file)
{
  const gint32 numbers[4] = { 0 };

  put (file, "group_1/x", H5T_STD_I32LE, numbers, 4, H5P_DEFAULT);
}

static void
put_wider (hid_t file)
{
  const gint32 numbers[2] = { 0 };

  put (file, "group_1/x", H5T_STD_I64LE, numbers, 2, H5P_DEFAULT);
}

static void
put_nothing (hid_t file)
{
}

static void
put_more_than_there_is (hid_t file)
{
  const hsize_t n = 1 << 30;
  hid_t how = new_plist (H5D_CHUNKED), space = H5Screate_simple (1, &n, NULL);
  hid_t set = H5Dcreate2 (file, "group_1/x", H5T_STD_I32LE, space, H5P_DEFAULT, how, H5P_DEFAULT);

  H5Dclose (set);
  H5Sclose (space);
  H5Pclose (how);
}

static void
test_others_are_refused (void)
{
  static const struct
  {
    void (*put_second) (hid_t file);
    const char *told;
  } cases[] = { { link_softly, "has other rows than the other" },
                { link_group, "link elsewhere" },
                { put_outside, "is in another file" },
                { put_many, "neither a row a step" },
                { put_wider, "has other rows than the other" },
                { put_nothing, "has other rows than the other" },
                { put_more_than_there_is, "larger than its file" } };
  const gint32 numbers[2] = { 1, 2 };
  g_autofree char *path = scratch_path ("others.h5");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      g_autoptr (GError) error = NULL;

      put (file, "group_0/done", H5T_STD_I32LE, numbers, 2, H5P_DEFAULT);
      put (file, "group_0/x", H5T_STD_I32LE, numbers, 2, H5P_DEFAULT);
      put (file, "group_1/done", H5T_STD_I32LE, numbers, 2, H5P_DEFAULT);
      cases[i].put_second (file);
      H5Fclose (file);
      g_assert_null (find (path, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, cases[i].told));
    }
}

/* ---- rows in blocks ---- */

#define ROWS 7
#define ROW_BYTES 300000 /* so that a block has three rows */

static void
take_rows (gpointer data, guint set, gint64 first, gint64 n, const guint8 *rows)
{
  guint8 *seen = data;

  memcpy (seen + first * ROW_BYTES, rows, (gsize) n * ROW_BYTES);
  seen[ROWS * ROW_BYTES + first] = (guint8) n;
}

/* How often a block begins at each row. */
static void
check_blocks (const char *path, const guint8 *numbers, const char *blocks)
{
  ReelMapping seen;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelMemory) file =
      reel_memory_new_mapped (REEL_MEMORY_FILE, path, -1, REEL_MAP_READ, -1, &error);
  g_autoptr (GArray) sets = reel_hdf5_list_sets (file, &error);
  g_autoptr (GString) text = g_string_new (NULL);

  g_assert_no_error (error);
  g_assert_cmpuint (sets->len, ==, 1);
  const ReelArrayInfo *set = &g_array_index (sets, ReelArrayInfo, 0);
  g_assert_cmpstr (set->name, ==, "group/x");
  g_assert_true (reel_mapping_new_shared (ROWS * ROW_BYTES + ROWS, &seen));
  g_assert_true (reel_hdf5_read_sets (file, &set, 1, take_rows, seen.data, &error));
  g_assert_cmpmem (seen.data, ROWS * ROW_BYTES, numbers, ROWS * ROW_BYTES);
  for (gint i = 0; i < ROWS; i++)
    g_string_append_c (text, (char) ('0' + seen.data[ROWS * ROW_BYTES + i]));
  g_assert_cmpstr (text->str, ==, blocks);
  reel_mapping_unmap (&seen);
}

/* Their bytes are in another order, so that HDF5 reads them. */
static void
test_rows_come_in_blocks (void)
{
  static const struct
  {
    hsize_t chunk;
    const char *blocks;
  } cases[] = { { 0, "3003001" }, { 1, "3003001" }, { 2, "2020201" },
                { 3, "3003001" }, { 5, "5000020" }, { 7, "7000000" } };
  g_autofree char *path = scratch_path ("blocks.h5");
  g_autofree guint8 *numbers = g_malloc (ROWS * ROW_BYTES);

  for (gsize i = 0; i < ROWS * ROW_BYTES; i++)
    numbers[i] = (guint8) (i * 7 + i / ROW_BYTES);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const hsize_t size[] = { ROWS, ROW_BYTES / 2 };
      const hsize_t chunk[] = { cases[i].chunk, ROW_BYTES / 2 };
      hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      hid_t group = H5Gcreate2 (file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      hid_t space = H5Screate_simple (2, size, NULL), how = H5Pcreate (H5P_DATASET_CREATE);

      if (chunk[0] > 0)
        g_assert_cmpint (H5Pset_chunk (how, 2, chunk), >=, 0);
      hid_t set = H5Dcreate2 (group, "x", H5T_STD_U16BE, space, H5P_DEFAULT, how, H5P_DEFAULT);
      g_assert_cmpint (H5Dwrite (set, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), >=,
                       0);
      H5Dclose (set);
      H5Pclose (how);
      H5Sclose (space);
      H5Gclose (group);
      H5Fclose (file);
      check_blocks (path, numbers, cases[i].blocks);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  scratch_test ("/core/hdf5/types-are-what-they-say", test_types_are_what_they_say);
  scratch_test ("/core/hdf5/other-layouts-are-read", test_other_layouts_are_read);
  scratch_test ("/core/hdf5/others-are-refused", test_others_are_refused);
  scratch_test ("/core/hdf5/rows-come-in-blocks", test_rows_come_in_blocks);
  return g_test_run ();
}
