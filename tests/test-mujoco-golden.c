/* The MuJoCo tasks against trajectories of Gymnasium 1.4.0 on Debian's MuJoCo 2.2.2: bit for bit
 * there, step by step within what releases differ by elsewhere. */
#include "../src/reel.h"
#include "gymnasium-cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#define FOLDER "mujoco-2.2.2"

/* The head of a lane's state, before time, qpos, qvel and qacc_warmstart: the steps of the
 * episode, the random stream, the marks. */
#define STATE_HEAD (sizeof (gint64) + sizeof (ReelPcg64) + 4 * sizeof (double))

typedef struct
{
  const char *name;
  const char *text; /* NULL for the id that the name begins with */
} Case;

#define PLAIN(task)                                                                                \
  { task "-v4-seed0", NULL }, { task "-v4-seed42", NULL }, { task "-v5-seed0", NULL },             \
  {                                                                                                \
    task "-v5-seed42", NULL                                                                        \
  }
#define POSITIONS "exclude-current-positions-from-observation=false"
#define UNHEALTHY "terminate-when-unhealthy=false"

static const Case cases[] = {
  PLAIN ("Ant"),
  { "Ant-v4-contact", "Ant-v4:use-contact-forces=true" },
  { "Ant-v5-mainbody", "Ant-v5:main-body=4" },
  { "Ant-v5-nocontact", "Ant-v5:include-cfrc-ext-in-observation=false,contact-cost-weight=0.1,"
                        "contact-force-range=[-2,2]" },
  { "Ant-v5-positions", "Ant-v5:" POSITIONS },
  { "Ant-v5-unhealthy", "Ant-v5:" UNHEALTHY ",include-cfrc-ext-in-observation=false" },
  { "Ant-v5-weights", "Ant-v5:forward-reward-weight=0.5,ctrl-cost-weight=0.1,healthy-reward=0.2,"
                      "healthy-z-range=[0.3,0.9],reset-noise-scale=0.2" },
  { "Ant-v5-wide", NULL },
  PLAIN ("HalfCheetah"),
  { "HalfCheetah-v5-positions", "HalfCheetah-v5:" POSITIONS },
  { "HalfCheetah-v5-weights",
    "HalfCheetah-v5:forward-reward-weight=0.5,ctrl-cost-weight=0.3,frame-skip=3" },
  { "HalfCheetah-v5-wide", NULL },
  PLAIN ("Hopper"),
  { "Hopper-v4-unhealthy", "Hopper-v4:" UNHEALTHY },
  { "Hopper-v5-frameskip", "Hopper-v5:frame-skip=2" },
  { "Hopper-v5-healthy", "Hopper-v5:healthy-reward=0.25,healthy-state-range=[-5,5],"
                         "healthy-z-range=[0.9,1.6],healthy-angle-range=[-0.1,0.1]" },
  { "Hopper-v5-noise", "Hopper-v5:reset-noise-scale=0.1" },
  { "Hopper-v5-positions", "Hopper-v5:" POSITIONS },
  { "Hopper-v5-unhealthy", "Hopper-v5:" UNHEALTHY },
  PLAIN ("Humanoid"),
  { "Humanoid-v5-positions", "Humanoid-v5:" POSITIONS ",include-qfrc-actuator-in-observation=false,"
                             "include-cfrc-ext-in-observation=false" },
  { "Humanoid-v5-unhealthy", "Humanoid-v5:" UNHEALTHY ",include-cinert-in-observation=false,"
                             "include-cvel-in-observation=false" },
  { "Humanoid-v5-weights", "Humanoid-v5:forward-reward-weight=2,ctrl-cost-weight=0.3,"
                           "contact-cost-weight=0.001,contact-cost-range=[-1,2],healthy-reward=1,"
                           "healthy-z-range=[1.2,1.8],reset-noise-scale=0.05" },
  { "Humanoid-v5-wide", NULL },
  PLAIN ("HumanoidStandup"),
  { "HumanoidStandup-v5-positions",
    "HumanoidStandup-v5:" POSITIONS ",include-cinert-in-observation=false" },
  { "HumanoidStandup-v5-weights",
    "HumanoidStandup-v5:uph-cost-weight=2,ctrl-cost-weight=0.5,impact-cost-weight=0.001,"
    "impact-cost-range=[-1,3],reset-noise-scale=0.05,include-cvel-in-observation=false" },
  PLAIN ("InvertedDoublePendulum"),
  { "InvertedDoublePendulum-v5-healthy",
    "InvertedDoublePendulum-v5:healthy-reward=2.5,reset-noise-scale=0.02" },
  PLAIN ("InvertedPendulum"),
  { "InvertedPendulum-v5-frameskip", "InvertedPendulum-v5:frame-skip=5" },
  { "InvertedPendulum-v5-noise", "InvertedPendulum-v5:reset-noise-scale=0.05" },
  PLAIN ("Pusher"),
  { "Pusher-v5-weights", "Pusher-v5:reward-near-weight=0.25,reward-dist-weight=2,"
                         "reward-control-weight=0.3" },
  { "Pusher-v5-wide", NULL },
  PLAIN ("Reacher"),
  { "Reacher-v5-weights", "Reacher-v5:reward-dist-weight=0.5,reward-control-weight=0.1" },
  { "Reacher-v5-wide", NULL },
  PLAIN ("Swimmer"),
  { "Swimmer-v5-positions", "Swimmer-v5:" POSITIONS },
  { "Swimmer-v5-weights",
    "Swimmer-v5:forward-reward-weight=2,ctrl-cost-weight=0.01,reset-noise-scale=0.3" },
  PLAIN ("Walker2d"),
  { "Walker2d-v4-positions", "Walker2d-v4:" POSITIONS },
  { "Walker2d-v5-frameskip", "Walker2d-v5:frame-skip=8,healthy-reward=3" },
  { "Walker2d-v5-unhealthy", "Walker2d-v5:" UNHEALTHY },
};

