/* Values multiplied and moved, so that they are around 0 and about 1 wide. */
#include "observation-norm.h"
#include "affine.h"
#include "lane-plan.h"

#include "../specs/kinds/bounded-spec.h"

struct _ReelObservationNorm
{
  ReelTransform parent_instance;

  ReelAffine affine;
  double eps;
  gint64 init_frames; /* while it has no numbers */
};

G_DECLARE_FINAL_TYPE (ReelObservationNorm, reel_observation_norm, REEL, OBSERVATION_NORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelObservationNorm, reel_observation_norm, REEL_TYPE_TRANSFORM)

static gboolean
check_is_set (const ReelAffine *affine, GError **error)
{
  if (reel_affine_is_set (affine))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "observation-norm has no loc and scale yet: give them "
                       "(observation-norm:loc=0.5,scale=2,in-keys=[observation]), or let it learn "
                       "them from an env (init-frames=1000, reel_observation_norm_init_stats())");
  return FALSE;
}

static ReelTensor *
change (ReelTransform *self, ReelTensor *value, gboolean inverse, GError **error)
{
  const ReelAffine *affine = &REEL_OBSERVATION_NORM (self)->affine;

  return check_is_set (affine, error) ? reel_affine_apply (affine, value, inverse, error) : NULL;
}

static ReelTensor *
apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  return change (self, value, FALSE, error);
}

static ReelTensor *
apply_inverse (ReelTransform *self, ReelTensor *value, GError **error)
{
  return change (self, value, TRUE, error);
}

/* check_behind_batch: whether the numbers are of elements of each value, not of rows. */
static gboolean
check_behind_batch (ReelTransform *self, const ReelTensordict *td, GError **error)
{
  const GArray *shape = REEL_OBSERVATION_NORM (self)->affine.shape;
  gint n_batch;

  reel_tensordict_get_batch_size (td, &n_batch);
  for (const char *const *key = reel_transform_get_in_keys (self); shape && *key; key++)
    {
      const ReelTensor *value = reel_tensordict_get_tensor (td, *key, NULL);

      if (!value || value->ndim - n_batch >= (gint) shape->len)
        continue;
      g_set_error (
          error, REEL_ERROR, REEL_ERROR_VALUE,
          "\"%s\" has %d dimensions of its own, and loc and scale have %u: they are of the "
          "lanes of an env",
          *key, value->ndim - n_batch, shape->len);
      return FALSE;
    }
  return TRUE;
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  return check_behind_batch (self, td, error)
             ? REEL_TRANSFORM_CLASS (reel_observation_norm_parent_class)->forward (self, td, error)
             : NULL;
}

/* ---- in an env ---- */

/* Rows of lanes from @lane on, each with numbers of its own. */
static ReelTensor *
apply_from (ReelTransform *self, ReelTensor *value, gint64 lane, GError **error)
{
  gint64 n_row = reel_tensor_numel (value) / MAX (value->shape[0], 1);

  return reel_affine_apply_from (&REEL_OBSERVATION_NORM (self)->affine, value, lane * n_row, FALSE,
                                 error);
}

/* is_by_lane: whether there are numbers for each element of each lane. */
static gboolean
is_by_lane (const GArray *shape, const ReelLaneLeaf *leaf, gint64 n_lanes)
{
  if (!shape || (gint) shape->len != leaf->ndim + 1
      || g_array_index (shape, double, 0) != (double) n_lanes)
    return FALSE;
  for (gint i = 0; i < leaf->ndim; i++)
    if (g_array_index (shape, double, i + 1) != (double) leaf->shape[i])
      return FALSE;
  return TRUE;
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);
  const ReelAffine *affine = &REEL_OBSERVATION_NORM (self)->affine;

  if (!check_is_set (affine, error))
    return FALSE;
  for (gsize i = 0; in[i]; i++)
    {
      gint leaf = reel_lane_plan_require (plan, in[i], error);

      if (leaf < 0)
        return FALSE;
      if (!(is_by_lane (affine->shape, reel_lane_plan_get_leaf (plan, (guint) leaf),
                        reel_lane_plan_get_n_lanes (plan))
                ? reel_lane_plan_add_apply_from (plan, self, apply_from, in[i], out[i], error)
                : reel_lane_plan_add_apply (plan, self, apply, in[i], out[i], error)))
        return FALSE;
    }
  return TRUE;
}

