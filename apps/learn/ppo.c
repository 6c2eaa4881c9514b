/* PPO: a policy of classes, or of numbers with normal noise, learned from whole rollouts by a
 * clipped surrogate, each row once an epoch. Schulman et al. (2017). */
#include "learner.h"
#include "losses.h"

#include <math.h>
#include <string.h>

enum
{
  ANNEAL = N_COMMON_SETTINGS,
  GAMMA,
  LAMBDA,
  STEPS,
  EPOCHS,
  CLIP,
  ENTROPY_WEIGHT,
  VALUE_WEIGHT,
  MAX_NORM,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 256, 1, 1 << 20, "rows of a batch" },
  { "anneal", SETTING_SWITCH, 1, 0, 1, "let the step of Adam end at 0, in a line" },
  { "gamma", SETTING_REAL, 0.98, 0, 1, "discount of each further reward" },
  { "gae-lambda", SETTING_REAL, 0.8, 0, 1, "weight of each further step of an advantage" },
  { "rollout-steps", SETTING_INTEGER, 32, 1, 1e6, "steps of each environment in a rollout" },
  { "epochs", SETTING_INTEGER, 20, 1, 1e4, "passes over a rollout" },
  { "clip", SETTING_REAL, 0.2, 0, 10, "greatest useful change of a probability's ratio" },
  { "entropy-weight", SETTING_REAL, 0, 0, 1e3, "weight of the entropy" },
  { "value-weight", SETTING_REAL, 0.5, 0, 1e3, "weight of the squared error of values" },
  { "max-grad-norm", SETTING_REAL, 0.5, 0, 1e12, "greatest norm of a gradient" },
  { NULL, 0, 0, 0, 0, NULL },
};

enum
{
  LOSS,
  POLICY_LOSS,
  VALUE_LOSS,
  ENTROPY_LOSS,
  KL,
  CLIP_FRACTION,
  EXPLAINED,
};

typedef struct
{
  Learner base;
  Network *actor, *critic;
  Network *scales; /* of a box: no layers but a bias, the logarithms; NULL for classes */
  Trace *actor_trace, *critic_trace;
  Adam *actor_adam, *critic_adam, *scales_adam;
  ReelReplayBuffer *rows; /* of the rollout */
  gint64 n;               /* rows of a whole rollout */
  ReelTensor *observation, *taken, *log_p, *value, *advantage, *target;
  ReelTensor *masks; /* of classes that are allowed, or NULL */
  float *next_value, *reward;
  guint8 *terminated, *done;
} Ppo;

#define FLOATS(tensor) ((float *) (gpointer) (tensor)->data)

static gint64
count_frames (const Learner *self)
{
  return (gint64) self->values[STEPS] * self->n_lanes;
}

/* The numbers that the actor says of an observation. */
static gint
count_outputs (const Ppo *self)
{
  const Spaces *spaces = &self->base.spaces;

  return spaces->n_classes > 0 ? (gint) spaces->n_classes : spaces->n_actions;
}

static gboolean
make_rows (Ppo *self, GError **error)
{
  Learner *base = &self->base;
  const gint64 shape[] = { self->n, base->spaces.n_inputs };
  const gint64 taken_shape[] = { self->n, spaces_count_actions (&base->spaces) };
  g_autofree char *storage = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, self->n);
  g_autofree char *sampler =
      g_strdup_printf ("without-replacement:seed=%" G_GUINT64_FORMAT, base->seed);
  ReelTensor **const floats[] = { &self->log_p, &self->value, &self->advantage, &self->target };

  self->rows =
      reel_replay_buffer_new_from_text (storage, sampler, (gint64) base->values[BATCH_SIZE], error);
  self->observation = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, error);
  self->taken =
      self->observation ? reel_tensor_new (REEL_DTYPE_FLOAT32, 2, taken_shape, error) : NULL;
  for (guint i = 0; self->taken && i < G_N_ELEMENTS (floats); i++)
    if (!(*floats[i] = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, shape, error)))
      return FALSE;
  if (base->spaces.mask)
    self->masks =
        reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ self->n, base->spaces.n_classes }, error);
  return self->rows && self->taken && (!base->spaces.mask || self->masks);
}

