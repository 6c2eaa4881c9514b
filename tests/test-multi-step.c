/* n-step sums and what comes after them, against the real library's and against walks spelled out.
 */
#include "golden-tensor.h"

#include <math.h>
#include <string.h>

#define GAMMA 0.5

/* ---- the real library ---- */

static void
assert_close (const ReelTensor *found, const ReelTensor *expected)
{
  g_assert_cmpint (found->dtype, ==, expected->dtype);
  g_assert_cmpint (found->ndim, ==, expected->ndim);
  for (gint i = 0; i < found->ndim; i++)
    g_assert_cmpint (found->shape[i], ==, expected->shape[i]);
  if (found->dtype != REEL_DTYPE_FLOAT32)
    {
      g_assert_true (reel_tensor_equal (found, expected));
      return;
    }
  g_autoptr (ReelTensor) a = reel_tensor_clone (found, NULL),
                         b = reel_tensor_clone (expected, NULL);
  for (gint64 i = 0; i < reel_tensor_numel (a); i++)
    {
      float x = ((float *) a->data)[i], y = ((float *) b->data)[i];
      g_assert_cmpfloat (fabsf (x - y), <=, 2e-6f * fabsf (y));
    }
}

static void
test_golden (void)
{
  g_autoptr (json_t) file = golden_load ("multi-step.json");
  const json_t *json;
  gsize i;
  gint n = 0;

  json_array_foreach (json_object_get (file, "cases"), i, json)
  {
    g_autoptr (ReelTensordict) in = golden_tensordict (json_object_get (json, "input"));
    g_autoptr (ReelTensordict) expected = golden_tensordict (json_object_get (json, "output"));
    g_auto (GStrv) leaves = reel_tensordict_list_leaves (expected);
    g_autoptr (GError) error = NULL;
    ReelMultiStep how = {
      .n_steps = json_integer_value (json_object_get (json, "n_steps")),
      .gamma = golden_double (json_object_get (json, "gamma")),
      .mask_key = "collector/mask",
    };
    g_autoptr (ReelTensordict) found = reel_multi_step (in, &how, &error);
    g_auto (GStrv) there = NULL;

    g_assert_no_error (error);
    there = reel_tensordict_list_leaves (found);
    g_assert_cmpint (g_strv_length (there), ==, g_strv_length (leaves));
    for (gint k = 0; leaves[k]; k++)
      assert_close (reel_tensordict_get_tensor (found, leaves[k], NULL),
                    reel_tensordict_get_tensor (expected, leaves[k], NULL));
    n++;
  }
  g_assert_cmpint (n, ==, 8);
}

/* ---- every small case ---- */

/* How data lie: [B, T], [B, T] that is a view of [T, B], every second step of more. */
typedef enum
{
  TIME_FAST,
  TIME_SLOW,
  STRIDED,
  N_LAYOUTS
} Layout;

typedef struct
{
  gint64 lanes;
  gint64 steps;
  gint64 features; /* of the reward and of what comes after */
  Layout layout;
  guint flags; /* bit lane × steps + step */
  guint cuts;  /* likewise: ids change after it */
} Case;

static ReelTensor *
new_leaf (const Case *c, ReelDtype dtype, gint64 features)
{
  gint64 factor = c->layout == STRIDED ? 2 : 1;
  gint64 slow[3] = { c->steps, c->lanes, features };
  gint64 fast[3] = { c->lanes, c->steps * factor, features };
  g_autoptr (ReelTensor) leaf = NULL, view = NULL;

  if (c->layout == TIME_SLOW)
    {
      leaf = reel_tensor_new (dtype, features > 0 ? 3 : 2, slow, NULL);
      return reel_tensor_transpose (leaf, 0, 1, NULL);
    }
  leaf = reel_tensor_new (dtype, features > 0 ? 3 : 2, fast, NULL);
  return reel_tensor_slice (leaf, 1, 0, G_MAXINT64, factor, NULL);
}

