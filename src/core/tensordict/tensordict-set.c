/* Setting and removing entries by path. */
#include "lazy-stack-private.h"
#include "tree-private.h"

#include <string.h>

void
reel_tensordict_append_size (GString *text, gint ndim, const gint64 *shape)
{
  g_autofree char *list = reel_shape_to_string (ndim, shape);

  g_string_append_printf (text, "torch.Size(%s)", list);
}

/* ---- what fits ---- */

static gboolean
check_fits (const ReelTensordict *td, const char *path, const ReelTensor *tensor, GError **error)
{
  if (tensor->ndim >= td->ndim
      && memcmp (tensor->shape, td->batch_size, td->ndim * sizeof (gint64)) == 0)
    return TRUE;

  g_autoptr (GString) text = g_string_new ("batch dimension mismatch, got self.batch_size=");
  reel_tensordict_append_size (text, td->ndim, td->batch_size);
  g_string_append (text, " and value.shape=");
  reel_tensordict_append_size (text, tensor->ndim, tensor->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s for key \"%s\"", text->str, path);
  return FALSE;
}

/* One value for all fits any batch. */
static ReelNonTensor *
fit_non_tensor (const ReelTensordict *td, const char *path, ReelNonTensor *value, GError **error)
{
  ReelTensor *which = reel_non_tensor_get_which (value);

  if (reel_non_tensor_is_single (value) && !check_fits (td, path, which, NULL))
    return reel_non_tensor_resize (value, td->ndim, td->batch_size, error);
  return check_fits (td, path, which, error) ? reel_non_tensor_ref (value) : NULL;
}

static gboolean
reaches (const ReelTensordict *from, const ReelTensordict *td)
{
  ReelTensordict *nested;
  guint at = 0;

  if (from == td)
    return TRUE;
  while ((nested = reel_tensordict_get_nested (from, &at)))
    if (reaches (nested, td))
      return TRUE;
  return FALSE;
}

/* The value as @td can hold it: itself, or a shallow copy where batch size, names or device must
 * change. */
static ReelTensordict *
fit_child (const ReelTensordict *td, ReelTensordict *value, GError **error)
{
  gboolean shorter = value->ndim < td->ndim
                     || memcmp (value->batch_size, td->batch_size, td->ndim * sizeof (gint64)) != 0;
  gboolean renamed = FALSE;

  for (gint i = 0; i < td->ndim && reel_tensordict_has_names (td); i++)
    renamed |= shorter || g_strcmp0 (td->names[i], value->names[i]) != 0;
  if (!shorter && !renamed && (value->on_cpu || !td->on_cpu))
    return reel_tensordict_ref (value);

  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (value, FALSE, error);
  if (!copy || (shorter && !reel_tensordict_set_batch_size (copy, td->ndim, td->batch_size, error)))
    return NULL;
  if (renamed)
    {
      const char *names[REEL_MAX_NDIM];
      for (gint i = 0; i < copy->ndim; i++)
        names[i] = i < td->ndim ? td->names[i] : copy->names[i];
      if (!reel_tensordict_refine_names (copy, copy->ndim, names, error))
        return NULL;
    }
  if (td->on_cpu)
    reel_tensordict_put_on_device (copy, TRUE);
  return g_steal_pointer (&copy);
}

/* An empty tensordict as @td holds it. */
static ReelTensordict *
new_level (const ReelTensordict *td)
{
  ReelTensordict *level = reel_tensordict_new (td->ndim, td->batch_size);

  reel_tensordict_copy_names (level, (const char *const *) td->names);
  level->on_cpu = td->on_cpu;
  level->kind = td->kind == REEL_TENSORDICT_MAP ? td->kind : REEL_TENSORDICT_DICT;
  return level;
}

/* Goes down as far as there are levels for all but the last of @keys, and leaves at @keys what it
 * did not pass. */