static gboolean
begin (Learner *learner, GError **error)
{
  Ppo *self = (Ppo *) learner;
  gint n_inputs = learner->spaces.n_inputs, k = count_outputs (self);
  gint most;

  self->n = count_frames (learner);
  most = (gint) MAX (self->n, (gint64) learner->values[BATCH_SIZE]);
  self->actor = learner_make_network (learner, n_inputs, k, (Gains){ G_SQRT2, 0.01 });
  self->critic = learner_make_network (learner, n_inputs, 1, (Gains){ G_SQRT2, 1 });
  self->actor_trace = trace_new (self->actor, most);
  self->critic_trace = trace_new (self->critic, most);
  self->actor_adam = adam_new (self->actor->n_parameters, 1e-5);
  self->critic_adam = adam_new (self->critic->n_parameters, 1e-5);
  if (learner->spaces.n_classes == 0)
    {
      self->scales =
          network_new ((gint[]){ 0, k }, 1, learner->activation, (Gains){ 0, 0 }, &learner->random);
      self->scales_adam = adam_new (self->scales->n_parameters, 1e-5);
    }
  self->next_value = g_new (float, self->n);
  self->reward = g_new (float, self->n);
  self->terminated = g_new (guint8, self->n);
  self->done = g_new (guint8, self->n);
  return make_rows (self, error);
}

static void
clear (Learner *learner)
{
  Ppo *self = (Ppo *) learner;
  ReelTensor **const tensors[] = { &self->observation, &self->taken,     &self->log_p,
                                   &self->value,       &self->advantage, &self->target };

  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    g_clear_pointer (tensors[i], reel_tensor_unref);
  g_clear_pointer (&self->masks, reel_tensor_unref);
  g_clear_object (&self->rows);
  network_free (self->actor);
  network_free (self->critic);
  network_free (self->scales);
  trace_free (self->actor_trace);
  trace_free (self->critic_trace);
  adam_free (self->actor_adam);
  adam_free (self->critic_adam);
  adam_free (self->scales_adam);
  g_free (self->next_value);
  g_free (self->reward);
  g_free (self->terminated);
  g_free (self->done);
}

static void
list_state (Learner *learner, StateList *list)
{
  Ppo *self = (Ppo *) learner;

  state_list_add_network (list, "actor", self->actor);
  state_list_add_network (list, "critic", self->critic);
  state_list_add_adam (list, "actor-adam", self->actor_adam);
  state_list_add_adam (list, "critic-adam", self->critic_adam);
  if (self->scales)
    {
      state_list_add_network (list, "scales", self->scales);
      state_list_add_adam (list, "scales-adam", self->scales_adam);
    }
  state_list_add_buffer (list, "rows", self->rows);
}

/* ---- the rollout ---- */

static gboolean
read_rollout (Ppo *self, ReelTensordict *rollout, gint64 n, GError **error)
{
  const Spaces *spaces = &self->base.spaces;

  return spaces_read_observations (spaces, rollout, "next/", n,
                                   trace_get_inputs (self->critic_trace), error)
         && spaces_read_observations (spaces, rollout, "", n, FLOATS (self->observation), error)
         && (!self->masks || spaces_read_masks (spaces, rollout, "", n, self->masks->data, error))
         && spaces_read_actions (spaces, rollout, n, FLOATS (self->taken), error)
         && spaces_read (rollout, "next/reward", n, 1, self->reward, error)
         && spaces_read_flags (rollout, "next/terminated", n, 1, self->terminated, error)
         && spaces_read_flags (rollout, "next/done", n, 1, self->done, error);
}

