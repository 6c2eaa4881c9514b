/* Files of learn: events as TensorBoard was seen to read them, and weights by which the mlp policy
 * acts as the learner does. */
#include "../apps/learn/acting.h"
#include "../apps/learn/event-file.h"
#include "../apps/learn/export.h"
#include "../apps/learn/normalization.h"
#include "../apps/learn/parameters.h"

#include "scratch.h"

#include <math.h>
#include <string.h>

/* Whether the sample, which TensorBoard read, contains these records. */
static void
assert_contains (const char *sample, gsize n, const GByteArray *records)
{
  g_assert_nonnull (memmem (sample, n, records->data, records->len));
}

/* Scalars of the sample: versions, ordinary steps, steps beyond 32 bits, NaN. */
static void
test_events (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "events.sample", NULL);
  g_autofree char *sample = NULL;
  g_autoptr (GByteArray) version = g_byte_array_new ();
  const double begin = 1700000000;
  const struct
  {
    double seconds;
    gint64 step;
    const char *tag;
    float value;
  } scalars[] = { { 5, (gint64) 1 << 40, "train/loss", (float) NAN },
                  { 5, G_MAXINT32, "eval/return", -1e30f } };
  gsize n;

  g_assert_true (g_file_get_contents (path, &sample, &n, NULL));
  event_file_append_version (version, begin);
  g_assert_cmpmem (sample, version->len, version->data, version->len);
  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++)
    {
      g_autoptr (GByteArray) record = g_byte_array_new ();

      event_file_append_scalar (record, begin + scalars[i].seconds, scalars[i].step, scalars[i].tag,
                                scalars[i].value);
      assert_contains (sample, n, record);
    }
}

/* Those of a file that the protocol buffers of TensorBoard parsed to the same texts and values. */
static void
test_parameters (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "parameters.events", NULL);
  g_autofree char *sample = NULL;
  g_autoptr (GByteArray) records = g_byte_array_new ();
  const double begin = 1700000000;
  json_t *parameters = json_pack ("{s:f, s:s, s:b, s:i}", "lr", 0.001, "env", "CartPole-v1",
                                  "double", TRUE, "batch", 256);
  gsize n;

  g_assert_true (g_file_get_contents (path, &sample, &n, NULL));
  event_file_append_text (records, begin, "hyperparameters/text_summary",
                          "|param|value|\n|-|-|\n|lr|0.001|");
  event_file_append_parameters (records, begin, parameters);
  json_decref (parameters);
  g_assert_cmpmem (sample, n, records->data, records->len);
}

/* A table of all settings, whose cells no bar ends; and no page where TensorBoard's would fail. */
static void
test_settings (void)
{
  static const struct
  {
    gint64 total;
    gboolean page;
  } cases[] = { { 5, TRUE }, { G_MAXINT32, TRUE }, { (gint64) G_MAXINT32 + 1, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GByteArray) records = g_byte_array_new ();
      g_autofree char *total = g_strdup_printf ("\n|total|%" G_GINT64_FORMAT "|\n", cases[i].total);
      const char *const parts[] = { total, "\n|env|CartPole\\|reward-sum|\n", "\n|hidden|[64,5]|\n",
                                    "\n|gamma|0.99|\n|double|true|" };
      json_t *config =
          json_pack ("{s:s, s:s, s:i, s:I, s:s, s:[i, i], s:{s:f, s:b}}", "learner", "dqn", "env",
                     "CartPole|reward-sum", "seed", 3, "total", (json_int_t) cases[i].total,
                     "activation", "relu", "hidden", 64, 5, "settings", "gamma", 0.99, "double", 1);

      parameters_append (records, 0, config);
      json_decref (config);
      for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
        g_assert_nonnull (memmem (records->data, records->len, parts[k], strlen (parts[k])));
      g_assert_cmpint (memmem (records->data, records->len, "hparams", 7) != NULL, ==,
                       cases[i].page);
    }
}

typedef struct
{
  const LearnerClass *class;
  const char *env;
} Case;

/* As if data had been measured. */
static void
scale_observations (Learner *learner)
{
  const Spaces *spaces = &learner->spaces;

  normalization_begin (learner);
  for (gint i = 0; i < spaces->n_inputs; i++)
    {
      spaces->shift[i] = 0.3f - (float) i;
      spaces->factor[i] = 0.5f + (float) i;
    }
}

