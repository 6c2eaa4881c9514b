/* Zeros and ones: a categorical spec of two values under a name of its own. */
#include "class-spec.h"
#include "../spec-form.h"

ReelSpec *
reel_binary_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  ReelClassSpec *self;

  if (!reel_class_spec_check ("binary", 2, dtype, 1, error))
    return NULL;
  self = reel_spec_alloc (&reel_binary_spec_kind, dtype, ndim, shape, error);
  if (!self)
    return NULL;
  self->n = 2;
  return reel_spec_finish (self, error);
}

/* `n` is a way to say the last extent. */
static ReelSpec *
from_n (ReelSpecForm *form, gint64 n, GError **error)
{
  if (!form->has_shape)
    return reel_binary_spec_new (form->dtype, 1, &n, error);
  if (form->ndim > 0 ? form->shape[form->ndim - 1] == n : n == 0)
    return reel_binary_spec_new (form->dtype, form->ndim, form->shape, error);
  reel_spec_form_refuse (form, NULL, REEL_ERROR_VALUE, error,
                         "the last extent of the shape must be n, %" G_GINT64_FORMAT, n);
  return NULL;
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  gint64 n;
  ReelSpec *spec;

  if (!reel_spec_form_has (form, "n"))
    spec = reel_binary_spec_new (form->dtype, form->ndim, form->shape, error);
  else if (reel_spec_form_get_int64 (form, "n", &n, error))
    spec = from_n (form, n, error);
  else
    return NULL;
  return reel_class_spec_take_mask (spec, form, error);
}

static const ReelSpecName other_names[] = {
  { "Binary", REEL_DTYPE_INT8 },
  { "BinaryDiscreteTensorSpec", REEL_DTYPE_INT8 },
  { NULL },
};

const ReelSpecKind reel_binary_spec_kind = {
  .word = "binary",
  .other_names = other_names,
  .parameter_names = reel_class_spec_single_names,
  .class_name = "Binary",
  .default_dtype = REEL_DTYPE_INT8,
  .last = REEL_SPEC_LAST_WHOLE,
  .from_form = from_form,
  /* All else is that of integers. */
  REEL_CLASS_SPEC_INTEGERS,
};