static void
set_inputs (Trace *trace, const float *observations, gint64 n, gint n_inputs)
{
  memcpy (trace_get_inputs (trace), observations, (gsize) (n * n_inputs) * sizeof (float));
}

/* log p of the actions that were taken, from the outputs of the actor. */
static void
judge_actions (const Ppo *self, const float *outputs, gint64 n)
{
  gint k = count_outputs (self);
  const float *taken = FLOATS (self->taken);
  float *to = FLOATS (self->log_p);
  g_autofree float *log_p = NULL;

  if (self->scales)
    {
      normal_log_p (outputs, self->scales->parameters, taken, (gint) n, k, to);
      return;
    }
  log_p = g_new (float, n *k);
  log_softmax (outputs, (gint) n, k, log_p);
  for (gint64 i = 0; i < n; i++)
    to[i] = log_p[i * k + (gint64) taken[i]];
}

/* Values of all rows and of those after them, log p of what was done, advantages, targets. */
static void
judge_rollout (Ppo *self, gint64 n)
{
  const Learner *base = &self->base;
  const ValuedSteps steps = { self->reward, FLOATS (self->value), self->next_value,
                              self->terminated, self->done };

  memcpy (self->next_value, network_run (self->critic, self->critic_trace, (gint) n),
          (gsize) n * sizeof (float));
  set_inputs (self->critic_trace, FLOATS (self->observation), n, base->spaces.n_inputs);
  set_inputs (self->actor_trace, FLOATS (self->observation), n, base->spaces.n_inputs);
  memcpy (FLOATS (self->value), network_run (self->critic, self->critic_trace, (gint) n),
          (gsize) n * sizeof (float));
  network_run (self->actor, self->actor_trace, (gint) n);
  if (self->masks)
    spaces_forbid (self->masks->data, n * base->spaces.n_classes,
                   trace_get_outputs (self->actor_trace));
  judge_actions (self, trace_get_outputs (self->actor_trace), n);
  estimate_advantages (&steps, n / base->n_lanes, base->n_lanes, base->values[GAMMA],
                       base->values[LAMBDA], FLOATS (self->advantage));
  for (gint64 i = 0; i < n; i++)
    FLOATS (self->target)[i] = FLOATS (self->value)[i] + FLOATS (self->advantage)[i];
}

/* The share of the targets' variance that the values explain. */
static double
explain (const Ppo *self, gint64 n)
{
  double sum = 0, square = 0, rest = 0, rest_square = 0;

  for (gint64 i = 0; i < n; i++)
    {
      double target = (double) FLOATS (self->target)[i];
      double left = (double) FLOATS (self->advantage)[i];

      sum += target;
      square += target * target;
      rest += left;
      rest_square += left * left;
    }
  return 1 - (rest_square - rest * rest / (double) n) / (square - sum * sum / (double) n);
}

/* The rows take the place of those of the rollout before. */
static gboolean
store_rollout (Ppo *self, gint64 n, GError **error)
{
  const struct
  {
    const char *key;
    ReelTensor *tensor;
  } columns[] = {
    { "observation", self->observation }, { "taken", self->taken },   { "log_p", self->log_p },
    { "advantage", self->advantage },     { "target", self->target }, { "masks", self->masks }
  };
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, &n);

  for (guint i = 0; i < G_N_ELEMENTS (columns) && columns[i].tensor; i++)
    {
      g_autoptr (ReelTensor) part = reel_tensor_slice (columns[i].tensor, 0, 0, n, 1, error);

      if (!part || !reel_tensordict_set_tensor (rows, columns[i].key, part, error))
        return FALSE;
    }
  return reel_replay_buffer_empty (self->rows, TRUE, error)
         && reel_replay_buffer_extend (self->rows, rows, NULL, error);
}

/* ---- updates ---- */

