/* Where the rows of groups lie, key by key as the first group has them. */
#include "hdf5-private.h"

#include "../tensordict/tensordict-private.h"

#include <string.h>

#define MOST_LEVELS 32

/* One key, as it is in the first group. */
typedef struct
{
  char *name; /* below the group */
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM]; /* the first extent is that of all groups together */
  ReelTensor *where;           /* twice the offset, plus the rows that it has beyond `first` */
  gboolean apart;              /* whether elements lie in the file as they do in memory */
} Key;

static void
clear_key (gpointer data)
{
  Key *key = data;

  g_free (key->name);
  g_clear_pointer (&key->where, reel_tensor_unref);
}

/* ---- which keys there are ---- */

/* There can be no more objects than there are bytes to tell of them. */
typedef struct
{
  gsize file_bytes;
  gsize n_left;
  GArray *keys;
} Listing;

static gboolean list_keys (Listing *listing, hid_t group, const char *prefix, const char *name,
                           gint level, GError **error);

static gboolean
add_key (Listing *listing, hid_t set, const char *name, GError **error)
{
  reel_auto_hid type = H5Dget_type (set);
  Key key = { .apart = TRUE };

  if (type < 0 || reel_hdf5_find_dtype (type) < 0)
    return reel_hdf5_damaged (name, "has an unsupported type", error);
  key.dtype = (ReelDtype) reel_hdf5_find_dtype (type);
  if (!reel_hdf5_read_shape (set, name, reel_dtype_size (key.dtype), listing->file_bytes, &key.ndim,
                             key.shape, error))
    return FALSE;
  key.shape[0] = 0;
  key.name = g_strdup (name);
  g_array_append_val (listing->keys, key);
  return TRUE;
}

static gboolean
list_object (Listing *listing, hid_t group, const char *prefix, const char *name, gint level,
             GError **error)
{
  g_autofree char *below = reel_hdf5_join (prefix, name);
  reel_auto_hid object = H5Oopen (group, name, H5P_DEFAULT);

  if (object < 0)
    return reel_hdf5_fail (below, REEL_ERROR_DAMAGED, error);
  if (listing->n_left-- == 0 || level > MOST_LEVELS)
    return reel_hdf5_damaged (below, "is repeated, or nested too deep", error);
  switch (H5Iget_type (object))
    {
    case H5I_GROUP: return list_keys (listing, object, below, below, level + 1, error);
    case H5I_DATASET: return add_key (listing, object, below, error);
    default: return reel_hdf5_damaged (below, "is neither a group nor a dataset", error);
    }
}

static gboolean
list_keys (Listing *listing, hid_t group, const char *prefix, const char *name, gint level,
           GError **error)
{
  g_autoptr (GPtrArray) names = reel_hdf5_list_names (group, name, error);

  for (guint i = 0; names && i < names->len; i++)
    if (!list_object (listing, group, prefix, names->pdata[i], level, error))
      return FALSE;
  return names != NULL;
}

/* ---- where their rows are ---- */

static hid_t
open_rows (const ReelHdf5Reading *reading, hid_t group, const char *of, const Key *key,
           gint64 *n_rows, GError **error)
{
  g_autofree char *name = reel_hdf5_join (of, key->name);
  hid_t set = reel_hdf5_open_hard (group, key->name);
  reel_auto_hid type = set >= 0 && H5Iget_type (set) == H5I_DATASET ? H5Dget_type (set) : -1;
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = -1;

  if (type >= 0 && reel_hdf5_find_dtype (type) == (gint) key->dtype
      && !reel_hdf5_read_shape (set, name, reel_dtype_size (key->dtype), reading->file_bytes, &ndim,
                                shape, error))
    ndim = -2;
  if (ndim > 0 && ndim == key->ndim
      && memcmp (shape + 1, key->shape + 1, (gsize) (ndim - 1) * sizeof *shape) == 0)
    {
      *n_rows = shape[0];
      return set;
    }
  reel_hdf5_close (&set);
  if (ndim != -2)
    reel_hdf5_damaged (name, "has other rows than the other trajectories", error);
  return -1;
}

