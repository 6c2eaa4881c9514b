/* One leg in a plane: Gymnasium's Hopper. */
#include "mujoco-terms.h"

struct _ReelHopperEnv
{
  ReelMujocoEnv parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelHopperEnv, reel_hopper_env, REEL, HOPPER_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelHopperEnv, reel_hopper_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET                                                                                     \
  "max-episode-steps=1000,frame-skip=4,healthy-state-range=[-100,100],healthy-z-range=[0.7,inf],"  \
  "healthy-angle-range=[-0.2,0.2]"

static const ReelId ids[] = {
  { "Hopper-v4", PRESET ",rules=v4", "one leg that hops in a plane" },
  { "Hopper-v5", PRESET, "one leg that hops in a plane" },
  { NULL, NULL, NULL },
};

static gboolean
are_in_range (const GArray *range, const double *values, int n)
{
  for (int i = 0; i < n; i++)
    if (!reel_mujoco_in_range (range, values[i]))
      return FALSE;
  return TRUE;
}

static gboolean
is_healthy (ReelMujocoEnv *self, const mjData *data)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  const mjModel *model = reel_mujoco_env_get_model (self);

  return are_in_range (arguments->healthy_state_range, data->qpos + 2, model->nq - 2)
         && are_in_range (arguments->healthy_state_range, data->qvel, model->nv)
         && reel_mujoco_is_upright (self, data);
}

static void
compute_reward (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  reel_mujoco_reward_walk (self, step, is_healthy (self, step->data));
}

static void
reel_hopper_env_class_init (ReelHopperEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (
      mujoco_class, ids, "Gymnasium 1.4.0, mujoco/hopper_v4.py and _v5.py", "hopper", "hopper");
  reel_mujoco_env_class_set_view (mujoco_class, 3, 1.15, -20);
  reel_mujoco_env_class_add_walk (mujoco_class);
  mujoco_class->compute_reward = compute_reward;
  reel_mujoco_env_class_add_range (mujoco_class, "healthy-state-range");
}

static void
reel_hopper_env_init (ReelHopperEnv *self)
{
}