/* ---- a recorded case beside a lane of ours ---- */

typedef struct
{
  GymnasiumCase file;
  gint64 n_steps, n_resets;
  gint64 n_observation, n_action, nq, nv;
  const gint64 *reset_at;
  const float *action;
  const double *reset_obs, *next_obs, *reward;
  const double *reset_qpos, *reset_qvel, *reset_warmstart, *qpos, *qvel, *warmstart;
  const guint8 *terminated, *truncated;
} Golden;

static void
golden_load (Golden *golden, const char *name)
{
  GymnasiumCase *file = &golden->file;
  gint64 rows, width;

  gymnasium_case_load (file, FOLDER, name);
  golden->reset_at = gymnasium_case_array (file, "reset_at", &golden->n_resets, &width);
  golden->action = gymnasium_case_array (file, "action", &golden->n_steps, &golden->n_action);
  golden->reset_obs = gymnasium_case_array (file, "reset_obs", &rows, &golden->n_observation);
  golden->next_obs = gymnasium_case_array (file, "next_obs", &rows, &width);
  golden->reward = gymnasium_case_array (file, "reward", &rows, &width);
  golden->terminated = gymnasium_case_array (file, "terminated", &rows, &width);
  golden->truncated = gymnasium_case_array (file, "truncated", &rows, &width);
  golden->reset_qpos = gymnasium_case_array (file, "reset_qpos", &rows, &golden->nq);
  golden->reset_qvel = gymnasium_case_array (file, "reset_qvel", &rows, &golden->nv);
  golden->reset_warmstart = gymnasium_case_array (file, "reset_qacc_warmstart", &rows, &width);
  golden->qpos = gymnasium_case_array (file, "qpos", &rows, &width);
  golden->qvel = gymnasium_case_array (file, "qvel", &rows, &width);
  golden->warmstart = gymnasium_case_array (file, "qacc_warmstart", &rows, &width);
}

/* The tolerance of a step, in units of 1 + the expectation; 0 for none. */
typedef struct
{
  double state, observation, reward;
} Bounds;

typedef struct
{
  const char *task; /* what the case's name begins with */
  int since, until; /* releases of MuJoCo, the last one not included, as mj_version() says */
  Bounds bounds;
} Exception;

typedef struct
{
  ReelEnv *env;
  Bounds bounds, largest;
  double *observation;
  guint8 *state;
  float reward;
  guint8 terminated, truncated, done;
} Lane;

/* Whether the bits are those of the machine that recorded: glibc's sine rounds otherwise without
 * FMA instructions. */
static gboolean
is_the_recorded_machine (void)
{
#if defined(__x86_64__) && defined(__GLIBC__)
  return __builtin_cpu_supports ("fma");
#else
  return FALSE;
#endif
}

/* Steps from the same state on other releases, with the margins of old ones. Those that differ by
 * more than roundings, for what reasons it seems: contacts that 2.3 overlooks, where the solver of
 * the human figures begins (3.3.6) and in which order it goes (3.8), Reacher at the limit of its
 * joint, and how a free body turns under RK4. docs/environments.md has what was measured. */
