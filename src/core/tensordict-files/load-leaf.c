/* One leaf of a saved tensordict, mapped. */
#include "load-level.h"
#include "memmap-format.h"
#include "../tensordict/ragged.h"

#include <string.h>

/* Each takes memory of its own, of which a few bytes of a file could ask for much. */
#define MAX_COMPONENTS (1 << 20)

/* Dtype and shape, as the metadata have them. */
static gboolean
read_type (const char *where, const json_t *entry, ReelTensor *leaf, GError **error)
{
  const char *dtype = reel_json_get_string (entry, where, "dtype", error);
  GError *fault = NULL;

  if (!dtype || !reel_json_get_shape (entry, where, "shape", &leaf->ndim, leaf->shape, error))
    return FALSE;
  if (reel_dtype_from_name (dtype, &leaf->dtype, &fault)
      && reel_shape_check (leaf->ndim, leaf->shape, reel_dtype_size (leaf->dtype), &fault))
    return TRUE;
  return reel_load_damaged (where, fault, error);
}

static gboolean
map_leaf (ReelLoader *loader, const ReelLoadLevel *level, const char *key, const char *suffix,
          const ReelTensor *leaf, ReelMemory **memory, gsize *offset, GError **error)
{
  gint64 size = (gint64) reel_tensor_nbytes (leaf);

  /* The encoded name first, then that of versions before 0.13. */
  for (gint plain = 0; plain <= 1; plain++)
    {
      g_autofree char *name = reel_load_name_of (level, key, suffix, plain);
      if (name
          && !reel_file_tree_map (loader->tree, name, size, reel_dtype_size (leaf->dtype), memory,
                                  offset, error))
        return FALSE;
      if (*memory)
        return TRUE;
    }
  g_autofree char *name = reel_load_name_of (level, key, suffix, FALSE);
  g_autofree char *where = reel_file_tree_where (loader->tree, name);
  g_autofree char *what = g_strdup_printf ("a file of %" G_GINT64_FORMAT " bytes", size);
  return reel_path_kind_error (where, what, REEL_PATH_MISSING, error);
}

static ReelTensor *
new_tensor (ReelLoader *loader, const ReelLoadLevel *level, const char *key, const char *suffix,
            const ReelTensor *leaf, GError **error)
{
  g_autoptr (ReelMemory) memory = NULL;
  gsize offset = 0;

  /* Nothing to read: older versions left an empty file, 0.14 leaves none. */
  if (reel_tensor_nbytes (leaf) == 0)
    memory = reel_memory_new_wrapped (REEL_MEMORY_HEAP, NULL, 0, NULL, NULL);
  else if (!map_leaf (loader, level, key, suffix, leaf, &memory, &offset, error))
    return NULL;
  return reel_tensor_new_from_memory (memory, offset, leaf->dtype, leaf->ndim, leaf->shape, NULL,
                                      error);
}

/* ---- ragged leaves ---- */

static ReelTensor *
read_sizes (ReelLoader *loader, const ReelLoadLevel *level, const char *where, const char *key,
            const ReelTensor *leaf, GError **error)
{
  const ReelTensor sizes = { .dtype = REEL_DTYPE_INT64,
                             .ndim = 2,
                             .shape = { leaf->shape[0], leaf->shape[1] } };

  gint64 most = loader->flags & REEL_LOAD_JOINED ? G_MAXINT64 : MAX_COMPONENTS;

  if (leaf->ndim == 2 && leaf->shape[0] > 0 && leaf->shape[0] <= most && leaf->shape[1] > 0
      && leaf->shape[1] <= REEL_MAX_NDIM)
    return new_tensor (loader, level, key, REEL_MEMMAP_SIZES_SUFFIX, &sizes, error);
  g_autofree char *found = reel_shape_to_string (leaf->ndim, leaf->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: expected up to %d components of up to %d dimensions, found sizes of shape %s",
               where, MAX_COMPONENTS, REEL_MAX_NDIM, found);
  return NULL;
}

