/* Any model as an environment: beside MuJoCo's own loop of it, and what is refused. */
#include "config.h"

#include "../src/reel.h"

#include <string.h>

#include <mujoco/mujoco.h>

#define LANES 5
#define STEPS 150
#define LIMIT 40 /* steps of an episode */

static char *
data_file (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", name, NULL);
}

static ReelEnv *
open_env (const char *file, const char *arguments, GError **error)
{
  g_autofree char *path = data_file (file);
  g_autofree char *text = g_strdup_printf ("MuJoCo:num-envs=%d%s", LANES, arguments);

  return reel_object_new_from_text (REEL_TYPE_ENV, text, error, "xml-file", path, NULL);
}

/* ---- beside MuJoCo's own loop ---- */

typedef struct
{
  const char *name;
  const char *file;
  const char *arguments;
  int keyframe; /* -1 for none */
  int frame_skip;
  gboolean sensors;
} Case;

static const Case cases[] = {
  { "plain", "all-kinds.xml", "", -1, 1, FALSE },
  { "sensors", "all-kinds.xml", ",include-sensors-in-observation=true", -1, 1, TRUE },
  { "frames", "all-kinds.xml", ",frame-skip=7,include-sensors-in-observation=true", -1, 7, TRUE },
  { "keyframe-by-name", "all-kinds.xml", ",keyframe=lying,include-sensors-in-observation=true", 0,
    1, TRUE },
  { "keyframe-by-number", "all-kinds.xml",
    ",keyframe=1,frame-skip=2,include-sensors-in-observation=true", 1, 2, TRUE },
#ifdef HAVE_MJMODEL_NHISTORY
  { "history", "history.xml", ",include-sensors-in-observation=true", -1, 1, TRUE },
#endif
};

/* A simulation of one lane by nothing but MuJoCo. */
typedef struct
{
  const Case *test;
  mjModel *model;
  mjData *data;
} Plain;

static Plain
plain_open (const Case *test)
{
  g_autofree char *path = data_file (test->file);
  char problem[1000];
  Plain self = { .test = test, .model = mj_loadXML (path, NULL, problem, sizeof problem) };

  g_assert_nonnull (self.model);
  self.data = mj_makeData (self.model);
  return self;
}

static void
plain_reset (Plain *self)
{
  if (self->test->keyframe < 0)
    mj_resetData (self->model, self->data);
  else
    mj_resetDataKeyframe (self->model, self->data, self->test->keyframe);
  mj_forward (self->model, self->data);
}

static void
plain_step (Plain *self, const float *action)
{
  for (int i = 0; i < self->model->nu; i++)
    self->data->ctrl[i] = action[i];
  for (int i = 0; i < self->test->frame_skip; i++)
    mj_step (self->model, self->data);
}

static gsize
plain_observe (const Plain *self, double *row)
{
  gsize nq = (gsize) self->model->nq, nv = (gsize) self->model->nv;
  gsize ns = self->test->sensors ? (gsize) self->model->nsensordata : 0;

  memcpy (row, self->data->qpos, nq * sizeof *row);
  memcpy (row + nq, self->data->qvel, nv * sizeof *row);
  memcpy (row + nq + nv, self->data->sensordata, ns * sizeof *row);
  return nq + nv + ns;
}

static void
plain_close (Plain *self)
{
  mj_deleteData (self->data);
  mj_deleteModel (self->model);
}

static void
assert_observed (const Plain *plain, const double *row)
{
  double expected[200];
  gsize n = plain_observe (plain, expected);

  g_assert_cmpmem (row, n * sizeof *row, expected, n * sizeof *row);
}

/* Some beyond their range, the same for none of the lanes. */
static void
draw (GRand *rand, float *action, gsize n)
{
  for (gsize i = 0; i < n; i++)
    action[i] = (float) g_rand_double_range (rand, -2, 2);
}

