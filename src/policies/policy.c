#include "policy.h"

G_DEFINE_ABSTRACT_TYPE (ReelPolicy, reel_policy, REEL_TYPE_OBJECT)

static gboolean
bind (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  return TRUE;
}

static void
reel_policy_class_init (ReelPolicyClass *klass)
{
  REEL_OBJECT_CLASS (klass)->kind = "policy";
  klass->bind = bind;
}

static void
reel_policy_init (ReelPolicy *self)
{
}

gboolean
reel_policy_bind (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action,
                  gint64 n_lanes, GError **error)
{
  g_return_val_if_fail (REEL_IS_POLICY (self), FALSE);
  g_return_val_if_fail (observation && reel_spec_is_composite (observation), FALSE);
  g_return_val_if_fail (action && reel_spec_is_composite (action), FALSE);
  g_return_val_if_fail (n_lanes > 0, FALSE);

  return REEL_POLICY_GET_CLASS (self)->bind (self, observation, action, n_lanes, error);
}

gboolean
reel_policy_act (ReelPolicy *self, gint64 step, gint64 begin, gint64 end,
                 const guint8 *const *observation, guint8 *const *action, GError **error)
{
  /* Once a step, where a look at the type would cost as much as the step. */
  g_return_val_if_fail (self, FALSE);

  return REEL_POLICY_GET_CLASS (self)->act (self, step, begin, end, observation, action, error);
}

gboolean
reel_policy_is_lanewise (ReelPolicy *self)
{
  g_return_val_if_fail (REEL_IS_POLICY (self), FALSE);

  return REEL_POLICY_GET_CLASS (self)->lanewise;
}