/* All components as one tensor: their extents but for the first are the same. */
static ReelTensor *
join_rows (const char *where, ReelTensor *values, const ReelTensor *sizes, GError **error)
{
  const gint64 *first = (const gint64 *) sizes->data;
  gint64 shape[REEL_MAX_NDIM], n = sizes->shape[1];

  memcpy (shape, first, (gsize) n * sizeof *shape);
  for (gint64 i = 1; i < sizes->shape[0]; i++)
    {
      const gint64 *size = first + i * n;

      if (memcmp (size + 1, shape + 1, (gsize) (n - 1) * sizeof *shape) != 0)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "%s: trajectories 0 and %" G_GINT64_FORMAT " have rows of other shapes",
                       where, i);
          return NULL;
        }
      if (__builtin_add_overflow (shape[0], size[0], &shape[0]))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "%s: trajectories have more than 2^63 rows", where);
          return NULL;
        }
    }
  return reel_tensor_view (values, (gint) n, shape, error);
}

/* The components are batch elements: dimension 0 of the batch counts them. */
static ReelTensordict *
join_components (const ReelLoadBatch *batch, const char *where, ReelTensor *values,
                 const ReelTensor *sizes, GError **error)
{
  const ReelLoadBatch first = { MIN (batch->ndim, 1), { batch->size[0] } };
  gint inner_ndim = MAX (batch->ndim - 1, 0);
  GError *fault = NULL;

  if (!reel_load_check_batch (&first, where, sizes->ndim, sizes->shape, error))
    return NULL;
  ReelTensordict *ragged = reel_ragged_new (values, sizes, inner_ndim, batch->size + 1, &fault);
  if (!ragged)
    reel_load_damaged (where, fault, error);
  return ragged;
}

static gboolean
read_ragged (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
             const char *where, const char *key, const ReelTensor *leaf, ReelTensordictValue *value,
             GError **error)
{
  g_autoptr (ReelTensor) sizes = read_sizes (loader, level, where, key, leaf, error);
  GError *fault = NULL;

  if (!sizes)
    return FALSE;
  ReelTensor flat = { .dtype = leaf->dtype, .ndim = 1 };
  flat.shape[0] = reel_ragged_count (sizes, reel_dtype_size (leaf->dtype), &fault);
  if (flat.shape[0] < 0)
    return reel_load_damaged (where, fault, error);
  g_autoptr (ReelTensor) values = new_tensor (loader, level, key, REEL_MEMMAP_SUFFIX, &flat, error);
  if (!values)
    return FALSE;
  if (loader->flags & REEL_LOAD_JOINED)
    return (value->tensor = join_rows (where, values, sizes, error)) != NULL;
  return (value->child = join_components (batch, where, values, sizes, error)) != NULL;
}

gboolean
reel_load_leaf (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
                const char *key, const json_t *entry, ReelTensordictValue *value, GError **error)
{
  g_autofree char *where = g_strdup_printf ("%s: \"%s\"", level->metadata, key);
  gboolean ragged = json_is_true (json_object_get (entry, "is_nested"));
  ReelTensor leaf;

  *value = (ReelTensordictValue){ 0 };
  if (ragged && loader->flags & REEL_LOAD_TENSORS)
    {
      g_autofree char *path = reel_load_path (level, key);
      reel_load_leave_out (loader, level->directory, path, "ragged tensor");
      return TRUE;
    }
  if (!read_type (where, entry, &leaf, error))
    return FALSE;
  if (ragged)
    return read_ragged (loader, level, batch, where, key, &leaf, value, error);
  if (loader->flags & REEL_LOAD_JOINED)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: is one tensor, one of ragged rows expected", where);
      return FALSE;
    }
  if (!reel_load_check_batch (batch, where, leaf.ndim, leaf.shape, error))
    return FALSE;
  value->tensor = new_tensor (loader, level, key, REEL_MEMMAP_SUFFIX, &leaf, error);
  return value->tensor != NULL;
}
