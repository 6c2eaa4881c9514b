/* Images of another size. */
#include "image-pass.h"
#include "image-spec.h"
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/tensor/tensor-private.h"

struct _ReelResize
{
  ReelTransform parent_instance;

  ReelResizing size;
};

G_DECLARE_FINAL_TYPE (ReelResize, reel_resize, REEL, RESIZE, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelResize, reel_resize, REEL_TYPE_TRANSFORM)

/* The most channels of a picture: with a fourth one that is how opaque it is. */
#define MOST_CHANNELS 4

/* check_channels: whether the last of the dimensions of an image may be that of columns. One of
 * three, or of one, with many rows where the channels should be is that of channels. */
static gboolean
check_channels (const char *what, gint ndim, const gint64 *shape, GError **error)
{
  gint64 last = ndim > 2 ? shape[ndim - 1] : 0;
  g_autofree char *text = NULL;

  if ((last != 3 && last != 1) || shape[ndim - 3] <= MOST_CHANNELS)
    return TRUE;
  text = reel_shape_to_string (ndim, shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "resize takes images [*, channels, height, width], and %s, %s, looks like one whose "
               "channels are last: put to-tensor-image, or permute:dims=[-1,-3,-2], before it",
               what, text);
  return FALSE;
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  return reel_image_resize (value, &REEL_RESIZE (transform)->size, error);
}

static gboolean
join_pass (ReelTransform *transform, ReelImagePass *pass)
{
  return check_channels ("", pass->ndim, pass->shape, NULL)
         && reel_image_pass_resize (pass, &REEL_RESIZE (transform)->size);
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  gint n_batch;

  reel_tensordict_get_batch_size (td, &n_batch);
  for (const char *const *key = reel_transform_get_in_keys (self); *key; key++)
    {
      const ReelTensor *value = reel_tensordict_get_tensor (td, *key, NULL);

      if (value && !check_channels (*key, value->ndim - n_batch, value->shape + n_batch, error))
        return NULL;
    }
  return REEL_TRANSFORM_CLASS (reel_resize_parent_class)->forward (self, td, error);
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    {
      gint leaf = reel_lane_plan_require (plan, in[i], error);
      const ReelLaneLeaf *image = leaf < 0 ? NULL : reel_lane_plan_get_leaf (plan, (guint) leaf);

      if (!image || !check_channels (in[i], image->ndim, image->shape, error)
          || !reel_lane_plan_add_apply (plan, self, apply, in[i], out[i], error))
        return FALSE;
    }
  return TRUE;
}

/* A cubic overshoots: values need not stay between bounds. */
static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) bounded = reel_image_spec (transform, spec, error);
  const gint64 *shape;
  gint ndim;

  if (!bounded || REEL_RESIZE (transform)->size.interpolation != REEL_BICUBIC)
    return g_steal_pointer (&bounded);
  shape = reel_spec_get_shape (bounded, &ndim);
  return reel_unbounded_spec_new (reel_spec_get_dtype (bounded), ndim, shape, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelResize *self = REEL_RESIZE (object);

  if (self->size.w == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "resize needs to know to which size: resize:w=64,h=64");
      return FALSE;
    }
  if (self->size.h == 0)
    self->size.h = self->size.w;
  reel_transform_default_to_pixels (REEL_TRANSFORM (self));
  return reel_isa_choose (&self->size.isa, error)
         && REEL_OBJECT_CLASS (reel_resize_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  ReelResize *self = REEL_RESIZE (transform);
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));
  g_autofree char *mode = g_ascii_strup (reel_interpolations[self->size.interpolation], -1);

  return g_strdup_printf ("Resize(w=%" G_GINT64_FORMAT ", h=%" G_GINT64_FORMAT
                          ", interpolation=InterpolationMode.%s, keys=%s)",
                          self->size.w, self->size.h, g_strdelimit (mode, "-", '_'), keys);
}

static void
reel_resize_class_init (ReelResizeClass *klass)
{
  static const ReelId ids[] = {
    { "resize", NULL, "images of another size" },
    { "Resize", NULL, "images of another size, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_resizing_add_properties (REEL_OBJECT_CLASS (klass), G_STRUCT_OFFSET (ReelResize, size),
                                "rows of the result, as TorchRL has it; to be given");
  transform_class->peer_name = "Resize";
  transform_class->forward = forward;
  transform_class->bind = bind;
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->join_pass = join_pass;
  transform_class->to_string = to_string;
}

static void
reel_resize_init (ReelResize *self)
{
}
