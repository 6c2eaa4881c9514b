/* Joins the batch dimensions of data on their way into a buffer. */
#include "transform-private.h"

#include "../core/tensordict/shape.h"

struct _ReelFlattenTensordict
{
  ReelTransform parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelFlattenTensordict, reel_flatten_tensordict, REEL, FLATTEN_TENSORDICT,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelFlattenTensordict, reel_flatten_tensordict, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  return reel_tensordict_ref (td);
}

static gboolean
inverse (ReelTransform *self, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  static const gint64 flat[] = { -1 };
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  *result = ndim == 1 ? reel_tensordict_ref (td) : reel_tensordict_reshape (td, 1, flat, error);
  return *result != NULL;
}

static gboolean
changes_writes (ReelTransform *self)
{
  return TRUE;
}

static void
reel_flatten_tensordict_class_init (ReelFlattenTensordictClass *klass)
{
  static const ReelId ids[] = {
    { "flatten-tensordict", NULL, "joins the batch dimensions of data on write" },
    { "FlattenTensorDict", NULL, "joins batch dimensions on write, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  transform_class->peer_name = "FlattenTensorDict";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->changes_writes = changes_writes;
}

static void
reel_flatten_tensordict_init (ReelFlattenTensordict *self)
{
}
