#include "batch.h"
#include "storages/gather-kernel.h"
#include "samplers/sampler-private.h"
#include "storages/layout.h"

#include <string.h>

#define INDEX "index"
#define NONE (-1)

/* Where the values of one leaf come from. */
typedef struct
{
  gint column; /* of the storage; NONE for what is not stored */
  gint info;   /* of the sampler: set where there is no column, else merged into it; NONE */
} Leaf;

struct _ReelBatchLayout
{
  ReelStorage *storage;
  gboolean with_index;
  gboolean untyped; /* more than the fields of the storage's class */
  const ReelInfoColumn *info;
  guint n_info;
  ReelTensordict *pattern; /* a batch of two rows: others have its keys, in its order */
  Leaf *leaves;            /* of the pattern, in its order */
};

/* ---- making ---- */

static gboolean
is_stored (const ReelBatchLayout *layout, const char *path)
{
  return reel_storage_find_column (layout->storage, path, NULL) >= 0;
}

/* Whether an info column becomes a leaf of its own. */
static gboolean
is_extra (const ReelBatchLayout *layout, const ReelInfoColumn *info)
{
  return info->merge == REEL_INFO_SET
         || (info->merge == REEL_INFO_OR && !is_stored (layout, info->path));
}

static gboolean
is_replaced (const ReelBatchLayout *layout, const char *path)
{
  if (layout->with_index && strcmp (path, INDEX) == 0)
    return TRUE;
  for (guint i = 0; i < layout->n_info; i++)
    if (layout->info[i].merge == REEL_INFO_SET && strcmp (layout->info[i].path, path) == 0)
      return TRUE;
  return FALSE;
}

static ReelTensordict *
new_level (const ReelBatchLayout *layout, const ReelTensordict *data, const char *prefix, gint64 n,
           GError **error)
{
  gint n_storage_dims = reel_storage_get_ndim (layout->storage), ndim;
  gint64 shape[REEL_MAX_NDIM];
  const char *names[REEL_MAX_NDIM] = { NULL };
  const gint64 *size = reel_tensordict_get_batch_size (data, &ndim);
  g_autoptr (ReelTensordict) level = NULL;
  const ReelTensordictEntry *entry;

  shape[0] = n;
  memcpy (shape + 1, size + n_storage_dims, (gsize) (ndim - n_storage_dims) * sizeof *shape);
  level = *prefix == '\0' && layout->untyped
              ? reel_tensordict_new (ndim - n_storage_dims + 1, shape)
              : reel_layout_new_level (data, ndim - n_storage_dims + 1, shape);
  for (gint d = n_storage_dims; d < ndim; d++)
    names[d - n_storage_dims + 1] = reel_tensordict_get_name (data, d);
  reel_tensordict_set_names (level, names, NULL);
  for (guint i = 0; (entry = reel_tensordict_get_entry (data, i)); i++)
    {
      const ReelTensor *tensor = entry->tensor;
      g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);
      g_autofree char *below = g_strconcat (path, "/", NULL);
      g_autoptr (ReelTensordict) nested = NULL;
      g_autoptr (ReelTensor) leaf = NULL;

      if (is_replaced (layout, path))
        continue;
      if (tensor)
        {
          memcpy (shape + 1, tensor->shape + n_storage_dims,
                  (gsize) (tensor->ndim - n_storage_dims) * sizeof *shape);
          leaf = reel_tensor_new (tensor->dtype, tensor->ndim - n_storage_dims + 1, shape, error);
        }
      else
        nested = new_level (layout, entry->child, below, n, error);
      if ((!leaf && !nested) || !reel_layout_add (level, entry, leaf, nested, error))
        return NULL;
    }
  return g_steal_pointer (&level);
}

/* Adds a leaf [n, feature]. Batch dimensions beyond the storage's see the same in each of their
 * elements. */
