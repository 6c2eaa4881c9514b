/* Entries of several tensordicts, joined or chosen by a mask. */
#include "lazy-stack-private.h"
#include "../tensor/select-kernel.h"
#include "shape.h"

#include <string.h>

/* ---- several tensors ---- */

static gboolean
set_size_error (const char *key, const ReelTensor *first, const ReelTensor *other, gsize i,
                GError **error)
{
  g_autofree char *expected = reel_shape_to_string (first->ndim, first->shape);
  g_autofree char *found = reel_shape_to_string (other->ndim, other->shape);

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Sizes of tensors must match: expected %s of %s but got %s of %s for \"%s\", number "
               "%" G_GSIZE_FORMAT " in the list",
               expected, reel_dtype_name (first->dtype), found, reel_dtype_name (other->dtype), key,
               i);
  return FALSE;
}

/* Whether types and shapes are the same, extents of @dim aside; −1 for none. */
static gboolean
check_alike (const char *key, ReelTensor *const *tensors, gsize n, gint dim, GError **error)
{
  for (gsize i = 1; i < n; i++)
    {
      gboolean alike =
          tensors[i]->dtype == tensors[0]->dtype && tensors[i]->ndim == tensors[0]->ndim;
      for (gint j = 0; alike && j < tensors[0]->ndim; j++)
        alike = j == dim || tensors[i]->shape[j] == tensors[0]->shape[j];
      if (!alike)
        return set_size_error (key, tensors[0], tensors[i], i, error);
    }
  return TRUE;
}

static ReelTensor *
cat_tensors (const char *key, ReelTensor *const *tensors, gsize n, gint dim, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  gint64 begin = 0;

  if (!check_alike (key, tensors, n, dim, error))
    return NULL;
  memcpy (shape, tensors[0]->shape, sizeof shape);
  for (gsize i = 1; i < n; i++)
    if (__builtin_add_overflow (shape[dim], tensors[i]->shape[dim], &shape[dim]))
      shape[dim] = G_MAXINT64;
  ReelTensor *result = reel_tensor_new_unfilled (tensors[0]->dtype, tensors[0]->ndim, shape, error);
  for (gsize i = 0; result && i < n; begin += tensors[i++]->shape[dim])
    {
      ReelTensor place = *result;
      if (reel_tensor_numel (tensors[i]) == 0)
        continue;
      place.data += begin * place.strides[dim];
      place.shape[dim] = tensors[i]->shape[dim];
      reel_tensor_copy_unchecked (&place, tensors[i]);
    }
  return result;
}

static ReelTensor *
choose_tensors (const char *key, ReelTensor *const *tensors, ReelTensor *mask, GError **error)
{
  ReelIsa isa;

  if (!check_alike (key, tensors, 2, -1, error) || !reel_isa_choose (&isa, error))
    return NULL;
  g_autoptr (ReelTensor) a = reel_tensor_contiguous (tensors[0], error);
  g_autoptr (ReelTensor) b = a ? reel_tensor_contiguous (tensors[1], error) : NULL;
  gint ndim = MIN (mask->ndim, tensors[0]->ndim);
  g_autoptr (ReelTensor) wide =
      b ? reel_tensor_expand_as_right (mask, ndim, tensors[0]->shape, error) : NULL;
  g_autoptr (ReelTensor) rows = wide ? reel_tensor_contiguous (wide, error) : NULL;
  ReelTensor *result = rows ? reel_tensor_new_unfilled (a->dtype, a->ndim, a->shape, error) : NULL;
  if (!result)
    return NULL;

  gint64 n = reel_tensor_numel (rows);
  if (n > 0)
    reel_select_rows (isa, rows->data, n, reel_tensor_nbytes (a) / n, a->data, b->data,
                      result->data);
  return result;
}

/* ---- several tensordicts ---- */

/* The operation on the entries of one key: a join along a dimension, or a choice by a mask. */
typedef struct
{
  gint dim;         /* where joined */
  ReelTensor *mask; /* %NULL where joined */
} Combination;

static ReelTensor *
combine_tensors (const Combination *how, const char *key, ReelTensor *const *tensors, gsize n,
                 GError **error)
{
  return how->mask ? choose_tensors (key, tensors, how->mask, error)
                   : cat_tensors (key, tensors, n, how->dim, error);
}

