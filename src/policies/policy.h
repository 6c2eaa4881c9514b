/* Policies: actions from observations. */
#pragma once

#include "../core/object/object.h"
#include "../specs/spec.h"

G_BEGIN_DECLS

/**
 * ReelPolicy:
 *
 * A map from observations to actions, for a batch of lanes at once. It knows specs and bytes, not
 * environments: a collector binds it to the specs of its env and calls it once a step. One thread
 * at a time uses a policy, but for what #ReelPolicyClass says of lanewise ones.
 */
#define REEL_TYPE_POLICY (reel_policy_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelPolicy, reel_policy, REEL, POLICY, ReelObject)

/**
 * ReelPolicyClass:
 * @lanewise: whether the action of a lane depends on its own observation and step alone, so that
 *   act may be called for disjoint ranges of lanes from several threads at once, and for several
 *   steps of one range before the others
 * @bind: prepares for specs, replacing earlier ones. Default: accepts any
 * @act: required. As reel_policy_act()
 *
 * One way of acting.
 */
struct _ReelPolicyClass
{
  ReelObjectClass parent_class;

  gboolean lanewise;
  gboolean (*bind) (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action,
                    gint64 n_lanes, GError **error);
  gboolean (*act) (ReelPolicy *self, gint64 step, gint64 begin, gint64 end,
                   const guint8 *const *observation, guint8 *const *action, GError **error);
};

/**
 * reel_policy_bind:
 * @self: a policy
 * @observation: composite of one lane's observation
 * @action: composite of one lane's action
 * @n_lanes: lanes, at least 1
 * @error: VALUE for specs that the policy cannot serve
 *
 * Says what the policy acts on; once before the first reel_policy_act().
 *
 * Returns: whether the policy can
 */
REEL_API
gboolean reel_policy_bind (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action,
                           gint64 n_lanes, GError **error);

/**
 * reel_policy_act:
 * @self: a policy that is bound
 * @step: steps of these lanes since collecting began; it does not start anew with an episode
 * @begin: first lane
 * @end: one past the last; [0, n_lanes) unless reel_policy_is_lanewise()
 * @observation: (array): one pointer per leaf of the observation spec, in reel_spec_list_leaves()
 *   order, each to lane 0 of this step; lane l of a leaf lies l times its row bytes further
 * @action: (array): likewise, one per leaf of the action spec; the lanes of [begin, end) are
 *   written
 * @error: whatever the policy says
 *
 * Acts once in each of the lanes.
 *
 * Returns: whether the actions were written
 */
REEL_API
gboolean reel_policy_act (ReelPolicy *self, gint64 step, gint64 begin, gint64 end,
                          const guint8 *const *observation, guint8 *const *action, GError **error);

/**
 * reel_policy_is_lanewise:
 * @self: a policy
 *
 * Returns: whether ranges of lanes may be acted for apart, see #ReelPolicyClass
 */
REEL_API
gboolean reel_policy_is_lanewise (ReelPolicy *self);

/**
 * ReelPolicyFunc:
 * @step: as in reel_policy_act()
 * @n_lanes: lanes, all of which act
 * @observation: (array): as in reel_policy_act()
 * @action: (array): as in reel_policy_act()
 * @user_data: what reel_policy_new_callback() was given
 * @error: why it failed
 *
 * A policy in one function. Called by one thread at a time, not always the same.
 *
 * Returns: whether the actions were written; FALSE ends the collecting
 */
typedef gboolean (*ReelPolicyFunc) (gint64 step, gint64 n_lanes, const guint8 *const *observation,
                                    guint8 *const *action, gpointer user_data, GError **error);

/**
 * reel_policy_new_callback:
 * @function: (scope notified): what acts
 * @user_data: for @function
 * @destroy: (nullable): called with @user_data when the policy is freed
 *
 * Returns: (transfer full): a policy of id `callback`, which text cannot name; not lanewise
 */
REEL_API
ReelPolicy *reel_policy_new_callback (ReelPolicyFunc function, gpointer user_data,
                                      GDestroyNotify destroy);

G_END_DECLS
