#include "tensordict-private.h"

#include <string.h>

static gboolean
set_incongruent_error (const ReelTensordict *td1, const ReelTensordict *td2, GError **error)
{
  g_autoptr (GString) text = g_string_new ("stacking tensordicts requires them to have congruent "
                                           "batch sizes, got td1.batch_size=");
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td1, &ndim);

  reel_tensordict_append_size (text, ndim, shape);
  g_string_append (text, " and td2.batch_size=");
  shape = reel_tensordict_get_batch_size (td2, &ndim);
  reel_tensordict_append_size (text, ndim, shape);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, text->str);
  return FALSE;
}

static gboolean
check_batch_sizes (ReelTensordict *const *tds, gsize n, GError **error)
{
  gint ndim, first_ndim;
  const gint64 *first = reel_tensordict_get_batch_size (tds[0], &first_ndim);

  for (gsize i = 1; i < n; i++)
    {
      const gint64 *shape = reel_tensordict_get_batch_size (tds[i], &ndim);
      if (ndim != first_ndim || memcmp (shape, first, ndim * sizeof *shape) != 0)
        return set_incongruent_error (tds[i], tds[0], error);
    }
  return TRUE;
}

/* The entries of one key in all of the tensordicts, or %NULL when one has none of that kind. */
static const ReelTensordictEntry **
find_in_all (ReelTensordict *const *tds, gsize n, const ReelTensordictEntry *first, GError **error)
{
  g_autofree const ReelTensordictEntry **entries = g_new (const ReelTensordictEntry *, n);

  for (gsize i = 0; i < n; i++)
    {
      entries[i] = reel_tensordict_find (tds[i], first->escaped, first->length);
      if (!entries[i] || !entries[i]->tensor != !first->tensor
          || !entries[i]->child != !first->child)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "The sets of keys in the tensordicts to stack are exclusive: \"%s\" is not "
                       "in all of them, or not everywhere a %s",
                       first->key,
                       first->tensor  ? "tensor"
                       : first->child ? "tensordict"
                                      : "non-tensor");
          return NULL;
        }
    }
  return g_steal_pointer (&entries);
}

static gboolean
check_same_keys (ReelTensordict *const *tds, gsize n, GError **error)
{
  const ReelTensordictEntry *entry;

  /* Every key of the others must be in the first; stacking looks at it the other way round. */
  for (gsize i = 1; i < n; i++)
    for (guint j = 0; (entry = reel_tensordict_get_entry (tds[i], j)); j++)
      {
        g_autofree const ReelTensordictEntry **found = find_in_all (tds, 1, entry, error);
        if (!found)
          return FALSE;
      }
  return TRUE;
}

static gboolean
check_same_leaf (const char *key, ReelTensor *const *tensors, gsize n, GError **error)
{
  const ReelTensor *first = tensors[0];

  for (gsize i = 1; i < n; i++)
    {
      const ReelTensor *tensor = tensors[i];
      if (tensor->dtype == first->dtype && tensor->ndim == first->ndim
          && memcmp (tensor->shape, first->shape, first->ndim * sizeof first->shape[0]) == 0)
        continue;
      g_autofree char *shape = reel_shape_to_string (first->ndim, first->shape);
      g_autofree char *other = reel_shape_to_string (tensor->ndim, tensor->shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "stack expects each tensor to be equal size, but for \"%s\" got %s of %s at "
                   "entry 0 and %s of %s at entry %" G_GSIZE_FORMAT,
                   key, shape, reel_dtype_name (first->dtype), other,
                   reel_dtype_name (tensor->dtype), i);
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

  if (!check_same_leaf (key, tensors, n, error))
    return NULL;
  gint ndim = insert_extent (shape, first->ndim, first->shape, dim, n);
  g_autoptr (ReelTensor) result = reel_tensor_new (first->dtype, ndim, shape, error);
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

static ReelTensor *
stack_leaves (const ReelTensordictEntry *const *entries, gsize n, gint dim, GError **error)
{
  g_autofree ReelTensor **tensors = g_new (ReelTensor *, n);

  for (gsize i = 0; i < n; i++)
    tensors[i] = entries[i]->tensor;
  return reel_tensors_stack (entries[0]->key, tensors, n, dim, error);
}

static ReelNonTensor *
stack_non_tensors (const ReelTensordictEntry *const *entries, gsize n, gint dim, GError **error)
{
  g_autofree ReelNonTensor **non_tensors = g_new (ReelNonTensor *, n);

  for (gsize i = 0; i < n; i++)
    non_tensors[i] = entries[i]->non_tensor;
  return reel_non_tensors_stack (entries[0]->key, non_tensors, n, dim, error);
}

static ReelTensordict *
stack_children (const ReelTensordictEntry *const *entries, gsize n, gint dim, GError **error)
{
  g_autofree ReelTensordict **children = g_new (ReelTensordict *, n);

  for (gsize i = 0; i < n; i++)
    children[i] = entries[i]->child;
  return reel_tensordict_stack (children, n, dim, error);
}

/* Names and device survive where all agree on them. */
static void
keep_common (ReelTensordict *result, ReelTensordict *const *tds, gsize n, gint ndim, gint dim)
{
  const char *names[REEL_MAX_NDIM] = { NULL };
  gboolean same_names = TRUE, same_device = TRUE;

  for (gsize i = 0; i < n; i++)
    {
      same_device &= reel_tensordict_get_device (tds[i]) == reel_tensordict_get_device (tds[0]);
      for (gint j = 0; j < ndim; j++)
        same_names &=
            g_strcmp0 (reel_tensordict_get_name (tds[i], j), reel_tensordict_get_name (tds[0], j))
            == 0;
    }
  for (gint j = 0; j < ndim && same_names; j++)
    names[j < dim ? j : j + 1] = reel_tensordict_get_name (tds[0], j);
  reel_tensordict_copy_names (result, names);
  if (!same_device)
    reel_tensordict_set_device (result, NULL, NULL);
}

ReelTensordict *
reel_tensordict_stack (ReelTensordict *const *tds, gsize n, gint dim, GError **error)
{
  const ReelTensordictEntry *first;
  gint64 shape[REEL_MAX_NDIM + 1];
  gint ndim;

  g_return_val_if_fail (n > 0, NULL);

  const gint64 *batch_size = reel_tensordict_get_batch_size (tds[0], &ndim);
  if (!reel_dim_resolve (&dim, ndim + 1, error) || !check_batch_sizes (tds, n, error)
      || !check_same_keys (tds, n, error))
    return NULL;
  insert_extent (shape, ndim, batch_size, dim, n);
  if (!reel_shape_check (ndim + 1, shape, 1, error))
    return NULL;

  g_autoptr (ReelTensordict) result = reel_tensordict_new_like (tds[0], ndim + 1, shape);
  keep_common (result, tds, n, ndim, dim);
  for (guint i = 0; (first = reel_tensordict_get_entry (tds[0], i)); i++)
    {
      g_autofree const ReelTensordictEntry **entries = find_in_all (tds, n, first, error);
      if (!entries)
        return NULL;
      ReelTensordictValue value = { NULL };
      if (first->child)
        value.child = stack_children (entries, n, dim, error);
      else if (first->tensor)
        value.tensor = stack_leaves (entries, n, dim, error);
      else
        value.non_tensor = stack_non_tensors (entries, n, dim, error);
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      reel_tensordict_append_like (result, first, value);
    }
  return g_steal_pointer (&result);
}