static gboolean
add_leaf (ReelTensordict *batch, const char *path, ReelDtype dtype, gint ndim, gint64 feature,
          GError **error)
{
  gint batch_ndim;
  const gint64 *size = reel_tensordict_get_batch_size (batch, &batch_ndim);
  gint64 shape[REEL_MAX_NDIM + 1] = { size[0], feature };
  g_autoptr (ReelTensor) leaf = reel_tensor_new (dtype, ndim + 1, shape, error);

  for (gint i = 1; leaf && i < batch_ndim; i++)
    {
      g_autoptr (ReelTensor) narrow = g_steal_pointer (&leaf);
      leaf = reel_tensor_unsqueeze (narrow, i, error);
    }
  if (leaf && batch_ndim > 1)
    {
      g_autoptr (ReelTensor) narrow = g_steal_pointer (&leaf);

      memcpy (shape, size, (gsize) batch_ndim * sizeof *shape);
      shape[batch_ndim] = feature;
      leaf = reel_tensor_expand (narrow, narrow->ndim, shape, error);
    }
  return leaf && reel_tensordict_set_tensor (batch, path, leaf, error);
}

ReelTensordict *
reel_batch_new (const ReelBatchLayout *layout, gint64 n, GError **error)
{
  gint ndim = reel_storage_get_ndim (layout->storage);
  g_autoptr (ReelTensordict) batch =
      new_level (layout, reel_storage_get_data (layout->storage), "", n, error);

  if (!batch || !reel_tensordict_set_device (batch, "cpu", error))
    return NULL;
  if (layout->with_index && !add_leaf (batch, INDEX, REEL_DTYPE_INT64, ndim > 1, ndim, error))
    return NULL;
  for (guint i = 0; i < layout->n_info; i++)
    {
      const ReelInfoColumn *info = &layout->info[i];

      if (is_extra (layout, info)
          && !add_leaf (batch, info->path, info->dtype, info->ndim, info->shape[0], error))
        return NULL;
    }
  return g_steal_pointer (&batch);
}

/* ---- the layout ---- */

static gint
find_info (const ReelBatchLayout *layout, const char *path)
{
  for (guint i = 0; i < layout->n_info; i++)
    if (strcmp (layout->info[i].path, path) == 0)
      return (gint) i;
  return NONE;
}

static gboolean
resolve_leaf (const ReelBatchLayout *layout, const char *path, Leaf *leaf, GError **error)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (layout->storage, &n);

  *leaf = (Leaf){ .column = NONE, .info = find_info (layout, path) };
  if (is_replaced (layout, path))
    return TRUE;
  leaf->column = reel_storage_find_column (layout->storage, path, NULL);
  if (leaf->column == NONE || leaf->info == NONE || columns[leaf->column].dtype == REEL_DTYPE_BOOL)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "the sampler marks rows in \"%s\", which takes a bool: the storage holds %s", path,
               reel_dtype_name (columns[leaf->column].dtype));
  return FALSE;
}

ReelBatchLayout *
reel_batch_layout_new (ReelStorage *storage, gboolean with_index, const ReelInfoColumn *info,
                       guint n_info, GError **error)
{
  g_autoptr (ReelBatchLayout) layout = g_new0 (ReelBatchLayout, 1);
  g_auto (GStrv) paths = NULL;
  gboolean is_tree = reel_tensordict_is_tree (reel_storage_get_data (storage));
  gboolean is_typed = reel_tensordict_get_class_name (reel_storage_get_data (storage)) != NULL;

  if (is_tree)
    n_info = 0; /* it has no place for keys */
  layout->storage = storage;
  layout->untyped = is_typed && n_info > 0;
  layout->with_index = with_index && !is_tree && (!is_typed || layout->untyped);
  layout->info = info;
  layout->n_info = n_info;
  layout->pattern = reel_batch_new (layout, 2, error);
  if (!layout->pattern)
    return NULL;
  paths = reel_tensordict_list_leaves (layout->pattern);
  layout->leaves = g_new (Leaf, g_strv_length (paths) + 1);
  layout->leaves[g_strv_length (paths)] = (Leaf){ NONE, NONE }; /* ends them */
  for (guint i = 0; paths[i]; i++)
    if (!resolve_leaf (layout, paths[i], &layout->leaves[i], error))
      return NULL;
  return g_steal_pointer (&layout);
}

void
reel_batch_layout_free (ReelBatchLayout *layout)
{
  if (!layout)
    return;
  g_clear_pointer (&layout->pattern, reel_tensordict_unref);
  g_free (layout->leaves);
  g_free (layout);
}

/* ---- recycling ---- */

static gboolean
leaf_fits (const ReelTensor *leaf, const ReelTensor *pattern, gint64 n)
{
  if (leaf->dtype != pattern->dtype || leaf->ndim != pattern->ndim || leaf->shape[0] != n)
    return FALSE;
  for (gint i = 0; i < leaf->ndim; i++)
    if ((i > 0 && leaf->shape[i] != pattern->shape[i])
        || (leaf->shape[i] > 1 && leaf->strides[i] != pattern->strides[i]))
      return FALSE;
  return TRUE;
}

