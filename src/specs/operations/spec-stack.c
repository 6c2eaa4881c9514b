/* Stacks of specs. */
#include "../spec-stack.h"

#include <string.h>

#include "../spec-shape.h"
#include "../kinds/stacked-spec.h"

/* ---- what may be stacked ---- */

static gboolean
fail (const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Stacking specs cannot occur: Found more than one type of %s in the list.", what);
  return FALSE;
}

static gboolean
check_composite (const ReelSpec *first, const ReelSpec *spec, GError **error)
{
  if (!reel_spec_is_composite (spec))
    return fail ("spec", error);
  if (spec->ndim != first->ndim
      || memcmp (spec->shape, first->shape, (gsize) first->ndim * sizeof *first->shape) != 0)
    {
      g_autofree char *mine = reel_spec_format_shape (first->ndim, first->shape, ", ");
      g_autofree char *theirs = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Shapes differ, got torch.Size(%s) and torch.Size(%s)", theirs, mine);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_leaf (const ReelSpec *first, const ReelSpec *spec, GError **error)
{
  gboolean same_class =
      spec->kind == first->kind
      && (spec->kind == &reel_unbounded_spec_kind
          || g_str_equal (reel_spec_class_name (spec), reel_spec_class_name (first)));

  if (!same_class)
    return fail ("specs", error);
  if (spec->dtype != first->dtype)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "Dtypes differ, got torch.%s and torch.%s",
                 reel_dtype_name (first->dtype), reel_dtype_name (spec->dtype));
  else if (spec->ndim != first->ndim)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "Ndims differ, got %d and %d", first->ndim,
                 spec->ndim);
  else
    return TRUE;
  return FALSE;
}

gboolean
reel_spec_check_stack (ReelSpec *const *specs, gsize n, GError **error)
{
  gboolean composite = n > 0 && reel_spec_is_composite (specs[0]);

  if (n == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "Cannot stack an empty list of specs.");
      return FALSE;
    }
  for (gsize i = 1; i < n; i++)
    if (!(composite ? check_composite : check_leaf) (specs[0], specs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
resolve_dim (const ReelSpec *spec, gint *dim, GError **error)
{
  gint given = *dim;

  if (given < 0)
    *dim += spec->ndim + 1;
  if (*dim >= 0 && *dim <= spec->ndim)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "Dimension out of range (expected to be in range of [%d, %d], but got %d)",
               -spec->ndim - 1, spec->ndim, given);
  return FALSE;
}

/* ---- stack ---- */

static ReelSpec *
repeat (const ReelSpec *spec, gsize n, gint dim, GError **error)
{
  g_autoptr (ReelSpec) one = reel_spec_unsqueeze (spec, dim, error);
  gint64 shape[REEL_MAX_NDIM];

  if (!one)
    return NULL;
  for (gint i = 0; i < one->ndim; i++)
    shape[i] = i == dim ? (gint64) n : one->shape[i];
  return reel_spec_expand (one, one->ndim, shape, error);
}

ReelSpec *
reel_spec_stack (ReelSpec *const *specs, gsize n, gint dim, GError **error)
{
  gboolean all_equal = TRUE;

  if (!reel_spec_check_stack (specs, n, error) || !resolve_dim (specs[0], &dim, error))
    return NULL;
  for (gsize i = 1; i < n; i++)
    all_equal = all_equal && reel_spec_equal (specs[i], specs[0]);
  return all_equal ? repeat (specs[0], n, dim, error)
                   : reel_stacked_spec_new (specs, n, dim, error);
}

/* ---- asking ---- */

gboolean
reel_spec_contains_lazy (const ReelSpec *spec)
{
  gsize n = 0;
  const ReelSpecEntry *entries = NULL;

  g_return_val_if_fail (spec, FALSE);

  if (reel_spec_is_lazy (spec))
    return TRUE;
  if (reel_spec_is_composite (spec))
    entries = reel_spec_get_entries (spec, &n);
  for (gsize i = 0; i < n; i++)
    if (entries[i].spec && reel_spec_contains_lazy (entries[i].spec))
      return TRUE;
  return FALSE;
}

/* Whether each member has the common keys alone. */
static gboolean
have_common_keys (const ReelSpec *spec, gboolean recurse)
{
  gsize n, n_common, n_keys;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  reel_spec_get_entries (spec, &n_common);
  for (gsize i = 0; i < n; i++)
    {
      reel_spec_get_entries (members[i], &n_keys);
      if (n_keys != n_common)
        return FALSE;
      if (recurse && !reel_spec_check_no_exclusive_keys (members[i], TRUE))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_spec_check_no_exclusive_keys (const ReelSpec *spec, gboolean recurse)
{
  gsize n = 0;
  const ReelSpecEntry *entries = NULL;

  g_return_val_if_fail (spec, FALSE);

  if (!reel_spec_is_composite (spec))
    return TRUE;
  if (reel_spec_is_lazy (spec))
    return have_common_keys (spec, recurse);
  entries = reel_spec_get_entries (spec, &n);
  for (gsize i = 0; recurse && i < n; i++)
    if (entries[i].spec && !reel_spec_check_no_exclusive_keys (entries[i].spec, TRUE))
      return FALSE;
  return TRUE;
}
