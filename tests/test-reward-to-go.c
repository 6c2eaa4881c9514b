/* Rewards to go against the real library's and against sums spelled out. */
#include "golden-tensor.h"

#include <math.h>

static void
assert_close (const ReelTensor *found, const ReelTensor *expected)
{
  g_assert_cmpint (found->dtype, ==, expected->dtype);
  g_assert_cmpint (reel_tensor_numel (found), ==, reel_tensor_numel (expected));
  for (gint64 i = 0; i < reel_tensor_numel (expected); i++)
    {
      float a = ((const float *) found->data)[i], b = ((const float *) expected->data)[i];
      g_assert_cmpfloat_with_epsilon (a, b, 1e-6f * fabsf (b));
    }
}

static void
test_golden (void)
{
  g_autoptr (json_t) file = golden_load ("reward.json");
  gint n = 0;
  gsize i;
  const json_t *json;

  json_array_foreach (json_object_get (file, "cases"), i, json)
  {
    if (!g_str_equal (json_string_value (json_object_get (json, "fn")), "reward2go"))
      continue;
    g_autoptr (ReelTensor) reward = golden_tensor (json_object_get (json, "reward"));
    g_autoptr (ReelTensor) done = golden_tensor (json_object_get (json, "done"));
    g_autoptr (ReelTensor) expected = golden_tensor (json_object_get (json, "output"));
    double gamma = golden_double (json_object_get (json, "gamma"));
    g_autoptr (ReelTensor) found = reel_reward_to_go (reward, done, gamma, -2, NULL);
    assert_close (found, expected);
    n++;
  }
  g_assert_cmpint (n, ==, 4);
}

/* The example of TorchRL's documentation: gamma 0.99, ten ones, done at 3 and 7. */
static void
test_documented (void)
{
  const gint64 shape[2] = { 1, 10 };
  const double expected[10] = { 3.9404, 2.9701, 1.99, 1, 3.9404, 2.9701, 1.99, 1, 1.99, 1 };
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);

  for (gint i = 0; i < 10; i++)
    ((float *) reward->data)[i] = 1;
  done->data[3] = done->data[7] = TRUE;
  g_autoptr (ReelTensor) found = reel_reward_to_go (reward, done, 0.99, -1, NULL);
  g_assert_cmpint (found->ndim, ==, 2);
  for (gint i = 0; i < 10; i++)
    g_assert_cmpfloat_with_epsilon (((float *) found->data)[i], expected[i], 5e-5);
}

/* Small integers in all four dtypes: sums with gamma 1/2 that every one of them holds exactly. */
static ReelTensor *
make_rewards (ReelDtype dtype, const gint64 *shape)
{
  ReelTensor *tensor = reel_tensor_new (dtype, 3, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    reel_dtype_store_double (dtype, tensor->data + i * reel_dtype_size (dtype),
                             (double) (i * 5 % 7) - 3);
  return tensor;
}

static double
sum_from (const ReelTensor *reward, const ReelTensor *done, gint64 *at, gint time_dim)
{
  double value = reel_dtype_load_double (reward->dtype, reel_tensor_element (reward, at));
  gboolean ends = *(guint8 *) reel_tensor_element (done, at);

  if (!ends && ++at[time_dim] < reward->shape[time_dim])
    value += 0.5 * sum_from (reward, done, at, time_dim);
  return value;
}

static void
check_sums (ReelTensor *reward, ReelTensor *done)
{
  for (gint dim = 0; dim < 3; dim++)
    {
      g_autoptr (ReelTensor) found = reel_reward_to_go (reward, done, 0.5, dim - 3, NULL);
      g_assert_true (reel_tensor_is_contiguous (found));
      for (gint64 i = 0; i < reel_tensor_numel (found); i++)
        {
          gint64 at[3] = { i / found->shape[2] / found->shape[1],
                           i / found->shape[2] % found->shape[1], i % found->shape[2] };
          double value = reel_dtype_load_double (found->dtype, reel_tensor_element (found, at));
          g_assert_cmpfloat (value, ==, sum_from (reward, done, at, dim));
        }
    }
}

/* Every flag of 2 × 3 × 2 elements, time any dimension, strided and not. */
static void
test_all_flags (void)
{
  const gint64 shape[3] = { 2, 3, 2 };
  const ReelDtype dtypes[4] = { REEL_DTYPE_FLOAT16, REEL_DTYPE_BFLOAT16, REEL_DTYPE_FLOAT32,
                                REEL_DTYPE_FLOAT64 };
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 3, shape, NULL);
  g_autoptr (ReelTensor) turned_done = reel_tensor_transpose (done, 0, 1, NULL);

  for (gint d = 0; d < 4; d++)
    {
      g_autoptr (ReelTensor) reward = make_rewards (dtypes[d], shape);
      g_autoptr (ReelTensor) turned = reel_tensor_transpose (reward, 0, 1, NULL);
      for (guint pattern = 0; pattern < 1u << 12; pattern++)
        {
          for (gint i = 0; i < 12; i++)
            done->data[i] = pattern >> i & 1;
          check_sums (reward, done);
          check_sums (turned, turned_done);
        }
    }
}

