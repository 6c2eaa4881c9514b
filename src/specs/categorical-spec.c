#include "discrete.h"

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

const ReelSpecKind reel_categorical_spec_kind = {
  .word = "categorical",
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
  .to_text = reel_discrete_to_text,
};
