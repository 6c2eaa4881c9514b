/* The datasets of an HDF5 file: their list, and their rows in blocks. */
#include "hdf5-sets.h"

#include "hdf5-direct.h"
#include "hdf5-layout.h"
#include "hdf5-private.h"

#include <string.h>

#define MOST_LEVELS 32
#define NAMES "names"
#define FORMS "forms"
#define FORM_LENGTH (2 + REEL_MAX_NDIM) /* dtype, dimensions, extents */

/* ---- the list ---- */

/* There can be no more objects than there are bytes to describe them. */
typedef struct
{
  gsize file_bytes;
  gsize n_left;
  GArray *names; /* of bytes, each with a NUL */
  GArray *forms; /* FORM_LENGTH numbers each */
} Listing;

static gboolean
add_set (Listing *listing, hid_t set, const char *name, GError **error)
{
  reel_auto_hid type = H5Dget_type (set);
  gint dtype = type < 0 ? -1 : reel_hdf5_find_dtype (type);
  gsize item = dtype < 0 ? 1 : reel_dtype_size ((ReelDtype) dtype);
  gint64 form[FORM_LENGTH] = { dtype };
  gint ndim;

  if (!reel_hdf5_read_shape (set, name, item, listing->file_bytes, &ndim, form + 2, error))
    return FALSE;
  form[1] = ndim;
  g_array_append_vals (listing->names, name, (guint) strlen (name) + 1);
  g_array_append_vals (listing->forms, form, FORM_LENGTH);
  return TRUE;
}

static gboolean list_group (Listing *listing, hid_t group, const char *name, gint level,
                            GError **error);

static gboolean
list_object (Listing *listing, hid_t group, const char *prefix, const char *name, gint level,
             GError **error)
{
  g_autofree char *below = reel_hdf5_join (prefix, name);
  reel_auto_hid object = H5Oopen (group, name, H5P_DEFAULT);

  if (object < 0)
    return reel_hdf5_fail (below, REEL_ERROR_DAMAGED, error);
  if (listing->n_left-- == 0 || level > MOST_LEVELS)
    return reel_hdf5_damaged (below, "is in a cycle of groups, or nested too deep", error);
  switch (H5Iget_type (object))
    {
    case H5I_GROUP: return list_group (listing, object, below, level + 1, error);
    case H5I_DATASET: return add_set (listing, object, below, error);
    default: return TRUE; /* a named type has no rows */
    }
}

static gboolean
list_group (Listing *listing, hid_t group, const char *name, gint level, GError **error)
{
  g_autoptr (GPtrArray) names = reel_hdf5_list_names (group, name, error);

  for (guint i = 0; names && i < names->len; i++)
    if (!list_object (listing, group, name, names->pdata[i], level, error))
      return FALSE;
  return names != NULL;
}

static gboolean
tell (const GArray *array, ReelDtype dtype, ReelTensordict *found, const char *key, GError **error)
{
  const gint64 n = array->len;
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, 1, &n, error);

  if (tensor && n > 0)
    memcpy (tensor->data, array->data, reel_tensor_nbytes (tensor));
  return tensor && reel_tensordict_set_tensor (found, key, tensor, error);
}

static ReelTensordict *
list_file (gconstpointer data, int line, GError **error)
{
  ReelMemory *memory = (ReelMemory *) data;
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, 1);
  g_autoptr (GArray) forms = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (ReelTensordict) found = reel_tensordict_new (0, NULL);
  Listing listing = { .names = names, .forms = forms };
  ReelHdf5File image;
  reel_auto_hid file = reel_hdf5_open_image (memory, &image, error);

  reel_memory_get_data (memory, &listing.file_bytes);
  listing.n_left = listing.file_bytes / 8;
  return file >= 0 && list_group (&listing, file, "", 1, error)
                 && tell (names, REEL_DTYPE_UINT8, found, NAMES, error)
                 && tell (forms, REEL_DTYPE_INT64, found, FORMS, error)
             ? g_steal_pointer (&found)
             : NULL;
}

/* The process that listed them may have crashed in any way. */
static gboolean
take_form (const gint64 *form, ReelArrayInfo *set)
{
  set->dtype = (gint) form[0];
  set->ndim = (gint) form[1];
  if (form[0] < -1 || form[0] >= REEL_N_DTYPES || form[1] < 0 || form[1] > REEL_MAX_NDIM)
    return FALSE;
  for (gint d = 0; d < set->ndim; d++)
    {
      set->shape[d] = form[2 + d];
      if (set->shape[d] < 0)
        return FALSE;
    }
  return TRUE;
}

static GArray *
take_list (const ReelTensordict *found)
{
  const ReelTensor *names = reel_tensordict_get_tensor (found, NAMES, NULL);
  const ReelTensor *forms = reel_tensordict_get_tensor (found, FORMS, NULL);
  g_autoptr (GArray) sets = reel_array_infos_new ();
  gint64 n = forms ? reel_tensor_numel (forms) / FORM_LENGTH : 0;
  const char *at = names ? (const char *) names->data : NULL,
             *end = at ? at + reel_tensor_nbytes (names) : NULL;

  for (gint64 i = 0; i < n; i++)
    {
      const char *stop = at < end ? memchr (at, '\0', (gsize) (end - at)) : NULL;
      ReelArrayInfo set = { 0 };

      if (!stop || !take_form ((const gint64 *) forms->data + i * FORM_LENGTH, &set))
        return NULL;
      set.name = g_strdup (at);
      g_array_append_val (sets, set);
      at = stop + 1;
    }
  return g_steal_pointer (&sets);
}

