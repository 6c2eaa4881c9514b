/* CQL for classes: the values of DQN, learned from saved data. A further term keeps values of
 * classes that the data do not take low, for no step will ever correct them. Kumar et al. (2020).
 */
#include "class-values.h"

enum
{
  GAMMA = N_COMMON_SETTINGS,
  WEIGHT,
  DOUBLE,
  TAU,
  TARGET_EVERY,
  MAX_NORM,
  NORMALIZE,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 256, 1, 1 << 20, "rows of a batch" },
  { "gamma", SETTING_REAL, 0.99, 0, 1, "discount of each further reward" },
  { "cql-weight", SETTING_REAL, 1, 0, 1e6, "weight of the term that keeps other values low" },
  { "double", SETTING_SWITCH, 1, 0, 1, "let the online network choose the action of a target" },
  { "tau", SETTING_REAL, 0.005, 0, 1, "step of the target network towards the online one" },
  { "target-every", SETTING_INTEGER, 1, 1, 1e9, "updates between two of these steps" },
  { "max-grad-norm", SETTING_REAL, 10, 0, 1e12, "greatest norm of a gradient" },
  { "normalize", SETTING_SWITCH, 1, 0, 1, "scale observations by the mean and deviation of data" },
  { NULL, 0, 0, 0, 0, NULL },
};

enum
{
  LOSS,
  VALUE,
  CONSERVATIVE_LOSS,
};

typedef struct
{
  Learner base;
  ClassValues values;
} Cql;

static gboolean
begin (Learner *learner, GError **error)
{
  class_values_init (&((Cql *) learner)->values, learner);
  return TRUE;
}

static void
clear (Learner *learner)
{
  class_values_clear (&((Cql *) learner)->values);
}

static void
list_state (Learner *learner, StateList *list)
{
  class_values_list_state (&((Cql *) learner)->values, list);
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  const double *values = learner->values;
  const ValueRules rules = { .gamma = values[GAMMA],
                             .tau = values[TAU],
                             .max_norm = values[MAX_NORM],
                             .target_every = (gint64) values[TARGET_EVERY],
                             .twice = values[DOUBLE] != 0,
                             .conservatism = values[WEIGHT] };
  ValueStats stats;

  if (!class_values_improve (&((Cql *) learner)->values, &rules, &stats, error))
    return FALSE;
  learner_note (learner, LOSS, stats.loss);
  learner_note (learner, VALUE, stats.value);
  learner_note (learner, CONSERVATIVE_LOSS, stats.conservative);
  return TRUE;
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  gint64 k = self->spaces.n_classes;

  for (gint64 lane = 0; lane < n; lane++)
    actions[lane] = (double) learner_find_greatest (outputs + lane * k, k);
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = "head=deterministic";
  return ((const Cql *) self)->values.online;
}

const LearnerClass cql_learner = {
  .name = "cql",
  .about = "learn values of classes from saved data, low where the data have none",
  .source = LEARN_FROM_DATA,
  .total = "20k",
  .hidden = "64,64",
  .activation = "relu",
  .takes_classes = TRUE,
  .settings = settings,
  .normalizes = NORMALIZE,
  .scalars = { "train/loss", "train/q_values", "train/conservative_loss" },
  .size = sizeof (Cql),
  .begin = begin,
  .clear = clear,
  .list_state = list_state,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
};
