/* Three links in a thick fluid: Gymnasium's Swimmer. */
#include "mujoco-terms.h"

struct _ReelSwimmerEnv
{
  ReelMujocoEnv parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelSwimmerEnv, reel_swimmer_env, REEL, SWIMMER_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelSwimmerEnv, reel_swimmer_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET "max-episode-steps=1000,frame-skip=4"

static const ReelId ids[] = {
  { "Swimmer-v4", PRESET ",rules=v4", "three links that swim in a thick fluid" },
  { "Swimmer-v5", PRESET, "three links that swim in a thick fluid" },
  { NULL, NULL, NULL },
};

static void
reel_swimmer_env_class_init (ReelSwimmerEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (
      mujoco_class, ids, "Gymnasium 1.4.0, mujoco/swimmer_v4.py and _v5.py", "swimmer", "swimmer");
  mujoco_class->nq = 2;
  mujoco_class->init_state = reel_mujoco_init_uniform;
  mujoco_class->mark = reel_mujoco_mark_x;
  mujoco_class->observe = reel_mujoco_put_state;
  reel_mujoco_env_class_observe_positions (mujoco_class, 2);
  mujoco_class->compute_reward = reel_mujoco_reward_run;
  reel_mujoco_env_class_add_weight (mujoco_class, "forward-reward-weight", 1);
  reel_mujoco_env_class_add_weight (mujoco_class, "ctrl-cost-weight", 1e-4);
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0.1);
  reel_mujoco_env_class_add_flag (mujoco_class, "exclude-current-positions-from-observation");
}

static void
reel_swimmer_env_init (ReelSwimmerEnv *self)
{
}
