/* Orders dimensions; the inverse orders them back. */
#include "../core/tensor/tensor-private.h"
#include "reshape.h"

struct _ReelPermuteTransform
{
  ReelTransform parent_instance;

  GArray *dims; /* of doubles: whole numbers, from −n to −1 */
};

G_DECLARE_FINAL_TYPE (ReelPermuteTransform, reel_permute_transform, REEL, PERMUTE_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelPermuteTransform, reel_permute_transform, REEL_TYPE_TRANSFORM)

static gint
dim_at (const ReelPermuteTransform *self, guint i)
{
  return (gint) g_array_index (self->dims, double, i);
}

/* The last dimensions in another order, or back; those before stay. */
static ReelTensor *
permute (ReelPermuteTransform *self, ReelTensor *value, gboolean back, GError **error)
{
  gint n = (gint) self->dims->len, first = value->ndim - n, dims[REEL_MAX_NDIM];

  if (first < 0)
    {
      g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);

      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "permute: a value of shape %s has fewer than %d dimensions", shape, n);
      return NULL;
    }
  for (gint i = 0; i < first; i++)
    dims[i] = i;
  for (gint i = 0; i < n; i++)
    if (back)
      dims[value->ndim + dim_at (self, (guint) i)] = first + i;
    else
      dims[first + i] = value->ndim + dim_at (self, (guint) i);
  return reel_tensor_permute (value, dims, error);
}

static ReelTensor *
apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  return permute (REEL_PERMUTE_TRANSFORM (self), value, FALSE, error);
}

static ReelTensor *
apply_inverse (ReelTransform *self, ReelTensor *value, GError **error)
{
  return permute (REEL_PERMUTE_TRANSFORM (self), value, TRUE, error);
}

static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  return reel_reshape_spec (self, apply, spec, error);
}

/* Each of −n to −1 once. */
static gboolean
check_dims (const ReelPermuteTransform *self, GError **error)
{
  guint n = self->dims ? self->dims->len : 0;
  guint64 seen = 0;

  for (guint i = 0; i < n && n <= REEL_MAX_NDIM; i++)
    {
      double dim = g_array_index (self->dims, double, i);

      if (dim >= -(double) n && dim <= -1 && dim == (double) (gint) dim)
        seen |= G_GUINT64_CONSTANT (1) << (gint) -dim;
    }
  if (n > 0 && n <= REEL_MAX_NDIM && seen == (G_GUINT64_CONSTANT (2) << n) - 2)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "Only tailing dims with negative indices are supported by permute: each of "
                       "-n to -1 once, as in dims=[-1,-3,-2]");
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  return check_dims (REEL_PERMUTE_TRANSFORM (object), error)
         && REEL_OBJECT_CLASS (reel_permute_transform_parent_class)->build (object, error);
}

static void
reel_permute_transform_class_init (ReelPermuteTransformClass *klass)
{
  static const ReelId ids[] = {
    { "permute", NULL, "orders the last dimensions" },
    { "PermuteTransform", NULL, "orders the last dimensions, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS
                                                      | REEL_TRANSFORM_INVERSE_KEYS);
  reel_object_class_add_list (
      REEL_OBJECT_CLASS (klass), "dims", G_STRUCT_OFFSET (ReelPermuteTransform, dims),
      "the new order of the last dimensions, counted from the end", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "PermuteTransform";
  transform_class->apply = apply;
  transform_class->apply_inverse = apply_inverse;
  transform_class->apply_spec = apply_spec;
  transform_class->apply_inverse_spec = apply_spec;
}

static void
reel_permute_transform_init (ReelPermuteTransform *self)
{
}
