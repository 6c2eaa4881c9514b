/* Values of another element type; actions the other way. */
#include "reshape.h"

#include "../core/tensor/tensor-private.h"

#include <string.h>

#define OBSERVATION "output_spec/full_observation_spec"
#define REWARD "output_spec/full_reward_spec"
#define STATE "input_spec/full_state_spec"
#define ACTION "input_spec/full_action_spec"

struct _ReelDtypeCast
{
  ReelTransform parent_instance;

  gint dtype_in, dtype_out;
  gboolean finds_keys; /* whether all entries of the types are cast, none being named */
};

G_DECLARE_FINAL_TYPE (ReelDtypeCast, reel_dtype_cast, REEL, DTYPE_CAST, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelDtypeCast, reel_dtype_cast, REEL_TYPE_TRANSFORM)

static const char *const names[] = { "bool",    "uint8",   "int8",    "int16",    "int32", "int64",
                                     "float16", "float32", "float64", "bfloat16", NULL };
static const ReelDtype dtypes[] = { REEL_DTYPE_BOOL,    REEL_DTYPE_UINT8,   REEL_DTYPE_INT8,
                                    REEL_DTYPE_INT16,   REEL_DTYPE_INT32,   REEL_DTYPE_INT64,
                                    REEL_DTYPE_FLOAT16, REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64,
                                    REEL_DTYPE_BFLOAT16 };

/* ---- values ---- */

static ReelTensor *
cast (ReelTensor *value, gint dtype, GError **error)
{
  g_autoptr (ReelTensor) plain = NULL;

  if (value->dtype == dtypes[dtype])
    return reel_tensor_ref (value);
  if (reel_dtype_is_complex (value->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "cannot cast %s to %s: an imaginary part would be lost",
                   reel_dtype_name (value->dtype), names[dtype]);
      return NULL;
    }
  plain = reel_tensor_in_order (value, error);
  return plain ? reel_tensor_convert (plain, dtypes[dtype], error) : NULL;
}

static ReelTensor *
apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  return cast (value, REEL_DTYPE_CAST (self)->dtype_out, error);
}

static ReelTensor *
apply_inverse (ReelTransform *self, ReelTensor *value, GError **error)
{
  return cast (value, REEL_DTYPE_CAST (self)->dtype_in, error);
}

/* cast_all: every leaf of the type @from. */
static ReelTensordict *
cast_all (ReelTensordict *td, gint from, gint to, GError **error)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);

  for (char **path = leaves; *path; path++)
    {
      g_autoptr (ReelTensor) value = reel_tensordict_ref_tensor (td, *path, error);
      g_autoptr (ReelTensor) changed = NULL;

      if (!value)
        return NULL;
      if (value->dtype != dtypes[from])
        continue;
      changed = cast (value, to, error);
      if (!changed || !reel_tensordict_set_tensor (td, *path, changed, error))
        return NULL;
    }
  return reel_tensordict_ref (td);
}

static gboolean
is_found (ReelDtypeCast *self)
{
  return self->finds_keys && !*reel_transform_get_in_keys (REEL_TRANSFORM (self))
         && !*reel_transform_get_in_keys_inv (REEL_TRANSFORM (self));
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelDtypeCast *self = REEL_DTYPE_CAST (transform);

  if (is_found (self))
    return cast_all (td, self->dtype_in, self->dtype_out, error);
  return REEL_TRANSFORM_CLASS (reel_dtype_cast_parent_class)->forward (transform, td, error);
}

static gboolean
inverse (ReelTransform *transform, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  ReelDtypeCast *self = REEL_DTYPE_CAST (transform);

  if (!is_found (self))
    return REEL_TRANSFORM_CLASS (reel_dtype_cast_parent_class)
        ->inverse (transform, td, result, error);
  *result = cast_all (td, self->dtype_out, self->dtype_in, error);
  return *result != NULL;
}

static gboolean
changes_writes (ReelTransform *self)
{
  return REEL_DTYPE_CAST (self)->finds_keys || *reel_transform_get_in_keys_inv (self) != NULL;
}

/* ---- specs ---- */

static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  return reel_reshape_spec (self, apply, spec, error);
}

static ReelSpec *
apply_inverse_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  const ReelDtypeCast *cast = REEL_DTYPE_CAST (self);

  if (reel_spec_get_dtype (spec) == dtypes[cast->dtype_in])
    return reel_reshape_spec (self, apply, spec, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "%s casts inputs to %s, and the env takes one of dtype %s",
               reel_object_get_id (REEL_OBJECT (self)), names[cast->dtype_in],
               reel_dtype_name (reel_spec_get_dtype (spec)));
  return NULL;
}

