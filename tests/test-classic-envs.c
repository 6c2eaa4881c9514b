/* Cases beyond the recorded trajectories of classic control. */
#include "../src/envs/env-private.h"
#include "classic-lane.h"
#include "skipped-resets.h"

#include <math.h>
#include <string.h>

static const char *const both_maths[] = { "portable", "libm" };
static const char *const discrete[] = { "CartPole", "Acrobot", "MountainCar" };
static const char *const forced[] = { "Pendulum", "MountainCarContinuous" };

static ReelEnv *
open_env (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

  g_assert_no_error (error);
  return env;
}

/* ---- both maths, from states anywhere ---- */

typedef struct
{
  const char *text;
  double reach[4], epsilon; /* states are drawn from ± reach */
  gboolean turns;           /* whether the first is an angle of which whole turns may be left out */
} Reach;

static const Reach reaches[] = {
  { "Acrobot", { 3.14, 3.14, 12, 28 }, 1e-11, FALSE },
  { "Acrobot:equations=nips", { 3.14, 3.14, 12, 28 }, 1e-11, FALSE },
  { "MountainCar:goal-velocity=0.01", { 0.6, 0.07 }, 1e-15, FALSE },
  { "MountainCarContinuous", { 0.6, 0.07 }, 2e-7, FALSE },
  { "Pendulum:g=3.7", { 100, 8 }, 1e-6, TRUE },
  { "Pendulum", { 1e5, 8 }, 1e-6, TRUE },
};

static void
test_maths_agree (gconstpointer data)
{
  const Reach *reach = data;
  Lane portable, libm;

  lane_open (&portable, reach->text, "portable");
  lane_open (&libm, reach->text, "libm");
  lane_reset (&portable);
  lane_reset (&libm);
  for (gint i = 0; i < 4000; i++)
    {
      ReelRandomKey key = reel_random_key (1, i);
      double action =
          portable.n_actions > 0 ? i % portable.n_actions : 6 * reel_random_double (key, 5) - 3;
      double physics[6] = { 0 };
      StateHead one, other;

      for (gint s = 0; s < portable.n_state; s++)
        physics[s] = (2 * reel_random_double (key, s) - 1) * reach->reach[s];
      lane_set_physics (&portable, physics);
      lane_set_physics (&libm, physics);
      lane_step (&portable, action);
      lane_step (&libm, action);
      lane_get_head (&portable, &one);
      lane_get_head (&libm, &other);
      if (reach->turns)
        other.physics[0] = one.physics[0] + remainder (other.physics[0] - one.physics[0], 2 * G_PI);
      for (gint s = 0; s < portable.n_state; s++)
        if (fabs (fabs (other.physics[s]) - G_PI) > 1e-9) /* where Acrobot's angles wrap */
          g_assert_cmpfloat_with_epsilon (one.physics[s], other.physics[s], reach->epsilon);
      g_assert_cmpfloat_with_epsilon ((double) portable.reward, (double) libm.reward, 4e-6);
      g_assert_cmpint (portable.terminated, ==, libm.terminated);
    }
  lane_close (&portable);
  lane_close (&libm);
}

/* ---- actions that are none ---- */

/* The results of 70 lanes: a tile, and some of the next. */
typedef struct
{
  float observation[70 * 6], reward[70];
  guint8 terminated[70], truncated[70], done[70];
} Batch;

static void
batch_reset (ReelEnv *env, const guint8 *mask, Batch *batch)
{
  reel_env_reset_lanes (env, 0, 70, mask, (guint8 *const[]){ (guint8 *) batch->observation });
}

/* How many are done. */
static gint64
batch_step (ReelEnv *env, gconstpointer action, Batch *batch)
{
  const ReelEnvIO io = { .action = (const guint8 *const[]){ action },
                         .observation = (guint8 *const[]){ (guint8 *) batch->observation },
                         .reward = batch->reward,
                         .terminated = batch->terminated,
                         .truncated = batch->truncated,
                         .done = batch->done };

  return reel_env_step_lanes (env, 0, 70, &io);
}

typedef void (*Encode) (gint n_actions, gint t, gint64 *action);