/* Whether there are more numbers than a single value has elements: those of lanes. */
static gboolean
has_lanes (const ReelAffine *affine, gint ndim)
{
  return affine->shape && (gint) affine->shape->len > ndim;
}

/* Bounds change as values do; an action is undone, so that its bounds go forward too. */
static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelTensor) low = NULL, high = NULL;
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  if (spec->kind != &reel_bounded_spec_kind
      || has_lanes (&REEL_OBSERVATION_NORM (self)->affine, ndim))
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
  else if (self->affine.loc && self->init_frames)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "observation-norm has loc and scale, so it has nothing to learn from "
                         "init-frames: give one or the other");
  else if (!self->affine.loc && self->affine.shape)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "observation-norm: shape is that of loc and scale, which are missing");
  else
    return TRUE;
  return FALSE;
}

static gboolean
build_affine (ReelObservationNorm *self, GError **error)
{
  return reel_affine_build (&self->affine, self->eps, FALSE, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelObservationNorm *self = REEL_OBSERVATION_NORM (object);

  return check (self, error) && (!self->affine.loc || build_affine (self, error))
         && REEL_OBJECT_CLASS (reel_observation_norm_parent_class)->build (object, error);
}

/* ---- numbers that are learned ---- */

gboolean
reel_observation_norm_check (ReelTransform *self, GError **error)
{
  if (!REEL_IS_OBSERVATION_NORM (self))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s is not an observation-norm",
                 reel_object_get_id (REEL_OBJECT (self)));
  else if (reel_affine_is_set (&REEL_OBSERVATION_NORM (self)->affine))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "observation-norm has its loc and scale already");
  else
    return TRUE;
  return FALSE;
}

gboolean
reel_observation_norm_is_standard_normal (ReelTransform *self)
{
  return REEL_OBSERVATION_NORM (self)->affine.standard_normal;
}

gboolean
reel_observation_norm_take (ReelTransform *transform, GArray *loc, GArray *scale, GArray *shape,
                            GError **error)
{
  ReelObservationNorm *self = REEL_OBSERVATION_NORM (transform);

  self->affine.loc = loc;
  self->affine.scale = scale;
  self->affine.shape = shape;
  if (build_affine (self, error))
    {
      self->init_frames = 0;
      return TRUE;
    }
  reel_affine_clear (&self->affine);
  g_clear_pointer (&self->affine.loc, g_array_unref);
  g_clear_pointer (&self->affine.scale, g_array_unref);
  g_clear_pointer (&self->affine.shape, g_array_unref);
  return FALSE;
}

gint64
reel_observation_norm_get_init_frames (ReelTransform *self)
{
  return REEL_IS_OBSERVATION_NORM (self) ? REEL_OBSERVATION_NORM (self)->init_frames : 0;
}

/* ---- the class ---- */

static char *
to_string (ReelTransform *transform)
{
  const ReelAffine *affine = &REEL_OBSERVATION_NORM (transform)->affine;
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));
  g_autofree char *numbers = affine->period == 1 ? reel_affine_to_string (affine) : NULL;

  return numbers ? g_strdup_printf ("ObservationNorm(%s, keys=%s)", numbers, keys)
                 : g_strdup_printf ("ObservationNorm(keys=%s)", keys);
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
  reel_affine_add_shape_property (object_class, G_STRUCT_OFFSET (ReelObservationNorm, affine));
  reel_object_class_add_int64 (
      object_class, "init-frames", G_STRUCT_OFFSET (ReelObservationNorm, init_frames), 0,
      G_MAXINT32, 0, "frames",
      "instead of loc and scale: random steps of a copy of the env that they are learned from",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_double (
      object_class, "eps", G_STRUCT_OFFSET (ReelObservationNorm, eps), G_MINDOUBLE, G_MAXDOUBLE,
      1e-6, NULL, "a single scale below is this instead", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "ObservationNorm";
  transform_class->forward = forward;
  transform_class->bind = bind;
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
