/* Policies: actions from observations. */
#pragma once

#include "../core/object/object.h"
#include "../core/tensordict/tensordict.h"
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
 * ReelExploration:
 * @REEL_EXPLORATION_RANDOM: as the policy was made: actions are drawn, noise is added
 * @REEL_EXPLORATION_MODE: the likeliest action
 * @REEL_EXPLORATION_MEAN: the mean of what would be drawn
 * @REEL_EXPLORATION_DETERMINISTIC: the action that the policy calls its best, without a draw
 *
 * How a policy chooses among actions: TorchRL's `ExplorationType`. A policy that draws nothing, or
 * that is nothing but draws, such as `random`, acts the same in each.
 */
typedef enum
{
  REEL_EXPLORATION_RANDOM,
  REEL_EXPLORATION_MODE,
  REEL_EXPLORATION_MEAN,
  REEL_EXPLORATION_DETERMINISTIC,
} ReelExploration;

/**
 * ReelPolicyIO:
 * @observation: (array): one pointer per leaf of the observation spec, in reel_spec_list_leaves()
 *   order, each to lane 0 of this step; lane l of a leaf lies l times its row bytes further
 * @state: (array): likewise, one per leaf of reel_policy_get_state_spec(): the state before this
 *   step, zeros where an episode begins
 * @action: (array): likewise, one per leaf of the action spec, to be written
 * @output: (array): likewise, one per leaf of reel_policy_get_output_spec(), to be written
 * @next_state: (array): likewise, one per leaf of the state spec: the state after this step, to be
 *   written
 * @exploration: how to choose among actions
 *
 * Columns that a policy reads and writes. @state, @output and @next_state may be %NULL where the
 * policy declares no such leaf.
 */
typedef struct
{
  const guint8 *const *observation;
  const guint8 *const *state;
  guint8 *const *action;
  guint8 *const *output;
  guint8 *const *next_state;
  ReelExploration exploration;
} ReelPolicyIO;

/**
 * ReelPolicyClass:
 * @lanewise: whether the action of a lane depends on its own observation, state and step alone, so
 *   that act may be called for disjoint ranges of lanes from several threads at once, and for
 *   several steps of one range before the others
 * @never_nan: whether act writes no NaN, whatever it reads; else reel_policy_act() looks for it
 * @bind: prepares for specs, replacing earlier ones, and declares what it writes beside the action
 *   by reel_policy_declare(). Default: accepts any, declares nothing
 * @act: required. As reel_policy_act()
 * @update_weights: for a policy with weights. As reel_policy_update_weights(); @weights are of
 *   @source, %NULL to read those again that it was made of
 * @take_weights: likewise. As reel_policy_take_weights(), setting @version
 * @see_weights: likewise. Returns the weights that it acts with: @n_bytes, in an order of its own,
 *   which a policy of the same text shares
 * @put_weights: likewise. Has it act with such weights, of which there are as many
 * @share: optional, for classes that are not lanewise, and for those with weights. Returns a policy
 *   that acts as @self does, for the lanes from @first on, as many as it is bound to; its act takes
 *   their numbers among all lanes, and it takes new weights for itself. It keeps a reference to
 *   @self, and may act in one thread while another share does in another
 *
 * One way of acting.
 */
struct _ReelPolicyClass
{
  ReelObjectClass parent_class;

  gboolean lanewise;
  gboolean never_nan;
  gboolean (*bind) (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action,
                    gint64 n_lanes, GError **error);
  gboolean (*act) (ReelPolicy *self, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
                   GError **error);
  gboolean (*update_weights) (ReelPolicy *self, const ReelTensordict *weights, const char *source,
                              GError **error);
  gboolean (*take_weights) (ReelPolicy *self, gint64 *version, GError **error);
  gconstpointer (*see_weights) (ReelPolicy *self, gsize *n_bytes);
  void (*put_weights) (ReelPolicy *self, gconstpointer bytes);
  ReelPolicy *(*share) (ReelPolicy *self, gint64 first, GError **error);
};

/**
 * reel_policy_bind:
 * @self: a policy
 * @observation: composite of one lane's observation
 * @action: composite of one lane's action
 * @n_lanes: lanes, at least 1
 * @error: VALUE for specs that the policy cannot serve, and for a key that it declares and that
 *   belongs to the env or the collector
 *
 * Says what the policy acts on; once before the first reel_policy_act().
 *
 * Returns: whether the policy can
 */
REEL_API
gboolean reel_policy_bind (ReelPolicy *self, const ReelSpec *observation, const ReelSpec *action,
                           gint64 n_lanes, GError **error);

/**
 * reel_policy_get_output_spec:
 * @self: a policy that is bound
 *
 * Returns: (transfer none): a composite of what it writes beside each action for one lane, such as
 *   `action_log_prob`; empty for most. The keys are at the root of a step
 */
REEL_API
const ReelSpec *reel_policy_get_output_spec (ReelPolicy *self);

/**
 * reel_policy_get_state_spec:
 * @self: a policy that is bound
 *
 * Returns: (transfer none): a composite of what it hands from step to step for one lane, such as
 *   the hidden state of a recurrent network; empty for most. Each key is at the root of a step, as
 *   the policy read it, and under `next`, as it wrote it: `next/KEY` of a step is KEY of the next
 *   step, or zeros where an episode begins
 */
REEL_API
const ReelSpec *reel_policy_get_state_spec (ReelPolicy *self);

/**
 * reel_policy_declare:
 * @self: a policy, in its class's bind
 * @outputs: (transfer full) (nullable): composite of one lane, for reel_policy_get_output_spec();
 *   %NULL for nothing
 * @state: (transfer full) (nullable): likewise, for reel_policy_get_state_spec()
 *
 * For classes of policies. Says what it writes beside the action: tensors of a fixed shape, under
 * keys that are nobody else's; reel_policy_bind() checks them.
 */