static ReelTensordict *
descend (ReelTensordict *td, char ***keys, const char *path, GError **error)
{
  for (; (*keys)[1]; (*keys)++)
    {
      g_autofree char *escaped = reel_path_escape (**keys);
      const ReelTensordictEntry *entry = reel_tensordict_find (td, escaped, strlen (escaped));
      if (entry && !entry->child)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "\"%s\" leads through the %s \"%s\", which holds no keys", path,
                       reel_tensordict_entry_kind (entry), **keys);
          return NULL;
        }
      if (!entry)
        return td;
      td = entry->child;
    }
  return td;
}

static gboolean
check_no_cycle (const ReelTensordict *child, const ReelTensordict *level, const char *path,
                GError **error)
{
  if (!reaches (child, level))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "cannot set \"%s\": the tensordict would hold itself", path);
  return FALSE;
}

ReelTensordictValue
reel_tensordict_fit_value (const ReelTensordict *td, const char *path,
                           const ReelTensordictValue *value, GError **error)
{
  ReelTensordictValue fitting = { NULL };

  if (value->child)
    fitting.child =
        check_no_cycle (value->child, td, path, error) ? fit_child (td, value->child, error) : NULL;
  else if (value->non_tensor)
    fitting.non_tensor = fit_non_tensor (td, path, value->non_tensor, error);
  else if (check_fits (td, path, value->tensor, error))
    fitting.tensor = reel_tensor_ref (value->tensor);
  return fitting;
}

void
reel_tensordict_put_fitting (ReelTensordict *td, const char *key, ReelTensordictValue value)
{
  if (value.child && reel_tensordict_has_names (value.child) && !reel_tensordict_has_names (td))
    reel_tensordict_copy_names (td, (const char *const *) value.child->names);
  reel_tensordict_put (td, key, value);
}

/* The work of a call: where several tensordicts are set, all are checked before any is. */
typedef enum
{
  CHECK_AND_SET,
  CHECK,
  SET, /* checked already */
} Stage;

static gboolean set_below (ReelTensordict *td, char **keys, const char *path,
                           const ReelTensordictValue *value, Stage stage, GError **error);

/* The part of @value that belongs to one element of a lazy stack. */
static ReelTensordictValue
cut_value (const ReelTensordictValue *value, gint dim, gint64 i, GError **error)
{
  ReelTensordictValue part = { NULL };

  if (value->tensor)
    part.tensor = reel_tensor_select (value->tensor, dim, i, error);
  else if (value->child)
    part.child = reel_tensordict_select_index (value->child, dim, i, error);
  else
    {
      ReelTensor *which = reel_non_tensor_get_which (value->non_tensor);
      which = reel_tensor_select (which, dim, i, error);
      part.non_tensor = which ? reel_non_tensor_new_view (value->non_tensor, which) : NULL;
    }
  return part;
}

static gboolean
set_each (ReelTensordict *td, char **keys, const char *path, const ReelTensordictValue *value,
          Stage stage, GError **error)
{
  for (guint i = 0; i < td->elements->len; i++)
    {
      ReelTensordictValue part = cut_value (value, td->stack_dim, i, error);
      gboolean done = reel_tensordict_value_is_set (&part)
                      && set_below (td->elements->pdata[i], keys, path, &part, stage, error);
      reel_tensordict_release_value (&part);
      if (!done)
        return FALSE;
    }
  return TRUE;
}

/* Cut along the stack, a part for each element. */
static gboolean
set_in_stack (ReelTensordict *td, char **keys, const char *path, const ReelTensordictValue *value,
              Stage stage, GError **error)
{
  ReelTensordictValue fitting = reel_tensordict_fit_value (td, path, value, error);
  gboolean done = reel_tensordict_value_is_set (&fitting);

  if (done && stage == CHECK_AND_SET)
    {
      done = set_each (td, keys, path, &fitting, CHECK, error);
      stage = SET;
    }
  done = done && set_each (td, keys, path, &fitting, stage, error);
  reel_tensordict_release_value (&fitting);
  return done;
}

