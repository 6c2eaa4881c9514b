#include "bounded-spec.h"

#include <math.h>

#include "../../core/object/number.h"
#include "bounds.h"
#include "../parameter.h"
#include "../spec-form.h"

typedef struct
{
  ReelSpec head;

  ReelBounds bounds;
} BoundedSpec;

static const ReelBounds *
get_bounds (const ReelSpec *spec)
{
  return &((const BoundedSpec *) spec)->bounds;
}

/* ---- making one ---- */

static gboolean
refuse (ReelDtype from, const guint8 *value, ReelDtype dtype, GError **error)
{
  g_autofree char *text = reel_element_format (from, value);

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a bound cannot be %s: it must be a value of %s", text, reel_dtype_name (dtype));
  return FALSE;
}

/* The limits of 64-bit integers round up to a power of two, which stands for them, as ±∞ do. */
static gboolean
to_integer (ReelDtype from, const guint8 *value, ReelDtype to, guint8 *bound, GError **error)
{
  ReelInteger low, high, integer;
  double real = reel_dtype_load_double (from, value);
  gboolean whole = reel_element_is_integer (from);

  reel_element_limits (to, &low, &high);
  if (whole)
    integer = reel_element_load_integer (from, value);
  else if (isinf (real))
    integer = real < 0 ? low : high;
  else if (real == floor (real) && real >= (double) low && real <= (double) high)
    integer = MIN ((ReelInteger) real, high);
  else
    return refuse (from, value, to, error);

  if (integer < low || integer > high)
    return refuse (from, value, to, error);
  reel_element_store_integer (to, bound, integer);
  return TRUE;
}

static gboolean
to_bound (ReelDtype from, const guint8 *value, ReelDtype to, guint8 *bound, GError **error)
{
  double real = reel_dtype_load_double (from, value);

  if (isnan (real))
    return refuse (from, value, to, error);
  if (reel_element_is_integer (to))
    return to_integer (from, value, to, bound, error);
  /* No bound is −0, nor rounded to it: it would print as what it does not mean. */
  reel_dtype_store_double (to, bound, real);
  reel_dtype_store_double (to, bound, reel_dtype_load_double (to, bound) + 0.0);
  return TRUE;
}

static ReelTensor *
convert (ReelTensor *given, ReelDtype dtype, GError **error)
{
  g_autoptr (ReelTensor) from = reel_tensor_contiguous (given, error);
  g_autoptr (ReelTensor) to = from ? reel_tensor_new (dtype, from->ndim, from->shape, error) : NULL;

  for (gsize i = 0; to && i < (gsize) reel_tensor_numel (to); i++)
    if (!to_bound (from->dtype, from->data + i * reel_dtype_size (from->dtype), dtype,
                   to->data + i * reel_dtype_size (dtype), error))
      return NULL;
  return g_steal_pointer (&to);
}

static gboolean
set_bound (BoundedSpec *self, gint which, ReelTensor *given, GError **error)
{
  g_autoptr (ReelTensor) bound = convert (given, self->head.dtype, error);
  gint64 shape[REEL_MAX_NDIM];

  if (!bound)
    return FALSE;
  reel_spec_safe_shape (&self->head, shape);
  self->head.parameters[which] = reel_tensor_expand (bound, self->head.ndim, shape, error);
  return self->head.parameters[which] != NULL;
}

static ReelSpec *
make (ReelDtype dtype, gint ndim, const gint64 *shape, ReelTensor *low, ReelTensor *high,
      GError **error)
{
  BoundedSpec *self;

  if (reel_dtype_is_complex (dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a bounded spec cannot be %s: complex numbers have no order",
                   reel_dtype_name (dtype));
      return NULL;
    }
  self = reel_spec_alloc (&reel_bounded_spec_kind, dtype, ndim, shape, error);
  if (!self)
    return NULL;
  if (set_bound (self, REEL_SPEC_LOW, low, error) && set_bound (self, REEL_SPEC_HIGH, high, error))
    return reel_spec_finish (self, error);
  reel_spec_unref (&self->head);
  return NULL;
}

/* How many of the last dimensions hold @n elements, or −1. */
static gint
find_tail (gint ndim, const gint64 *shape, gsize n)
{
  gsize numel = 1;
  gint tail = 0;

  for (; numel != n && tail < ndim; tail++)
    numel *= (gsize) ABS (shape[ndim - 1 - tail]);
  return numel == n ? tail : -1;
}

