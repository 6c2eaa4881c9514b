/* Checkpoints in HDF5, while another thread of the program works with HDF5 itself. */
#include "../src/core/hdf5.h"
#include "../src/reel.h"

#include <hdf5.h>
#include <stdatomic.h>

#define TIMES 40

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

static void
test_beside_another_thread (void)
{
  const gint64 n = 100;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) numbers = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  atomic_int stop = 0;
  GThread *thread;

  for (gint64 i = 0; i < n; i++)
    ((gint64 *) numbers->data)[i] = i * i;
  g_assert_true (reel_tensordict_set_tensor (td, "group/numbers", numbers, NULL));
  thread = g_thread_new ("hdf5", use_hdf5, &stop);
  for (gint i = 0; i < TIMES; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensor) file = reel_hdf5_pack (td, &error);
      g_autoptr (ReelTensordict) again = NULL;

      g_assert_no_error (error);
      again = reel_hdf5_unpack (file->data, reel_tensor_nbytes (file), &error);
      g_assert_no_error (error);
      g_assert_true (reel_tensordict_equal (again, td));
    }
  atomic_store (&stop, 1);
  g_thread_join (thread);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/hdf5/beside-another-thread", test_beside_another_thread);

  return g_test_run ();
}
