/* Behaviour cloning: the actions of saved data, learned as a classification or a regression. */
#include "learner.h"
#include "losses.h"

enum
{
  NORMALIZE = N_COMMON_SETTINGS,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 256, 1, 1 << 20, "rows of a batch" },
  { "normalize", SETTING_SWITCH, 1, 0, 1, "scale observations by the mean and deviation of data" },
  { NULL, 0, 0, 0, 0, NULL },
};

enum
{
  LOSS,
};

typedef struct
{
  Learner base;
  Network *network;
  Trace *trace;
  Adam *adam;
  gint64 *classes;
  float *actions;
} Bc;

static gboolean
begin (Learner *learner, GError **error)
{
  Bc *self = (Bc *) learner;
  const Spaces *spaces = &learner->spaces;
  gint n = (gint) learner->values[BATCH_SIZE];
  gint n_out = spaces->n_classes > 0 ? (gint) spaces->n_classes : spaces->n_actions;

  self->network =
      learner_make_network (learner, spaces->n_inputs, n_out, (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->trace = trace_new (self->network, n);
  self->adam = adam_new (self->network->n_parameters, 1e-8);
  self->classes = g_new (gint64, n);
  self->actions = g_new (float, n *spaces_count_actions (spaces));
  return TRUE;
}

static void
clear (Learner *learner)
{
  Bc *self = (Bc *) learner;

  network_free (self->network);
  trace_free (self->trace);
  adam_free (self->adam);
  g_free (self->classes);
  g_free (self->actions);
}

static void
list_state (Learner *learner, StateList *list)
{
  Bc *self = (Bc *) learner;

  state_list_add_network (list, "network", self->network);
  state_list_add_adam (list, "adam", self->adam);
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  Bc *self = (Bc *) learner;
  const Spaces *spaces = &learner->spaces;
  gint n = (gint) learner->values[BATCH_SIZE];
  gboolean classes = spaces->n_classes > 0;
  double loss;

  if (!learner_draw (learner, n, error)
      || !spaces_read_observations (spaces, learner->batch, "", n, trace_get_inputs (self->trace),
                                    error)
      || !(classes ? spaces_read_classes (spaces, learner->batch, n, self->classes, error)
                   : spaces_read_box (spaces, learner->batch, n, self->actions, error)))
    return FALSE;
  const float *outputs = network_run (self->network, self->trace, n);
  float *slopes = trace_get_slopes (self->trace);
  loss = classes ? loss_cross_entropy (outputs, self->classes, n, (gint) spaces->n_classes, slopes)
                 : loss_squares (outputs, self->actions, n, spaces->n_actions, 1, slopes);
  learner_note (learner, LOSS, loss);
  if (!learner_check_loss (learner, loss, error))
    return FALSE;
  network_differentiate (self->network, self->trace);
  adam_step (self->adam, self->network->parameters, self->network->gradient,
             learner->values[LEARNING_RATE]);
  return TRUE;
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  gint64 k = self->spaces.n_classes;

  if (k == 0)
    for (gint64 i = 0; i < n * self->spaces.n_actions; i++)
      actions[i] = (double) outputs[i];
  else
    for (gint64 lane = 0; lane < n; lane++)
      actions[lane] = (double) learner_find_greatest (outputs + lane * k, k);
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = self->spaces.n_classes > 0 ? "head=categorical" : "head=deterministic";
  return ((const Bc *) self)->network;
}

const LearnerClass bc_learner = {
  .name = "bc",
  .about = "learn to act as saved data do",
  .source = LEARN_FROM_DATA,
  .total = "20k",
  .hidden = "64,64",
  .activation = "relu",
  .takes_classes = TRUE,
  .takes_boxes = TRUE,
  .settings = settings,
  .normalizes = NORMALIZE,
  .scalars = { "train/loss" },
  .size = sizeof (Bc),
  .begin = begin,
  .clear = clear,
  .list_state = list_state,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
};