static gboolean
bit (guint bits, const Case *c, gint64 lane, gint64 step)
{
  gint64 place = lane * c->steps + step;

  return place < 32 && bits >> place & 1;
}

static double
reward_at (gint64 lane, gint64 step, gint64 feature)
{
  return (double) ((lane * 31 + step * 7 + feature * 3) % 11) - 4;
}

static void
fill (const Case *c, ReelTensordict *td)
{
  g_autoptr (ReelTensor) done = new_leaf (c, REEL_DTYPE_BOOL, 1);
  g_autoptr (ReelTensor) ids = new_leaf (c, REEL_DTYPE_INT64, 0);
  g_autoptr (ReelTensor) reward = new_leaf (c, REEL_DTYPE_FLOAT32, c->features);
  g_autoptr (ReelTensor) after = new_leaf (c, REEL_DTYPE_INT32, c->features);

  for (gint64 lane = 0; lane < c->lanes; lane++)
    for (gint64 step = 0, id = 100 * lane; step < c->steps; id += bit (c->cuts, c, lane, step++))
      for (gint64 f = 0; f < c->features; f++)
        {
          const gint64 at[3] = { lane, step, f }, first[3] = { lane, step, 0 };
          *(guint8 *) reel_tensor_element (done, first) = bit (c->flags, c, lane, step);
          *(gint64 *) reel_tensor_element (ids, at) = id;
          *(float *) reel_tensor_element (reward, at) = (float) reward_at (lane, step, f);
          *(gint32 *) reel_tensor_element (after, at) =
              (gint32) (1000 * lane + 10 * (step + 1) + f);
        }
  reel_tensordict_set_tensor (td, "next/done", done, NULL);
  reel_tensordict_set_tensor (td, "next/reward", reward, NULL);
  reel_tensordict_set_tensor (td, "next/deep/after", after, NULL);
  reel_tensordict_set_tensor (td, "ids", ids, NULL);
}

static ReelTensordict *
make_case (const Case *c)
{
  const gint64 size[2] = { c->lanes, c->steps };
  ReelTensordict *td = reel_tensordict_new (2, size);

  fill (c, td);
  return td;
}

static double
get (const ReelTensordict *td, const char *path, gint64 lane, gint64 step, gint64 feature)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);
  const gint64 at[3] = { lane, step, feature };

  return reel_dtype_load_double (tensor->dtype, reel_tensor_element (tensor, at));
}

/* One step after the other. */
static void
check_step (const Case *c, gint64 n_steps, const ReelTensordict *found, gint64 lane, gint64 step)
{
  gint64 count = 0;
  gboolean ended = FALSE;

  for (gint64 t = step; t < c->steps && count < n_steps && !ended; t++, count++)
    ended = bit (c->flags, c, lane, t) || bit (c->cuts, c, lane, t);
  g_assert_cmpfloat (get (found, "steps_to_next_obs", lane, step, 0), ==, (double) count);
  g_assert_cmpfloat (get (found, "gamma", lane, step, 0), ==, pow (GAMMA, (double) count));
  g_assert_cmpfloat (get (found, "nonterminal", lane, step, 0), ==, count > 1);
  g_assert_cmpfloat (get (found, "next/done", lane, step, 0), ==, bit (c->flags, c, lane, step));
  for (gint64 f = 0; f < c->features; f++)
    {
      double sum = 0, power = 1;
      for (gint64 i = 0; i < count; i++, power *= GAMMA)
        sum += power * reward_at (lane, step + i, f);
      g_assert_cmpfloat (get (found, "next/reward", lane, step, f), ==, sum);
      g_assert_cmpfloat (get (found, "next/original_reward", lane, step, f), ==,
                         reward_at (lane, step, f));
      g_assert_cmpfloat (get (found, "next/deep/after", lane, step, f), ==,
                         (double) (1000 * lane + 10 * (step + count) + f));
    }
}

