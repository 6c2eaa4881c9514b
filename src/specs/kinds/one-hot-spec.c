/* Classes as one-hot vectors. */
#include "class-spec.h"
#include "../spec-form.h"

ReelSpec *
reel_one_hot_spec_new (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  ReelClassSpec *self;

  if (!reel_class_spec_check ("one-hot", n, dtype, 1, error))
    return NULL;
  self = reel_spec_alloc (&reel_one_hot_spec_kind, dtype, ndim, shape, error);
  if (!self)
    return NULL;
  self->n = n;
  if (ndim > 0 && shape[ndim - 1] == n)
    return reel_spec_finish (self, error);

  g_autofree char *text = reel_spec_format_shape (ndim, shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a one-hot spec of %" G_GINT64_FORMAT " values cannot have shape %s: its last "
               "extent must be %" G_GINT64_FORMAT,
               n, text, n);
  reel_spec_unref (&self->head);
  return NULL;
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  gint64 n;
  ReelSpec *spec;

  if (!reel_spec_form_get_int64 (form, "n", &n, error))
    return NULL;
  spec = form->has_shape ? reel_one_hot_spec_new (n, form->dtype, form->ndim, form->shape, error)
                         : reel_one_hot_spec_new (n, form->dtype, 1, &n, error);
  return reel_class_spec_take_mask (spec, form, error);
}

static const ReelSpecName other_names[] = {
  { "OneHot", REEL_DTYPE_BOOL },
  { "OneHotDiscreteTensorSpec", REEL_DTYPE_BOOL },
  { NULL },
};

const ReelSpecKind reel_one_hot_spec_kind = {
  .word = "one-hot",
  .other_names = other_names,
  .parameter_names = reel_class_spec_single_names,
  .class_name = "OneHot",
  .default_dtype = REEL_DTYPE_BOOL,
  .last = REEL_SPEC_LAST_FIXED,
  .from_form = from_form,
  /* All else is that of one-hot vectors. */
  REEL_CLASS_SPEC_VECTORS,
};
