#include "../core/tensor/memory.h"
#include "env-private.h"

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelEnv, reel_env, REEL_TYPE_OBJECT)

ReelEnvPrivate *
reel_env_get_private (ReelEnv *self)
{
  return reel_env_get_instance_private (self);
}

static const char *const encodings[] = { "one-hot", "categorical", NULL };

/* ---- construction ---- */

static gboolean
prepare_autoreset (ReelEnv *self, GError **error)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  if (REEL_ENV_GET_CLASS (self)->autoreset == REEL_AUTORESET_DISABLED)
    return TRUE;
  if (priv->states.keys != NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "%s resets itself, so that its steps cannot read \"%s\" of a row",
                   reel_object_get_id (REEL_OBJECT (self)), *priv->states.keys);
      return FALSE;
    }
  priv->autoreset = reel_env_autoreset_new (self, error);
  return priv->autoreset != NULL;
}

/* A class without these would crash the process at its first call. */
static gboolean
check_slots (ReelEnv *self, GError **error)
{
  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);
  const char *missing = klass->setup == NULL   ? "setup"
                        : klass->seed == NULL  ? "seed"
                        : klass->reset == NULL ? "reset"
                        : klass->step == NULL  ? "step"
                                               : NULL;

  if (missing == NULL)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s has no %s: its class_init sets setup, seed, reset and step",
               reel_object_get_id (REEL_OBJECT (self)), missing);
  return FALSE;
}

/* Has the class and the features of lanes with equal specs prepare. */
static gboolean
set_up (ReelEnv *self, GError **error)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  if (!REEL_ENV_GET_CLASS (self)->setup (self, error) || !reel_env_complete_specs (self, error)
      || !prepare_autoreset (self, error) || !reel_env_add_pixels (self, error)
      || !reel_env_states_find (&priv->states, priv->observation_spec, error))
    return FALSE;
  reel_env_compose_stages (self);
  return TRUE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelEnv *self = REEL_ENV (object);
  ReelEnvPrivate *priv = reel_env_get_private (self);
  gsize clock_bytes = reel_lane_clocks_bytes (priv->num_envs);
  ReelIsa isa;

  if (!REEL_OBJECT_CLASS (reel_env_parent_class)->build (object, error)
      || !check_slots (self, error) || !reel_isa_choose (&isa, error))
    return FALSE;

  priv->kernels = REEL_KERNEL_PICK (reel_lane_kernels, isa);
  priv->limit = priv->max_episode_steps > 0 ? priv->max_episode_steps : G_MAXINT64;
  priv->memory = reel_memory_new (clock_bytes + (gsize) priv->num_envs, error);
  if (priv->memory == NULL)
    return FALSE;

  guint8 *data = reel_memory_get_data (priv->memory, NULL);

  priv->clocks = reel_lane_clocks_at (data, priv->num_envs);
  priv->faulty = data + clock_bytes;

  if (priv->mixed == NULL && !set_up (self, error))
    return FALSE;

  const guint32 words[] = { (guint32) priv->seed, (guint32) (priv->seed >> 32) };

  reel_env_seed (self, words, G_N_ELEMENTS (words));
  if (priv->mixed != NULL)
    reel_env_mixed_set_seed (self, (guint64) priv->seed);
  return TRUE;
}

/* ---- the object ---- */

static void
finalize (GObject *object)
{
  ReelEnv *self = REEL_ENV (object);
  ReelEnvPrivate *priv = reel_env_get_private (self);

  reel_env_forget_faults (self);
  g_clear_pointer (&priv->observation_spec, reel_spec_unref);
  g_clear_pointer (&priv->action_spec, reel_spec_unref);
  g_clear_pointer (&priv->reward_spec, reel_spec_unref);
  g_clear_pointer (&priv->done_spec, reel_spec_unref);
  reel_env_results_clear (&priv->results);
  reel_env_states_clear (&priv->states);
  g_clear_pointer (&priv->lane_memory, reel_memory_unref);
  g_clear_pointer (&priv->memory, reel_memory_unref);
  g_clear_pointer (&priv->pixels, reel_env_pixels_free);
  g_clear_pointer (&priv->autoreset, reel_env_autoreset_free);
  g_clear_pointer (&priv->leaves, reel_env_leaves_free);
  reel_env_groups_clear (&priv->groups);
  g_strfreev (priv->unrepeated);
  g_free (priv->observation_row);
  g_strfreev (priv->carried);
  g_free (priv->parts);
  g_clear_pointer (&priv->mixed, reel_mixed_free);
  G_OBJECT_CLASS (reel_env_parent_class)->finalize (object);
}