static gint64
check_case (const Case *c)
{
  g_autoptr (ReelTensordict) td = make_case (c);
  g_autoptr (ReelTensordict) before = reel_tensordict_clone (td, TRUE, NULL);
  gint64 n_cases = 0;

  for (gint64 n = 1; n <= c->steps + 1; n++, n_cases++)
    {
      ReelMultiStep how = { .n_steps = n, .gamma = GAMMA, .trajectory_key = "ids" };
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) found = reel_multi_step (td, &how, &error);

      g_assert_no_error (error);
      for (gint64 lane = 0; lane < c->lanes; lane++)
        for (gint64 step = 0; step < c->steps; step++)
          check_step (c, n, found, lane, step);
    }
  g_assert_true (reel_tensordict_equal (td, before));
  return n_cases;
}

/* T11-1, T11-2: every placement of ends and of changes of ids. */
static void
test_all_small_cases (void)
{
  gint64 n_cases = 0;

  for (gint64 lanes = 1; lanes <= 3; lanes++)
    for (gint64 steps = 1; steps <= 8 / lanes; steps++)
      for (guint flags = 0; flags < 1u << (lanes * steps); flags++)
        for (gint layout = 0; layout < N_LAYOUTS; layout++)
          {
            guint cuts = lanes == 1 ? flags * 37 % (1u << steps) : 0;
            n_cases += check_case (&(Case){ lanes, steps, 1, layout, flags, 0 });
            n_cases += check_case (&(Case){ lanes, steps, 2, layout, flags & ~cuts, cuts });
          }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
  g_assert_cmpint (n_cases, >, 20000);
}

/* Ends and changes of ids at random. */
static void
place_ends (const Case *c, ReelTensordict *td)
{
  const ReelTensor *done = reel_tensordict_get_tensor (td, "next/done", NULL);
  const ReelTensor *ids = reel_tensordict_get_tensor (td, "ids", NULL);

  for (gint64 k = 0, id = 0; k < c->lanes * c->steps; k++)
    {
      const gint64 at[3] = { k / c->steps, k % c->steps, 0 };
      id += reel_random_below (reel_random_key (8, 0), k, 40) == 0;
      *(guint8 *) reel_tensor_element (done, at) =
          reel_random_below (reel_random_key (7, 0), k, 5) == 0;
      *(gint64 *) reel_tensor_element (ids, at) = id;
    }
}

static void
check_long_step (const ReelTensordict *found, gint64 lane, gint64 step, gint64 feature,
                 gint64 count)
{
  double sum = 0;

  for (gint64 k = count - 1; k >= 0; k--)
    sum = reward_at (lane, step + k, feature) + GAMMA * sum;
  g_assert_cmpfloat_with_epsilon (get (found, "next/reward", lane, step, feature), sum, 1e-5);
  g_assert_cmpfloat (get (found, "next/deep/after", lane, step, feature), ==,
                     (double) (1000 * lane + 10 * (step + count) + feature));
}

static void
check_long_lane (const Case *c, gint64 n, const ReelTensordict *found, gint64 lane)
{
  for (gint64 step = c->steps - 1, count = 0; step >= 0; step--)
    {
      gboolean ends = step == c->steps - 1 || get (found, "next/done", lane, step, 0) != 0
                      || get (found, "ids", lane, step, 0) != get (found, "ids", lane, step + 1, 0);

      count = ends ? 1 : MIN (count + 1, n);
      g_assert_cmpfloat (get (found, "steps_to_next_obs", lane, step, 0), ==, (double) count);
      g_assert_cmpfloat (get (found, "gamma", lane, step, 0), ==,
                         (double) (float) pow (GAMMA, (double) count));
      g_assert_cmpfloat (get (found, "nonterminal", lane, step, 0), ==, count > 1);
      for (gint64 f = 0; f < c->features; f++)
        check_long_step (found, lane, step, f, count);
    }
}

