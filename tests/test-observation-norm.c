/* Observation norms that learn their numbers from an env. */
#include "collecting.h"

#include <math.h>
#include <string.h>

#define STEPS 12

typedef struct
{
  const char *env;
  const char *arguments;
  gint64 num_iter;
  gint n_reduce, reduce[4];
  gint cat;
  gint n_keep, keep[4];
} Case;

static const Case cases[] = {
  { "Pendulum:max-episode-steps=7", "in-keys=observation", 15, 1, { 0 }, 0, 0, { 0 } },
  { "Pendulum:max-episode-steps=7",
    "in-keys=observation,standard-normal=true",
    7,
    1,
    { 0 },
    0,
    0,
    { 0 } },
  { "Pendulum", "in-keys=observation", 1 + STEPS, 2, { 0, -1 }, 0, 0, { 0 } },
  { "CartPole:num-envs=3",
    "in-keys=observation,standard-normal=true",
    50,
    2,
    { 0, 1 },
    1,
    0,
    { 0 } },
  { "CartPole:num-envs=3", "in-keys=observation", 50, 2, { 0, -2 }, -2, 0, { 0 } },
  { "CartPole:num-envs=3", "in-keys=observation", 50, 1, { 1 }, 1, 0, { 0 } },
  { "CartPole:num-envs=3", "in-keys=observation", 50, 2, { 1, 2 }, 1, 1, { 2 } },
  { "CartPole:num-envs=3", "in-keys=observation,out-keys=n", 50, 3, { 0, 1, 2 }, 1, 0, { 0 } },
  { "CartPole:num-envs=2,from-pixels=true,width=60,height=40|to-tensor-image",
    "in-keys=pixels",
    30,
    4,
    { 0, 1, 3, 4 },
    1,
    2,
    { -1, -2 } },
  { "CartPole:from-pixels=true,width=60,height=40",
    "in-keys=pixels,standard-normal=true",
    30,
    3,
    { 0, 1, 2 },
    0,
    0,
    { 0 } },
};

static ReelEnv *
make_env (const char *text)
{
  return collecting_make (REEL_TYPE_ENV, text);
}

static ReelTransform *
make_norm (const char *arguments)
{
  g_autofree char *text = g_strconcat ("observation-norm:", arguments, NULL);

  return collecting_make (REEL_TYPE_TRANSFORM, text);
}

static ReelStatsOptions
make_options (const Case *one)
{
  return (ReelStatsOptions){
    .num_iter = one->num_iter,
    .reduce_dims = one->reduce,
    .n_reduce_dims = (gsize) one->n_reduce,
    .cat_dim = &one->cat,
    .keep_dims = one->keep,
    .n_keep_dims = (gsize) one->n_keep,
  };
}

static ReelTensor *
get (ReelTensordict *td, const char *key)
{
  g_autoptr (ReelTensor) value = reel_tensordict_ref_tensor (td, key, NULL);

  g_assert_nonnull (value);
  return reel_tensor_contiguous (value, NULL);
}

static double
element (const ReelTensor *tensor, gint64 i)
{
  return reel_dtype_load_double (tensor->dtype,
                                 tensor->data + (gsize) i * reel_dtype_size (tensor->dtype));
}

/* ---- a naive account (T12.2-2) ---- */

/* The values that rollouts showed: [lanes, frames, element]. Lanes in a row of their own. */
typedef struct
{
  gint64 n_lanes, n_row;
  GArray *values; /* frame by frame, each of all lanes */
} Seen;

static Seen
watch (const Case *one, const char *key)
{
  g_autoptr (ReelEnv) env = make_env (one->env);
  Seen seen = { reel_env_get_num_envs (env), 0, g_array_new (FALSE, FALSE, sizeof (double)) };

  for (gint64 frames = 0; frames < one->num_iter;)
    {
      g_autoptr (ReelTensordict) rollout = reel_env_rollout (env, one->num_iter, NULL, NULL);
      g_autoptr (ReelTensor) value = get (rollout, key);
      gint64 n = reel_tensordict_numel (rollout), steps = n / seen.n_lanes;

      seen.n_row = reel_tensor_numel (value) / n;
      for (gint64 t = 0; t < steps; t++)
        for (gint64 lane = 0; lane < seen.n_lanes; lane++)
          for (gint64 i = 0; i < seen.n_row; i++)
            {
              double x = element (value, (lane * steps + t) * seen.n_row + i);

              g_array_append_val (seen.values, x);
            }
      frames += n;
    }
  return seen;
}