/* Bounds given as a list, in the shape of the last dimensions that hold as many elements. */
static ReelTensor *
from_list (gint ndim, const gint64 *shape, const double *values, gsize n, GError **error)
{
  gint tail = find_tail (ndim, shape, n);
  gint64 extents[REEL_MAX_NDIM];
  ReelTensor *tensor;

  for (gint i = 0; i < tail; i++)
    extents[i] = ABS (shape[ndim - tail + i]);
  tensor = reel_tensor_new (REEL_DTYPE_FLOAT64, tail, extents, error);
  for (gsize i = 0; tensor && i < n; i++)
    ((double *) (gpointer) tensor->data)[i] = values[i];
  return tensor;
}

static gboolean
check_counts (gint ndim, const gint64 *shape, gsize n_low, gsize n_high, GError **error)
{
  g_autofree char *text = NULL;

  if (ndim < 0 || ndim > REEL_MAX_NDIM
      || (find_tail (ndim, shape, n_low) >= 0 && find_tail (ndim, shape, n_high) >= 0))
    return TRUE;
  text = reel_spec_format_shape (ndim, shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%" G_GSIZE_FORMAT " lows and %" G_GSIZE_FORMAT
               " highs do not fit shape %s: give one, or one an element",
               n_low, n_high, text);
  return FALSE;
}

ReelSpec *
reel_bounded_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, const double *low,
                       gsize n_low, const double *high, gsize n_high, GError **error)
{
  g_autoptr (ReelTensor) lows = NULL;
  g_autoptr (ReelTensor) highs = NULL;

  if (!check_counts (ndim, shape, n_low, n_high, error))
    return NULL;
  lows = from_list (ndim, shape, low, n_low, error);
  highs = lows ? from_list (ndim, shape, high, n_high, error) : NULL;
  return highs ? make (dtype, ndim, shape, lows, highs, error) : NULL;
}

/* Whether a bound that is no scalar has the shape, −1 as 1. */
static gboolean
has_shape (const ReelTensor *bound, gint ndim, const gint64 *shape)
{
  if (bound->ndim > 0 && bound->ndim != ndim)
    return FALSE;
  for (gint i = 0; i < bound->ndim; i++)
    if (bound->shape[i] != ABS (shape[i]))
      return FALSE;
  return TRUE;
}

ReelSpec *
reel_bounded_spec_new_from_tensors (ReelTensor *low, ReelTensor *high, ReelDtype dtype, gint ndim,
                                    const gint64 *shape, GError **error)
{
  const ReelTensor *shaped;

  g_return_val_if_fail (low && high, NULL);

  shaped = high->ndim > 0 ? high : low;
  if (!shape && shaped->ndim > 0)
    {
      ndim = shaped->ndim;
      shape = shaped->shape;
    }
  if (!shape || !has_shape (low, ndim, shape) || !has_shape (high, ndim, shape))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Bounded requires the shape to be explicitly (via the shape argument) or "
                   "implicitly defined (via either the minimum or the maximum or both). If the "
                   "maximum and/or the minimum have a non-singleton shape, they must match the "
                   "provided shape if this one is set explicitly.");
      return NULL;
    }
  return make (dtype, ndim, shape, low, high, error);
}

static gboolean
prepare (ReelSpec *spec, GError **error)
{
  return reel_bounds_init (&((BoundedSpec *) spec)->bounds, spec->parameters[REEL_SPEC_LOW],
                           spec->parameters[REEL_SPEC_HIGH], error);
}

static void
clear (ReelSpec *spec)
{
  reel_bounds_clear (&((BoundedSpec *) spec)->bounds);
}

/* ---- comparing ---- */

gboolean
reel_bounded_spec_is_full (const ReelSpec *spec)
{
  const ReelBounds *bounds = get_bounds (spec);
  gboolean integer = reel_element_is_integer (spec->dtype);
  guint64 infinity = 0;
  double greatest;
  ReelInteger low = 0, high = 0;

  if (integer)
    reel_element_limits (spec->dtype, &low, &high);
  reel_dtype_store_double (spec->dtype, &infinity, INFINITY);
  if (!integer)
    reel_element_predecessor (spec->dtype, &infinity);
  greatest = reel_dtype_load_double (spec->dtype, &infinity);

  for (gint64 i = 0; i < bounds->period; i++)
    {
      const ReelBound *bound = &bounds->bounds[i];

      if (bound->integer_low != low || bound->integer_high != high)
        return FALSE;
      if (!integer && (bound->low != -greatest || bound->high != greatest))
        return FALSE;
    }
  return TRUE;
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  if (other->kind == &reel_unbounded_spec_kind)
    return reel_bounded_spec_is_full (spec);
  return other->kind == &reel_bounded_spec_kind && reel_spec_equal_parameters (spec, other);
}