/* 10 steps of the same actions; @encode writes those of a step. */
static void
run_batch (const char *text, gint n_actions, Encode encode, Batch *batch)
{
  g_autoptr (ReelEnv) env = open_env (text);
  gint64 action[70 * 3];

  *batch = (Batch){ 0 };
  batch_reset (env, NULL, batch);
  for (gint t = 0; t < 10; t++)
    {
      encode (n_actions, t, action);
      batch_step (env, action, batch);
    }
}

static void
encode_one_hot (gint n_actions, gint t, gint64 *action)
{
  reel_random_fill_one_hot (reel_random_key (0, t), 0, 70, n_actions, action);
}

/* Columns before the last that is not 0 do not count, nor does what it holds. */
static void
encode_some_hot (gint n_actions, gint t, gint64 *action)
{
  encode_one_hot (n_actions, t, action);
  for (gint lane = 0; lane < 70; lane++)
    {
      gint64 *row = action + lane * n_actions, last = 0;

      for (gint i = 0; i < n_actions; i++)
        if (row[i] != 0)
          last = i;
      row[last] = last == 0 ? 0 : -7;
      if (last > 0)
        row[0] = 5;
    }
}

static void
encode_number (gint n_actions, gint t, gint64 *action)
{
  reel_random_fill_below (reel_random_key (0, t), 0, 70, n_actions, action);
}

static void
encode_any_number (gint n_actions, gint t, gint64 *action)
{
  encode_number (n_actions, t, action);
  for (gint lane = 0; lane < 70; lane++)
    if (action[lane] == 0)
      action[lane] = lane % 2 ? -1 : G_MININT64;
    else if (action[lane] == n_actions - 1)
      action[lane] = lane % 2 ? n_actions : G_MAXINT64;
}

static void
test_encodings_agree (gconstpointer data)
{
  const char *id = data;
  gint n_actions = g_str_equal (id, "CartPole") ? 2 : 3;

  for (gsize m = 0; m < G_N_ELEMENTS (both_maths); m++)
    {
      g_autofree char *hot = g_strdup_printf ("%s:num-envs=70,math=%s", id, both_maths[m]);
      g_autofree char *number = g_strconcat (hot, ",action-encoding=categorical", NULL);
      Batch expected, batch;

      run_batch (hot, n_actions, encode_one_hot, &expected);
      run_batch (hot, n_actions, encode_some_hot, &batch);
      g_assert_cmpmem (&batch, sizeof batch, &expected, sizeof expected);
      run_batch (number, n_actions, encode_number, &batch);
      g_assert_cmpmem (&batch, sizeof batch, &expected, sizeof expected);
      run_batch (number, n_actions, encode_any_number, &batch);
      g_assert_cmpmem (&batch, sizeof batch, &expected, sizeof expected);
    }
}

/* A force beyond the box moves as much as its edge; what it costs is the task's. */
static void
test_forces_are_clipped (gconstpointer data)
{
  const char *id = data;
  const double edge = g_str_equal (id, "Pendulum") ? 2 : 1;
  static const double beyond[] = { 2.5, -2.5, 1e30, -1e30, INFINITY, -INFINITY };

  for (gsize m = 0; m < G_N_ELEMENTS (both_maths); m++)
    for (gsize k = 0; k < G_N_ELEMENTS (beyond); k++)
      {
        StateHead one, other;
        Lane lane, at_edge;

        lane_open (&lane, id, both_maths[m]);
        lane_open (&at_edge, id, both_maths[m]);
        lane_reset (&lane);
        lane_reset (&at_edge);
        lane_step (&lane, beyond[k]);
        lane_step (&at_edge, copysign (edge, beyond[k]));
        lane_get_head (&lane, &one);
        lane_get_head (&at_edge, &other);
        for (gint s = 0; s < lane.n_state; s++)
          g_assert_cmpfloat_with_epsilon (one.physics[s], other.physics[s], 2e-7);
        if (edge == 2)
          g_assert_true (lane.reward == at_edge.reward);
        else
          g_assert_true (lane.reward == (float) -(beyond[k] * beyond[k] * 0.1)
                         || fabs ((double) lane.reward + 0.1 * 6.25) < 1e-6);
        lane_close (&lane);
        lane_close (&at_edge);
      }
}

