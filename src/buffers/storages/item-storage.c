/* The base of storages of values: each row is one immutable value in a slot of its table. */
#include "item-storage.h"

#include "../../core/tensordict/lazy-stack.h"
#include "../../core/tensordict/tree-private.h"
#include "../../core/tensordict/variant.h"
#include "storage-private.h"
#include "item-rows.h"

typedef struct
{
  ReelItemTable table;
  int collate;
} ReelItemStoragePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelItemStorage, reel_item_storage, REEL_TYPE_STORAGE)

static const char *const collates[] = { "stack", "lazy-stack", "rows", NULL };

static ReelItemStoragePrivate *
get_private (ReelItemStorage *self)
{
  return reel_item_storage_get_instance_private (self);
}

ReelItemTable *
reel_item_storage_get_table (ReelItemStorage *self)
{
  return &get_private (self)->table;
}

/* ---- one row ---- */

static ReelStoredValue *
pack (ReelItemStorage *self, ReelTensordict *row, GError **error)
{
  ReelItemStorageClass *klass = REEL_ITEM_STORAGE_GET_CLASS (self);
  g_autoptr (ReelTensordict) own = reel_tensordict_clone (row, FALSE, error);

  if (!own)
    return NULL;
  return klass->pack ? klass->pack (self, own, error)
                     : reel_stored_value_new (g_steal_pointer (&own), NULL);
}

GPtrArray *
reel_item_storage_pack (ReelItemStorage *self, const ReelTensordict *rows, GError **error)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_stored_value_unref);

  for (gint64 i = 0; i < reel_rows_count (rows); i++)
    {
      ReelStoredValue *value = pack (self, reel_rows_get (rows, i), error);

      if (!value)
        return NULL;
      g_ptr_array_add (values, value);
    }
  return g_steal_pointer (&values);
}

ReelTensordict *
reel_item_storage_get_row (ReelItemStorage *self, gint64 slot, GError **error)
{
  ReelItemStorageClass *klass = REEL_ITEM_STORAGE_GET_CLASS (self);
  g_autoptr (ReelStoredValue) value = reel_item_table_get (&get_private (self)->table, slot);

  if (value)
    return klass->unpack ? klass->unpack (self, value, error)
                         : reel_tensordict_clone (value->td, FALSE, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "Index %" G_GINT64_FORMAT " out of bounds or not set", slot);
  return NULL;
}

ReelTensor *
reel_item_storage_ref_leaf (ReelItemStorage *self, gint64 slot, const char *path)
{
  ReelItemStorageClass *klass = REEL_ITEM_STORAGE_GET_CLASS (self);
  g_autoptr (ReelStoredValue) value = reel_item_table_get (&get_private (self)->table, slot);

  if (!value || reel_tensordict_is_tree (value->td))
    return NULL;
  return klass->unpack_leaf ? klass->unpack_leaf (self, value, path)
                            : reel_tensordict_ref_tensor (value->td, path, NULL);
}

/* ---- several rows ---- */

ReelTensordict *
reel_item_storage_get_rows (ReelItemStorage *self, const gint64 *slots, gint64 n, GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_tree_new (REEL_TENSORDICT_LIST);

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (ReelTensordict) row = reel_item_storage_get_row (self, slots[i], error);

      if (!row || !reel_tree_append (rows, row, error))
        return NULL;
    }
  return g_steal_pointer (&rows);
}

static gboolean
has_tree (ReelTensordict *const *rows, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (reel_tensordict_is_tree (rows[i]))
      return TRUE;
  return FALSE;
}

static ReelTensordict *
stack (ReelItemStorage *self, ReelTensordict *const *rows, gsize n, GError **error)
{
  ReelItemStorageClass *klass = REEL_ITEM_STORAGE_GET_CLASS (self);
  gint ndim, dim;

  reel_tensordict_get_batch_size (rows[0], &ndim);
  dim = klass->stack_dim ? klass->stack_dim (self, ndim) : 0;
  if (has_tree (rows, n))
    return reel_tensordict_stack (rows, n, 0, error);
  return get_private (self)->collate == REEL_COLLATE_STACK
             ? reel_tensordict_maybe_dense_stack (rows, n, dim, error)
             : reel_lazy_stack_new (rows, n, dim, error);
}

ReelTensordict *
reel_item_storage_collate (ReelItemStorage *self, ReelTensordict *rows, GError **error)
{
  gint64 n = reel_rows_count (rows);
  g_autofree ReelTensordict **items = g_new (ReelTensordict *, n);
  ReelTensordict *stacked;

  if (get_private (self)->collate == REEL_COLLATE_ROWS)
    return reel_tensordict_ref (rows);
  if (n == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "there are no rows to stack: collate=rows gives an empty list");
      return NULL;
    }
  for (gint64 i = 0; i < n; i++)
    items[i] = reel_rows_get (rows, i);
  stacked = stack (self, items, (gsize) n, error);
  if (!stacked)
    g_prefix_error (error, "the rows cannot be stacked, and collate=rows gives them as they are: ");
  return stacked;
}

