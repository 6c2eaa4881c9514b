/* Specs of classes and their values: as integers, and as one-hot vectors. */
#include <string.h>

#include "../../core/tensordict/tensordict-private.h"
#include "class-spec.h"
#include "../spec-classes.h"
#include "../spec-shape.h"
#include "../spec-values.h"
#include "stacked-spec.h"

static gboolean
is_of_vectors (const ReelSpec *spec)
{
  return spec->kind->classes == REEL_SPEC_CLASSES_VECTORS;
}

/* ---- rows that have classes of their own ---- */

static gboolean
is_stack_of_leaves (const ReelSpec *spec)
{
  return reel_spec_is_lazy (spec) && !reel_spec_is_composite (spec);
}

/* Whether the number of classes differs from row to row. */
static gboolean
is_differing (const ReelSpec *spec)
{
  return spec->kind->classes != REEL_SPEC_CLASSES_NONE && !reel_class_spec (spec)->alike;
}

static gint
row_dim (const ReelSpec *spec)
{
  return is_stack_of_leaves (spec) ? reel_spec_get_stack_dim (spec) : 0;
}

typedef ReelSpec *(*ConvertSpec) (const ReelSpec *row, GError **error);

static ReelSpec *
convert_rows (const ReelSpec *spec, ConvertSpec convert, GError **error)
{
  g_autoptr (GPtrArray) rows = reel_spec_unbind (spec, row_dim (spec), error);
  g_autoptr (GPtrArray) converted =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);

  for (guint i = 0; rows && i < rows->len; i++)
    {
      ReelSpec *row = convert (rows->pdata[i], error);

      if (!row)
        return NULL;
      g_ptr_array_add (converted, row);
    }
  if (!rows)
    return NULL;
  return reel_spec_stack ((ReelSpec *const *) converted->pdata, converted->len,
                          MIN (row_dim (spec), ((ReelSpec *) converted->pdata[0])->ndim), error);
}

/* Their dimension in values of any batch. */
static gint
find_rows (const ReelSpec *spec, const ReelTensor *value, guint n, GError **error)
{
  gint dim = value->ndim - spec->ndim + row_dim (spec);

  if (value->ndim < spec->ndim || value->shape[dim] != (gint64) n)
    {
      g_autofree char *has = reel_spec_format_shape (value->ndim, value->shape, ", ");
      g_autofree char *wants = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "shape %s does not end in %s", has,
                   wants);
      return -1;
    }
  return dim;
}

typedef ReelTensor *(*ConvertValue) (const ReelSpec *row, ReelTensor *value, gboolean check,
                                     GError **error);

static ReelTensor *
convert_row_values (const ReelSpec *spec, ReelTensor *value, ConvertValue convert, GError **error)
{
  g_autoptr (GPtrArray) rows = reel_spec_unbind (spec, row_dim (spec), error);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  gint dim = rows ? find_rows (spec, value, rows->len, error) : -1;

  for (guint i = 0; dim >= 0 && i < rows->len; i++)
    {
      g_autoptr (ReelTensor) part = reel_tensor_select (value, dim, i, error);
      ReelTensor *converted = part ? convert (rows->pdata[i], part, FALSE, error) : NULL;

      if (!converted)
        return NULL;
      g_ptr_array_add (parts, converted);
    }
  if (dim < 0)
    return NULL;
  return reel_tensors_stack ("the rows", (ReelTensor *const *) parts->pdata, parts->len,
                             MIN (dim, ((ReelTensor *) parts->pdata[0])->ndim), error);
}

/* ---- one form and the other ---- */

ReelTensor *
reel_spec_to_one_hot (const ReelSpec *spec, ReelTensor *value, gboolean check, GError **error)
{
  g_return_val_if_fail (spec && value, NULL);

  gboolean stack = is_stack_of_leaves (spec);
  if ((!stack
       && !reel_class_spec_check_kind (spec, REEL_ERROR_NOT_IMPLEMENTED, "one-hot form", error))
      || (check && !reel_spec_assert_is_in (spec, value, error)))
    return NULL;
  if (stack || is_differing (spec))
    return convert_row_values (spec, value, reel_spec_to_one_hot, error);
  return is_of_vectors (spec) ? reel_tensor_ref (value)
                              : reel_class_spec_to_one_hot (spec, value, REEL_DTYPE_BOOL, error);
}