/* −1 where elements do not lie there as they do in memory. */
static gint64
find_offset (hid_t set, const Key *key, gint64 n_rows)
{
  reel_auto_hid type = H5Dget_type (set);
  reel_auto_hid own = reel_hdf5_new_type (key->dtype);
  reel_auto_hid how = H5Dget_create_plist (set);
  haddr_t offset;

  if (H5Pget_layout (how) != H5D_CONTIGUOUS || H5Tequal (type, own) <= 0)
    return -1;
  offset = H5Dget_offset (set);
  if (offset == HADDR_UNDEF)
    return n_rows == 0 ? 0 : -1;
  return offset < G_MAXINT64 / 2 ? (gint64) offset : -1;
}

static gboolean
fits (gint64 row_bytes, gint64 n_rows, gint64 room)
{
  gint64 all;

  return !__builtin_mul_overflow (row_bytes, n_rows, &all) && all <= room;
}

static gboolean
look_at_rows (const ReelHdf5Reading *reading, hid_t group, Key *key, guint i, gint64 first,
              GError **error)
{
  const char *of = reading->groups->pdata[i];
  gint64 n_rows, offset, bytes = (gint64) reel_dtype_size (key->dtype);
  reel_auto_hid set = open_rows (reading, group, of, key, &n_rows, error);

  if (set < 0)
    return FALSE;
  if (n_rows != first && n_rows != first + 1)
    {
      g_autofree char *name = reel_hdf5_join (of, key->name);

      return reel_hdf5_damaged (name, "has neither a row a step nor one more", error);
    }
  /* A dataset without rows may have other extents of any size. */
  for (gint d = 1; d < key->ndim; d++)
    if (__builtin_mul_overflow (bytes, key->shape[d], &bytes))
      bytes = G_MAXINT64;
  offset = find_offset (set, key, n_rows);
  /* Rows are read from the mapped file only where all of them lie inside. */
  key->apart =
      key->apart && offset >= 0 && fits (bytes, n_rows, (gint64) reading->file_bytes - offset);
  key->shape[0] += n_rows;
  ((gint64 *) key->where->data)[i] = 2 * offset + (n_rows - first);
  return TRUE;
}

static gboolean
look_at_group (const ReelHdf5Reading *reading, GArray *keys, const Key *first_key, guint i,
               gint64 *length, GError **error)
{
  const char *of = reading->groups->pdata[i];
  reel_auto_hid group = reel_hdf5_open_hard (reading->file, of);
  reel_auto_hid first = -1;

  if (group < 0 || H5Iget_type (group) != H5I_GROUP)
    return reel_hdf5_damaged (of, "is not a group", error);
  first = open_rows (reading, group, of, first_key, length, error);
  if (first < 0)
    return FALSE;
  for (guint k = 0; k < keys->len; k++)
    if (!look_at_rows (reading, group, &g_array_index (keys, Key, k), i, *length, error))
      return FALSE;
  return TRUE;
}

/* Rows that HDF5 has to convert or unpack: those of all groups in one. */
static ReelTensor *
join_rows (const ReelHdf5Reading *reading, const Key *key, GError **error)
{
  g_autoptr (ReelTensor) rows = reel_tensor_new (key->dtype, key->ndim, key->shape, error);
  reel_auto_hid type = reel_hdf5_new_type (key->dtype);
  guint8 *at = rows ? rows->data : NULL;
  gsize row_bytes = rows ? reel_tensor_nbytes (rows) / (gsize) MAX (key->shape[0], 1) : 0;

  for (guint i = 0; rows && row_bytes > 0 && i < reading->groups->len; i++)
    {
      const char *of = reading->groups->pdata[i];
      reel_auto_hid group = reel_hdf5_open_hard (reading->file, of);
      gint64 n_rows = 0;
      reel_auto_hid set = open_rows (reading, group, of, key, &n_rows, error);

      if (set < 0)
        return NULL;
      if (n_rows > 0 && H5Dread (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, at) < 0)
        {
          reel_hdf5_fail (key->name, REEL_ERROR_DAMAGED, error);
          return NULL;
        }
      at += (gsize) n_rows * row_bytes;
    }
  return g_steal_pointer (&rows);
}

