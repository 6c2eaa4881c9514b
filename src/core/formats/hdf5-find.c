/* Objects of an HDF5 file, by name. */
#include "hdf5-driver.h"
#include "hdf5-private.h"

#include <stdlib.h>
#include <string.h>

/* Objects beside the groups; only values other than tensors count. */
static gboolean
read_beside (const ReelHdf5Reading *reading, const char *name, ReelTensordict *found,
             GError **error)
{
  reel_auto_hid object = H5Oopen (reading->file, name, H5P_DEFAULT);
  reel_auto_hid type = -1;

  if (object < 0)
    return reel_hdf5_fail (name, REEL_ERROR_DAMAGED, error);
  if (H5Iget_type (object) != H5I_DATASET)
    return TRUE;
  type = H5Dget_type (object);
  if (type >= 0 && H5Tget_class (type) == H5T_OPAQUE)
    return reel_hdf5_read_value (object, name, reading->file_bytes, found, error);
  return (type >= 0 && reel_hdf5_find_dtype (type) >= 0)
         || reel_hdf5_damaged (name, "has an unsupported type", error);
}

static guint64
number_of (const char *name, const char *prefix)
{
  return strtoull (name + strlen (prefix), NULL, 10);
}

static int
compare_names (gconstpointer a, gconstpointer b, gpointer prefix)
{
  guint64 one = number_of (*(char *const *) a, prefix);
  guint64 other = number_of (*(char *const *) b, prefix);

  return one < other ? -1 : one > other;
}

/* Takes the values, and leaves the groups. */
static gboolean
sort_names (ReelHdf5Reading *reading, const char *prefix, ReelTensordict *found, GError **error)
{
  GPtrArray *names = reading->groups;

  for (guint i = names->len; i-- > 0;)
    if (!g_str_has_prefix (names->pdata[i], prefix))
      {
        if (!read_beside (reading, names->pdata[i], found, error))
          return FALSE;
        g_ptr_array_remove_index_fast (names, i);
      }
  /* By number, however many digits the names have. */
  g_ptr_array_sort_with_data (names, compare_names, (gpointer) prefix);
  return TRUE;
}

/* The arguments of reel_hdf5_find(). */
typedef struct
{
  ReelMemory *memory;
  const char *prefix;
  const char *first;
} Wish;

static gboolean
read_objects (const Wish *wish, hid_t file, ReelTensordict *found, GError **error)
{
  g_autoptr (GPtrArray) names = reel_hdf5_list_names (file, "", error);
  ReelHdf5Reading reading = { wish->first, file, 0, names };

  reel_memory_get_data (wish->memory, &reading.file_bytes);
  return names && sort_names (&reading, wish->prefix, found, error)
         && (names->len == 0 || reel_hdf5_find_rows (&reading, found, error));
}

static ReelTensordict *
read_file (gconstpointer data, int line, GError **error)
{
  const Wish *wish = data;
  const ReelHdf5File image = { .fd = -1, .memory = wish->memory };
  g_autoptr (ReelTensordict) found = reel_tensordict_new (0, NULL);
  reel_auto_hid access = reel_hdf5_driver_access (&image);
  reel_auto_hid file = access < 0 ? -1 : H5Fopen (REEL_HDF5_IMAGE, H5F_ACC_RDONLY, access);

  if (file < 0)
    reel_hdf5_fail ("/", REEL_ERROR_DAMAGED, error);
  return file >= 0 && read_objects (wish, file, found, error) ? g_steal_pointer (&found) : NULL;
}

ReelTensordict *
reel_hdf5_find (ReelMemory *file, const char *prefix, const char *first, GError **error)
{
  const Wish wish = { file, prefix, first };
  gsize length;

  reel_memory_get_data (file, &length);
  return reel_hdf5_run (read_file, &wish, length, error);
}
