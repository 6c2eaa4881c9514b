/* The MuJoCo tasks beyond the contract of environments: faults, models of users, odd
 * actions, threads. */
#include "../src/reel.h"

#include "../src/envs/mujoco/mujoco-terms.h"
#include "env-text.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static char *
data_file (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", name, NULL);
}

static ReelEnv *
open_env (const char *text, const char *xml_file, GError **error)
{
  if (xml_file == NULL)
    return reel_object_new_from_text (REEL_TYPE_ENV, text, error, NULL);
  return reel_object_new_from_text (REEL_TYPE_ENV, text, error, "xml-file", xml_file, NULL);
}

static void
assert_refused (const char *text, const char *file, gint code, const char *message)
{
  g_autofree char *path = file ? data_file (file) : NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (open_env (text, path, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
  if (path != NULL)
    g_assert_nonnull (strstr (error->message, path));
}

static void
test_models_are_refused (void)
{
  assert_refused ("Hopper", "no-such-file.xml", REEL_ERROR_IO, "there is no such file");
  assert_refused ("Hopper", "gymnasium", REEL_ERROR_IO, "not a regular file");
  assert_refused ("Hopper", "no-model.xml", REEL_ERROR_VALUE, "line 4");
  assert_refused ("Ant:main-body=14", NULL, REEL_ERROR_VALUE, "main-body=14");
  assert_refused ("Ant:main-body=tail", NULL, REEL_ERROR_VALUE, "main-body=tail");
  assert_refused ("Ant:main-body=''", NULL, REEL_ERROR_VALUE, "bodies 0 to 13");
  assert_refused ("Ant:healthy-z-range=[1]", NULL, REEL_ERROR_VALUE, "healthy-z-range");
  assert_refused ("Ant:healthy-z-range=[1,0]", NULL, REEL_ERROR_VALUE, "healthy-z-range");
  assert_refused ("Pusher", "unstable.xml", REEL_ERROR_VALUE, "nq=3");
}

/* A range may be a point. */
static void
test_ranges_may_be_points (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = open_env ("Ant:healthy-z-range=[1,1]", NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (env);
}

/* Builds without MuJoCo know the names of these environments alone. */
static void
test_all_are_optional (void)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (REEL_TYPE_ENV);
  const ReelOptional *optional = REEL_OBJECT_CLASS (klass)->optional;
  g_autoptr (GError) error = NULL;
  g_autofree const ReelId **ids = NULL;
  gsize n;

  for (gsize i = 0; optional->names[i] != NULL; i++)
    {
      g_autofree char *text = reel_object_describe (REEL_TYPE_ENV, optional->names[i], &error);

      g_assert_no_error (error);
    }
  ids = reel_object_list_ids (g_type_from_name ("ReelMujocoEnv"), &n);
  g_assert_cmpint (n, >, 0);
  for (gsize i = 0; i < n; i++)
    {
      g_auto (GStrv) words = g_strsplit (ids[i]->id, "-v", 2);

      if (!g_str_equal (words[0], "Greedy")) /* this test's own */
        g_assert_true (g_strv_contains (optional->names, words[0]));
    }
}

/* ---- lanes ---- */

#define LANES 5

typedef struct
{
  ReelEnv *env;
  gsize n_action, n_observation;
  float *action;
  double *observation;
  float reward[LANES];
  guint8 terminated[LANES], truncated[LANES], done[LANES];
} Batch;

static gsize
leaf_size (const ReelSpec *specs, const char *leaf)
{
  gint ndim;

  return (gsize) reel_spec_get_shape (reel_spec_get (specs, leaf, NULL), &ndim)[0];
}

static void
batch_open (Batch *batch, const char *id, const char *xml_file)
{
  g_autofree char *text =
      g_strdup_printf ("%s%cnum-envs=%d", id, strchr (id, ':') ? ',' : ':', LANES);
  g_autoptr (GError) error = NULL;
  guint8 *observation[1];

  batch->env = open_env (text, xml_file, &error);
  g_assert_no_error (error);
  batch->n_action = leaf_size (reel_env_get_action_spec (batch->env), "action");
  batch->n_observation = leaf_size (reel_env_get_observation_spec (batch->env), "observation");
  batch->action = g_new0 (float, LANES * batch->n_action);
  batch->observation = g_new0 (double, LANES * batch->n_observation);
  observation[0] = (guint8 *) batch->observation;
  reel_env_reset_lanes (batch->env, 0, LANES, NULL, observation);
}

static void
batch_step (Batch *batch)
{
  const guint8 *const action[] = { (const guint8 *) batch->action };
  guint8 *const observation[] = { (guint8 *) batch->observation };
  const ReelEnvIO io = {
    .action = action,
    .observation = observation,
    .reward = batch->reward,
    .terminated = batch->terminated,
    .truncated = batch->truncated,
    .done = batch->done,
  };

  reel_env_step_lanes (batch->env, 0, LANES, &io);
}

static void
batch_close (Batch *batch)
{
  g_object_unref (batch->env);
  g_free (batch->action);
  g_free (batch->observation);
}

/* The lowest lane is named, and what MuJoCo warned of; then nothing is known of it any more. */
static void
test_unstable_lanes_are_named (void)
{
  g_autofree char *path = data_file ("unstable.xml");
  g_autoptr (GError) error = NULL;
  Batch batch;

  batch_open (&batch, "Hopper", path);
  g_assert_true (reel_env_check_faults (batch.env, &error));
  batch.action[2] = batch.action[4] = 1;
  batch_step (&batch);
  batch_step (&batch);
  g_assert_false (reel_env_check_faults (batch.env, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "Hopper-v5: lane 2 could not be simulated in step"));
  g_assert_nonnull (strstr (error->message, "unstable"));
  g_assert_true (reel_env_check_faults (batch.env, NULL));
  batch_close (&batch);
}

/* ---- states ---- */

/* In front of qpos, qvel and qacc_warmstart a lane's state holds the steps of the episode, the
 * random stream, the marks and the time. */
#define STATE_HEAD                                                                                 \
  (sizeof (gint64) + sizeof (ReelPcg64) + (REEL_MUJOCO_MARKS + 1) * sizeof (double))

/* Of Hopper's model. */
#define N_JOINTS 6

/* Puts a lane at rest where all of qpos and qvel is 0, but for one number of either. */
static void
place_lane (ReelEnv *env, gint64 lane, gsize at, double value)
{
  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (env));
  double *qpos = (double *) (gpointer) (state + STATE_HEAD);

  reel_env_get_state (env, lane, state);
  memset (qpos, 0, 3 * N_JOINTS * sizeof *qpos);
  qpos[1] = 3; /* in the air */
  qpos[at] = value;
  reel_env_set_state (env, lane, state);
}

/* Each position but the first two has the range; the height and the pitch have ranges of their own.
 */
static void
test_hoppers_positions_are_in_range (void)
{
  Batch batch;

  batch_open (&batch,
              "Hopper:healthy-state-range=[-0.5,0.5],healthy-z-range=[-10,10],"
              "healthy-angle-range=[-10,10]",
              NULL);
  for (gsize at = 0; at < N_JOINTS; at++)
    {
      place_lane (batch.env, 1, at, at == 1 ? 4 : -0.7);
      place_lane (batch.env, 2, at, at == 1 ? 4 : -0.4);
      batch_step (&batch);
      g_assert_cmpint (batch.terminated[1], ==, at >= 2);
      g_assert_cmpint (batch.terminated[2], ==, FALSE);
    }
  batch_close (&batch);
}

/* In a model that begins elsewhere too. */
static void
test_left_out_positions_are_zero (void)
{
  g_autofree char *path = data_file ("away.xml");
  g_autoptr (GError) error = NULL;
  Batch batch;

  batch_open (&batch, "HalfCheetah", path);
  g_assert_cmpuint (batch.n_observation, ==, 3);

  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (batch.env));
  const double *qpos = (const double *) (gpointer) (state + STATE_HEAD);
  const double seen[] = { 0.25, 7, 7 };

  reel_env_get_state (batch.env, 3, state);
  g_assert_cmpfloat_with_epsilon (qpos[0], 2, 1);
  g_assert_true (reel_env_show_observation (
      batch.env, 3, (const guint8 *const[]){ (const guint8 *) seen }, &error));
  g_assert_no_error (error);
  reel_env_get_state (batch.env, 3, state);
  g_assert_cmpmem (qpos, 4 * sizeof *qpos, ((double[]){ 0, 0.25, 0, 0 }), 4 * sizeof *qpos);
  batch_close (&batch);
}