/* same: whether the elements @a and @b of a step, of all lanes, share their numbers. */
static gboolean
same (const Case *one, const ReelTensor *step, gboolean has_lanes, gint64 a, gint64 b)
{
  gint n = step->ndim + 1; /* with time */

  for (gint i = step->ndim - 1; i >= 0; a /= step->shape[i], b /= step->shape[i], i--)
    {
      gint dim = has_lanes && i == 0 ? 0 : i + 1;
      gboolean reduced = FALSE;

      for (gint k = 0; k < one->n_reduce; k++)
        reduced = reduced || (one->reduce[k] + n) % n == dim;
      if (!reduced && a % step->shape[i] != b % step->shape[i])
        return FALSE;
    }
  return TRUE;
}

static void
account (const Case *one, const Seen *seen, const ReelTensor *step, gint64 at, double *mean,
         double *deviation)
{
  gint64 n_step = seen->n_lanes * seen->n_row, n = 0;

  *mean = *deviation = 0;
  for (gint turn = 0; turn < 2; turn++)
    {
      n = 0;
      for (guint i = 0; i < seen->values->len; i++)
        if (same (one, step, seen->n_lanes > 1, i % n_step, at))
          {
            double x = g_array_index (seen->values, double, i);

            n++;
            if (turn == 0)
              *mean += x;
            else
              *deviation += (x - *mean) * (x - *mean);
          }
      if (turn == 0)
        *mean /= (double) n;
    }
  *deviation = sqrt (*deviation / (double) (n - 1));
}

static void
test_numbers (gconstpointer data)
{
  const Case *one = data;
  ReelStatsOptions options = make_options (one);
  g_autoptr (ReelTransform) norm = make_norm (one->arguments);
  const char *key = reel_transform_get_in_keys (norm)[0];
  g_autoptr (ReelEnv) env = make_env (one->env), plain = make_env (one->env), whole = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) before = NULL, after = NULL;
  Seen seen = watch (one, key);

  reel_observation_norm_init_stats (norm, env, &options, &error);
  g_assert_no_error (error);
  whole = reel_transformed_env_new (env, norm, &error);
  g_assert_no_error (error);
  before = reel_env_reset (plain, NULL, NULL);
  after = reel_env_reset (whole, NULL, NULL);

  g_autoptr (ReelTensor) raw = get (before, key);
  g_autoptr (ReelTensor) normed = get (after, reel_transform_get_out_keys (norm)[0]);

  g_assert_cmpint (reel_tensor_numel (raw), ==, reel_tensor_numel (normed));
  for (gint64 i = 0; i < reel_tensor_numel (raw); i += MAX (reel_tensor_numel (raw) / 40, 1))
    {
      double mean, deviation, expected;

      account (one, &seen, raw, i, &mean, &deviation);
      expected = (element (raw, i) - mean) / deviation;
      g_assert_cmpfloat_with_epsilon (element (normed, i), expected,
                                      1e-5 * MAX (1, fabs (expected)));
    }
  g_array_unref (seen.values);
}

/* ---- refusals ---- */

static void
refuse (const char *arguments, const char *env_text, const Case *how, gint code, const char *part)
{
  g_autoptr (ReelTransform) norm = collecting_make (REEL_TYPE_TRANSFORM, arguments);
  g_autoptr (ReelEnv) env = make_env (env_text);
  ReelStatsOptions options = make_options (how);
  g_autofree char *before = reel_object_to_text (REEL_OBJECT (norm)), *after = NULL;
  g_autoptr (GError) error = NULL;

  if (how->cat == G_MAXINT)
    options.cat_dim = NULL;
  g_assert_false (reel_observation_norm_init_stats (norm, env, &options, &error));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, part))
    g_error ("\"%s\" does not contain \"%s\"", error->message, part);
  after = reel_object_to_text (REEL_OBJECT (norm));
  g_assert_cmpstr (before, ==, after);
}

