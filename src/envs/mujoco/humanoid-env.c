/* A human figure that walks: Gymnasium's Humanoid. */
#include "mujoco-terms.h"

struct _ReelHumanoidEnv
{
  ReelMujocoEnv parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelHumanoidEnv, reel_humanoid_env, REEL, HUMANOID_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelHumanoidEnv, reel_humanoid_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET                                                                                     \
  "max-episode-steps=1000,frame-skip=5,healthy-z-range=[1,2],contact-cost-range=[-inf,10]"

static const ReelId ids[] = {
  { "Humanoid-v4", PRESET ",rules=v4", "a human figure that walks" },
  { "Humanoid-v5", PRESET, "a human figure that walks" },
  { NULL, NULL, NULL },
};

/* x of the center of mass, as NumPy adds the masses. */
static void
mark (ReelMujocoEnv *self, const mjData *data, double *marks)
{
  const mjModel *model = reel_mujoco_env_get_model (self);
  double moment = 0;

  for (int i = 0; i < model->nbody; i++)
    moment += model->body_mass[i] * data->xipos[3 * i];
  marks[0] = moment / reel_mujoco_sum (model->body_mass, (gsize) model->nbody);
}

static void
compute_reward (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  const mjModel *model = reel_mujoco_env_get_model (self);
  gboolean healthy = reel_mujoco_in_range (arguments->healthy_z_range, step->data->qpos[2]);
  double x[REEL_MUJOCO_MARKS];

  mark (self, step->data, x);

  double forward =
      arguments->forward_reward_weight * ((x[0] - step->before[0]) / reel_mujoco_env_get_dt (self));
  double cost = arguments->ctrl_cost_weight
                * reel_mujoco_sum_of_squares (step->data->ctrl, (gsize) model->nu);

  if (!reel_mujoco_is_v4 (self))
    cost += reel_mujoco_contact_cost (self, step->data);
  step->reward = forward + reel_mujoco_healthy_reward (self, step, healthy) - cost;
}

static void
reel_humanoid_env_class_init (ReelHumanoidEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (mujoco_class, ids,
                                  "Gymnasium 1.4.0, mujoco/humanoid_v4.py and _v5.py", "humanoid",
                                  "humanoid");
  mujoco_class->uses_contact_forces = TRUE;
  mujoco_class->nq = 3;
  mujoco_class->nv = 6;
  reel_mujoco_env_class_set_view (mujoco_class, 4, 2, -20);
  mujoco_class->init_state = reel_mujoco_init_uniform;
  mujoco_class->mark = mark;
  mujoco_class->observe = reel_mujoco_observe_body;
  reel_mujoco_env_class_observe_positions (mujoco_class, 2);
  mujoco_class->compute_reward = compute_reward;
  reel_mujoco_env_class_add_weight (mujoco_class, "forward-reward-weight", 1.25);
  reel_mujoco_env_class_add_weight (mujoco_class, "ctrl-cost-weight", 0.1);
  reel_mujoco_env_class_add_weight (mujoco_class, "contact-cost-weight", 5e-7);
  reel_mujoco_env_class_add_weight (mujoco_class, "healthy-reward", 5);
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0.01);
  reel_mujoco_env_class_add_flag (mujoco_class, "terminate-when-unhealthy");
  reel_mujoco_env_class_add_range (mujoco_class, "healthy-z-range");
  reel_mujoco_env_class_add_range (mujoco_class, "contact-cost-range");
  reel_mujoco_env_class_add_body (mujoco_class);
}

static void
reel_humanoid_env_init (ReelHumanoidEnv *self)
{
}