static void
add_pixel_properties (ReelObjectClass *klass)
{
  reel_object_class_add_bool (klass, "from-pixels", (gsize) G_PRIVATE_OFFSET (ReelEnv, from_pixels),
                              FALSE, "pictures next to the observation",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "pixels-only", (gsize) G_PRIVATE_OFFSET (ReelEnv, pixels_only),
                              FALSE, "pictures instead of it", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      klass, "width", (gsize) G_PRIVATE_OFFSET (ReelEnv, width), 0, REEL_ENV_FRAME_MOST, 0,
      "pixels", "of a picture, 0 for the width that Gymnasium draws", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "height", (gsize) G_PRIVATE_OFFSET (ReelEnv, height), 0,
                               REEL_ENV_FRAME_MOST, 0, "pixels",
                               "of a picture, 0 for the height that Gymnasium draws",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static const char *const of_mujoco[] = {
  "Ant",
  "HalfCheetah",
  "Hopper",
  "Humanoid",
  "HumanoidStandup",
  "InvertedDoublePendulum",
  "InvertedPendulum",
  "MuJoCo",
  "Pusher",
  "Reacher",
  "Swimmer",
  "Walker2d",
  NULL,
};

static const ReelOptional mujoco = {
  .names = of_mujoco,
  .library = "MuJoCo",
  .remedy = "install libmujoco-dev and configure without --without-mujoco, or unpack a release of "
            "MuJoCo and give --with-mujoco=DIR",
};

static void
reel_env_class_init (ReelEnvClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->kind = "environment";
  object_class->optional = &mujoco;
  object_class->wrapper = "GymEnv";
  object_class->wrapper_argument = "env_name";
  object_class->build = build;
  object_class->extend = reel_env_transform_text;
  klass->lane_multiple = 1;
  reel_env_use_own_lanes (klass);

  reel_object_class_add_int64 (
      object_class, "num-envs", (gsize) G_PRIVATE_OFFSET (ReelEnv, num_envs), 1, 1ll << 40, 1,
      "lanes", "environments simulated at once", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "seed", (gsize) G_PRIVATE_OFFSET (ReelEnv, seed), 0,
                               G_MAXINT64, 0, NULL, "lane l is seeded with seed + l",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "max-episode-steps",
                               (gsize) G_PRIVATE_OFFSET (ReelEnv, max_episode_steps), 0, G_MAXINT64,
                               0, "steps", "length at which an episode is truncated, 0 for never",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      object_class, "action-encoding", (gsize) G_PRIVATE_OFFSET (ReelEnv, action_encoding),
      encodings, REEL_ACTION_ONE_HOT, "encoding of discrete actions", REEL_PROPERTY_CONSTRUCT_ONLY);
  add_pixel_properties (object_class);
}

static void
reel_env_init (ReelEnv *self)
{
}

/* ---- what it is ---- */

ReelActionEncoding
reel_env_get_action_encoding (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), REEL_ACTION_ONE_HOT);
  return reel_env_get_private (self)->action_encoding;
}

gint64
reel_env_get_num_envs (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);
  return reel_env_get_private (self)->num_envs;
}

void
reel_env_take_lane_multiple (ReelEnv *self, gint64 n_lanes)
{
  g_return_if_fail (REEL_IS_ENV (self));
  g_return_if_fail (n_lanes >= 1);
  reel_env_get_private (self)->lane_multiple = n_lanes;
}
