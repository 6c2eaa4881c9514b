/* Specs of other shapes. */
#include "../spec-shape.h"

#include "../spec-change.h"
#include "../spec-stack.h"

static gboolean
is_fixed (const ReelSpec *spec)
{
  return spec->kind->last == REEL_SPEC_LAST_FIXED;
}

/* ---- expand ---- */

static ReelSpec *
fail_expand (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  g_autofree char *wanted = reel_spec_format_shape (ndim, shape, ", ");
  g_autofree char *has = reel_spec_format_shape (spec->ndim, spec->shape, ", ");

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "The last %d of the expanded shape %s must match the shape %s of the %s spec in "
               "expand()",
               spec->ndim, wanted, has, reel_spec_class_name (spec));
  return NULL;
}

static gboolean
can_expand (const ReelSpec *spec, gint ndim, const gint64 *shape)
{
  gint ahead = ndim - spec->ndim;

  if (ahead < 0)
    return FALSE;
  for (gint i = 0; i < ahead; i++)
    if (shape[i] < -1)
      return FALSE;
  for (gint i = 0; i < spec->ndim; i++)
    {
      gboolean fixed = is_fixed (spec) && i == spec->ndim - 1;

      if (shape[ahead + i] != spec->shape[i] && (spec->shape[i] != 1 || fixed))
        return FALSE;
    }
  return TRUE;
}

ReelSpec *
reel_spec_expand (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  ReelSpecChange change;
  gint ahead;

  g_return_val_if_fail (spec, NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  reel_spec_change_init (&change, spec, REEL_SPEC_OP_EXPAND);
  if (!can_expand (spec, ndim, shape))
    return fail_expand (spec, ndim, shape, error);
  ahead = ndim - spec->ndim;
  for (gint i = 0; i < ndim - is_fixed (spec); i++)
    reel_spec_change_add (&change, shape[i], i < ahead ? -1 : i - ahead);
  change.keeps_last =
      change.n_from == 0 || change.to[change.n_to - 1] == change.from[change.n_from - 1];
  return reel_spec_change (spec, &change, error);
}

ReelSpec *
reel_spec_batch (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  gint64 extents[2 * REEL_MAX_NDIM];

  g_return_val_if_fail (spec, NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  if (ndim + spec->ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a spec cannot have %d dimensions: it must have 0 to %d", ndim + spec->ndim,
                   REEL_MAX_NDIM);
      return NULL;
    }
  for (gint i = 0; i < ndim; i++)
    extents[i] = shape[i];
  for (gint i = 0; i < spec->ndim; i++)
    extents[ndim + i] = spec->shape[i];
  return reel_spec_expand (spec, ndim + spec->ndim, extents, error);
}

/* ---- squeeze and unsqueeze ---- */

ReelSpec *
reel_spec_squeeze (const ReelSpec *spec, gint dim, GError **error)
{
  ReelSpecChange change;

  g_return_val_if_fail (spec, NULL);

  reel_spec_change_init (&change, spec, REEL_SPEC_OP_SQUEEZE);
  if (!reel_spec_resolve_dim (spec, &dim, error))
    return NULL;
  if (spec->shape[dim] != 1)
    return reel_spec_ref (spec);
  if (dim == change.n_from)
    return reel_spec_fail_fixed (spec, error);

  change.dim = dim;
  change.keeps_last = dim < change.n_from - 1;
  for (gint i = 0; i < change.n_from; i++)
    if (i != dim)
      reel_spec_change_add (&change, change.from[i], i);
  return reel_spec_change (spec, &change, error);
}

ReelSpec *
reel_spec_squeeze_all (const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) squeezed = NULL;

  g_return_val_if_fail (spec, NULL);

  if (is_fixed (spec) && spec->shape[spec->ndim - 1] == 1)
    return reel_spec_fail_fixed (spec, error);
  squeezed = reel_spec_ref (spec);
  if (spec->ndim == 1 && !reel_spec_is_composite (spec))
    return g_steal_pointer (&squeezed);
  for (gint dim = spec->ndim - 1; squeezed && dim >= 0; dim--)
    {
      ReelSpec *next = reel_spec_squeeze (squeezed, dim, error);

      reel_spec_unref (squeezed);
      squeezed = next;
    }
  return g_steal_pointer (&squeezed);
}

ReelSpec *
reel_spec_unsqueeze (const ReelSpec *spec, gint dim, GError **error)
{
  ReelSpecChange change;
  gint at = dim;

  g_return_val_if_fail (spec, NULL);

  reel_spec_change_init (&change, spec, REEL_SPEC_OP_UNSQUEEZE);
  if (at < 0)
    at += spec->ndim + 1;
  if (at < 0 || at > spec->ndim)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Dimension out of range, expected value in the range [%d, %d], but got %d",
                   -(spec->ndim + 1), spec->ndim, dim);
      return NULL;
    }
  if (at > change.n_from)
    return reel_spec_fail_fixed (spec, error);

  change.dim = at;
  change.keeps_last = at < change.n_from;
  for (gint i = 0; i <= change.n_from; i++)
    {
      if (i == at)
        reel_spec_change_add (&change, 1, -1);
      if (i < change.n_from)
        reel_spec_change_add (&change, change.from[i], i);
    }
  return reel_spec_change (spec, &change, error);
}

