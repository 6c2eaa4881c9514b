/* An arm of seven joints that pushes a cylinder to a goal: Gymnasium's Pusher. */
#include "mujoco-terms.h"

#include <float.h>
#include <math.h>

struct _ReelPusherEnv
{
  ReelMujocoEnv parent_instance;

  double reward_near_weight, reward_dist_weight, reward_control_weight;
  int bodies[3]; /* TIP, OBJECT, GOAL */
};

G_DECLARE_FINAL_TYPE (ReelPusherEnv, reel_pusher_env, REEL, PUSHER_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelPusherEnv, reel_pusher_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET "max-episode-steps=100,frame-skip=5"

static const ReelId ids[] = {
  { "Pusher-v4", PRESET ",rules=v4", "an arm of seven joints that pushes a cylinder to a goal" },
  { "Pusher-v5", PRESET, "an arm of seven joints that pushes a cylinder to a goal" },
  { NULL, NULL, NULL },
};

/* Bodies that are looked at. */
enum
{
  TIP,
  OBJECT,
  GOAL,
};

static gboolean
prepare (ReelMujocoEnv *mujoco, const mjModel *model, GError **error)
{
  static const char *const names[] = { "tips_arm", "object", "goal" };
  ReelPusherEnv *self = REEL_PUSHER_ENV (mujoco);

  for (int i = 0; i < 3; i++)
    {
      self->bodies[i] = reel_mujoco_model_find (model, mjOBJ_BODY, names[i], error);
      if (self->bodies[i] < 0)
        return FALSE;
    }
  return TRUE;
}

/* The last four joints are the object's and the goal's, which stays where it is. */
static void
init_state (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel)
{
  const mjModel *model = reel_mujoco_env_get_model (self);
  double *object = qpos + model->nq - 4;

  do
    {
      object[0] = reel_pcg64_uniform (rng, -0.3, 0);
      object[1] = reel_pcg64_uniform (rng, -0.2, 0.2);
    }
  while (sqrt (object[0] * object[0] + object[1] * object[1]) <= 0.17);
  object[2] = object[3] = 0;
  reel_mujoco_add_noise (rng, qvel, (gsize) model->nv, 0.005);
  for (int i = model->nv - 4; i < model->nv; i++)
    qvel[i] = 0;
}

static const double *
get_position (ReelMujocoEnv *self, const mjData *data, int which)
{
  return data->xpos + 3 * REEL_PUSHER_ENV (self)->bodies[which];
}

static double *
observe (ReelMujocoEnv *self, const mjData *data, double *at)
{
  at = reel_mujoco_put (at, data->qpos, 7);
  at = reel_mujoco_put (at, data->qvel, 7);
  for (int i = TIP; i <= GOAL; i++)
    at = reel_mujoco_put (at, get_position (self, data, i), 3);
  return at;
}

static void
mark (ReelMujocoEnv *self, const mjData *data, double *marks)
{
  const double *object = get_position (self, data, OBJECT);

  marks[0] = reel_mujoco_distance (object, get_position (self, data, TIP));
  marks[1] = reel_mujoco_distance (object, get_position (self, data, GOAL));
}

/* v4 takes the distances before the step. */
static void
compute_reward (ReelMujocoEnv *mujoco, ReelMujocoStep *step)
{
  ReelPusherEnv *self = REEL_PUSHER_ENV (mujoco);
  gsize n = (gsize) reel_mujoco_env_get_model (mujoco)->nu;
  double distances[REEL_MUJOCO_MARKS] = { step->before[0], step->before[1] };
  double control = reel_mujoco_control_cost (step->action, n, self->reward_control_weight);

  if (!reel_mujoco_is_v4 (mujoco))
    mark (mujoco, step->data, distances);
  step->reward =
      -distances[1] * self->reward_dist_weight - control - distances[0] * self->reward_near_weight;
}

static void
add_weight (ReelPusherEnvClass *klass, const char *name, gsize offset, double initial,
            const char *blurb)
{
  reel_object_class_add_double (REEL_OBJECT_CLASS (klass), name, offset, -DBL_MAX, DBL_MAX, initial,
                                NULL, blurb, REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_pusher_env_class_init (ReelPusherEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (
      mujoco_class, ids, "Gymnasium 1.4.0, mujoco/pusher_v4.py and _v5.py", "pusher-v4", "pusher");
  mujoco_class->nq = 11;
  mujoco_class->nv = 11;
  mujoco_class->prepare = prepare;
  reel_mujoco_env_class_set_view (mujoco_class, 4, NAN, 0);
  mujoco_class->init_state = init_state;
  mujoco_class->mark = mark;
  mujoco_class->observe = observe;
  mujoco_class->compute_reward = compute_reward;
  add_weight (klass, "reward-near-weight", G_STRUCT_OFFSET (ReelPusherEnv, reward_near_weight), 0.5,
              "of the distance from the arm to the cylinder");
  add_weight (klass, "reward-dist-weight", G_STRUCT_OFFSET (ReelPusherEnv, reward_dist_weight), 1,
              "of the distance from the cylinder to the goal");
  add_weight (klass, "reward-control-weight",
              G_STRUCT_OFFSET (ReelPusherEnv, reward_control_weight), 0.1,
              "of the squares of the action");
}

static void
reel_pusher_env_init (ReelPusherEnv *self)
{
}
