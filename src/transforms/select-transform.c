/* Keeps some keys alone. */
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/tensordict/tensordict-keys.h"

struct _ReelSelectTransform
{
  ReelTransform parent_instance;

  GStrv keys;
  gboolean keep_rewards;
  gboolean keep_dones;
  GStrv kept; /* keys, and what is kept without being asked for */
};

G_DECLARE_FINAL_TYPE (ReelSelectTransform, reel_select_transform, REEL, SELECT_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelSelectTransform, reel_select_transform, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelSelectTransform *self = REEL_SELECT_TRANSFORM (transform);

  return reel_tensordict_select_keys (td, (const char *const *) self->kept, FALSE, error);
}

static void
add_all (GStrvBuilder *builder, char *const *keys)
{
  for (; keys && *keys; keys++)
    g_strv_builder_add (builder, *keys);
}

/* Rewards and flags by the names that the env has for them; the state, which the next step needs.
 */
static void
keep_keys_of (ReelSelectTransform *self, const ReelSpec *spec)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) rewards = reel_spec_list_part (spec, "output_spec/full_reward_spec");
  g_auto (GStrv) dones = reel_spec_list_part (spec, "output_spec/full_done_spec");
  g_auto (GStrv) state = reel_spec_list_part (spec, "input_spec/full_state_spec");

  add_all (builder, self->keys);
  add_all (builder, self->keep_rewards ? rewards : NULL);
  add_all (builder, self->keep_dones ? dones : NULL);
  add_all (builder, state);
  g_strfreev (self->kept);
  self->kept = g_strv_builder_end (builder);
}

static gboolean
drop_others (ReelSelectTransform *self, ReelSpec **spec, const char *part, GError **error)
{
  g_auto (GStrv) keys = reel_spec_list_part (*spec, part);

  for (guint i = 0; keys[i]; i++)
    if (!(self->keys && g_strv_contains ((const char *const *) self->keys, keys[i]))
        && !reel_spec_set_in_part (spec, part, keys[i], NULL, error))
      return FALSE;
  return TRUE;
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelSelectTransform *self = REEL_SELECT_TRANSFORM (transform);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);

  keep_keys_of (self, spec);
  if (!drop_others (self, &changed, "output_spec/full_observation_spec", error)
      || (!self->keep_dones && !drop_others (self, &changed, "output_spec/full_done_spec", error))
      || (!self->keep_rewards
          && !drop_others (self, &changed, "output_spec/full_reward_spec", error)))
    return NULL;
  return g_steal_pointer (&changed);
}

static gboolean
is_kept (ReelSelectTransform *self, const ReelLaneLeaf *leaf)
{
  return g_strv_contains ((const char *const *) self->kept, leaf->path);
}

/* In an env the other leaves are hidden; env_spec() has found the keys of its rewards and flags. */
static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelSelectTransform *self = REEL_SELECT_TRANSFORM (transform);

  for (guint i = 0; i < reel_lane_plan_get_n_leaves (plan); i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (plan, i);

      if (leaf->path && !is_kept (self, leaf))
        reel_lane_plan_rename (plan, i, NULL);
    }
  return TRUE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelSelectTransform *self = REEL_SELECT_TRANSFORM (object);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  add_all (builder, self->keys);
  if (self->keep_rewards)
    g_strv_builder_add (builder, "reward");
  if (self->keep_dones)
    g_strv_builder_add (builder, "done");
  self->kept = g_strv_builder_end (builder);
  return REEL_OBJECT_CLASS (reel_select_transform_parent_class)->build (object, error)
         && reel_key_check_all ((const char *const *) self->keys, error);
}

static void
finalize (GObject *object)
{
  g_strfreev (REEL_SELECT_TRANSFORM (object)->kept);
  G_OBJECT_CLASS (reel_select_transform_parent_class)->finalize (object);
}

static void
reel_select_transform_class_init (ReelSelectTransformClass *klass)
{
  static const ReelId ids[] = {
    { "select", NULL, "keeps some keys alone" },
    { "SelectTransform", NULL, "keeps some keys alone, by TorchRL's name" },
    { NULL },
  };
  static const ReelAlias aliases[] = { { "selected-keys", "keys" }, { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->aliases = aliases;
  object_class->build = build;
  reel_object_class_add_words (object_class, "keys", G_STRUCT_OFFSET (ReelSelectTransform, keys),
                               "keys to keep; missing ones are ignored",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "keep-rewards",
                              G_STRUCT_OFFSET (ReelSelectTransform, keep_rewards), TRUE,
                              "whether to keep reward too", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "keep-dones",
                              G_STRUCT_OFFSET (ReelSelectTransform, keep_dones), TRUE,
                              "whether to keep done too", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "SelectTransform";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
}

static void
reel_select_transform_init (ReelSelectTransform *self)
{
}