/* ---- values ---- */

static void
draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *values)
{
  reel_bounds_draw (get_bounds (spec), key, first, n, values);
}

static gint64
find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values, char **why)
{
  return reel_bounds_find_outside (get_bounds (spec), values, n_values, why);
}

/* Floats stay what they are, as PyTorch's clamp leaves them. */
static ReelDtype
project_dtype (const ReelSpec *spec, ReelDtype dtype)
{
  gboolean wider =
      reel_dtype_is_float (spec->dtype) && reel_dtype_size (spec->dtype) > reel_dtype_size (dtype);

  return reel_dtype_is_float (dtype) && !wider ? dtype : spec->dtype;
}

static void
project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values, gint64 n_values,
         guint8 *projected)
{
  reel_bounds_project (get_bounds (spec), dtype, values, n_values, project_dtype (spec, dtype),
                       projected);
}

/* As TorchRL, of integers too. */
static gboolean
cardinality (const ReelSpec *spec, gint64 *n, GError **error)
{
  *n = G_MAXINT64;
  return TRUE;
}

/* ---- forms ---- */

static void
describe (const ReelSpec *spec, json_t *form)
{
  json_object_set_new (form, "low",
                       reel_spec_form_from_tensor (spec->parameters[REEL_SPEC_LOW], 0));
  json_object_set_new (form, "high",
                       reel_spec_form_from_tensor (spec->parameters[REEL_SPEC_HIGH], 0));
}

/* A flat list of bounds takes the shape of the last dimensions, others are broadcast as they are.
 */
static ReelTensor *
as_tail (ReelTensor *bounds, gint ndim, const gint64 *shape, GError **error)
{
  gint64 extents[REEL_MAX_NDIM];
  gint tail;

  if (bounds->ndim != 1)
    return reel_tensor_ref (bounds);
  tail = find_tail (ndim, shape, (gsize) reel_tensor_numel (bounds));
  for (gint i = 0; i < tail; i++)
    extents[i] = ABS (shape[ndim - tail + i]);
  return reel_tensor_view (bounds, tail, extents, error);
}

/* How many bounds of which it is to be checked that they fit. */
static gsize
count_flat (const ReelTensor *bounds)
{
  return bounds->ndim == 1 ? (gsize) reel_tensor_numel (bounds) : 1;
}

/* Without a shape it is that of the bounds. */
static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  g_autoptr (ReelTensor) low = reel_spec_form_get_numbers (form, "low", error);
  g_autoptr (ReelTensor) high = low ? reel_spec_form_get_numbers (form, "high", error) : NULL;
  const ReelTensor *shaped;
  gint ndim;
  const gint64 *shape;

  if (!high)
    return NULL;
  shaped = high->ndim > 0 ? high : low;
  ndim = form->has_shape ? form->ndim : shaped->ndim;
  shape = form->has_shape ? form->shape : shaped->shape;
  if (!check_counts (ndim, shape, count_flat (low), count_flat (high), error))
    return NULL;

  g_autoptr (ReelTensor) lows = as_tail (low, ndim, shape, error);
  g_autoptr (ReelTensor) highs = lows ? as_tail (high, ndim, shape, error) : NULL;
  return highs ? make (form->dtype, ndim, shape, lows, highs, error) : NULL;
}

static const ReelSpecName other_names[] = {
  { "Bounded", REEL_DTYPE_FLOAT32 },
  { "BoundedContinuous", REEL_DTYPE_FLOAT32 },
  { "BoundedDiscrete", REEL_DTYPE_FLOAT32 },
  { "BoundedTensorSpec", REEL_DTYPE_FLOAT32 },
  { NULL },
};
static const char *const parameter_names[] = { "low", "high", NULL };

const ReelSpecKind reel_bounded_spec_kind = {
  .word = "bounded",
  .other_names = other_names,
  .parameter_names = parameter_names,
  .class_name = "BoundedDiscrete",
  .class_name_of_reals = "BoundedContinuous",
  .size = sizeof (BoundedSpec),
  .default_dtype = REEL_DTYPE_FLOAT32,
  .exact_shape = TRUE,
  .prepare = prepare,
  .clear = clear,
  .equal = equal,
  .draw = draw,
  .find_outside = find_outside,
  .project_dtype = project_dtype,
  .project = project,
  .cardinality = cardinality,
  .describe = describe,
  .from_form = from_form,
};
