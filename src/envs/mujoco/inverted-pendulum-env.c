/* A pole on a cart that is pushed along a rail: Gymnasium's InvertedPendulum. */
#include "mujoco-terms.h"

#include <math.h>

struct _ReelInvertedPendulumEnv
{
  ReelMujocoEnv parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelInvertedPendulumEnv, reel_inverted_pendulum_env, REEL,
                      INVERTED_PENDULUM_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelInvertedPendulumEnv, reel_inverted_pendulum_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET "max-episode-steps=1000,frame-skip=2"

static const ReelId ids[] = {
  { "InvertedPendulum-v4", PRESET ",rules=v4",
    "balance a pole on a cart that is pushed along a rail" },
  { "InvertedPendulum-v5", PRESET, "balance a pole on a cart that is pushed along a rail" },
  { NULL, NULL, NULL },
};

static gboolean
is_upright (ReelMujocoEnv *self, const mjData *data)
{
  const mjModel *model = reel_mujoco_env_get_model (self);

  return reel_mujoco_are_finite (data->qpos, (gsize) model->nq)
         && reel_mujoco_are_finite (data->qvel, (gsize) model->nv) && fabs (data->qpos[1]) <= 0.2;
}

static void
compute_reward (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  gboolean v4 = reel_mujoco_is_v4 (self);

  step->terminated = !is_upright (self, step->data);
  step->reward = v4 || !step->terminated ? 1 : 0;
}

static void
reel_inverted_pendulum_env_class_init (ReelInvertedPendulumEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (mujoco_class, ids,
                                  "Gymnasium 1.4.0, mujoco/inverted_pendulum_v4.py and _v5.py",
                                  "inverted-pendulum", "inverted-pendulum");
  mujoco_class->nq = 2;
  reel_mujoco_env_class_set_view (mujoco_class, 2.04, NAN, 0);
  mujoco_class->init_state = reel_mujoco_init_uniform;
  mujoco_class->observe = reel_mujoco_put_state;
  reel_mujoco_env_class_observe_positions (mujoco_class, 0);
  mujoco_class->compute_reward = compute_reward;
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0.01);
}

static void
reel_inverted_pendulum_env_init (ReelInvertedPendulumEnv *self)
{
}
