/* Pictures of MuJoCo: what is drawn, from where, by what; and what cannot be drawn. Skipped where
 * there is no OpenGL. */
#include "../src/reel.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <string.h>

#include "../src/core/math/random.h"
#include "../src/envs/gl/gl-context.h"

#define SIDE 96
#define BYTES (SIDE * SIDE * 3)
#define STEPS 5

static char *why_not; /* there is no OpenGL */

static gboolean
can_draw (void)
{
  if (why_not != NULL)
    g_test_skip (why_not);
  return why_not == NULL;
}

/* ---- an env of one lane ---- */

typedef struct
{
  ReelEnv *env;
  gsize n_action;
  float action[32];
  double observation[512];
  guint8 pixels[BYTES], carried[BYTES];
} Lane;

static void
lane_open (Lane *lane, const char *text, const char *more)
{
  g_autofree char *all =
      g_strdup_printf ("%s:from-pixels=true,width=%d,height=%d,seed=3%s", text, SIDE, SIDE, more);
  g_autoptr (GError) error = NULL;
  guint8 *const observation[] = { lane->pixels, (guint8 *) lane->observation };
  gint ndim;

  *lane = (Lane){ 0 };
  lane->env = reel_object_new_from_text (REEL_TYPE_ENV, all, &error, NULL);
  g_assert_no_error (error);
  lane->n_action = (gsize) reel_spec_get_shape (
      reel_spec_get (reel_env_get_action_spec (lane->env), "action", NULL), &ndim)[0];
  reel_env_reset_lanes (lane->env, 0, 1, NULL, observation);
}

static void
lane_step (Lane *lane, gint64 t)
{
  float reward;
  guint8 flags[3];
  const guint8 *const action[] = { (const guint8 *) lane->action };
  guint8 *const observation[] = { lane->pixels, (guint8 *) lane->observation };
  const ReelEnvIO io = { .action = action,
                         .observation = observation,
                         .reward = &reward,
                         .terminated = &flags[0],
                         .truncated = &flags[1],
                         .done = &flags[2] };

  for (gsize i = 0; i < lane->n_action; i++)
    lane->action[i] = (float) sin (1.7 * (double) t + (double) i) * 0.4f;
  reel_env_step_lanes (lane->env, 0, 1, &io);
}

static void
lane_close (Lane *lane)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_env_check_faults (lane->env, &error));
  g_assert_no_error (error);
  g_object_unref (lane->env);
}

/* ---- the order of Gymnasium's calls, in plain MuJoCo ---- */

typedef struct
{
  const char *id;
  const char *model;
  double distance, height, elevation; /* 0, NaN and 0 for MuJoCo's and the middle's */
  int skip;
} Task;

/* gymnasium/envs/mujoco, release 1.4.0: DEFAULT_CAMERA_CONFIG of each task; v5 of the double
 * pendulum does not hand its own on. */
static const Task tasks[] = {
  { "InvertedPendulum-v5", "inverted-pendulum", 2.04, NAN, 0, 2 },
  { "InvertedDoublePendulum-v4", "inverted-double-pendulum", 4.1225, 0.12250000000000005, 0, 5 },
  { "InvertedDoublePendulum-v5", "inverted-double-pendulum", 0, NAN, 0, 5 },
  { "Reacher-v5", "reacher", 0, NAN, 0, 2 },
  { "Pusher-v5", "pusher", 4, NAN, 0, 5 },
  { "Swimmer-v5", "swimmer", 0, NAN, 0, 4 },
  { "Hopper-v4", "hopper", 3, 1.15, -20, 4 },
  { "Walker2d-v5", "walker2d", 4, 1.15, -20, 4 },
  { "HalfCheetah-v5", "half-cheetah", 4, NAN, 0, 5 },
  { "Ant-v5", "ant", 4, NAN, 0, 5 },
  { "Humanoid-v5", "humanoid", 4, 2, -20, 5 },
  { "HumanoidStandup-v4", "humanoid-standup", 4, 0.8925, -20, 5 },
};

