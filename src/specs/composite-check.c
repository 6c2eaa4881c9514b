/* Values of composite specs: inside or not, moved inside, encoded. */
#include "composite-values.h"

#include "non-tensor-spec.h"
#include "spec-keys.h"
#include "spec-values.h"
#include "stacked-spec.h"

/* ---- members of stacks ---- */

/* Element @i of @value along the dimension that stands for the members of @spec. */
static ReelTensordict *
get_element (const ReelSpec *spec, const ReelTensordict *value, gsize i, GError **error)
{
  gint ndim;

  reel_tensordict_get_batch_size (value, &ndim);
  return reel_tensordict_select_index ((ReelTensordict *) value,
                                       ndim - spec->ndim + reel_spec_get_stack_dim (spec),
                                       (gint64) i, error);
}

/* Whether @value has as many elements as @spec has members. */
static gboolean
has_members (const ReelSpec *spec, const ReelTensordict *value, GError **error)
{
  gint dim = reel_spec_get_stack_dim (spec);
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (value, &ndim);
  gint at = ndim - spec->ndim + dim;

  if (ndim >= spec->ndim && shape[at] == spec->shape[dim])
    return TRUE;
  g_autofree char *has = reel_spec_format_shape (ndim, shape, ", ");
  g_autofree char *wants = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
               "batch size %s does not end in %s, or differs along dimension %d of that", has,
               wants, dim);
  return FALSE;
}

typedef gboolean (*Check) (const ReelSpec *spec, const ReelTensordict *value, GError **error);

static gboolean
check_members (const ReelSpec *spec, const ReelTensordict *value, Check check, GError **error)
{
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  if (!has_members (spec, value, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (ReelTensordict) element = get_element (spec, value, i, error);

      if (!element)
        return FALSE;
      if (check (members[i], element, error))
        continue;
      g_prefix_error (error, "member %" G_GSIZE_FORMAT ": ", i);
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
  if (reel_spec_is_empty (entry->spec, TRUE) && !reel_spec_is_lazy (entry->spec))
    return TRUE;
  child = reel_tensordict_ref_tensordict (value, entry->path, error);
  return child && reel_spec_is_in_tensordict (entry->spec, child, error);
}

gboolean
reel_spec_is_in_tensordict (const ReelSpec *spec, const ReelTensordict *value, GError **error)
{
  gsize n;
  const ReelSpecEntry *entries;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), FALSE);
  g_return_val_if_fail (value, FALSE);

  if (reel_spec_is_lazy (spec))
    return check_members (spec, value, reel_spec_is_in_tensordict, error);
  entries = reel_spec_get_entries (spec, &n);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GError) reason = NULL;

      if (is_entry_in (&entries[i], value, &reason))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "%s: %s", entries[i].path,
                   reason->message);
      return FALSE;
    }
  return TRUE;
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
  gsize n;
  const ReelSpecEntry *entries;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), FALSE);
  g_return_val_if_fail (value, FALSE);

  if (reel_spec_is_lazy (spec))
    return check_members (spec, value, reel_spec_type_check_tensordict, error);
  entries = reel_spec_get_entries (spec, &n);
  for (gsize i = 0; i < n; i++)
    if (!check_type (&entries[i], value, error))
      {
        g_prefix_error (error, "%s: ", entries[i].path);
        return FALSE;
      }
  return TRUE;
}
