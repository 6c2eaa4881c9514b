/* Tensordicts moved into composite specs, and made from plain numbers. */
#include <string.h>

#include "../../core/tensordict/lazy-stack.h"
#include "composite-values.h"
#include "non-tensor-spec.h"
#include "../spec-values.h"
#include "stacked-spec.h"

/* ---- project ---- */

static gboolean
project_leaf (const ReelSpecEntry *entry, const ReelTensordict *value, ReelTensordict *projected,
              GError **error)
{
  g_autoptr (ReelTensor) leaf = reel_tensordict_ref_tensor (value, entry->path, error);
  g_autoptr (ReelTensor) inside = leaf ? reel_spec_project (entry->spec, leaf, error) : NULL;

  return inside
         && (inside == leaf || reel_tensordict_set_tensor (projected, entry->path, inside, error));
}

/* A value other than a tensor is inside, or has no nearest value that is. */
static gboolean
check_non_tensor (const ReelSpecEntry *entry, const ReelTensordict *value, GError **error)
{
  g_autoptr (ReelNonTensor) leaf = reel_tensordict_ref_non_tensor (value, entry->path, error);

  return leaf && reel_spec_is_in_non_tensor (entry->spec, leaf, error);
}

static gboolean
project_entry (const ReelSpecEntry *entry, const ReelTensordict *value, ReelTensordict *projected,
               GError **error)
{
  g_autoptr (ReelTensordict) child = NULL;
  g_autoptr (ReelTensordict) child_inside = NULL;

  if (!entry->spec)
    return TRUE;
  if (reel_spec_is_non_tensor (entry->spec))
    return check_non_tensor (entry, value, error);
  if (!reel_spec_is_composite (entry->spec))
    return project_leaf (entry, value, projected, error);
  child = reel_tensordict_ref_tensordict (value, entry->path, error);
  child_inside = child ? reel_spec_project_tensordict (entry->spec, child, error) : NULL;
  return child_inside
         && (child_inside == child
             || reel_tensordict_set_tensordict (projected, entry->path, child_inside, error));
}

static ReelTensordict *
project_entries (const ReelSpec *spec, ReelTensordict *value, GError **error)
{
  g_autoptr (ReelTensordict) projected = reel_tensordict_clone (value, FALSE, error);
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  for (gsize i = 0; projected && i < n; i++)
    if (!project_entry (&entries[i], value, projected, error))
      {
        g_prefix_error (error, "%s: ", entries[i].path);
        return NULL;
      }
  return g_steal_pointer (&projected);
}

static ReelTensordict *
project_parts (const ReelSpec *spec, gint dim, ReelTensordict *value, GError **error)
{
  g_autoptr (GPtrArray) inside =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (GPtrArray) elements =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (GPtrArray) parts = reel_spec_split (spec, dim, value, elements, error);
  gint ndim;

  if (!parts)
    return NULL;
  for (guint i = 0; i < parts->len; i++)
    {
      ReelTensordict *projected =
          reel_spec_project_tensordict (parts->pdata[i], elements->pdata[i], error);

      if (!projected)
        return NULL;
      g_ptr_array_add (inside, projected);
    }
  reel_tensordict_get_batch_size (value, &ndim);
  return reel_tensordict_maybe_dense_stack ((ReelTensordict *const *) inside->pdata, inside->len,
                                            ndim - spec->ndim + dim, error);
}

ReelTensordict *
reel_spec_project_tensordict (const ReelSpec *spec, ReelTensordict *value, GError **error)
{
  gint dim;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (value, NULL);

  if (reel_spec_is_in_tensordict (spec, value, NULL))
    return reel_tensordict_ref (value);
  dim = reel_spec_find_part_dim (spec);
  return dim < 0 ? project_entries (spec, value, error) : project_parts (spec, dim, value, error);
}

/* ---- encode ---- */

static gboolean
fail_key (const ReelSpec *spec, const char *key, GError **error)
{
  g_autoptr (GString) keys = g_string_new (NULL);
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (keys, "%s'%s'", i > 0 ? ", " : "", entries[i].key);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "The Composite instance with keys [%s] does not have a '%s' key.", keys->str, key);
  return FALSE;
}

static ReelTensor *
encode_leaf (const ReelSpec *spec, const ReelTensordictIter *iter, ReelTensor *tensor,
             gboolean check, GError **error)
{
  g_autoptr (GVariant) value = NULL;

  if (tensor)
    return reel_spec_encode_array (spec, tensor, check, error);
  value = reel_non_tensor_dup_data (reel_tensordict_iter_get_non_tensor (iter));
  return reel_spec_encode (spec, value, check, error);
}

static gboolean
encode_entry (const ReelSpecEntry *entry, const ReelTensordictIter *iter, ReelTensor *tensor,
              const ReelTensordict *child, gboolean check, ReelTensordict *encoded, GError **error)
{
  g_autoptr (ReelTensordict) inner = NULL;
  g_autoptr (ReelTensor) leaf = NULL;

  if (!entry->spec)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Composite.encode cannot be used with missing values.");
      return FALSE;
    }
  if (reel_spec_is_composite (entry->spec) != (child != NULL))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "a %s does not encode %s",
                   reel_spec_class_name (entry->spec), child ? "a tensordict" : "numbers");
      return FALSE;
    }
  if (child)
    {
      inner = reel_spec_encode_tensordict (entry->spec, child, check, error);
      return inner && reel_tensordict_set_tensordict (encoded, entry->path, inner, error);
    }
  if (reel_spec_is_non_tensor (entry->spec) && !tensor)
    return reel_tensordict_set_non_tensor (encoded, entry->path,
                                           reel_tensordict_iter_get_non_tensor (iter), error);
  leaf = encode_leaf (entry->spec, iter, tensor, check, error);
  return leaf && reel_tensordict_set_tensor (encoded, entry->path, leaf, error);
}

static gboolean
encode_entries (const ReelSpec *spec, const ReelTensordict *raw, gboolean check,
                ReelTensordict *encoded, GError **error)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, raw);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      g_autofree char *path = reel_path_escape (key);
      const ReelSpecEntry *entry = reel_spec_find_entry (spec, path, strlen (path));

      if (!entry)
        return fail_key (spec, key, error);
      if (!encode_entry (entry, &iter, tensor, child, check, encoded, error))
        {
          g_prefix_error (error, "%s: ", path);
          return FALSE;
        }
    }
  return TRUE;
}

ReelTensordict *
reel_spec_encode_tensordict (const ReelSpec *spec, const ReelTensordict *raw, gboolean check,
                             GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensordict) encoded = NULL;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (raw, NULL);

  if (reel_spec_is_lazy (spec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "encode is not implemented for StackedComposite specs.");
      return NULL;
    }
  reel_spec_safe_shape (spec, shape);
  encoded = reel_tensordict_new (spec->ndim, shape);
  reel_tensordict_set_device (encoded, reel_spec_get_device (spec), NULL);
  return encode_entries (spec, raw, check, encoded, error) ? g_steal_pointer (&encoded) : NULL;
}
