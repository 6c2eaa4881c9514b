/* Two legs in a plane: Gymnasium's Walker2d. */
#include "mujoco-terms.h"

struct _ReelWalker2dEnv
{
  ReelMujocoEnv parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelWalker2dEnv, reel_walker2d_env, REEL, WALKER2D_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelWalker2dEnv, reel_walker2d_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET                                                                                     \
  "max-episode-steps=1000,frame-skip=4,healthy-z-range=[0.8,2],healthy-angle-range=[-1,1]"

static const ReelId ids[] = {
  { "Walker2d-v4", PRESET ",rules=v4", "two legs that walk in a plane" },
  { "Walker2d-v5", PRESET, "two legs that walk in a plane" },
  { NULL, NULL, NULL },
};

static void
compute_reward (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  reel_mujoco_reward_walk (self, step, reel_mujoco_is_upright (self, step->data));
}

static void
reel_walker2d_env_class_init (ReelWalker2dEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (mujoco_class, ids,
                                  "Gymnasium 1.4.0, mujoco/walker2d_v4.py and _v5.py",
                                  "walker2d-v4", "walker2d");
  reel_mujoco_env_class_set_view (mujoco_class, 4, 1.15, -20);
  reel_mujoco_env_class_add_walk (mujoco_class);
  mujoco_class->compute_reward = compute_reward;
}

static void
reel_walker2d_env_init (ReelWalker2dEnv *self)
{
}