static gboolean
set_below (ReelTensordict *td, char **keys, const char *path, const ReelTensordictValue *value,
           Stage stage, GError **error)
{
  ReelTensordict *level = descend (td, &keys, path, error);

  if (level && reel_tensordict_is_lazy (level))
    return set_in_stack (level, keys, path, value, stage, error);
  if (!level || !reel_tensordict_check_unlocked (level, error)
      || !reel_tensordict_check_field (level, keys[0], error)
      || !reel_tree_check_key (level, keys[0], error))
    return FALSE;
  ReelTensordictValue fitting = reel_tensordict_fit_value (level, path, value, error);
  if (!reel_tensordict_value_is_set (&fitting))
    return FALSE;
  if (stage == CHECK)
    {
      reel_tensordict_release_value (&fitting);
      return TRUE;
    }

  for (; keys[1]; keys++)
    {
      ReelTensordict *next = new_level (level);
      reel_tensordict_put (level, keys[0], (ReelTensordictValue){ .child = next });
      level = next;
    }
  reel_tensordict_put_fitting (level, keys[0], fitting);
  return TRUE;
}

/* A failure leaves the tensordict as it was. */
gboolean
reel_tensordict_set_entry (ReelTensordict *td, const char *path, const ReelTensordictValue *value,
                           GError **error)
{
  g_auto (GStrv) keys = reel_path_split (path, error);

  return keys && set_below (td, keys, path, value, CHECK_AND_SET, error);
}

gboolean
reel_tensordict_set_tensor (ReelTensordict *td, const char *path, ReelTensor *tensor,
                            GError **error)
{
  return reel_tensordict_set_entry (td, path, &(ReelTensordictValue){ .tensor = tensor }, error);
}

gboolean
reel_tensordict_set_tensordict (ReelTensordict *td, const char *path, ReelTensordict *value,
                                GError **error)
{
  return reel_tensordict_set_entry (td, path, &(ReelTensordictValue){ .child = value }, error);
}

gboolean
reel_tensordict_set_non_tensor (ReelTensordict *td, const char *path, ReelNonTensor *value,
                                GError **error)
{
  return reel_tensordict_set_entry (td, path, &(ReelTensordictValue){ .non_tensor = value }, error);
}

gboolean
reel_tensordict_set_value (ReelTensordict *td, const char *path, GVariant *value, GError **error)
{
  g_autoptr (ReelNonTensor) non_tensor = reel_non_tensor_new (value, 0, NULL, error);

  return non_tensor && reel_tensordict_set_non_tensor (td, path, non_tensor, error);
}

/* ---- removing ---- */

/* The removable entries at @path, checked: of a lazy stack, the entry of every element that has it.
 */
static gboolean
find_removable (ReelTensordict *td, const char *path, GPtrArray *levels, GPtrArray *entries,
                GError **error)
{
  const char *end = strchr (path, '/');
  const ReelTensordictEntry *entry =
      reel_tensordict_find (td, path, end ? (gsize) (end - path) : strlen (path));

  for (guint i = 0; td->elements && i < td->elements->len; i++)
    if (!find_removable (td->elements->pdata[i], path, levels, entries, error))
      return FALSE;
  if (entry && end)
    return !entry->child || find_removable (entry->child, end + 1, levels, entries, error);
  /* A tensordict may stand in a stack twice. */
  if (!entry || g_ptr_array_find (entries, entry, NULL))
    return TRUE;
  g_ptr_array_add (levels, td);
  g_ptr_array_add (entries, (gpointer) entry);
  return reel_tensordict_check_unlocked (td, error) && reel_tree_check_removal (td, path, error);
}

gboolean
reel_tensordict_remove (ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (GPtrArray) levels = g_ptr_array_new ();
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  const ReelTensordict *level;

  if (!find_removable (td, path, levels, entries, error))
    return FALSE;
  if (entries->len == 0)
    {
      reel_tensordict_walk (td, path, &level);
      return reel_tensordict_set_key_error (level, path, error);
    }
  for (guint i = 0; i < entries->len; i++)
    reel_tensordict_drop (levels->pdata[i], entries->pdata[i]);
  return TRUE;
}