/* T11-1: long rows, so that every vector, its remainder and every chunk is reached, and rows of
 * every size that is moved by itself. */
static void
test_long_rows (void)
{
  static const gint64 shapes[][3] = { { 1, 5000, 1 },  { 8, 700, 3 },  { 3, 1025, 2 },
                                      { 70, 40, 1 },   { 5, 400, 4 },  { 8, 4200, 1 },
                                      { 1, 17000, 2 }, { 2, 9000, 1 }, { 9, 333, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (gint layout = 0; layout < N_LAYOUTS; layout++)
      for (gint64 n = 1; n <= 13; n += 3)
        {
          Case c = { shapes[i][0], shapes[i][1], shapes[i][2], layout, 0, 0 };
          ReelMultiStep how = { .n_steps = n, .gamma = GAMMA, .trajectory_key = "ids" };
          g_autoptr (ReelTensordict) td = make_case (&c);
          g_autoptr (ReelTensordict) found = NULL;

          place_ends (&c, td);
          found = reel_multi_step (td, &how, NULL);
          for (gint64 lane = 0; lane < c.lanes; lane++)
            check_long_lane (&c, n, found, lane);
        }
}

/* ---- shapes, types ---- */

/* T11-2: no batch dimension, one, two. */
static void
test_batches (void)
{
  static const gint64 shapes[][3] = { { 6, 0, 0 }, { 4, 6, 0 }, { 2, 3, 6 } };

  for (gint ndim = 1; ndim <= 3; ndim++)
    {
      Case c = { ndim == 1 ? 1 : ndim == 2 ? 4 : 6, 6, 1, TIME_FAST, 0x249249, 0 };
      ReelMultiStep how = { .n_steps = 3, .gamma = GAMMA };
      g_autoptr (ReelTensordict) flat = make_case (&c);
      g_autoptr (ReelTensordict) td = reel_tensordict_reshape (flat, ndim, shapes[ndim - 1], NULL);
      g_autoptr (ReelTensordict) expected = reel_multi_step (flat, &how, NULL);
      g_autoptr (ReelTensordict) found = reel_multi_step (td, &how, NULL);
      g_autoptr (ReelTensordict) back = NULL;
      const gint64 size[2] = { c.lanes, c.steps };

      g_assert_nonnull (found);
      back = reel_tensordict_reshape (found, 2, size, NULL);
      g_assert_true (reel_tensordict_equal (back, expected));
    }
}

/* Three dimensions whose memory is in the order of time. */
static void
test_batches_in_the_order_of_time (void)
{
  const gint64 shape[3] = { 2, 3, 6 };
  const gint forth[3] = { 2, 0, 1 }, back[3] = { 1, 2, 0 };
  Case c = { 6, 6, 1, TIME_FAST, 0x249249, 0 };
  ReelMultiStep how = { .n_steps = 3, .gamma = GAMMA };
  g_autoptr (ReelTensordict) flat = make_case (&c);
  g_autoptr (ReelTensordict) td = reel_tensordict_reshape (flat, 3, shape, NULL);
  g_autoptr (ReelTensordict) turned = reel_tensordict_permute (td, forth, NULL);
  g_autoptr (ReelTensordict) in_time = reel_tensordict_clone (turned, TRUE, NULL);
  g_autoptr (ReelTensordict) same = reel_tensordict_permute (in_time, back, NULL);
  g_autoptr (ReelTensordict) expected = reel_multi_step (td, &how, NULL);
  g_autoptr (ReelTensordict) found = reel_multi_step (same, &how, NULL);

  g_assert_true (reel_tensordict_equal (same, td));
  g_assert_true (reel_tensordict_equal (found, expected));
}

static ReelTensordict *
new_agents (gboolean singleton)
{
  const gint64 size[2] = { 2, 4 }, agents[4] = { 2, 4, 5, 1 };
  ReelTensordict *td = reel_tensordict_new (2, size);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, singleton ? 4 : 3, agents, NULL);
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, agents, NULL);

  done->data[1 * 5 + 2] = TRUE; /* lane 0, step 1, agent 2 */
  for (gint i = 0; i < 40; i++)
    ((float *) reward->data)[i] = (float) i;
  reel_tensordict_set_tensor (td, "next/done", done, NULL);
  reel_tensordict_set_tensor (td, "next/reward", reward, NULL);
  reel_tensordict_set_tensor (td, "next/obs", reward, NULL);
  return td;
}

