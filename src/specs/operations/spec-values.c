/* Values of leaf specs: random, zero, inside, projected. */
#include "../spec-values.h"

#include <string.h>

#include "../kinds/class-spec.h"
#include "../kinds/non-tensor-spec.h"

/* Steps are never negative, so what step −1 gives is free for seeds. */
guint64
reel_spec_leaf_seed (guint64 seed, gint64 leaf)
{
  return reel_random_word (reel_random_key (seed, -1), leaf);
}

/* Whether values are tensors; composites are a programmer's mistake. */
static gboolean
check_tensors (const ReelSpec *spec, GError **error)
{
  if (spec->kind->draw && !reel_spec_is_non_tensor (spec))
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_TYPE,
      "the values of this %s spec are not tensors: see reel_spec_rand_non_tensor() and its "
      "like",
      reel_spec_class_name (spec));
  return FALSE;
}

void
reel_spec_rand_rows (const ReelSpec *spec, guint64 seed, gint64 step, gint64 first, gint64 n,
                     gpointer rows)
{
  g_return_if_fail (spec && !reel_spec_is_composite (spec));
  g_return_if_fail (check_tensors (spec, NULL));
  g_return_if_fail (!spec->kind->check_draw || spec->kind->check_draw (spec, NULL));

  if (n > 0 && spec->numel > 0)
    spec->kind->draw (spec, reel_random_key (seed, step), first * spec->numel, n * spec->numel,
                      rows);
}

static ReelTensor *
new_batch (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  gint64 extents[2 * REEL_MAX_NDIM];
  gint n_extents;

  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  n_extents = reel_spec_batch_shape (spec, ndim, shape, extents);
  return reel_tensor_new (spec->dtype, n_extents, extents, error);
}

/* Random values of extent 1 may be asked for without that dimension. */
static ReelTensor *
drop_last (const ReelSpec *spec, ReelTensor *tensor, GError **error)
{
  ReelTensor *dropped;

  if (!reel_class_spec_drops_last (spec))
    return tensor;
  dropped = reel_tensor_select (tensor, -1, 0, error);
  reel_tensor_unref (tensor);
  return dropped;
}

ReelTensor *
reel_spec_rand (const ReelSpec *spec, guint64 seed, gint64 step, gint ndim, const gint64 *shape,
                GError **error)
{
  ReelTensor *tensor;
  gint64 n_rows = 1;

  g_return_val_if_fail (spec && !reel_spec_is_composite (spec), NULL);

  if (spec->kind->make)
    return spec->kind->make (spec, REEL_SPEC_RANDOM, seed, step, ndim, shape, error);
  if (!check_tensors (spec, error)
      || (spec->kind->check_draw && !spec->kind->check_draw (spec, error)))
    return NULL;
  tensor = new_batch (spec, ndim, shape, error);
  if (!tensor)
    return NULL;
  for (gint i = 0; i < ndim; i++)
    n_rows *= shape[i];
  reel_spec_rand_rows (spec, seed, step, 0, n_rows, tensor->data);
  return drop_last (spec, tensor, error);
}

ReelTensor *
reel_spec_zero (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  g_return_val_if_fail (spec && !reel_spec_is_composite (spec), NULL);

  if (spec->kind->make)
    return spec->kind->make (spec, REEL_SPEC_ZEROS, 0, 0, ndim, shape, error);
  return check_tensors (spec, error) ? new_batch (spec, ndim, shape, error) : NULL;
}

ReelTensor *
reel_spec_one (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  ReelTensor *tensor;
  const guint8 one = 1;

  if (spec->kind->make)
    return spec->kind->make (spec, REEL_SPEC_ONES, 0, 0, ndim, shape, error);
  tensor = reel_spec_zero (spec, ndim, shape, error);
  for (gsize i = 0; tensor && i < (gsize) reel_tensor_numel (tensor); i++)
    reel_element_cast (REEL_DTYPE_UINT8, &one, tensor->dtype,
                       tensor->data + i * reel_dtype_size (tensor->dtype));
  return tensor;
}

