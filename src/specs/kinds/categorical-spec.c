/* Classes as integers. */
#include "class-spec.h"
#include "../spec-form.h"

ReelSpec *
reel_categorical_spec_new (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape,
                           GError **error)
{
  gboolean unknown = n == -1;
  ReelClassSpec *self;

  if (!reel_class_spec_check ("categorical", unknown ? 1 : n, dtype, unknown ? 0 : n - 1, error))
    return NULL;
  self = reel_spec_alloc (&reel_categorical_spec_kind, dtype, ndim, shape, error);
  if (!self)
    return NULL;
  self->n = n;
  return reel_spec_finish (self, error);
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  gint64 n;
  ReelSpec *spec;

  if (!reel_spec_form_get_int64 (form, "n", &n, error))
    return NULL;
  spec = reel_categorical_spec_new (n, form->dtype, form->ndim, form->shape, error);
  return reel_class_spec_take_mask (spec, form, error);
}

static const ReelSpecName other_names[] = {
  { "Categorical", REEL_DTYPE_INT64 },
  { "Discrete", REEL_DTYPE_INT64 },
  { "DiscreteTensorSpec", REEL_DTYPE_INT64 },
  { NULL },
};

const ReelSpecKind reel_categorical_spec_kind = {
  .word = "categorical",
  .other_names = other_names,
  .parameter_names = reel_class_spec_single_names,
  .class_name = "Categorical",
  .default_dtype = REEL_DTYPE_INT64,
  .check_draw = reel_class_spec_check_draw,
  .from_form = from_form,
  /* All else is that of integers. */
  REEL_CLASS_SPEC_INTEGERS,
};
