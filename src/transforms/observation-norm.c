/* Values multiplied and moved, so that they are around 0 and about 1 wide. */
#include "affine.h"

#include "../specs/kinds/bounded-spec.h"

struct _ReelObservationNorm
{
  ReelTransform parent_instance;

  ReelAffine affine;
  double eps;
};

G_DECLARE_FINAL_TYPE (ReelObservationNorm, reel_observation_norm, REEL, OBSERVATION_NORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelObservationNorm, reel_observation_norm, REEL_TYPE_TRANSFORM)

static ReelTensor *
apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  return reel_affine_apply (&REEL_OBSERVATION_NORM (self)->affine, value, FALSE, error);
}

static ReelTensor *
apply_inverse (ReelTransform *self, ReelTensor *value, GError **error)
{
  return reel_affine_apply (&REEL_OBSERVATION_NORM (self)->affine, value, TRUE, error);
}

/* Bounds change as values do; an action is undone, so that its bounds go forward too. */
static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelTensor) low = NULL, high = NULL;
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  if (spec->kind != &reel_bounded_spec_kind)
    return reel_unbounded_spec_new (reel_pointwise_dtype (reel_spec_get_dtype (spec)), ndim, shape,
                                    error);
  low = apply (self, spec->parameters[REEL_SPEC_LOW], error);
  high = low ? apply (self, spec->parameters[REEL_SPEC_HIGH], error) : NULL;
  return high ? reel_spec_between (low, high, ndim, shape, error) : NULL;
}

static gboolean
check (ReelObservationNorm *self, GError **error)
{
  ReelTransform *transform = REEL_TRANSFORM (self);

  if (!*reel_transform_get_in_keys (transform) && !*reel_transform_get_in_keys_inv (transform))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "observation-norm needs to know which keys: in-keys=[observation]");
  else if (!self->affine.loc != !self->affine.scale)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "observation-norm needs both loc and scale, not one of them");
  else if (!self->affine.loc)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "observation-norm needs loc and scale: "
                         "observation-norm:loc=0.5,scale=2,in-keys=[observation]");
  else
    return TRUE;
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelObservationNorm *self = REEL_OBSERVATION_NORM (object);

  return check (self, error) && reel_affine_build (&self->affine, self->eps, FALSE, error)
         && REEL_OBJECT_CLASS (reel_observation_norm_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  const ReelAffine *affine = &REEL_OBSERVATION_NORM (transform)->affine;
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));
  g_autofree char *numbers = reel_affine_to_string (affine);

  return affine->period > 1 ? g_strdup_printf ("ObservationNorm(keys=%s)", keys)
                            : g_strdup_printf ("ObservationNorm(%s, keys=%s)", numbers, keys);
}

static void
finalize (GObject *object)
{
  reel_affine_clear (&REEL_OBSERVATION_NORM (object)->affine);
  G_OBJECT_CLASS (reel_observation_norm_parent_class)->finalize (object);
}

static void
reel_observation_norm_class_init (ReelObservationNormClass *klass)
{
  static const ReelId ids[] = {
    { "observation-norm", NULL, "multiplies and moves values" },
    { "ObservationNorm", NULL, "multiplies and moves values, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS
                                                      | REEL_TRANSFORM_INVERSE_KEYS);
  reel_affine_add_properties (object_class, G_STRUCT_OFFSET (ReelObservationNorm, affine));
  reel_object_class_add_double (
      object_class, "eps", G_STRUCT_OFFSET (ReelObservationNorm, eps), G_MINDOUBLE, G_MAXDOUBLE,
      1e-6, NULL, "a single scale below is this instead", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "ObservationNorm";
  transform_class->apply = apply;
  transform_class->apply_inverse = apply_inverse;
  transform_class->apply_spec = apply_spec;
  transform_class->apply_inverse_spec = apply_spec;
  transform_class->to_string = to_string;
}

static void
reel_observation_norm_init (ReelObservationNorm *self)
{
}
