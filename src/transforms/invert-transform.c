/* Another transform the other way round. */
#include "transform-private.h"

struct _ReelInvertTransform
{
  ReelTransform parent_instance;

  ReelTransform *inverted;
};

G_DECLARE_FINAL_TYPE (ReelInvertTransform, reel_invert_transform, REEL, INVERT_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelInvertTransform, reel_invert_transform, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelTransform *inverted = REEL_INVERT_TRANSFORM (transform)->inverted;
  ReelTensordict *result;

  if (!reel_transform_inverse (inverted, td, &result, error))
    return NULL;
  if (!result)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s holds all data back, so there is nothing to read through it",
                 reel_object_get_id (REEL_OBJECT (inverted)));
  return result;
}

static gboolean
inverse (ReelTransform *transform, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  *result = reel_transform_forward (REEL_INVERT_TRANSFORM (transform)->inverted, td, error);
  return *result != NULL;
}

static gboolean
changes_writes (ReelTransform *self)
{
  return TRUE;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "There is not generic rule to invert a spec transform.");
  return NULL;
}

static void
empty (ReelTransform *transform)
{
  reel_transform_empty (REEL_INVERT_TRANSFORM (transform)->inverted);
}

static gboolean
dup_state (ReelTransform *transform, ReelTensordict *state, GError **error)
{
  ReelTransform *inverted = REEL_INVERT_TRANSFORM (transform)->inverted;

  return REEL_TRANSFORM_GET_CLASS (inverted)->dup_state (inverted, state, error);
}

static gboolean
set_state (ReelTransform *transform, const ReelTensordict *state, GError **error)
{
  return reel_transform_set_state (REEL_INVERT_TRANSFORM (transform)->inverted, state, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelInvertTransform *self = REEL_INVERT_TRANSFORM (object);

  if (!self->inverted)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "invert needs a transform: invert:transform=(…)");
      return FALSE;
    }
  if (!reel_transform_set_parent (self->inverted, G_OBJECT (self), error))
    {
      g_clear_object (&self->inverted);
      return FALSE;
    }
  reel_transform_set_keys (REEL_TRANSFORM (self), reel_transform_get_in_keys_inv (self->inverted),
                           reel_transform_get_out_keys_inv (self->inverted));
  return REEL_OBJECT_CLASS (reel_invert_transform_parent_class)->build (object, error);
}

static void
finalize (GObject *object)
{
  ReelInvertTransform *self = REEL_INVERT_TRANSFORM (object);

  if (self->inverted)
    reel_transform_set_parent (self->inverted, NULL, NULL);
  G_OBJECT_CLASS (reel_invert_transform_parent_class)->finalize (object);
}

static void
reel_invert_transform_class_init (ReelInvertTransformClass *klass)
{
  static const ReelId ids[] = { { "invert", NULL, "another transform the other way round" },
                                { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_object (object_class, "transform",
                                G_STRUCT_OFFSET (ReelInvertTransform, inverted),
                                REEL_TYPE_TRANSFORM, "transform that runs in the other direction",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "_InvertTransform";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->changes_writes = changes_writes;
  transform_class->env_spec = env_spec;
  transform_class->empty = empty;
  transform_class->dup_state = dup_state;
  transform_class->set_state = set_state;
}

static void
reel_invert_transform_init (ReelInvertTransform *self)
{
}

ReelTransform *
reel_transform_new_inverted (ReelTransform *transform, GError **error)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (transform), NULL);

  return g_initable_new (reel_invert_transform_get_type (), NULL, error, "id", "invert",
                         "transform", transform, NULL);
}
