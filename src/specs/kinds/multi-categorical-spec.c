/* Several classes as integers. */
#include "class-spec.h"
#include "../spec-form.h"

/* Whether every number of classes is one that values can hold. */
static gboolean
check_sizes (const ReelTensor *nvec, ReelDtype dtype, GError **error)
{
  const gint64 *sizes = (const gint64 *) (gpointer) nvec->data;

  for (gint64 i = 0; i < reel_tensor_numel (nvec); i++)
    if (!reel_class_spec_check ("multi-categorical", sizes[i], dtype, sizes[i] - 1, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_nvec (const ReelTensor *nvec, gint ndim, const gint64 *shape, GError **error)
{
  g_autofree char *has = NULL;
  g_autofree char *wants = NULL;

  if (nvec->dtype != REEL_DTYPE_INT64)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "nvec cannot be %s: it must be int64",
                   reel_dtype_name (nvec->dtype));
      return FALSE;
    }
  if (nvec->ndim > 0 && nvec->shape[nvec->ndim - 1] > 0 && ndim > 0
      && shape[ndim - 1] == nvec->shape[nvec->ndim - 1])
    return TRUE;
  has = reel_spec_format_shape (nvec->ndim, nvec->shape, ", ");
  wants = reel_spec_format_shape (ndim, shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "The last value of the shape must match nvec.shape[-1] for MultiCategorical. Got "
               "nvec of shape %s and shape=%s.",
               has, wants);
  return FALSE;
}

ReelSpec *
reel_multi_categorical_spec_new (ReelTensor *nvec, ReelDtype dtype, gint ndim, const gint64 *shape,
                                 gboolean remove_singleton, GError **error)
{
  g_autoptr (ReelTensor) rows = NULL;
  gint64 extents[REEL_MAX_NDIM];
  ReelClassSpec *self;

  g_return_val_if_fail (nvec, NULL);

  if (!check_nvec (nvec, ndim, shape, error))
    return NULL;
  rows = reel_tensor_contiguous (nvec, error);
  if (!rows || !check_sizes (rows, dtype, error))
    return NULL;
  self = reel_spec_alloc (&reel_multi_categorical_spec_kind, dtype, ndim, shape, error);
  if (!self)
    return NULL;
  self->remove_singleton = remove_singleton;
  reel_spec_safe_shape (&self->head, extents);
  self->head.parameters[REEL_SPEC_NVEC] = reel_tensor_expand (rows, ndim, extents, error);
  if (self->head.parameters[REEL_SPEC_NVEC])
    return reel_spec_finish (self, error);
  reel_spec_unref (&self->head);
  return NULL;
}

/* A number alone is one component; without a shape it is that of nvec. */
static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  g_autoptr (ReelTensor) given = reel_spec_form_get_tensor (form, "nvec", REEL_DTYPE_INT64, error);
  g_autoptr (ReelTensor) nvec = NULL;
  ReelSpec *spec;

  if (!given)
    return NULL;
  nvec = given->ndim > 0 ? reel_tensor_ref (given) : reel_tensor_unsqueeze (given, 0, error);
  if (!nvec)
    return NULL;
  spec = form->has_shape ? reel_multi_categorical_spec_new (nvec, form->dtype, form->ndim,
                                                            form->shape, TRUE, error)
                         : reel_multi_categorical_spec_new (nvec, form->dtype, nvec->ndim,
                                                            nvec->shape, TRUE, error);
  return reel_class_spec_take_mask (spec, form, error);
}

static const ReelSpecName other_names[] = {
  { "MultiCategorical", REEL_DTYPE_INT64 },
  { "MultiDiscrete", REEL_DTYPE_INT64 },
  { "MultiDiscreteTensorSpec", REEL_DTYPE_INT64 },
  { NULL },
};

const ReelSpecKind reel_multi_categorical_spec_kind = {
  .word = "multi-categorical",
  .other_names = other_names,
  .parameter_names = reel_class_spec_multi_names,
  .class_name = "MultiCategorical",
  .default_dtype = REEL_DTYPE_INT64,
  .last = REEL_SPEC_LAST_FIXED,
  .from_form = from_form,
  /* All else is that of integers. */
  REEL_CLASS_SPEC_INTEGERS,
};