static const Bounds rounding = { 1e-10, 1e-8, 1e-6 };
static const Exception exceptions[] = {
  { "Humanoid", 231, 300, { 1, 1e3, 1 } },
  { "Humanoid", 336, G_MAXINT, { 5e-3, 0.5, 1e-3 } },
  { "Reacher", 3011000, G_MAXINT, { 1e-7, 1e-7, 1e-6 } },
  { "Ant", 4000000, G_MAXINT, { 0.3, 2, 0.1 } },
};

static Bounds
find_bounds (const char *name)
{
  Bounds bounds = rounding;
  int version = mj_version ();

  if (version == 222)
    return is_the_recorded_machine () ? (Bounds){ 0 } : rounding;
  for (gsize i = 0; i < G_N_ELEMENTS (exceptions); i++)
    if (g_str_has_prefix (name, exceptions[i].task) && exceptions[i].since <= version
        && version < exceptions[i].until)
      bounds = exceptions[i].bounds;
  return bounds;
}

static void
lane_open (Lane *lane, const Case *test, const Golden *golden)
{
  g_autofree char *id =
      g_strndup (test->name, (gsize) (strstr (test->name, "-v") - test->name) + 3);
  const char *last = strrchr (test->name, '-') + 1;
  guint32 seed = g_str_has_suffix (test->name, "-wide") ? 9 : 7;
  const char *old_margins = mj_version () >= 350 ? "true" : "false", *option;
  g_autofree char *other =
      g_test_build_filename (G_TEST_DIST, "../src/envs/models/walker2d-v4.xml", NULL);
  g_autoptr (GError) error = NULL;

  sscanf (last, "seed%u", &seed);
  lane->bounds = find_bounds (test->name);
  lane->largest = (Bounds){ 0 };
  /* A case of another model; of the others the list ends there. */
  option = g_str_equal (last, "model") ? "xml-file" : NULL;
  lane->env = reel_object_new_from_text (REEL_TYPE_ENV, test->text ? test->text : id, &error,
                                         "old-margins", old_margins, option, other, NULL);
  g_assert_no_error (error);
  reel_env_seed (lane->env, &seed, 1);
  lane->observation = g_new (double, golden->n_observation);
  lane->state = g_malloc (reel_env_get_state_size (lane->env));

  gint ndim;
  const ReelSpec *spec =
      reel_spec_get (reel_env_get_observation_spec (lane->env), "observation", NULL);

  g_assert_cmpint (reel_spec_get_shape (spec, &ndim)[0], ==, golden->n_observation);
}

static void
lane_close (Lane *lane)
{
  g_object_unref (lane->env);
  g_free (lane->observation);
  g_free (lane->state);
}

static void
lane_step (Lane *lane, const float *action)
{
  const guint8 *const actions[] = { (const guint8 *) action };
  guint8 *const observation[] = { (guint8 *) lane->observation };
  const ReelEnvIO io = {
    .action = actions,
    .observation = observation,
    .reward = &lane->reward,
    .terminated = &lane->terminated,
    .truncated = &lane->truncated,
    .done = &lane->done,
  };
  g_autoptr (GError) error = NULL;

  reel_env_step_lanes (lane->env, 0, 1, &io);
  reel_env_check_faults (lane->env, &error);
  g_assert_no_error (error);
}

/* ---- comparison ---- */

static gboolean
is_exact (const Lane *lane)
{
  return lane->bounds.state == 0;
}

static void
assert_near (double ours, double theirs, double bound, double *largest)
{
  double difference = fabs (ours - theirs) / (1 + fabs (theirs));

  *largest = MAX (*largest, difference);
  if (bound == 0)
    g_assert_true (memcmp (&ours, &theirs, sizeof ours) == 0 || ours == theirs);
  else
    g_assert_cmpfloat (difference, <=, bound);
}

static void
assert_all_near (const double *ours, const double *theirs, gint64 n, double bound, double *largest)
{
  for (gint64 i = 0; i < n; i++)
    assert_near (ours[i], theirs[i], bound, largest);
}

static double *
get_state (Lane *lane)
{
  reel_env_get_state (lane->env, 0, lane->state);
  return (double *) (gpointer) (lane->state + STATE_HEAD) + 1;
}

/* How fast a solver converges is its own; where it begins matters to the last bit alone. */
static void
assert_same_state (Lane *lane, const Golden *golden, const double *qpos, const double *qvel,
                   const double *warmstart)
{
  const double *ours = get_state (lane);
  double ignored = 0;

  assert_all_near (ours, qpos, golden->nq, lane->bounds.state, &lane->largest.state);
  assert_all_near (ours + golden->nq, qvel, golden->nv, lane->bounds.state, &lane->largest.state);
  if (is_exact (lane))
    assert_all_near (ours + golden->nq + golden->nv, warmstart, golden->nv, 0, &ignored);
}

