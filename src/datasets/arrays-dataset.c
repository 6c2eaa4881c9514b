/* Arrays of a file of one's own, an archive of NumPy or HDF5: a leaf for each, by its name. */
#include "dataset.h"
#include "raw-arrays.h"
#include "source-files.h"

#include "../core/object/error.h"
#include "../core/system/directories.h"

#include <string.h>

#define HDF5 "hdf5"

struct _ReelArraysDataset
{
  ReelDataset parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelArraysDataset, reel_arrays_dataset, REEL, ARRAYS_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelArraysDataset, reel_arrays_dataset, REEL_TYPE_DATASET)

/* ---- leaves ---- */

/* All have the rows of the first. */
static gboolean
check_arrays (const GArray *arrays, GError **error)
{
  const ReelArrayInfo *first = (const ReelArrayInfo *) (gpointer) arrays->data;

  for (guint i = 0; i < arrays->len; i++)
    if (!reel_raw_check_rows (&g_array_index (arrays, ReelArrayInfo, i),
                              first->ndim ? first->shape[0] : 0, first, error))
      return FALSE;
  if (arrays->len > 0 && first->shape[0] > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       arrays->len ? "its arrays have no rows" : "it contains no arrays");
  return FALSE;
}

static ReelTensordict *
make_leaves (const GArray *arrays, const char *directory, GError **error)
{
  const gint64 n = g_array_index (arrays, ReelArrayInfo, 0).shape[0];
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n);

  for (guint i = 0; i < arrays->len; i++)
    {
      const ReelArrayInfo *array = &g_array_index (arrays, ReelArrayInfo, i);
      g_autofree char *key = reel_raw_key (array->name);

      if (!reel_leaves_add (outline, key, (ReelDtype) array->dtype, array->ndim - 1,
                            array->shape + 1, error))
        return NULL;
    }
  return reel_leaves_make (outline, directory, error);
}

static ReelTensordict *
find_leaves (const ReelRawFile *file, const char *directory, GError **error)
{
  ReelTensordict *data =
      check_arrays (file->arrays, error) ? make_leaves (file->arrays, directory, error) : NULL;

  if (!data)
    g_prefix_error (error, "%s: ", file->path);
  return data;
}

static gboolean
read_arrays (const ReelRawFile *file, const ReelTensordict *data, GError **error)
{
  const guint n = file->arrays->len;
  g_autofree const ReelArrayInfo **arrays = g_new (const ReelArrayInfo *, n);
  g_autofree ReelRowSource *sources = g_new (ReelRowSource, n);

  for (guint i = 0; i < n; i++)
    {
      arrays[i] = &g_array_index (file->arrays, ReelArrayInfo, i);
      g_autofree char *key = reel_raw_key (arrays[i]->name);

      sources[i] = reel_raw_source (arrays[i]);
      reel_row_source_add (&sources[i], data, key, 0, arrays[i]->shape[0], 0);
    }
  return reel_raw_file_read (file, arrays, sources, n, error);
}

/* ---- the class ---- */

/* The name may have the ending of the file, or leave it out. */
static char *
find_file (ReelDataset *dataset, const char *from, GError **error)
{
  const char *id = reel_dataset_get_dataset_id (dataset);
  gboolean is_hdf5 = g_str_equal (reel_object_get_id (REEL_OBJECT (dataset)), HDF5);
  g_autofree char *name = g_strconcat (id, is_hdf5 ? ".hdf5" : ".npz", NULL);
  g_autofree char *other = g_strconcat (id, is_hdf5 ? ".h5" : ".npz", NULL);

  return reel_source_find (from, (const char *[]){ name, other, id, NULL }, error);
}

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  char *path = find_file (dataset, from, error);
  g_autoptr (ReelRawFile) file = path ? reel_raw_file_open (path, error) : NULL;
  g_autoptr (ReelTensordict) data = file ? find_leaves (file, directory, error) : NULL;

  return data && read_arrays (file, data, error);
}

static char **
list (const char *from, GError **error)
{
  static const char *const endings[] = { ".npz", ".hdf5", ".h5" };
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();
  g_auto (GStrv) names = from ? reel_directory_list (from, error) : NULL;

  for (gsize i = 0; names && names[i]; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (endings); k++)
      if (g_str_has_suffix (names[i], endings[k]))
        g_strv_builder_add (ids, names[i]);
  return names || !from ? g_strv_builder_end (ids) : NULL;
}

static void
reel_arrays_dataset_class_init (ReelArraysDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "npz", NULL, "arrays of a file of your own, an archive of NumPy" },
    { HDF5, NULL, "arrays of a file of your own, in HDF5" },
    { NULL },
  };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "arrays";
  dataset_class->any_id = TRUE;
  dataset_class->list = list;
  dataset_class->import = import;
}

static void
reel_arrays_dataset_init (ReelArraysDataset *self)
{
}