/* As in Gymnasium a force that is no number makes the lane so until it is reset, and no other. */
static void
test_no_number_stays_in_its_lane (gconstpointer data)
{
  const char *id = data;

  for (gsize m = 0; m < G_N_ELEMENTS (both_maths); m++)
    {
      g_autofree char *text = g_strdup_printf ("%s:num-envs=70,math=%s", id, both_maths[m]);
      g_autoptr (ReelEnv) env = open_env (text), calm = open_env (text);
      Batch batch = { 0 }, expected = { 0 };
      float action[70] = { 0 };
      const guint8 only[70] = { [13] = TRUE };
      gint n = g_str_equal (id, "Pendulum") ? 3 : 2;

      batch_reset (env, NULL, &batch);
      batch_reset (calm, NULL, &expected);
      batch_step (calm, action, &expected);
      action[13] = NAN;
      batch_step (env, action, &batch);
      for (gint i = 0; i < 70 * n; i++)
        if (i / n == 13)
          g_assert_true (isnan (batch.observation[i]));
        else
          g_assert_true (batch.observation[i] == expected.observation[i]);
      g_assert_true (isnan (batch.reward[13]));
      g_assert_false (batch.terminated[13]);
      action[13] = 0;
      batch_step (env, action, &batch);
      g_assert_true (isnan (batch.observation[13 * n]));
      batch_reset (env, only, &batch);
      batch_step (env, action, &batch);
      g_assert_false (isnan (batch.observation[13 * n]));
    }
}

/* ---- properties ---- */

static void
test_bad_values_are_refused (void)
{
  static const struct
  {
    const char *text, *words;
  } bad[] = {
    { "Acrobot:reset-low=0.2", "reset-low=0.2 is above reset-high=0.1" },
    { "Acrobot:reset-high=13", "reset-high" },
    { "Acrobot:equations=newton", "equations" },
    { "MountainCar:reset-low=-1.3", "reset-low" },
    { "MountainCarContinuous:reset-high=-0.7", "reset-low=-0.6 is above reset-high=-0.7" },
    { "MountainCarContinuous:goal-velocity=nan", "goal-velocity" },
    { "Pendulum:x-init=-1", "x-init" },
    { "Pendulum:x-init=1000001", "x-init cannot be 1000001" },
    { "CartPole:reset-low=-1e308,reset-high=1e308", "further apart" },
    { "Pendulum:y-init=8.5", "y-init" },
    { "Pendulum:g=inf", "g cannot be inf" },
  };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_clear_error (&error);
      g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, bad[i].text, &error, NULL));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      if (strstr (error->message, bad[i].words) == NULL)
        g_error ("%s: %s", bad[i].text, error->message);
    }
}

/* However often it goes round, the angle stays within a turn and a step. */
static void
test_angles_stay_wrapped (void)
{
  const double physics[6] = { 0, 8 };
  Lane lane;
  StateHead head;

  lane_open (&lane, "Pendulum", "portable");
  lane_reset (&lane);
  lane_set_physics (&lane, physics);
  for (gint i = 0; i < 150; i++)
    {
      lane_step (&lane, 2);
      lane_get_head (&lane, &head);
      g_assert_cmpfloat (fabs (head.physics[0]), <=, 4);
    }
  lane_close (&lane);
}

/* At the goal both position and velocity count, and both limits are inside. */
static void
test_goals_are_inside (void)
{
  for (gsize m = 0; m < G_N_ELEMENTS (both_maths); m++)
    for (gint slow = 0; slow < 2; slow++)
      {
        const double physics[2] = { 0.46, 0.05 }, action = 2;
        Lane lane;

        lane_open (&lane,
                   slow ? "MountainCar:goal-velocity=0.06" : "MountainCar:goal-velocity=0.05",
                   both_maths[m]);
        lane_reset (&lane);
        lane_set_physics (&lane, physics);
        lane_step (&lane, action);
        g_assert_cmpint (lane.terminated, ==, !slow);
        g_assert_true (lane.reward == -1);
        lane_close (&lane);
      }
}

