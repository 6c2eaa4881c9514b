#include "class-spec.h"

#include <string.h>

#include "../parameter.h"

const ReelClassSpec *
reel_class_spec (const ReelSpec *spec)
{
  return (const ReelClassSpec *) spec;
}

/* ---- making one ---- */

gboolean
reel_class_spec_check_kind (const ReelSpec *spec, ReelError code, const char *what, GError **error)
{
  if (spec->kind->classes != REEL_SPEC_CLASSES_NONE)
    return TRUE;
  g_set_error (error, REEL_ERROR, (gint) code, "a %s spec has no %s", reel_spec_class_name (spec),
               what);
  return FALSE;
}

gboolean
reel_class_spec_check (const char *word, gint64 n, ReelDtype dtype, gint64 highest, GError **error)
{
  ReelInteger low, high;

  if (n < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec cannot have %" G_GINT64_FORMAT " values: it must have at least 1",
                   word, n);
      return FALSE;
    }
  if (!reel_element_is_integer (dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec cannot be %s: it must be bool or an integer type", word,
                   reel_dtype_name (dtype));
      return FALSE;
    }
  reel_element_limits (dtype, &low, &high);
  if (highest > high)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec of %" G_GINT64_FORMAT
                   " values cannot be %s: it must hold %" G_GINT64_FORMAT,
                   word, n, reel_dtype_name (dtype), highest);
      return FALSE;
    }
  return TRUE;
}

/* A batch without places holds no numbers: it keeps those that its places would have, @sizes of
 * what it was made of. */
static gboolean
keep_sizes (ReelClassSpec *self, GError **error)
{
  g_autofree gint64 *sizes = g_steal_pointer (&self->sizes);
  ReelTensor **nvec = &self->head.parameters[REEL_SPEC_NVEC];
  g_autoptr (ReelTensor) row = NULL;
  ReelTensor *kept;

  if (!sizes || !*nvec || reel_tensor_numel (*nvec) > 0)
    return TRUE;
  row = reel_tensor_new (REEL_DTYPE_INT64, 1, &self->n_components, error);
  if (!row)
    return FALSE;
  memcpy (row->data, sizes, reel_tensor_nbytes (row));
  kept = reel_tensor_expand (row, (*nvec)->ndim, (*nvec)->shape, error);
  if (!kept)
    return FALSE;
  reel_tensor_unref (*nvec);
  *nvec = kept;
  return TRUE;
}

/* The number of classes of each component of each place, those that only repeat left out. */
static ReelTensor *
get_nvec (const ReelSpec *spec, GError **error)
{
  const ReelTensor *nvec = spec->parameters[REEL_SPEC_NVEC];
  gint64 n = reel_class_spec_get_n (spec);
  ReelTensor *scalar;

  if (nvec)
    return reel_parameter_tail (nvec, reel_parameter_n_repeated (nvec, nvec->ndim - 1), error);
  scalar = reel_tensor_new (REEL_DTYPE_INT64, 1, (const gint64[]){ 1 }, error);
  if (scalar)
    memcpy (scalar->data, &n, sizeof n);
  return scalar;
}

static void
set_sizes (ReelClassSpec *self, const ReelTensor *nvec)
{
  const gint64 *sizes = (const gint64 *) (gpointer) nvec->data;
  gint64 numel = reel_tensor_numel (nvec);
  gint64 k = nvec->shape[nvec->ndim - 1];

  self->n_components = k;
  self->sizes = g_new0 (gint64, k + 1);
  self->offsets = g_new0 (gint64, k + 1);
  self->alike = TRUE;
  for (gint64 i = 0; i < numel; i++)
    if (i < k)
      self->sizes[i] = sizes[i];
    else
      self->alike = self->alike && sizes[i] == sizes[i - k];
  for (gint64 i = 0; i < k; i++)
    if (__builtin_add_overflow (self->offsets[i], self->sizes[i], &self->offsets[i + 1]))
      self->offsets[i + 1] = G_MAXINT64;
}

