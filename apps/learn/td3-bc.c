/* TD3+BC: TD3 on saved data, whose policy also keeps to the actions of the data. Fujimoto and Gu
 * (2021). */
#include "td3.h"

#include <math.h>

enum
{
  WEIGHT = N_TD3_SETTINGS,
  NORMALIZE,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 256, 1, 1 << 20, "rows of a batch" },
  { "gamma", SETTING_REAL, 0.99, 0, 1, "discount of each further reward" },
  { "tau", SETTING_REAL, 0.005, 0, 1, "step of the target networks towards the online ones" },
  { "policy-delay", SETTING_INTEGER, 2, 1, 1e6, "updates of the critics for one of the policy" },
  { "target-noise", SETTING_REAL, 0.2, 0, 10, "deviation of the noise on actions of targets" },
  { "target-noise-clip", SETTING_REAL, 0.5, 0, 10, "greatest size of that noise" },
  { "alpha", SETTING_REAL, 2.5, 1e-6, 1e6, "weight of values against the cloning of actions" },
  { "normalize", SETTING_SWITCH, 1, 0, 1, "scale observations by the mean and deviation of data" },
  { NULL, 0, 0, 0, 0, NULL },
};

static gboolean
begin (Learner *learner, GError **error)
{
  td3_begin ((Td3 *) learner, 0);
  return TRUE;
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  return td3_improve ((Td3 *) learner, learner->values[WEIGHT], error);
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  for (gint64 i = 0; i < n * self->spaces.n_actions; i++)
    actions[i] = tanh ((double) outputs[i]);
}

const LearnerClass td3_bc_learner = {
  .name = "td3-bc",
  .about = "learn actions of a box that are better than those of saved data",
  .source = LEARN_FROM_DATA,
  .total = "20k",
  .hidden = "64,64",
  .activation = "relu",
  .takes_boxes = TRUE,
  .settings = settings,
  .normalizes = NORMALIZE,
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
