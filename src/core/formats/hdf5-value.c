/* Values that are no tensors: opaque bytes that name NumPy's type. */
#include "hdf5-private.h"

#include "../tensordict/tensordict-private.h"

#include <string.h>

#define OPAQUE_INT64 "NUMPY:<i8"
#define OPAQUE_BOOL "NUMPY:|b1"

static gboolean
write_dataset (hid_t group, const char *key, hid_t type, gint ndim, const gint64 *shape,
               gconstpointer data, GError **error)
{
  reel_auto_hid space = reel_hdf5_new_space (ndim, shape);
  reel_auto_hid set = H5Dcreate2 (group, key, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  if (set < 0 || H5Dwrite (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    return reel_hdf5_fail (key, REEL_ERROR_NO_SPACE, error);
  return TRUE;
}

/* A whole number, a bool, or a list of whole numbers; @n becomes −1 for a single one. */
static gboolean
take_numbers (GVariant *value, gint64 *numbers, gint64 *n)
{
  *n = -1;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    numbers[0] = g_variant_get_int64 (value);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE ("av"))
           && g_variant_n_children (value) <= REEL_MAX_NDIM)
    for (*n = 0; *n < (gint64) g_variant_n_children (value); ++*n)
      {
        g_autoptr (GVariant) item = g_variant_get_child_value (value, (gsize) *n);
        g_autoptr (GVariant) inner = g_variant_get_variant (item);

        if (!g_variant_is_of_type (inner, G_VARIANT_TYPE_INT64))
          return FALSE;
        numbers[*n] = g_variant_get_int64 (inner);
      }
  else
    return FALSE;
  return TRUE;
}

gboolean
reel_hdf5_write_value (hid_t group, const char *key, GVariant *value, GError **error)
{
  gboolean is_bool = g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN);
  reel_auto_hid type = H5Tcreate (H5T_OPAQUE, is_bool ? 1 : sizeof (gint64));
  gint64 numbers[REEL_MAX_NDIM], n = -1;
  guint8 flag = is_bool && g_variant_get_boolean (value);

  H5Tset_tag (type, is_bool ? OPAQUE_BOOL : OPAQUE_INT64);
  if (is_bool || take_numbers (value, numbers, &n))
    return write_dataset (group, key, type, n < 0 ? 0 : 1, &n,
                          is_bool ? (gconstpointer) &flag : numbers, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "\"%s\" is neither a tensor nor a whole number, a bool or a few whole numbers", key);
  return FALSE;
}

static gboolean
read_numbers (hid_t set, hid_t type, gint ndim, gint64 n, const char *path, ReelTensordict *td,
              GError **error)
{
  gint64 numbers[REEL_MAX_NDIM] = { 0 };

  if (H5Dread (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0)
    return reel_hdf5_fail (path, REEL_ERROR_DAMAGED, error);
  return reel_tensordict_set_value (
      td, path,
      ndim == 0
          ? g_variant_new_int64 (numbers[0])
          : g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, numbers, (gsize) n, sizeof *numbers),
      error);
}

gboolean
reel_hdf5_read_value (hid_t set, const char *key, gsize file_bytes, ReelTensordict *td,
                      GError **error)
{
  g_autofree char *path = reel_path_escape (key);
  reel_auto_hid type = H5Dget_type (set);
  char *tag = H5Tget_tag (type);
  gsize size = H5Tget_size (type);
  gboolean is_bool = tag && strcmp (tag, OPAQUE_BOOL) == 0 && size == 1;
  gboolean is_number = tag && strcmp (tag, OPAQUE_INT64) == 0 && size == sizeof (gint64);
  gint64 shape[REEL_MAX_NDIM] = { 0 };
  guint8 flag = 0;
  gint ndim;

  H5free_memory (tag);
  if (!reel_hdf5_read_shape (set, key, size, file_bytes, &ndim, shape, error))
    return FALSE;
  if (is_number && ndim <= 1 && shape[0] <= REEL_MAX_NDIM)
    return read_numbers (set, type, ndim, shape[0], path, td, error);
  if (!is_bool || ndim != 0)
    return reel_hdf5_damaged (key, "has an unsupported type", error);
  if (H5Dread (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &flag) < 0)
    return reel_hdf5_fail (key, REEL_ERROR_DAMAGED, error);
  return reel_tensordict_set_value (td, path, g_variant_new_boolean (flag != 0), error);
}