ReelTensor *
reel_spec_make (const ReelSpec *spec, ReelSpecContent content, guint64 seed, gint64 step, gint ndim,
                const gint64 *shape, GError **error)
{
  if (content == REEL_SPEC_RANDOM)
    return reel_spec_rand (spec, seed, step, ndim, shape, error);
  return (content == REEL_SPEC_ZEROS ? reel_spec_zero : reel_spec_one) (spec, ndim, shape, error);
}

/* ---- inside and outside ---- */

/* Whether an extent of the spec takes that of a value. */
static gboolean
takes (const ReelSpec *spec, gint dim, gint64 extent)
{
  gboolean fixed = spec->kind->last == REEL_SPEC_LAST_FIXED && dim == spec->ndim - 1;
  gboolean exact = spec->kind->exact_shape || fixed;

  return spec->shape[dim] == extent || spec->shape[dim] < 0 || (!exact && spec->shape[dim] == 1);
}

/* Whether the last dimensions of a value are those of the spec. */
static gboolean
fits (const ReelSpec *spec, const ReelTensor *value)
{
  gint ahead = value->ndim - spec->ndim;

  if (ahead < 0)
    return FALSE;
  for (gint i = 0; i < spec->ndim; i++)
    if (!takes (spec, i, value->shape[ahead + i]))
      return FALSE;
  return TRUE;
}

/* The value, with the last dimension that it may lack. */
static ReelTensor *
with_last (const ReelSpec *spec, const ReelTensor *value)
{
  ReelTensor *whole = NULL;

  if (!fits (spec, value) && reel_class_spec_drops_last (spec))
    whole = reel_tensor_unsqueeze ((ReelTensor *) value, -1, NULL);
  return whole ? whole : reel_tensor_ref ((ReelTensor *) value);
}

/* "[1, 0]", the index of the element that comes as number `at` in row-major order. */
static char *
format_index (const ReelTensor *value, gint64 at)
{
  gint64 index[REEL_MAX_NDIM];

  for (gint i = value->ndim - 1; i >= 0; i--)
    {
      index[i] = at % value->shape[i];
      at /= value->shape[i];
    }
  return reel_spec_format_shape (value->ndim, index, ", ");
}

static gboolean
is_of_type (const ReelSpec *spec, const ReelTensor *value, GError **error)
{
  g_autofree char *has = NULL;
  g_autofree char *wants = NULL;

  if (reel_spec_is_non_tensor (spec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "a tensor is not a value of a %s spec",
                   reel_spec_class_name (spec));
      return FALSE;
    }
  if (!fits (spec, value))
    {
      has = reel_spec_format_shape (value->ndim, value->shape, ", ");
      wants = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "shape %s does not end in %s", has,
                   wants);
      return FALSE;
    }
  if (value->dtype != spec->dtype)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "dtype %s is not %s",
                   reel_dtype_name (value->dtype), reel_dtype_name (spec->dtype));
      return FALSE;
    }
  return TRUE;
}

/* The spec whose parameters are those of each element of @value: @spec itself, or one in which what
 * may be any is what it is in the value. */
static ReelSpec *
for_value (const ReelSpec *spec, const ReelTensor *value, GError **error)
{
  const gint64 *shape = value->shape + value->ndim - spec->ndim;

  if (memcmp (shape, spec->shape, (gsize) spec->ndim * sizeof *shape) == 0)
    return reel_spec_ref (spec);
  return reel_spec_fill_in (spec, shape, error);
}

/* The number of the first element outside, or −1. */
static gint64
find_outside (const ReelSpec *spec, const ReelTensor *rows, char **why, GError **error)
{
  g_autoptr (ReelSpec) own = for_value (spec, rows, error);

  return own ? spec->kind->find_outside (own, rows->data, reel_tensor_numel (rows), why) : 0;
}