static gboolean
level_fits (const ReelTensordict *batch, const ReelTensordict *pattern, gint64 n)
{
  ReelTensordictIter batch_iter, pattern_iter;
  const char *key, *batch_key;
  ReelTensor *wanted, *leaf;
  ReelTensordict *child, *batch_child;

  reel_tensordict_iter_init (&batch_iter, batch);
  reel_tensordict_iter_init (&pattern_iter, pattern);
  while (reel_tensordict_iter_next (&pattern_iter, &key, &wanted, &child))
    if (!reel_tensordict_iter_next (&batch_iter, &batch_key, &leaf, &batch_child)
        || strcmp (key, batch_key) != 0 || !wanted != !leaf || !child != !batch_child
        || (wanted && !leaf_fits (leaf, wanted, n))
        || (child && !level_fits (batch_child, child, n)))
      return FALSE;
  return !reel_tensordict_iter_next (&batch_iter, NULL, NULL, NULL);
}

gboolean
reel_batch_fits (const ReelBatchLayout *layout, const ReelTensordict *batch, gint64 n)
{
  return level_fits (batch, layout->pattern, n);
}

/* ---- filling ---- */

typedef struct
{
  const ReelGatherKernels *gather;
  const ReelCopyKernels *copy;
  const ReelColumn *columns;
  const Leaf *leaf; /* the next */
  const ReelDraw *draw;
  const ReelInfoColumn *info;
  const gint64 *slots; /* NULL: the rows from slot on, or runs */
  const ReelRun *runs;
  gint64 first;
  gint64 slot;
  gint64 n;
  gint fetched; /* column whose first rows are on their way; NONE */
  const ReelRows *records;
  ReelGatherField fields[REEL_MAX_FIELDS]; /* of records, to be gathered */
  guint n_fields;
} Fill;

typedef void (*FillFunc) (Fill *fill, const Leaf *leaf, ReelTensor *to);

/* The leaves of a batch come in the order of those of its layout. */
static void
fill_level (Fill *fill, ReelTensordict *batch, FillFunc func)
{
  ReelTensordictIter iter;
  ReelTensor *leaf;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, batch);
  while (reel_tensordict_iter_next (&iter, NULL, &leaf, &child))
    {
      if (child)
        fill_level (fill, child, func);
      if (leaf)
        func (fill, fill->leaf++, leaf);
    }
}

/* The rows of a leaf, where it is stored and has elements. */
static gboolean
find_rows (const Fill *fill, const Leaf *leaf, ReelRows *rows)
{
  if (leaf->column == NONE || fill->columns[leaf->column].row_bytes == 0)
    return FALSE;
  *rows = reel_column_rows (&fill->columns[leaf->column]);
  return TRUE;
}

static void
gather_leaf (Fill *fill, const Leaf *leaf, ReelTensor *to)
{
  ReelRows rows, next;
  gboolean has_next = find_rows (fill, fill->leaf, &next);

  if (!find_rows (fill, leaf, &rows))
    return;
  if (fill->fetched != leaf->column)
    fill->gather->fetch (&rows, fill->slots, fill->n);
  fill->gather->gather (to->data, &rows, fill->slots, fill->n, has_next ? &next : NULL);
  fill->fetched = has_next ? fill->leaf->column : NONE;
}

static void
gather_runs_of_leaf (Fill *fill, const Leaf *leaf, ReelTensor *to)
{
  ReelRows rows;

  if (find_rows (fill, leaf, &rows))
    fill->gather->runs (to->data, &rows, fill->runs, fill->n);
}

static void
gather_fields (Fill *fill)
{
  if (fill->slots)
    fill->gather->records (fill->fields, fill->n_fields, fill->records, fill->slots, fill->n);
  else
    fill->gather->record_runs (fill->fields, fill->n_fields, fill->records, fill->runs, fill->n);
  fill->n_fields = 0;
}

static void
gather_field (Fill *fill, const Leaf *leaf, ReelTensor *to)
{
  ReelRows rows;

  if (!find_rows (fill, leaf, &rows))
    return;
  fill->fields[fill->n_fields++] =
      (ReelGatherField){ to->data, (gsize) (rows.data - fill->records->data), rows.row_bytes };
  if (fill->n_fields == REEL_MAX_FIELDS)
    gather_fields (fill);
}

