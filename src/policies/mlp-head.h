/* The outputs of a network as actions: chosen, drawn, and with their log-probability. Private. */
#pragma once

#include "../core/math/exp-kernel.h"
#include "policy.h"

G_BEGIN_DECLS

/**
 * ReelMlpHeadKind:
 * @REEL_MLP_DETERMINISTIC: the outputs are the action, or of classes the greatest is
 * @REEL_MLP_NORMAL: means, then scales, of normal distributions
 * @REEL_MLP_TANH_NORMAL: likewise; tanh of what is drawn, stretched to the bounds
 * @REEL_MLP_CATEGORICAL: logits of classes
 *
 * The meaning of outputs.
 */
typedef enum
{
  REEL_MLP_DETERMINISTIC,
  REEL_MLP_NORMAL,
  REEL_MLP_TANH_NORMAL,
  REEL_MLP_CATEGORICAL,
} ReelMlpHeadKind;

/**
 * ReelMlpScale:
 * @REEL_MLP_SOFTPLUS: log (1 + e^(x + 0.5413…)), 1 at 0: TorchRL's `biased_softplus_1.0`
 * @REEL_MLP_EXP: e^x: the output is a logarithm
 *
 * How outputs become scales, which are at least 1e-4.
 */
typedef enum
{
  REEL_MLP_SOFTPLUS,
  REEL_MLP_EXP,
} ReelMlpScale;

/**
 * ReelMlpSchedule:
 * @begin: value at step 0
 * @end: value from step @steps on, linear between
 * @steps: 0 for @begin, always
 */
typedef struct
{
  double begin, end;
  gint64 steps;
} ReelMlpSchedule;

/**
 * ReelMlpHeadOptions:
 * @kind: what outputs are
 * @scale: of normal distributions
 * @explore: whether actions are drawn; else the likeliest is taken
 * @seed: which streams
 * @epsilon: the chance of a random class in the place of the greatest output
 * @sigma: the scale of noise on deterministic actions
 * @ou: whether the noise is an Ornstein-Uhlenbeck process, the state of the policy, in place of
 *   independent normal draws
 * @theta: its pull towards 0
 * @dt: its time step
 */
typedef struct
{
  ReelMlpHeadKind kind;
  ReelMlpScale scale;
  gboolean explore;
  guint64 seed;
  ReelMlpSchedule epsilon, sigma;
  gboolean ou;
  double theta, dt;
} ReelMlpHeadOptions;

/**
 * ReelMlpHead:
 *
 * A head for one leaf of actions. Immutable: any thread may use it. Its draws for a lane
 * depend on (seed, step, lane) alone.
 */
typedef struct _ReelMlpHead ReelMlpHead;

/**
 * reel_mlp_head_new:
 * @options: how
 * @observation: composite of one lane's observation, where a mask of the action may be
 * @action: composite of one lane's action, of one leaf
 * @n_out: outputs of the network
 * @error: NOT_IMPLEMENTED for an action that it cannot write; VALUE for another number of outputs
 *   and for options that do not fit the head
 *
 * Returns: (transfer full): the head
 */
ReelMlpHead *reel_mlp_head_new (const ReelMlpHeadOptions *options, const ReelSpec *observation,
                                const ReelSpec *action, gint64 n_out, GError **error);

/**
 * reel_mlp_head_free:
 * @self: (transfer full) (nullable): a head
 */
void reel_mlp_head_free (ReelMlpHead *self);

/**
 * reel_mlp_head_make_outputs:
 * @self: a head
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a composite of what it writes beside the action: `action_log_prob`,
 *   float32 `[]`, of a head that draws
 */
ReelSpec *reel_mlp_head_make_outputs (const ReelMlpHead *self, GError **error);

/**
 * reel_mlp_head_make_state:
 * @self: a head
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a composite of its state: `ou_noise`, where it has such noise
 */
ReelSpec *reel_mlp_head_make_state (const ReelMlpHead *self, GError **error);

/**
 * reel_mlp_head_place_state:
 * @self: a head
 * @state: composite of the state of the policy, that of the head included
 *
 * Says where reel_mlp_head_act() finds the state of the head.
 */
void reel_mlp_head_place_state (ReelMlpHead *self, const ReelSpec *state);

/**
 * reel_mlp_head_act:
 * @self: a head
 * @step: as in reel_policy_act()
 * @first: the first lane
 * @n: lanes
 * @outputs: (array): their outputs, @stride floats apart
 * @stride: floats
 * @numbers: (array): memory for as many doubles as there are outputs
 * @io: as in reel_policy_act()
 * @error: VALUE naming a lane whose outputs are not finite, or that has no allowed action;
 *   NOT_IMPLEMENTED for an exploration that the head has no action for
 *
 * Returns: whether actions were written
 */
gboolean reel_mlp_head_act (const ReelMlpHead *self, gint64 step, gint64 first, gint64 n,
                            const float *outputs, gsize stride, double *numbers,
                            const ReelPolicyIO *io, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelMlpHead, reel_mlp_head_free)

G_END_DECLS
