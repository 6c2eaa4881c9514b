#include "env-steps.h"

#include <string.h>

ReelEnv *
env_steps_open (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

  g_assert_no_error (error);
  return env;
}

gint64
env_steps_number (const ReelTensordict *td, const char *path, gint64 i)
{
  g_autoptr (GError) error = NULL;
  ReelTensor *leaf = reel_tensordict_get_tensor (td, path, &error);

  g_assert_no_error (error);
  return (gint64) reel_dtype_load_double (leaf->dtype,
                                          leaf->data + (gsize) i * reel_dtype_size (leaf->dtype));
}

void
env_steps_assert (const ReelTensordict *td, const char *path, gsize n, const gint64 *numbers)
{
  g_autoptr (GError) error = NULL;
  ReelTensor *leaf = reel_tensordict_get_tensor (td, path, &error);

  g_assert_no_error (error);
  g_assert_cmpint (reel_tensor_numel (leaf), ==, (gint64) n);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpint (env_steps_number (td, path, (gint64) i), ==, numbers[i]);
}

void
env_steps_set_flags (ReelTensordict *td, const char *path, gsize n, const guint8 *flags)
{
  const gint64 shape[] = { (gint64) n, 1 };
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  g_autoptr (ReelTensor) tensor =
      reel_tensor_new (REEL_DTYPE_BOOL, ndim + 1, shape + 1 - ndim, NULL);

  memcpy (tensor->data, flags, n);
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

void
env_steps_set_action (ReelEnv *env, ReelTensordict *td, double value)
{
  g_autoptr (ReelTensordict) fake = reel_env_make_fake (env, NULL);
  g_auto (GStrv) leaves = reel_spec_list_leaves (reel_env_get_action_spec (env));

  for (char **leaf = leaves; *leaf != NULL; leaf++)
    {
      ReelTensor *action = reel_tensordict_get_tensor (fake, *leaf, NULL);

      for (gint64 i = 0; i < reel_tensor_numel (action); i++)
        reel_dtype_store_double (action->dtype,
                                 action->data + (gsize) i * reel_dtype_size (action->dtype), value);
      g_assert_true (reel_tensordict_set_tensor (td, *leaf, action, NULL));
    }
}

ReelTensordict *
env_steps_reset (ReelEnv *env)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *td = reel_env_reset (env, NULL, &error);

  g_assert_no_error (error);
  return td;
}

void
env_steps_step (ReelEnv *env, ReelTensordict *td)
{
  g_autoptr (GError) error = NULL;

  reel_env_step (env, td, &error);
  g_assert_no_error (error);
}

ReelTensordict *
env_steps_act_one (ReelTensordict *td, gpointer env, GError **error)
{
  env_steps_set_action (env, td, 1);
  return reel_tensordict_ref (td);
}
