/* Zeros and ones: a categorical spec of two values under a name of its own. */
#include "discrete.h"

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

const ReelSpecKind reel_binary_spec_kind = {
  .word = "binary",
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
};
