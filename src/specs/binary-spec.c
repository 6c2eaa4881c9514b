/* Zeros and ones: a categorical spec of two values under a name of its own. */
#include "categorical-spec.h"

ReelSpec *
reel_binary_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  if (!reel_categorical_spec_check ("binary", 2, dtype, 1, error))
    return NULL;
  return reel_spec_alloc (&reel_binary_spec_kind, dtype, ndim, shape, error);
}

static gboolean
expand (const ReelSpec *spec, ReelSpec *copy, GError **error)
{
  return TRUE;
}

static gint64
get_n (const ReelSpec *spec)
{
  return 2;
}

static const char *
get_class_name (const ReelSpec *spec)
{
  return "Binary";
}

static void
to_text (const ReelSpec *spec, GString *text)
{
}

const ReelSpecKind reel_binary_spec_kind = {
  .word = "binary",
  .size = sizeof (ReelSpec),
  .default_dtype = REEL_DTYPE_INT8,
  .expand = expand,
  .equal = reel_categorical_spec_equal,
  .get_n = get_n,
  .get_class_name = get_class_name,
  .draw_rows = reel_categorical_spec_draw_rows,
  .find_outside = reel_categorical_spec_find_outside,
  .project_dtype = reel_categorical_spec_project_dtype,
  .project = reel_categorical_spec_project,
  .to_text = to_text,
};
