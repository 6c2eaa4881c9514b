#include "discrete.h"
#include "spec-form.h"

typedef struct
{
  ReelSpec head;

  gint64 n;
} CategoricalSpec;

ReelSpec *
reel_categorical_spec_new (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape,
                           GError **error)
{
  CategoricalSpec *self;

  if (!reel_discrete_check ("categorical", n, dtype, n - 1, error))
    return NULL;
  self = reel_spec_alloc (&reel_categorical_spec_kind, dtype, ndim, shape, error);
  if (self)
    self->n = n;
  return (ReelSpec *) self;
}

static gint64
get_n (const ReelSpec *spec)
{
  return ((const CategoricalSpec *) spec)->n;
}

static void
copy (const ReelSpec *spec, ReelSpec *copy)
{
  ((CategoricalSpec *) copy)->n = get_n (spec);
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  gint64 n;

  if (!reel_spec_form_get_int64 (form, "n", &n, error))
    return NULL;
  return reel_categorical_spec_new (n, form->dtype, form->ndim, form->shape, error);
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
  .parameter_names = reel_discrete_parameter_names,
  .class_name = "Categorical",
  .size = sizeof (CategoricalSpec),
  .default_dtype = REEL_DTYPE_INT64,
  .copy = copy,
  .equal = reel_discrete_equal,
  .get_n = get_n,
  .draw = reel_discrete_draw,
  .find_outside = reel_discrete_find_outside,
  .project_dtype = reel_discrete_project_dtype,
  .project = reel_discrete_project,
  .describe = reel_discrete_describe,
  .from_form = from_form,
};