/* Advantages of a batch with mean 0 and deviation 1. */
static void
normalise (float *values, gint64 n)
{
  double sum = 0, square = 0, mean, deviation;

  for (gint64 i = 0; i < n; i++)
    sum += (double) values[i];
  mean = sum / (double) n;
  for (gint64 i = 0; i < n; i++)
    square += ((double) values[i] - mean) * ((double) values[i] - mean);
  deviation = n > 1 ? sqrt (square / (double) (n - 1)) : 1;
  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (((double) values[i] - mean) / (deviation + 1e-8));
}

static void
step (Ppo *self)
{
  const double *values = self->base.values;
  Network *const networks[] = { self->actor, self->critic, self->scales };
  Adam *const adams[] = { self->actor_adam, self->critic_adam, self->scales_adam };
  guint n = self->scales ? 3 : 2;
  double rate = values[LEARNING_RATE] * (values[ANNEAL] ? 1 - self->base.done : 1);

  network_differentiate (self->actor, self->actor_trace);
  network_differentiate (self->critic, self->critic_trace);
  clip_gradients (networks, n, values[MAX_NORM]);
  for (guint i = 0; i < n; i++)
    adam_step (adams[i], networks[i]->parameters, networks[i]->gradient, rate);
}

/* The outputs of the actor for the rows of a batch, those that are not allowed forbidden. */
static gboolean
run_actor (Ppo *self, gint n, GError **error)
{
  gint64 k = count_outputs (self);
  g_autofree guint8 *masks = NULL;

  network_run (self->actor, self->actor_trace, n);
  if (!self->masks)
    return TRUE;
  masks = g_new (guint8, n * k);
  if (!spaces_read_flags (self->base.batch, "masks", n, k, masks, error))
    return FALSE;
  spaces_forbid (masks, n * k, trace_get_outputs (self->actor_trace));
  return TRUE;
}

static double
differentiate_actions (Ppo *self, const TakenActions *taken, gint n, ClippedStats *stats)
{
  const double *values = self->base.values;
  const float *outputs = trace_get_outputs (self->actor_trace);
  float *slopes = trace_get_slopes (self->actor_trace);
  gint k = count_outputs (self);

  return self->scales
             ? loss_clipped_normal (outputs, self->scales->parameters, taken, n, k, values[CLIP],
                                    values[ENTROPY_WEIGHT], slopes, self->scales->gradient, stats)
             : loss_clipped (outputs, taken, n, k, values[CLIP], values[ENTROPY_WEIGHT], slopes,
                             stats);
}

static gboolean
improve (Ppo *self, gint n, GError **error)
{
  Learner *base = &self->base;
  const double *values = base->values;
  gint n_inputs = base->spaces.n_inputs, width = spaces_count_actions (&base->spaces);
  g_autofree float *buffer = g_new (float, (3 + width) * n);
  float *log_p = buffer, *advantage = buffer + n, *target = buffer + 2 * n;
  float *actions = buffer + 3 * n;
  const TakenActions taken = { actions, log_p, advantage };
  ClippedStats stats;

  if (!spaces_read (base->batch, "observation", n, n_inputs, trace_get_inputs (self->actor_trace),
                    error)
      || !spaces_read (base->batch, "taken", n, width, actions, error)
      || !spaces_read (base->batch, "log_p", n, 1, log_p, error)
      || !spaces_read (base->batch, "advantage", n, 1, advantage, error)
      || !spaces_read (base->batch, "target", n, 1, target, error) || !run_actor (self, n, error))
    return FALSE;
  normalise (advantage, n);
  set_inputs (self->critic_trace, trace_get_inputs (self->actor_trace), n, n_inputs);
  double loss = differentiate_actions (self, &taken, n, &stats);
  double value_loss =
      loss_squares (network_run (self->critic, self->critic_trace, n), target, n, 1,
                    2 * values[VALUE_WEIGHT], trace_get_slopes (self->critic_trace));

  learner_note (base, LOSS, loss + value_loss);
  learner_note (base, POLICY_LOSS, stats.policy_loss);
  learner_note (base, VALUE_LOSS, value_loss);
  learner_note (base, ENTROPY_LOSS, -stats.entropy);
  learner_note (base, KL, stats.approx_kl);
  learner_note (base, CLIP_FRACTION, stats.clip_fraction);
  if (!learner_check_loss (base, loss + value_loss, error))
    return FALSE;
  step (self);
  return TRUE;
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  Ppo *self = (Ppo *) learner;
  gint64 n = reel_tensordict_numel (rollout);
  g_autoptr (GError) failure = NULL;

  if (!read_rollout (self, rollout, n, error))
    return FALSE;
  judge_rollout (self, n);
  learner_note (learner, EXPLAINED, explain (self, n));
  if (!store_rollout (self, n, error))
    return FALSE;
  for (gint epoch = 0; epoch < (gint) learner->values[EPOCHS]; epoch++)
    while (learner_draw_next (learner, self->rows, &failure))
      if (!improve (self, (gint) reel_tensordict_numel (learner->batch), error))
        return FALSE;
  if (failure)
    g_propagate_error (error, g_steal_pointer (&failure));
  return failure == NULL;
}

