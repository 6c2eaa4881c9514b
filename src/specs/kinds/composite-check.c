/* Values of composite specs: inside or not, moved inside, encoded. */
#include "composite-values.h"

#include "non-tensor-spec.h"
#include "../spec-keys.h"
#include "../spec-shape.h"
#include "../spec-values.h"
#include "stacked-spec.h"

/* ---- parts of stacks ---- */

GPtrArray *
reel_spec_split (const ReelSpec *spec, gint dim, ReelTensordict *value, GPtrArray *elements,
                 GError **error)
{
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (value, &ndim);
  gint at = ndim - spec->ndim + dim;

  if (ndim < spec->ndim || shape[at] != spec->shape[dim])
    {
      g_autofree char *has = reel_spec_format_shape (ndim, shape, ", ");
      g_autofree char *wants = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
                   "batch size %s does not end in %s, or differs along dimension %d of that", has,
                   wants, dim);
      return NULL;
    }
  for (gint64 i = 0; i < shape[at]; i++)
    {
      ReelTensordict *element = reel_tensordict_select_index (value, at, i, error);

      if (!element)
        return NULL;
      g_ptr_array_add (elements, element);
    }
  return reel_spec_unbind (spec, dim, error);
}

typedef gboolean (*Check) (const ReelSpec *spec, const ReelTensordict *value, GError **error);

static gboolean
check_parts (const ReelSpec *spec, gint dim, const ReelTensordict *value, Check check,
             GError **error)
{
  g_autoptr (GPtrArray) elements =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (GPtrArray) parts =
      reel_spec_split (spec, dim, (ReelTensordict *) value, elements, error);

  if (!parts)
    return FALSE;
  for (guint i = 0; i < parts->len; i++)
    {
      if (check (parts->pdata[i], elements->pdata[i], error))
        continue;
      g_prefix_error (error, "member %u: ", i);
      return FALSE;
    }
  return TRUE;
}

/* Whether a tensordict passes a check, entry by entry, of the members of a stack one by one. */
typedef gboolean (*CheckEntry) (const ReelSpecEntry *entry, const ReelTensordict *value,
                                GError **error);

static gboolean
check_entries (const ReelSpec *spec, const ReelTensordict *value, Check check,
               CheckEntry check_entry, GError **error)
{
  gint dim = reel_spec_find_part_dim (spec);
  gsize n;
  const ReelSpecEntry *entries;

  if (dim >= 0)
    return check_parts (spec, dim, value, check, error);
  entries = reel_spec_get_entries (spec, &n);
  for (gsize i = 0; i < n; i++)
    if (!check_entry (&entries[i], value, error))
      {
        g_prefix_error (error, "%s: ", entries[i].path);
        return FALSE;
      }
  return TRUE;
}

/* ---- inside ---- */

static gboolean
is_entry_in (const ReelSpecEntry *entry, const ReelTensordict *value, GError **error)
{
  g_autoptr (ReelTensordict) child = NULL;
  g_autoptr (ReelNonTensor) non_tensor = NULL;
  g_autoptr (ReelTensor) leaf = NULL;

  if (!entry->spec)
    return TRUE;
  if (reel_spec_is_non_tensor (entry->spec))
    {
      non_tensor = reel_tensordict_ref_non_tensor (value, entry->path, error);
      return non_tensor && reel_spec_is_in_non_tensor (entry->spec, non_tensor, error);
    }
  if (!reel_spec_is_composite (entry->spec))
    {
      leaf = reel_tensordict_ref_tensor (value, entry->path, error);
      return leaf && reel_spec_is_in (entry->spec, leaf, error);
    }
  if (reel_spec_is_empty (entry->spec, TRUE))
    return TRUE;
  child = reel_tensordict_ref_tensordict (value, entry->path, error);
  return child && reel_spec_is_in_tensordict (entry->spec, child, error);
}

gboolean
reel_spec_is_in_tensordict (const ReelSpec *spec, const ReelTensordict *value, GError **error)
{
  g_autoptr (GError) reason = NULL;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), FALSE);
  g_return_val_if_fail (value, FALSE);

  if (check_entries (spec, value, reel_spec_is_in_tensordict, is_entry_in, &reason))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_ASSERTION, reason->message);
  return FALSE;
}

/* ---- dtypes ---- */

static gboolean
check_type (const ReelSpecEntry *entry, const ReelTensordict *value, GError **error)
{
  g_autoptr (ReelTensordict) child = NULL;
  g_autoptr (ReelTensor) leaf = NULL;

  if (!entry->spec || reel_spec_is_non_tensor (entry->spec))
    return TRUE;
  if (!reel_spec_is_composite (entry->spec))
    {
      leaf = reel_tensordict_ref_tensor (value, entry->path, error);
      return leaf && reel_spec_type_check (entry->spec, leaf, error);
    }
  child = reel_tensordict_ref_tensordict (value, entry->path, error);
  return child && reel_spec_type_check_tensordict (entry->spec, child, error);
}

gboolean
reel_spec_type_check_tensordict (const ReelSpec *spec, const ReelTensordict *value, GError **error)
{
  g_return_val_if_fail (spec && reel_spec_is_composite (spec), FALSE);
  g_return_val_if_fail (value, FALSE);
  return check_entries (spec, value, reel_spec_type_check_tensordict, check_type, error);
}