/* An infinite reward stays in its episode. */
static void
test_infinite (void)
{
  const gint64 shape[1] = { 3 };
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, shape, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 1, shape, NULL);

  ((double *) reward->data)[2] = INFINITY;
  done->data[0] = TRUE;
  g_autoptr (ReelTensor) found = reel_reward_to_go (reward, done, 1, 0, NULL);
  g_assert_cmpfloat (((double *) found->data)[0], ==, 0);
  g_assert_cmpfloat (((double *) found->data)[1], ==, INFINITY);
}

/* Ten million rewards of 0.1: a float32 sum would be off in the third digit. */
static void
test_precision (void)
{
  const gint64 n = 10000000;
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 1, &n, NULL);

  for (gint64 i = 0; i < n; i++)
    ((float *) reward->data)[i] = 0.1f;
  g_autoptr (ReelTensor) found = reel_reward_to_go (reward, done, 1, 0, NULL);
  g_assert_cmpfloat (((float *) found->data)[0], ==, (float) (0.1f * (double) n));
}

/* Gamma keeps all of its digits. */
static void
test_gamma_is_double (void)
{
  const gint64 n = 50;
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, &n, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 1, &n, NULL);
  double ahead = 0;

  for (gint64 i = 0; i < n; i++)
    ((double *) reward->data)[i] = 1;
  g_autoptr (ReelTensor) found = reel_reward_to_go (reward, done, 0.99, 0, NULL);
  for (gint64 i = n; i-- > 0;)
    {
      ahead = 1 + 0.99 * ahead;
      g_assert_cmpfloat (((double *) found->data)[i], ==, ahead);
    }
}

static void
test_nothing (void)
{
  const gint64 shapes[][2] = { { 0, 2 }, { 2, 0 } };

  for (gint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shapes[i], NULL);
      g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, shapes[i], NULL);
      for (gint dim = 0; dim < 2; dim++)
        {
          g_autoptr (ReelTensor) found = reel_reward_to_go (reward, done, 1, dim, NULL);
          g_assert_true (reel_tensor_equal (found, reward));
        }
    }
}

static void
assert_refused (ReelTensor *reward, ReelTensor *done, gint dim, gint code, const char *message)
{
  GError *error = NULL;

  g_assert_null (reel_reward_to_go (reward, done, 1, dim, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);
}

static void
test_refusals (void)
{
  const gint64 shape[2] = { 2, 3 }, other[2] = { 3, 2 };
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);
  g_autoptr (ReelTensor) turned = reel_tensor_new (REEL_DTYPE_BOOL, 2, other, NULL);

  assert_refused (reward, turned, 0, REEL_ERROR_VALUE,
                  "reward and done must share the same shape, got [2, 3] and [3, 2]");
  assert_refused (reward, reward, 0, REEL_ERROR_TYPE,
                  "a floating reward and done of dtype bool are expected, not float32 and float32");
  assert_refused (done, done, 0, REEL_ERROR_TYPE,
                  "a floating reward and done of dtype bool are expected, not bool and bool");
  assert_refused (reward, done, 2, REEL_ERROR_INDEX,
                  "dimension 2 is out of range: there are 2 dimensions");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/reward-to-go/golden", test_golden);
  g_test_add_func ("/core/reward-to-go/documented", test_documented);
  g_test_add_func ("/core/reward-to-go/all-flags", test_all_flags);
  g_test_add_func ("/core/reward-to-go/infinity-stays-in-its-episode", test_infinite);
  g_test_add_func ("/core/reward-to-go/long-sums-are-exact", test_precision);
  g_test_add_func ("/core/reward-to-go/gamma-is-double", test_gamma_is_double);
  g_test_add_func ("/core/reward-to-go/nothing", test_nothing);
  g_test_add_func ("/core/reward-to-go/refusals", test_refusals);

  return g_test_run ();
}
