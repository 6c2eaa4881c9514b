/* IQL: the values of actions that saved data contain, and of no others. The value of an observation
 * is an upper expectile of these, and the policy clones actions, the better ones more. A class is a
 * box here, whose numbers are 0 but for that of the class. Kostrikov et al. (2021). */
#include "critics.h"
#include "losses.h"

#include <math.h>
#include <string.h>

enum
{
  GAMMA = N_COMMON_SETTINGS,
  TAU,
  EXPECTILE,
  BETA,
  NORMALIZE,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 256, 1, 1 << 20, "rows of a batch" },
  { "gamma", SETTING_REAL, 0.99, 0, 1, "discount of each further reward" },
  { "tau", SETTING_REAL, 0.005, 0, 1, "step of the target critics towards the online ones" },
  { "expectile", SETTING_REAL, 0.7, 0, 1, "share of the better actions in a value; 0.5 for means" },
  { "beta", SETTING_REAL, 3, 0, 1e6, "weight of advantages; 0 clones all actions alike" },
  { "normalize", SETTING_SWITCH, 1, 0, 1, "scale observations by the mean and deviation of data" },
  { NULL, 0, 0, 0, 0, NULL },
};

#define MOST_WEIGHT 100 /* of a row that is cloned */

enum
{
  CRITIC_LOSS,
  ACTOR_LOSS,
  VALUE_LOSS,
  VALUE,
};

/* A network that learns. */
typedef struct
{
  Network *network;
  Trace *trace;
  Adam *adam;
} Part;

typedef struct
{
  Learner base;
  Critics critics;
  Part value, policy;
  float *advantage, *weight; /* of rows */
  float *actions, *slopes;   /* of a box */
  gint64 *classes;
  float *log_scales; /* of the exported policy */
} Iql;