/* Whether a lane of @text that is put into @physics terminates in a step. */
static gboolean
terminates (const char *text, const char *math, const double *physics, double action)
{
  gboolean terminated;
  Lane lane;

  lane_open (&lane, text, math);
  lane_reset (&lane);
  lane_set_physics (&lane, physics);
  lane_step (&lane, action);
  terminated = lane.terminated;
  lane_close (&lane);
  return terminated;
}

/* To the bit: a step without speed leaves a position where it is, and the fastest car of 0.43 comes
 * to stand at 0.5 exactly. */
static void
test_thresholds_to_the_bit (void)
{
  static const struct
  {
    const char *text;
    double physics[4];
    gint which; /* the double that is moved by a bit */
    double beyond;
    gboolean at, past;
  } edges[] = {
    { "CartPole", { 2.4, 0, 0, 0 }, 0, INFINITY, FALSE, TRUE },
    { "CartPole", { -2.4, 0, 0, 0 }, 0, -INFINITY, FALSE, TRUE },
    { "CartPole:x-threshold=1.5", { 1.5, 0, 0, 0 }, 0, INFINITY, FALSE, TRUE },
    { "CartPole:theta-threshold=0.125", { 0, 0, 0.125, 0 }, 2, INFINITY, FALSE, TRUE },
    { "CartPole:theta-threshold=0.125", { 0, 0, -0.125, 0 }, 2, -INFINITY, FALSE, TRUE },
    { "CartPole:theta-threshold=0.75", { 0, 0, 0.75, 0 }, 2, INFINITY, FALSE, TRUE },
    { "MountainCar", { 0.43, 0.07 }, 0, -INFINITY, TRUE, FALSE },
    { "MountainCar:goal-velocity=0.07", { 0.45, 0.07 }, 0, -INFINITY, TRUE, TRUE },
  };

  for (gsize m = 0; m < G_N_ELEMENTS (both_maths); m++)
    for (gsize i = 0; i < G_N_ELEMENTS (edges); i++)
      {
        double physics[4];

        memcpy (physics, edges[i].physics, sizeof physics);
        g_assert_cmpint (terminates (edges[i].text, both_maths[m], physics, 2), ==, edges[i].at);
        physics[edges[i].which] = nextafter (physics[edges[i].which], edges[i].beyond);
        g_assert_cmpint (terminates (edges[i].text, both_maths[m], physics, 2), ==, edges[i].past);
      }
}

/* Neither flag hides the other, in whole blocks of lanes and in the rest of them; the step after is
 * told so too. */
static void
test_both_flags_at_once (void)
{
  for (gsize m = 0; m < G_N_ELEMENTS (both_maths); m++)
    {
      g_autofree char *text = g_strdup_printf (
          "CartPole:num-envs=70,max-episode-steps=2,reset-low=0.5,reset-high=0.5,math=%s",
          both_maths[m]);
      g_autofree char *wide = g_strconcat (text, ",theta-threshold=2", NULL);
      Batch fallen, standing;

      run_batch (text, 2, encode_one_hot, &fallen);
      run_batch (wide, 2, encode_one_hot, &standing);
      for (gint lane = 0; lane < 70; lane++)
        {
          g_assert_cmpint (fallen.terminated[lane], ==, 1);
          g_assert_cmpint (fallen.truncated[lane], ==, 1);
          g_assert_cmpint (fallen.done[lane], ==, 1);
          g_assert_true (fallen.reward[lane] == 0);
          g_assert_cmpint (standing.truncated[lane], ==, 1);
          g_assert_cmpint (standing.done[lane], ==, 1);
        }
    }
}

