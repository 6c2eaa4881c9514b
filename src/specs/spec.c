#include "spec-kind.h"

#include <string.h>

#include "parameter.h"

G_DEFINE_BOXED_TYPE (ReelSpec, reel_spec, reel_spec_ref, reel_spec_unref)

static gboolean
check_shape (gint ndim, const gint64 *shape, gint64 *numel, GError **error)
{
  g_autofree char *text = NULL;

  *numel = 1;
  if (ndim < 0 || ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a spec cannot have %d dimensions: it must have 0 to %d", ndim, REEL_MAX_NDIM);
      return FALSE;
    }
  for (gint i = 0; i < ndim; i++)
    if (shape[i] < -1 || __builtin_mul_overflow (*numel, ABS (shape[i]), numel)
        || *numel > G_MAXINT64 / 16)
      {
        text = reel_spec_format_shape (ndim, shape, ", ");
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "a spec cannot have shape %s: extents must be 0 and up, or -1 for any, and "
                     "their product not beyond memory",
                     text);
        return FALSE;
      }
  return TRUE;
}

gpointer
reel_spec_alloc (const ReelSpecKind *kind, ReelDtype dtype, gint ndim, const gint64 *shape,
                 GError **error)
{
  gint64 numel;
  ReelSpec *spec;

  if (!check_shape (ndim, shape, &numel, error))
    return NULL;

  spec = g_atomic_rc_box_alloc0 (kind->size);
  spec->kind = kind;
  spec->dtype = dtype;
  spec->ndim = ndim;
  for (gint i = 0; i < ndim; i++)
    spec->shape[i] = shape[i];
  spec->numel = numel;
  return spec;
}

ReelSpec *
reel_spec_ref (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, NULL);

  return g_atomic_rc_box_acquire ((ReelSpec *) spec);
}

static void
clear (gpointer data)
{
  ReelSpec *spec = data;

  if (spec->kind->clear)
    spec->kind->clear (spec);
  for (gint i = 0; i < REEL_SPEC_N_PARAMETERS; i++)
    g_clear_pointer (&spec->parameters[i], reel_tensor_unref);
}

void
reel_spec_unref (ReelSpec *spec)
{
  g_return_if_fail (spec);

  g_atomic_rc_box_release_full (spec, clear);
}

ReelSpec *
reel_spec_finish (gpointer spec, GError **error)
{
  ReelSpec *self = spec;

  if (!self->kind->prepare || self->kind->prepare (self, error))
    return self;
  reel_spec_unref (self);
  return NULL;
}

ReelSpec *
reel_spec_changed (const ReelSpec *spec, gint ndim, const gint64 *shape,
                   ReelTensor *const *parameters, GError **error)
{
  ReelSpec *copy = reel_spec_alloc (spec->kind, spec->dtype, ndim, shape, error);

  if (!copy)
    return NULL;
  for (gint i = 0; i < REEL_SPEC_N_PARAMETERS; i++)
    copy->parameters[i] = parameters[i] ? reel_tensor_ref (parameters[i]) : NULL;
  if (spec->kind->copy)
    spec->kind->copy (spec, copy);
  return reel_spec_finish (copy, error);
}

ReelDtype
reel_spec_get_dtype (const ReelSpec *spec)
{
  g_return_val_if_fail (spec && !reel_spec_is_composite (spec), REEL_DTYPE_BOOL);

  return spec->dtype;
}

const gint64 *
reel_spec_get_shape (const ReelSpec *spec, gint *ndim)
{
  g_return_val_if_fail (spec && ndim, NULL);

  *ndim = spec->ndim;
  return spec->shape;
}

gint64
reel_spec_get_n (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, 0);

  return spec->kind->get_n ? spec->kind->get_n (spec) : 0;
}

gsize
reel_spec_row_bytes (const ReelSpec *spec)
{
  return (gsize) spec->numel * reel_dtype_size (spec->dtype);
}

gboolean
reel_spec_equal (const ReelSpec *a, const ReelSpec *b)
{
  g_return_val_if_fail (a && b, FALSE);

  return a->dtype == b->dtype && a->ndim == b->ndim
         && memcmp (a->shape, b->shape, (gsize) a->ndim * sizeof *a->shape) == 0
         && a->kind->equal (a, b);
}

static gboolean
equal_parameter (const ReelTensor *a, const ReelTensor *b)
{
  return a == b || (a && b && reel_parameter_equal (a, b));
}

gboolean
reel_spec_equal_parameters (const ReelSpec *a, const ReelSpec *b)
{
  for (gint i = 0; i < REEL_SPEC_N_PARAMETERS; i++)
    if (!equal_parameter (a->parameters[i], b->parameters[i]))
      return FALSE;
  return TRUE;
}

void
reel_spec_safe_shape (const ReelSpec *spec, gint64 *shape)
{
  for (gint i = 0; i < spec->ndim; i++)
    shape[i] = ABS (spec->shape[i]);
}

gint
reel_spec_batch_shape (const ReelSpec *spec, gint ndim, const gint64 *shape, gint64 *extents)
{
  for (gint i = 0; i < ndim; i++)
    extents[i] = shape[i];
  for (gint i = 0; i < spec->ndim; i++)
    extents[ndim + i] = ABS (spec->shape[i]);
  return ndim + spec->ndim;
}