REEL_API
void reel_policy_declare (ReelPolicy *self, ReelSpec *outputs, ReelSpec *state);

/**
 * reel_policy_act:
 * @self: a policy that is bound
 * @step: steps of these lanes since collecting began; it does not start anew with an episode
 * @begin: first lane
 * @end: one past the last; [0, n_lanes) unless reel_policy_is_lanewise()
 * @io: columns of the step; the lanes of [begin, end) are written
 * @error: VALUE naming key and lane of a NaN that it wrote; whatever the policy says
 *
 * Acts once in each of the lanes.
 *
 * Returns: whether the actions, and whatever the policy declared, were written
 */
REEL_API
gboolean reel_policy_act (ReelPolicy *self, gint64 step, gint64 begin, gint64 end,
                          const ReelPolicyIO *io, GError **error);

/**
 * reel_policy_is_lanewise:
 * @self: a policy
 *
 * Returns: whether ranges of lanes may be acted for apart, see #ReelPolicyClass
 */
REEL_API
gboolean reel_policy_is_lanewise (ReelPolicy *self);

/**
 * reel_policy_update_weights:
 * @self: a policy
 * @weights: (nullable): tensors of the names and shapes that it was made of; others beside them are
 *   ignored. %NULL to read its file again
 * @error: RUNTIME for a policy without weights, or one that follows a directory; KEY, TYPE or VALUE
 *   naming a weight that is missing or does not fit
 *
 * Gives the policy weights, with which it acts from the next reel_policy_take_weights() on: a
 * collector calls that when it begins a batch, so that all rows of a batch are of one version, and
 * reel_policy_bind() does. Any thread, one at a time, also while the policy acts; processes that
 * were forked from this one get them too, and so do the ranks of a collector. Nobody waits for a
 * lock. TorchRL's `update_policy_weights_()`.
 *
 * Returns: whether they fit; if not, nothing changes
 */
REEL_API
gboolean reel_policy_update_weights (ReelPolicy *self, const ReelTensordict *weights,
                                     GError **error);

/**
 * reel_policy_load_weights:
 * @self: a policy
 * @path: a `.safetensors` file or a saved tensordict
 * @error: as reel_policy_update_weights(); as the readers
 *
 * As reel_policy_update_weights(), with the weights in a file.
 *
 * Returns: whether they fit
 */
REEL_API
gboolean reel_policy_load_weights (ReelPolicy *self, const char *path, GError **error);

/**
 * reel_policy_take_weights:
 * @self: a policy
 * @error: as the class says
 *
 * Has the policy act with its newest weights from now on. The thread of the policy, while nobody
 * calls reel_policy_act().
 *
 * Returns: whether it goes on; of a policy without weights TRUE
 */
REEL_API
gboolean reel_policy_take_weights (ReelPolicy *self, GError **error);

/**
 * reel_policy_get_version:
 * @self: a policy
 *
 * Returns: the number of the weights that it acts with: the updates before them. 0 for a policy
 *   without weights
 */
REEL_API
gint64 reel_policy_get_version (ReelPolicy *self);

/**
 * reel_policy_share_weights:
 * @directory: a directory, of shared memory (`/dev/shm/…`) or of files
 * @weights: tensors, without one named `version`
 * @error: VALUE for tensors of other types or shapes than those that are there, and for a directory
 *   without `version`; as reel_tensordict_save() and reel_tensordict_load()
 *
 * Writes weights for policies in other processes: a policy `mlp:weights=DIRECTORY` follows them and
 * takes those that are newest and whole when a collector begins a batch. The directory becomes a
 * saved tensordict of @weights and of `version`, int64 `[]`, which is 0 at first. Later calls write
 * into the mapped tensors: they set `version` to the next odd number before and to the next even
 * one after, and a learner of another language does the same. One writer at a time.
 *
 * Returns: whether they were written
 */
REEL_API
gboolean reel_policy_share_weights (const char *directory, const ReelTensordict *weights,
                                    GError **error);

/**
 * ReelPolicyFunc:
 * @step: as in reel_policy_act()
 * @n_lanes: lanes, all of which act
 * @io: as in reel_policy_act()
 * @user_data: what reel_policy_new_callback() was given
 * @error: why it failed
 *
 * A policy in one function. Called by one thread at a time, not always the same. Where several
 * workers collect, each calls it for its own lanes, the first of which it takes for lane 0: worker
 * threads one after the other, worker processes each in its own copy of the memory of the program
 * as it was when the first batch was begun.
 *
 * Returns: whether the actions were written; FALSE ends the collecting
 */
typedef gboolean (*ReelPolicyFunc) (gint64 step, gint64 n_lanes, const ReelPolicyIO *io,
                                    gpointer user_data, GError **error);

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

/**
 * reel_policy_new_callback_with_outputs:
 * @outputs: (nullable): composite of what @function writes beside the actions, as
 *   reel_policy_get_output_spec()
 * @state: (nullable): composite of what it hands from step to step, as
 *   reel_policy_get_state_spec()
 * @function: (scope notified): what acts
 * @user_data: for @function
 * @destroy: (nullable): called with @user_data when the policy is freed
 *
 * As reel_policy_new_callback(), for a function that writes more than actions.
 *
 * Returns: (transfer full): a policy
 */
REEL_API
ReelPolicy *reel_policy_new_callback_with_outputs (const ReelSpec *outputs, const ReelSpec *state,
                                                   ReelPolicyFunc function, gpointer user_data,
                                                   GDestroyNotify destroy);

G_END_DECLS