/* Where the number of classes is not known any integer will do. */
static gboolean
set_bounds (ReelClassSpec *self, const ReelTensor *nvec, GError **error)
{
  ReelDtype dtype = self->head.dtype;
  gsize size = reel_dtype_size (dtype);
  g_autoptr (ReelTensor) low = reel_tensor_new (dtype, nvec->ndim, nvec->shape, error);
  g_autoptr (ReelTensor) high =
      low ? reel_tensor_new (dtype, nvec->ndim, nvec->shape, error) : NULL;
  const gint64 *sizes = (const gint64 *) (gpointer) nvec->data;
  ReelInteger least, most;

  if (!high)
    return FALSE;
  reel_element_limits (dtype, &least, &most);
  for (gsize i = 0; i < (gsize) reel_tensor_numel (high); i++)
    {
      gboolean any = sizes[i] == -1 || self->n == -1;

      reel_element_store_integer (dtype, low->data + i * size, any ? least : 0);
      reel_element_store_integer (dtype, high->data + i * size, any ? most : sizes[i] - 1);
    }
  return reel_bounds_init (&self->bounds, low, high, error);
}

static gboolean
set_mask (ReelClassSpec *self, GError **error)
{
  const ReelTensor *mask = self->head.parameters[REEL_SPEC_MASK];
  g_autofree char *has = NULL;

  if (!mask)
    return TRUE;
  if (!self->alike)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Only homogeneous MultiDiscrete specs can be masked, got an nvec that differs "
                   "from row to row");
      return FALSE;
    }
  if (mask->shape[mask->ndim - 1] == self->offsets[self->n_components])
    return reel_mask_init (&self->mask, mask, self->n_components, self->sizes, error);
  has = reel_spec_format_shape (mask->ndim, mask->shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Cannot expand mask to the desired shape: the mask has shape %s, but there are "
               "%" G_GINT64_FORMAT " classes",
               has, self->offsets[self->n_components]);
  return FALSE;
}

gboolean
reel_class_spec_prepare (ReelSpec *spec, GError **error)
{
  ReelClassSpec *self = (ReelClassSpec *) spec;
  g_autoptr (ReelTensor) nvec = keep_sizes (self, error) ? get_nvec (spec, error) : NULL;

  if (!nvec)
    return FALSE;
  set_sizes (self, nvec);
  if (spec->kind->classes == REEL_SPEC_CLASSES_INTEGERS && !set_bounds (self, nvec, error))
    return FALSE;
  return set_mask (self, error);
}

void
reel_class_spec_clear (ReelSpec *spec)
{
  ReelClassSpec *self = (ReelClassSpec *) spec;

  g_free (self->sizes);
  g_free (self->offsets);
  reel_mask_clear (&self->mask);
  reel_bounds_clear (&self->bounds);
}

void
reel_class_spec_copy (const ReelSpec *spec, ReelSpec *copy)
{
  const ReelClassSpec *from = reel_class_spec (spec);
  ReelClassSpec *to = (ReelClassSpec *) copy;

  to->n = from->n;
  to->provisional_n = from->provisional_n;
  to->remove_singleton = from->remove_singleton;
  to->n_components = from->n_components;
  to->sizes = g_memdup2 (from->sizes, (gsize) from->n_components * sizeof *from->sizes);
}

gboolean
reel_class_spec_equal (const ReelSpec *spec, const ReelSpec *other)
{
  gboolean same =
      spec->kind == other->kind
      || (spec->kind == &reel_categorical_spec_kind && other->kind == &reel_binary_spec_kind)
      || (spec->kind == &reel_binary_spec_kind && other->kind == &reel_categorical_spec_kind);

  return same && reel_class_spec (spec)->n == reel_class_spec (other)->n
         && reel_spec_equal_parameters (spec, other);
}

gint64
reel_class_spec_get_n (const ReelSpec *spec)
{
  const ReelClassSpec *self = reel_class_spec (spec);

  return self->n == -1 && self->provisional_n > 0 ? self->provisional_n : self->n;
}

gboolean
reel_class_spec_drops_last (const ReelSpec *spec)
{
  return spec->kind == &reel_multi_categorical_spec_kind && spec->ndim == 1 && spec->shape[0] == 1
         && reel_class_spec (spec)->remove_singleton;
}
