#include "make-transform.h"

#include "make-spec.h"

gpointer
make_transform (const char *text)
{
  g_autoptr (GError) error = NULL;
  gpointer transform = reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, &error, NULL);

  g_assert_no_error (error);
  return transform;
}

void
refuse_transform (const char *text, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *result = reel_transform_forward (transform, td, &error);

  g_assert_no_error (error);
  return result;
}

ReelTensordict *
inverse (ReelTransform *transform, ReelTensordict *td)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *result = NULL;

  reel_transform_inverse (transform, td, &result, &error);
  g_assert_no_error (error);
  return result;
}

void
set_leaf (ReelTensordict *td, const char *path, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    reel_dtype_store_double (dtype, tensor->data + i * reel_dtype_size (dtype),
                             dtype == REEL_DTYPE_BOOL ? i % 5 == 4 : (double) i);
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

ReelTensordict *
make_steps (void)
{
  const gint64 one[3] = { 4, 8, 1 }, two[3] = { 4, 8, 2 }, four[3] = { 4, 8, 4 };
  const gint64 image[5] = { 4, 8, 3, 4, 3 };
  ReelTensordict *td = reel_tensordict_new (2, one);

  set_leaf (td, "a", REEL_DTYPE_FLOAT32, 3, one);
  set_leaf (td, "b", REEL_DTYPE_FLOAT32, 3, two);
  set_leaf (td, "observation", REEL_DTYPE_FLOAT32, 3, four);
  set_leaf (td, "pixels", REEL_DTYPE_FLOAT32, 5, image);
  set_leaf (td, "act", REEL_DTYPE_INT64, 2, one);
  set_leaf (td, "reward", REEL_DTYPE_FLOAT32, 3, one);
  set_leaf (td, "done", REEL_DTYPE_BOOL, 3, one);
  set_leaf (td, "next/observation", REEL_DTYPE_FLOAT32, 3, four);
  set_leaf (td, "next/reward", REEL_DTYPE_FLOAT32, 3, one);
  set_leaf (td, "next/done", REEL_DTYPE_BOOL, 3, one);
  set_leaf (td, "next/terminated", REEL_DTYPE_BOOL, 3, one);
  return td;
}

static ReelSpec *
make_part (const char *const *keys, const char *const *texts)
{
  gsize n = g_strv_length ((char **) keys);
  g_autoptr (GPtrArray) specs = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (specs, make_from_text (texts[i]));
  return make_composite (SCALAR, keys, (ReelSpec *const *) specs->pdata, n);
}

ReelSpec *
make_env_spec (void)
{
  static const char *const observations[] = { "a", "b", "observation", "pixels", NULL };
  static const char *const observation_specs[] = { "unbounded:shape=[1]",
                                                   "bounded:shape=[2],low=[-1],high=[1]",
                                                   "unbounded:shape=[4]",
                                                   "bounded:shape=[3,4,3],low=[0],high=[1e4]" };
  static const char *const actions[] = { "act", NULL }, *const action_specs[] = { "one-hot:n=3" };
  static const char *const rewards[] = { "reward", NULL };
  static const char *const reward_specs[] = { "unbounded:shape=[1]" };
  static const char *const dones[] = { "done", "terminated", NULL };
  static const char *const done_specs[] = { "categorical:n=2,dtype=bool,shape=[1]",
                                            "categorical:n=2,dtype=bool,shape=[1]" };
  g_autoptr (ReelSpec) observation = make_part (observations, observation_specs);
  g_autoptr (ReelSpec) action = make_part (actions, action_specs);
  g_autoptr (ReelSpec) reward = make_part (rewards, reward_specs);
  g_autoptr (ReelSpec) done = make_part (dones, done_specs);

  return reel_env_spec_new (observation, action, reward, done, NULL);
}