/* In whole blocks of lanes, too, the limit is a certain step, and either flag is done. */
static void
test_flags_of_blocks (void)
{
  for (gint falls = 0; falls < 2; falls++)
    {
      g_autoptr (ReelEnv) env = open_env (
          falls ? "CartPole:num-envs=70,reset-low=0.5,reset-high=0.5"
                : "CartPole:num-envs=70,max-episode-steps=3,x-threshold=9,theta-threshold=9");
      Batch batch = { 0 };
      gint64 action[70 * 2];

      encode_one_hot (2, 0, action);
      batch_reset (env, NULL, &batch);
      for (gint t = 1; t <= 3; t++)
        {
          g_assert_cmpint (batch_step (env, action, &batch), ==, falls || t == 3 ? 70 : 0);
          for (gint lane = 0; lane < 70; lane++)
            {
              g_assert_cmpint (batch.terminated[lane], ==, falls);
              g_assert_cmpint (batch.truncated[lane], ==, !falls && t == 3);
              g_assert_cmpint (batch.done[lane], ==, falls || t == 3);
            }
        }
    }
}

/* The step before the limit is not truncated, that at it is, and so is each that goes on. */
static void
test_limit_counts_steps (void)
{
  Lane lane;

  lane_open (&lane, "MountainCar:max-episode-steps=3", "portable");
  for (gint episode = 0; episode < 2; episode++)
    {
      lane_reset (&lane);
      for (gint t = 1; t <= 4; t++)
        {
          lane_step (&lane, 1);
          g_assert_cmpint (lane.truncated, ==, t >= 3);
          g_assert_false (lane.terminated);
        }
    }
  lane_close (&lane);
}

/* A reset of some lanes begins their episodes and no others: rewards of steps past an end tell. */
static void
test_resets_are_of_their_lanes (void)
{
  for (gsize m = 0; m < G_N_ELEMENTS (both_maths); m++)
    {
      g_autofree char *text = g_strdup_printf (
          "CartPole:num-envs=70,reset-low=0.5,reset-high=0.5,math=%s", both_maths[m]);
      g_autoptr (ReelEnv) env = open_env (text);
      Batch batch = { 0 };
      gint64 action[70 * 2];
      guint8 mask[70] = { 0 };

      encode_one_hot (2, 0, action);
      batch_reset (env, NULL, &batch);
      batch_step (env, action, &batch);
      for (gint lane = 0; lane < 70; lane += 3)
        mask[lane] = TRUE;
      batch_reset (env, mask, &batch);
      batch_step (env, action, &batch);
      for (gint lane = 0; lane < 70; lane++)
        {
          g_assert_true (batch.terminated[lane]);
          g_assert_true (batch.reward[lane] == (mask[lane] ? 1 : 0));
          g_assert_cmpint (reel_env_get_elapsed (env, lane), ==, mask[lane] ? 1 : 2);
        }
    }
}

/* Every number of resets, whatever they draw from and however exactly they show it. */
static void
test_resets_are_skipped (gconstpointer id)
{
  for (gsize m = 0; m < G_N_ELEMENTS (both_maths); m++)
    {
      g_autofree char *text =
          g_strdup_printf ("%s:num-envs=70,math=%s", (const char *) id, both_maths[m]);

      g_assert_true (skipped_resets_check (text, 70));
    }
}

/* The draws of NumPy 2.4.6 behind advance (4e9) from the seed 42. */
static void
test_resets_are_skipped_by_the_billion (void)
{
  const double drawn[4] = { 0.029124239303226718, -0.029839498051952674, -0.028944426494000388,
                            -0.024545300192132937 };
  Lane lane;

  lane_open (&lane, "CartPole:seed=42", "libm");
  g_assert_true (reel_env_skip_resets (lane.env, 0, 1000000000));
  lane_reset (&lane);
  for (gint i = 0; i < 4; i++)
    g_assert_true (lane.observation[i] == (float) drawn[i]);
  lane_close (&lane);
}

#define COUNTED 200

/* Goes on from another number of steps. */
static void
set_elapsed (ReelEnv *env, gint64 lane, gint64 elapsed)
{
  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (env));

  reel_env_get_state (env, lane, state);
  memcpy (state, &elapsed, sizeof elapsed);
  reel_env_set_state (env, lane, state);
}

/* Whole words of lanes are counted together: whatever ranges are stepped, reset and restored, each
 * lane is cut by its own steps. */