GArray *
reel_hdf5_list_sets (ReelMemory *file, GError **error)
{
  gsize length;

  reel_memory_get_data (file, &length);
  g_autoptr (ReelTensordict) found = reel_hdf5_run (list_file, file, length, error);
  GArray *sets = found ? take_list (found) : NULL;
  if (found && !sets)
    reel_hdf5_damaged ("/", "is damaged in a way that HDF5 does not notice", error);
  return sets;
}

/* ---- rows, as HDF5 reads them ---- */

typedef struct
{
  ReelMemory *memory;
  const ReelArrayInfo *const *sets;
  const GArray *wanted; /* guint: which of the sets */
  ReelHdf5RowsFunc take;
  gpointer data;
} Reading;

/* Whole chunks, so that none is unpacked twice. */
static gint64
choose_block (hid_t how, gsize row_bytes)
{
  gint64 rows = MAX (1, REEL_HDF5_BLOCK / (gint64) MAX (row_bytes, 1));
  hsize_t chunk[H5S_MAX_RANK];

  if (H5Pget_layout (how) != H5D_CHUNKED || H5Pget_chunk (how, H5S_MAX_RANK, chunk) < 1
      || chunk[0] == 0)
    return rows;
  return chunk[0] < (hsize_t) rows ? rows - rows % (gint64) chunk[0] : (gint64) chunk[0];
}

static gboolean
read_block (hid_t set, hid_t type, const ReelArrayInfo *form, gint64 first, gint64 n, guint8 *to,
            GError **error)
{
  hsize_t start[REEL_MAX_NDIM] = { (hsize_t) first }, count[REEL_MAX_NDIM];
  gint64 shape[REEL_MAX_NDIM];
  reel_auto_hid from = H5Dget_space (set);

  memcpy (shape, form->shape, sizeof shape);
  shape[0] = n;
  for (gint d = 0; d < form->ndim; d++)
    count[d] = (hsize_t) shape[d];
  reel_auto_hid room = reel_hdf5_new_space (form->ndim, shape);
  /* Its complaint is gone once a handle was closed. */
  return (H5Sselect_hyperslab (from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0
          && H5Dread (set, type, room, from, H5P_DEFAULT, to) >= 0)
         || reel_hdf5_fail (form->name, REEL_ERROR_DAMAGED, error);
}

static gboolean
read_rows (const Reading *reading, hid_t set, guint i, GError **error)
{
  const ReelArrayInfo *form = reading->sets[i];
  const gsize row_bytes = reel_hdf5_count_row_bytes (form);
  reel_auto_hid how = H5Dget_create_plist (set);
  reel_auto_hid type = reel_hdf5_new_type ((ReelDtype) form->dtype);
  const gint64 block = choose_block (how, row_bytes), n_rows = form->shape[0];
  g_autofree guint8 *rows = NULL;

  if (n_rows == 0 || row_bytes == 0)
    return TRUE;
  rows = g_try_malloc_n ((gsize) MIN (block, n_rows), row_bytes);
  if (!rows)
    return reel_hdf5_damaged (form->name, "has rows or chunks too large for memory", error);
  for (gint64 first = 0; first < n_rows; first += block)
    {
      gint64 n = MIN (block, n_rows - first);

      if (!read_block (set, type, form, first, n, rows, error))
        return FALSE;
      reading->take (reading->data, i, first, n, rows);
    }
  return TRUE;
}

static ReelTensordict *
read_file (gconstpointer data, int line, GError **error)
{
  const Reading *reading = data;
  ReelHdf5File image;
  reel_auto_hid file = reel_hdf5_open_image (reading->memory, &image, error);

  for (guint k = 0; file >= 0 && k < reading->wanted->len; k++)
    {
      const guint i = g_array_index (reading->wanted, guint, k);
      reel_auto_hid set = reel_hdf5_open_set (file, reading->memory, reading->sets[i], error);

      if (set < 0 || !read_rows (reading, set, i, error))
        return NULL;
    }
  return file >= 0 ? reel_tensordict_new (0, NULL) : NULL;
}

/* ---- rows ---- */

/* To unpack bytes takes time too. */
static gsize
count_bytes (const Reading *reading)
{
  gsize bytes;

  reel_memory_get_data (reading->memory, &bytes);
  for (guint k = 0; k < reading->wanted->len; k++)
    {
      const ReelArrayInfo *set = reading->sets[g_array_index (reading->wanted, guint, k)];
      gsize all = reel_hdf5_count_row_bytes (set) * (gsize) set->shape[0];

      bytes = bytes > G_MAXSIZE - all ? G_MAXSIZE : bytes + all;
    }
  return bytes;
}

/* HDF5 reads what is left, and says what is wrong. */
gboolean
reel_hdf5_read_sets (ReelMemory *file, const ReelArrayInfo *const *sets, guint n_sets,
                     ReelHdf5RowsFunc take, gpointer data, GError **error)
{
  g_autoptr (GArray) left = reel_hdf5_read_directly (file, sets, n_sets, take, data);
  const Reading reading = { file, sets, left, take, data };
  g_autoptr (ReelTensordict) done =
      left->len > 0 ? reel_hdf5_run (read_file, &reading, count_bytes (&reading), error) : NULL;

  return left->len == 0 || done;
}