/* ---- what is told of them ---- */

static char *
path_of (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);

  for (gsize i = 0; parts[i]; i++)
    {
      char *part = parts[i];

      parts[i] = reel_path_escape (part);
      g_free (part);
    }
  return g_strjoinv ("/", parts);
}

/* Tells of a key where its rows are, or gives them. */
static gboolean
tell_key (const ReelHdf5Reading *reading, const Key *key, ReelTensordict *found, GError **error)
{
  g_autofree char *path = path_of (key->name);
  g_autofree char *where = g_strconcat (REEL_HDF5_WHERE "/", path, NULL);
  g_autofree char *form = g_strconcat (REEL_HDF5_FORM "/", path, NULL);
  g_autofree char *all = g_strconcat (REEL_HDF5_ROWS "/", path, NULL);
  g_autoptr (ReelTensor) rows = NULL, shape = NULL;
  const gint64 n = key->ndim + 1;

  if (!key->apart)
    return (rows = join_rows (reading, key, error))
           && reel_tensordict_set_tensor (found, all, rows, error);
  shape = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  if (!shape)
    return FALSE;
  ((gint64 *) shape->data)[0] = key->dtype;
  memcpy ((gint64 *) shape->data + 1, key->shape, (gsize) key->ndim * sizeof *key->shape);
  return reel_tensordict_set_tensor (found, where, key->where, error)
         && reel_tensordict_set_tensor (found, form, shape, error);
}

static GArray *
read_keys (const ReelHdf5Reading *reading, GError **error)
{
  const char *of = reading->groups->pdata[0];
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (Key));
  reel_auto_hid group = reel_hdf5_open_hard (reading->file, of);
  Listing listing = { reading->file_bytes, reading->file_bytes / 8, keys };
  const gint64 n = reading->groups->len;

  g_array_set_clear_func (keys, clear_key);
  if (group < 0 || H5Iget_type (group) != H5I_GROUP)
    {
      reel_hdf5_damaged (of, "is not a group", error);
      return NULL;
    }
  if (!list_keys (&listing, group, "", of, 1, error))
    return NULL;
  for (guint k = 0; k < keys->len; k++)
    if (!(g_array_index (keys, Key, k).where = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error)))
      return NULL;
  return g_steal_pointer (&keys);
}

static const Key *
find_first (const ReelHdf5Reading *reading, const GArray *keys)
{
  for (guint k = 0; k < keys->len; k++)
    if (g_str_equal (g_array_index (keys, Key, k).name, reading->first))
      return &g_array_index (keys, Key, k);
  return NULL;
}

gboolean
reel_hdf5_find_rows (const ReelHdf5Reading *reading, ReelTensordict *found, GError **error)
{
  const gint64 n = reading->groups->len;
  g_autoptr (GArray) keys = read_keys (reading, error);
  g_autoptr (ReelTensor) lengths = NULL;
  const Key *first;

  if (!keys || !(lengths = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error)))
    return FALSE;
  first = find_first (reading, keys);
  if (!first)
    return reel_hdf5_damaged (reading->first, "is missing in the first trajectory", error);
  for (guint i = 0; i < n; i++)
    if (!look_at_group (reading, keys, first, i, (gint64 *) lengths->data + i, error))
      return FALSE;
  for (guint k = 0; k < keys->len; k++)
    if (!tell_key (reading, &g_array_index (keys, Key, k), found, error))
      return FALSE;
  return reel_tensordict_set_tensor (found, REEL_HDF5_LENGTHS, lengths, error);
}
