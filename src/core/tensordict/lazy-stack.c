#include "lazy-stack-private.h"
#include "tree-private.h"

#include <string.h>

/* ---- making ---- */

static gboolean
set_batch_error (const ReelTensordict *first, const ReelTensordict *td, GError **error)
{
  g_autoptr (GString) text = g_string_new ("batch sizes in tensordicts differs, "
                                           "LazyStackedTensorDict cannot be created. Got "
                                           "td[0].batch_size=");

  reel_tensordict_append_size (text, first->ndim, first->batch_size);
  g_string_append (text, " and td[i].batch_size=");
  reel_tensordict_append_size (text, td->ndim, td->batch_size);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: they must have the same number of dimensions", text->str);
  return FALSE;
}

static gboolean
check_elements (ReelTensordict *const *tds, gsize n, GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (reel_tensordict_is_tree (tds[i]))
      {
        g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                             "only tensordicts are stacked lazily, and no trees");
        return FALSE;
      }
  for (gsize i = 1; i < n; i++)
    {
      if (tds[i]->on_cpu != tds[0]->on_cpu)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "devices differ, got %s and %s",
                       tds[0]->on_cpu ? "cpu" : "None", tds[i]->on_cpu ? "cpu" : "None");
          return FALSE;
        }
      if (tds[i]->ndim != tds[0]->ndim)
        return set_batch_error (tds[0], tds[i], error);
    }
  return TRUE;
}

/* Batch size and names of a stack: −1 and none where the elements differ. */
static void
read_common (ReelTensordict *const *tds, gsize n, gint dim, gint64 *shape, const char **names)
{
  for (gint i = 0; i < tds[0]->ndim; i++)
    {
      gint at = i < dim ? i : i + 1;
      shape[at] = tds[0]->batch_size[i];
      names[at] = tds[0]->names[i];
      for (gsize j = 1; j < n; j++)
        {
          if (tds[j]->batch_size[i] != shape[at])
            shape[at] = -1;
          if (g_strcmp0 (tds[j]->names[i], names[at]) != 0)
            names[at] = NULL;
        }
    }
  shape[dim] = (gint64) n;
  names[dim] = NULL;
}

static gboolean
are_of_one_class (ReelTensordict *const *tds, gsize n)
{
  for (gsize i = 1; i < n; i++)
    if (g_strcmp0 (reel_tensordict_get_class_name (tds[i]), reel_tensordict_get_class_name (tds[0]))
        != 0)
      return FALSE;
  return TRUE;
}

static ReelTensordict *
new_stack (const gint64 *shape, const char *const *names, gint ndim, gboolean on_cpu, gint dim)
{
  ReelTensordict *td = reel_tensordict_new (ndim, shape);

  for (gint i = 0; i < ndim; i++)
    td->names[i] = g_strdup (names[i]);
  td->on_cpu = on_cpu;
  td->kind = REEL_TENSORDICT_LAZY_STACK;
  td->stack_dim = dim;
  td->elements = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  return td;
}

ReelTensordict *
reel_lazy_stack_new (ReelTensordict *const *tds, gsize n, gint dim, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];
  const char *names[REEL_MAX_NDIM + 1];

  if (n == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, "items cannot be empty");
      return NULL;
    }
  gint ndim = tds[0]->ndim + 1;
  if (!reel_dim_resolve (&dim, ndim, error) || !check_elements (tds, n, error))
    return NULL;
  read_common (tds, n, dim, shape, names);
  if (ndim > REEL_MAX_NDIM && !reel_shape_check (ndim, shape, 1, error))
    return NULL;
  ReelTensordict *td = new_stack (shape, names, ndim, tds[0]->on_cpu, dim);
  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (td->elements, reel_tensordict_ref (tds[i]));
  if (are_of_one_class (tds, n))
    td->record_class = reel_tensordict_class_ref (tds[0]->record_class);
  return td;
}

ReelTensordict *
reel_lazy_stack_new_like (const ReelTensordict *td, ReelTensordict *const *elements, gsize n,
                          gint dim, GError **error)
{
  ReelTensordict *result = reel_lazy_stack_new (elements, n, dim, error);

  if (result)
    result->names[dim] = g_strdup (td->names[td->stack_dim]);
  return result;
}

ReelTensordict *
reel_lazy_stack_map (const ReelTensordict *td, gint dim, ReelElementFunc func, gconstpointer data,
                     GError **error)
{
  g_autoptr (GPtrArray) elements =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (guint i = 0; i < td->elements->len; i++)
    {
      ReelTensordict *element = func (td->elements->pdata[i], data, error);
      if (!element)
        return NULL;
      g_ptr_array_add (elements, element);
    }
  return reel_lazy_stack_new_like (td, (ReelTensordict *const *) elements->pdata, elements->len,
                                   dim, error);
}

/* ---- elements ---- */

gint
reel_lazy_stack_get_dim (const ReelTensordict *td)
{
  return reel_tensordict_is_lazy (td) ? td->stack_dim : -1;
}