/* ---- after what went wrong ---- */

static void
assert_fault (ReelEnv *env, const char *pattern)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_env_check_faults (env, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("\"%s\" is not \"%s\"", error->message, pattern);
}

/* Begins all lanes anew, and takes some steps. */
static void
begin_and_step (Batch *batch)
{
  guint8 *const observation[] = { (guint8 *) batch->observation };

  memset (batch->action, 0, LANES * batch->n_action * sizeof *batch->action);
  reel_env_set_seed (batch->env, 5, REEL_SEEDING_LANES);
  reel_env_reset_lanes (batch->env, 0, LANES, NULL, observation);
  for (gint t = 0; t < 3; t++)
    batch_step (batch);
}

/* After a reset, an env with faults behaves as one without. */
static void
assert_as_fresh (Batch *batch, const char *id)
{
  Batch fresh;
  g_autoptr (GError) error = NULL;

  batch_open (&fresh, id, NULL);
  begin_and_step (&fresh);
  begin_and_step (batch);
  reel_env_check_faults (batch->env, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (batch->observation, LANES * batch->n_observation * sizeof (double),
                   fresh.observation, LANES * fresh.n_observation * sizeof (double));
  g_assert_cmpmem (batch->reward, sizeof batch->reward, fresh.reward, sizeof fresh.reward);
  batch_close (&fresh);
}

static void
test_bad_velocities_are_named (void)
{
  static const double bad[] = { NAN, INFINITY, 1e12 };
  Batch batch;

  batch_open (&batch, "Hopper", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      place_lane (batch.env, 3, N_JOINTS + 2, bad[i]);
      batch_step (&batch);
      assert_fault (batch.env, "Hopper-v5: lane 3 could not be simulated in step * of its episode: "
                               "NaN, infinite or huge, the simulation is unstable: qvel 2");
      assert_as_fresh (&batch, "Hopper");
    }
  batch_close (&batch);
}

/* A task of which a step may take all of MuJoCo's own memory, and gives none of it back. */
typedef struct
{
  ReelMujocoEnv parent_instance;
} ReelGreedyEnv;

typedef struct
{
  ReelMujocoEnvClass parent_class;
} ReelGreedyEnvClass;

GType reel_greedy_env_get_type (void);
G_DEFINE_TYPE (ReelGreedyEnv, reel_greedy_env, REEL_TYPE_MUJOCO_ENV)

#if mjVERSION_HEADER >= 300
#define TAKE_NUMBERS(data, n) mj_stackAllocNum (data, n)
#else
#define TAKE_NUMBERS(data, n) mj_stackAlloc (data, n)
#endif

static void
judge_greedily (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  while (step->action[0] > 0.5)
    TAKE_NUMBERS ((mjData *) step->data, 1);
}

static void
reel_greedy_env_class_init (ReelGreedyEnvClass *klass)
{
  static const ReelId ids[] = {
    { "Greedy-v0", "frame-skip=4,reset-noise-scale=0.1", "takes memory" },
    { NULL },
  };
  ReelMujocoEnvClass *mujoco_class = REEL_MUJOCO_ENV_CLASS (klass);

  reel_mujoco_env_class_add_task (mujoco_class, ids, "a test", "hopper", "hopper");
  mujoco_class->init_state = reel_mujoco_init_uniform;
  mujoco_class->observe = reel_mujoco_put_state;
  mujoco_class->compute_reward = judge_greedily;
  reel_mujoco_env_class_add_weight (mujoco_class, "reset-noise-scale", 0);
}

static void
reel_greedy_env_init (ReelGreedyEnv *self)
{
}

/* A fault within MuJoCo is that lane's alone, and its memory is as it was. */
static void
test_errors_are_of_their_lanes (void)
{
  Batch batch;

  batch_open (&batch, "Greedy", NULL);
  for (gint i = 0; i < 3; i++)
    {
      batch.action[1 * batch.n_action] = batch.action[2 * batch.n_action] = 1;
      batch_step (&batch);
      assert_fault (batch.env,
                    "Greedy-v0: lane 1 could not be simulated in step 1 of its episode: ?*");
      assert_as_fresh (&batch, "Greedy");
      reel_env_reset_lanes (batch.env, 0, LANES, NULL,
                            (guint8 *const[]){ (guint8 *) batch.observation });
    }
  batch_close (&batch);
}

/* ---- actions ---- */

/* MuJoCo takes 0 for all controls of a lane where one is NaN; the cost is NaN. */
static void
test_nan_actions_are_none (void)
{
  Batch batch, still;
  g_autoptr (GError) error = NULL;

  batch_open (&batch, "HalfCheetah", NULL);
  batch_open (&still, "HalfCheetah", NULL);
  batch.action[1 * batch.n_action + 3] = NAN;
  batch.action[1 * batch.n_action + 0] = 1;
  batch_step (&batch);
  batch_step (&still);
  g_assert_true (reel_env_check_faults (batch.env, &error));
  g_assert_cmpmem (batch.observation, LANES * batch.n_observation * sizeof (double),
                   still.observation, LANES * still.n_observation * sizeof (double));
  for (int lane = 0; lane < LANES; lane++)
    g_assert_cmpint (isnan (batch.reward[lane]) != 0, ==, lane == 1);
  batch_close (&batch);
  batch_close (&still);
}

/* Beyond its range an action has the effect of the range's end, and the cost of its own. */
static void
test_wide_actions_cost_more (void)
{
  Batch wide, full;

  batch_open (&wide, "HalfCheetah", NULL);
  batch_open (&full, "HalfCheetah", NULL);
  wide.action[0] = 3;
  full.action[0] = 1;
  batch_step (&wide);
  batch_step (&full);
  g_assert_cmpmem (wide.observation, wide.n_observation * sizeof (double), full.observation,
                   full.n_observation * sizeof (double));
  g_assert_cmpfloat_with_epsilon (wide.reward[0], full.reward[0] - 0.1 * (9 - 1), 1e-6);
  batch_close (&wide);
  batch_close (&full);
}

/* ---- memory ---- */

#define THOUSAND 1000

/* Sanitizers take memory of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MOST_BYTES 2000000000
#else
#define MOST_BYTES 100000000
#endif

/* Bytes of this process that are in memory; 0 where the system does not say. */
static gsize
measure_resident (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) fields = NULL;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return 0;
  fields = g_strsplit (text, " ", 3);
  return (gsize) g_ascii_strtoull (fields[1], NULL, 10) * (gsize) sysconf (_SC_PAGESIZE);
}

