/* Joins dimensions that are next to each other. */
#include <string.h>

#include "../core/tensor/tensor-private.h"
#include "reshape.h"

struct _ReelFlattenObservation
{
  ReelTransform parent_instance;

  gint64 first_dim;
  gint64 last_dim;
};

G_DECLARE_FINAL_TYPE (ReelFlattenObservation, reel_flatten_observation, REEL, FLATTEN_OBSERVATION,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelFlattenObservation, reel_flatten_observation, REEL_TYPE_TRANSFORM)

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelFlattenObservation *self = REEL_FLATTEN_OBSERVATION (transform);
  gint64 first = value->ndim + self->first_dim, last = value->ndim + self->last_dim;
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = 0;
  g_autoptr (ReelTensor) plain = NULL;

  if (first < 0)
    {
      g_autofree char *extents = reel_shape_to_string (value->ndim, value->shape);

      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "flatten-observation: a value of shape %s has no dimension %" G_GINT64_FORMAT,
                   extents, self->first_dim);
      return NULL;
    }
  for (gint i = 0; i < value->ndim; i++)
    if (i > first && i <= last)
      shape[ndim - 1] *= value->shape[i];
    else
      shape[ndim++] = value->shape[i];
  plain = reel_tensor_in_order (value, error);
  return plain ? reel_tensor_view (plain, ndim, shape, error) : NULL;
}

static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  return reel_reshape_spec (self, apply, spec, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelFlattenObservation *self = REEL_FLATTEN_OBSERVATION (object);

  if (!reel_reshape_check_dim (REEL_TRANSFORM (self), "first-dim", self->first_dim, error)
      || !reel_reshape_check_dim (REEL_TRANSFORM (self), "last-dim", self->last_dim, error))
    return FALSE;
  if (self->first_dim > self->last_dim)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "flatten-observation: first-dim %" G_GINT64_FORMAT " is behind last-dim "
                   "%" G_GINT64_FORMAT,
                   self->first_dim, self->last_dim);
      return FALSE;
    }
  reel_transform_default_to_pixels (REEL_TRANSFORM (self));
  return REEL_OBJECT_CLASS (reel_flatten_observation_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  ReelFlattenObservation *self = REEL_FLATTEN_OBSERVATION (transform);
  g_autofree char *in = reel_key_format_list (reel_transform_get_in_keys (transform));
  g_autofree char *out = reel_key_format_list (reel_transform_get_out_keys (transform));

  return g_strdup_printf ("FlattenObservation(first_dim=%" G_GINT64_FORMAT
                          ", last_dim=%" G_GINT64_FORMAT ", in_keys=%s, out_keys=%s)",
                          self->first_dim, self->last_dim, in, out);
}

static void
reel_flatten_observation_class_init (ReelFlattenObservationClass *klass)
{
  static const ReelId ids[] = {
    { "flatten-observation", NULL, "joins dimensions that are next to each other" },
    { "FlattenObservation", NULL, "joins dimensions, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_int64 (REEL_OBJECT_CLASS (klass), "first-dim",
                               G_STRUCT_OFFSET (ReelFlattenObservation, first_dim), -REEL_MAX_NDIM,
                               REEL_MAX_NDIM, -3, NULL,
                               "the first dimension to join, counted from the end", fixed);
  reel_object_class_add_int64 (REEL_OBJECT_CLASS (klass), "last-dim",
                               G_STRUCT_OFFSET (ReelFlattenObservation, last_dim), -REEL_MAX_NDIM,
                               REEL_MAX_NDIM, -1, NULL, "the last one", fixed);
  transform_class->peer_name = "FlattenObservation";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->to_string = to_string;
}

static void
reel_flatten_observation_init (ReelFlattenObservation *self)
{
}
