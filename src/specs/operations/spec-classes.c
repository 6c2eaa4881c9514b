/* Counting and enumeration of values. */
#include "../spec-classes.h"

#include <string.h>

#include "../kinds/class-spec.h"
#include "../spec-values.h"

/* ---- masks ---- */

/* The shape of a mask: a row of all classes for each place. */
static gint
mask_shape (const ReelSpec *spec, gint64 *shape)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gint n_places = spec->ndim - (spec->kind->last == REEL_SPEC_LAST_FIXED);

  reel_spec_safe_shape (spec, shape);
  shape[n_places] = self->offsets[self->n_components];
  return n_places + 1;
}

static gboolean
has_shape (const ReelTensor *tensor, gint ndim, const gint64 *shape)
{
  return tensor->ndim == ndim && memcmp (tensor->shape, shape, (gsize) ndim * sizeof *shape) == 0;
}

static ReelTensor *
expand_mask (const ReelSpec *spec, ReelTensor *mask, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];
  gint ndim = mask_shape (spec, shape);
  gboolean row = reel_tensor_numel (mask) == shape[ndim - 1] && !has_shape (mask, ndim, shape);
  g_autoptr (ReelTensor) given =
      row ? reel_tensor_view (mask, 1, &shape[ndim - 1], NULL) : reel_tensor_ref (mask);
  ReelTensor *expanded = given ? reel_tensor_expand (given, ndim, shape, NULL) : NULL;

  if (!expanded)
    {
      g_autofree char *has = reel_spec_format_shape (mask->ndim, mask->shape, ", ");
      g_autofree char *wants = reel_spec_format_shape (ndim, shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Cannot expand mask to the desired shape: it has %s, and would need %s", has,
                   wants);
    }
  return expanded;
}

ReelSpec *
reel_spec_with_mask (const ReelSpec *spec, ReelTensor *mask, GError **error)
{
  ReelTensor *parameters[REEL_SPEC_N_PARAMETERS];
  g_autoptr (ReelTensor) expanded = NULL;

  g_return_val_if_fail (spec, NULL);

  if (!reel_class_spec_check_kind (spec, REEL_ERROR_TYPE, "mask", error))
    return NULL;
  if (mask && mask->dtype != REEL_DTYPE_BOOL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Only boolean masks are accepted, and this one is %s",
                   reel_dtype_name (mask->dtype));
      return NULL;
    }
  if (mask)
    {
      expanded = expand_mask (spec, mask, error);
      if (!expanded)
        return NULL;
    }
  parameters[REEL_SPEC_MASK] = expanded;
  parameters[REEL_SPEC_NVEC] = spec->parameters[REEL_SPEC_NVEC];
  return reel_spec_changed (spec, spec->ndim, spec->shape, parameters, error);
}

ReelTensor *
reel_spec_get_mask (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, NULL);

  return spec->kind->classes != REEL_SPEC_CLASSES_NONE ? spec->parameters[REEL_SPEC_MASK] : NULL;
}

ReelTensor *
reel_spec_get_nvec (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, NULL);

  return spec->kind->classes != REEL_SPEC_CLASSES_NONE ? spec->parameters[REEL_SPEC_NVEC] : NULL;
}

ReelSpec *
reel_spec_with_provisional_n (const ReelSpec *spec, gint64 n, GError **error)
{
  ReelClassSpec *copy;

  g_return_val_if_fail (spec, NULL);

  if (spec->kind != &reel_categorical_spec_kind)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "a %s spec has no provisional n",
                   reel_spec_class_name (spec));
      return NULL;
    }
  if (!reel_class_spec_check ("categorical", n, spec->dtype, n - 1, error))
    return NULL;
  copy = reel_spec_alloc (spec->kind, spec->dtype, spec->ndim, spec->shape, error);
  if (!copy)
    return NULL;
  reel_class_spec_copy (spec, &copy->head);
  copy->provisional_n = n;
  for (gint i = 0; i < REEL_SPEC_N_PARAMETERS; i++)
    copy->head.parameters[i] = spec->parameters[i] ? reel_tensor_ref (spec->parameters[i]) : NULL;
  return reel_spec_finish (copy, error);
}

