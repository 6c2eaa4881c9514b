/* Leaves keys out. */
#include "exclude-transform.h"
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/tensordict/tensordict-keys.h"

struct _ReelExcludeTransform
{
  ReelTransform parent_instance;

  GStrv keys;
  gboolean inverse;
};

G_DECLARE_FINAL_TYPE (ReelExcludeTransform, reel_exclude_transform, REEL, EXCLUDE_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelExcludeTransform, reel_exclude_transform, REEL_TYPE_TRANSFORM)

static ReelTensordict *
exclude (ReelExcludeTransform *self, ReelTensordict *td, gboolean now)
{
  if (!now || !self->keys)
    return reel_tensordict_ref (td);
  return reel_tensordict_exclude_keys (td, (const char *const *) self->keys);
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelExcludeTransform *self = REEL_EXCLUDE_TRANSFORM (transform);

  return exclude (self, td, !self->inverse);
}

static gboolean
inverse (ReelTransform *transform, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  ReelExcludeTransform *self = REEL_EXCLUDE_TRANSFORM (transform);

  *result = exclude (self, td, self->inverse);
  return TRUE;
}

static gboolean
changes_writes (ReelTransform *transform)
{
  ReelExcludeTransform *self = REEL_EXCLUDE_TRANSFORM (transform);

  return self->inverse && self->keys;
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelExcludeTransform *self = REEL_EXCLUDE_TRANSFORM (transform);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);

  for (guint i = 0; !self->inverse && self->keys && self->keys[i]; i++)
    {
      g_autofree char *part = reel_spec_find_part (changed, REEL_SPEC_OUTPUT, self->keys[i]);

      if (!part)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "Key %s not found in the environment outputs.", self->keys[i]);
          return NULL;
        }
      if (!reel_spec_set_in_part (&changed, part, self->keys[i], NULL, error))
        return NULL;
    }
  return g_steal_pointer (&changed);
}

/* In an env its leaves are hidden; env_spec() has found them. */
static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelExcludeTransform *self = REEL_EXCLUDE_TRANSFORM (transform);

  for (guint i = 0; !self->inverse && self->keys && self->keys[i]; i++)
    reel_lane_plan_hide (plan, self->keys[i]);
  return TRUE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelExcludeTransform *self = REEL_EXCLUDE_TRANSFORM (object);

  return REEL_OBJECT_CLASS (reel_exclude_transform_parent_class)->build (object, error)
         && reel_key_check_all ((const char *const *) self->keys, error);
}

static void
reel_exclude_transform_class_init (ReelExcludeTransformClass *klass)
{
  static const ReelId ids[] = {
    { "exclude", NULL, "leaves keys out" },
    { "ExcludeTransform", NULL, "leaves keys out, by TorchRL's name" },
    { NULL },
  };
  static const ReelAlias aliases[] = { { "excluded-keys", "keys" }, { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->aliases = aliases;
  object_class->build = build;
  reel_object_class_add_words (object_class, "keys", G_STRUCT_OFFSET (ReelExcludeTransform, keys),
                               "keys to leave out; missing ones are ignored",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "inverse",
                              G_STRUCT_OFFSET (ReelExcludeTransform, inverse), FALSE,
                              "whether on write instead of on read", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "ExcludeTransform";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->changes_writes = changes_writes;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
}

static void
reel_exclude_transform_init (ReelExcludeTransform *self)
{
}

ReelTransform *
reel_exclude_transform_new_inverse (const char *const *keys, GError **error)
{
  return g_initable_new (reel_exclude_transform_get_type (), NULL, error, "id", "exclude", "keys",
                         keys, "inverse", TRUE, NULL);
}
