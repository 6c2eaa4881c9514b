/* Stacks and concatenations of tensordicts. */
#include "lazy-stack-private.h"
#include "tree-private.h"

#include <string.h>

/* ---- values of one key ---- */

GArray *
reel_values_new (gsize n)
{
  GArray *values = g_array_sized_new (FALSE, TRUE, sizeof (ReelTensordictValue), n);

  g_array_set_clear_func (values, (GDestroyNotify) reel_tensordict_release_value);
  g_array_set_size (values, n);
  return values;
}

static const ReelTensordictValue *
value_at (const GArray *values, gsize i)
{
  return &g_array_index (values, ReelTensordictValue, i);
}

/* One kind's pointers of all values, or %NULL when another kind is among them. */
static gpointer *
pick (const GArray *values, gsize offset)
{
  g_autofree gpointer *picked = g_new (gpointer, values->len);

  for (guint i = 0; i < values->len; i++)
    {
      picked[i] = G_STRUCT_MEMBER (gpointer, value_at (values, i), offset);
      if (!picked[i])
        return NULL;
    }
  return g_steal_pointer (&picked);
}

gboolean
reel_values_stack (const char *key, const GArray *values, gint dim, ReelStackFunc nested,
                   gconstpointer data, ReelTensordictValue *result, GError **error)
{
  g_autofree gpointer *tensors = pick (values, offsetof (ReelTensordictValue, tensor));
  g_autofree gpointer *children = pick (values, offsetof (ReelTensordictValue, child));
  g_autofree gpointer *others = pick (values, offsetof (ReelTensordictValue, non_tensor));

  *result = (ReelTensordictValue){ NULL };
  if (tensors)
    result->tensor =
        reel_tensors_stack (key, (ReelTensor *const *) tensors, values->len, dim, error);
  else if (children)
    result->child = nested ((ReelTensordict *const *) children, values->len, dim, data, error);
  else if (others)
    result->non_tensor =
        reel_non_tensors_stack (key, (ReelNonTensor *const *) others, values->len, dim, error);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "\"%s\" is not of one kind in all tensordicts to stack: tensor, tensordict, "
                 "non-tensor",
                 key);
  return reel_tensordict_value_is_set (result);
}

/* ---- tensors ---- */

static gboolean
set_shape_error (const char *key, gint ndim, const gint64 *shape, gint other_ndim,
                 const gint64 *other, GError **error)
{
  g_autoptr (GString) text = g_string_new ("The shapes of the tensors to stack is incompatible: ");

  reel_tensordict_append_size (text, other_ndim, other);
  g_string_append (text, " vs ");
  reel_tensordict_append_size (text, ndim, shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s for key %s.", text->str, key);
  return FALSE;
}

static gboolean
check_alike (const char *key, ReelTensor *const *tensors, gsize n, GError **error)
{
  const ReelTensor *first = tensors[0];

  for (gsize i = 1; i < n; i++)
    {
      const ReelTensor *tensor = tensors[i];
      if (tensor->ndim != first->ndim
          || memcmp (tensor->shape, first->shape, first->ndim * sizeof first->shape[0]) != 0)
        return set_shape_error (key, first->ndim, first->shape, tensor->ndim, tensor->shape, error);
      if (tensor->dtype == first->dtype)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "the tensors to stack differ in type: %s vs %s for key %s",
                   reel_dtype_name (tensor->dtype), reel_dtype_name (first->dtype), key);
      return FALSE;
    }
  return TRUE;
}

static gint
insert_extent (gint64 *shape, gint ndim, const gint64 *from, gint dim, gsize n)
{
  memcpy (shape, from, dim * sizeof *shape);
  shape[dim] = (gint64) n;
  memcpy (shape + dim + 1, from + dim, (ndim - dim) * sizeof *shape);
  return ndim + 1;
}

ReelTensor *
reel_tensors_stack (const char *key, ReelTensor *const *tensors, gsize n, gint dim, GError **error)
{
  const ReelTensor *first = tensors[0];
  gint64 shape[REEL_MAX_NDIM + 1];

  if (!check_alike (key, tensors, n, error))
    return NULL;
  gint ndim = insert_extent (shape, first->ndim, first->shape, dim, n);
  g_autoptr (ReelTensor) result = reel_tensor_new_unfilled (first->dtype, ndim, shape, error);
  for (gsize i = 0; result && i < n; i++)
    {
      g_autoptr (ReelTensor) place = reel_tensor_select (result, dim, (gint64) i, error);
      reel_tensor_copy_unchecked (place, tensors[i]);
    }
  return g_steal_pointer (&result);
}