/* Whether all have one value each, and the same. */
static gboolean
are_one_value (ReelNonTensor *const *non_tensors, ReelTensor *const *whiches, gsize n)
{
  const gint64 *first = NULL;

  for (gsize i = 0; i < n; i++)
    {
      const gint64 *value = (const gint64 *) whiches[i]->data;
      if (!reel_non_tensor_is_single (non_tensors[i]))
        return FALSE;
      if (reel_tensor_numel (whiches[i]) == 0)
        continue;
      if (first && *value != *first)
        return FALSE;
      first = value;
    }
  return TRUE;
}

static ReelNonTensor *
combine_non_tensors (const Combination *how, const char *key, ReelNonTensor *const *non_tensors,
                     gsize n, GError **error)
{
  g_autofree ReelTensor **whiches = g_new (ReelTensor *, n);
  g_autoptr (ReelNonTensor) merged = reel_non_tensor_merge (non_tensors, n, whiches, error);
  ReelNonTensor *result = NULL;

  if (!merged)
    return NULL;
  g_autoptr (ReelTensor) which = combine_tensors (how, key, whiches, n, error);
  if (which && are_one_value (non_tensors, whiches, n))
    result = reel_non_tensor_resize (non_tensors[0], which->ndim, which->shape, error);
  else if (which)
    result = reel_non_tensor_new_view (merged, g_steal_pointer (&which));
  for (gsize i = 0; i < n; i++)
    reel_tensor_unref (whiches[i]);
  return result;
}

static gboolean
set_keys_error (const Combination *how, const char *key, GError **error)
{
  if (how->mask)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "Key %s not found and no pad value provided, or not of one kind.", key);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "got keys which are incompatible: \"%s\" is not in all tensordicts, or not of one "
                 "kind",
                 key);
  return FALSE;
}

/* Whether @other has all that @td has, of the same kinds. */
static gboolean
check_has_keys (const Combination *how, const ReelTensordict *td, const ReelTensordict *other,
                GError **error)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      const ReelTensordictEntry *same = reel_tensordict_find (other, entry->escaped, entry->length);
      if (!same || !same->tensor != !entry->tensor || !same->child != !entry->child)
        return set_keys_error (how, entry->key, error);
    }
  return TRUE;
}

static gboolean
check_keys (const Combination *how, ReelTensordict *const *tds, gsize n, GError **error)
{
  for (gsize i = 1; i < n; i++)
    if (!check_has_keys (how, tds[0], tds[i], error)
        || !check_has_keys (how, tds[i], tds[0], error))
      return FALSE;
  return TRUE;
}

static ReelTensordict *combine (const Combination *how, ReelTensordict *const *tds, gsize n,
                                GError **error);

static ReelTensordictValue
combine_values (const Combination *how, ReelTensordict *const *tds, gsize n,
                const ReelTensordictEntry *first, GError **error)
{
  g_autofree gpointer *values = g_new (gpointer, n);
  ReelTensordictValue result = { NULL };

  for (gsize i = 0; i < n; i++)
    {
      const ReelTensordictEntry *entry =
          reel_tensordict_find (tds[i], first->escaped, first->length);
      values[i] = entry->tensor  ? (gpointer) entry->tensor
                  : entry->child ? (gpointer) entry->child
                                 : (gpointer) entry->non_tensor;
    }
  if (first->tensor)
    result.tensor = combine_tensors (how, first->key, (ReelTensor *const *) values, n, error);
  else if (first->child)
    result.child = combine (how, (ReelTensordict *const *) values, n, error);
  else
    result.non_tensor =
        combine_non_tensors (how, first->key, (ReelNonTensor *const *) values, n, error);
  return result;
}

/* The batch size of the result, where those of all fit together. */
static gboolean
combine_sizes (const Combination *how, ReelTensordict *const *tds, gsize n, gint *ndim,
               gint64 *shape, GError **error)
{
  const gint64 *first = reel_tensordict_get_batch_size (tds[0], ndim);
  gint dim = how->mask ? -1 : how->dim;
  gint other_ndim;

  memcpy (shape, first, *ndim * sizeof *shape);
  for (gsize i = 1; i < n; i++)
    {
      const gint64 *other = reel_tensordict_get_batch_size (tds[i], &other_ndim);
      gboolean fits = other_ndim == *ndim;
      for (gint j = 0; fits && j < *ndim; j++)
        fits = j == dim ? !__builtin_add_overflow (shape[j], other[j], &shape[j])
                        : shape[j] == other[j];
      if (fits)
        continue;
      g_autoptr (GString) text = g_string_new ("batch sizes of tensordicts must match");
      if (dim >= 0)
        g_string_append_printf (text, " except in dimension %d", dim);
      g_string_append (text, ": got ");
      reel_tensordict_append_size (text, *ndim, first);
      g_string_append (text, " and ");
      reel_tensordict_append_size (text, other_ndim, other);
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, text->str);
      return FALSE;
    }
  return TRUE;
}