gboolean
reel_spec_find_outside (const ReelSpec *spec, const ReelTensor *value, gint64 *element, char **why,
                        GError **error)
{
  g_autoptr (ReelTensor) whole = NULL;
  g_autoptr (ReelTensor) rows = NULL;

  *element = -1;
  *why = NULL;
  if (spec->kind->is_in)
    return spec->kind->is_in (spec, value, error);
  whole = with_last (spec, value);
  if (!is_of_type (spec, whole, error))
    return FALSE;
  if (!spec->kind->find_outside)
    return TRUE;
  rows = reel_tensor_contiguous (whole, error);
  if (!rows)
    return FALSE;
  *element = find_outside (spec, rows, why, error);
  return *element < 0 || *why;
}

gboolean
reel_spec_is_in (const ReelSpec *spec, const ReelTensor *value, GError **error)
{
  g_autoptr (ReelTensor) whole = NULL;
  g_autofree char *why = NULL;
  g_autofree char *index = NULL;
  gint64 outside;

  g_return_val_if_fail (spec && !reel_spec_is_composite (spec), FALSE);
  g_return_val_if_fail (value, FALSE);

  if (!reel_spec_find_outside (spec, value, &outside, &why, error))
    return FALSE;
  if (outside < 0)
    return TRUE;
  whole = with_last (spec, value);
  index = format_index (whole, outside);
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "element %s %s", index, why);
  return FALSE;
}

gboolean
reel_spec_assert_is_in (const ReelSpec *spec, const ReelTensor *value, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (reel_spec_is_in (spec, value, &reason))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
               "Encoding failed because value is not in space. Consider calling project(val) "
               "first: %s",
               reason ? reason->message : "");
  return FALSE;
}

gboolean
reel_spec_type_check (const ReelSpec *spec, const ReelTensor *value, GError **error)
{
  g_return_val_if_fail (spec && value && !reel_spec_is_composite (spec), FALSE);

  if (value->dtype == spec->dtype)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "value.dtype=torch.%s but %s.dtype=torch.%s",
               reel_dtype_name (value->dtype), reel_spec_class_name (spec),
               reel_dtype_name (spec->dtype));
  return FALSE;
}

/* ---- projected ---- */

static ReelDtype
projected_dtype (const ReelSpec *spec, ReelDtype dtype)
{
  return spec->kind->project_dtype ? spec->kind->project_dtype (spec, dtype) : spec->dtype;
}

static ReelTensor *
project (const ReelSpec *spec, ReelTensor *value, GError **error)
{
  g_autoptr (ReelTensor) rows = reel_tensor_contiguous (value, error);
  g_autoptr (ReelSpec) own = for_value (spec, value, error);
  ReelTensor *projected;

  if (!rows || !own)
    return NULL;
  projected = reel_tensor_new (projected_dtype (spec, rows->dtype), rows->ndim, rows->shape, error);
  if (projected)
    spec->kind->project (own, rows->dtype, rows->data, reel_tensor_numel (rows), projected->data);
  return projected;
}

ReelTensor *
reel_spec_project (const ReelSpec *spec, ReelTensor *value, GError **error)
{
  g_autoptr (ReelTensor) whole = NULL;
  ReelTensor *projected;

  g_return_val_if_fail (spec && !reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (value, NULL);

  whole = with_last (spec, value);
  if (!fits (spec, whole))
    {
      g_autofree char *has = reel_spec_format_shape (value->ndim, value->shape, ", ");
      g_autofree char *wants = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot project a value of shape %s: it must end in %s", has, wants);
      return NULL;
    }
  if (reel_spec_is_in (spec, whole, NULL))
    return reel_tensor_ref (value);
  if (!spec->kind->project)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "Cannot project a %s spec.",
                   reel_spec_class_name (spec));
      return NULL;
    }
  projected = project (spec, whole, error);
  return projected && whole != value ? drop_last (spec, projected, error) : projected;
}
