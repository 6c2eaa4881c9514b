/* Values without bounds. */
#include "bounded-spec.h"
#include "../element.h"
#include "normal.h"
#include "../spec-form.h"

ReelSpec *
reel_unbounded_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  return reel_spec_alloc (&reel_unbounded_spec_kind, dtype, ndim, shape, error);
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  return other->kind == &reel_unbounded_spec_kind
         || (other->kind == &reel_bounded_spec_kind && reel_bounded_spec_is_full (other));
}

static void
draw_element (ReelDtype dtype, ReelRandomKey key, gint64 index, guint8 *element)
{
  guint64 word = reel_random_word (key, index);
  double parts[2];

  if (dtype == REEL_DTYPE_BOOL)
    *element = (guint8) (word >> 63);
  else if (reel_element_is_integer (dtype))
    reel_element_store_integer (dtype, element, word);
  else if (reel_dtype_is_float (dtype))
    reel_dtype_store_double (dtype, element, reel_normal_from_word (word));
  else
    {
      parts[0] = reel_normal_from_word (reel_random_word (key, 2 * index));
      parts[1] = reel_normal_from_word (reel_random_word (key, 2 * index + 1));
      reel_element_cast (REEL_DTYPE_COMPLEX128, parts, dtype, element);
    }
}

static void
draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *values)
{
  for (gint64 i = 0; i < n; i++, values += reel_dtype_size (spec->dtype))
    draw_element (spec->dtype, key, first + i, values);
}

static void
project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values, gint64 n_values,
         guint8 *projected)
{
  for (gint64 i = 0; i < n_values; i++)
    reel_element_cast (dtype, values + (gsize) i * reel_dtype_size (dtype), spec->dtype,
                       projected + (gsize) i * reel_dtype_size (spec->dtype));
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  return reel_unbounded_spec_new (form->dtype, form->ndim, form->shape, error);
}

static const ReelSpecName other_names[] = {
  { "Unbounded", REEL_DTYPE_FLOAT32 },
  { "UnboundedContinuous", REEL_DTYPE_FLOAT32 },
  { "UnboundedContinuousTensorSpec", REEL_DTYPE_FLOAT32 },
  { "UnboundedDiscrete", REEL_DTYPE_INT64 },
  { "UnboundedDiscreteTensorSpec", REEL_DTYPE_INT64 },
  { NULL },
};

const ReelSpecKind reel_unbounded_spec_kind = {
  .word = "unbounded",
  .other_names = other_names,
  .class_name = "UnboundedDiscrete",
  .class_name_of_reals = "UnboundedContinuous",
  .size = sizeof (ReelSpec),
  .default_dtype = REEL_DTYPE_FLOAT32,
  .equal = equal,
  .draw = draw,
  .project = project,
  .from_form = from_form,
};
