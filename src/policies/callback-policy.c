/* A policy in one C function. It has no id: text cannot name a function. */
#include "callback-share.h"

struct _ReelCallbackPolicy
{
  ReelPolicy parent_instance;

  ReelPolicyFunc function;
  gpointer user_data;
  GDestroyNotify destroy;
  ReelSpec *outputs; /* NULL for none */
  ReelSpec *state;
  gint64 n_lanes;
  ReelTurns turns; /* of the shares */
};

G_DECLARE_FINAL_TYPE (ReelCallbackPolicy, reel_callback_policy, REEL, CALLBACK_POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelCallbackPolicy, reel_callback_policy, REEL_TYPE_POLICY)

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  ReelCallbackPolicy *self = REEL_CALLBACK_POLICY (policy);

  self->n_lanes = n_lanes;
  reel_policy_declare (policy, self->outputs ? reel_spec_ref (self->outputs) : NULL,
                       self->state ? reel_spec_ref (self->state) : NULL);
  return TRUE;
}

static gboolean
call (ReelCallbackPolicy *self, gint64 step, gint64 n_lanes, const ReelPolicyIO *io, GError **error)
{
  GError *reason = NULL;

  if (self->function (step, n_lanes, io, self->user_data, &reason))
    return TRUE;
  if (!reason)
    g_set_error (&reason, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "the policy's function failed at step %" G_GINT64_FORMAT, step);
  g_propagate_error (error, reason);
  return FALSE;
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  ReelCallbackPolicy *self = (ReelCallbackPolicy *) policy;

  g_return_val_if_fail (begin == 0 && end == self->n_lanes, FALSE);

  return call (self, step, self->n_lanes, io, error);
}

/* call_share: the function, for the lanes of a worker. */
static gboolean
call_share (gpointer data, gint64 step, gint64 n_lanes, const ReelPolicyIO *io, GError **error)
{
  ReelCallbackPolicy *self = data;
  gboolean acted;

  reel_turns_take (&self->turns);
  acted = call (self, step, n_lanes, io, error);
  reel_turns_pass (&self->turns);
  return acted;
}

static ReelPolicy *
share (ReelPolicy *policy, gint64 first, G_GNUC_UNUSED GError **error)
{
  ReelCallbackPolicy *self = REEL_CALLBACK_POLICY (policy);
  const ReelCallbackShareOptions options = {
    .whole = policy,
    .outputs = self->outputs,
    .state = self->state,
    .first = first,
    .call = call_share,
  };

  return reel_callback_share_new (&options);
}

static void
finalize (GObject *object)
{
  ReelCallbackPolicy *self = REEL_CALLBACK_POLICY (object);

  if (self->destroy)
    self->destroy (self->user_data);
  g_clear_pointer (&self->outputs, reel_spec_unref);
  g_clear_pointer (&self->state, reel_spec_unref);
  G_OBJECT_CLASS (reel_callback_policy_parent_class)->finalize (object);
}

static void
reel_callback_policy_class_init (ReelCallbackPolicyClass *klass)
{
  REEL_POLICY_CLASS (klass)->bind = bind;
  REEL_POLICY_CLASS (klass)->act = act;
  REEL_POLICY_CLASS (klass)->share = share;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_callback_policy_init (ReelCallbackPolicy *self)
{
}

ReelPolicy *
reel_policy_new_callback_with_outputs (const ReelSpec *outputs, const ReelSpec *state,
                                       ReelPolicyFunc function, gpointer user_data,
                                       GDestroyNotify destroy)
{
  ReelCallbackPolicy *self;

  g_return_val_if_fail (function, NULL);
  g_return_val_if_fail (!outputs || reel_spec_is_composite (outputs), NULL);
  g_return_val_if_fail (!state || reel_spec_is_composite (state), NULL);

  self = g_initable_new (reel_callback_policy_get_type (), NULL, NULL, "id", "callback", NULL);
  self->outputs = outputs ? reel_spec_ref (outputs) : NULL;
  self->state = state ? reel_spec_ref (state) : NULL;
  self->function = function;
  self->user_data = user_data;
  self->destroy = destroy;
  return REEL_POLICY (self);
}

ReelPolicy *
reel_policy_new_callback (ReelPolicyFunc function, gpointer user_data, GDestroyNotify destroy)
{
  return reel_policy_new_callback_with_outputs (NULL, NULL, function, user_data, destroy);
}
