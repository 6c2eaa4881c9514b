/* A runner of two legs in a plane: Gymnasium's HalfCheetah. */
#include "mujoco-terms.h"

#include <math.h>

struct _ReelHalfCheetahEnv
{
  ReelMujocoEnv parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelHalfCheetahEnv, reel_half_cheetah_env, REEL, HALF_CHEETAH_ENV,
                      ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelHalfCheetahEnv, reel_half_cheetah_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET "max-episode-steps=1000,frame-skip=5"

static const ReelId ids[] = {
  { "HalfCheetah-v4", PRESET ",rules=v4", "a runner of two legs in a plane" },
  { "HalfCheetah-v5", PRESET, "a runner of two legs in a plane" },
  { NULL, NULL, NULL },
};

static void
reel_half_cheetah_env_class_init (ReelHalfCheetahEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (mujoco_class, ids,
                                  "Gymnasium 1.4.0, mujoco/half_cheetah_v4.py and _v5.py",
                                  "half-cheetah", "half-cheetah");
  mujoco_class->nq = 1;
  reel_mujoco_env_class_set_view (mujoco_class, 4, NAN, 0);
  mujoco_class->init_state = reel_mujoco_init_normal;
  mujoco_class->mark = reel_mujoco_mark_x;
  mujoco_class->observe = reel_mujoco_put_state;
  reel_mujoco_env_class_observe_positions (mujoco_class, 1);
  mujoco_class->compute_reward = reel_mujoco_reward_run;
  reel_mujoco_env_class_add_weight (mujoco_class, "forward-reward-weight", 1);
  reel_mujoco_env_class_add_weight (mujoco_class, "ctrl-cost-weight", 0.1);
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0.1);
  reel_mujoco_env_class_add_flag (mujoco_class, "exclude-current-positions-from-observation");
}

static void
reel_half_cheetah_env_init (ReelHalfCheetahEnv *self)
{
}
