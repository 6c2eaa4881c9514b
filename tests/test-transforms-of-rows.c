/* Transforms of rows on their way into a buffer and out of it: flattened batches, rows of old
 * policies, states of recurrent policies after their first steps. */
#include "golden-transforms.h"
#include "make-transform.h"

#include <string.h>

static ReelReplayBuffer *
make_buffer (const char *storage, ReelTransform *transform)
{
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new_from_text (storage, "random", 6, &error);

  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL));
  return buffer;
}

static void
extend (ReelReplayBuffer *buffer, ReelTensordict *rows)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, rows, NULL, &error);
  g_assert_no_error (error);
}

static void
set_integers (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape,
              const gint64 *values)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);

  memcpy (tensor->data, values, reel_tensor_nbytes (tensor));
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

/* ---- flatten-tensordict ---- */

/* T12.6-5: lanes one behind the other, into a storage of one dimension; not into one of two. */
static void
test_batches_are_flattened (void)
{
  g_autoptr (ReelTransform) transform = make_transform ("flatten-tensordict");
  g_autoptr (ReelTransform) other = reel_transform_clone (transform, NULL);
  g_autoptr (ReelReplayBuffer) flat = make_buffer ("tensor:capacity=42", transform);
  g_autoptr (ReelReplayBuffer) wide = make_buffer ("tensor:capacity=42,ndim=2", other);
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (2, (gint64[]){ 3, 14 });
  g_autoptr (ReelTensordict) all = NULL;
  g_autoptr (GError) error = NULL;
  gint64 numbers[42];

  for (gint64 i = 0; i < 42; i++)
    numbers[i] = i;
  set_integers (rows, "n", 2, (gint64[]){ 3, 14 }, numbers);
  extend (flat, rows);
  g_assert_cmpint (reel_replay_buffer_get_length (flat), ==, 42);
  all = reel_replay_buffer_get_all (flat, NULL);
  g_assert_cmpmem (reel_tensordict_get_tensor (all, "n", NULL)->data, sizeof numbers, numbers,
                   sizeof numbers);
  g_assert_false (reel_replay_buffer_extend (wide, rows, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* ---- policy-age-filter ---- */

static ReelTensordict *
make_versions (const gint64 *versions, gint64 n, gint64 steps)
{
  const gint64 shape[] = { n, steps };
  ReelTensordict *td = reel_tensordict_new (1, shape);
  gint64 numbers[16];

  for (gint64 i = 0; i < n; i++)
    numbers[i] = i;
  set_integers (td, "policy_version", 2, shape, versions);
  set_integers (td, "n", 1, shape, numbers);
  return td;
}

/* T12.6-1: on write, and on read once the policy has changed. */
static void
test_old_rows_are_left_out (void)
{
  g_autoptr (ReelTransform) filter =
      make_transform ("policy-age-filter:current-version=3,max-policy-lag=1");
  g_autoptr (ReelReplayBuffer) buffer = make_buffer ("tensor:capacity=9", filter);
  g_autoptr (ReelTensordict) rows = make_versions ((gint64[]){ 0, 2, 2, 3 }, 4, 1);
  g_autoptr (ReelTensordict) sample = NULL, stale = NULL, all = NULL;
  ReelTensordict *batch = NULL;
  gint64 none = 1;
  gint ndim;

  extend (buffer, rows);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);
  g_assert_true (reel_replay_buffer_sample (buffer, 6, &batch, NULL));
  g_assert_cmpint (reel_tensordict_numel (batch), ==, 6);

  reel_policy_age_filter_set_current_version (REEL_POLICY_AGE_FILTER (filter), 4);
  all = reel_replay_buffer_get_all (buffer, NULL);
  g_assert_cmpint (reel_tensordict_numel (all), ==, 1);
  extend (buffer, rows);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 4);

  reel_policy_age_filter_set_current_version (REEL_POLICY_AGE_FILTER (filter), 9);
  g_assert_true (reel_replay_buffer_sample (buffer, 6, &batch, NULL));
  none = reel_tensordict_get_batch_size (batch, &ndim)[0];
  g_assert_cmpint (none, ==, 0);
  g_assert_cmpint (ndim, ==, 1);
  extend (buffer, rows);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 4);
  reel_tensordict_unref (batch);
}