ReelTensor *
reel_spec_to_categorical (const ReelSpec *spec, ReelTensor *value, gboolean check, GError **error)
{
  g_return_val_if_fail (spec && value, NULL);

  gboolean stack = is_stack_of_leaves (spec);
  if ((!stack
       && !reel_class_spec_check_kind (spec, REEL_ERROR_NOT_IMPLEMENTED, "categorical form", error))
      || (check && !reel_spec_assert_is_in (spec, value, error)))
    return NULL;
  if (stack)
    return convert_row_values (spec, value, reel_spec_to_categorical, error);
  return is_of_vectors (spec) ? reel_class_spec_to_categorical (spec, value, error)
                              : reel_tensor_ref (value);
}

static ReelSpec *
single_twin (const ReelSpec *spec, gint64 n, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];

  memcpy (shape, spec->shape, (gsize) spec->ndim * sizeof *shape);
  if (is_of_vectors (spec))
    return reel_categorical_spec_new (n, REEL_DTYPE_INT64, spec->ndim - 1, shape, error);
  shape[spec->ndim] = n;
  return reel_one_hot_spec_new (n, REEL_DTYPE_BOOL, spec->ndim + 1, shape, error);
}

static ReelSpec *
multi_twin (const ReelSpec *spec, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gint64 shape[REEL_MAX_NDIM];
  gint last = spec->ndim - 1;

  memcpy (shape, spec->shape, (gsize) last * sizeof *shape);
  shape[last] = is_of_vectors (spec) ? self->n_components : self->offsets[self->n_components];
  if (is_of_vectors (spec))
    return reel_multi_categorical_spec_new (spec->parameters[REEL_SPEC_NVEC], REEL_DTYPE_INT64,
                                            spec->ndim, shape, TRUE, error);
  return reel_multi_one_hot_spec_new (self->sizes, (gsize) self->n_components, REEL_DTYPE_BOOL,
                                      spec->ndim, shape, error);
}

/* The spec of the other form of the same classes. */
static ReelSpec *
twin (const ReelSpec *spec, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  g_autoptr (ReelSpec) other = NULL;
  gint64 n;

  if (!reel_class_spec_cardinality (spec, &n, error))
    return NULL;
  other = reel_class_spec_is_multi (spec) ? multi_twin (spec, error)
                                          : single_twin (spec, self->sizes[0], error);
  if (!other || !spec->parameters[REEL_SPEC_MASK])
    return g_steal_pointer (&other);
  return reel_spec_with_mask (other, spec->parameters[REEL_SPEC_MASK], error);
}

ReelSpec *
reel_spec_to_one_hot_spec (const ReelSpec *spec, GError **error)
{
  g_return_val_if_fail (spec, NULL);

  if (is_stack_of_leaves (spec) || is_differing (spec))
    return convert_rows (spec, reel_spec_to_one_hot_spec, error);
  if (!reel_class_spec_check_kind (spec, REEL_ERROR_NOT_IMPLEMENTED, "one-hot form", error))
    return NULL;
  return is_of_vectors (spec) ? reel_spec_ref (spec) : twin (spec, error);
}

ReelSpec *
reel_spec_to_categorical_spec (const ReelSpec *spec, GError **error)
{
  g_return_val_if_fail (spec, NULL);

  if (is_stack_of_leaves (spec))
    return convert_rows (spec, reel_spec_to_categorical_spec, error);
  if (!reel_class_spec_check_kind (spec, REEL_ERROR_NOT_IMPLEMENTED, "categorical form", error))
    return NULL;
  return is_of_vectors (spec) ? twin (spec, error) : reel_spec_ref (spec);
}
