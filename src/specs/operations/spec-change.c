/* One change of shape, applied to a spec of any kind. */
#include "../spec-change.h"

void
reel_spec_change_init (ReelSpecChange *change, const ReelSpec *spec, ReelSpecOp op)
{
  gboolean fixed = spec->kind->last == REEL_SPEC_LAST_FIXED;

  *change = (ReelSpecChange){ .op = op, .n_from = spec->ndim - fixed };
  for (gint i = 0; i < change->n_from; i++)
    change->from[i] = spec->shape[i];
}

void
reel_spec_change_add (ReelSpecChange *change, gint64 extent, gint origin)
{
  change->to[change->n_to] = extent;
  change->origins[change->n_to++] = origin;
}

ReelSpec *
reel_spec_fail_fixed (const ReelSpec *spec, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "Final dimension of %s must remain unchanged",
               reel_spec_class_name (spec));
  return NULL;
}

gboolean
reel_spec_resolve_dim (const ReelSpec *spec, gint *dim, GError **error)
{
  gint given = *dim;

  if (given < 0)
    *dim += spec->ndim;
  if (*dim >= 0 && *dim < spec->ndim)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "Dimension out of range: a %s spec of %d dimensions has none of number %d",
               reel_spec_class_name (spec), spec->ndim, given);
  return FALSE;
}

/* ---- parameters ---- */

/* The changed parameter: the dimensions of the change, then its others. */
static gint
parameter_shape (const ReelTensor *parameter, const ReelSpecChange *change, gint64 *shape)
{
  gint ndim = 0;

  for (gint i = 0; i < change->n_to; i++)
    shape[ndim++] = ABS (change->to[i]);
  for (gint i = change->n_from; i < parameter->ndim; i++)
    shape[ndim++] = parameter->shape[i];
  return ndim;
}

/* A view where the strides allow one. */
static ReelTensor *
reshape (ReelTensor *parameter, gint ndim, const gint64 *shape, GError **error)
{
  ReelTensor *view = reel_tensor_view (parameter, ndim, shape, NULL);
  g_autoptr (ReelTensor) rows = NULL;

  if (view)
    return view;
  rows = reel_tensor_contiguous (parameter, error);
  return rows ? reel_tensor_view (rows, ndim, shape, error) : NULL;
}

ReelTensor *
reel_spec_change_parameter (ReelTensor *parameter, const ReelSpecChange *change, GError **error)
{
  gint64 shape[2 * REEL_MAX_NDIM];
  gint ndim = parameter_shape (parameter, change, shape);

  if (change->op == REEL_SPEC_OP_SELECT)
    return reel_tensor_select (parameter, change->dim, change->at, error);
  if (change->op == REEL_SPEC_OP_INDEX)
    return reel_index_plan_get (change->plan, parameter, error);
  if (ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a spec with masks cannot have %d dimensions: it must have 0 to %d",
                   change->n_to, REEL_MAX_NDIM - (ndim - change->n_to));
      return NULL;
    }
  if (change->op == REEL_SPEC_OP_EXPAND)
    return reel_tensor_expand (parameter, ndim, shape, error);
  return reshape (parameter, ndim, shape, error);
}

static gboolean
change_parameters (const ReelSpec *spec, const ReelSpecChange *change, ReelTensor **changed,
                   GError **error)
{
  for (gint i = 0; i < REEL_SPEC_N_PARAMETERS; i++)
    if (spec->parameters[i])
      {
        changed[i] = reel_spec_change_parameter (spec->parameters[i], change, error);
        if (!changed[i])
          return FALSE;
      }
  return TRUE;
}

static ReelSpec *
change_leaf (const ReelSpec *spec, const ReelSpecChange *change, GError **error)
{
  gint64 shape[2 * REEL_MAX_NDIM];
  gint ndim = change->n_to;
  ReelTensor *parameters[REEL_SPEC_N_PARAMETERS] = { NULL };
  ReelSpec *changed = NULL;

  for (gint i = 0; i < change->n_to; i++)
    shape[i] = change->to[i];
  for (gint i = change->n_from; i < spec->ndim; i++)
    shape[ndim++] = spec->shape[i];
  if (change_parameters (spec, change, parameters, error))
    changed = reel_spec_changed (spec, ndim, shape, parameters, error);
  for (gint i = 0; i < REEL_SPEC_N_PARAMETERS; i++)
    g_clear_pointer (&parameters[i], reel_tensor_unref);
  return changed;
}

/* The batch dimensions of a composite may reach as far as the fixed one of a leaf, as long as
 * nothing happens to that. */
static ReelSpec *
change_fixed (const ReelSpec *spec, const ReelSpecChange *change, GError **error)
{
  ReelSpecChange but_last = *change;

  if (!change->keeps_last || change->op == REEL_SPEC_OP_INDEX)
    return reel_spec_fail_fixed (spec, error);
  but_last.n_from--;
  but_last.n_to--;
  return change_leaf (spec, &but_last, error);
}

ReelSpec *
reel_spec_change (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  if (spec->kind->change)
    return spec->kind->change (spec, change, error);
  if (spec->kind->last == REEL_SPEC_LAST_FIXED && change->n_from == spec->ndim)
    return change_fixed (spec, change, error);
  return change_leaf (spec, change, error);
}

ReelSpec *
reel_spec_fill_in (const ReelSpec *spec, const gint64 *shape, GError **error)
{
  ReelSpecChange change;

  reel_spec_change_init (&change, spec, REEL_SPEC_OP_EXPAND);
  for (change.n_to = 0; change.n_to < change.n_from; change.n_to++)
    change.to[change.n_to] = shape[change.n_to];
  change.keeps_last = spec->ndim > 0 && shape[spec->ndim - 1] == spec->shape[spec->ndim - 1];
  return reel_spec_change (spec, &change, error);
}
