/* A transform in one C function. It has no id: text cannot name a function. */
#include "transform.h"

struct _ReelCallbackTransform
{
  ReelTransform parent_instance;

  ReelTransformFunc function;
  gpointer user_data;
  GDestroyNotify destroy;
};

G_DECLARE_FINAL_TYPE (ReelCallbackTransform, reel_callback_transform, REEL, CALLBACK_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelCallbackTransform, reel_callback_transform, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelCallbackTransform *self = REEL_CALLBACK_TRANSFORM (transform);
  GError *reason = NULL;
  ReelTensordict *result = self->function (td, self->user_data, &reason);

  if (result)
    return result;
  if (!reason)
    g_set_error_literal (&reason, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "the transform's function failed");
  g_propagate_error (error, reason);
  return NULL;
}

static ReelTransform *
make_clone (ReelTransform *self, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "a transform in a function cannot be cloned: make another one");
  return NULL;
}

static void
finalize (GObject *object)
{
  ReelCallbackTransform *self = REEL_CALLBACK_TRANSFORM (object);

  if (self->destroy)
    self->destroy (self->user_data);
  G_OBJECT_CLASS (reel_callback_transform_parent_class)->finalize (object);
}

static void
reel_callback_transform_class_init (ReelCallbackTransformClass *klass)
{
  REEL_TRANSFORM_CLASS (klass)->peer_name = "_CallableTransform";
  REEL_TRANSFORM_CLASS (klass)->forward = forward;
  REEL_TRANSFORM_CLASS (klass)->clone = make_clone;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_callback_transform_init (ReelCallbackTransform *self)
{
}

ReelTransform *
reel_transform_new_callback (ReelTransformFunc function, gpointer user_data, GDestroyNotify destroy)
{
  ReelCallbackTransform *self;

  g_return_val_if_fail (function, NULL);

  self = g_initable_new (reel_callback_transform_get_type (), NULL, NULL, "id", "callback", NULL);
  self->function = function;
  self->user_data = user_data;
  self->destroy = destroy;
  return REEL_TRANSFORM (self);
}