/* T12.2-3 is among them: numbers that would give each observation a dimension more. */
static void
test_refusals (void)
{
  static const char norm[] = "observation-norm:in-keys=observation";
  const Case plain = { .num_iter = 9, .n_reduce = 1 };
  const Case none = { .num_iter = 0, .n_reduce = 1 };
  const Case two = { .num_iter = 9, .n_reduce = 2, .reduce = { 0, 1 }, .cat = G_MAXINT };
  const Case cat = { .num_iter = 9, .n_reduce = 1, .cat = 1 };
  const Case cat_of_two = { .num_iter = 9, .n_reduce = 2, .reduce = { 0, 1 }, .cat = 2 };
  const Case beyond = { .num_iter = 9, .n_reduce = 1, .reduce = { 3 }, .cat = 3 };
  const Case keep = { .num_iter = 9, .n_reduce = 1, .n_keep = 1, .keep = { 1 } };
  const Case keep_both = {
    .num_iter = 9, .n_reduce = 2, .reduce = { 0, 1 }, .cat = 1, .n_keep = 2, .keep = { 0, 1 }
  };
  const Case of_time = { .num_iter = 9, .n_reduce = 1 };

  refuse ("sign", "Pendulum", &plain, REEL_ERROR_TYPE, "sign is not an observation-norm");
  refuse ("observation-norm:in-keys=observation,loc=0,scale=1", "Pendulum", &plain,
          REEL_ERROR_RUNTIME, "already");
  refuse ("observation-norm:in-keys=[observation,other]", "Pendulum", &plain, REEL_ERROR_RUNTIME,
          "has 2 in-keys");
  refuse ("observation-norm:in-keys=nothing", "Pendulum", &plain, REEL_ERROR_KEY, "nothing");
  refuse (norm, "Pendulum", &none, REEL_ERROR_VALUE, "0 frames");
  refuse (norm, "Pendulum", &two, REEL_ERROR_VALUE, "cat dim must be given");
  refuse (norm, "Pendulum", &cat, REEL_ERROR_VALUE, "cat dim 1 is not one of the reduce dims");
  refuse (norm, "CartPole:num-envs=3", &cat_of_two, REEL_ERROR_VALUE, "cat dim 2");
  refuse (norm, "Pendulum", &beyond, REEL_ERROR_VALUE, "reduce dim 3 is not one of the 2");
  refuse (norm, "Pendulum", &keep, REEL_ERROR_VALUE, "keep dim 1");
  refuse (norm, "CartPole:num-envs=3", &keep_both, REEL_ERROR_RUNTIME, "[1, 1, 4]");
  /* Rollouts of unlike lengths have no common time. */
  refuse (norm, "CartPole:num-envs=3", &of_time, REEL_ERROR_RUNTIME, "");
  refuse ("observation-norm:in-keys=step_count", "Pendulum:max-episode-steps=1|step-counter",
          &plain, REEL_ERROR_RUNTIME, "deviation 0");
}

/* Of several in-keys the one that is named gives the numbers of all. */
static void
test_named_key (void)
{
  static const gint first[] = { 0 };
  const ReelStatsOptions options = {
    .num_iter = 9, .key = "observation", .reduce_dims = first, .n_reduce_dims = 1
  };
  g_autoptr (ReelTransform) norm = make_norm ("in-keys=[observation,other]");
  g_autoptr (ReelEnv) env = make_env ("Pendulum");
  g_autofree char *text = NULL;

  g_assert_true (reel_observation_norm_init_stats (norm, env, &options, NULL));
  text = reel_object_to_text (REEL_OBJECT (norm));
  g_assert_true (g_str_has_prefix (text, "observation-norm:in-keys=[observation,other],"));
  g_assert_nonnull (strstr (text, "loc=["));
}

