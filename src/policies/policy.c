#include "policy.h"

#include "policy-weights.h"
#include "weights-file.h"
#include "policy-leaves.h"
#include "policy-share.h"

typedef struct
{
  ReelSpec *outputs;
  ReelSpec *state;
  /* Where NaN may be, NULL unless it is looked for. */
  GArray *float_actions;
  GArray *float_outputs;
  GArray *float_state;
  gint64 version; /* of the weights that act */
} ReelPolicyPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelPolicy, reel_policy, REEL_TYPE_OBJECT)

static ReelPolicyPrivate *
get_private (ReelPolicy *self)
{
  return reel_policy_get_instance_private (self);
}

static gboolean
bind (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  return TRUE;
}

static void
forget_floats (ReelPolicyPrivate *priv)
{
  g_clear_pointer (&priv->float_actions, g_array_unref);
  g_clear_pointer (&priv->float_outputs, g_array_unref);
  g_clear_pointer (&priv->float_state, g_array_unref);
}

static void
finalize (GObject *object)
{
  ReelPolicyPrivate *priv = get_private (REEL_POLICY (object));

  forget_floats (priv);
  reel_spec_unref (priv->outputs);
  reel_spec_unref (priv->state);
  G_OBJECT_CLASS (reel_policy_parent_class)->finalize (object);
}

static void
reel_policy_class_init (ReelPolicyClass *klass)
{
  REEL_OBJECT_CLASS (klass)->kind = "policy";
  G_OBJECT_CLASS (klass)->finalize = finalize;
  klass->bind = bind;
}

static void
reel_policy_init (ReelPolicy *self)
{
  reel_policy_declare (self, NULL, NULL);
}

/* ---- what it writes ---- */

static void
take (ReelSpec **place, ReelSpec *spec)
{
  g_clear_pointer (place, reel_spec_unref);
  *place = spec ? spec : reel_composite_spec_new (0, NULL, NULL, NULL, 0, NULL);
}

void
reel_policy_declare (ReelPolicy *self, ReelSpec *outputs, ReelSpec *state)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (!outputs || reel_spec_is_composite (outputs));
  g_return_if_fail (!state || reel_spec_is_composite (state));

  take (&get_private (self)->outputs, outputs);
  take (&get_private (self)->state, state);
}

const ReelSpec *
reel_policy_get_output_spec (ReelPolicy *self)
{
  g_return_val_if_fail (REEL_IS_POLICY (self), NULL);

  return get_private (self)->outputs;
}

const ReelSpec *
reel_policy_get_state_spec (ReelPolicy *self)
{
  g_return_val_if_fail (REEL_IS_POLICY (self), NULL);

  return get_private (self)->state;
}

static gboolean
check_declared (const ReelPolicyPrivate *priv, const ReelSpec *observation, const ReelSpec *action,
                GError **error)
{
  const ReelSpec *const others[] = { observation, action, priv->outputs };

  return reel_policy_check_declared (priv->outputs, others, 2, error)
         && reel_policy_check_declared (priv->state, others, 3, error);
}

gboolean
reel_policy_bind (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action,
                  gint64 n_lanes, GError **error)
{
  g_return_val_if_fail (REEL_IS_POLICY (self), FALSE);
  g_return_val_if_fail (observation && reel_spec_is_composite (observation), FALSE);
  g_return_val_if_fail (action && reel_spec_is_composite (action), FALSE);
  g_return_val_if_fail (n_lanes > 0, FALSE);

  ReelPolicyPrivate *priv = get_private (self);

  reel_policy_declare (self, NULL, NULL);
  forget_floats (priv);
  if (!REEL_POLICY_GET_CLASS (self)->bind (self, observation, action, n_lanes, error)
      || !check_declared (priv, observation, action, error)
      || !reel_policy_take_weights (self, error))
    return FALSE;
  if (REEL_POLICY_GET_CLASS (self)->never_nan)
    return TRUE;
  priv->float_actions = reel_float_leaves_new (action, "");
  priv->float_outputs = reel_float_leaves_new (priv->outputs, "");
  priv->float_state = reel_float_leaves_new (priv->state, "next/");
  return TRUE;
}

/* ---- acting ---- */

