/* Gives entries other keys. */
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/tensordict/tensordict-keys.h"
#include "../core/tensordict/tensordict-update.h"

struct _ReelRenameTransform
{
  ReelTransform parent_instance;

  gboolean create_copy;
};

G_DECLARE_FINAL_TYPE (ReelRenameTransform, reel_rename_transform, REEL, RENAME_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelRenameTransform, reel_rename_transform, REEL_TYPE_TRANSFORM)

static gboolean
rename_all (ReelTensordict *td, const char *const *from, const char *const *to, GError **error)
{
  for (; *from; from++, to++)
    if (!reel_tensordict_rename_key (td, *from, *to, FALSE, error))
      return FALSE;
  return TRUE;
}

static gboolean
copy_all (ReelTensordict *td, const char *const *from, const char *const *to, GError **error)
{
  g_autoptr (ReelTensordict) copies = reel_tensordict_select_keys (td, from, TRUE, error);

  return copies && rename_all (copies, from, to, error)
         && reel_tensordict_update (td, copies, NULL, FALSE, error);
}

static gboolean
change (ReelTransform *transform, ReelTensordict *td, const char *const *from,
        const char *const *to, GError **error)
{
  return REEL_RENAME_TRANSFORM (transform)->create_copy ? copy_all (td, from, to, error)
                                                        : rename_all (td, from, to, error);
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  if (!change (self, td, reel_transform_get_in_keys (self), reel_transform_get_out_keys (self),
               error))
    return NULL;
  return reel_tensordict_ref (td);
}

static gboolean
inverse (ReelTransform *self, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  if (!change (self, td, reel_transform_get_out_keys_inv (self),
               reel_transform_get_in_keys_inv (self), error))
    return FALSE;
  *result = reel_tensordict_ref (td);
  return TRUE;
}

/* A key that is not copied leaves its old place. */
static gboolean
drop_old (ReelSpec **spec, ReelSpecSide side, const char *const *from, const char *const *to,
          GError **error)
{
  for (; *from; from++, to++)
    {
      g_autofree char *part = reel_spec_find_part (*spec, side, *from);

      if (!g_str_equal (*from, *to) && !reel_spec_set_in_part (spec, part, *from, NULL, error))
        return FALSE;
    }
  return TRUE;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) changed =
      REEL_TRANSFORM_CLASS (reel_rename_transform_parent_class)->env_spec (self, spec, error);

  if (!changed || REEL_RENAME_TRANSFORM (self)->create_copy)
    return g_steal_pointer (&changed);
  if (!drop_old (&changed, REEL_SPEC_OUTPUT, reel_transform_get_in_keys (self),
                 reel_transform_get_out_keys (self), error)
      || !drop_old (&changed, REEL_SPEC_INPUT, reel_transform_get_in_keys_inv (self),
                    reel_transform_get_out_keys_inv (self), error))
    return NULL;
  return g_steal_pointer (&changed);
}

/* ---- in an env ---- */

/* Another key of the same leaf, or of a copy. */
static gboolean
rename_leaf (ReelTransform *self, ReelLanePlan *plan, const char *from, const char *to,
             GError **error)
{
  gint found = reel_lane_plan_require (plan, from, error);
  ReelLaneLeaf leaf;

  if (found < 0)
    return FALSE;
  if (!REEL_RENAME_TRANSFORM (self)->create_copy)
    {
      reel_lane_plan_rename (plan, (guint) found, to);
      return TRUE;
    }
  leaf = *reel_lane_plan_get_leaf (plan, (guint) found);
  return reel_lane_plan_add_copy (
      plan, (guint) found,
      reel_lane_plan_define (plan, to, leaf.role, leaf.dtype, leaf.ndim, leaf.shape), error);
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    if (!rename_leaf (self, plan, in[i], out[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
bind_inverse (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys_inv (self);
  const char *const *out = reel_transform_get_out_keys_inv (self);

  for (gsize i = 0; in[i]; i++)
    if (!rename_leaf (self, plan, out[i], in[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (REEL_TRANSFORM (object));
  const char *const *out = reel_transform_get_out_keys (REEL_TRANSFORM (object));

  for (; *in; in++)
    if (g_strv_contains (out, *in))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "Cannot have matching in and out_keys because order is unclear: \"%s\" is "
                     "both. Please use separated transforms.",
                     *in);
        return FALSE;
      }
  return REEL_OBJECT_CLASS (reel_rename_transform_parent_class)->build (object, error);
}

static void
reel_rename_transform_class_init (ReelRenameTransformClass *klass)
{
  static const ReelId ids[] = {
    { "rename", NULL, "gives entries other keys" },
    { "RenameTransform", NULL, "gives entries other keys, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS
                                                      | REEL_TRANSFORM_INVERSE_KEYS);
  reel_object_class_add_bool (object_class, "create-copy",
                              G_STRUCT_OFFSET (ReelRenameTransform, create_copy), FALSE,
                              "whether to keep the old keys too", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "RenameTransform";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->bind_inverse = bind_inverse;
}

static void
reel_rename_transform_init (ReelRenameTransform *self)
{
}