static void
init_part (Part *self, Learner *learner, gint n_out)
{
  self->network = learner_make_network (learner, learner->spaces.n_inputs, n_out,
                                        (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->trace = trace_new (self->network, (gint) learner->values[BATCH_SIZE]);
  self->adam = adam_new (self->network->n_parameters, 1e-8);
}

static void
clear_part (Part *self)
{
  network_free (self->network);
  trace_free (self->trace);
  adam_free (self->adam);
}

static gboolean
begin (Learner *learner, GError **error)
{
  Iql *self = (Iql *) learner;
  gint n = (gint) learner->values[BATCH_SIZE], k = spaces_count_numbers (&learner->spaces);

  init_part (&self->policy, learner, k);
  init_part (&self->value, learner, 1);
  critics_init (&self->critics, learner);
  self->advantage = g_new (float, n);
  self->weight = g_new (float, n);
  self->actions = g_new (float, n *k);
  self->slopes = g_new (float, n *k);
  self->classes = g_new (gint64, n);
  self->log_scales = g_new (float, k);
  for (gint i = 0; i < k; i++)
    self->log_scales[i] = (float) log (LEAST_NOISE);
  return TRUE;
}

static void
clear (Learner *learner)
{
  Iql *self = (Iql *) learner;

  clear_part (&self->policy);
  clear_part (&self->value);
  critics_clear (&self->critics);
  g_free (self->advantage);
  g_free (self->weight);
  g_free (self->actions);
  g_free (self->slopes);
  g_free (self->classes);
  g_free (self->log_scales);
}

static void
list_state (Learner *learner, StateList *list)
{
  Iql *self = (Iql *) learner;

  critics_list_state (&self->critics, list);
  state_list_add_network (list, "value", self->value.network);
  state_list_add_adam (list, "value-adam", self->value.adam);
  state_list_add_network (list, "policy", self->policy.network);
  state_list_add_adam (list, "policy-adam", self->policy.adam);
}

static const float *
run (const Iql *self, Part *part, const float *observation)
{
  const Critics *critics = &self->critics;

  memcpy (trace_get_inputs (part->trace), observation,
          (gsize) (critics->n * critics->width) * sizeof (float));
  return network_run (part->network, part->trace, critics->n);
}

static void
improve (Part *part, double rate)
{
  network_differentiate (part->network, part->trace);
  adam_step (part->adam, part->network->parameters, part->network->gradient, rate);
}

/* Also finds out how much better actions were than this value. Returns the loss. */
static double
improve_value (Iql *self)
{
  Critics *critics = &self->critics;
  const float *values = run (self, &self->value, critics->observation);
  double sum = 0, loss;

  critics_judge (critics, critics->observation, critics->taken);
  for (gint i = 0; i < critics->n; i++)
    {
      sum += (double) values[i];
      self->advantage[i] = critics->value[i] - values[i];
    }
  learner_note (&self->base, VALUE, sum / critics->n);
  loss = loss_expectile (values, critics->value, critics->weight, critics->n,
                         self->base.values[EXPECTILE], trace_get_slopes (self->value.trace));
  improve (&self->value, self->base.values[LEARNING_RATE]);
  return loss;
}

/* Its steps become 0 at the end of the run, as those of the authors' code. */
static double
improve_policy (Iql *self)
{
  const Critics *critics = &self->critics;
  gint n = critics->n, k = critics->k;
  const float *outputs = run (self, &self->policy, critics->observation);
  float *slopes = trace_get_slopes (self->policy.trace);
  double beta = self->base.values[BETA], loss;

  for (gint i = 0; i < n; i++)
    self->weight[i] =
        critics->weight[i] * (float) MIN (exp (beta * (double) self->advantage[i]), MOST_WEIGHT);
  if (self->base.spaces.n_classes > 0)
    {
      memset (slopes, 0, (gsize) (n * k) * sizeof (float));
      loss = loss_conservative (outputs, self->classes, self->weight, n, k, 1, slopes);
    }
  else
    {
      bend (outputs, n * k, self->actions);
      loss =
          loss_weighted_squares (self->actions, critics->taken, self->weight, n, k, self->slopes);
      bend_back (self->actions, self->slopes, n * k, slopes);
    }
  improve (&self->policy,
           self->base.values[LEARNING_RATE] * (1 + cos (G_PI * self->base.done)) / 2);
  return loss;
}

static double
improve_critics (Iql *self)
{
  Critics *critics = &self->critics;

  critics_aim (critics, run (self, &self->value, critics->next));
  return critics_improve (critics);
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  Iql *self = (Iql *) learner;
  Critics *critics = &self->critics;
  double value_loss, actor_loss, critic_loss;

  if (!critics_read (critics, learner->values[GAMMA], error)
      || (learner->spaces.n_classes > 0
          && !spaces_read_classes (&learner->spaces, learner->batch, critics->n, self->classes,
                                   error)))
    return FALSE;
  value_loss = improve_value (self);
  actor_loss = improve_policy (self);
  critic_loss = improve_critics (self);
  critics_follow (critics, learner->values[TAU]);
  learner_note (learner, VALUE_LOSS, value_loss);
  learner_note (learner, ACTOR_LOSS, actor_loss);
  learner_note (learner, CRITIC_LOSS, critic_loss);
  return learner_check_loss (learner, value_loss + actor_loss + critic_loss, error)
         && learner_set_priorities (learner, critics->off, critics->n, error);
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  gint64 k = self->spaces.n_classes;

  if (k == 0)
    for (gint64 i = 0; i < n * self->spaces.n_actions; i++)
      actions[i] = tanh ((double) outputs[i]);
  else
    for (gint64 lane = 0; lane < n; lane++)
      actions[lane] = (double) learner_find_greatest (outputs + lane * k, k);
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = self->spaces.n_classes > 0 ? "head=categorical" : "head=tanh-normal,scale=exp";
  return ((const Iql *) self)->policy.network;
}

static const float *
get_log_scales (const Learner *self)
{
  return self->spaces.n_classes > 0 ? NULL : ((const Iql *) self)->log_scales;
}

const LearnerClass iql_learner = {
  .name = "iql",
  .about = "learn actions that are better than those of saved data, by their values alone",
  .source = LEARN_FROM_DATA,
  .total = "20k",
  .hidden = "64,64",
  .activation = "relu",
  .takes_classes = TRUE,
  .takes_boxes = TRUE,
  .settings = settings,
  .normalizes = NORMALIZE,
  .scalars = { "train/critic_loss", "train/actor_loss", "train/value_loss", "train/values" },
  .size = sizeof (Iql),
  .begin = begin,
  .clear = clear,
  .list_state = list_state,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
  .get_log_scales = get_log_scales,
};
