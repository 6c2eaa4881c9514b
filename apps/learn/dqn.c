/* DQN: the values of classes, learned from a replay buffer. Mnih et al. (2015); double: van Hasselt
 * et al. (2015); priorities: Schaul et al. (2015). */
#include "learner.h"
#include "losses.h"

#include <string.h>

enum
{
  GAMMA = N_COMMON_SETTINGS,
  N_STEP,
  DOUBLE,
  CAPACITY,
  STARTS,
  EVERY,
  UPDATES,
  TAU,
  TARGET_EVERY,
  EXPLORE_START,
  EXPLORE_END,
  EXPLORE_SHARE,
  MAX_NORM,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 128, 1, 1 << 20, "rows of a batch" },
  { "gamma", SETTING_REAL, 0.99, 0, 1, "discount of each further reward" },
  { "n-step", SETTING_INTEGER, 5, 1, 1000, "rewards that a target sums up" },
  { "double", SETTING_SWITCH, 1, 0, 1, "let the online network choose the action of a target" },
  { "capacity", SETTING_INTEGER, 100000, 1, 1e12, "rows that the buffer keeps" },
  { "learning-starts", SETTING_INTEGER, 1000, 0, 1e12, "frames before the first update" },
  { "update-every", SETTING_INTEGER, 8, 1, 1e9, "frames between rounds of updates" },
  { "updates", SETTING_INTEGER, 4, 1, 1e6, "updates of a round" },
  { "tau", SETTING_REAL, 0.005, 0, 1, "step of the target network towards the online one" },
  { "target-every", SETTING_INTEGER, 1, 1, 1e9, "updates between two of these steps" },
  { "epsilon-start", SETTING_REAL, 1, 0, 1, "chance of a random action at the beginning" },
  { "epsilon-end", SETTING_REAL, 0.02, 0, 1, "the chance after the exploration" },
  { "exploration-fraction", SETTING_REAL, 0.1, 0, 1, "share of the frames until then" },
  { "max-grad-norm", SETTING_REAL, 10, 0, 1e12, "greatest norm of a gradient" },
  { NULL, 0, 0, 0, 0, NULL },
};

enum
{
  LOSS,
  VALUE,
  EPSILON,
};

typedef struct
{
  Learner base;
  Network *online, *target;
  Trace *now, *next, *late;
  Adam *adam;
  gint64 *classes;
  float *reward, *weight, *off, *gamma;
  guint8 *terminated;
} Dqn;