/* T11-3: a flag for each of five agents. */
static void
test_agents (void)
{
  g_autoptr (ReelTensordict) td = new_agents (FALSE), wide = new_agents (TRUE);
  ReelMultiStep how = { .n_steps = 3, .gamma = GAMMA };
  g_autoptr (ReelTensordict) found = reel_multi_step (td, &how, NULL);
  g_autoptr (GError) error = NULL;
  gint ndim;

  reel_tensordict_get_batch_size (found, &ndim);
  g_assert_cmpint (ndim, ==, 2);
  g_assert_cmpint (reel_tensordict_get_tensor (found, "gamma", NULL)->ndim, ==, 3);
  g_assert_cmpfloat (get (found, "steps_to_next_obs", 0, 0, 1), ==, 3);
  g_assert_cmpfloat (get (found, "steps_to_next_obs", 0, 0, 2), ==, 2);
  g_assert_cmpfloat (get (found, "steps_to_next_obs", 0, 1, 2), ==, 1);
  g_assert_cmpfloat (get (found, "next/obs", 0, 0, 2), ==, 7);
  g_assert_cmpfloat (get (found, "next/obs", 0, 0, 3), ==, 13);
  g_assert_cmpfloat (get (found, "next/reward", 0, 0, 2), ==, 2 + 0.5 * 7);
  g_assert_cmpfloat (get (found, "next/reward", 1, 1, 0), ==, 25 + 0.5 * 30 + 0.25 * 35);
  g_assert_null (reel_multi_step (wide, &how, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (
      error->message, "tensordict shape must be compatible with the done's shape (trailing "
                      "singleton dimension excluded): "));
}

/* A flag for a step, rewards of any real type and several features. */
static void
test_rewards_of_all_types (void)
{
  const ReelDtype dtypes[4] = { REEL_DTYPE_FLOAT16, REEL_DTYPE_BFLOAT16, REEL_DTYPE_FLOAT32,
                                REEL_DTYPE_FLOAT64 };
  Case c = { 2, 5, 3, TIME_SLOW, 1u << 2, 0 };

  for (gint d = 0; d < 4; d++)
    {
      g_autoptr (ReelTensordict) td = make_case (&c);
      g_autoptr (ReelTensor) reward = new_leaf (&c, dtypes[d], 3);
      g_autoptr (ReelTensordict) found = NULL;
      ReelMultiStep how = { .n_steps = 3, .gamma = GAMMA };

      for (gint64 i = 0; i < 30; i++)
        {
          const gint64 at[3] = { i / 15, i / 3 % 5, i % 3 };
          reel_dtype_store_double (dtypes[d], reel_tensor_element (reward, at),
                                   reward_at (at[0], at[1], at[2]));
        }
      reel_tensordict_set_tensor (td, "next/reward", reward, NULL);
      found = reel_multi_step (td, &how, NULL);
      g_assert_cmpint (reel_tensordict_get_tensor (found, "next/reward", NULL)->dtype, ==,
                       dtypes[d]);
      for (gint64 i = 0; i < 10; i++)
        check_step (&c, 3, found, i / 5, i % 5);
    }
}

/* TorchRL would make NaN of all that can see it. */
static void
test_what_is_not_finite_stays (void)
{
  Case c = { 1, 6, 1, TIME_FAST, 1u << 2, 0 };
  g_autoptr (ReelTensordict) td = make_case (&c);
  ReelTensor *reward = reel_tensordict_get_tensor (td, "next/reward", NULL);
  ReelMultiStep how = { .n_steps = 4, .gamma = 1 };
  g_autoptr (ReelTensordict) found = NULL;

  ((float *) reward->data)[3] = NAN;
  ((float *) reward->data)[4] = INFINITY;
  ((float *) reward->data)[2] = -0.0f;
  found = reel_multi_step (td, &how, NULL);
  for (gint64 t = 0; t < 3; t++)
    g_assert_true (isfinite (get (found, "next/reward", 0, t, 0)));
  g_assert_true (signbit (get (found, "next/reward", 0, 2, 0)));
  g_assert_true (isnan (get (found, "next/reward", 0, 3, 0)));
  g_assert_cmpfloat (get (found, "next/reward", 0, 4, 0), ==, INFINITY);
  g_assert_cmpfloat (get (found, "next/reward", 0, 5, 0), ==, reward_at (0, 5, 0));
}

/* Several rewards keep their own originals; what is no tensor moves with the rest. */
static void
test_keys (void)
{
  static const char *const rewards[] = { "reward", "deep/other", NULL };
  Case c = { 1, 4, 1, TIME_FAST, 0, 0 };
  g_autoptr (ReelTensordict) td = make_case (&c);
  g_autoptr (ReelTensor) reward =
      reel_tensor_clone (reel_tensordict_get_tensor (td, "next/reward", NULL), NULL);
  ReelMultiStep how = { .n_steps = 2, .gamma = 1, .reward_keys = rewards };
  g_autoptr (ReelTensordict) found = NULL;
  g_autofree char *leaves = NULL;
  g_auto (GStrv) list = NULL;

  reel_tensordict_set_tensor (td, "next/deep/other", reward, NULL);
  reel_tensordict_set_value (td, "next/word", g_variant_new_string ("same"), NULL);
  reel_tensordict_lock (td);
  found = reel_multi_step (td, &how, NULL);
  list = reel_tensordict_list_leaves (found);
  leaves = g_strjoinv (" ", list);
  g_assert_true (reel_tensordict_contains (found, "next/original_reward"));
  g_assert_true (reel_tensordict_contains (found, "next/deep/original_other"));
  g_assert_true (reel_tensordict_contains (found, "next/word"));
  g_assert_cmpfloat (get (found, "next/deep/other", 0, 1, 0), ==,
                     reward_at (0, 1, 0) + reward_at (0, 2, 0));
}

static void
test_nothing (void)
{
  for (gint i = 0; i < 2; i++)
    {
      Case c = { i == 0 ? 0 : 2, i == 0 ? 3 : 0, 1, TIME_FAST, 0, 0 };
      g_autoptr (ReelTensordict) td = make_case (&c);
      ReelMultiStep how = { .n_steps = 2, .gamma = 1, .trajectory_key = "ids" };
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) found = reel_multi_step (td, &how, &error);

      g_assert_no_error (error);
      g_assert_cmpint (reel_tensordict_numel (found), ==, 0);
      g_assert_true (reel_tensordict_contains (found, "gamma"));
    }
}

