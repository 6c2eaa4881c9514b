/* Gives each step of a trajectory the rewards to come, such as the one at its end. */
#include "episode-rewards.h"

#include "../core/tensor/tensor-private.h"
#include "../core/trajectory/ted.h"

#include <string.h>

struct _ReelDensifyReward
{
  ReelTransform parent_instance;

  char *reward_key;
  char *done_key;
  char *reward_key_out;
  double discount;
};

G_DECLARE_FINAL_TYPE (ReelDensifyReward, reel_densify_reward, REEL, DENSIFY_REWARD, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelDensifyReward, reel_densify_reward, REEL_TYPE_TRANSFORM)

static const char *
get_out_key (ReelDensifyReward *self)
{
  return self->reward_key_out ? self->reward_key_out : self->reward_key;
}

static ReelTensor *
get_next (const ReelTensordict *td, const char *key, GError **error)
{
  g_autofree char *path = g_strconcat ("next/", key, NULL);

  return reel_tensordict_ref_tensor (td, path, error);
}

static gboolean
check_shapes (const ReelTensor *reward, const ReelTensor *done, GError **error)
{
  g_autofree char *shape = reel_shape_to_string (reward->ndim, reward->shape);
  g_autofree char *other = reel_shape_to_string (done->ndim, done->shape);

  if (g_str_equal (shape, other))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "reward and done state are expected to have the same shape, not %s and %s", shape,
               other);
  return FALSE;
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelDensifyReward *self = REEL_DENSIFY_REWARD (transform);
  g_autofree char *out = g_strconcat ("next/", get_out_key (self), NULL);
  g_autoptr (ReelTensor) reward = get_next (td, self->reward_key, error);
  g_autoptr (ReelTensor) done = reward ? get_next (td, self->done_key, error) : NULL;
  g_autoptr (ReelTensor) sums = NULL;
  gint time_dim;

  if (!done || !check_shapes (reward, done, error) || !reel_find_time (td, &time_dim, error))
    return NULL;
  sums = reel_reward_to_go (reward, done, self->discount, time_dim, error);
  return sums && reel_tensordict_set_tensor (td, out, sums, error) ? reel_tensordict_ref (td)
                                                                   : NULL;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "densify-reward needs the steps of whole trajectories, which are read from "
                       "a buffer, not those of an environment");
  return NULL;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelDensifyReward *self = REEL_DENSIFY_REWARD (object);
  const char *const keys[] = { self->reward_key, self->done_key, get_out_key (self), NULL };

  if (!self->reward_key || !self->done_key)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "densify-reward needs a reward-key and a done-key");
      return FALSE;
    }
  return REEL_OBJECT_CLASS (reel_densify_reward_parent_class)->build (object, error)
         && reel_key_check_all (keys, error);
}

static char *
to_string (ReelTransform *transform)
{
  ReelDensifyReward *self = REEL_DENSIFY_REWARD (transform);
  const char *const in[] = { self->reward_key, self->done_key, NULL };
  const char *const out[] = { get_out_key (self), NULL };
  g_autofree char *read = reel_key_format_list (in), *written = reel_key_format_list (out);

  return g_strdup_printf ("DensifyReward(\n    in_keys=%s,\n    out_keys=%s)", read, written);
}

static void
reel_densify_reward_class_init (ReelDensifyRewardClass *klass)
{
  static const ReelId ids[] = {
    { "densify-reward", NULL, "gives each step the rewards to come" },
    { "DensifyReward", NULL, "gives each step the rewards to come, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_string (object_class, "reward-key",
                                G_STRUCT_OFFSET (ReelDensifyReward, reward_key), "reward",
                                "key below next of the rewards", fixed);
  reel_object_class_add_string (object_class, "done-key",
                                G_STRUCT_OFFSET (ReelDensifyReward, done_key), "done",
                                "key below next of the flag that ends a trajectory", fixed);
  reel_object_class_add_string (object_class, "reward-key-out",
                                G_STRUCT_OFFSET (ReelDensifyReward, reward_key_out), NULL,
                                "key below next of the result; by default reward-key", fixed);
  reel_object_class_add_double (object_class, "discount",
                                G_STRUCT_OFFSET (ReelDensifyReward, discount), 0, 1, 1, NULL,
                                "discount of each further reward", fixed);
  transform_class->peer_name = "DensifyReward";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->to_string = to_string;
}

static void
reel_densify_reward_init (ReelDensifyReward *self)
{
}
