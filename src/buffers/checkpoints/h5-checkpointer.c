/* Flat rows, a group of an HDF5 file a trajectory. */
#include "ted-checkpointer.h"

#include "../../core/error.h"
#include "../../core/files.h"
#include "../../core/hdf5.h"
#include "checkpoint-files.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH "_len"
#define PREFIX "traj_"

struct _ReelH5Checkpointer
{
  ReelTedCheckpointer parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelH5Checkpointer, reel_h5_checkpointer, REEL, H5_CHECKPOINTER,
                      ReelTedCheckpointer)
G_DEFINE_FINAL_TYPE (ReelH5Checkpointer, reel_h5_checkpointer, REEL_TYPE_TED_CHECKPOINTER)

/* ---- to groups ---- */

/* As many digits as the last number has, 0 to 9 of ten. */
static gint
count_digits (gint64 n)
{
  gint digits = 0;

  for (gint64 power = 1; power < n; power *= 10)
    digits++;
  return digits;
}

static gboolean
split_leaf (ReelTensordict *groups, const ReelFlatCut *cut, const ReelTensordict *flat,
            const char *path, GError **error)
{
  ReelTensor *leaf = reel_tensordict_get_tensor (flat, path, error);
  const gint64 *lengths = leaf ? reel_flat_cut_choose (cut, flat, leaf) : NULL;
  gint digits = count_digits (cut->n);
  gint64 begin = 0;

  for (gint64 i = 0; lengths && i < cut->n; i++)
    {
      g_autofree char *name = g_strdup_printf (PREFIX "%0*" G_GINT64_FORMAT "/%s", digits, i, path);
      g_autoptr (ReelTensor) rows =
          reel_tensor_slice (leaf, 0, begin, begin + lengths[i], 1, error);

      if (!rows || !reel_tensordict_set_tensor (groups, name, rows, error))
        return FALSE;
      begin += lengths[i];
    }
  return lengths != NULL;
}

static ReelTensordict *
split (const ReelTensordict *flat, gint64 length, GError **error)
{
  g_autoptr (ReelFlatCut) cut = reel_flat_cut_new (flat, error);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (flat);
  g_autoptr (ReelTensordict) groups = reel_tensordict_new (0, NULL);

  if (!cut || !reel_flat_ted_copy_values (flat, groups, error)
      || !reel_tensordict_set_value (groups, LENGTH, g_variant_new_int64 (length), error))
    return NULL;
  for (gsize i = 0; leaves[i]; i++)
    if (!split_leaf (groups, cut, flat, leaves[i], error))
      return NULL;
  return g_steal_pointer (&groups);
}

static gboolean
write_file (const ReelTensordict *flat, gint64 length, const char *path, GError **error)
{
  g_autofree char *file = g_build_filename (path, REEL_CHECKPOINT_H5_FILE, NULL);
  g_autoptr (ReelTensordict) groups = split (flat, length, error);
  g_autoptr (ReelTensor) bytes = groups ? reel_hdf5_pack (groups, error) : NULL;

  return bytes
         && reel_file_write_atomic (file, bytes->data, reel_tensor_nbytes (bytes), FALSE, error);
}

/* ---- and back ---- */

typedef struct
{
  guint64 number;
  const ReelTensordict *rows;
} Trajectory;

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  const Trajectory *one = a, *other = b;

  return one->number < other->number ? -1 : one->number > other->number;
}

static GArray *
list_trajectories (const ReelTensordict *groups)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Trajectory));
  ReelTensordictIter iter;
  const char *key;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, groups);
  while (reel_tensordict_iter_next (&iter, &key, NULL, &child))
    if (child && g_str_has_prefix (key, PREFIX))
      {
        const Trajectory found = { strtoull (key + strlen (PREFIX), NULL, 10), child };

        g_array_append_val (list, found);
      }
  g_array_sort (list, compare_numbers);
  return list;
}

