/* The spec of changed images: its bounds are the transform of the bounds. */
#include "image-spec.h"

#include "../core/tensor/tensor-private.h"
#include "../specs/kinds/bounded-spec.h"

static ReelTensor *
apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  return REEL_TRANSFORM_GET_CLASS (self)->apply (self, value, error);
}

ReelSpec *
reel_image_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelTensor) low = NULL, high = NULL;
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  if (spec->kind != &reel_bounded_spec_kind)
    {
      low = reel_tensor_new (reel_spec_get_dtype (spec), ndim, shape, error);
      high = low ? apply (self, low, error) : NULL;
      return high ? reel_unbounded_spec_new (high->dtype, high->ndim, high->shape, error) : NULL;
    }
  low = apply (self, spec->parameters[REEL_SPEC_LOW], error);
  high = low ? apply (self, spec->parameters[REEL_SPEC_HIGH], error) : NULL;
  return high ? reel_bounded_spec_new_from_tensors (low, high, high->dtype, high->ndim, high->shape,
                                                    error)
              : NULL;
}
