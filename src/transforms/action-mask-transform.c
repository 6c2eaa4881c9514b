/* An observation that says which actions are allowed, under any key. */
#include "../specs/operations/action-mask.h"

#include "lane-plan.h"
#include "transform-private.h"

#define ACTION "input_spec/full_action_spec"
#define OBSERVATION "output_spec/full_observation_spec"

struct _ReelActionMaskTransform
{
  ReelTransform parent_instance;

  char *action_key;
  char *mask_key;
  char *beside; /* where policies look for the mask of the action */
};

G_DECLARE_FINAL_TYPE (ReelActionMaskTransform, reel_action_mask_transform, REEL,
                      ACTION_MASK_TRANSFORM, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelActionMaskTransform, reel_action_mask_transform, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "action-mask limits the actions of an environment, and those of stored data "
                       "are done; put it behind an environment: 'ENV|action-mask'");
  return NULL;
}

static gboolean
is_beside (const ReelActionMaskTransform *self)
{
  return g_str_equal (self->mask_key, self->beside);
}

/* ---- specs ---- */

static const ReelSpec *
find_spec (const ReelSpec *spec, const char *part, const char *key, const char *kind,
           GError **error)
{
  const ReelSpec *found = reel_spec_get_in_part (spec, part, key);

  if (!found)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "action-mask: \"%s\" is not among the env's %s",
                 key, kind);
  return found;
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelActionMaskTransform *self = REEL_ACTION_MASK_TRANSFORM (transform);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);
  const ReelSpec *action = find_spec (spec, ACTION, self->action_key, "actions", error);
  const ReelSpec *mask = NULL;

  if (action && reel_action_mask_check_action (action, self->action_key, error))
    mask = find_spec (spec, OBSERVATION, self->mask_key, "observations", error);
  if (!mask || !reel_action_mask_check (action, self->action_key, mask, self->mask_key, error))
    return NULL;
  if (is_beside (self))
    return g_steal_pointer (&changed);
  if (reel_spec_get_in_part (spec, OBSERVATION, self->beside))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "action-mask shows \"%s\" as \"%s\", and the env has that already: rename it",
                   self->mask_key, self->beside);
      return NULL;
    }
  return reel_spec_set_in_part (&changed, OBSERVATION, self->beside, mask, error)
             ? g_steal_pointer (&changed)
             : NULL;
}

/* ---- in an env ---- */

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  const ReelActionMaskTransform *self = REEL_ACTION_MASK_TRANSFORM (transform);
  gint mask = reel_lane_plan_require (plan, self->mask_key, error);
  ReelLaneLeaf leaf;
  guint beside;

  if (mask < 0)
    return FALSE;
  if (is_beside (self))
    return TRUE;
  leaf = *reel_lane_plan_get_leaf (plan, (guint) mask);
  beside = reel_lane_plan_define (plan, self->beside, REEL_LANE_OBSERVATION, leaf.dtype, leaf.ndim,
                                  leaf.shape);
  return reel_lane_plan_add_copy (plan, (guint) mask, beside, error);
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  ReelActionMaskTransform *self = REEL_ACTION_MASK_TRANSFORM (object);
  const char *const keys[] = { self->action_key ? self->action_key : "",
                               self->mask_key ? self->mask_key : "", NULL };

  if (!REEL_OBJECT_CLASS (reel_action_mask_transform_parent_class)->build (object, error)
      || !reel_key_check_all (keys, error))
    return FALSE;
  self->beside = g_strconcat (self->action_key, "_mask", NULL);
  reel_transform_set_keys (REEL_TRANSFORM (self), keys, keys);
  return TRUE;
}

static void
finalize (GObject *object)
{
  g_free (REEL_ACTION_MASK_TRANSFORM (object)->beside);
  G_OBJECT_CLASS (reel_action_mask_transform_parent_class)->finalize (object);
}

static void
reel_action_mask_transform_class_init (ReelActionMaskTransformClass *klass)
{
  static const ReelId ids[] = {
    { "action-mask", NULL, "an observation says which actions are allowed" },
    { "ActionMask", NULL, "a mask of actions, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_string (object_class, "action-key",
                                G_STRUCT_OFFSET (ReelActionMaskTransform, action_key), "action",
                                "key of the action", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_string (
      object_class, "mask-key", G_STRUCT_OFFSET (ReelActionMaskTransform, mask_key), "action_mask",
      "key of the mask, a flag for each class of the action", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "ActionMask";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
}

static void
reel_action_mask_transform_init (ReelActionMaskTransform *self)
{
}
