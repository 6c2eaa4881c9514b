/* HDF5 files are written. */
#include "hdf5-driver.h"
#include "hdf5-private.h"

#include <string.h>

#define HEAP_BYTES 24 /* of a list of names, besides these */

static gboolean
check_key (const char *key, GError **error)
{
  if (*key && !strchr (key, '/') && strcmp (key, ".") != 0 && g_utf8_validate (key, -1, NULL))
    return TRUE;
  g_autofree char *shown = g_utf8_make_valid (key, -1);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "the key \"%s\" cannot name a dataset of HDF5",
               shown);
  return FALSE;
}

/* The file to write, and its name for file faults. */
typedef struct
{
  const ReelHdf5Groups *groups;
  ReelHdf5File file;
} Writing;

/* A part of the rows of a dataset. */
static gboolean
write_part (hid_t set, hid_t type, const ReelTensor *leaf, gint64 first, gint64 n,
            gconstpointer rows)
{
  hsize_t begin[REEL_MAX_NDIM] = { (hsize_t) first }, extents[REEL_MAX_NDIM] = { (hsize_t) n };
  reel_auto_hid there = H5Dget_space (set);
  reel_auto_hid here = -1;

  for (gint d = 1; d < leaf->ndim; d++)
    extents[d] = (hsize_t) leaf->shape[d];
  here = H5Screate_simple (leaf->ndim, extents, NULL);
  return H5Sselect_hyperslab (there, H5S_SELECT_SET, begin, NULL, extents, NULL) >= 0
         && H5Dwrite (set, type, here, there, H5P_DEFAULT, rows) >= 0;
}

static gboolean
write_rows (const Writing *writing, gint64 i, hid_t group, const char *key, const ReelTensor *leaf,
            GError **error)
{
  const ReelHdf5Groups *groups = writing->groups;
  const ReelRowStream *stream = groups->get_rows (groups->data, leaf);
  gint64 n_rows = groups->count_rows (groups->data, leaf, i), shape[REEL_MAX_NDIM];
  gint64 part = MIN (reel_row_stream_part (stream->row_bytes), n_rows);
  g_autofree guint8 *rows = g_malloc ((gsize) part * stream->row_bytes + 1);
  reel_auto_hid type = reel_hdf5_new_type (leaf->dtype);
  reel_auto_hid how = H5Pcreate (H5P_DATASET_CREATE);
  reel_auto_hid space = -1;
  reel_auto_hid set = -1;

  memcpy (shape, leaf->shape, (gsize) leaf->ndim * sizeof *shape);
  shape[0] = n_rows;
  space = reel_hdf5_new_space (leaf->ndim, shape);
  /* Equal rows make equal files, whenever they are written. */
  H5Pset_obj_track_times (how, FALSE);
  set = H5Dcreate2 (group, key, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (set < 0)
    return reel_hdf5_fail (key, REEL_ERROR_NO_SPACE, error);
  for (gint64 begin = 0, n; begin < n_rows; begin += n)
    {
      n = MIN (part, n_rows - begin);
      stream->read (stream->data, rows, n);
      if (!(n == n_rows ? H5Dwrite (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0
                        : write_part (set, type, leaf, begin, n, rows)))
        return reel_hdf5_fail (key, REEL_ERROR_NO_SPACE, error);
    }
  return TRUE;
}

/* With room for all names at once: of what is outgrown HDF5 remembers each piece to the end. */
static hid_t
new_group (hid_t parent, const char *key, const ReelTensordict *inside)
{
  reel_auto_hid how = H5Pcreate (H5P_GROUP_CREATE);
  gsize names = HEAP_BYTES;
  ReelTensordictIter iter;
  const char *name;

  reel_tensordict_iter_init (&iter, inside);
  while (reel_tensordict_iter_next (&iter, &name, NULL, NULL))
    names += strlen (name) / 8 * 8 + 8;
  H5Pset_local_heap_size_hint (how, names);
  return H5Gcreate2 (parent, key, H5P_DEFAULT, how, H5P_DEFAULT);
}

static gboolean write_level (const Writing *writing, gint64 i, hid_t group,
                             const ReelTensordict *outline, GError **error);

static gboolean
write_child (const Writing *writing, gint64 i, hid_t group, const char *key,
             const ReelTensordict *child, GError **error)
{
  reel_auto_hid inner = new_group (group, key, child);

  return inner < 0 ? reel_hdf5_fail (key, REEL_ERROR_NO_SPACE, error)
                   : write_level (writing, i, inner, child, error);
}

static gboolean
write_level (const Writing *writing, gint64 i, hid_t group, const ReelTensordict *outline,
             GError **error)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, outline);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    if (!(tensor  ? write_rows (writing, i, group, key, tensor, error)
          : child ? write_child (writing, i, group, key, child, error)
                  : TRUE))
      return FALSE;
  return TRUE;
}

