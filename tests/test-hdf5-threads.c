/* Checkpoints in HDF5, while another thread of the program works with HDF5 itself. */
#include "../src/core/formats/hdf5.h"
#include "../src/core/tensor/mapped-memory.h"
#include "../src/reel.h"
#include "one-group.h"
#include "scratch.h"

#include <hdf5.h>
#include <stdatomic.h>

#define TIMES 40
#define N 100

/* A file in memory, as small as can be, again and again. */
static gpointer
use_hdf5 (gpointer data)
{
  const atomic_int *stop = data;
  const hsize_t n = 10;
  const int numbers[10] = { 0 };

  while (!atomic_load (stop))
    {
      hid_t access = H5Pcreate (H5P_FILE_ACCESS);
      hid_t space = H5Screate_simple (1, &n, NULL);
      hid_t file, set;

      H5Pset_fapl_core (access, 4096, 0);
      file = H5Fcreate ("the program's", H5F_ACC_TRUNC, H5P_DEFAULT, access);
      set = H5Dcreate2 (file, "numbers", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT);
      g_assert_cmpint (H5Dwrite (set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), >=,
                       0);
      H5Dclose (set);
      H5Fclose (file);
      H5Sclose (space);
      H5Pclose (access);
    }
  return NULL;
}

/* ---- one group of squares ---- */

static gint64 next_number;

static void
read_squares (gpointer data, guint8 *to, gint64 n)
{
  for (gint64 i = 0; i < n; i++, next_number++)
    ((gint64 *) to)[i] = next_number * next_number;
}

static const ReelRowStream squares = { N, sizeof (gint64), read_squares, NULL };

static const ReelRowStream *
get_rows (gpointer data, const ReelTensor *leaf)
{
  next_number = 0;
  return &squares;
}

static void
check_file (const ReelTensordict *outline, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) found = NULL;
  g_autoptr (ReelMemory) memory = NULL;
  const gint64 *where, *numbers;

  one_group_write (outline, get_rows, NULL, path);
  memory = reel_memory_new_mapped (REEL_MEMORY_SHARED, path, -1, REEL_MAP_READ, -1, &error);
  found = reel_hdf5_find (memory, "group_", "numbers", &error);
  g_assert_no_error (error);
  where = (const gint64 *) reel_tensordict_get_tensor (found, "where/numbers", NULL)->data;
  numbers = (const gint64 *) ((guint8 *) reel_memory_get_data (memory, NULL) + where[0] / 2);
  for (gint64 i = 0; i < N; i++)
    g_assert_cmpint (numbers[i], ==, i * i);
}

static void
test_beside_another_thread (void)
{
  const gint64 n = N;
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) numbers = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autofree char *path = scratch_path ("file.h5");
  atomic_int stop = 0;
  GThread *thread;

  g_assert_true (reel_tensordict_set_tensor (outline, "numbers", numbers, NULL));
  thread = g_thread_new ("hdf5", use_hdf5, &stop);
  for (gint i = 0; i < TIMES; i++)
    check_file (outline, path);
  atomic_store (&stop, 1);
  g_thread_join (thread);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  scratch_test ("/core/hdf5/beside-another-thread", test_beside_another_thread);

  return g_test_run ();
}