static gboolean
begin (Learner *learner, GError **error)
{
  Dqn *self = (Dqn *) learner;
  gint n = (gint) learner->values[BATCH_SIZE];

  self->online =
      learner_make_network (learner, learner->spaces.n_inputs, (gint) learner->spaces.n_classes,
                            (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->target = network_copy (self->online);
  self->now = trace_new (self->online, n);
  self->next = trace_new (self->online, n);
  self->late = trace_new (self->online, n);
  self->adam = adam_new (self->online->n_parameters, 1e-8);
  self->classes = g_new (gint64, n);
  self->reward = g_new (float, n);
  self->weight = g_new (float, n);
  self->off = g_new (float, n);
  self->gamma = g_new (float, n);
  self->terminated = g_new (guint8, n);
  return TRUE;
}

static void
clear (Learner *learner)
{
  Dqn *self = (Dqn *) learner;

  network_free (self->online);
  network_free (self->target);
  trace_free (self->now);
  trace_free (self->next);
  trace_free (self->late);
  adam_free (self->adam);
  g_free (self->classes);
  g_free (self->reward);
  g_free (self->weight);
  g_free (self->off);
  g_free (self->gamma);
  g_free (self->terminated);
}

static void
list_state (Learner *learner, StateList *list)
{
  Dqn *self = (Dqn *) learner;

  state_list_add_network (list, "online", self->online);
  state_list_add_network (list, "target", self->target);
  state_list_add_adam (list, "adam", self->adam);
}

static gboolean
read_batch (Dqn *self, gint n, GError **error)
{
  Learner *base = &self->base;
  const Spaces *spaces = &base->spaces;
  ReelTensordict *batch = base->batch;

  for (gint i = 0; i < n; i++)
    self->gamma[i] = (float) base->values[GAMMA];
  return spaces_read_observations (spaces, batch, "", n, trace_get_inputs (self->now), error)
         && spaces_read_observations (spaces, batch, "next/", n, trace_get_inputs (self->next),
                                      error)
         && spaces_read_classes (spaces, batch, n, self->classes, error)
         && spaces_read (batch, "next/reward", n, 1, self->reward, error)
         && spaces_read_flags (batch, "next/terminated", n, self->terminated, error)
         && (base->values[N_STEP] == 1 || spaces_read (batch, "gamma", n, 1, self->gamma, error))
         && learner_read_weights (base, n, self->weight, error);
}

/* The differences to the targets become slopes. Returns the loss. */
static double
compare (Dqn *self, gint n)
{
  gint k = (gint) self->base.spaces.n_classes;
  const float *values = network_run (self->online, self->now, n);
  float *slopes = trace_get_slopes (self->now);
  double loss = 0, sum = 0;

  memcpy (trace_get_inputs (self->late), trace_get_inputs (self->next),
          (gsize) n * (gsize) self->base.spaces.n_inputs * sizeof (float));
  const float *late = network_run (self->target, self->late, n);
  const float *next = self->base.values[DOUBLE] ? network_run (self->online, self->next, n) : late;

  memset (slopes, 0, (gsize) n * (gsize) k * sizeof (float));
  for (gint i = 0; i < n; i++)
    {
      double after = (double) late[i * k + learner_find_greatest (next + i * k, k)], slope;
      double value = (double) values[i * k + self->classes[i]];
      double target =
          (double) self->reward[i] + (self->terminated[i] ? 0 : (double) self->gamma[i] * after);

      self->off[i] = (float) (value - target);
      loss += (double) self->weight[i] * loss_huber (value - target, &slope) / n;
      slopes[i * k + self->classes[i]] = (float) ((double) self->weight[i] * slope / n);
      sum += value;
    }
  learner_note (&self->base, VALUE, sum / n);
  return loss;
}

static gboolean
improve (Dqn *self, GError **error)
{
  Learner *base = &self->base;
  gint n = (gint) base->values[BATCH_SIZE];
  double loss;

  if (!learner_draw (base, n, error) || !read_batch (self, n, error))
    return FALSE;
  loss = compare (self, n);
  if (!learner_check_loss (base, loss, error))
    return FALSE;
  learner_note (base, LOSS, loss);
  network_differentiate (self->online, self->now);
  clip_gradients (&self->online, 1, base->values[MAX_NORM]);
  adam_step (self->adam, self->online->parameters, self->online->gradient,
             base->values[LEARNING_RATE]);
  if (base->n_updates % (gint64) base->values[TARGET_EVERY] == 0)
    network_follow (self->target, self->online, base->values[TAU]);
  return learner_set_priorities (base, self->off, n, error);
}

static double
get_epsilon (const Learner *self)
{
  const double *values = self->values;
  double share = values[EXPLORE_SHARE] > 0 ? MIN (self->done / values[EXPLORE_SHARE], 1) : 1;

  return values[EXPLORE_START] + share * (values[EXPLORE_END] - values[EXPLORE_START]);
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  Dqn *self = (Dqn *) learner;
  gboolean improved = TRUE;

  learner_note (learner, EPSILON, get_epsilon (learner));
  if (learner->frames < learner->values[STARTS]
      || reel_replay_buffer_get_length (learner->buffer) == 0)
    return TRUE;
  for (gint i = 0; improved && i < (gint) learner->values[UPDATES]; i++)
    improved = improve (self, error);
  return improved;
}

static gint64
count_frames (const Learner *self)
{
  return (gint64) self->values[EVERY];
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  gint64 k = self->spaces.n_classes;
  double epsilon = explore ? get_epsilon (self) : 0;
  ReelRandomKey whether = reel_random_key (self->seed, 2 * step);
  ReelRandomKey which = reel_random_key (self->seed, 2 * step + 1);

  for (gint64 lane = 0; lane < n; lane++)
    if (epsilon > 0 && reel_random_double (whether, lane) < epsilon)
      actions[lane] = (double) reel_random_below (which, lane, k);
    else
      actions[lane] = (double) learner_find_greatest (outputs + lane * k, k);
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = "head=deterministic";
  return ((const Dqn *) self)->online;
}

const LearnerClass dqn_learner = {
  .name = "dqn",
  .about = "learn the values of classes from a replay buffer",
  .source = LEARN_FROM_STEPS,
  .env = "CartPole-v1",
  .total = "100k",
  .num_envs = "8",
  .hidden = "64,64",
  .activation = "relu",
  .takes_classes = TRUE,
  .settings = settings,
  .scalars = { "train/loss", "train/q_values", "rollout/exploration_rate" },
  .size = sizeof (Dqn),
  .begin = begin,
  .clear = clear,
  .list_state = list_state,
  .count_frames = count_frames,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
};