/* ---- acting ---- */

static gint64
draw (const float *logits, gint64 k, double share)
{
  double most = (double) logits[learner_find_greatest (logits, k)], total = 0, sum = 0;
  gint64 last = 0;

  for (gint64 i = 0; i < k; i++)
    total += exp ((double) logits[i] - most);
  for (gint64 class = 0; class < k && share * total >= sum; class ++)
    {
      double p = exp ((double) logits[class] - most);

      last = p > 0 ? class : last;
      sum += p;
    }
  return last;
}

static void
choose_classes (const Learner *self, const float *outputs, gint64 n, ReelRandomKey key,
                gboolean explore, double *actions)
{
  gint64 k = self->spaces.n_classes;

  for (gint64 lane = 0; lane < n; lane++)
    {
      const float *logits = outputs + lane * k;

      actions[lane] = (double) (explore ? draw (logits, k, reel_random_double (key, lane))
                                        : learner_find_greatest (logits, k));
    }
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step_number, gboolean explore,
        double *actions)
{
  const Network *scales = ((const Ppo *) self)->scales;
  ReelRandomKey key = reel_random_key (self->seed, step_number);
  gint k = self->spaces.n_actions;

  if (!scales)
    {
      choose_classes (self, outputs, n, key, explore, actions);
      return;
    }
  for (gint64 i = 0; i < n * k; i++)
    {
      double scale = exp ((double) scales->parameters[i % k]);

      actions[i] = (double) outputs[i] + (explore ? scale * learner_draw_normal (key, i) : 0);
    }
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = self->spaces.n_classes > 0 ? "head=categorical" : "head=normal,scale=exp";
  return ((const Ppo *) self)->actor;
}

static const float *
get_log_scales (const Learner *self)
{
  const Network *scales = ((const Ppo *) self)->scales;

  return scales ? scales->parameters : NULL;
}

const LearnerClass ppo_learner = {
  .name = "ppo",
  .about = "learn a policy from whole rollouts",
  .source = LEARN_FROM_ROLLOUTS,
  .env = "CartPole-v1",
  .total = "100k",
  .num_envs = "8",
  .hidden = "64,64",
  .activation = "tanh",
  .takes_classes = TRUE,
  .takes_boxes = TRUE,
  .settings = settings,
  .scalars = { "train/loss", "train/policy_gradient_loss", "train/value_loss", "train/entropy_loss",
               "train/approx_kl", "train/clip_fraction", "train/explained_variance" },
  .size = sizeof (Ppo),
  .begin = begin,
  .clear = clear,
  .list_state = list_state,
  .count_frames = count_frames,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
  .get_log_scales = get_log_scales,
};
