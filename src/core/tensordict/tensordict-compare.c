#include "tensordict-compare.h"
#include "lazy-stack-private.h"
#include "../tensor/tensor-compare.h"

#include <string.h>

/* ---- the same keys ---- */

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The keys of @a that @b lacks, sorted, as Python prints a set: `{'a', 'b'}`; %NULL for none. */
static char *
list_missing (const ReelTensordict *a, const ReelTensordict *b)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (a, i)); i++)
    if (!reel_tensordict_find (b, entry->escaped, entry->length))
      g_ptr_array_add (keys, entry->key);
  if (keys->len == 0)
    return NULL;

  g_ptr_array_sort (keys, compare_keys);
  g_ptr_array_add (keys, NULL);
  g_autofree char *list = g_strjoinv ("', '", (char **) keys->pdata);
  return g_strdup_printf ("{'%s'}", list);
}

static gboolean
check_same_keys (const ReelTensordict *a, const ReelTensordict *b, GError **error)
{
  g_autofree char *first = list_missing (a, b);
  g_autofree char *second = list_missing (b, a);
  g_autoptr (GString) text = g_string_new ("keys in tensordicts mismatch.");

  if (!first && !second)
    return TRUE;
  if (first)
    g_string_append_printf (text, " The first TD has keys %s that the second does not have.",
                            first);
  if (second)
    g_string_append_printf (text, " The second TD has keys %s that the first does not have.",
                            second);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_KEY, text->str);
  return FALSE;
}

/* The entry of @b that is compared with @entry, of the same kind. */
static const ReelTensordictEntry *
find_counterpart (const ReelTensordict *b, const ReelTensordictEntry *entry, const char *path,
                  GError **error)
{
  const ReelTensordictEntry *other = reel_tensordict_find (b, entry->escaped, entry->length);
  const char *kind = reel_tensordict_entry_kind (entry);
  const char *other_kind = reel_tensordict_entry_kind (other);

  if (strcmp (kind, other_kind) == 0)
    return other;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "\"%s\" is a %s in the first tensordict and a %s in the second", path, kind,
               other_kind);
  return NULL;
}

/* ---- equal ---- */

static gboolean
check_sizes (gint ndim_a, const gint64 *shape_a, gint ndim_b, const gint64 *shape_b, GError **error)
{
  if (ndim_a == ndim_b && memcmp (shape_a, shape_b, ndim_a * sizeof (gint64)) == 0)
    return TRUE;

  g_autoptr (GString) text = g_string_new ("cannot compare values of batch sizes ");
  reel_tensordict_append_size (text, ndim_a, shape_a);
  g_string_append (text, " and ");
  reel_tensordict_append_size (text, ndim_b, shape_b);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, text->str);
  return FALSE;
}

/* A bool for each element of the batch. */
static ReelTensor *
compare_non_tensors (const ReelNonTensor *a, const ReelNonTensor *b, gboolean equal, GError **error)
{
  gint ndim, other_ndim;
  const gint64 *shape = reel_non_tensor_get_batch_size (a, &ndim);
  const gint64 *other_shape = reel_non_tensor_get_batch_size (b, &other_ndim);
  gint64 index[REEL_MAX_NDIM] = { 0 };

  if (!check_sizes (ndim, shape, other_ndim, other_shape, error))
    return NULL;
  ReelTensor *result = reel_tensor_new (REEL_DTYPE_BOOL, ndim, shape, error);
  for (gint64 i = 0; result && i < reel_tensor_numel (result); i++)
    {
      GVariant *left = reel_non_tensor_get_value (a, index);
      GVariant *right = reel_non_tensor_get_value (b, index);
      result->data[i] = g_variant_equal (left, right) == equal;
      for (gint dim = ndim - 1; dim >= 0 && ++index[dim] == shape[dim]; dim--)
        index[dim] = 0;
    }
  return result;
}

static ReelTensordict *compare_level (const ReelTensordict *a, const ReelTensordict *b,
                                      const char *prefix, gboolean equal, GError **error);

/* Element by element of the lazy stack that one of them is. */
static ReelTensordict *
compare_stacks (const ReelTensordict *a, const ReelTensordict *b, const char *prefix,
                gboolean equal, GError **error)
{
  const ReelTensordict *stack = reel_tensordict_is_lazy (a) ? a : b;
  g_autoptr (GPtrArray) results =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  if (!check_sizes (a->ndim, a->batch_size, b->ndim, b->batch_size, error))
    return NULL;
  for (guint i = 0; i < stack->elements->len; i++)
    {
      g_autoptr (ReelTensordict) left =
          reel_tensordict_select_index ((ReelTensordict *) a, stack->stack_dim, i, error);
      g_autoptr (ReelTensordict) right =
          left ? reel_tensordict_select_index ((ReelTensordict *) b, stack->stack_dim, i, error)
               : NULL;
      ReelTensordict *result = right ? compare_level (left, right, prefix, equal, error) : NULL;
      if (!result)
        return NULL;
      g_ptr_array_add (results, result);
    }
  return reel_lazy_stack_new ((ReelTensordict *const *) results->pdata, results->len,
                              stack->stack_dim, error);
}