/* ---- refusals ---- */

static void
assert_refused (ReelTensordict *td, ReelMultiStep how, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_multi_step (td, &how, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_refusals (void)
{
  static const char *const others[] = { "deep/after", NULL };
  Case c = { 2, 3, 1, TIME_FAST, 0, 0 };
  g_autoptr (ReelTensordict) td = make_case (&c);
  g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) lane = reel_tensordict_select_index (td, 0, 0, NULL);
  g_autoptr (ReelTensor) narrow = NULL;
  const gint64 two[2] = { 2, 4 };

  assert_refused (td, (ReelMultiStep){ .n_steps = 0, .gamma = 1 }, REEL_ERROR_VALUE,
                  "The value of n_steps must be a strictly positive integer, not 0.");
  assert_refused (td, (ReelMultiStep){ .n_steps = 1, .gamma = 0 }, REEL_ERROR_VALUE,
                  "got out-of-bounds gamma decay: gamma=0, which must be above 0 and at most 1");
  assert_refused (td, (ReelMultiStep){ .n_steps = 1, .gamma = NAN }, REEL_ERROR_VALUE,
                  "got out-of-bounds gamma decay: gamma=nan, which must be above 0 and at most 1");
  assert_refused (td, (ReelMultiStep){ .n_steps = 1, .gamma = 1, .done_key = "reward" },
                  REEL_ERROR_TYPE, "\"next/reward\" is a flag of dtype bool, not float32");
  assert_refused (td, (ReelMultiStep){ .n_steps = 1, .gamma = 1, .reward_keys = others },
                  REEL_ERROR_TYPE, "\"next/deep/after\" must be of a real dtype, not int32");
  assert_refused (step, (ReelMultiStep){ .n_steps = 1, .gamma = 1 }, REEL_ERROR_RUNTIME,
                  "a tensordict without batch dimensions has no time to look ahead in");
  assert_refused (td, (ReelMultiStep){ .n_steps = 1, .gamma = 1, .trajectory_key = "next/done" },
                  REEL_ERROR_TYPE, "\"next/done\" must be of dtype int64, not bool");
  narrow = reel_tensor_new (REEL_DTYPE_BOOL, 2, two, NULL);
  reel_tensordict_set_tensor (lane, "mask", narrow, NULL);
  g_assert_false (reel_tensordict_contains (lane, "mask"));
}

/* T11-7: the flag of a group must be named. */
static void
test_flag_in_a_group (void)
{
  Case c = { 2, 3, 1, TIME_FAST, 0, 0 };
  ReelMultiStep how = { .n_steps = 2, .gamma = GAMMA };
  g_autoptr (ReelTensordict) td = make_case (&c);
  g_autoptr (ReelTensordict) plain = reel_multi_step (td, &how, NULL);
  g_autoptr (ReelTensordict) found = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_tensor (
      td, "next/data/done", reel_tensordict_get_tensor (td, "next/done", NULL), NULL));
  g_assert_true (reel_tensordict_remove (td, "next/done", NULL));
  g_assert_null (reel_multi_step (td, &how, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_nonnull (strstr (error->message, "key \"done\" not found"));
  how.done_key = "data/done";
  found = reel_multi_step (td, &how, NULL);
  g_assert_nonnull (found);
  g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (plain, "next/reward", NULL),
                                    reel_tensordict_get_tensor (found, "next/reward", NULL)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/transforms/multi-step/golden", test_golden);
  g_test_add_func ("/transforms/multi-step/all-small-cases", test_all_small_cases);
  g_test_add_func ("/transforms/multi-step/long-rows", test_long_rows);
  g_test_add_func ("/transforms/multi-step/batches", test_batches);
  g_test_add_func ("/transforms/multi-step/batches-in-the-order-of-time",
                   test_batches_in_the_order_of_time);
  g_test_add_func ("/transforms/multi-step/agents", test_agents);
  g_test_add_func ("/transforms/multi-step/rewards-of-all-types", test_rewards_of_all_types);
  g_test_add_func ("/transforms/multi-step/what-is-not-finite-stays",
                   test_what_is_not_finite_stays);
  g_test_add_func ("/transforms/multi-step/keys", test_keys);
  g_test_add_func ("/transforms/multi-step/nothing", test_nothing);
  g_test_add_func ("/transforms/multi-step/refusals", test_refusals);
  g_test_add_func ("/transforms/multi-step/flag-in-a-group", test_flag_in_a_group);

  return g_test_run ();
}
