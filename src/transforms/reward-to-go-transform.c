/* Discounted sums of the rewards to come, in the data that are written. */
#include "episode-rewards.h"

#include "../core/tensor/tensor-private.h"
#include "../core/trajectory/ted.h"

struct _ReelRewardToGoTransform
{
  ReelTransform parent_instance;

  double gamma;
  char *done_key;
};

G_DECLARE_FINAL_TYPE (ReelRewardToGoTransform, reel_reward_to_go_transform, REEL,
                      REWARD_TO_GO_TRANSFORM, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelRewardToGoTransform, reel_reward_to_go_transform, REEL_TYPE_TRANSFORM)

/* Whether each lane has a flag: steps, and those behind them, in order. */
static gboolean
all_end (const ReelTensor *done, gint time_dim)
{
  gint64 n = 1, steps = done->shape[time_dim], numel = reel_tensor_numel (done);

  for (gint i = time_dim + 1; i < done->ndim; i++)
    n *= done->shape[i];
  for (gint64 outer = 0; outer < numel; outer += steps * n)
    for (gint64 lane = outer; lane < outer + n; lane++)
      {
        gboolean ends = FALSE;

        for (gint64 at = lane; at < outer + steps * n; at += n)
          ends |= done->data[at];
        if (!ends)
          return FALSE;
      }
  return numel > 0;
}

static ReelTensor *
get_done (ReelRewardToGoTransform *self, const ReelTensordict *td, gint time_dim, GError **error)
{
  g_autofree char *path = g_strconcat ("next/", self->done_key, NULL);
  g_autoptr (ReelTensor) given = reel_tensordict_ref_tensor (td, path, error);
  g_autoptr (ReelTensor) done = given ? reel_tensor_in_order (given, error) : NULL;

  if (!done)
    return NULL;
  if (done->dtype != REEL_DTYPE_BOOL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is of dtype %s, not bool", path,
                 reel_dtype_name (done->dtype));
  else if (!all_end (done, time_dim))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "No episode ends found to calculate the reward to go: each row of \"%s\" needs "
                 "at least one; write longer rows",
                 path);
  else
    return g_steal_pointer (&done);
  return NULL;
}

/* Keys that are absent are left out, as long as one is there. */
static gboolean
inverse (ReelTransform *transform, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  ReelRewardToGoTransform *self = REEL_REWARD_TO_GO_TRANSFORM (transform);
  const char *const *in = reel_transform_get_in_keys (transform);
  const char *const *out = reel_transform_get_out_keys (transform);
  g_autofree char *keys = reel_key_format_list (in);
  g_autoptr (ReelTensor) done = NULL;
  gboolean found = FALSE;
  gint time_dim;

  if (!reel_find_time (td, &time_dim, error))
    return FALSE;
  done = get_done (self, td, time_dim, error);
  if (!done)
    return FALSE;
  for (; *in; in++, out++)
    if (reel_tensordict_contains (td, *in))
      {
        g_autoptr (ReelTensor) reward = reel_tensordict_ref_tensor (td, *in, error);
        g_autoptr (ReelTensor) sums =
            reward ? reel_reward_to_go (reward, done, self->gamma, time_dim, error) : NULL;

        if (!sums || !reel_tensordict_set_tensor (td, *out, sums, error))
          return FALSE;
        found = TRUE;
      }
  if (!found)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "Could not find any of the input keys %s.",
                   keys);
      return FALSE;
    }
  *result = reel_tensordict_ref (td);
  return TRUE;
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  return reel_tensordict_ref (td);
}

static gboolean
changes_writes (ReelTransform *self)
{
  return TRUE;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "The Reward2GoTransform is only an inverse transform and can only be "
                       "applied to the replay buffer.");
  return NULL;
}

static gboolean
build (ReelObject *object, GError **error)
{
  static const char *const defaults[] = { "next/reward", NULL };
  ReelTransform *transform = REEL_TRANSFORM (object);
  const char *const done[] = { REEL_REWARD_TO_GO_TRANSFORM (object)->done_key, NULL };
  const char *const *in = reel_transform_get_in_keys (transform);
  const char *const *out = reel_transform_get_out_keys (transform);

  if (!done[0])
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "reward-to-go needs a done-key");
      return FALSE;
    }
  if (!*in)
    {
      g_auto (GStrv) given = g_strdupv ((char **) (*out ? out : defaults));
      reel_transform_set_keys (transform, defaults, (const char *const *) given);
    }
  return REEL_OBJECT_CLASS (reel_reward_to_go_transform_parent_class)->build (object, error)
         && reel_key_check_all (done, error);
}

static void
reel_reward_to_go_transform_class_init (ReelRewardToGoTransformClass *klass)
{
  static const ReelId ids[] = {
    { "reward-to-go", NULL, "rewards to come, on write" },
    { "Reward2GoTransform", NULL, "rewards to come, on write, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_double (object_class, "gamma",
                                G_STRUCT_OFFSET (ReelRewardToGoTransform, gamma), 0, 1, 1, NULL,
                                "discount of each further reward", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_string (
      object_class, "done-key", G_STRUCT_OFFSET (ReelRewardToGoTransform, done_key), "done",
      "key below next of the flag that ends a trajectory", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "Reward2GoTransform";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->changes_writes = changes_writes;
  transform_class->env_spec = env_spec;
}

static void
reel_reward_to_go_transform_init (ReelRewardToGoTransform *self)
{
}
