/* DQN: the values of classes, learned from a replay buffer. Mnih et al. (2015); priorities: Schaul
 * et al. (2015). */
#include "class-values.h"
#include "exploration.h"

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

/* Rows of 43 KB, and a network whose updates take longer. */
static const PixelDefault of_pixels[] = {
  { "batch-size", 32 },
  { "capacity", 20000 },
  { "updates", 1 },
  { NULL, 0 },
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
  ClassValues values;
} Dqn;

static gboolean
begin (Learner *learner, GError **error)
{
  class_values_init (&((Dqn *) learner)->values, learner);
  return TRUE;
}

static void
clear (Learner *learner)
{
  class_values_clear (&((Dqn *) learner)->values);
}

static void
list_state (Learner *learner, StateList *list)
{
  class_values_list_state (&((Dqn *) learner)->values, list);
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  const double *values = learner->values;
  const ValueRules rules = { .gamma = values[GAMMA],
                             .tau = values[TAU],
                             .max_norm = values[MAX_NORM],
                             .target_every = (gint64) values[TARGET_EVERY],
                             .twice = values[DOUBLE] != 0 };
  ValueStats stats;

  if (!class_values_improve (&((Dqn *) learner)->values, &rules, &stats, error))
    return FALSE;
  learner_note (learner, LOSS, stats.loss);
  learner_note (learner, VALUE, stats.value);
  learner_note (learner, EPSILON, exploration_get_chance (learner, EXPLORE_START));
  return TRUE;
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  double chance = explore ? exploration_get_chance (self, EXPLORE_START) : 0;

  exploration_choose (self, chance, outputs, n, step, actions);
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = "head=deterministic";
  return ((const Dqn *) self)->values.online;
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
  .of_pixels = of_pixels,
  .settings = settings,
  .scalars = { "train/loss", "train/q_values", "rollout/exploration_rate" },
  .size = sizeof (Dqn),
  .begin = begin,
  .clear = clear,
  .list_state = list_state,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
};
