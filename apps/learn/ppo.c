/* PPO: a policy of classes, learned from whole rollouts by a clipped surrogate, each row once an
 * epoch. Schulman et al. (2017). */
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
  Trace *actor_trace, *critic_trace;
  Adam *actor_adam, *critic_adam;
  ReelReplayBuffer *rows; /* of the rollout */
  gint64 n;               /* rows of a whole rollout */
  ReelTensor *observation, *taken, *log_p, *value, *advantage, *target;
  float *next_value, *reward;
  guint8 *terminated, *done;
} Ppo;

#define FLOATS(tensor) ((float *) (gpointer) (tensor)->data)
#define CLASSES(tensor) ((gint64 *) (gpointer) (tensor)->data)

static gint64
count_frames (const Learner *self)
{
  return (gint64) self->values[STEPS] * self->n_lanes;
}

static gboolean
make_rows (Ppo *self, GError **error)
{
  Learner *base = &self->base;
  const gint64 shape[] = { self->n, base->spaces.n_inputs };
  g_autofree char *storage = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, self->n);
  g_autofree char *sampler =
      g_strdup_printf ("without-replacement:seed=%" G_GUINT64_FORMAT, base->seed);
  ReelTensor **const floats[] = { &self->log_p, &self->value, &self->advantage, &self->target };

  self->rows =
      reel_replay_buffer_new_from_text (storage, sampler, (gint64) base->values[BATCH_SIZE], error);
  self->observation = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, error);
  self->taken = self->observation ? reel_tensor_new (REEL_DTYPE_INT64, 1, shape, error) : NULL;
  for (guint i = 0; self->taken && i < G_N_ELEMENTS (floats); i++)
    if (!(*floats[i] = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, shape, error)))
      return FALSE;
  return self->rows && self->taken;
}

static gboolean
begin (Learner *learner, GError **error)
{
  Ppo *self = (Ppo *) learner;
  gint n_inputs = learner->spaces.n_inputs;
  gint most;

  self->n = count_frames (learner);
  most = (gint) MAX (self->n, (gint64) learner->values[BATCH_SIZE]);
  self->actor = learner_make_network (learner, n_inputs, (gint) learner->spaces.n_classes,
                                      (Gains){ G_SQRT2, 0.01 });
  self->critic = learner_make_network (learner, n_inputs, 1, (Gains){ G_SQRT2, 1 });
  self->actor_trace = trace_new (self->actor, most);
  self->critic_trace = trace_new (self->critic, most);
  self->actor_adam = adam_new (self->actor->n_parameters, 1e-5);
  self->critic_adam = adam_new (self->critic->n_parameters, 1e-5);
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
  g_clear_object (&self->rows);
  network_free (self->actor);
  network_free (self->critic);
  trace_free (self->actor_trace);
  trace_free (self->critic_trace);
  adam_free (self->actor_adam);
  adam_free (self->critic_adam);
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
         && spaces_read_classes (spaces, rollout, n, CLASSES (self->taken), error)
         && spaces_read (rollout, "next/reward", n, 1, self->reward, error)
         && spaces_read_flags (rollout, "next/terminated", n, self->terminated, error)
         && spaces_read_flags (rollout, "next/done", n, self->done, error);
}

static void
set_inputs (Trace *trace, const float *observations, gint64 n, gint n_inputs)
{
  memcpy (trace_get_inputs (trace), observations, (gsize) (n * n_inputs) * sizeof (float));
}