/* The keys of @part whose values are of the type that is cast. */
static void
find_keys (ReelDtypeCast *self, const ReelSpec *spec, const char *part, GPtrArray *keys)
{
  g_auto (GStrv) paths = reel_spec_list_part (spec, part);

  for (char **path = paths; *path; path++)
    if (reel_spec_get_dtype (reel_spec_get_in_part (spec, part, *path)) == dtypes[self->dtype_in])
      g_ptr_array_add (keys, g_strdup (*path));
}

static GPtrArray *
find_both (ReelDtypeCast *self, const ReelSpec *spec, const char *first, const char *second)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);

  find_keys (self, spec, first, keys);
  find_keys (self, spec, second, keys);
  g_ptr_array_add (keys, NULL);
  return keys;
}

/* Where no keys were given they are those of the env, from now on. */
static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelDtypeCast *self = REEL_DTYPE_CAST (transform);

  if (is_found (self))
    {
      g_autoptr (GPtrArray) out = find_both (self, spec, OBSERVATION, REWARD);
      g_autoptr (GPtrArray) in = find_both (self, spec, ACTION, STATE);

      reel_transform_set_keys (transform, (const char *const *) out->pdata,
                               (const char *const *) out->pdata);
      reel_transform_set_inverse_keys (transform, (const char *const *) in->pdata,
                                       (const char *const *) in->pdata);
    }
  return REEL_TRANSFORM_CLASS (reel_dtype_cast_parent_class)->env_spec (transform, spec, error);
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    if (!reel_lane_plan_add_apply (plan, self, apply, in[i], out[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
bind_inverse (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys_inv (self);
  const char *const *out = reel_transform_get_out_keys_inv (self);

  for (gsize i = 0; in[i]; i++)
    if (!reel_lane_plan_add_apply (plan, self, apply_inverse, out[i], in[i], error))
      return FALSE;
  return TRUE;
}

/* ---- the class ---- */

static char *
format_keys (ReelDtypeCast *self, const char *const *keys)
{
  return is_found (self) ? g_strdup ("None") : reel_key_format_list (keys);
}

static char *
to_string (ReelTransform *transform)
{
  ReelDtypeCast *self = REEL_DTYPE_CAST (transform);
  const char *id = reel_object_get_id (REEL_OBJECT (transform));
  gboolean fixed = g_str_equal (id, "double-to-float") || g_str_equal (id, "DoubleToFloat");
  g_autofree char *in = format_keys (self, reel_transform_get_in_keys (transform));
  g_autofree char *out = format_keys (self, reel_transform_get_out_keys (transform));
  g_autofree char *in_inv = format_keys (self, reel_transform_get_in_keys_inv (transform));
  g_autofree char *out_inv = format_keys (self, reel_transform_get_out_keys_inv (transform));

  return g_strdup_printf ("%s(in_keys=%s, out_keys=%s, in_keys_inv=%s, out_keys_inv=%s)",
                          fixed ? "DoubleToFloat" : "DTypeCastTransform", in, out, in_inv, out_inv);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelTransform *self = REEL_TRANSFORM (object);

  REEL_DTYPE_CAST (object)->finds_keys =
      !*reel_transform_get_in_keys (self) && !*reel_transform_get_in_keys_inv (self);
  return REEL_OBJECT_CLASS (reel_dtype_cast_parent_class)->build (object, error);
}

static void
reel_dtype_cast_class_init (ReelDtypeCastClass *klass)
{
  static const ReelId ids[] = {
    { "dtype-cast", NULL, "values of one element type as another" },
    { "DTypeCastTransform", NULL, "values of one element type as another, by TorchRL's name" },
    { "double-to-float", "dtype-in=float64,dtype-out=float32", "float64 as float32" },
    { "DoubleToFloat", "dtype-in=float64,dtype-out=float32",
      "float64 as float32, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS
                                                      | REEL_TRANSFORM_INVERSE_KEYS);
  reel_object_class_add_enum (object_class, "dtype-in", G_STRUCT_OFFSET (ReelDtypeCast, dtype_in),
                              names, 8, "element type of the environment",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (object_class, "dtype-out", G_STRUCT_OFFSET (ReelDtypeCast, dtype_out),
                              names, 7, "element type that is seen", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "DTypeCastTransform";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->changes_writes = changes_writes;
  transform_class->apply = apply;
  transform_class->apply_inverse = apply_inverse;
  transform_class->env_spec = env_spec;
  transform_class->apply_spec = apply_spec;
  transform_class->apply_inverse_spec = apply_inverse_spec;
  transform_class->bind = bind;
  transform_class->bind_inverse = bind_inverse;
  transform_class->to_string = to_string;
}

static void
reel_dtype_cast_init (ReelDtypeCast *self)
{
}