/* Every list of versions below 3 of up to three rows of one or two steps, for every lag. */
static void
test_every_age (void)
{
  for (gint64 word = 0; word < 729; word++)
    for (gint64 steps = 1; steps <= 2; steps++)
      for (gint64 lag = 0; lag < 4; lag++)
        {
          g_autofree char *text = g_strdup_printf (
              "policy-age-filter:current-version=2,max-policy-lag=%" G_GINT64_FORMAT, lag);
          g_autoptr (ReelTransform) filter = make_transform (text);
          gint64 versions[6], kept[3], n_kept = 0, rest = word;
          g_autoptr (ReelTensordict) rows = NULL, read = NULL;

          for (gsize i = 0; i < 6; i++, rest /= 3)
            versions[i] = rest % 3;
          for (gint64 i = 0; i < 3; i++)
            {
              gint64 oldest = MIN (versions[i * steps], versions[i * steps + steps - 1]);

              if (2 - oldest <= lag)
                kept[n_kept++] = i;
            }
          rows = make_versions (versions, 3, steps);
          read = forward (filter, rows);
          g_assert_cmpint (reel_tensordict_numel (read), ==, n_kept);
          g_assert_cmpmem (reel_tensordict_get_tensor (read, "n", NULL)->data,
                           (gsize) n_kept * sizeof *kept, kept, (gsize) n_kept * sizeof *kept);
        }
}