static void
test_limit_counts_steps_of_any_range (void)
{
  const gint64 limit = 40;
  g_autoptr (ReelEnv) env = open_env ("MountainCar:num-envs=200,max-episode-steps=40");
  gint64 action[COUNTED * 3] = { 0 }, elapsed[COUNTED] = { 0 };
  float seen[COUNTED * 2], reward[COUNTED];
  guint8 terminated[COUNTED], truncated[COUNTED], done[COUNTED];
  guint8 *const observation[] = { (guint8 *) seen };
  const guint8 *const actions[] = { (guint8 *) action };
  const ReelEnvIO io = {
    .action = actions,
    .observation = observation,
    .reward = reward,
    .terminated = terminated,
    .truncated = truncated,
    .done = done,
  };

  for (gint64 i = 0; i < 4000; i++)
    {
      ReelRandomKey key = reel_random_key (3, i);
      gboolean whole = reel_random_below (key, 0, 8) != 0;
      gint64 begin = whole ? 0 : reel_random_below (key, 1, COUNTED);
      gint64 end = whole ? COUNTED : begin + reel_random_below (key, 2, COUNTED + 1 - begin);
      gint64 other = reel_random_below (key, 3, COUNTED);

      if (i % 200 == 0)
        {
          reel_env_reset_lanes (env, 0, COUNTED, NULL, observation);
          memset (elapsed, 0, sizeof elapsed);
        }
      reel_env_step_lanes (env, begin, end, &io);
      for (gint64 lane = begin; lane < end; lane++)
        {
          g_assert_cmpint (++elapsed[lane], ==, reel_env_get_elapsed (env, lane));
          g_assert_cmpint (truncated[lane], ==, elapsed[lane] >= limit);
          g_assert_cmpint (done[lane], ==, truncated[lane] | terminated[lane]);
          /* One lane is not reset as soon as it is cut. */
          if (elapsed[lane] < limit + 2 * (lane == 150))
            done[lane] = FALSE;
          else
            elapsed[lane] = 0;
        }
      reel_env_reset_lanes (env, begin, end, done, observation);
      if (i % 31 == 0)
        set_elapsed (env, other, elapsed[other] = reel_random_below (key, 4, limit));
    }
}

static void
add_tests (const char *path, const char *const *ids, gsize n, GTestDataFunc test)
{
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *full = g_strdup_printf ("/envs/classic/%s/%s", path, ids[i]);

      g_test_add_data_func (full, ids[i], test);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (reaches); i++)
    {
      g_autofree char *path = g_strconcat ("/envs/classic/maths-agree/", reaches[i].text, NULL);

      g_test_add_data_func (path, &reaches[i], test_maths_agree);
    }
  add_tests ("encodings-agree", discrete, G_N_ELEMENTS (discrete), test_encodings_agree);
  add_tests ("forces-are-clipped", forced, G_N_ELEMENTS (forced), test_forces_are_clipped);
  add_tests ("no-number-stays-in-its-lane", forced, G_N_ELEMENTS (forced),
             test_no_number_stays_in_its_lane);
  add_tests ("resets-are-skipped", discrete, G_N_ELEMENTS (discrete), test_resets_are_skipped);
  add_tests ("resets-are-skipped", forced, G_N_ELEMENTS (forced), test_resets_are_skipped);
  g_test_add_func ("/envs/classic/resets-are-skipped-by-the-billion",
                   test_resets_are_skipped_by_the_billion);
  g_test_add_func ("/envs/classic/bad-values-are-refused", test_bad_values_are_refused);
  g_test_add_func ("/envs/classic/angles-stay-wrapped", test_angles_stay_wrapped);
  g_test_add_func ("/envs/classic/goals-are-inside", test_goals_are_inside);
  g_test_add_func ("/envs/classic/thresholds-to-the-bit", test_thresholds_to_the_bit);
  g_test_add_func ("/envs/classic/both-flags-at-once", test_both_flags_at_once);
  g_test_add_func ("/envs/classic/flags-of-whole-blocks", test_flags_of_blocks);
  g_test_add_func ("/envs/classic/limit-counts-steps", test_limit_counts_steps);
  g_test_add_func ("/envs/classic/limit-counts-steps-of-any-range",
                   test_limit_counts_steps_of_any_range);
  g_test_add_func ("/envs/classic/resets-are-of-their-lanes", test_resets_are_of_their_lanes);
  return g_test_run ();
}
