/* Two poles, one upon the other, on a cart: Gymnasium's InvertedDoublePendulum. */
#include "mujoco-terms.h"

#include <math.h>

struct _ReelInvertedDoublePendulumEnv
{
  ReelMujocoEnv parent_instance;

  int tip; /* the site at the upper end */
};

G_DECLARE_FINAL_TYPE (ReelInvertedDoublePendulumEnv, reel_inverted_double_pendulum_env, REEL,
                      INVERTED_DOUBLE_PENDULUM_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelInvertedDoublePendulumEnv, reel_inverted_double_pendulum_env,
                     REEL_TYPE_MUJOCO_ENV)

#define PRESET "max-episode-steps=1000,frame-skip=5"

static const ReelId ids[] = {
  { "InvertedDoublePendulum-v4", PRESET ",rules=v4",
    "balance two poles, one upon the other, on a cart" },
  { "InvertedDoublePendulum-v5", PRESET, "balance two poles, one upon the other, on a cart" },
  { NULL, NULL, NULL },
};

static gboolean
prepare (ReelMujocoEnv *self, const mjModel *model, GError **error)
{
  int *tip = &REEL_INVERTED_DOUBLE_PENDULUM_ENV (self)->tip;

  *tip = reel_mujoco_model_find (model, mjOBJ_SITE, "tip", error);
  return *tip >= 0;
}

static double *
observe (ReelMujocoEnv *self, const mjData *data, double *at)
{
  const mjModel *model = reel_mujoco_env_get_model (self);
  gboolean v4 = reel_mujoco_is_v4 (self);

  *at++ = data->qpos[0];
  for (int i = 1; i < model->nq; i++)
    *at++ = sin (data->qpos[i]);
  for (int i = 1; i < model->nq; i++)
    *at++ = cos (data->qpos[i]);
  at = reel_mujoco_put_clipped (at, data->qvel, (gsize) model->nv, -10, 10);
  return reel_mujoco_put_clipped (at, data->qfrc_constraint, v4 ? (gsize) model->nv : 1, -10, 10);
}

static void
compute_reward (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  const double *tip = step->data->site_xpos + 3 * REEL_INVERTED_DOUBLE_PENDULUM_ENV (self)->tip;
  const double *qvel = step->data->qvel;
  double distance = 0.01 * pow (tip[0], 2) + pow (tip[2] - 2, 2);
  double speed = 1e-3 * pow (qvel[1], 2) + 5e-3 * pow (qvel[2], 2);

  step->terminated = tip[2] <= 1;
  if (reel_mujoco_is_v4 (self) || !step->terminated)
    step->reward = arguments->healthy_reward;
  step->reward = step->reward - distance - speed;
}

static void
reel_inverted_double_pendulum_env_class_init (ReelInvertedDoublePendulumEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (
      mujoco_class, ids, "Gymnasium 1.4.0, mujoco/inverted_double_pendulum_v4.py and _v5.py",
      "inverted-double-pendulum", "inverted-double-pendulum");
  mujoco_class->nq = 3;
  mujoco_class->nv = 3;
  /* v5 has the same, and does not give it to its base (environments of Gymnasium 1.4.0). */
  mujoco_class->views[REEL_MUJOCO_V4] = (ReelMujocoView){ 4.1225, 0.12250000000000005, 0 };
  mujoco_class->prepare = prepare;
  mujoco_class->init_state = reel_mujoco_init_normal;
  mujoco_class->observe = observe;
  mujoco_class->compute_reward = compute_reward;
  reel_mujoco_env_class_add_weight (mujoco_class, "healthy-reward", 10);
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0.1);
}

static void
reel_inverted_double_pendulum_env_init (ReelInvertedDoublePendulumEnv *self)
{
}