static const char *const tasks[] = {
  "InvertedPendulum",
  "InvertedDoublePendulum",
  "Reacher",
  "Pusher",
  "Swimmer",
  "Hopper",
  "Walker2d",
  "HalfCheetah",
  "Ant",
  "Humanoid",
  "HumanoidStandup",
  "MuJoCo",
};

/* Once more in a process of its own, which no other test left anything in. */
static void
test_a_thousand_lanes_fit (gconstpointer id)
{
  g_autofree char *arguments = g_strdup_printf ("num-envs=%d", THOUSAND);
  g_autofree char *text = env_text (id, arguments);
  g_autofree char *collector_text =
      g_strdup_printf ("sync:threads=2,frames-per-batch=%d", THOUSAND);
  g_autoptr (GError) error = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDOUT);
      g_test_trap_assert_passed ();
      return;
    }

  gsize before = measure_resident ();
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", NULL, NULL);
  g_autoptr (ReelCollector) collector =
      reel_collector_new (collector_text, env, policy, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (reel_collector_next (collector, NULL, &error), ==, THOUSAND);

  gsize taken = measure_resident () - before;

  g_test_message ("%s: %d lanes of %" G_GSIZE_FORMAT " bytes, and %.0f MB with all else",
                  (const char *) id, THOUSAND, reel_env_get_state_size (env), (double) taken / 1e6);
  g_assert_cmpuint (reel_env_get_state_size (env), <=, 4000);
  g_assert_cmpuint (taken, <, MOST_BYTES);
}

