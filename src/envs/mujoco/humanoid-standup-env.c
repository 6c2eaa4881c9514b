/* A human figure that stands up: Gymnasium's HumanoidStandup. */
#include "mujoco-terms.h"

#include <float.h>

struct _ReelHumanoidStandupEnv
{
  ReelMujocoEnv parent_instance;

  double uph_cost_weight;
};

G_DECLARE_FINAL_TYPE (ReelHumanoidStandupEnv, reel_humanoid_standup_env, REEL, HUMANOID_STANDUP_ENV,
                      ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelHumanoidStandupEnv, reel_humanoid_standup_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET "max-episode-steps=1000,frame-skip=5,impact-cost-range=[-inf,10]"

static const ReelId ids[] = {
  { "HumanoidStandup-v4", PRESET ",rules=v4", "a human figure that rises" },
  { "HumanoidStandup-v5", PRESET, "a human figure that rises" },
  { NULL, NULL, NULL },
};

/* compute_reward: the height is divided by the time of a step of MuJoCo, not of the environment. */
static void
compute_reward (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  const mjModel *model = reel_mujoco_env_get_model (self);
  double up = step->data->qpos[2] / model->opt.timestep;
  double control = arguments->ctrl_cost_weight
                   * reel_mujoco_sum_of_squares (step->data->ctrl, (gsize) model->nu);

  step->reward = up - control - reel_mujoco_contact_cost (self, step->data) + 1;
}

static void
reel_humanoid_standup_env_class_init (ReelHumanoidStandupEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (mujoco_class, ids,
                                  "Gymnasium 1.4.0, mujoco/humanoidstandup_v4.py and _v5.py",
                                  "humanoid-standup", "humanoid-standup");
  mujoco_class->uses_contact_forces = TRUE;
  mujoco_class->nq = 3;
  mujoco_class->nv = 6;
  reel_mujoco_env_class_set_view (mujoco_class, 4, 0.8925, -20);
  mujoco_class->init_state = reel_mujoco_init_uniform;
  mujoco_class->observe = reel_mujoco_observe_body;
  reel_mujoco_env_class_observe_positions (mujoco_class, 2);
  mujoco_class->compute_reward = compute_reward;
  reel_mujoco_env_class_add_weight (mujoco_class, "ctrl-cost-weight", 0.1);
  reel_mujoco_env_class_add_weight (mujoco_class, "impact-cost-weight", 0.5e-6);
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0.01);
  reel_mujoco_env_class_add_range (mujoco_class, "impact-cost-range");
  reel_mujoco_env_class_add_body (mujoco_class);
  reel_object_class_add_double (REEL_OBJECT_CLASS (klass), "uph-cost-weight",
                                G_STRUCT_OFFSET (ReelHumanoidStandupEnv, uph_cost_weight), -DBL_MAX,
                                DBL_MAX, 1, NULL, "as in Gymnasium without effect",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_humanoid_standup_env_init (ReelHumanoidStandupEnv *self)
{
}
