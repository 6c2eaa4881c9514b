/* An arm of two links in a plane that reaches for a target: Gymnasium's Reacher. */
#include "mujoco-terms.h"

#include <float.h>
#include <math.h>

struct _ReelReacherEnv
{
  ReelMujocoEnv parent_instance;

  double reward_dist_weight, reward_control_weight;
  int fingertip, target; /* bodies */
};

G_DECLARE_FINAL_TYPE (ReelReacherEnv, reel_reacher_env, REEL, REACHER_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelReacherEnv, reel_reacher_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET "max-episode-steps=50,frame-skip=2"

static const ReelId ids[] = {
  { "Reacher-v4", PRESET ",rules=v4", "an arm of two links that reaches for a target" },
  { "Reacher-v5", PRESET, "an arm of two links that reaches for a target" },
  { NULL, NULL, NULL },
};

static gboolean
prepare (ReelMujocoEnv *mujoco, const mjModel *model, GError **error)
{
  ReelReacherEnv *self = REEL_REACHER_ENV (mujoco);

  self->fingertip = reel_mujoco_model_find (model, mjOBJ_BODY, "fingertip", error);
  if (self->fingertip < 0)
    return FALSE;
  self->target = reel_mujoco_model_find (model, mjOBJ_BODY, "target", error);
  return self->target >= 0;
}

/* The last two joints are the target's. */
static void
init_state (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel)
{
  const mjModel *model = reel_mujoco_env_get_model (self);
  double *goal = qpos + model->nq - 2;

  reel_mujoco_add_noise (rng, qpos, (gsize) model->nq, 0.1);
  do
    {
      goal[0] = reel_pcg64_uniform (rng, -0.2, 0.2);
      goal[1] = reel_pcg64_uniform (rng, -0.2, 0.2);
    }
  while (sqrt (goal[0] * goal[0] + goal[1] * goal[1]) >= 0.2);
  reel_mujoco_add_noise (rng, qvel, (gsize) model->nv, 0.005);
  qvel[model->nv - 2] = qvel[model->nv - 1] = 0;
}

static const double *
get_position (const mjData *data, int body)
{
  return data->xpos + 3 * body;
}

static double *
observe (ReelMujocoEnv *mujoco, const mjData *data, double *at)
{
  ReelReacherEnv *self = REEL_REACHER_ENV (mujoco);
  const mjModel *model = reel_mujoco_env_get_model (mujoco);
  const double *fingertip = get_position (data, self->fingertip);
  const double *target = get_position (data, self->target);
  int n = reel_mujoco_is_v4 (mujoco) ? 3 : 2;

  *at++ = cos (data->qpos[0]);
  *at++ = cos (data->qpos[1]);
  *at++ = sin (data->qpos[0]);
  *at++ = sin (data->qpos[1]);
  at = reel_mujoco_put (at, data->qpos + 2, (gsize) model->nq - 2);
  at = reel_mujoco_put (at, data->qvel, 2);
  for (int i = 0; i < n; i++)
    *at++ = fingertip[i] - target[i];
  return at;
}

static void
mark (ReelMujocoEnv *mujoco, const mjData *data, double *marks)
{
  ReelReacherEnv *self = REEL_REACHER_ENV (mujoco);

  marks[0] = reel_mujoco_distance (get_position (data, self->fingertip),
                                   get_position (data, self->target));
}

/* v4 takes the distance before the step. */
static void
compute_reward (ReelMujocoEnv *mujoco, ReelMujocoStep *step)
{
  ReelReacherEnv *self = REEL_REACHER_ENV (mujoco);
  gsize n = (gsize) reel_mujoco_env_get_model (mujoco)->nu;
  double distance[REEL_MUJOCO_MARKS] = { step->before[0] };

  if (!reel_mujoco_is_v4 (mujoco))
    mark (mujoco, step->data, distance);
  step->reward = -distance[0] * self->reward_dist_weight
                 - reel_mujoco_control_cost (step->action, n, self->reward_control_weight);
}

static void
reel_reacher_env_class_init (ReelReacherEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (
      mujoco_class, ids, "Gymnasium 1.4.0, mujoco/reacher_v4.py and _v5.py", "reacher", "reacher");
  mujoco_class->nq = 4;
  mujoco_class->nv = 4;
  mujoco_class->prepare = prepare;
  mujoco_class->init_state = init_state;
  mujoco_class->mark = mark;
  mujoco_class->observe = observe;
  mujoco_class->compute_reward = compute_reward;
  reel_object_class_add_double (REEL_OBJECT_CLASS (klass), "reward-dist-weight",
                                G_STRUCT_OFFSET (ReelReacherEnv, reward_dist_weight), -DBL_MAX,
                                DBL_MAX, 1, NULL, "of the distance to the target",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_double (REEL_OBJECT_CLASS (klass), "reward-control-weight",
                                G_STRUCT_OFFSET (ReelReacherEnv, reward_control_weight), -DBL_MAX,
                                DBL_MAX, 1, NULL, "of the squares of the action",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_reacher_env_init (ReelReacherEnv *self)
{
}