/* Values of all rows and of those after them, log p of what was done, advantages, targets. */
static void
judge_rollout (Ppo *self, gint64 n)
{
  const Learner *base = &self->base;
  gint k = (gint) base->spaces.n_classes;
  const ValuedSteps steps = { self->reward, FLOATS (self->value), self->next_value,
                              self->terminated, self->done };
  g_autofree float *log_p = g_new (float, n *k);

  memcpy (self->next_value, network_run (self->critic, self->critic_trace, (gint) n),
          (gsize) n * sizeof (float));
  set_inputs (self->critic_trace, FLOATS (self->observation), n, base->spaces.n_inputs);
  set_inputs (self->actor_trace, FLOATS (self->observation), n, base->spaces.n_inputs);
  memcpy (FLOATS (self->value), network_run (self->critic, self->critic_trace, (gint) n),
          (gsize) n * sizeof (float));
  log_softmax (network_run (self->actor, self->actor_trace, (gint) n), (gint) n, k, log_p);
  estimate_advantages (&steps, n / base->n_lanes, base->n_lanes, base->values[GAMMA],
                       base->values[LAMBDA], FLOATS (self->advantage));
  for (gint64 i = 0; i < n; i++)
    {
      FLOATS (self->log_p)[i] = log_p[i * k + CLASSES (self->taken)[i]];
      FLOATS (self->target)[i] = FLOATS (self->value)[i] + FLOATS (self->advantage)[i];
    }
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
  } columns[] = { { "observation", self->observation },
                  { "taken", self->taken },
                  { "log_p", self->log_p },
                  { "advantage", self->advantage },
                  { "target", self->target } };
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, &n);

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
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
  Network *const networks[] = { self->actor, self->critic };
  double rate = values[LEARNING_RATE] * (values[ANNEAL] ? 1 - self->base.done : 1);

  network_differentiate (self->actor, self->actor_trace);
  network_differentiate (self->critic, self->critic_trace);
  clip_gradients (networks, 2, values[MAX_NORM]);
  adam_step (self->actor_adam, self->actor->parameters, self->actor->gradient, rate);
  adam_step (self->critic_adam, self->critic->parameters, self->critic->gradient, rate);
}

static gboolean
improve (Ppo *self, gint n, GError **error)
{
  Learner *base = &self->base;
  const double *values = base->values;
  gint n_inputs = base->spaces.n_inputs;
  g_autofree float *buffer = g_new (float, 3 * n);
  g_autofree gint64 *classes = g_new (gint64, n);
  float *log_p = buffer, *advantage = buffer + n, *target = buffer + 2 * n;
  const TakenClasses taken = { classes, log_p, advantage };
  ReelTensor *column = reel_tensordict_get_tensor (base->batch, "taken", error);
  ClippedStats stats;

  if (!column
      || !spaces_read (base->batch, "observation", n, n_inputs,
                       trace_get_inputs (self->actor_trace), error)
      || !spaces_read (base->batch, "log_p", n, 1, log_p, error)
      || !spaces_read (base->batch, "advantage", n, 1, advantage, error)
      || !spaces_read (base->batch, "target", n, 1, target, error))
    return FALSE;
  memcpy (classes, column->data, (gsize) n * sizeof *classes);
  normalise (advantage, n);
  set_inputs (self->critic_trace, trace_get_inputs (self->actor_trace), n, n_inputs);
  double loss = loss_clipped (network_run (self->actor, self->actor_trace, n), &taken, n,
                              (gint) base->spaces.n_classes, values[CLIP], values[ENTROPY_WEIGHT],
                              trace_get_slopes (self->actor_trace), &stats);
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
    while (reel_replay_buffer_next (self->rows, &learner->batch, &failure))
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
  gint64 class = 0;

  for (gint64 i = 0; i < k; i++)
    total += exp ((double) logits[i] - most);
  for (; class < k - 1; class ++)
    {
      sum += exp ((double) logits[class] - most);
      if (share * total < sum)
        break;
    }
  return class;
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step_number, gboolean explore,
        double *actions)
{
  gint64 k = self->spaces.n_classes;
  ReelRandomKey key = reel_random_key (self->seed, step_number);

  for (gint64 lane = 0; lane < n; lane++)
    {
      const float *logits = outputs + lane * k;

      actions[lane] = (double) (explore ? draw (logits, k, reel_random_double (key, lane))
                                        : learner_find_greatest (logits, k));
    }
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = "head=categorical";
  return ((const Ppo *) self)->actor;
}

const LearnerClass ppo_learner = {
  .name = "ppo",
  .about = "learn a policy of classes from whole rollouts",
  .source = LEARN_FROM_ROLLOUTS,
  .env = "CartPole-v1",
  .total = "100k",
  .num_envs = "8",
  .hidden = "64,64",
  .activation = "tanh",
  .takes_classes = TRUE,
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
};