typedef struct
{
  mjModel *model;
  mjData *data;
  ReelGlContext *gl;
  mjrContext renderer;
  mjvScene scene;
  mjvCamera camera;
  mjvOption options;
  mjvPerturb perturb;
} Viewer;

static double
median (const mjModel *model, const mjData *data, int axis)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (double));

  for (int i = 0; i < model->ngeom; i++)
    {
      double value = data->geom_xpos[3 * i + axis];
      guint at = 0;

      while (at < sorted->len && g_array_index (sorted, double, at) <= value)
        at++;
      g_array_insert_val (sorted, at, value);
    }
  return (g_array_index (sorted, double, (sorted->len - 1) / 2)
          + g_array_index (sorted, double, sorted->len / 2))
         / 2;
}

static void
viewer_open (Viewer *viewer, const Task *task, const double *state)
{
  g_autofree char *name = g_strdup_printf ("%s.xml", task->model);
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "src", "envs", "models", name, NULL);
  char problem[1000] = "";
  ReelGlInfo info;

  viewer->model = mj_loadXML (path, NULL, problem, sizeof problem);
  g_assert_cmpstr (problem, ==, "");
  viewer->data = mj_makeData (viewer->model);
  memcpy (viewer->data->qpos, state + 1, (gsize) viewer->model->nq * sizeof *state);
  memcpy (viewer->data->qvel, state + 1 + viewer->model->nq,
          (gsize) viewer->model->nv * sizeof *state);
  mj_forward (viewer->model, viewer->data);

  viewer->gl = reel_gl_context_new (&info, NULL);
  reel_gl_context_begin (viewer->gl);
  mjv_defaultScene (&viewer->scene);
  mjv_defaultCamera (&viewer->camera);
  mjv_defaultOption (&viewer->options);
  mjv_defaultPerturb (&viewer->perturb);
  mjr_defaultContext (&viewer->renderer);
  mjv_makeScene (viewer->model, &viewer->scene, 1000);
  viewer->model->vis.global.offwidth = viewer->model->vis.global.offheight = 640;
  mjr_makeContext (viewer->model, &viewer->renderer, mjFONTSCALE_150);
  reel_gl_context_end (viewer->gl);

  viewer->camera.distance = task->distance != 0 ? task->distance : viewer->model->stat.extent;
  if (task->elevation != 0)
    viewer->camera.elevation = task->elevation;
  for (int i = 0; i < 3; i++)
    viewer->camera.lookat[i] = isnan (task->height) ? median (viewer->model, viewer->data, i)
                               : i == 2             ? task->height
                                                    : 0;
}

static void
viewer_close (Viewer *viewer)
{
  reel_gl_context_begin (viewer->gl);
  mjr_freeContext (&viewer->renderer);
  mjv_freeScene (&viewer->scene);
  reel_gl_context_end (viewer->gl);
  reel_gl_context_free (viewer->gl);
  mj_deleteData (viewer->data);
  mj_deleteModel (viewer->model);
}

static void
viewer_assert_sees (Viewer *viewer, const guint8 *pixels)
{
  const mjrRect size = { 0, 0, SIDE, SIDE };
  guint8 seen[BYTES];

  reel_gl_context_begin (viewer->gl);
  mjr_setBuffer (mjFB_OFFSCREEN, &viewer->renderer);
  mjv_updateScene (viewer->model, viewer->data, &viewer->options, &viewer->perturb, &viewer->camera,
                   mjCAT_ALL, &viewer->scene);
  mjr_render (size, &viewer->scene, &viewer->renderer);
  mjr_readPixels (seen, NULL, size, &viewer->renderer);
  reel_gl_context_end (viewer->gl);
  for (int y = 0; y < SIDE; y++)
    g_assert_cmpmem (pixels + y * SIDE * 3, SIDE * 3, seen + (SIDE - 1 - y) * SIDE * 3, SIDE * 3);
}