/* Lanes share what they are simulated in, and each is what it is alone. */
static void
test_is_mujocos_own_loop (gconstpointer data)
{
  const Case *test = data;
  g_autofree char *arguments = g_strdup_printf ("%s,max-episode-steps=%d", test->arguments, LIMIT);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = open_env (test->file, arguments, &error);
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  Plain plain[LANES];
  gint ndim;

  g_assert_no_error (error);

  const ReelSpec *spec = reel_spec_get (reel_env_get_observation_spec (env), "observation", NULL);
  gsize n = (gsize) reel_spec_get_shape (spec, &ndim)[0], nu;
  g_autofree double *rows = g_new (double, LANES *n);
  float reward[LANES];
  guint8 terminated[LANES], truncated[LANES], done[LANES];
  guint8 *const observation[] = { (guint8 *) rows };

  for (int lane = 0; lane < LANES; lane++)
    plain[lane] = plain_open (test);
  nu = (gsize) plain[0].model->nu;

  g_autofree float *action = g_new (float, LANES *nu);
  const guint8 *const actions[] = { (const guint8 *) action };
  const ReelEnvIO io = {
    actions, observation, NULL, reward, terminated, truncated, done, NULL,
  };

  for (int t = 0; t < STEPS; t++)
    {
      if (t % LIMIT == 0)
        {
          reel_env_reset_lanes (env, 0, LANES, NULL, observation);
          for (int lane = 0; lane < LANES; lane++)
            {
              plain_reset (&plain[lane]);
              assert_observed (&plain[lane], rows + (gsize) lane * n);
            }
        }
      draw (rand, action, LANES * nu);
      reel_env_step_lanes (env, 0, LANES, &io);
      for (int lane = 0; lane < LANES; lane++)
        {
          plain_step (&plain[lane], action + (gsize) lane * nu);
          assert_observed (&plain[lane], rows + (gsize) lane * n);
          g_assert_true (reward[lane] == 0 && !terminated[lane]);
          g_assert_cmpint (truncated[lane], ==, t % LIMIT == LIMIT - 1);
        }
    }
  g_assert_true (reel_env_check_faults (env, &error));
  for (int lane = 0; lane < LANES; lane++)
    plain_close (&plain[lane]);
}

/* Noise moves what is in qpos and qvel, and leaves quaternions of length 1. */
static void
test_noise (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = open_env ("all-kinds.xml", ",reset-noise-scale=0.3", &error);
  double rows[LANES][24];
  guint8 *const observation[] = { (guint8 *) rows };

  g_assert_no_error (error);
  reel_env_reset_lanes (env, 0, LANES, NULL, observation);
  for (int lane = 0; lane < LANES; lane++)
    {
      const double *q = rows[lane] + 3;

      g_assert_cmpfloat_with_epsilon (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1,
                                      1e-12);
      for (int other = 0; other < lane; other++)
        for (int i = 0; i < 24; i++)
          g_assert_true (rows[lane][i] != rows[other][i]);
    }
}

/* ---- actions ---- */

/* An actuator without a range takes any number; the range of the others stays what it is. */
static void
test_ranges (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = open_env ("half-limited.xml", "", &error);

  g_assert_no_error (error);

  g_autofree char *text = reel_spec_to_text (reel_env_get_action_spec (env));

  g_assert_cmpstr (text, ==, "composite:action=(bounded:low=[-inf,-1.5],high=[inf,0.5],shape=[2])");
}

/* ---- what is refused ---- */

static void
assert_refused (const char *file, const char *arguments, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (open_env (file, arguments, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_refusals (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, "MuJoCo", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "MuJoCo:xml-file="));
  assert_refused ("nowhere.xml", "", REEL_ERROR_IO, "nowhere.xml");
  assert_refused ("no-model.xml", "", REEL_ERROR_VALUE, "no-model.xml: MuJoCo");
  assert_refused ("no-actuators.xml", "", REEL_ERROR_VALUE, "no-actuators.xml has no actuators");
  assert_refused ("no-joints.xml", "", REEL_ERROR_VALUE, "no-joints.xml has no joints");
  assert_refused ("all-kinds.xml", ",keyframe=standing", REEL_ERROR_KEY, "keyframe=standing");
  assert_refused ("all-kinds.xml", ",keyframe=2", REEL_ERROR_KEY, "has 2 keyframes");
  assert_refused ("all-kinds.xml", ",rules=v4", REEL_ERROR_KEY, "rules");
#if HAVE_DECL_MJENBL_SLEEP
  assert_refused ("sleep.xml", "", REEL_ERROR_NOT_IMPLEMENTED, "the flag sleep");
#endif
}

static void
test_more_lanes_than_memory (void)
{
  g_autofree char *path = data_file ("all-kinds.xml");
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, "MuJoCo:num-envs=1099511627776", &error,
                                            "xml-file", path, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/envs/mujoco-file/is-mujocos-own-loop/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_is_mujocos_own_loop);
    }
  g_test_add_func ("/envs/mujoco-file/noise-keeps-quaternions", test_noise);
  g_test_add_func ("/envs/mujoco-file/actions-have-the-ranges-of-actuators", test_ranges);
  g_test_add_func ("/envs/mujoco-file/what-is-no-environment-is-refused", test_refusals);
  g_test_add_func ("/envs/mujoco-file/more-lanes-than-memory-are-refused",
                   test_more_lanes_than_memory);
  return g_test_run ();
}