/* ---- all values ---- */

gboolean
reel_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error)
{
  g_return_val_if_fail (spec && n, FALSE);

  if (spec->kind->cardinality)
    return spec->kind->cardinality (spec, n, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "Cannot count the values of a %s",
               reel_spec_class_name (spec));
  return FALSE;
}

ReelTensor *
reel_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error)
{
  g_return_val_if_fail (spec, NULL);

  if (spec->kind->enumerate)
    return spec->kind->enumerate (spec, use_mask, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "Cannot enumerate a %s",
               reel_spec_class_name (spec));
  return NULL;
}

/* ---- picking by class ---- */

/* Where in a one-hot vector each of the classes of an index lies. */
static ReelTensor *
find_places (const ReelSpec *spec, ReelTensor *index, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  g_autoptr (ReelTensor) vectors = reel_spec_to_one_hot (spec, index, FALSE, error);
  g_autoptr (ReelTensor) classes =
      vectors ? reel_class_spec_to_categorical (spec, vectors, error) : NULL;
  gint64 *class = classes ? (gint64 *) (gpointer) classes->data : NULL;

  for (gint64 i = 0; classes && i < reel_tensor_numel (classes); i++)
    class[i] += self->offsets[i % self->n_components];
  return g_steal_pointer (&classes);
}

static ReelTensor *
new_picked (const ReelTensor *tensor, const ReelTensor *places, GError **error)
{
  gint64 shape[2 * REEL_MAX_NDIM];
  gint ndim = 0;

  for (gint i = 0; i < tensor->ndim - 1; i++)
    shape[ndim++] = tensor->shape[i];
  for (gint i = 0; i < places->ndim; i++)
    shape[ndim++] = places->shape[i];
  return reel_tensor_new (tensor->dtype, ndim, shape, error);
}

static void
pick (const ReelTensor *rows, const ReelTensor *places, ReelTensor *picked)
{
  const gint64 *place = (const gint64 *) (gpointer) places->data;
  gsize size = reel_dtype_size (rows->dtype);
  gsize row_bytes = (gsize) rows->shape[rows->ndim - 1] * size;
  gint64 n_places = reel_tensor_numel (places);
  gint64 n_rows = n_places > 0 ? reel_tensor_numel (picked) / n_places : 0;
  guint8 *to = picked->data;

  for (gint64 row = 0; row < n_rows; row++)
    for (gint64 i = 0; i < n_places; i++, to += size)
      memcpy (to, rows->data + (gsize) row * row_bytes + (gsize) place[i] * size, size);
}

ReelTensor *
reel_spec_pick (const ReelSpec *spec, ReelTensor *index, ReelTensor *tensor, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  g_autoptr (ReelTensor) places = NULL;
  g_autoptr (ReelTensor) rows = NULL;
  ReelTensor *picked;
  gint64 n;

  g_return_val_if_fail (spec && index && tensor, NULL);

  if (!reel_class_spec_check_kind (spec, REEL_ERROR_NOT_IMPLEMENTED, "classes to index by", error)
      || !reel_class_spec_cardinality (spec, &n, error))
    return NULL;
  if (tensor->ndim == 0 || tensor->shape[tensor->ndim - 1] != self->offsets[self->n_components])
    {
      g_autofree char *has = reel_spec_format_shape (tensor->ndim, tensor->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "cannot index a tensor of shape %s by %" G_GINT64_FORMAT
                   " classes: it must end in as many",
                   has, self->offsets[self->n_components]);
      return NULL;
    }
  places = find_places (spec, index, error);
  rows = places ? reel_tensor_contiguous (tensor, error) : NULL;
  picked = rows ? new_picked (rows, places, error) : NULL;
  if (picked)
    pick (rows, places, picked);
  return picked;
}