/* Where a lane's state begins with time, qpos and qvel; see tests/test-mujoco-golden.c. */
#define STATE_HEAD (sizeof (gint64) + sizeof (ReelPcg64) + 4 * sizeof (double))

static void
test_as_gymnasium_calls (gconstpointer data)
{
  const Task *task = data;
  Lane lane;
  Viewer viewer;

  if (!can_draw ())
    return;
  lane_open (&lane, task->id, "");

  gsize size = reel_env_get_state_size (lane.env);
  g_autofree guint8 *state = g_malloc (size);

  reel_env_get_state (lane.env, 0, state);
  viewer_open (&viewer, task, (const double *) (gpointer) (state + STATE_HEAD));
  viewer_assert_sees (&viewer, lane.pixels);
  for (gint64 t = 0; t < STEPS; t++)
    {
      lane_step (&lane, t);
      for (gsize i = 0; i < lane.n_action; i++)
        viewer.data->ctrl[i] = lane.action[i];
      for (int i = 0; i < task->skip; i++)
        mj_step (viewer.model, viewer.data);
      viewer_assert_sees (&viewer, lane.pixels);
    }
  viewer_close (&viewer);
  lane_close (&lane);
}

/* ---- cameras, qualities, states ---- */

static gsize
count_differences (const guint8 *a, const guint8 *b, guint8 more_than)
{
  gsize n = 0;

  for (gsize i = 0; i < BYTES; i++)
    n += ABS (a[i] - b[i]) > more_than;
  return n;
}

static void
test_cameras_differ (void)
{
  Lane free_one, track, number;

  if (!can_draw ())
    return;
  lane_open (&free_one, "Hopper", ",camera='-1'");
  lane_open (&track, "Hopper", ",camera=track");
  lane_open (&number, "Hopper", ",camera='0'");
  g_assert_cmpmem (track.pixels, BYTES, number.pixels, BYTES);
  g_assert_cmpuint (count_differences (free_one.pixels, track.pixels, 30), >, BYTES / 20);
  lane_close (&free_one);
  lane_close (&track);
  lane_close (&number);
}

/* The same scene: all that changes is at the edges, in the shadow and in the mirror. */
static void
test_fast_shows_the_same (void)
{
  Lane full, fast;
  gsize n;

  if (!can_draw ())
    return;
  lane_open (&full, "Hopper", "");
  lane_open (&fast, "Hopper", ",quality=fast");
  n = count_differences (full.pixels, fast.pixels, 80);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n, <, BYTES / 4);
  lane_close (&full);
  lane_close (&fast);
}

/* A state tells the picture, to the bit, in another env too. */
static void
test_states_tell_pictures (void)
{
  Lane lane, other;
  guint8 pixels[BYTES];

  if (!can_draw ())
    return;
  lane_open (&lane, "Ant", ",quality=fast");
  lane_open (&other, "Ant", ",quality=fast");

  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (lane.env));

  for (gint64 t = 0; t < STEPS; t++)
    {
      lane_step (&lane, t);
      reel_env_get_state (lane.env, 0, state);
      reel_env_set_state (other.env, 0, state);
      reel_env_render_lane (other.env, 0, SIDE, SIDE, pixels);
      g_assert_cmpmem (pixels, BYTES, lane.pixels, BYTES);
    }
  lane_close (&lane);
  lane_close (&other);
}

static const char *const observers[] = {
  "InvertedPendulum-v4", "Swimmer-v4", "Hopper-v5",   "Walker2d-v5",
  "HalfCheetah-v5",      "Ant-v5",     "Humanoid-v5", "HumanoidStandup-v4",
};

