/* Any model of MuJoCo's, without a task: the action is ctrl, the observation qpos and qvel. */
#include "mujoco-terms.h"

struct _ReelMujocoFileEnv
{
  ReelMujocoEnv parent_instance;

  char *keyframe;
  gboolean include_sensors;
};

G_DECLARE_FINAL_TYPE (ReelMujocoFileEnv, reel_mujoco_file_env, REEL, MUJOCO_FILE_ENV, ReelMujocoEnv)
G_DEFINE_FINAL_TYPE (ReelMujocoFileEnv, reel_mujoco_file_env, REEL_TYPE_MUJOCO_ENV)

static const ReelId ids[] = {
  { "MuJoCo", "max-episode-steps=1000", "any model, given by xml-file=FILE; the reward is 0" },
  { NULL, NULL, NULL },
};

static int
find_keyframe (ReelMujocoEnv *self, const mjModel *model, const char *name, GError **error)
{
  int key = reel_mujoco_model_find_either (model, mjOBJ_KEY, model->nkey, name);

  if (key < 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "%s: keyframe=%s: the model has %d keyframes, and none of that name or number",
                 reel_object_get_id (REEL_OBJECT (self)), name, (int) model->nkey);
  return key;
}

static gboolean
begin (ReelMujocoEnv *self, const mjModel *model, mjData *data, GError **error)
{
  const char *name = REEL_MUJOCO_FILE_ENV (self)->keyframe;
  int key;

  if (name == NULL)
    return TRUE;
  key = find_keyframe (self, model, name, error);
  if (key < 0)
    return FALSE;
  mj_resetDataKeyframe (model, data, key);
  return TRUE;
}

/* place: noise leaves quaternions, which MuJoCo wants of length 1. */
static void
init_state (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel)
{
  reel_mujoco_init_uniform (self, rng, qpos, qvel);
  mj_normalizeQuat (reel_mujoco_env_get_model (self), qpos);
}

static double *
observe (ReelMujocoEnv *self, const mjData *data, double *at)
{
  at = reel_mujoco_put_state (self, data, at);
  if (REEL_MUJOCO_FILE_ENV (self)->include_sensors)
    at = reel_mujoco_put (at, data->sensordata,
                          (gsize) reel_mujoco_env_get_model (self)->nsensordata);
  return at;
}

/* There is no task: the reward stays 0, and nothing terminates. */
static void
compute_reward (ReelMujocoEnv *self, ReelMujocoStep *step)
{
}

static void
reel_mujoco_file_env_class_init (ReelMujocoFileEnvClass *klass)
{
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->ids = ids;
  REEL_ENV_CLASS (klass)->source = "the model in xml-file, simulated by MuJoCo";
  mujoco_class->begin = begin;
  mujoco_class->init_state = init_state;
  mujoco_class->observe = observe;
  reel_mujoco_env_class_observe_positions (mujoco_class, 0);
  mujoco_class->compute_reward = compute_reward;
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0);
  reel_object_class_add_string (
      object_class, "keyframe", G_STRUCT_OFFSET (ReelMujocoFileEnv, keyframe), NULL,
      "name or number of the one that episodes begin from", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "include-sensors-in-observation",
                              G_STRUCT_OFFSET (ReelMujocoFileEnv, include_sensors), FALSE,
                              "values of the model's sensors, after qpos and qvel",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_mujoco_file_env_init (ReelMujocoFileEnv *self)
{
}
