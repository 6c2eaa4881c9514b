/* Rows of HDF5 files that threads unpack: every order of filters and shape of chunks, against what
 * HDF5 was given, and what is left to HDF5. */
#include "../src/core/formats/hdf5-direct.h"
#include "../src/core/formats/hdf5-layout.h"
#include "../src/core/system/mapping.h"
#include "../src/core/tensor/mapped-memory.h"
#include "../src/reel.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <hdf5.h>
#include <string.h>

#define DEFLATE "d"
#define SHUFFLE "s"
#define FLETCHER "f"

static const char *const all_filters[] = {
  "", "d", "s", "f", "ds", "sd", "df", "fd", "sf", "fs", "dsf", "dfs", "sdf", "sfd", "fds", "fsd",
};

/* ---- what is written ---- */

static hid_t
new_plist (const char *filters, int ndim, const hsize_t *chunk)
{
  hid_t how = H5Pcreate (H5P_DATASET_CREATE);

  g_assert_cmpint (H5Pset_chunk (how, ndim, chunk), >=, 0);
  for (; *filters; filters++)
    {
      if (*filters == *DEFLATE)
        H5Pset_deflate (how, 4);
      if (*filters == *SHUFFLE)
        H5Pset_shuffle (how);
      if (*filters == *FLETCHER)
        H5Pset_fletcher32 (how);
    }
  return how;
}

static hid_t
make_set (hid_t file, const char *name, hid_t type, int ndim, const hsize_t *shape, hid_t how)
{
  const hsize_t most[] = { H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED };
  hid_t space = H5Screate_simple (ndim, shape, most);
  hid_t set = H5Dcreate2 (file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);

  g_assert_cmpint ((int) (set < 0), ==, 0);
  H5Sclose (space);
  return set;
}

static guint8
element (gsize i)
{
  return (guint8) (i * 7 + i / 256 + (i % 11 == 0) * 100);
}

/* Elements of 2 bytes. */
static void
put (hid_t file, const char *name, const char *filters, int ndim, const hsize_t *shape,
     const hsize_t *chunk)
{
  hid_t how = new_plist (filters, ndim, chunk);
  hid_t set = make_set (file, name, H5T_STD_U16LE, ndim, shape, how);
  gsize n = 2;
  g_autofree guint8 *bytes = NULL;

  for (int d = 0; d < ndim; d++)
    n *= shape[d];
  bytes = g_malloc (n);
  for (gsize i = 0; i < n; i++)
    bytes[i] = element (i);
  g_assert_cmpint (H5Dwrite (set, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes), >=, 0);
  H5Dclose (set);
  H5Pclose (how);
}

/* ---- what is read ---- */

/* Memory that a process of HDF5 shares. */
typedef struct
{
  ReelMapping rows;
  const ReelArrayInfo *const *sets;
  gsize *first; /* of each set in it */
} Seen;

static gsize
count_row_bytes (const ReelArrayInfo *set)
{
  return reel_hdf5_count_row_bytes (set);
}

static void
take_rows (gpointer data, guint set, gint64 first, gint64 n, const guint8 *rows)
{
  const Seen *seen = data;
  const gsize row_bytes = count_row_bytes (seen->sets[set]);

  memcpy (seen->rows.data + seen->first[set] + (gsize) first * row_bytes, rows,
          (gsize) n * row_bytes);
}

typedef struct
{
  ReelMemory *file;
  GArray *infos;
  GPtrArray *sets;
  Seen seen;
} Opened;

static void
open_sets (Opened *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  gsize n = 0;

  self->file = reel_memory_new_mapped (REEL_MEMORY_FILE, path, -1, REEL_MAP_READ, -1, &error);
  g_assert_no_error (error);
  self->infos = reel_hdf5_list_sets (self->file, &error);
  g_assert_no_error (error);
  self->sets = g_ptr_array_new ();
  self->seen.first = g_new (gsize, self->infos->len);
  for (guint i = 0; i < self->infos->len; i++)
    {
      const ReelArrayInfo *set = &g_array_index (self->infos, ReelArrayInfo, i);

      g_ptr_array_add (self->sets, (gpointer) set);
      self->seen.first[i] = n;
      n += (gsize) set->shape[0] * count_row_bytes (set);
    }
  self->seen.sets = (const ReelArrayInfo *const *) self->sets->pdata;
  g_assert_true (reel_mapping_new_shared (n, &self->seen.rows));
}

static void
close_sets (Opened *self)
{
  reel_mapping_unmap (&self->seen.rows);
  g_free (self->seen.first);
  g_ptr_array_unref (self->sets);
  g_array_unref (self->infos);
  reel_memory_unref (self->file);
}

static void
check_rows (const Opened *self)
{
  for (guint i = 0; i < self->infos->len; i++)
    {
      const ReelArrayInfo *set = &g_array_index (self->infos, ReelArrayInfo, i);
      const gsize n = (gsize) set->shape[0] * count_row_bytes (set);

      for (gsize k = 0; k < n; k++)
        if (self->seen.rows.data[self->seen.first[i] + k] != element (k))
          g_error ("byte %zu of %s is %d", k, set->name,
                   self->seen.rows.data[self->seen.first[i] + k]);
    }
}