ReelTensordict *const *
reel_lazy_stack_get_elements (const ReelTensordict *td, gsize *n)
{
  *n = reel_tensordict_is_lazy (td) ? td->elements->len : 0;
  return reel_tensordict_is_lazy (td) ? (ReelTensordict *const *) td->elements->pdata : NULL;
}

/* ---- keys ---- */

gboolean
reel_tensordict_has_key (const ReelTensordict *td, const char *escaped, gsize length)
{
  if (!reel_tensordict_is_lazy (td))
    return reel_tensordict_find (td, escaped, length) != NULL;
  for (guint i = 0; i < td->elements->len; i++)
    if (!reel_tensordict_has_key (td->elements->pdata[i], escaped, length))
      return FALSE;
  return td->elements->len > 0;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const ReelTensordictEntry *left = *(const ReelTensordictEntry *const *) a;
  const ReelTensordictEntry *right = *(const ReelTensordictEntry *const *) b;

  return strcmp (left->key, right->key);
}

GPtrArray *
reel_tensordict_list_entries (const ReelTensordict *td)
{
  GPtrArray *list = g_ptr_array_new ();
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    g_ptr_array_add (list, (gpointer) entry);
  if (!reel_tensordict_is_lazy (td) || td->elements->len == 0)
    return list;
  g_autoptr (GPtrArray) first = reel_tensordict_list_entries (td->elements->pdata[0]);
  for (guint i = 0; i < first->len; i++)
    {
      entry = first->pdata[i];
      if (reel_tensordict_has_key (td, entry->escaped, entry->length))
        g_ptr_array_add (list, (gpointer) entry);
    }
  g_ptr_array_sort (list, compare_entries);
  return list;
}

/* ---- what is got ---- */

static ReelTensordict *
stack_nested (ReelTensordict *const *tds, gsize n, gint dim, gconstpointer data, GError **error)
{
  return reel_lazy_stack_new_like (data, tds, n, dim, error);
}

static gboolean
ref_stacked (const ReelTensordict *td, const char *escaped, gsize length,
             ReelTensordictValue *value, GError **error)
{
  g_autofree char *key = g_strndup (escaped, length);
  g_autoptr (GArray) values = reel_values_new (td->elements->len);

  for (guint i = 0; i < td->elements->len; i++)
    if (!reel_tensordict_ref_entry (td->elements->pdata[i], escaped, length,
                                    &g_array_index (values, ReelTensordictValue, i), error))
      return FALSE;
  if (reel_values_stack (key, values, td->stack_dim, stack_nested, td, value, error))
    return TRUE;
  g_prefix_error_literal (error, "Failed to stack tensors within a tensordict; take them from the "
                                 "elements of the lazy stack: ");
  return FALSE;
}

gboolean
reel_tensordict_ref_entry (const ReelTensordict *td, const char *escaped, gsize length,
                           ReelTensordictValue *value, GError **error)
{
  const ReelTensordictEntry *entry = reel_tensordict_find (td, escaped, length);

  *value = (ReelTensordictValue){ NULL };
  if (!reel_tensordict_has_key (td, escaped, length))
    {
      g_autofree char *key = g_strndup (escaped, length);
      return reel_tensordict_set_key_error (td, key, error);
    }
  if (reel_tensordict_is_lazy (td))
    return ref_stacked (td, escaped, length, value, error);
  *value = reel_tensordict_hold_value (entry);
  return TRUE;
}

/* ---- one of it ---- */

gboolean
reel_lazy_stack_check_size (const ReelTensordict *td, GError **error)
{
  for (gint i = 0; i < td->ndim; i++)
    if (td->batch_size[i] < 0)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "the elements of a lazy stack differ in batch dimension %d, so they cannot be "
                     "made one tensordict",
                     i);
        return FALSE;
      }
  return TRUE;
}

/* Values of one key as a dense tensordict holds them. */
static gboolean
make_dense (ReelTensordictValue *value, GError **error)
{
  ReelTensordictValue dense = { NULL };

  if (value->child)
    dense.child = reel_tensordict_contiguous (value->child, error);
  else if (value->tensor)
    dense.tensor = reel_tensor_contiguous (value->tensor, error);
  else
    dense.non_tensor = reel_non_tensor_ref (value->non_tensor);
  reel_tensordict_release_value (value);
  *value = dense;
  return reel_tensordict_value_is_set (value);
}

ReelTensordict *
reel_tensordict_contiguous (ReelTensordict *td, GError **error)
{
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td);
  g_autoptr (ReelTensordict) result = NULL;

  if (!reel_lazy_stack_check_size (td, error))
    return NULL;
  result = reel_tensordict_new_like (td, td->ndim, td->batch_size);
  reel_tensordict_copy_names (result, (const char *const *) td->names);
  for (guint i = 0; i < entries->len; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      ReelTensordictValue value;
      if (!reel_tensordict_ref_entry (td, entry->escaped, entry->length, &value, error)
          || !make_dense (&value, error))
        return NULL;
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}
