/* TD3: one action for each observation of a box, learned from a replay buffer. Of two critics the
 * lesser counts, targets are smoothed, and the policy waits for the critics. Fujimoto et al.
 * (2018). */
#include "td3.h"
#include "losses.h"

#include <math.h>
#include <string.h>

enum
{
  NOISE = N_TD3_SETTINGS,
  CAPACITY,
  STARTS,
  EVERY,
  UPDATES,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 256, 1, 1 << 20, "rows of a batch" },
  { "gamma", SETTING_REAL, 0.99, 0, 1, "discount of each further reward" },
  { "tau", SETTING_REAL, 0.005, 0, 1, "step of the target networks towards the online ones" },
  { "policy-delay", SETTING_INTEGER, 2, 1, 1e6, "updates of the critics for one of the policy" },
  { "target-noise", SETTING_REAL, 0.2, 0, 10, "deviation of the noise on actions of targets" },
  { "target-noise-clip", SETTING_REAL, 0.5, 0, 10, "greatest size of that noise" },
  { "exploration-noise", SETTING_REAL, 0.1, 0, 10, "deviation of the noise on actions" },
  { "capacity", SETTING_INTEGER, 1000000, 1, 1e12, "rows that the buffer keeps" },
  { "learning-starts", SETTING_INTEGER, 1000, 0, 1e12,
    "frames of random actions before the first update" },
  { "update-every", SETTING_INTEGER, 4, 1, 1e9, "frames between rounds of updates" },
  { "updates", SETTING_INTEGER, 4, 1, 1e6, "updates of a round" },
  { NULL, 0, 0, 0, 0, NULL },
};

/* ---- what TD3+BC has too ---- */