static ReelTensordict *
compare_level (const ReelTensordict *a, const ReelTensordict *b, const char *prefix, gboolean equal,
               GError **error)
{
  const ReelTensordictEntry *entry;

  if (reel_tensordict_is_lazy (a) || reel_tensordict_is_lazy (b))
    return compare_stacks (a, b, prefix, equal, error);
  if (!check_sizes (a->ndim, a->batch_size, b->ndim, b->batch_size, error)
      || !check_same_keys (a, b, error))
    return NULL;
  g_autoptr (ReelTensordict) result = reel_tensordict_new_like (a, a->ndim, a->batch_size);
  for (guint i = 0; (entry = reel_tensordict_get_entry (a, i)); i++)
    {
      g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);
      const ReelTensordictEntry *other = find_counterpart (b, entry, path, error);
      ReelTensordictValue value = { NULL };
      if (!other)
        return NULL;
      if (entry->child)
        {
          g_autofree char *below = g_strconcat (path, "/", NULL);
          value.child = compare_level (entry->child, other->child, below, equal, error);
        }
      else if (entry->tensor)
        value.tensor = reel_tensor_compare (entry->tensor, other->tensor, equal, error);
      else
        value.tensor = compare_non_tensors (entry->non_tensor, other->non_tensor, equal, error);
      if (!reel_tensordict_value_is_set (&value))
        {
          if (!entry->child)
            g_prefix_error (error, "key \"%s\": ", path);
          return NULL;
        }
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}

ReelTensordict *
reel_tensordict_eq (const ReelTensordict *a, const ReelTensordict *b, GError **error)
{
  return compare_level (a, b, "", TRUE, error);
}

ReelTensordict *
reel_tensordict_ne (const ReelTensordict *a, const ReelTensordict *b, GError **error)
{
  return compare_level (a, b, "", FALSE, error);
}

/* ---- all, any ---- */

static gboolean
find_truth (const ReelTensordict *td, gboolean truth)
{
  const ReelTensordictEntry *entry;
  const ReelTensordict *nested;
  guint at = 0;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->tensor && reel_tensor_find_truth (entry->tensor, truth))
      return TRUE;
  while ((nested = reel_tensordict_get_nested (td, &at)))
    if (find_truth (nested, truth))
      return TRUE;
  return FALSE;
}

gboolean
reel_tensordict_all (const ReelTensordict *td)
{
  return !find_truth (td, FALSE);
}

gboolean
reel_tensordict_any (const ReelTensordict *td)
{
  return find_truth (td, TRUE);
}

/* ---- close ---- */

static gboolean check_level (const ReelTensordict *actual, const ReelTensordict *expected,
                             const char *prefix, const ReelTolerance *tolerance, GError **error);

static gboolean
check_stacks (const ReelTensordict *actual, const ReelTensordict *expected, const char *prefix,
              const ReelTolerance *tolerance, GError **error)
{
  const ReelTensordict *stack = reel_tensordict_is_lazy (actual) ? actual : expected;

  if (!check_sizes (actual->ndim, actual->batch_size, expected->ndim, expected->batch_size, error))
    return FALSE;
  for (guint i = 0; i < stack->elements->len; i++)
    {
      g_autoptr (ReelTensordict) left =
          reel_tensordict_select_index ((ReelTensordict *) actual, stack->stack_dim, i, error);
      g_autoptr (ReelTensordict) right =
          left ? reel_tensordict_select_index ((ReelTensordict *) expected, stack->stack_dim, i,
                                               error)
               : NULL;
      if (!right || !check_level (left, right, prefix, tolerance, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_level (const ReelTensordict *actual, const ReelTensordict *expected, const char *prefix,
             const ReelTolerance *tolerance, GError **error)
{
  const ReelTensordictEntry *entry;

  if (reel_tensordict_is_lazy (actual) || reel_tensordict_is_lazy (expected))
    return check_stacks (actual, expected, prefix, tolerance, error);
  if (!check_same_keys (actual, expected, error))
    return FALSE;
  for (guint i = 0; (entry = reel_tensordict_get_entry (actual, i)); i++)
    {
      g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);
      const ReelTensordictEntry *other = find_counterpart (expected, entry, path, error);
      if (!other)
        return FALSE;
      if (entry->child)
        {
          g_autofree char *below = g_strconcat (path, "/", NULL);
          if (!check_level (entry->child, other->child, below, tolerance, error))
            return FALSE;
        }
      else if (entry->tensor
               && !reel_tensor_check_close (entry->tensor, other->tensor, tolerance, error))
        {
          g_prefix_error (error, "key \"%s\" ", path);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
reel_tensordict_all_close (const ReelTensordict *actual, const ReelTensordict *expected,
                           double rtol, double atol, gboolean equal_nan, GError **error)
{
  ReelTolerance tolerance = { .rtol = rtol, .atol = atol, .equal_nan = equal_nan };

  return check_level (actual, expected, "", &tolerance, error);
}