static Learner *
make_learner (const Case *test, const Spaces *spaces)
{
  Learner *learner = learner_new (test->class, spaces, NULL);

  g_assert_nonnull (learner);
  for (guint i = 0; test->class->settings[i].name; i++)
    learner->values[i] = test->class->settings[i].initial;
  learner->n_hidden = 2;
  learner->widths[0] = 20;
  learner->widths[1] = 11;
  learner->activation = ACTIVATION_TANH;
  learner->n_lanes = 3;
  reel_pcg64_seed (&learner->random, (guint32[]){ 7 }, 1);
  if (test->class->normalizes > 0)
    scale_observations (learner);
  g_assert_true (test->class->begin (learner, NULL));
  return learner;
}

static ReelTensordict *
collect (const char *env_text, ReelPolicy *policy, ReelCollector **collector)
{
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, env_text, NULL, NULL);
  ReelTensordict *batch;

  *collector = reel_collector_new ("sync:frames-per-batch=90", env, policy, NULL, NULL);
  g_assert_cmpint (reel_collector_next (*collector, &batch, NULL), ==, 90);
  return batch;
}

/* The exported policy chooses what the learner does, for classes by number and one-hot, and for
 * boxes, whose bounds are not those of the network. */
static void
test_policies (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, test->env, &error, NULL);
  g_auto (Spaces) spaces = { 0 };
  g_autofree char *path = scratch_path ("policy.safetensors");

  g_assert_no_error (error);
  g_assert_true (spaces_init (&spaces, env, FALSE, &error));
  g_autoptr (Learner) learner = make_learner (test, &spaces);
  g_assert_true (export_policy (learner, path, &error));
  g_assert_true (export_policy (learner, path, &error)); /* again, over the file */
  g_assert_no_error (error);
  g_autofree char *text = export_dup_text (learner, path);
  g_autoptr (ReelPolicy) own = acting_policy_new (learner, FALSE);
  g_autoptr (ReelPolicy) exported =
      reel_object_new_from_text (REEL_TYPE_POLICY, text, &error, NULL);
  g_assert_no_error (error);
  g_autoptr (ReelCollector) one = NULL, other = NULL;
  ReelTensordict *a = collect (test->env, own, &one);
  ReelTensordict *b = collect (test->env, exported, &other);
  gint64 width = spaces.n_classes == 0 ? spaces.n_actions : spaces.one_hot ? spaces.n_classes : 1;
  g_autofree float *x = g_new (float, 90 * width), *y = g_new (float, 90 * width);

  g_assert_true (spaces_read (a, "action", 90, width, x, NULL));
  g_assert_true (spaces_read (b, "action", 90, width, y, NULL));
  for (gint64 i = 0; i < 90 * width; i++)
    g_assert_cmpfloat_with_epsilon (x[i], y[i], 1e-4);
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { &dqn_learner, "CartPole:num-envs=3" },
    { &dqn_learner, "Acrobot:num-envs=3,action-encoding=categorical" },
    { &r2d2_learner, "CartPole:num-envs=3" },
    { &ppo_learner, "CartPole:num-envs=3" },
    { &cql_learner, "CartPole:num-envs=3" },
    { &ppo_learner, "Pendulum:num-envs=3" },
    { &sac_learner, "Pendulum:num-envs=3" },
    { &td3_learner, "Pendulum:num-envs=3" },
    { &iql_learner, "CartPole:num-envs=3" },
    { &iql_learner, "Pendulum:num-envs=3" },
    { &td3_bc_learner, "Pendulum:num-envs=3" },
    { &bc_learner, "Pendulum:num-envs=3" },
    { &bc_learner, "CartPole:num-envs=3" },
  };

  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/apps/learn/files/events", test_events);
  g_test_add_func ("/apps/learn/files/parameters", test_parameters);
  g_test_add_func ("/apps/learn/files/settings", test_settings);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/apps/learn/files/policy-of-%s/%u", cases[i].class->name, i);
      scratch_test_with_data (path, test_policies, &cases[i]);
    }

  return g_test_run ();
}