/* Takes on the recorded state, so that other roundings do not grow from step to step. */
static void
follow (Lane *lane, const Golden *golden, const double *qpos, const double *qvel,
        const double *warmstart)
{
  double *ours = get_state (lane);

  if (is_exact (lane))
    return;
  memcpy (ours, qpos, (gsize) golden->nq * sizeof *ours);
  memcpy (ours + golden->nq, qvel, (gsize) golden->nv * sizeof *ours);
  memcpy (ours + golden->nq + golden->nv, warmstart, (gsize) golden->nv * sizeof *ours);
  reel_env_set_state (lane->env, 0, lane->state);
}

/* From 3.2 on MuJoCo leaves the quaternion of a free joint as long as noise made it, until the
 * first step; before, its length is 1 in qpos and in what is observed. */
static gboolean
leaves_quaternion (const Golden *golden)
{
  return golden->nq > golden->nv && mj_version () >= 320;
}

static void
normalise_quaternion (Lane *lane)
{
  double *q = get_state (lane) + 3;
  double length = sqrt (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

  for (int i = 0; i < 4; i++)
    q[i] /= length;
  reel_env_set_state (lane->env, 0, lane->state);
}

static void
reset_as (Lane *lane, const Golden *golden, gint64 episode)
{
  guint8 *const observation[] = { (guint8 *) lane->observation };
  const double *qpos = golden->reset_qpos + episode * golden->nq;
  const double *qvel = golden->reset_qvel + episode * golden->nv;
  const double *warmstart = golden->reset_warmstart + episode * golden->nv;

  reel_env_reset_lanes (lane->env, 0, 1, NULL, observation);
  if (leaves_quaternion (golden))
    normalise_quaternion (lane);
  else
    assert_all_near (lane->observation, golden->reset_obs + episode * golden->n_observation,
                     golden->n_observation, lane->bounds.observation, &lane->largest.observation);
  assert_same_state (lane, golden, qpos, qvel, warmstart);
  follow (lane, golden, qpos, qvel, warmstart);
}

static void
step_as (Lane *lane, const Golden *golden, gint64 t)
{
  const double *qpos = golden->qpos + t * golden->nq, *qvel = golden->qvel + t * golden->nv;
  const double *warmstart = golden->warmstart + t * golden->nv;

  lane_step (lane, golden->action + t * golden->n_action);
  assert_all_near (lane->observation, golden->next_obs + t * golden->n_observation,
                   golden->n_observation, lane->bounds.observation, &lane->largest.observation);
  assert_near (lane->reward, (float) golden->reward[t], lane->bounds.reward, &lane->largest.reward);
  g_assert_cmpint (lane->terminated, ==, golden->terminated[t]);
  g_assert_cmpint (lane->truncated, ==, golden->truncated[t]);
  assert_same_state (lane, golden, qpos, qvel, warmstart);
  follow (lane, golden, qpos, qvel, warmstart);
}

static void
test_follows (gconstpointer data)
{
  const Case *test = data;
  Golden golden;
  Lane lane;
  gint64 episode = 0;

  golden_load (&golden, test->name);
  lane_open (&lane, test, &golden);
  for (gint64 t = 0; t < golden.n_steps; t++)
    {
      if (episode < golden.n_resets && golden.reset_at[episode] == t)
        reset_as (&lane, &golden, episode++);
      step_as (&lane, &golden, t);
    }
  g_assert_cmpint (episode, ==, golden.n_resets);
  g_test_message ("MuJoCo %s: largest differences: state %.1e, observation %.1e, reward %.1e",
                  mj_versionString (), lane.largest.state, lane.largest.observation,
                  lane.largest.reward);
  lane_close (&lane);
  gymnasium_case_clear (&golden.file);
}

static void
add_case (const Case *test)
{
  g_autofree char *path = g_strdup_printf ("/envs/mujoco-golden/%s/is-gymnasiums", test->name);

  g_test_add_data_func (path, test, test_follows);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_auto (GStrv) listed = gymnasium_cases_list (FOLDER);
  const gsize n = g_strv_length (listed);
  g_autofree Case *arguments = g_new (Case, n);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    add_case (&cases[i]);
  for (gsize i = 0; i < n; i++)
    {
      g_auto (GStrv) words = g_strsplit (listed[i], "\t", 2);

      arguments[i] = (Case){ g_intern_string (words[0]), g_intern_string (words[1]) };
      add_case (&arguments[i]);
    }
  return g_test_run ();
}
