/* Four legs on a free torso: Gymnasium's Ant. */
#include "mujoco-terms.h"

#include <math.h>

struct _ReelAntEnv
{
  ReelMujocoEnv parent_instance;

  char *main_body;
  int body; /* that it is */
  gboolean use_contact_forces;
};

G_DECLARE_FINAL_TYPE (ReelAntEnv, reel_ant_env, REEL, ANT_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelAntEnv, reel_ant_env, REEL_TYPE_MUJOCO_ENV)

#define PRESET                                                                                     \
  "max-episode-steps=1000,frame-skip=5,healthy-z-range=[0.2,1],contact-force-range=[-1,1]"

static const ReelId ids[] = {
  { "Ant-v4", PRESET ",rules=v4,include-cfrc-ext-in-observation=false", "four legs that run" },
  { "Ant-v5", PRESET, "four legs that run" },
  { NULL, NULL, NULL },
};

static gboolean
prepare (ReelMujocoEnv *self, const mjModel *model, GError **error)
{
  ReelAntEnv *ant = REEL_ANT_ENV (self);

  ant->body = reel_mujoco_model_find_either (model, mjOBJ_BODY, model->nbody, ant->main_body);
  if (ant->body < 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "main-body=%s: the model has bodies 0 to %d, and none of that name",
                 ant->main_body ? ant->main_body : "''", (int) model->nbody - 1);
  return ant->body >= 0;
}

/* put_forces: what acts on each body from @first on, clipped. */
static double *
put_forces (ReelMujocoEnv *self, const mjData *data, double *at, int first)
{
  const double *range =
      (const double *) (gpointer) reel_mujoco_env_get_arguments (self)->contact_range->data;
  gsize n = (gsize) (reel_mujoco_env_get_model (self)->nbody - first) * 6;

  return reel_mujoco_put_clipped (at, data->cfrc_ext + 6 * first, n, range[0], range[1]);
}

static double *
observe (ReelMujocoEnv *self, const mjData *data, double *at)
{
  at = reel_mujoco_put_state (self, data, at);
  if (reel_mujoco_is_v4 (self) && REEL_ANT_ENV (self)->use_contact_forces)
    return put_forces (self, data, at, 0);
  if (reel_mujoco_env_get_arguments (self)->include_cfrc_ext)
    return put_forces (self, data, at, 1);
  return at;
}

static void
mark (ReelMujocoEnv *self, const mjData *data, double *marks)
{
  marks[0] = data->xpos[3 * REEL_ANT_ENV (self)->body];
}

static double
contact_cost (ReelMujocoEnv *self, const mjData *data)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  gsize n = (gsize) reel_mujoco_env_get_model (self)->nbody * 6;
  double forces[n];

  if (reel_mujoco_is_v4 (self) && !REEL_ANT_ENV (self)->use_contact_forces)
    return 0;
  put_forces (self, data, forces, 0);
  return arguments->contact_cost_weight * reel_mujoco_sum_of_squares (forces, n);
}

static gboolean
is_healthy (ReelMujocoEnv *self, const mjData *data)
{
  const double *z =
      (const double *) (gpointer) reel_mujoco_env_get_arguments (self)->healthy_z_range->data;
  const mjModel *model = reel_mujoco_env_get_model (self);

  return reel_mujoco_are_finite (data->qpos, (gsize) model->nq)
         && reel_mujoco_are_finite (data->qvel, (gsize) model->nv) && z[0] <= data->qpos[2]
         && data->qpos[2] <= z[1];
}

static void
compute_reward (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  gsize n = (gsize) reel_mujoco_env_get_model (self)->nu;
  double x[REEL_MUJOCO_MARKS];

  mark (self, step->data, x);

  double forward =
      (x[0] - step->before[0]) / reel_mujoco_env_get_dt (self) * arguments->forward_reward_weight;
  double health = reel_mujoco_healthy_reward (self, step, is_healthy (self, step->data));
  double control = reel_mujoco_control_cost (step->action, n, arguments->ctrl_cost_weight);

  step->reward = forward + health - (control + contact_cost (self, step->data));
}

static void
reel_ant_env_class_init (ReelAntEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (mujoco_class, ids, "Gymnasium 1.4.0, mujoco/ant_v4.py and _v5.py",
                                  "ant", "ant");
  mujoco_class->uses_contact_forces = TRUE;
  mujoco_class->nq = 3;
  mujoco_class->prepare = prepare;
  reel_mujoco_env_class_set_view (mujoco_class, 4, NAN, 0);
  mujoco_class->init_state = reel_mujoco_init_normal;
  mujoco_class->mark = mark;
  mujoco_class->observe = observe;
  reel_mujoco_env_class_observe_positions (mujoco_class, 2);
  mujoco_class->compute_reward = compute_reward;
  reel_mujoco_env_class_add_weight (mujoco_class, "forward-reward-weight", 1);
  reel_mujoco_env_class_add_weight (mujoco_class, "ctrl-cost-weight", 0.5);
  reel_mujoco_env_class_add_weight (mujoco_class, "contact-cost-weight", 5e-4);
  reel_mujoco_env_class_add_weight (mujoco_class, "healthy-reward", 1);
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0.1);
  reel_mujoco_env_class_add_flag (mujoco_class, "terminate-when-unhealthy");
  reel_mujoco_env_class_add_flag (mujoco_class, "exclude-current-positions-from-observation");
  reel_mujoco_env_class_add_flag (mujoco_class, "include-cfrc-ext-in-observation");
  reel_mujoco_env_class_add_range (mujoco_class, "healthy-z-range");
  reel_mujoco_env_class_add_range (mujoco_class, "contact-force-range");
  reel_object_class_add_string (
      REEL_OBJECT_CLASS (klass), "main-body", G_STRUCT_OFFSET (ReelAntEnv, main_body), "1",
      "name or number of the body with the rewarded speed", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (REEL_OBJECT_CLASS (klass), "use-contact-forces",
                              G_STRUCT_OFFSET (ReelAntEnv, use_contact_forces), FALSE,
                              "of v4: forces of contact in observation and reward",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_ant_env_init (ReelAntEnv *self)
{
}
