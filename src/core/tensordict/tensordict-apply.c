#include "tensordict-apply.h"
#include "lazy-stack-private.h"
#include "tensordict-keys.h"

typedef struct
{
  gsize n;
  gint ndim;
  const gint64 *batch_size;
  gboolean filter_empty;
  ReelTensordictFunc func;
  gpointer user_data;
} Apply;

static ReelTensordict *apply_level (const Apply *apply, ReelTensordict *const *tds,
                                    const char *prefix, GError **error);

static ReelTensordict *
new_result (const Apply *apply, const ReelTensordict *td)
{
  return apply->ndim < 0 ? reel_tensordict_empty (td, FALSE)
                         : reel_tensordict_new_like (td, apply->ndim, apply->batch_size);
}

/* The entries of the key of @first in all inputs; %NULL where one has none of that kind. */
static const ReelTensordictEntry **
find_in_all (const Apply *apply, ReelTensordict *const *tds, const ReelTensordictEntry *first,
             const char *path, GError **error)
{
  g_autofree const ReelTensordictEntry **entries = g_new (const ReelTensordictEntry *, apply->n);

  for (gsize i = 0; i < apply->n; i++)
    {
      entries[i] = reel_tensordict_find (tds[i], first->escaped, first->length);
      if (!entries[i])
        {
          reel_tensordict_set_key_error (tds[i], path, error);
          return NULL;
        }
      if (!entries[i]->tensor != !first->tensor || !entries[i]->child != !first->child)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                       "\"%s\" is a %s in the first tensordict and a %s in number %" G_GSIZE_FORMAT,
                       path, reel_tensordict_entry_kind (first),
                       reel_tensordict_entry_kind (entries[i]), i + 1);
          return NULL;
        }
    }
  return g_steal_pointer (&entries);
}

/* The result of @func for a leaf; not set, without an error, where it is left out. */
static gboolean
apply_leaf (const Apply *apply, const ReelTensordictEntry *const *entries,
            const ReelTensordict *result, const char *path, ReelTensordictValue *value,
            GError **error)
{
  g_autofree ReelTensor **tensors = g_new (ReelTensor *, apply->n);
  g_autoptr (ReelTensor) tensor = NULL;

  for (gsize i = 0; i < apply->n; i++)
    tensors[i] = entries[i]->tensor;
  if (!apply->func (path, tensors, apply->n, &tensor, apply->user_data, error))
    return FALSE;
  if (!tensor)
    return TRUE;
  *value =
      reel_tensordict_fit_value (result, path, &(ReelTensordictValue){ .tensor = tensor }, error);
  return value->tensor != NULL;
}

static gboolean
apply_child (const Apply *apply, const ReelTensordictEntry *const *entries, const char *path,
             ReelTensordictValue *value, GError **error)
{
  g_autofree ReelTensordict **children = g_new (ReelTensordict *, apply->n);
  g_autofree char *below = g_strconcat (path, "/", NULL);

  for (gsize i = 0; i < apply->n; i++)
    children[i] = entries[i]->child;
  value->child = apply_level (apply, children, below, error);
  if (!value->child)
    return FALSE;
  if (apply->filter_empty && !reel_tensordict_has_leaves (value->child))
    reel_tensordict_release_value (value);
  return TRUE;
}

static gboolean
apply_entry (const Apply *apply, ReelTensordict *const *tds, const ReelTensordictEntry *first,
             const ReelTensordict *result, const char *path, ReelTensordictValue *value,
             GError **error)
{
  if (first->non_tensor)
    {
      ReelTensordictValue same = { .non_tensor = first->non_tensor };
      *value = reel_tensordict_fit_value (result, path, &same, error);
      return value->non_tensor != NULL;
    }
  g_autofree const ReelTensordictEntry **entries = find_in_all (apply, tds, first, path, error);
  if (!entries)
    return FALSE;
  return first->child ? apply_child (apply, entries, path, value, error)
                      : apply_leaf (apply, entries, result, path, value, error);
}

static ReelTensordict *
apply_to_cut (const Apply *apply, ReelTensordict *const *tds, guint i, const char *prefix,
              GError **error)
{
  g_autoptr (GPtrArray) parts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (gsize j = 0; j < apply->n; j++)
    {
      ReelTensordict *part = reel_tensordict_select_index (tds[j], tds[0]->stack_dim, i, error);
      if (!part)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  return apply_level (apply, (ReelTensordict *const *) parts->pdata, prefix, error);
}

/* To each element of a lazy stack, and the same of the other inputs. */
static ReelTensordict *
apply_to_stack (const Apply *apply, ReelTensordict *const *tds, const char *prefix, GError **error)
{
  const ReelTensordict *stack = tds[0];
  g_autoptr (GPtrArray) results =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  if (apply->ndim >= 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the batch size of a lazy stack is that of its elements: it cannot be set");
      return NULL;
    }
  for (guint i = 0; i < stack->elements->len; i++)
    {
      ReelTensordict *result = apply_to_cut (apply, tds, i, prefix, error);
      if (!result)
        return NULL;
      g_ptr_array_add (results, result);
    }
  return reel_lazy_stack_new_like (stack, (ReelTensordict *const *) results->pdata, results->len,
                                   stack->stack_dim, error);
}

static ReelTensordict *
apply_level (const Apply *apply, ReelTensordict *const *tds, const char *prefix, GError **error)
{
  if (reel_tensordict_is_lazy (tds[0]))
    return apply_to_stack (apply, tds, prefix, error);

  g_autoptr (ReelTensordict) result = new_result (apply, tds[0]);
  const ReelTensordictEntry *first;

  for (guint i = 0; (first = reel_tensordict_get_entry (tds[0], i)); i++)
    {
      g_autofree char *path = g_strconcat (prefix, first->escaped, NULL);
      ReelTensordictValue value = { NULL };
      if (!apply_entry (apply, tds, first, result, path, &value, error))
        return NULL;
      if (reel_tensordict_value_is_set (&value))
        reel_tensordict_append_like (result, first, value);
    }
  return g_steal_pointer (&result);
}

ReelTensordict *
reel_tensordict_apply (ReelTensordict *const *tds, gsize n, gint ndim, const gint64 *batch_size,
                       gboolean filter_empty, ReelTensordictFunc func, gpointer user_data,
                       GError **error)
{
  Apply apply = { n, ndim, batch_size, filter_empty, func, user_data };

  g_return_val_if_fail (n > 0, NULL);

  if (ndim >= 0 && !reel_shape_check (ndim, batch_size, 1, error))
    return NULL;
  return apply_level (&apply, tds, "", error);
}