/* Gives the rows of one trajectory, which must be as those of the first. */
static const ReelTensor *
get_rows (const GArray *list, guint i, const char *path, const ReelTensor *first, GError **error)
{
  const ReelTensordict *td = g_array_index (list, Trajectory, i).rows;
  const ReelTensor *rows =
      reel_tensordict_contains (td, path) ? reel_tensordict_get_tensor (td, path, error) : NULL;

  if (rows && rows->ndim > 0 && rows->ndim <= REEL_MAX_NDIM
      && (!first
          || (rows->dtype == first->dtype && rows->ndim == first->ndim
              && memcmp (rows->shape + 1, first->shape + 1,
                         (gsize) (first->ndim - 1) * sizeof *first->shape)
                     == 0)))
    return rows;
  g_clear_error (error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "\"" PREFIX "%" G_GUINT64_FORMAT "/%s\": rows as in other trajectories expected",
               g_array_index (list, Trajectory, i).number, path);
  return NULL;
}

static ReelTensor *
join_rows (const GArray *list, const char *path, GError **error)
{
  const ReelTensor *first = get_rows (list, 0, path, NULL, error), *rows = first;
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) all = NULL;
  guint8 *at;

  if (!first)
    return NULL;
  memcpy (shape, first->shape, (gsize) first->ndim * sizeof *shape);
  for (guint i = 1; i < list->len && rows; i++)
    if ((rows = get_rows (list, i, path, first, error)))
      shape[0] += rows->shape[0];
  all = rows ? reel_tensor_new (first->dtype, first->ndim, shape, error) : NULL;
  at = all ? all->data : NULL;
  for (guint i = 0; i < list->len && all; i++)
    {
      rows = get_rows (list, i, path, first, error);
      if (reel_tensor_nbytes (rows) > 0)
        at = (guint8 *) memcpy (at, rows->data, reel_tensor_nbytes (rows))
             + reel_tensor_nbytes (rows);
    }
  return g_steal_pointer (&all);
}

static gboolean
join_groups (const ReelTensordict *groups, ReelTensordict *flat, GError **error)
{
  g_autoptr (GArray) list = list_trajectories (groups);
  g_auto (GStrv) leaves =
      list->len > 0 ? reel_tensordict_list_leaves (g_array_index (list, Trajectory, 0).rows) : NULL;

  for (gsize i = 0; leaves && leaves[i]; i++)
    {
      g_autoptr (ReelTensor) rows = join_rows (list, leaves[i], error);

      if (!rows || !reel_tensordict_set_tensor (flat, leaves[i], rows, error))
        return FALSE;
    }
  return reel_flat_ted_copy_values (groups, flat, error);
}

static gboolean
read_length (const ReelTensordict *groups, gint64 *length, GError **error)
{
  g_autoptr (GVariant) value = reel_tensordict_get_value (groups, LENGTH, NULL);

  *length = value && g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)
                ? g_variant_get_int64 (value)
                : -1;
  if (*length < 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                         "there is no \"" LENGTH "\", the number of valid rows");
  return *length >= 0;
}

static ReelTensordict *
read_file (const char *path, gint64 *length, GPtrArray *warnings, GError **error)
{
  g_autofree char *file = g_build_filename (path, REEL_CHECKPOINT_H5_FILE, NULL);
  gsize n;
  g_autofree char *bytes = reel_file_read (file, G_MAXINT64, &n, error);
  g_autoptr (ReelTensordict) groups = NULL, flat = NULL;

  if (!bytes)
    return NULL;
  groups = reel_hdf5_unpack (bytes, n, error);
  flat = groups ? reel_tensordict_new (0, NULL) : NULL;
  if (flat && read_length (groups, length, error) && join_groups (groups, flat, error))
    return g_steal_pointer (&flat);
  g_prefix_error (error, "%s: ", file);
  return NULL;
}

static void
reel_h5_checkpointer_class_init (ReelH5CheckpointerClass *klass)
{
  static const ReelId ids[] = {
    { "h5", NULL, "TED data, a group of one HDF5 file a trajectory" },
    { "H5StorageCheckpointer", NULL,
      "TED data, a group of one HDF5 file a trajectory, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_CHECKPOINTER_CLASS (klass)->format = "h5";
  REEL_CHECKPOINTER_CLASS (klass)->keeps_length = TRUE;
  REEL_TED_CHECKPOINTER_CLASS (klass)->is_cut = TRUE;
  REEL_TED_CHECKPOINTER_CLASS (klass)->write = write_file;
  REEL_TED_CHECKPOINTER_CLASS (klass)->read = read_file;
}

static void
reel_h5_checkpointer_init (ReelH5Checkpointer *self)
{
}