ReelTensor *
reel_item_storage_list_slots (ReelItemStorage *self, GError **error)
{
  ReelStorageView view;
  gint64 n;
  ReelTensor *slots;

  reel_storage_get_view (REEL_STORAGE (self), &view);
  n = reel_storage_count_filled (REEL_STORAGE (self), &view);
  slots = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  for (gint64 i = 0; slots && i < n; i++)
    ((gint64 *) slots->data)[i] = i;
  return slots;
}

ReelTensordict *
reel_item_storage_read (ReelItemStorage *self, const ReelTensor *slots, GError **error)
{
  g_autoptr (ReelTensor) dense = NULL;
  g_autoptr (ReelTensordict) rows = NULL;

  if (slots->ndim > 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s can only be indexed with one-length tuples, this index gives %d dimensions",
                   REEL_STORAGE_GET_CLASS (self)->peer_name, slots->ndim);
      return NULL;
    }
  if (slots->ndim == 0)
    return reel_item_storage_get_row (self, *(const gint64 *) slots->data, error);
  dense = reel_tensor_contiguous ((ReelTensor *) slots, error);
  rows = dense ? reel_item_storage_get_rows (self, (const gint64 *) dense->data, dense->shape[0],
                                             error)
               : NULL;
  return rows ? reel_item_storage_collate (self, rows, error) : NULL;
}

gboolean
reel_item_storage_check_columns (ReelStorage *storage, const char *who, GError **error)
{
  if (!REEL_IS_ITEM_STORAGE (storage))
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_TYPE,
      "%s wants columns, and a %s holds each row by itself: use a tensor or memmap storage", who,
      REEL_STORAGE_GET_CLASS (storage)->peer_name);
  return FALSE;
}

/* ---- what it prints ---- */

/* The result of Python's `str`: of a bare tensor or value that itself. */
static char *
describe (const ReelTensordict *td)
{
  const ReelTensordictEntry *entry =
      td->kind == REEL_TENSORDICT_SINGLE ? reel_tensordict_get_entry (td, 0) : NULL;
  GString *text;

  if (!entry)
    return reel_tensordict_is_tree (td) ? reel_tree_to_repr (td) : reel_tensordict_to_string (td);
  if (entry->tensor)
    return reel_tensor_to_string (entry->tensor);
  text = g_string_new (NULL);
  reel_variant_append_str (text, reel_non_tensor_get_value (entry->non_tensor, NULL));
  return g_string_free (text, FALSE);
}

static char *
to_string (ReelStorage *storage)
{
  ReelItemStorage *self = REEL_ITEM_STORAGE (storage);
  ReelItemStorageClass *klass = REEL_ITEM_STORAGE_GET_CLASS (self);
  g_autoptr (ReelStoredValue) first = reel_item_table_get (&get_private (self)->table, 0);
  const char *name = REEL_STORAGE_GET_CLASS (storage)->peer_name;
  g_autofree char *text = NULL;

  if (!first || reel_storage_get_length (storage) == 0)
    return g_strdup_printf ("%s()", name);
  text = klass->describe ? klass->describe (self, first) : describe (first->td);
  return g_strdup_printf ("%s(items=[%s, ...])", name, text);
}

/* ---- the class ---- */

static void
forget (ReelStorage *storage)
{
  reel_item_table_clear (&get_private (REEL_ITEM_STORAGE (storage))->table);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelStorage *storage = REEL_STORAGE (object);

  if (!REEL_OBJECT_CLASS (reel_item_storage_parent_class)->build (object, error))
    return FALSE;
  if (reel_storage_get_ndim (storage) != 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "ndim of a %s is 1: its rows have no common dimensions",
                   REEL_STORAGE_GET_CLASS (storage)->peer_name);
      return FALSE;
    }
  reel_storage_begin_values (storage);
  return TRUE;
}

static void
finalize (GObject *object)
{
  reel_item_table_free (&get_private (REEL_ITEM_STORAGE (object))->table);
  G_OBJECT_CLASS (reel_item_storage_parent_class)->finalize (object);
}

static void
reel_item_storage_class_init (ReelItemStorageClass *klass)
{
  ReelStorageClass *storage_class = REEL_STORAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->build = build;
  storage_class->forget = forget;
  storage_class->to_string = to_string;
}

void
reel_item_storage_class_set_up (ReelItemStorageClass *klass, const char *peer_name,
                                ReelCollate collate)
{
  REEL_STORAGE_CLASS (klass)->peer_name = peer_name;
  reel_object_class_add_enum (REEL_OBJECT_CLASS (klass), "collate",
                              (gsize) G_PRIVATE_OFFSET (ReelItemStorage, collate), collates,
                              collate, "form of several rows: one stack, a lazy stack, a list",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_item_storage_init (ReelItemStorage *self)
{
}
