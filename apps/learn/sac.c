/* SAC: a policy for boxes that keeps its entropy, with two critics, learned from a replay buffer.
 * Haarnoja et al. (2018), with the temperature of their second paper. */
#include "critics.h"
#include "losses.h"

#include <math.h>
#include <string.h>

enum
{
  GAMMA = N_COMMON_SETTINGS,
  CAPACITY,
  STARTS,
  EVERY,
  UPDATES,
  TAU,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 256, 1, 1 << 20, "rows of a batch" },
  { "gamma", SETTING_REAL, 0.99, 0, 1, "discount of each further reward" },
  { "capacity", SETTING_INTEGER, 1000000, 1, 1e12, "rows that the buffer keeps" },
  { "learning-starts", SETTING_INTEGER, 1000, 0, 1e12,
    "frames of random actions before the first update" },
  { "update-every", SETTING_INTEGER, 4, 1, 1e9, "frames between rounds of updates" },
  { "updates", SETTING_INTEGER, 4, 1, 1e6, "updates of a round" },
  { "tau", SETTING_REAL, 0.005, 0, 1, "step of the target critics towards the online ones" },
  { NULL, 0, 0, 0, 0, NULL },
};

enum
{
  CRITIC_LOSS,
  ACTOR_LOSS,
  TEMPERATURE,
};

typedef struct
{
  Learner base;
  Critics critics;
  Network *actor;
  Trace *trace;
  Adam *adam;
  float log_alpha, alpha_slope;
  Adam *alpha_adam;
  float *actions, *noise, *log_p; /* of the present policy */
} Sac;

static gboolean
begin (Learner *learner, GError **error)
{
  Sac *self = (Sac *) learner;
  gint n = (gint) learner->values[BATCH_SIZE], k = learner->spaces.n_actions;

  self->actor = learner_make_network (learner, learner->spaces.n_inputs, 2 * k,
                                      (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->trace = trace_new (self->actor, n);
  self->adam = adam_new (self->actor->n_parameters, 1e-8);
  self->alpha_adam = adam_new (1, 1e-8);
  critics_init (&self->critics, learner);
  self->actions = g_new (float, n *k);
  self->noise = g_new (float, n *k);
  self->log_p = g_new (float, n);
  return TRUE;
}

static void
clear (Learner *learner)
{
  Sac *self = (Sac *) learner;

  critics_clear (&self->critics);
  network_free (self->actor);
  trace_free (self->trace);
  adam_free (self->adam);
  adam_free (self->alpha_adam);
  g_free (self->actions);
  g_free (self->noise);
  g_free (self->log_p);
}

static void
list_state (Learner *learner, StateList *list)
{
  Sac *self = (Sac *) learner;

  state_list_add_network (list, "actor", self->actor);
  state_list_add_adam (list, "actor-adam", self->adam);
  state_list_add (list, "log-alpha", REEL_DTYPE_FLOAT32, &self->log_alpha, 1);
  state_list_add_adam (list, "alpha-adam", self->alpha_adam);
  critics_list_state (&self->critics, list);
}

/* ---- parts of an update ---- */

/* Actions of the present policy, and their log-probabilities. */
static void
act (Sac *self, const float *observation)
{
  const Critics *critics = &self->critics;
  gint n = critics->n, k = critics->k;

  for (gint i = 0; i < n * k; i++)
    self->noise[i] = (float) reel_pcg64_normal (&self->base.random);
  memcpy (trace_get_inputs (self->trace), observation,
          (gsize) (n * critics->width) * sizeof (float));
  squash (network_run (self->actor, self->trace, n), self->noise, n, k, self->actions, self->log_p);
}

/* The actor, and the temperature that holds its entropy at −1 for each number. */
static double
improve_actor (Sac *self)
{
  Learner *base = &self->base;
  Critics *critics = &self->critics;
  gint n = critics->n, k = critics->k;
  double alpha = exp ((double) self->log_alpha), log_p = 0, value = 0;

  act (self, critics->observation);
  critics_differentiate (critics, self->actions, 2);
  for (gint i = 0; i < n; i++)
    {
      log_p += (double) self->log_p[i] / n;
      value += (double) critics->value[i] / n;
    }
  squash_back (trace_get_outputs (self->trace), self->noise, self->actions, n, k,
               critics->action_slopes, k, alpha / n, trace_get_slopes (self->trace));
  network_differentiate (self->actor, self->trace);
  adam_step (self->adam, self->actor->parameters, self->actor->gradient,
             base->values[LEARNING_RATE]);
  self->alpha_slope = (float) (k - log_p);
  adam_step (self->alpha_adam, &self->log_alpha, &self->alpha_slope, base->values[LEARNING_RATE]);
  learner_note (base, TEMPERATURE, alpha);
  return alpha * log_p - value;
}

static gboolean
update (Learner *base, ReelTensordict *rollout, GError **error)
{
  Sac *self = (Sac *) base;
  Critics *critics = &self->critics;
  double critic_loss, actor_loss;

  if (!critics_read (critics, base->values[GAMMA], error))
    return FALSE;
  act (self, critics->next);
  critics_set_targets (critics, self->actions, self->log_p, exp ((double) self->log_alpha));
  critic_loss = critics_improve (critics);
  critics_follow (critics, base->values[TAU]);
  actor_loss = improve_actor (self);
  learner_note (base, CRITIC_LOSS, critic_loss);
  learner_note (base, ACTOR_LOSS, actor_loss);
  return learner_check_loss (base, critic_loss + actor_loss, error)
         && learner_set_priorities (base, critics->off, critics->n, error);
}

/* ---- acting ---- */

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  gint64 k = self->spaces.n_actions;
  ReelRandomKey key = reel_random_key (self->seed, step);
  gboolean any = explore && self->frames < self->values[STARTS];

  for (gint64 i = 0; i < n * k; i++)
    {
      const float *row = outputs + i / k * 2 * k;
      double log_scale = clamp_log_scale (row[k + i % k]);
      double noise = explore && !any ? exp (log_scale) * learner_draw_normal (key, i) : 0;

      actions[i] = any ? 2 * reel_random_double (key, i) - 1 : tanh ((double) row[i % k] + noise);
    }
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = "head=tanh-normal,scale=exp";
  return ((const Sac *) self)->actor;
}

const LearnerClass sac_learner = {
  .name = "sac",
  .about = "learn a policy for boxes from a replay buffer",
  .source = LEARN_FROM_STEPS,
  .env = "Pendulum-v1",
  .total = "20k",
  .num_envs = "4",
  .hidden = "64,64",
  .activation = "relu",
  .takes_boxes = TRUE,
  .settings = settings,
  .scalars = { "train/critic_loss", "train/actor_loss", "train/ent_coef" },
  .size = sizeof (Sac),
  .begin = begin,
  .clear = clear,
  .list_state = list_state,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
};
