/* SAC: a policy for boxes that keeps its entropy, with two critics, learned from a replay buffer.
 * Haarnoja et al. (2018), with the temperature of their second paper. */
#include "learner.h"
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

/* The value of an action, as it is learned. */
typedef struct
{
  Network *online, *target;
  Trace *trace;
  Adam *adam;
} Critic;

typedef struct
{
  Learner base;
  Network *actor;
  Trace *actor_trace;
  Adam *actor_adam;
  Critic critics[2];
  float log_alpha, alpha_slope;
  Adam *alpha_adam;
  float *observation, *next, *taken, *actions, *noise, *log_p, *sum;
  float *reward, *weight, *off, *target;
  guint8 *terminated;
} Sac;

static void
init_critic (Critic *self, Learner *learner, gint n)
{
  gint n_inputs = learner->spaces.n_inputs + learner->spaces.n_actions;

  self->online = learner_make_network (learner, n_inputs, 1, (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->target = network_copy (self->online);
  self->trace = trace_new (self->online, n);
  self->adam = adam_new (self->online->n_parameters, 1e-8);
}

static gboolean
begin (Learner *learner, GError **error)
{
  Sac *self = (Sac *) learner;
  gint n = (gint) learner->values[BATCH_SIZE], k = learner->spaces.n_actions;
  gint width = learner->spaces.n_inputs;
  float **const rows[] = { &self->log_p, &self->reward, &self->weight, &self->off, &self->target };

  self->actor = learner_make_network (learner, width, 2 * k, (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->actor_trace = trace_new (self->actor, n);
  self->actor_adam = adam_new (self->actor->n_parameters, 1e-8);
  self->alpha_adam = adam_new (1, 1e-8);
  for (guint i = 0; i < 2; i++)
    init_critic (&self->critics[i], learner, n);
  self->observation = g_new (float, n *width);
  self->next = g_new (float, n *width);
  self->taken = g_new (float, n *k);
  self->actions = g_new (float, n *k);
  self->noise = g_new (float, n *k);
  self->sum = g_new (float, n *k);
  self->terminated = g_new (guint8, n);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    *rows[i] = g_new (float, n);
  return TRUE;
}

static void
clear (Learner *learner)
{
  Sac *self = (Sac *) learner;
  float *const rows[] = { self->observation, self->next,  self->taken, self->actions,
                          self->noise,       self->log_p, self->sum,   self->reward,
                          self->weight,      self->off,   self->target };

  network_free (self->actor);
  trace_free (self->actor_trace);
  adam_free (self->actor_adam);
  adam_free (self->alpha_adam);
  for (guint i = 0; i < 2; i++)
    {
      network_free (self->critics[i].online);
      network_free (self->critics[i].target);
      trace_free (self->critics[i].trace);
      adam_free (self->critics[i].adam);
    }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_free (rows[i]);
  g_free (self->terminated);
}

static void
list_state (Learner *learner, StateList *list)
{
  Sac *self = (Sac *) learner;

  state_list_add_network (list, "actor", self->actor);
  state_list_add_adam (list, "actor-adam", self->actor_adam);
  state_list_add (list, "log-alpha", REEL_DTYPE_FLOAT32, &self->log_alpha, 1);
  state_list_add_adam (list, "alpha-adam", self->alpha_adam);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *online = g_strdup_printf ("critic%u", i);
      g_autofree char *target = g_strconcat (online, "-target", NULL);
      g_autofree char *adam = g_strconcat (online, "-adam", NULL);

      state_list_add_network (list, online, self->critics[i].online);
      state_list_add_network (list, target, self->critics[i].target);
      state_list_add_adam (list, adam, self->critics[i].adam);
    }
}

/* ---- parts of an update ---- */

/* Actions of the present policy, and their log-probabilities. */
static void
act (Sac *self, const float *observation, gint n)
{
  gint k = self->base.spaces.n_actions;

  for (gint i = 0; i < n * k; i++)
    self->noise[i] = (float) reel_pcg64_normal (&self->base.random);
  memcpy (trace_get_inputs (self->actor_trace), observation,
          (gsize) (n * self->base.spaces.n_inputs) * sizeof (float));
  squash (network_run (self->actor, self->actor_trace, n), self->noise, n, k, self->actions,
          self->log_p);
}

/* The values of actions, by one of the critic's networks. */
static const float *
value (const Sac *self, guint which, gboolean late, const float *observation, const float *actions,
       gint n)
{
  const Critic *critic = &self->critics[which];
  gint width = self->base.spaces.n_inputs, k = self->base.spaces.n_actions;
  float *to = trace_get_inputs (critic->trace);

  for (gint i = 0; i < n; i++, to += width + k)
    {
      memcpy (to, observation + i * width, (gsize) width * sizeof (float));
      memcpy (to + width, actions + i * k, (gsize) k * sizeof (float));
    }
  return network_run (late ? critic->target : critic->online, critic->trace, n);
}

static void
set_targets (Sac *self, gint n)
{
  double alpha = exp ((double) self->log_alpha);

  act (self, self->next, n);
  const float *one = value (self, 0, TRUE, self->next, self->actions, n);
  const float *other = value (self, 1, TRUE, self->next, self->actions, n);
  for (gint i = 0; i < n; i++)
    {
      double after = (double) MIN (one[i], other[i]) - alpha * (double) self->log_p[i];

      self->target[i] = (float) ((double) self->reward[i]
                                 + (self->terminated[i] ? 0 : self->base.values[GAMMA] * after));
    }
}

static double
improve_critic (Sac *self, guint which, gint n)
{
  Critic *critic = &self->critics[which];
  const float *values = value (self, which, FALSE, self->observation, self->taken, n);
  float *slopes = trace_get_slopes (critic->trace);
  double loss = loss_squares (values, self->target, n, 1, 1, slopes);

  for (gint i = 0; i < n; i++)
    {
      self->off[i] = values[i] - self->target[i];
      slopes[i] *= self->weight[i];
    }
  network_differentiate (critic->online, critic->trace);
  adam_step (critic->adam, critic->online->parameters, critic->online->gradient,
             self->base.values[LEARNING_RATE]);
  network_follow (critic->target, critic->online, self->base.values[TAU]);
  return loss;
}

/* The slopes of the values by the actions, of the critic that values each less. */
static double
differentiate_values (Sac *self, gint n)
{
  gint width = self->base.spaces.n_inputs, k = self->base.spaces.n_actions;
  const float *values[2];
  double sum = 0;

  for (guint c = 0; c < 2; c++)
    values[c] = value (self, c, FALSE, self->observation, self->actions, n);
  for (gint i = 0; i < n; i++)
    {
      guint less = values[1][i] < values[0][i];

      sum += (double) values[less][i];
      for (guint c = 0; c < 2; c++)
        trace_get_slopes (self->critics[c].trace)[i] = c == less ? -1 / (float) n : 0;
    }
  for (guint c = 0; c < 2; c++)
    network_differentiate_inputs (self->critics[c].online, self->critics[c].trace);
  for (gint i = 0; i < n * k; i++)
    {
      gint at = i / k * (width + k) + width + i % k;

      self->sum[i] = trace_get_input_slopes (self->critics[0].trace)[at]
                     + trace_get_input_slopes (self->critics[1].trace)[at];
    }
  return sum / n;
}

/* The actor, and the temperature that holds its entropy at −1 for each number. */
static double
improve_actor (Sac *self, gint n)
{
  Learner *base = &self->base;
  gint k = base->spaces.n_actions;
  double alpha = exp ((double) self->log_alpha), log_p = 0, values;

  act (self, self->observation, n);
  values = differentiate_values (self, n);
  for (gint i = 0; i < n; i++)
    log_p += (double) self->log_p[i] / n;
  squash_back (self->actor_trace->values[self->actor->n_layers], self->noise, self->actions, n, k,
               self->sum, k, alpha / n, trace_get_slopes (self->actor_trace));
  network_differentiate (self->actor, self->actor_trace);
  adam_step (self->actor_adam, self->actor->parameters, self->actor->gradient,
             base->values[LEARNING_RATE]);
  self->alpha_slope = (float) (k - log_p);
  adam_step (self->alpha_adam, &self->log_alpha, &self->alpha_slope, base->values[LEARNING_RATE]);
  learner_note (base, TEMPERATURE, alpha);
  return alpha * log_p - values;
}

static gboolean
read_batch (Sac *self, gint n, GError **error)
{
  Learner *base = &self->base;
  const Spaces *spaces = &base->spaces;

  return learner_draw (base, n, error)
         && spaces_read_observations (spaces, base->batch, "", n, self->observation, error)
         && spaces_read_observations (spaces, base->batch, "next/", n, self->next, error)
         && spaces_read_box (spaces, base->batch, n, self->taken, error)
         && spaces_read (base->batch, "next/reward", n, 1, self->reward, error)
         && spaces_read_flags (base->batch, "next/terminated", n, self->terminated, error)
         && learner_read_weights (base, n, self->weight, error);
}

static gboolean
improve (Sac *self, GError **error)
{
  Learner *base = &self->base;
  gint n = (gint) base->values[BATCH_SIZE];
  double critic_loss, actor_loss;

  if (!read_batch (self, n, error))
    return FALSE;
  set_targets (self, n);
  critic_loss = improve_critic (self, 1, n);
  critic_loss += improve_critic (self, 0, n);
  actor_loss = improve_actor (self, n);
  learner_note (base, CRITIC_LOSS, critic_loss);
  learner_note (base, ACTOR_LOSS, actor_loss);
  return learner_check_loss (base, critic_loss + actor_loss, error)
         && learner_set_priorities (base, self->off, n, error);
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  gboolean improved = TRUE;

  if (learner->frames < learner->values[STARTS])
    return TRUE;
  for (gint i = 0; improved && i < (gint) learner->values[UPDATES]; i++)
    improved = improve ((Sac *) learner, error);
  return improved;
}

static gint64
count_frames (const Learner *self)
{
  return (gint64) self->values[EVERY];
}

/* ---- acting ---- */

/* By Box and Muller. */
static double
draw_normal (ReelRandomKey key, gint64 i)
{
  double u = reel_random_double (key, 2 * i),
         angle = 2 * G_PI * reel_random_double (key, 2 * i + 1);

  return sqrt (-2 * log (1 - u)) * cos (angle);
}

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
      double noise = explore && !any ? exp (log_scale) * draw_normal (key, i) : 0;

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
  .count_frames = count_frames,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
};