ReelNonTensor *
reel_non_tensors_stack (const char *key, ReelNonTensor *const *non_tensors, gsize n, gint dim,
                        GError **error)
{
  g_autofree ReelTensor **whiches = g_new (ReelTensor *, n);
  g_autoptr (ReelNonTensor) merged = reel_non_tensor_merge (non_tensors, n, whiches, error);

  if (!merged)
    return NULL;
  ReelTensor *which = reel_tensors_stack (key, whiches, n, dim, error);
  for (gsize i = 0; i < n; i++)
    reel_tensor_unref (whiches[i]);
  return which ? reel_non_tensor_new_view (merged, which) : NULL;
}

/* ---- levels ---- */

static ReelTensordict *stack_level (ReelTensordict *const *tds, gsize n, gint dim,
                                    gboolean may_be_lazy, GError **error);

static ReelTensordict *
stack_nested (ReelTensordict *const *tds, gsize n, gint dim, gconstpointer data, GError **error)
{
  return stack_level (tds, n, dim, GPOINTER_TO_INT (data), error);
}

static gboolean
check_batch_sizes (ReelTensordict *const *tds, gsize n, GError **error)
{
  const ReelTensordict *first = tds[0];

  for (gsize i = 1; i < n; i++)
    {
      const ReelTensordict *td = tds[i];
      if (td->kind != first->kind
          && (reel_tensordict_is_tree (td) || reel_tensordict_is_tree (first)))
        {
          g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                               "trees of different kinds cannot be stacked");
          return FALSE;
        }
      if (td->ndim == first->ndim
          && memcmp (td->batch_size, first->batch_size, td->ndim * sizeof (gint64)) == 0)
        continue;
      g_autoptr (GString) text = g_string_new (NULL);
      g_string_printf (text, "td[%" G_GSIZE_FORMAT "].batch_size=", i);
      reel_tensordict_append_size (text, td->ndim, td->batch_size);
      g_string_append (text, " and td[0].batch_size=");
      reel_tensordict_append_size (text, first->ndim, first->batch_size);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "stacking tensordicts requires them to have congruent batch sizes, got %s",
                   text->str);
      return FALSE;
    }
  return TRUE;
}

static gboolean
set_exclusive_error (const char *key, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "The sets of keys in the tensordicts to stack are exclusive: \"%s\" is not in all "
               "of them. Consider stacking them lazily.",
               key);
  return FALSE;
}

static gboolean
has_same_key (const ReelTensordict *td, const ReelTensordictEntry *entry)
{
  const ReelTensordictEntry *other = reel_tensordict_find (td, entry->escaped, entry->length);

  return other ? other->is_number == entry->is_number
               : reel_tensordict_has_key (td, entry->escaped, entry->length);
}

static gboolean
check_same_keys (ReelTensordict *const *tds, gsize n, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (tds[i]);
      for (guint j = 0; j < entries->len; j++)
        {
          const ReelTensordictEntry *entry = entries->pdata[j];
          for (gsize k = i == 0 ? 1 : 0; k < (i == 0 ? n : 1); k++)
            if (!has_same_key (tds[k], entry))
              return set_exclusive_error (entry->key, error);
        }
    }
  return TRUE;
}

/* The shape that must agree, or %NULL for another kind than @like's. */
static const gint64 *
get_shape (const ReelTensordictValue *value, const ReelTensordictValue *like, gint *ndim)
{
  if (!value->child != !like->child || !value->tensor != !like->tensor)
    return NULL;
  if (value->child)
    return reel_tensordict_get_batch_size (value->child, ndim);
  if (value->non_tensor)
    return reel_non_tensor_get_batch_size (value->non_tensor, ndim);
  *ndim = value->tensor->ndim;
  return value->tensor->shape;
}

/* Shapes of one key; −1, which is none, differs from itself. */
static gboolean
check_shapes (const char *key, const GArray *values, GError **error)
{
  gint ndim, other_ndim;
  const gint64 *first = get_shape (value_at (values, 0), value_at (values, 0), &ndim);

  for (guint i = 1; i < values->len; i++)
    {
      const gint64 *other = get_shape (value_at (values, i), value_at (values, 0), &other_ndim);
      if (!other)
        return set_exclusive_error (key, error);
      gboolean same = ndim == other_ndim;
      for (gint j = 0; same && j < ndim; j++)
        same = first[j] == other[j] && first[j] >= 0;
      if (!same)
        return set_shape_error (key, ndim, first, other_ndim, other, error);
    }
  return TRUE;
}

/* For each entry of the first, the values of all. */
static GPtrArray *
collect (ReelTensordict *const *tds, gsize n, const GPtrArray *entries, GError **error)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint i = 0; i < entries->len; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      GArray *values = reel_values_new (n);
      g_ptr_array_add (columns, values);
      for (gsize j = 0; j < n; j++)
        if (!reel_tensordict_ref_entry (tds[j], entry->escaped, entry->length,
                                        &g_array_index (values, ReelTensordictValue, j), error))
          return NULL;
      if (!check_shapes (entry->key, values, error))
        return NULL;
    }
  return g_steal_pointer (&columns);
}