/* Neither data nor an env, nor the norm of another behind it, until it has its numbers. */
static void
test_use_before_numbers (void)
{
  g_autoptr (ReelTransform) norm = make_norm ("in-keys=observation");
  g_autoptr (ReelEnv) env = make_env ("Pendulum");
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (norm, td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_transformed_env_new (env, norm, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* Numbers of an image fit that image alone. */
static void
test_shape (void)
{
  const gint64 fitting[] = { 4, 2, 3 }, other[] = { 4, 3, 2 };
  g_autoptr (ReelTransform) norm =
      make_norm ("in-keys=x,loc=[0,1,2,3,4,5],scale=[1,2,3,4,5,6],shape=[2,3]");

  for (gint i = 0; i < 2; i++)
    {
      const gint64 *shape = i == 0 ? fitting : other;
      g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape), result = NULL;
      g_autoptr (ReelTensor) x = reel_tensor_new (REEL_DTYPE_FLOAT64, 3, shape, NULL);
      g_autoptr (GError) error = NULL;

      for (gint64 k = 0; k < 24; k++)
        ((double *) (gpointer) x->data)[k] = 1;
      g_assert_true (reel_tensordict_set_tensor (td, "x", x, NULL));
      result = reel_transform_forward (norm, td, &error);
      if (i == 1)
        g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      for (gint64 k = 0; result && k < 24; k++)
        g_assert_cmpfloat (element (reel_tensordict_get_tensor (result, "x", NULL), k), ==,
                           (double) (1 + 2 * (k % 6)));
    }
}

/* read_numbers: those of a list in a text. */
static void
read_numbers (const char *text, const char *name, gsize n, double *numbers)
{
  const char *at = strstr (text, name);

  g_assert_nonnull (at);
  for (gsize i = 0; i < n; i++)
    {
      char *end;

      numbers[i] = g_ascii_strtod (i == 0 ? at + strlen (name) : at, &end);
      at = end + 1;
    }
}

/* assert_by_lane: whether each lane of a rollout has numbers of its own, whichever were reset. */
static void
assert_by_lane (const char *text, ReelTensordict *rollout)
{
  g_autoptr (ReelTensor) raw = get (rollout, "observation"), normed = get (rollout, "n");
  double loc[280], scale[280];
  gint64 steps = reel_tensordict_numel (rollout) / 70;

  read_numbers (text, "loc=[", 280, loc);
  read_numbers (text, "scale=[", 280, scale);
  for (gint64 i = 0; i < reel_tensor_numel (raw); i++)
    {
      gint64 at = i / (4 * steps) * 4 + i % 4;
      float product = (float) element (raw, i) * (float) scale[at];

      g_assert_true ((float) element (normed, i) == product + (float) loc[at]);
    }
}

/* Numbers of lanes are of an env with as many; rows that are stored have no lane. */
static void
test_numbers_of_lanes (void)
{
  static const gint time[] = { 1 };
  const ReelStatsOptions options = { .num_iter = 900, .reduce_dims = time, .n_reduce_dims = 1 };
  const ReelRolloutOptions all = { .end = REEL_ROLLOUT_MAX_STEPS };
  g_autoptr (ReelTransform) norm = make_norm ("in-keys=observation,out-keys=n");
  g_autoptr (ReelEnv) env = make_env ("CartPole:num-envs=70"), whole = NULL, again = NULL;
  g_autoptr (ReelTensordict) rollout = NULL, same_rollout = NULL;
  g_autoptr (ReelTransform) clone = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_true (reel_observation_norm_init_stats (norm, env, &options, NULL));
  clone = reel_transform_clone (norm, NULL);
  whole = reel_transformed_env_new (env, norm, NULL);
  text = reel_object_to_text (REEL_OBJECT (whole));
  g_assert_nonnull (strstr (text, "shape=[70,4]"));
  again = make_env (text);
  rollout = reel_env_rollout (whole, 2 * STEPS, &all, NULL);
  assert_by_lane (text, rollout);
  same_rollout = reel_env_rollout (again, 2 * STEPS, &all, NULL);
  g_assert_true (reel_tensordict_equal (rollout, same_rollout));
  g_assert_null (reel_transform_forward (clone, rollout, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);

  for (gint threads = 1; threads <= 3; threads += 2)
    {
      g_autofree char *how = collecting_text ("sync", 70 * 40, 70 * 40, threads);
      g_autoptr (ReelCollector) collector = collecting_make_collector (how, text, "random", NULL);
      ReelTensordict *batch = NULL;

      collecting_next (collector, &batch);
      if (threads == 1)
        {
          reel_tensordict_unref (g_steal_pointer (&rollout));
          rollout = reel_tensordict_clone (batch, TRUE, NULL);
        }
      else
        g_assert_true (reel_tensordict_equal (rollout, batch));
    }
}

/* ---- as text ---- */

/* init-frames: the env begins as it would without, and its text has the numbers. */
static void
test_text_learns (void)
{
  static const char *const envs[] = {
    "Pendulum:seed=3|observation-norm:in-keys=observation,out-keys=n,init-frames=40",
    "CartPole:num-envs=3,seed=5|step-counter|(observation-norm:in-keys=observation,out-keys=n,"
    "init-frames=50|observation-norm:in-keys=n,standard-normal=true,init-frames=80)",
  };
  const ReelRolloutOptions all = { .end = REEL_ROLLOUT_MAX_STEPS };

  for (gsize i = 0; i < G_N_ELEMENTS (envs); i++)
    {
      g_auto (GStrv) links = g_strsplit (envs[i], "|", 2);
      g_autoptr (ReelEnv) bare = make_env (links[0]), env = make_env (envs[i]), again = NULL;
      g_autofree char *text = reel_object_to_text (REEL_OBJECT (env));
      g_autoptr (ReelTensordict) plain = reel_env_rollout (bare, STEPS, &all, NULL);
      g_autoptr (ReelTensordict) a = reel_env_rollout (env, STEPS, &all, NULL), b = NULL;
      g_autoptr (ReelTensor) raw = get (plain, "observation"), kept = get (a, "observation");

      g_assert_null (strstr (text, "init-frames"));
      g_assert_nonnull (strstr (text, "scale=["));
      again = make_env (text);
      b = reel_env_rollout (again, STEPS, &all, NULL);
      g_assert_true (reel_tensordict_equal (a, b));
      g_assert_true (reel_tensor_equal (raw, kept));
    }
}

/* The numbers are those of the function, over all lanes and steps. */
static void
test_text_is_the_function (void)
{
  static const gint dims[] = { 0, 1 };
  const ReelStatsOptions options = {
    .num_iter = 50, .reduce_dims = dims, .n_reduce_dims = 2, .cat_dim = &dims[1]
  };
  g_autoptr (ReelEnv) env = make_env ("CartPole:num-envs=3,seed=5"), whole = NULL;
  g_autoptr (ReelEnv) other =
      make_env ("CartPole:num-envs=3,seed=5|observation-norm:in-keys=observation,init-frames=50");
  g_autoptr (ReelTransform) norm = make_norm ("in-keys=observation");
  g_autofree char *a = NULL, *b = reel_object_to_text (REEL_OBJECT (other));

  g_assert_true (reel_observation_norm_init_stats (norm, env, &options, NULL));
  whole = reel_transformed_env_new (env, norm, NULL);
  a = reel_object_to_text (REEL_OBJECT (whole));
  g_assert_cmpstr (a, ==, b);
}

static void
test_text_refusals (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (
      REEL_TYPE_ENV, "Pendulum|observation-norm:in-keys=nothing,init-frames=9", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_nonnull (strstr (error->message, "cannot learn from 9 frames"));
}

/* A scale of 0 hides an element, also one that has no bounds: CartPole's velocities. */
static void
test_hidden (void)
{
  g_autoptr (ReelEnv) env = reel_object_new_from_text (
      REEL_TYPE_ENV, "CartPole|observation-norm:in-keys=observation,loc=0,scale=[1,0,1,0]", NULL,
      NULL);
  const ReelSpec *spec;
  g_autoptr (ReelTensordict) td = NULL;
  const ReelTensor *seen;

  g_assert_nonnull (env);
  spec = reel_spec_get (reel_env_get_observation_spec (env), "observation", NULL);
  td = reel_env_rollout (env, 5, NULL, NULL);
  g_assert_nonnull (td);
  seen = reel_tensordict_get_tensor (td, "observation", NULL);
  g_assert_true (reel_spec_is_in (spec, seen, NULL));
  for (gint64 i = 0; i < reel_tensor_numel (seen); i++)
    g_assert_true ((((const float *) (gconstpointer) seen->data)[i] == 0) == (i % 2 == 1));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/transforms/observation-norm/numbers/%" G_GSIZE_FORMAT, i);

      g_test_add_data_func (path, &cases[i], test_numbers);
    }
  g_test_add_func ("/transforms/observation-norm/refusals", test_refusals);
  g_test_add_func ("/transforms/observation-norm/named-key", test_named_key);
  g_test_add_func ("/transforms/observation-norm/use-before-numbers", test_use_before_numbers);
  g_test_add_func ("/transforms/observation-norm/shape", test_shape);
  g_test_add_func ("/transforms/observation-norm/numbers-of-lanes", test_numbers_of_lanes);
  g_test_add_func ("/transforms/observation-norm/hides-elements-without-bounds", test_hidden);
  g_test_add_func ("/transforms/observation-norm/text-learns", test_text_learns);
  g_test_add_func ("/transforms/observation-norm/text-is-the-function", test_text_is_the_function);
  g_test_add_func ("/transforms/observation-norm/text-refusals", test_text_refusals);

  return g_test_run ();
}
