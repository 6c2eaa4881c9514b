/* Zeros and ones: a categorical spec of two values under a name of its own. */
#include "discrete.h"
#include "spec-form.h"

ReelSpec *
reel_binary_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  if (!reel_discrete_check ("binary", 2, dtype, 1, error))
    return NULL;
  return reel_spec_alloc (&reel_binary_spec_kind, dtype, ndim, shape, error);
}

static gint64
get_n (const ReelSpec *spec)
{
  return 2;
}

/* `n` is a way to say the last extent. */
static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  gint64 n;

  if (!reel_spec_form_has (form, "n"))
    return reel_binary_spec_new (form->dtype, form->ndim, form->shape, error);
  if (!reel_spec_form_get_int64 (form, "n", &n, error))
    return NULL;
  if (!form->has_shape)
    return reel_binary_spec_new (form->dtype, 1, &n, error);
  if (form->ndim > 0 ? form->shape[form->ndim - 1] == n : n == 0)
    return reel_binary_spec_new (form->dtype, form->ndim, form->shape, error);
  reel_spec_form_refuse (form, NULL, REEL_ERROR_VALUE, error,
                         "the last extent of the shape must be n, %" G_GINT64_FORMAT, n);
  return NULL;
}

static const ReelSpecName other_names[] = {
  { "Binary", REEL_DTYPE_INT8 },
  { "BinaryDiscreteTensorSpec", REEL_DTYPE_INT8 },
  { NULL },
};

const ReelSpecKind reel_binary_spec_kind = {
  .word = "binary",
  .other_names = other_names,
  .parameter_names = reel_discrete_parameter_names,
  .class_name = "Binary",
  .size = sizeof (ReelSpec),
  .default_dtype = REEL_DTYPE_INT8,
  .last = REEL_SPEC_LAST_WHOLE,
  .equal = reel_discrete_equal,
  .get_n = get_n,
  .draw = reel_discrete_draw,
  .find_outside = reel_discrete_find_outside,
  .project_dtype = reel_discrete_project_dtype,
  .project = reel_discrete_project,
  .from_form = from_form,
};