/* ---- collecting ---- */

static ReelTensordict *
collect (const char *text, gint threads, gint64 frames, GError **error)
{
  g_autofree char *collector_text =
      g_strdup_printf ("sync:threads=%d,frames-per-batch=%" G_GINT64_FORMAT, threads, frames);
  g_autofree char *path = data_file ("unstable.xml");
  g_autoptr (ReelEnv) env = open_env (text, strstr (text, "Hopper") ? path : NULL, error);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", NULL, NULL);
  g_autoptr (ReelCollector) collector =
      reel_collector_new (collector_text, env, policy, NULL, error);
  ReelTensordict *batch;

  g_assert_nonnull (collector);
  if (reel_collector_next (collector, &batch, error) < 0)
    return NULL;
  return reel_tensordict_clone (batch, TRUE, error);
}

static void
test_threads_give_the_same_bytes (void)
{
  static const gint threads[] = { 2, 3, 7 };
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) one = collect ("Ant:num-envs=23", 1, 23 * 12, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (ReelTensordict) many = collect ("Ant:num-envs=23", threads[i], 23 * 12, &error);

      g_assert_no_error (error);
      g_assert_true (reel_tensordict_equal (one, many));
    }
}

static void
test_collectors_stop (void)
{
  for (gint threads = 1; threads <= 3; threads++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (collect ("Hopper:num-envs=9", threads, 90, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      g_assert_nonnull (strstr (error->message, "lane 0 could not be simulated"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (reel_greedy_env_get_type ());

  g_test_add_func ("/envs/mujoco/models-that-are-none-are-refused", test_models_are_refused);
  g_test_add_func ("/envs/mujoco/ranges-may-be-points", test_ranges_may_be_points);
  g_test_add_func ("/envs/mujoco/builds-without-know-their-names", test_all_are_optional);
  g_test_add_func ("/envs/mujoco/unstable-lanes-are-named", test_unstable_lanes_are_named);
  g_test_add_func ("/envs/mujoco/hoppers-positions-are-in-range",
                   test_hoppers_positions_are_in_range);
  g_test_add_func ("/envs/mujoco/bad-velocities-are-named", test_bad_velocities_are_named);
  g_test_add_func ("/envs/mujoco/errors-are-of-their-lanes", test_errors_are_of_their_lanes);
  g_test_add_func ("/envs/mujoco/left-out-positions-are-shown-as-0",
                   test_left_out_positions_are_zero);
  g_test_add_func ("/envs/mujoco/nan-actions-are-none", test_nan_actions_are_none);
  g_test_add_func ("/envs/mujoco/wide-actions-cost-more", test_wide_actions_cost_more);
  for (gsize i = 0; i < G_N_ELEMENTS (tasks); i++)
    {
      g_autofree char *path = g_strdup_printf ("/envs/mujoco/a-thousand-lanes-fit/%s", tasks[i]);

      g_test_add_data_func (path, tasks[i], test_a_thousand_lanes_fit);
    }
  g_test_add_func ("/envs/mujoco/threads-give-the-same-bytes", test_threads_give_the_same_bytes);
  g_test_add_func ("/envs/mujoco/collectors-stop-at-faults", test_collectors_stop);
  return g_test_run ();
}