static gboolean
write_values (hid_t file, const ReelTensordict *values, GError **error)
{
  g_auto (GStrv) keys = reel_tensordict_list_non_tensors (values);

  for (gsize i = 0; keys[i]; i++)
    {
      g_autoptr (GVariant) value = reel_tensordict_dup_value (values, keys[i], error);

      if (!value || !reel_hdf5_write_value (file, keys[i], value, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_attributes (const ReelHdf5Groups *groups, gint64 i, hid_t group, GError **error)
{
  for (guint k = 0; groups->attributes && groups->attributes[k]; k++)
    {
      const gint64 value = groups->get_attribute (groups->data, i, k);
      reel_auto_hid space = H5Screate (H5S_SCALAR);
      reel_auto_hid set =
          H5Acreate2 (group, groups->attributes[k], H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);

      if (set < 0 || H5Awrite (set, H5T_NATIVE_INT64, &value) < 0)
        return reel_hdf5_fail (groups->attributes[k], REEL_ERROR_NO_SPACE, error);
    }
  return TRUE;
}

static gboolean
write_groups (const Writing *writing, hid_t file, GError **error)
{
  const ReelHdf5Groups *groups = writing->groups;

  if (!groups->name_group)
    return write_level (writing, 0, file, groups->outline, error);
  for (gint64 i = 0; i < groups->n_groups; i++)
    {
      g_autofree char *name = groups->name_group (groups->data, i);
      reel_auto_hid group = new_group (file, name, groups->outline);

      if (group < 0)
        return reel_hdf5_fail (name, REEL_ERROR_NO_SPACE, error);
      if (!write_attributes (groups, i, group, error)
          || !write_level (writing, i, group, groups->outline, error))
        return FALSE;
    }
  return TRUE;
}

/* Keys and types that there are no others for. */
static gboolean
check_outline (const ReelTensordict *outline, GError **error)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, outline);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      reel_auto_hid type = tensor ? reel_hdf5_new_type (tensor->dtype) : -1;

      if (!check_key (key, error) || (child && !check_outline (child, error)))
        return FALSE;
      if (!tensor || type >= 0)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "\"%s\" is %s, which HDF5 and NumPy do not have; use another checkpointer", key,
                   reel_dtype_name (tensor->dtype));
      return FALSE;
    }
  return TRUE;
}

/* The driver's error is nearer to the fault than HDF5's. */
static ReelTensordict *
finish (const Writing *writing, gboolean written, GError **failure, GError **error)
{
  GError **fault = writing->file.fault;

  if (*fault || *failure)
    {
      GError **first = *fault ? fault : failure;

      g_propagate_error (error, g_steal_pointer (first));
    }
  else if (!written)
    reel_hdf5_fail ("/", REEL_ERROR_NO_SPACE, error);
  else
    return writing->groups->finish (writing->groups->data, error);
  return NULL;
}

static ReelTensordict *
write_file (gconstpointer data, GError **error)
{
  Writing writing = *(const Writing *) data;
  g_autoptr (GError) fault = NULL, failure = NULL;
  hid_t access, file;
  gboolean written;

  writing.file.fault = &fault;
  if (!check_outline (writing.groups->outline, error))
    return NULL;
  access = reel_hdf5_driver_access (&writing.file);
  file = access < 0 ? -1 : H5Fcreate (REEL_HDF5_IMAGE, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  written = file >= 0 && write_values (file, writing.groups->values, &failure)
            && write_groups (&writing, file, &failure);
  if (file >= 0 && H5Fclose (file) < 0)
    written = FALSE;
  return finish (&writing, written, &failure, error);
}

static gsize
count_bytes (const ReelTensordict *td)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  gsize bytes = 0;

  for (gsize i = 0; leaves[i]; i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (td, leaves[i], NULL);
      bytes += leaf ? reel_tensor_nbytes (leaf) : 0;
    }
  return bytes;
}

ReelTensordict *
reel_hdf5_write (const ReelHdf5Groups *groups, int fd, const char *path, GError **error)
{
  const Writing writing = { groups, { .fd = fd, .path = path } };

  return reel_hdf5_run (write_file, &writing, count_bytes (groups->outline), error);
}
