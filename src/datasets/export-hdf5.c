/* Rows as datasets of HDF5, one for each key, at its path. */
#include "dataset-leaves.h"
#include "export-formats.h"

#include "../core/formats/hdf5.h"

/* A key, by its tensor in the outline. */
typedef struct
{
  ReelExportColumn column;
  ReelRowStream stream;
} Leaf;

static gint64
count_rows (gpointer data, const ReelTensor *leaf, gint64 group)
{
  return leaf->shape[0];
}

static const ReelRowStream *
get_rows (gpointer data, const ReelTensor *leaf)
{
  return &((const Leaf *) g_hash_table_lookup (data, leaf))->stream;
}

static gboolean
add_leaf (ReelTensordict *outline, GHashTable *leaves, const ReelExportRows *rows,
          const ReelColumn *column, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_export_rows_get_shape (rows, column, &ndim);
  Leaf *leaf;

  if (!reel_leaves_add (outline, column->path, column->dtype, ndim, shape, error))
    return FALSE;
  leaf = g_new0 (Leaf, 1);
  reel_export_column_init (&leaf->column, rows, column);
  leaf->stream =
      (ReelRowStream){ rows->n_rows, column->row_bytes, reel_export_column_read, &leaf->column };
  g_hash_table_insert (leaves, reel_tensordict_get_tensor (outline, column->path, NULL), leaf);
  return TRUE;
}

gboolean
reel_export_hdf5 (const ReelExportRows *rows, int fd, const char *path, GError **error)
{
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &rows->n_rows);
  g_autoptr (ReelTensordict) values = reel_tensordict_new (0, NULL);
  g_autoptr (GHashTable) leaves = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  const ReelHdf5Groups groups = { .values = values,
                                  .outline = outline,
                                  .n_groups = 1,
                                  .count_rows = count_rows,
                                  .get_rows = get_rows,
                                  .data = leaves };

  for (guint i = 0; i < rows->n_columns; i++)
    if (!add_leaf (outline, leaves, rows, &rows->columns[i], error))
      return FALSE;
  return reel_hdf5_write (&groups, fd, path, error);
}