void
td3_begin (Td3 *self, double noise)
{
  Learner *base = &self->base;
  gint n = (gint) base->values[BATCH_SIZE], k = base->spaces.n_actions;

  self->online =
      learner_make_network (base, base->spaces.n_inputs, k, (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->target = network_copy (self->online);
  self->trace = trace_new (self->online, n);
  self->adam = adam_new (self->online->n_parameters, 1e-8);
  critics_init (&self->critics, base);
  self->actions = g_new (float, n *k);
  self->slopes = g_new (float, n *k);
  self->log_scales = g_new (float, k);
  for (gint i = 0; i < k; i++)
    self->log_scales[i] = (float) log (MAX (noise, LEAST_NOISE));
}

void
td3_clear (Learner *learner)
{
  Td3 *self = (Td3 *) learner;

  critics_clear (&self->critics);
  network_free (self->online);
  network_free (self->target);
  trace_free (self->trace);
  adam_free (self->adam);
  g_free (self->actions);
  g_free (self->slopes);
  g_free (self->log_scales);
}

void
td3_list_state (Learner *learner, StateList *list)
{
  Td3 *self = (Td3 *) learner;

  critics_list_state (&self->critics, list);
  state_list_add_network (list, "online", self->online);
  state_list_add_network (list, "target", self->target);
  state_list_add_adam (list, "adam", self->adam);
}

static void
act (Td3 *self, const Network *network, const float *observation)
{
  const Critics *critics = &self->critics;

  memcpy (trace_get_inputs (self->trace), observation,
          (gsize) (critics->n * critics->width) * sizeof (float));
  bend (network_run (network, self->trace, critics->n), critics->n * critics->k, self->actions);
}

/* Like actions have like values: those of targets are drawn around the action. */
static void
act_nearby (Td3 *self)
{
  const double *values = self->base.values;
  double most = values[TD3_SMOOTHING_CLIP];

  act (self, self->target, self->critics.next);
  for (gint i = 0; i < self->critics.n * self->critics.k; i++)
    {
      double noise = values[TD3_SMOOTHING] * reel_pcg64_normal (&self->base.random);
      double action = (double) self->actions[i] + CLAMP (noise, -most, most);

      self->actions[i] = (float) CLAMP (action, -1, 1);
    }
}

/* Slopes by the actions. Returns the loss. */
static double
judge_actions (Td3 *self, double weight)
{
  Critics *critics = &self->critics;
  gint n = critics->n, k = critics->k;
  double value = 0, size = 0, share = 1, cloning;

  critics_differentiate (critics, self->actions, 1);
  for (gint i = 0; i < n; i++)
    {
      value += (double) critics->value[i] / n;
      size += fabs ((double) critics->value[i]) / n;
    }
  if (weight > 0)
    share = weight / MAX (size, 1e-8);
  cloning =
      loss_squares (self->actions, critics->taken, n, k, weight > 0 ? 2.0 / k : 0, self->slopes);
  for (gint i = 0; i < n * k; i++)
    self->slopes[i] += (float) (share * (double) critics->action_slopes[i]);
  return cloning - share * value;
}

static double
improve_policy (Td3 *self, double weight)
{
  const Critics *critics = &self->critics;
  double loss;

  act (self, self->online, critics->observation);
  loss = judge_actions (self, weight);
  bend_back (self->actions, self->slopes, critics->n * critics->k, trace_get_slopes (self->trace));
  network_differentiate (self->online, self->trace);
  adam_step (self->adam, self->online->parameters, self->online->gradient,
             self->base.values[LEARNING_RATE]);
  return loss;
}

gboolean
td3_improve (Td3 *self, double weight, GError **error)
{
  Learner *base = &self->base;
  Critics *critics = &self->critics;
  const double *values = base->values;
  double loss;

  if (!critics_read (critics, values[TD3_GAMMA], error))
    return FALSE;
  act_nearby (self);
  critics_set_targets (critics, self->actions, NULL, 0);
  loss = critics_improve (critics);
  learner_note (base, TD3_CRITIC_LOSS, loss);
  if ((base->n_updates + 1) % (gint64) values[TD3_DELAY] == 0)
    {
      double policy_loss = improve_policy (self, weight);

      learner_note (base, TD3_ACTOR_LOSS, policy_loss);
      loss += policy_loss;
      critics_follow (critics, values[TD3_TAU]);
      network_follow (self->target, self->online, values[TD3_TAU]);
    }
  return learner_check_loss (base, loss, error)
         && learner_set_priorities (base, critics->off, critics->n, error);
}

const Network *
td3_get_policy (const Learner *self, const char **arguments)
{
  *arguments = "head=tanh-normal,scale=exp";
  return ((const Td3 *) self)->online;
}

const float *
td3_get_log_scales (const Learner *self)
{
  return ((const Td3 *) self)->log_scales;
}

/* ---- the learner ---- */

static gboolean
begin (Learner *learner, GError **error)
{
  td3_begin ((Td3 *) learner, learner->values[NOISE]);
  return TRUE;
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  return td3_improve ((Td3 *) learner, 0, error);
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  ReelRandomKey key = reel_random_key (self->seed, step);
  gboolean any = explore && self->frames < self->values[STARTS];

  for (gint64 i = 0; i < n * self->spaces.n_actions; i++)
    {
      double noise = explore && !any ? self->values[NOISE] * learner_draw_normal (key, i) : 0;

      actions[i] = any ? 2 * reel_random_double (key, i) - 1 : tanh ((double) outputs[i]) + noise;
    }
}

const LearnerClass td3_learner = {
  .name = "td3",
  .about = "learn one action of a box for each observation from a replay buffer",
  .source = LEARN_FROM_STEPS,
  .env = "Pendulum-v1",
  .total = "20k",
  .num_envs = "4",
  .hidden = "64,64",
  .activation = "relu",
  .takes_boxes = TRUE,
  .settings = settings,
  .scalars = { "train/critic_loss", "train/actor_loss" },
  .size = sizeof (Td3),
  .begin = begin,
  .clear = td3_clear,
  .list_state = td3_list_state,
  .update = update,
  .choose = choose,
  .get_policy = td3_get_policy,
  .get_log_scales = td3_get_log_scales,
};