/* The first observation of an episode that tells all positions tells its picture, to the bit. */
static void
test_observations_tell_pictures (gconstpointer id)
{
  const char *more = g_str_has_prefix (id, "InvertedPendulum")
                         ? ""
                         : ",exclude-current-positions-from-observation=false";
  g_autoptr (GError) error = NULL;
  Lane lane, other;
  guint8 pixels[BYTES];

  if (!can_draw ())
    return;
  lane_open (&lane, id, more);
  lane_open (&other, id, more);
  for (gint64 t = 0; t < STEPS; t++)
    lane_step (&other, t);
  g_assert_cmpuint (count_differences (other.pixels, lane.pixels, 0), >, 0);

  const guint8 *const observation[] = { (const guint8 *) lane.observation };

  g_assert_true (reel_env_show_observation (other.env, 0, observation, &error));
  reel_env_render_lane (other.env, 0, SIDE, SIDE, pixels);
  g_assert_cmpmem (pixels, BYTES, lane.pixels, BYTES);
  lane_close (&lane);
  lane_close (&other);
}

/* Until pictures are asked for, a lane keeps nothing for them. */
static void
test_states_without_pictures (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, "Ant", &error, NULL);

  if (!can_draw ())
    return;

  gsize size = reel_env_get_state_size (env);

  g_assert_true (reel_env_prepare_frames (env, SIDE, SIDE, &error));
  g_assert_cmpuint (reel_env_get_state_size (env), >, size);
}

/* Another size is drawn, and the first one again as before. */
static void
test_sizes_change (void)
{
  Lane lane;
  guint8 pixels[BYTES];
  g_autofree guint8 *large = g_malloc0 (700 * 650 * 3);
  gsize lit = 0;

  if (!can_draw ())
    return;
  lane_open (&lane, "Reacher", "");
  reel_env_render_lane (lane.env, 0, 700, 650, large);
  for (gsize i = 0; i < 700 * 650 * 3; i++)
    lit += large[i] > 40;
  g_assert_cmpuint (lit, >, 700 * 650);
  reel_env_render_lane (lane.env, 0, SIDE, SIDE, pixels);
  g_assert_cmpmem (pixels, BYTES, lane.pixels, BYTES);
  lane_close (&lane);
}

/* ---- threads ---- */

/* Eleven lanes, so that no number of threads divides them. */
static ReelTensordict *
collect (const char *threads)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (
      REEL_TYPE_ENV,
      "Hopper:quality=fast,from-pixels=true,width=24,height=20,max-episode-steps=3,num-envs=11",
      &error, NULL);
  g_assert_no_error (error);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", &error, NULL);
  g_autofree char *text = g_strdup_printf ("sync:frames-per-batch=77,threads=%s", threads);
  g_autoptr (ReelCollector) collector = reel_collector_new (text, env, policy, NULL, &error);
  ReelTensordict *batch = NULL;

  g_assert_no_error (error);
  reel_collector_next (collector, &batch, &error);
  g_assert_no_error (error);

  ReelTensordict *copy = reel_tensordict_clone (batch, TRUE, &error);

  g_assert_no_error (error);
  return copy;
}

static void
test_any_number_of_threads (void)
{
  static const char *const threads[] = { "2", "3", "7" };

  if (!can_draw ())
    return;

  g_autoptr (ReelTensordict) alone = collect ("1");

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (ReelTensordict) shared = collect (threads[i]);

      g_assert_true (reel_tensordict_equal (alone, shared));
    }
}

/* ---- what cannot be ---- */

static void
assert_refused (const char *text, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_unknown_cameras (void)
{
  assert_refused ("Humanoid:camera=tracks", REEL_ERROR_KEY, "camera=tracks: the model has no such");
  assert_refused ("Humanoid:camera='2'", REEL_ERROR_KEY, "-1 (free), follow, 0 (track)");
  assert_refused ("Reacher:camera=track", REEL_ERROR_KEY, "-1 (free)");
  assert_refused ("Reacher:camera=follow", REEL_ERROR_KEY, "-1 (free)");

  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "arm-and-ball.xml", NULL);
  g_autofree char *arm = g_strdup_printf ("MuJoCo:xml-file='%s',camera=follow", path);

  assert_refused (arm, REEL_ERROR_KEY, "-1 (free)");
  assert_refused ("Reacher:camera='-2'", REEL_ERROR_KEY, "-1 (free)");
}