/* The names of those that threads did not read. */
static char *
read_directly (Opened *self)
{
  g_autoptr (GArray) left = reel_hdf5_read_directly (self->file, self->seen.sets, self->infos->len,
                                                     take_rows, &self->seen);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < left->len; i++)
    g_string_append_printf (names, "%s ", self->seen.sets[g_array_index (left, guint, i)]->name);
  return g_string_free (g_steal_pointer (&names), FALSE);
}

/* ---- whole files ---- */

static void
put_shapes (hid_t file, const char *filters)
{
  static const hsize_t rows[] = { 1, 4, 7 }, across[] = { 1, 2, 5 }, chunk_rows[] = { 1, 3, 8 };

  for (gsize i = 0; i < 81; i++)
    for (int ndim = 1; ndim <= 3; ndim++)
      {
        const hsize_t shape[] = { rows[i % 3], across[i / 3 % 3], 3 };
        const hsize_t chunk[] = { chunk_rows[i / 9 % 3], across[i / 27], 2 };
        g_autofree char *name = g_strdup_printf ("%s-%zu-%d", filters, i, ndim);

        if (ndim > 1 || i / 27 + i / 3 % 3 == 0)
          put (file, name, filters, ndim, shape, chunk);
      }
}

static void
check_file (const char *path, gboolean latest)
{
  hid_t access = H5Pcreate (H5P_FILE_ACCESS), file;
  Opened opened;

  if (latest)
    H5Pset_libver_bounds (access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  for (gsize i = 0; i < G_N_ELEMENTS (all_filters); i++)
    put_shapes (file, all_filters[i]);
  H5Fclose (file);
  H5Pclose (access);
  open_sets (&opened, path);
  g_assert_cmpuint (opened.infos->len, >, 2000);
  g_autofree char *left = read_directly (&opened);
  g_assert_cmpstr (left, ==, "");
  check_rows (&opened);
  close_sets (&opened);
}

static void
test_chunks_are_unpacked (void)
{
  g_autofree char *path = scratch_path ("chunks.h5");

  check_file (path, FALSE);
  check_file (path, TRUE);
}

/* Blocks of several chunks, from several threads. */
static void
test_large_sets_are_whole (void)
{
  g_autofree char *path = scratch_path ("large.h5");
  hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t shape[] = { 100003, 17 }, wide[] = { 1000, 17 }, narrow[] = { 3000, 5 };
  Opened opened;

  put (file, "wide", SHUFFLE DEFLATE, 2, shape, wide);
  put (file, "narrow", DEFLATE FLETCHER, 2, shape, narrow);
  H5Fclose (file);
  open_sets (&opened, path);
  g_autofree char *left = read_directly (&opened);
  g_assert_cmpstr (left, ==, "");
  check_rows (&opened);
  close_sets (&opened);
}

/* A filter may have made a chunk larger, and was left out. */
static void
test_skipped_filters_are_skipped (void)
{
  g_autofree char *path = scratch_path ("skipped.h5");
  hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t shape = 8, chunk = 4, at[] = { 0, 4 };
  hid_t how = new_plist (SHUFFLE DEFLATE, 1, &chunk);
  hid_t set = make_set (file, "x", H5T_STD_U16LE, 1, &shape, how);
  guint8 plain[8], shuffled[8];
  Opened opened;

  for (gsize i = 0; i < 8; i++)
    {
      plain[i] = element (i);
      shuffled[i % 2 * 4 + i / 2] = element (8 + i);
    }
  g_assert_cmpint (H5Dwrite_chunk (set, H5P_DEFAULT, 3, &at[0], 8, plain), >=, 0);
  g_assert_cmpint (H5Dwrite_chunk (set, H5P_DEFAULT, 2, &at[1], 8, shuffled), >=, 0);
  H5Dclose (set);
  H5Pclose (how);
  H5Fclose (file);
  open_sets (&opened, path);
  g_autofree char *left = read_directly (&opened);
  g_assert_cmpstr (left, ==, "");
  check_rows (&opened);
  close_sets (&opened);
}

/* ---- what is left to HDF5 ---- */

static void
put_others (hid_t file)
{
  const hsize_t shape[] = { 6, 2 }, chunk[] = { 4, 2 };
  hid_t plain = new_plist ("", 2, chunk), compact = H5Pcreate (H5P_DATASET_CREATE);
  guint16 bytes[12];

  for (gsize i = 0; i < sizeof bytes; i++)
    ((guint8 *) bytes)[i] = element (i);
  H5Pset_layout (compact, H5D_COMPACT);
  hid_t big = make_set (file, "big-endian", H5T_STD_U16BE, 2, shape, plain);
  hid_t space = H5Screate_simple (2, shape, NULL);
  hid_t small =
      H5Dcreate2 (file, "compact", H5T_STD_U16LE, space, H5P_DEFAULT, compact, H5P_DEFAULT);
  H5Dwrite (big, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
  H5Dwrite (small, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
  H5Dclose (big);
  H5Dclose (small);
  H5Sclose (space);
  H5Pclose (plain);
  H5Pclose (compact);
}

static void
test_others_are_left (void)
{
  g_autofree char *path = scratch_path ("others.h5");
  hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t shape[] = { 6, 2 }, chunk[] = { 4, 2 };
  g_autoptr (GError) error = NULL;
  Opened opened;

  put_others (file);
  put (file, "plain", DEFLATE, 2, shape, chunk);
  H5Fclose (file);
  open_sets (&opened, path);
  g_autofree char *left = read_directly (&opened);
  g_assert_cmpstr (left, ==, "big-endian compact ");
  g_assert_true (reel_hdf5_read_sets (opened.file, opened.seen.sets, opened.infos->len, take_rows,
                                      &opened.seen, &error));
  g_assert_no_error (error);
  check_rows (&opened);
  close_sets (&opened);
}

/* A chunk that was never written has the value that HDF5 fills it with. */
static void
test_missing_chunks_are_filled (void)
{
  g_autofree char *path = scratch_path ("missing.h5");
  hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t shape = 8, chunk = 4, at = 4;
  const guint16 fill = 515, numbers[4] = { 1, 2, 3, 4 };
  hid_t how = new_plist ("", 1, &chunk);
  Opened opened;

  H5Pset_fill_value (how, H5T_STD_U16LE, &fill);
  hid_t set = make_set (file, "x", H5T_STD_U16LE, 1, &shape, how);
  g_assert_cmpint (H5Dwrite_chunk (set, H5P_DEFAULT, 0, &at, sizeof numbers, numbers), >=, 0);
  H5Dclose (set);
  H5Pclose (how);
  H5Fclose (file);
  open_sets (&opened, path);
  g_assert_true (
      reel_hdf5_read_sets (opened.file, opened.seen.sets, 1, take_rows, &opened.seen, NULL));
  g_assert_cmpint (((const guint16 *) opened.seen.rows.data)[0], ==, fill);
  g_assert_cmpint (((const guint16 *) opened.seen.rows.data)[7], ==, 4);
  close_sets (&opened);
}

/* ---- damage ---- */

static gsize
find_chunk (const char *path, gsize *size)
{
  hid_t file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2 (file, "bad", H5P_DEFAULT), space = H5Dget_space (set);
  hsize_t length, at;
  haddr_t offset;

  g_assert_cmpint (H5Dget_chunk_info (set, space, 1, &at, NULL, &offset, &length), >=, 0);
  H5Sclose (space);
  H5Dclose (set);
  H5Fclose (file);
  *size = (gsize) length;
  return (gsize) offset;
}

static void
check_damaged (const char *path, const char *bytes, gsize length)
{
  g_autoptr (GError) error = NULL;
  Opened opened;

  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
  open_sets (&opened, path);
  g_autofree char *left = read_directly (&opened);
  g_assert_cmpstr (left, ==, "bad ");
  g_assert_false (reel_hdf5_read_sets (opened.file, opened.seen.sets, opened.infos->len, take_rows,
                                       &opened.seen, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_true (g_str_has_prefix (error->message, "\"bad\": HDF5 says: "));
  close_sets (&opened);
}

static void
test_damage_is_found (void)
{
  static const char *const filters[] = { DEFLATE, FLETCHER, SHUFFLE DEFLATE, DEFLATE FLETCHER };
  const hsize_t shape = 300, chunk = 100;
  g_autofree char *path = scratch_path ("damaged.h5");

  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++)
    {
      hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      gsize length, size, at;
      g_autofree char *bytes = NULL;

      put (file, "bad", filters[i], 1, &shape, &chunk);
      put (file, "good", filters[i], 1, &shape, &chunk);
      H5Fclose (file);
      at = find_chunk (path, &size);
      g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
      for (gsize k = 0; k < size; k += MAX (size / 9, 1))
        {
          bytes[at + k] ^= 0x55;
          check_damaged (path, bytes, length);
          bytes[at + k] ^= 0x55;
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  H5Eset_auto2 (H5E_DEFAULT, NULL, NULL);

  scratch_test ("/core/hdf5/chunks-are-unpacked", test_chunks_are_unpacked);
  scratch_test ("/core/hdf5/large-sets-are-whole", test_large_sets_are_whole);
  scratch_test ("/core/hdf5/skipped-filters-are-skipped", test_skipped_filters_are_skipped);
  scratch_test ("/core/hdf5/others-are-left", test_others_are_left);
  scratch_test ("/core/hdf5/missing-chunks-are-filled", test_missing_chunks_are_filled);
  scratch_test ("/core/hdf5/damage-is-found", test_damage_is_found);
  return g_test_run ();
}
