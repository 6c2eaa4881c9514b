/* Several one-hot vectors, joined. */
#include "class-spec.h"
#include "../spec-form.h"

#include <string.h>

/* The number of elements of a vector, or −1. */
static gint64
add_up (const gint64 *nvec, gsize n, ReelDtype dtype, GError **error)
{
  gint64 width = 0;

  if (!reel_class_spec_check ("multi-one-hot", (gint64) n, dtype, 1, error))
    return -1;
  for (gsize i = 0; i < n; i++)
    {
      if (!reel_class_spec_check ("multi-one-hot", nvec[i], dtype, 1, error))
        return -1;
      if (__builtin_add_overflow (width, nvec[i], &width))
        width = G_MAXINT64;
    }
  return width;
}

/* Expands nvec over the places, all of which have the same. */
static gboolean
set_nvec (ReelSpec *self, const gint64 *nvec, gsize n, GError **error)
{
  g_autoptr (ReelTensor) sizes =
      reel_tensor_new (REEL_DTYPE_INT64, 1, (const gint64[]){ (gint64) n }, error);
  gint64 shape[REEL_MAX_NDIM];

  if (!sizes)
    return FALSE;
  memcpy (sizes->data, nvec, n * sizeof *nvec);
  reel_spec_safe_shape (self, shape);
  shape[self->ndim - 1] = (gint64) n;
  self->parameters[REEL_SPEC_NVEC] = reel_tensor_expand (sizes, self->ndim, shape, error);
  return self->parameters[REEL_SPEC_NVEC] != NULL;
}

ReelSpec *
reel_multi_one_hot_spec_new (const gint64 *nvec, gsize n, ReelDtype dtype, gint ndim,
                             const gint64 *shape, GError **error)
{
  gint64 width = add_up (nvec, n, dtype, error);
  ReelSpec *self;

  if (width < 0)
    return NULL;
  if (ndim < 1 || shape[ndim - 1] != width)
    {
      g_autofree char *text = reel_spec_format_shape (ndim, shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "The last value of the shape must match sum(nvec) for MultiOneHot. Got "
                   "sum(nvec)=%" G_GINT64_FORMAT " and shape=%s.",
                   width, text);
      return NULL;
    }
  self = reel_spec_alloc (&reel_multi_one_hot_spec_kind, dtype, ndim, shape, error);
  if (!self)
    return NULL;
  if (set_nvec (self, nvec, n, error))
    return reel_spec_finish (self, error);
  reel_spec_unref (self);
  return NULL;
}

/* Without a shape it is the sum of nvec. */
static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  g_autoptr (ReelTensor) nvec = reel_spec_form_get_tensor (form, "nvec", REEL_DTYPE_INT64, error);
  const gint64 *sizes = nvec ? (const gint64 *) (gpointer) nvec->data : NULL;
  gsize n = nvec ? (gsize) reel_tensor_numel (nvec) : 0;
  gint64 width;
  ReelSpec *spec;

  if (!nvec)
    return NULL;
  width = add_up (sizes, n, form->dtype, error);
  if (width < 0)
    return NULL;
  spec = form->has_shape
             ? reel_multi_one_hot_spec_new (sizes, n, form->dtype, form->ndim, form->shape, error)
             : reel_multi_one_hot_spec_new (sizes, n, form->dtype, 1, &width, error);
  return reel_class_spec_take_mask (spec, form, error);
}

static const ReelSpecName other_names[] = {
  { "MultiOneHot", REEL_DTYPE_BOOL },
  { "MultiOneHotDiscreteTensorSpec", REEL_DTYPE_BOOL },
  { NULL },
};

const ReelSpecKind reel_multi_one_hot_spec_kind = {
  .word = "multi-one-hot",
  .other_names = other_names,
  .parameter_names = reel_class_spec_multi_names,
  .class_name = "MultiOneHot",
  .default_dtype = REEL_DTYPE_BOOL,
  .last = REEL_SPEC_LAST_FIXED,
  .from_form = from_form,
  /* All else is that of one-hot vectors. */
  REEL_CLASS_SPEC_VECTORS,
};