static void
assert_refused_where (const char *name, const char *value, gint code, const char *message)
{
  g_autofree char *before = g_strdup (g_getenv (name));

  g_setenv (name, value, TRUE);
  assert_refused ("Hopper:from-pixels=true", code, message);
  if (before != NULL)
    g_setenv (name, before, TRUE);
  else
    g_unsetenv (name);
}

static void
test_unknown_backends (void)
{
  assert_refused_where ("MUJOCO_GL", "glfw", REEL_ERROR_VALUE, "set it to egl or osmesa");
  assert_refused_where ("MUJOCO_GL", "vulkan", REEL_ERROR_VALUE, "expected egl, egl-device");
}

static void
test_one_library_a_process (void)
{
  ReelGlInfo info;
  Lane lane;
  gsize refused = 0;

  if (!can_draw ())
    return;
  lane_open (&lane, "Reacher", ",quality=fast");
  for (gint i = 0; i < REEL_GL_N_BACKENDS; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!reel_gl_probe (i, &info, &error))
        refused += strstr (error->message, "this process draws by") != NULL;
    }
  g_assert_cmpuint (refused, >, 0);
  g_assert_cmpuint (refused, <, REEL_GL_N_BACKENDS);
  lane_close (&lane);
}

/* Pictures without pixels among the observations have their size beforehand. */
static void
test_sizes_are_limited (void)
{
  g_autoptr (GError) error = NULL;
  Lane lane;

  if (!can_draw ())
    return;
  lane_open (&lane, "Reacher", ",quality=fast");
  g_assert_true (reel_env_prepare_frames (lane.env, 64, 64, &error));
  g_assert_false (reel_env_prepare_frames (lane.env, 1 << 20, 64, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "1048576x64"));
  lane_close (&lane);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  ReelGlInfo info;
  g_autoptr (GError) error = NULL;
  ReelGlContext *context = reel_gl_context_new (&info, &error);

  if (context == NULL)
    why_not = error->message;
  reel_gl_context_free (context);

  g_test_add_func ("/mujoco-pictures/unknown-cameras", test_unknown_cameras);
  g_test_add_func ("/mujoco-pictures/unknown-backends", test_unknown_backends);
  for (gsize i = 0; i < G_N_ELEMENTS (tasks); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/mujoco-pictures/%s/as-gymnasium-calls", tasks[i].id);

      g_test_add_data_func (path, &tasks[i], test_as_gymnasium_calls);
    }
  g_test_add_func ("/mujoco-pictures/cameras-differ", test_cameras_differ);
  g_test_add_func ("/mujoco-pictures/fast-shows-the-same", test_fast_shows_the_same);
  g_test_add_func ("/mujoco-pictures/states-tell-pictures", test_states_tell_pictures);
  for (gsize i = 0; i < G_N_ELEMENTS (observers); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/mujoco-pictures/%s/observations-tell-pictures", observers[i]);

      g_test_add_data_func (path, observers[i], test_observations_tell_pictures);
    }
  g_test_add_func ("/mujoco-pictures/states-without-pictures", test_states_without_pictures);
  g_test_add_func ("/mujoco-pictures/sizes-change", test_sizes_change);
  g_test_add_func ("/mujoco-pictures/sizes-are-limited", test_sizes_are_limited);
  g_test_add_func ("/mujoco-pictures/any-number-of-threads", test_any_number_of_threads);
  g_test_add_func ("/mujoco-pictures/one-library-a-process", test_one_library_a_process);

  return g_test_run ();
}