/* Names and device survive where all agree on them. */
static ReelTensordict *
new_stacked (ReelTensordict *const *tds, gsize n, gint dim, const gint64 *shape)
{
  const ReelTensordict *first = tds[0];
  ReelTensordict *result = reel_tensordict_new_like (first, first->ndim + 1, shape);
  const char *names[REEL_MAX_NDIM] = { NULL };
  gboolean same_names = TRUE, same_device = TRUE;

  for (gsize i = 0; i < n; i++)
    {
      same_device &= tds[i]->on_cpu == first->on_cpu;
      for (gint j = 0; j < first->ndim; j++)
        same_names &= g_strcmp0 (tds[i]->names[j], first->names[j]) == 0;
    }
  for (gint j = 0; j < first->ndim && same_names; j++)
    names[j < dim ? j : j + 1] = first->names[j];
  reel_tensordict_copy_names (result, names);
  if (!same_device)
    reel_tensordict_put_on_device (result, FALSE);
  return result;
}

static ReelTensordict *
stack_columns (ReelTensordict *const *tds, gsize n, gint dim, gboolean may_be_lazy,
               const GPtrArray *entries, const GPtrArray *columns, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];
  gint ndim = insert_extent (shape, tds[0]->ndim, tds[0]->batch_size, dim, n);

  if (!reel_shape_check (ndim, shape, 1, error))
    return NULL;
  g_autoptr (ReelTensordict) result = new_stacked (tds, n, dim, shape);
  for (guint i = 0; i < entries->len; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      ReelTensordictValue value;
      if (!reel_values_stack (entry->key, columns->pdata[i], dim, stack_nested,
                              GINT_TO_POINTER (may_be_lazy), &value, error))
        return NULL;
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}

/* ---- lazy stacks ---- */

static gboolean
are_alike_lazy (ReelTensordict *const *tds, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (!reel_tensordict_is_lazy (tds[i]) || tds[i]->stack_dim != tds[0]->stack_dim
        || tds[i]->elements->len != tds[0]->elements->len)
      return FALSE;
  return TRUE;
}

/* Their elements are stacked one by one, and stay a lazy stack. */
static ReelTensordict *
stack_elements (ReelTensordict *const *tds, gsize n, gint dim, gboolean may_be_lazy, GError **error)
{
  gint lazy_dim = tds[0]->stack_dim + (dim <= tds[0]->stack_dim);
  gint inner_dim = dim - (dim > tds[0]->stack_dim);
  g_autoptr (GPtrArray) stacks =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autofree ReelTensordict **elements = g_new (ReelTensordict *, n);

  for (guint i = 0; i < tds[0]->elements->len; i++)
    {
      for (gsize j = 0; j < n; j++)
        elements[j] = tds[j]->elements->pdata[i];
      ReelTensordict *stack = stack_level (elements, n, inner_dim, may_be_lazy, error);
      if (!stack)
        return NULL;
      g_ptr_array_add (stacks, stack);
    }
  return reel_lazy_stack_new_like (tds[0], (ReelTensordict *const *) stacks->pdata, stacks->len,
                                   lazy_dim, error);
}

static ReelTensordict *
stack_level (ReelTensordict *const *tds, gsize n, gint dim, gboolean may_be_lazy, GError **error)
{
  g_autoptr (GError) fault = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (GPtrArray) columns = NULL;

  if (check_batch_sizes (tds, n, &fault) && check_same_keys (tds, n, &fault))
    {
      if (are_alike_lazy (tds, n))
        return stack_elements (tds, n, dim, may_be_lazy, error);
      entries = reel_tensordict_list_entries (tds[0]);
      columns = collect (tds, n, entries, &fault);
    }
  if (columns)
    return stack_columns (tds, n, dim, may_be_lazy, entries, columns, error);
  if (may_be_lazy)
    return reel_lazy_stack_new (tds, n, dim, error);
  g_propagate_error (error, g_steal_pointer (&fault));
  return NULL;
}

static ReelTensordict *
stack (ReelTensordict *const *tds, gsize n, gint dim, gboolean may_be_lazy, GError **error)
{
  if (n == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "stack expects a non-empty list of tensordicts");
      return NULL;
    }
  if (!reel_dim_resolve (&dim, tds[0]->ndim + 1, error))
    return NULL;
  return stack_level (tds, n, dim, may_be_lazy, error);
}

ReelTensordict *
reel_tensordict_stack (ReelTensordict *const *tds, gsize n, gint dim, GError **error)
{
  return stack (tds, n, dim, FALSE, error);
}

ReelTensordict *
reel_tensordict_maybe_dense_stack (ReelTensordict *const *tds, gsize n, gint dim, GError **error)
{
  return stack (tds, n, dim, TRUE, error);
}