/* ---- reshape ---- */

static gint
count_unknown (gint ndim, const gint64 *shape)
{
  gint n = 0;

  for (gint i = 0; i < ndim; i++)
    n += shape[i] == -1;
  return n;
}

/* FALSE where an extent is below −1 or there are too many. */
static gboolean
multiply (gint ndim, const gint64 *shape, gint64 *product)
{
  *product = 1;
  for (gint i = 0; i < ndim; i++)
    if (shape[i] < -1 || (shape[i] >= 0 && __builtin_mul_overflow (*product, shape[i], product)))
      return FALSE;
  return TRUE;
}

/* Puts the one extent into @shape that is to be worked out. */
static gboolean
work_out (gint64 numel, gint ndim, gint64 *shape)
{
  gint64 others;

  if (!multiply (ndim, shape, &others))
    return FALSE;
  if (count_unknown (ndim, shape) == 0)
    return others == numel;
  if (count_unknown (ndim, shape) > 1 || others == 0 || numel % others != 0)
    return FALSE;
  for (gint i = 0; i < ndim; i++)
    if (shape[i] == -1)
      shape[i] = numel / others;
  return TRUE;
}

/* As many dimensions of any extent or fewer, but not none, and all else as large. */
static gboolean
keeps_unknown (const ReelSpecChange *change)
{
  gint n = count_unknown (change->n_to, change->to);
  gint64 from, to;

  return n > 0 && n <= count_unknown (change->n_from, change->from)
         && multiply (change->n_from, change->from, &from)
         && multiply (change->n_to, change->to, &to) && from == to;
}

static gboolean
check_reshape (ReelSpecChange *change)
{
  gint64 numel;

  if (count_unknown (change->n_from, change->from) > 0)
    return keeps_unknown (change);
  return multiply (change->n_from, change->from, &numel)
         && work_out (numel, change->n_to, change->to);
}

ReelSpec *
reel_spec_reshape (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  ReelSpecChange change;

  g_return_val_if_fail (spec, NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  reel_spec_change_init (&change, spec, REEL_SPEC_OP_RESHAPE);
  if (is_fixed (spec) && (ndim == 0 || shape[ndim - 1] != spec->shape[spec->ndim - 1]))
    return reel_spec_fail_fixed (spec, error);
  for (gint i = 0; i < ndim - is_fixed (spec); i++)
    reel_spec_change_add (&change, shape[i], -1);
  if (!reel_spec_is_lazy (spec) && !check_reshape (&change))
    {
      g_autofree char *wanted = reel_spec_format_shape (ndim, shape, ", ");
      g_autofree char *has = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "shape %s is invalid for a %s spec of shape %s", wanted,
                   reel_spec_class_name (spec), has);
      return NULL;
    }
  change.keeps_last =
      ndim > 0 && change.n_from > 0 && change.to[change.n_to - 1] == change.from[change.n_from - 1];
  return reel_spec_change (spec, &change, error);
}

ReelSpec *
reel_spec_flatten (const ReelSpec *spec, gint first, gint last, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  gint64 merged = 1;
  gint ndim = 0;

  g_return_val_if_fail (spec, NULL);

  if (spec->ndim == 0 && (first == 0 || first == -1) && (last == 0 || last == -1))
    return reel_spec_unsqueeze (spec, 0, error);
  if (!reel_spec_resolve_dim (spec, &first, error) || !reel_spec_resolve_dim (spec, &last, error))
    return NULL;
  if (last < first)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot flatten dimensions %d to %d: the last must not come before the first",
                   first, last);
      return NULL;
    }
  for (gint i = first; i <= last; i++)
    merged = merged == -1 || spec->shape[i] == -1 ? -1 : merged * spec->shape[i];
  for (gint i = 0; i < spec->ndim; i++)
    if (i <= first || i > last)
      shape[ndim++] = i == first ? merged : spec->shape[i];
  return reel_spec_reshape (spec, ndim, shape, error);
}

ReelSpec *
reel_spec_unflatten (const ReelSpec *spec, gint dim, gint n, const gint64 *sizes, GError **error)
{
  gint64 shape[2 * REEL_MAX_NDIM];
  gint64 split[REEL_MAX_NDIM];
  gint ndim = 0;

  g_return_val_if_fail (spec, NULL);
  g_return_val_if_fail (n >= 0 && n <= REEL_MAX_NDIM, NULL);

  if (!reel_spec_resolve_dim (spec, &dim, error))
    return NULL;
  for (gint i = 0; i < n; i++)
    split[i] = sizes[i];
  if (n == 0 || spec->ndim - 1 + n > REEL_MAX_NDIM || !work_out (spec->shape[dim], n, split))
    {
      g_autofree char *text = reel_spec_format_shape (n, sizes, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "sizes %s do not multiply up to the size of dimension %d (%" G_GINT64_FORMAT
                   ") of a %s spec",
                   text, dim, spec->shape[dim], reel_spec_class_name (spec));
      return NULL;
    }
  for (gint i = 0; i < spec->ndim; i++)
    if (i != dim)
      shape[ndim++] = spec->shape[i];
    else
      for (gint k = 0; k < n; k++)
        shape[ndim++] = split[k];
  return reel_spec_reshape (spec, ndim, shape, error);
}
