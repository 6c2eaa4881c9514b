#include "reshape.h"

#include <string.h>

#include "../core/tensor/tensor-private.h"
#include "../specs/kinds/bounded-spec.h"

ReelSpec *
reel_reshape_spec (ReelTransform *self, ReelLaneApply function, const ReelSpec *spec,
                   GError **error)
{
  g_autoptr (ReelTensor) low = NULL, high = NULL;
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  if (spec->kind != &reel_bounded_spec_kind)
    {
      low = reel_tensor_new (reel_spec_get_dtype (spec), ndim, shape, error);
      high = low ? function (self, low, error) : NULL;
      return high ? reel_unbounded_spec_new (high->dtype, high->ndim, high->shape, error) : NULL;
    }
  low = function (self, spec->parameters[REEL_SPEC_LOW], error);
  high = low ? function (self, spec->parameters[REEL_SPEC_HIGH], error) : NULL;
  return high ? reel_bounded_spec_new_from_tensors (low, high, high->dtype, high->ndim, high->shape,
                                                    error)
              : NULL;
}

gboolean
reel_reshape_check_dim (ReelTransform *self, const char *name, gint64 dim, GError **error)
{
  if (dim < 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: %s is %" G_GINT64_FORMAT ": count dimensions from the end, −1 for the last, "
               "which is right for any batch",
               reel_object_get_id (REEL_OBJECT (self)), name, dim);
  return FALSE;
}

char *
reel_reshape_print (ReelTransform *self, const char *name, const char *arguments)
{
  g_autofree char *in = reel_key_format_list (reel_transform_get_in_keys (self));
  g_autofree char *out = reel_key_format_list (reel_transform_get_out_keys (self));
  g_autofree char *in_inv = reel_key_format_list (reel_transform_get_in_keys_inv (self));
  g_autofree char *out_inv = reel_key_format_list (reel_transform_get_out_keys_inv (self));

  return g_strdup_printf ("%s(%s, in_keys=%s, out_keys=%s, in_keys_inv=%s, out_keys_inv=%s)", name,
                          arguments, in, out, in_inv, out_inv);
}

static gboolean
check_place (const ReelTensor *value, gint64 place, gint64 dim, GError **error)
{
  if (place >= 0)
    return TRUE;

  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);

  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "a value of shape %s has no dimension %" G_GINT64_FORMAT, shape, dim);
  return FALSE;
}

ReelTensor *
reel_reshape_unsqueeze (ReelTensor *value, gint64 dim, GError **error)
{
  gint64 place = value->ndim + 1 + dim;

  return check_place (value, place, dim, error) ? reel_tensor_unsqueeze (value, (gint) place, error)
                                                : NULL;
}

ReelTensor *
reel_reshape_squeeze (ReelTensor *value, gint64 dim, GError **error)
{
  gint64 place = value->ndim + dim;

  if (!check_place (value, place, dim, error))
    return NULL;
  return value->shape[place] == 1 ? reel_tensor_select (value, (gint) place, 0, error)
                                  : reel_tensor_ref (value);
}
