/* Specs of classes: how many values there are, and all of them. */
#include "class-spec.h"

static gboolean
check_known (const ReelSpec *spec, GError **error)
{
  if (reel_class_spec_is_multi (spec) || reel_class_spec_get_n (spec) > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Undefined cardinality for %s: give it one with reel_spec_with_provisional_n()",
               reel_spec_class_name (spec));
  return FALSE;
}

gboolean
reel_class_spec_check_alike (const ReelSpec *spec, const char *what, GError **error)
{
  if (!check_known (spec, error))
    return FALSE;
  if (!reel_class_spec (spec)->alike)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "Cannot %s on heterogeneous nvecs", what);
      return FALSE;
    }
  return TRUE;
}

gboolean
reel_class_spec_check_draw (const ReelSpec *spec, GError **error)
{
  if (reel_class_spec_is_multi (spec) || reel_class_spec_get_n (spec) > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Cannot generate random categorical samples for undefined cardinality (n=-1): give "
               "it one with reel_spec_with_provisional_n()");
  return FALSE;
}

gboolean
reel_class_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);

  if (!reel_class_spec_check_alike (spec, "count the values", error))
    return FALSE;
  *n = 1;
  for (gint64 i = 0; i < self->n_components; i++)
    if (__builtin_mul_overflow (*n, self->sizes[i], n))
      *n = G_MAXINT64;
  return TRUE;
}

/* How many classes component @i has, and (unless %NULL) which; those of a mask or all. */
static gint64
get_choices (const ReelClassSpec *self, gboolean use_mask, gint64 i, const gint64 **choices)
{
  gint64 n = self->sizes[i];

  *choices = use_mask && self->mask.n_rows > 0 ? reel_mask_get (&self->mask, i, &n) : NULL;
  return n;
}

static gint64
count_combinations (const ReelClassSpec *self, gboolean use_mask)
{
  gint64 n = 1;
  const gint64 *choices;

  for (gint64 i = 0; i < self->n_components; i++)
    if (__builtin_mul_overflow (n, get_choices (self, use_mask, i, &choices), &n))
      return G_MAXINT64;
  return n;
}

/* `[combinations, components]`, the last component fastest. */
static ReelTensor *
combine (const ReelClassSpec *self, gboolean use_mask, GError **error)
{
  gint64 shape[2] = { count_combinations (self, use_mask), self->n_components };
  ReelTensor *combinations = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, error);
  gint64 run = 1;

  for (gint64 i = self->n_components - 1; combinations && i >= 0; i--)
    {
      gint64 *class = (gint64 *) (gpointer) combinations->data + i;
      const gint64 *choices;
      gint64 n = get_choices (self, use_mask, i, &choices);

      for (gint64 row = 0; row < shape[0]; row++, class += self->n_components)
        {
          gint64 choice = row / run % n;
          *class = choices ? choices[choice] : choice;
        }
      run *= n;
    }
  return combinations;
}

static ReelTensor *
cast (const ReelTensor *classes, ReelDtype dtype, GError **error)
{
  ReelTensor *tensor = reel_tensor_new (dtype, classes->ndim, classes->shape, error);

  for (gsize i = 0; tensor && i < (gsize) reel_tensor_numel (tensor); i++)
    reel_element_cast (classes->dtype, classes->data + i * sizeof (gint64), dtype,
                       tensor->data + i * reel_dtype_size (dtype));
  return tensor;
}

/* Each of the values `[values, …]` in all places: `[values, *shape]`. */
static ReelTensor *
spread (const ReelSpec *spec, ReelTensor *values, GError **error)
{
  gboolean fixed = spec->kind->last == REEL_SPEC_LAST_FIXED;
  gint64 extents[REEL_MAX_NDIM + 1];
  g_autoptr (ReelTensor) column = NULL;

  extents[0] = values->shape[0];
  for (gint i = 0; i < spec->ndim; i++)
    extents[i + 1] = fixed && i == spec->ndim - 1 ? spec->shape[i] : 1;
  if (spec->ndim == REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the values of a spec of %d dimensions cannot be stacked", spec->ndim);
      return NULL;
    }
  column = reel_tensor_view (values, spec->ndim + 1, extents, error);
  reel_spec_safe_shape (spec, extents + 1);
  return column ? reel_tensor_expand (column, spec->ndim + 1, extents, error) : NULL;
}

ReelTensor *
reel_class_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gboolean vectors = spec->kind->classes == REEL_SPEC_CLASSES_VECTORS;
  g_autoptr (ReelTensor) classes = NULL;
  g_autoptr (ReelTensor) values = NULL;

  if (!reel_class_spec_check_alike (spec, "call enumerate", error))
    return NULL;
  if (use_mask && !reel_mask_is_uniform (&self->mask))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Cannot call enumerate with a mask that differs from row to row");
      return NULL;
    }
  classes = combine (self, use_mask, error);
  if (!classes)
    return NULL;
  if (vectors && !reel_class_spec_is_multi (spec))
    {
      ReelTensor *flat = reel_tensor_select (classes, 1, 0, NULL);
      reel_tensor_unref (classes);
      classes = flat;
    }
  values = vectors ? reel_class_spec_to_one_hot (spec, classes, spec->dtype, error)
                   : cast (classes, spec->dtype, error);
  return values ? spread (spec, values, error) : NULL;
}