static gboolean
check_floats (const ReelPolicyPrivate *priv, gint64 begin, gint64 end, const ReelPolicyIO *io,
              GError **error)
{
  return reel_float_leaves_check (priv->float_actions, io->action, begin, end, error)
         && reel_float_leaves_check (priv->float_outputs, io->output, begin, end, error)
         && reel_float_leaves_check (priv->float_state, io->next_state, begin, end, error);
}

gboolean
reel_policy_act (ReelPolicy *self, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
                 GError **error)
{
  /* Once a step, where a look at the type would cost as much as the step. */
  g_return_val_if_fail (self && io, FALSE);

  const ReelPolicyPrivate *priv = get_private (self);

  return REEL_POLICY_GET_CLASS (self)->act (self, step, begin, end, io, error)
         && (priv->float_actions == NULL || check_floats (priv, begin, end, io, error));
}

gboolean
reel_policy_is_lanewise (ReelPolicy *self)
{
  g_return_val_if_fail (REEL_IS_POLICY (self), FALSE);

  return REEL_POLICY_GET_CLASS (self)->lanewise;
}

/* ---- weights ---- */

static gboolean
update (ReelPolicy *self, const ReelTensordict *weights, const char *source, GError **error)
{
  const ReelPolicyClass *klass = REEL_POLICY_GET_CLASS (self);

  if (klass->update_weights)
    return klass->update_weights (self, weights, source, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "the %s policy has no weights to update",
               reel_object_get_id (REEL_OBJECT (self)));
  return FALSE;
}

gboolean
reel_policy_update_weights (ReelPolicy *self, const ReelTensordict *weights, GError **error)
{
  g_return_val_if_fail (REEL_IS_POLICY (self), FALSE);

  return update (self, weights, "the new weights", error);
}

gboolean
reel_policy_load_weights (ReelPolicy *self, const char *path, GError **error)
{
  g_return_val_if_fail (REEL_IS_POLICY (self) && path, FALSE);

  g_autoptr (ReelTensordict) weights = reel_weights_file_load (path, error);

  return weights && update (self, weights, path, error);
}

gboolean
reel_policy_take_weights (ReelPolicy *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_POLICY (self), FALSE);

  const ReelPolicyClass *klass = REEL_POLICY_GET_CLASS (self);

  return klass->take_weights == NULL
         || klass->take_weights (self, &get_private (self)->version, error);
}

gint64
reel_policy_get_version (ReelPolicy *self)
{
  g_return_val_if_fail (self, 0);

  return get_private (self)->version;
}

gboolean
reel_policy_see_weights (ReelPolicy *self, ReelPolicyWeights *weights)
{
  const ReelPolicyClass *klass = REEL_POLICY_GET_CLASS (self);

  if (klass->see_weights == NULL)
    return FALSE;
  weights->bytes = klass->see_weights (self, &weights->n_bytes);
  weights->version = get_private (self)->version;
  return weights->bytes != NULL;
}

gboolean
reel_policy_put_weights (ReelPolicy *self, const ReelPolicyWeights *weights, GError **error)
{
  ReelPolicyWeights own = { NULL, 0, 0 };

  if (reel_policy_see_weights (self, &own) && own.n_bytes == weights->n_bytes)
    {
      REEL_POLICY_GET_CLASS (self)->put_weights (self, weights->bytes);
      get_private (self)->version = weights->version;
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the %s policy has %" G_GSIZE_FORMAT
               " bytes of weights, and was given %" G_GSIZE_FORMAT,
               reel_object_get_id (REEL_OBJECT (self)), own.n_bytes, weights->n_bytes);
  return FALSE;
}

ReelPolicy *
reel_policy_new_share (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action,
                       gint64 first, gint64 n_lanes, GError **error)
{
  ReelPolicyClass *klass = REEL_POLICY_GET_CLASS (self);

  if (klass->share)
    {
      g_autoptr (ReelPolicy) share = klass->share (self, first, error);

      return share && reel_policy_bind (share, observation, action, n_lanes, error)
                 ? g_steal_pointer (&share)
                 : NULL;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the policy \"%s\" acts for all lanes at once, so one worker must have them: set "
               "workers=1, or collect by sync",
               reel_object_get_id (REEL_OBJECT (self)));
  return NULL;
}