static void
test_rows_without_version (void)
{
  g_autoptr (ReelTransform) filter = make_transform ("policy-age-filter:current-version=9");
  g_autoptr (ReelTransform) strict =
      make_transform ("policy-age-filter:current-version=9,strict=true");
  g_autoptr (ReelTransform) of_flags =
      make_transform ("policy-age-filter:policy-version-key=next/done");
  g_autoptr (ReelTensordict) steps = make_steps (), same = NULL, written = NULL;
  g_autoptr (GError) error = NULL, type = NULL;

  same = forward (filter, steps);
  written = inverse (filter, steps);
  g_assert_true (reel_tensordict_equal (same, steps));
  g_assert_true (reel_tensordict_equal (written, steps));
  g_assert_null (reel_transform_forward (strict, steps, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_null (reel_transform_forward (of_flags, steps, &type));
  g_assert_error (type, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_cmpstr (type->message, ==,
                   "policy-age-filter: \"next/done\" is bool, and versions are real numbers");
  refuse_transform ("policy-age-filter:max-policy-lag=-1", REEL_ERROR_VALUE,
                    "max-policy-lag cannot be -1: it must be at least 0 versions");
}

/* A row that is asked for by its place comes. */
static void
test_single_rows_come (void)
{
  g_autoptr (ReelTransform) filter = make_transform ("policy-age-filter");
  g_autoptr (ReelReplayBuffer) buffer = make_buffer ("tensor:capacity=9", filter);
  g_autoptr (ReelTensordict) rows = make_versions ((gint64[]){ 4, 5 }, 2, 1), row = NULL;

  extend (buffer, rows);
  reel_policy_age_filter_set_current_version (REEL_POLICY_AGE_FILTER (filter), 100);
  row = reel_replay_buffer_get_item (buffer, 0, NULL);
  g_assert_cmpint (*(const gint64 *) reel_tensordict_get_tensor (row, "n", NULL)->data, ==, 0);
}

/* ---- burn-in ---- */

/* The module of the golden data: memory' = memory / 2 + the sum of the observation, from the memory
 * of the first step on. */
static ReelTensordict *
remember (ReelTensordict *td, gpointer n_calls, GError **error)
{
  g_autoptr (ReelTensor) memory =
      reel_tensor_clone (reel_tensordict_get_tensor (td, "memory", NULL), NULL);
  g_autoptr (ReelTensor) seen =
      reel_tensor_clone (reel_tensordict_get_tensor (td, "observation", NULL), NULL);
  float *values = (float *) (gpointer) memory->data;
  const float *observed = (const float *) (gconstpointer) seen->data;
  gint64 n_steps = memory->shape[1];

  for (gint64 lane = 0; lane < memory->shape[0]; lane++)
    {
      float state = values[lane * n_steps];

      for (gint64 t = 0; t < n_steps; t++)
        {
          float sum = 0;

          for (gint64 k = 0; k < seen->shape[2]; k++)
            sum += observed[(lane * n_steps + t) * seen->shape[2] + k];
          state = state / 2 + sum;
          values[lane * n_steps + t] = state;
        }
    }
  *(gint64 *) n_calls += 1;
  return reel_tensordict_set_tensor (td, "next/memory", memory, error) ? reel_tensordict_ref (td)
                                                                       : NULL;
}

static ReelTransform *
make_burn_in (gint64 steps, gint64 *n_calls)
{
  g_autoptr (GError) error = NULL;
  ReelTransform *burn_in = reel_burn_in_transform_new (
      remember, n_calls, NULL, steps, (const char *const[]){ "memory", NULL }, &error);

  g_assert_no_error (error);
  return burn_in;
}

static ReelTensordict *
make_golden_steps (const char *env)
{
  g_autoptr (GArray) cases = golden_transforms ();
  ReelTensordict *steps = NULL;
  g_autoptr (ReelTensor) memory = NULL;
  gint64 shape[3];
  gint ndim;

  for (guint i = 0; !steps && i < cases->len; i++)
    {
      const GoldenCase *golden = &g_array_index (cases, GoldenCase, i);

      if (g_str_equal (json_string_value (json_object_get (golden->json, "env")), env))
        steps = golden_section_data (golden_section (golden->bare, "run"));
    }
  memcpy (shape, reel_tensordict_get_batch_size (steps, &ndim), 2 * sizeof *shape);
  shape[2] = 1;
  memory = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, shape, NULL);
  g_assert_true (reel_tensordict_set_tensor (steps, "memory", memory, NULL));
  g_assert_true (reel_tensordict_set_tensor (steps, "next/memory", memory, NULL));
  return steps;
}

/* T12.6-4 */
static void
test_burn_in_as_torchrl (gconstpointer steps)
{
  g_autofree char *id = g_strdup_printf ("burn-in-vec3-%d", GPOINTER_TO_INT (steps));
  g_autoptr (json_t) table = golden_load ("transforms/golden.json");
  const json_t *sections =
      json_object_get (json_object_get (json_object_get (table, "postprocs"), id), "sections");
  g_autoptr (ReelTensordict) rows = make_golden_steps ("vec3");
  g_autoptr (ReelTensordict) before = reel_tensordict_clone (rows, TRUE, NULL);
  g_autoptr (ReelTensordict) wanted = golden_section_data (json_object_get (sections, "result"));
  gint64 n_calls = 0;
  g_autoptr (ReelTransform) burn_in = make_burn_in (GPOINTER_TO_INT (steps), &n_calls);
  g_autoptr (ReelTensordict) made = forward (burn_in, rows);

  golden_assert_same (id, made, wanted, 0);
  g_assert_true (reel_tensordict_equal (rows, before));
  g_assert_cmpint (n_calls, ==, 1);
}

/* A state that is not stored is 0 but in the first step; several batch dimensions are as one. */
static ReelTensordict *
write_state (ReelTensordict *td, gpointer path, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  gint64 shape[] = { size[0], size[1], size[2], 2 };

  set_leaf (td, path, REEL_DTYPE_FLOAT32, 4, shape);
  return reel_tensordict_ref (td);
}

static void
test_new_states (void)
{
  g_autoptr (ReelTransform) burn_in =
      reel_burn_in_transform_new (write_state, (gpointer) "next/agents/h", NULL, 2,
                                  (const char *const[]){ "agents/h", NULL }, NULL);
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (3, (gint64[]){ 2, 3, 4 });
  g_autoptr (ReelTensordict) made = NULL;
  const ReelTensor *h;

  set_leaf (rows, "n", REEL_DTYPE_INT64, 3, (gint64[]){ 2, 3, 4 });
  made = forward (burn_in, rows);
  g_assert_false (reel_tensordict_contains (made, "next"));
  h = reel_tensordict_get_tensor (made, "agents/h", NULL);
  g_assert_cmpint (h->ndim, ==, 4);
  for (gint64 i = 0; i < 24; i++)
    {
      gint64 lane = i / 4, of_step = i % 4;
      float value = ((const float *) (gconstpointer) h->data)[i];

      /* of lane l the last of two steps: elements 4 l + 2 and 4 l + 3 */
      g_assert_cmpfloat (value, ==, of_step < 2 ? (float) (4 * lane + 2 + of_step) : 0);
    }
}

static void
refuse_burn_in (ReelTransform *burn_in, ReelTensordict *rows, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (burn_in, rows, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static ReelTensordict *
fail (ReelTensordict *td, gpointer nothing, GError **error)
{
  return NULL;
}

/* Five numbers a step. */
static ReelTensordict *
write_form (ReelTensordict *td, gpointer dtype, GError **error)
{
  set_leaf (td, "next/memory", (ReelDtype) GPOINTER_TO_INT (dtype), 3, (gint64[]){ 3, 3, 5 });
  return reel_tensordict_ref (td);
}

static void
test_refused_burn_in (void)
{
  const char *const memory[] = { "memory", NULL }, *const none[] = { NULL };
  const char *const nothing[] = { "nothing", NULL };
  gint64 n_calls = 0;
  g_autoptr (ReelTransform) burn_in = make_burn_in (3, &n_calls), long_one = NULL;
  g_autoptr (ReelTransform) failing =
      reel_burn_in_transform_new (fail, NULL, NULL, 3, memory, NULL);
  g_autoptr (ReelTransform) other =
      reel_burn_in_transform_new (remember, &n_calls, NULL, 3, nothing, NULL);
  g_autoptr (ReelTensordict) rows = make_golden_steps ("vec3");
  g_autoptr (ReelTensordict) lane = reel_tensordict_select_index (rows, 0, 0, NULL);
  static const ReelDtype dtypes[] = { REEL_DTYPE_FLOAT64, REEL_DTYPE_FLOAT32 };
  static const char *const messages[] = {
    "burn-in: the module gives \"memory\" as float64, and float32 is stored",
    "burn-in: the module gives \"memory\" the shape [3, 5] in a step, not [3, 1]",
  };
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = reel_transform_to_string (burn_in);

  refuse_burn_in (burn_in, lane, REEL_ERROR_VALUE,
                  "burn-in takes sequences [batch, time], not steps of shape [14]");
  long_one = make_burn_in (14, &n_calls);
  refuse_burn_in (long_one, rows, REEL_ERROR_VALUE,
                  "burn-in of 14 steps leaves none of sequences of shape [3, 14]: sample longer "
                  "ones");
  refuse_burn_in (failing, rows, REEL_ERROR_RUNTIME, "the module of burn-in failed");
  refuse_burn_in (other, rows, REEL_ERROR_KEY,
                  "burn-in: the result of the module lacks \"next/nothing\"");
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (ReelTransform) other_form = reel_burn_in_transform_new (
          write_form, GINT_TO_POINTER (dtypes[i]), NULL, 3, memory, NULL);

      refuse_burn_in (other_form, rows, i == 0 ? REEL_ERROR_TYPE : REEL_ERROR_RUNTIME, messages[i]);
    }
  g_assert_null (reel_transform_env_spec (burn_in, spec, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_null (reel_transform_clone (burn_in, NULL));
  g_assert_cmpstr (text, ==, "BurnInTransform(burn_in=3, out_keys=['memory'])");
  g_assert_null (reel_burn_in_transform_new (fail, NULL, NULL, 0, memory, NULL));
  g_assert_null (reel_burn_in_transform_new (fail, NULL, NULL, 1, none, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/transforms/flatten-tensordict/batches-are-flattened",
                   test_batches_are_flattened);
  g_test_add_func ("/transforms/policy-age-filter/old-rows-are-left-out",
                   test_old_rows_are_left_out);
  g_test_add_func ("/transforms/policy-age-filter/every-age", test_every_age);
  g_test_add_func ("/transforms/policy-age-filter/rows-without-version", test_rows_without_version);
  g_test_add_func ("/transforms/policy-age-filter/single-rows-come", test_single_rows_come);
  for (gint steps = 1; steps <= 13; steps += steps == 1 ? 2 : 10)
    {
      g_autofree char *path = g_strdup_printf ("/transforms/burn-in/as-torchrl/%d", steps);

      g_test_add_data_func (path, GINT_TO_POINTER (steps), test_burn_in_as_torchrl);
    }
  g_test_add_func ("/transforms/burn-in/new-states", test_new_states);
  g_test_add_func ("/transforms/burn-in/refused", test_refused_burn_in);
  return g_test_run ();
}