static void
copy_leaf (Fill *fill, const Leaf *leaf, ReelTensor *to)
{
  ReelRows rows;

  if (!find_rows (fill, leaf, &rows))
    return;
  guint8 *first = to->data + (gsize) fill->first * rows.row_bytes;
  const guint8 *from = rows.data + (gsize) fill->slot * rows.stride;
  if (rows.stride == rows.row_bytes)
    fill->copy->copy (first, from, (gsize) fill->n * rows.row_bytes);
  else
    fill->copy->strided (first, (gint64) rows.row_bytes, from, (gint64) rows.stride, rows.row_bytes,
                         fill->n);
}

static void
fill_batch (const ReelBatchLayout *layout, ReelTensordict *batch, Fill *fill, FillFunc func)
{
  ReelStoragePrivate *state = reel_storage_state (layout->storage);

  fill->gather = state->gather_kernels;
  fill->copy = state->kernels;
  fill->columns = state->columns.at;
  fill->leaf = layout->leaves;
  fill->info = layout->info;
  fill_level (fill, batch, func);
}

/* Records hold all columns in the same lines: these are gathered together, others one by one. */
static void
gather (const ReelBatchLayout *layout, ReelTensordict *batch, Fill *fill)
{
  const ReelColumns *columns = &reel_storage_state (layout->storage)->columns;

  fill->records = &columns->records;
  if (!columns->are_records)
    fill_batch (layout, batch, fill, fill->slots ? gather_leaf : gather_runs_of_leaf);
  else
    {
      fill_batch (layout, batch, fill, gather_field);
      gather_fields (fill);
    }
}

void
reel_batch_gather (const ReelBatchLayout *layout, ReelTensordict *batch, const gint64 *slots,
                   gint64 n)
{
  Fill fill = { .slots = slots, .n = n, .fetched = NONE };

  gather (layout, batch, &fill);
}

void
reel_batch_gather_runs (const ReelBatchLayout *layout, ReelTensordict *batch, const ReelRun *runs,
                        gint64 n_runs)
{
  Fill fill = { .runs = runs, .n = n_runs };

  gather (layout, batch, &fill);
}

void
reel_batch_copy (const ReelBatchLayout *layout, ReelTensordict *batch, gint64 first, gint64 slot,
                 gint64 n)
{
  Fill fill = { .first = first, .slot = slot, .n = n };

  fill_batch (layout, batch, &fill, copy_leaf);
}

/* ---- what the sampler says ---- */

/* A word at a time, which the compiler does not of itself. */
static void
or_bytes (guint8 *restrict to, const guint8 *restrict with, gint64 n)
{
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    {
      guint64 a, b;

      memcpy (&a, to + i, 8);
      memcpy (&b, with + i, 8);
      a |= b;
      memcpy (to + i, &a, 8);
    }
  for (; i < n; i++)
    to[i] |= with[i];
}

static void
set_leaf (Fill *fill, const Leaf *leaf, ReelTensor *to)
{
  const guint8 *said = leaf->info != NONE ? fill->draw->info[leaf->info] : NULL;
  gsize row_bytes = leaf->column != NONE ? fill->columns[leaf->column].row_bytes : 0;

  if (said && leaf->column == NONE)
    memcpy (to->data, said, (gsize) fill->draw->n * reel_info_row_bytes (&fill->info[leaf->info]));
  if (said && row_bytes == 1)
    or_bytes (to->data, said, fill->draw->n);
  else
    for (gint64 i = 0; said && leaf->column != NONE && i < fill->draw->n; i++)
      if (said[i])
        memset (to->data + (gsize) i * row_bytes, TRUE, row_bytes);
}

void
reel_batch_set_info (const ReelBatchLayout *layout, ReelTensordict *batch, const ReelDraw *draw)
{
  Fill fill = { .draw = draw };

  if (layout->n_info > 0)
    fill_batch (layout, batch, &fill, set_leaf);
}

gint64 *
reel_batch_index (const ReelBatchLayout *layout, const ReelTensordict *batch)
{
  return layout->with_index ? (gint64 *) reel_tensordict_get_tensor (batch, INDEX, NULL)->data
                            : NULL;
}
