/* A policy in one C function. It has no id: text cannot name a function. */
#include "policy.h"

struct _ReelCallbackPolicy
{
  ReelPolicy parent_instance;

  ReelPolicyFunc function;
  gpointer user_data;
  GDestroyNotify destroy;
  gint64 n_lanes;
};

G_DECLARE_FINAL_TYPE (ReelCallbackPolicy, reel_callback_policy, REEL, CALLBACK_POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelCallbackPolicy, reel_callback_policy, REEL_TYPE_POLICY)

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  REEL_CALLBACK_POLICY (policy)->n_lanes = n_lanes;
  return TRUE;
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const guint8 *const *observation,
     guint8 *const *action, GError **error)
{
  ReelCallbackPolicy *self = (ReelCallbackPolicy *) policy;
  GError *reason = NULL;

  g_return_val_if_fail (begin == 0 && end == self->n_lanes, FALSE);

  if (self->function (step, self->n_lanes, observation, action, self->user_data, &reason))
    return TRUE;
  if (!reason)
    g_set_error (&reason, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "the policy's function failed at step %" G_GINT64_FORMAT, step);
  g_propagate_error (error, reason);
  return FALSE;
}

static void
finalize (GObject *object)
{
  ReelCallbackPolicy *self = REEL_CALLBACK_POLICY (object);

  if (self->destroy)
    self->destroy (self->user_data);
  G_OBJECT_CLASS (reel_callback_policy_parent_class)->finalize (object);
}

static void
reel_callback_policy_class_init (ReelCallbackPolicyClass *klass)
{
  REEL_POLICY_CLASS (klass)->bind = bind;
  REEL_POLICY_CLASS (klass)->act = act;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_callback_policy_init (ReelCallbackPolicy *self)
{
}

ReelPolicy *
reel_policy_new_callback (ReelPolicyFunc function, gpointer user_data, GDestroyNotify destroy)
{
  ReelCallbackPolicy *self;

  g_return_val_if_fail (function, NULL);

  self = g_initable_new (reel_callback_policy_get_type (), NULL, NULL, "id", "callback", NULL);
  self->function = function;
  self->user_data = user_data;
  self->destroy = destroy;
  return REEL_POLICY (self);
}