static ReelTensordict *
combine_dense (const Combination *how, ReelTensordict *const *tds, gsize n, GError **error)
{
  const ReelTensordictEntry *first;
  const char *names[REEL_MAX_NDIM];
  gint64 shape[REEL_MAX_NDIM];
  gint ndim;

  if (!check_keys (how, tds, n, error) || !combine_sizes (how, tds, n, &ndim, shape, error))
    return NULL;
  g_autoptr (ReelTensordict) result = reel_tensordict_new_like (tds[0], ndim, shape);
  for (gint i = 0; i < ndim; i++)
    names[i] = reel_tensordict_get_name (tds[0], i);
  reel_tensordict_copy_names (result, names);
  for (gsize i = 1; i < n; i++)
    if (reel_tensordict_get_device (tds[i]) != reel_tensordict_get_device (tds[0]))
      reel_tensordict_set_device (result, NULL, NULL);
  for (guint i = 0; (first = reel_tensordict_get_entry (tds[0], i)); i++)
    {
      ReelTensordictValue value = combine_values (how, tds, n, first, error);
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      reel_tensordict_append_like (result, first, value);
    }
  return g_steal_pointer (&result);
}

static ReelTensordict *
combine (const Combination *how, ReelTensordict *const *tds, gsize n, GError **error)
{
  g_autoptr (GPtrArray) dense =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (gsize i = 0; i < n; i++)
    {
      ReelTensordict *td = reel_tensordict_is_lazy (tds[i])
                               ? reel_tensordict_contiguous (tds[i], error)
                               : reel_tensordict_ref (tds[i]);
      if (!td)
        return NULL;
      g_ptr_array_add (dense, td);
    }
  return combine_dense (how, (ReelTensordict *const *) dense->pdata, n, error);
}

/* ---- cat ---- */

ReelTensor *
reel_tensor_cat (ReelTensor *const *tensors, gsize n, gint dim, GError **error)
{
  if (n == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "cat expects a non-empty list of tensors");
      return NULL;
    }
  return reel_dim_resolve (&dim, tensors[0]->ndim, error)
             ? cat_tensors ("tensor", tensors, n, dim, error)
             : NULL;
}

ReelTensordict *
reel_tensordict_cat (ReelTensordict *const *tds, gsize n, gint dim, GError **error)
{
  Combination how = { .dim = dim };
  gint ndim;

  if (n == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "cat expects a non-empty list of tensordicts");
      return NULL;
    }
  const gint64 *shape = reel_tensordict_get_batch_size (tds[0], &ndim);
  if (dim < -ndim || dim >= ndim)
    {
      g_autofree char *text = reel_shape_to_string (ndim, shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "dim must be in the range 0 <= dim < len(batch_size), got dim=%d and "
                   "batch_size=%s",
                   dim, text);
      return NULL;
    }
  if (dim < 0)
    how.dim += ndim;
  return combine (&how, tds, n, error);
}

/* ---- where ---- */

static gboolean
check_mask (const ReelTensor *mask, gint ndim, const gint64 *shape, GError **error)
{
  ReelTensor view;

  if (mask->dtype != REEL_DTYPE_BOOL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "where expects a bool mask, not %s",
                   reel_dtype_name (mask->dtype));
      return FALSE;
    }
  return reel_tensor_broadcast_right (mask, ndim, shape, &view, error);
}

ReelTensor *
reel_tensor_where (ReelTensor *mask, ReelTensor *a, ReelTensor *b, GError **error)
{
  ReelTensor *const tensors[] = { a, b };

  return check_mask (mask, a->ndim, a->shape, error)
             ? choose_tensors ("tensor", tensors, mask, error)
             : NULL;
}

ReelTensordict *
reel_tensordict_where (ReelTensor *mask, ReelTensordict *a, ReelTensordict *b, GError **error)
{
  const Combination how = { .mask = mask };
  ReelTensordict *const tds[] = { a, b };
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (a, &ndim);

  return check_mask (mask, ndim, shape, error) ? combine (&how, tds, G_N_ELEMENTS (tds), error)
                                               : NULL;
}
