/* Steps that read observations of the row: from wherever it says, by every way of stepping. */
#include "collecting.h"
#include "wander-env.h"

#include <string.h>

#define LANES 5
#define STEPS 40

static const char *const forms[] = {
  "Wander:num-envs=5",
  "serial:num-envs=5,envs=[Wander,Wander]",
  "parallel:Wander,num-envs=5,workers=2",
  "parallel:Wander,num-envs=5,workers=3,kind=processes",
  "Wander:num-envs=5|step-counter",
  "Wander:num-envs=5|rename:in-keys=place,out-keys=spot",
  "Wander:num-envs=5|clip:in-keys=place,low=-0.5,high=0.5",
  "Wander:num-envs=5|exclude:keys=place",
  "Wander:num-envs=5|frame-skip:frame-skip=2",
  "Wander:num-envs=5|exclude:keys=place|frame-skip:frame-skip=2",
  "Wander:num-envs=5|noop-reset:noops=3",
};

static const float *
read_floats (ReelTensordict *td, const char *path)
{
  return (const float *) (gconstpointer) reel_tensordict_get_tensor (td, path, NULL)->data;
}

/* ---- one step ---- */

/* The same row gives the same step, from any place, however often it is asked. */
static void
test_steps_go_on_from_the_row (gconstpointer form)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, form);
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);
  float *place = (float *) (gpointer) reel_tensordict_get_tensor (td, "place", NULL)->data;

  for (gint again = 0; again < 3; again++)
    for (gint shift = -2; shift <= 2; shift++)
      {
        g_autoptr (ReelTensordict) acted = NULL;
        const float *action, *next;

        for (gint i = 0; i < 2 * LANES; i++)
          place[i] = (float) (i - LANES + shift) / 8;
        acted = reel_env_rand_action (env, td, NULL);
        g_assert_true (reel_env_step (env, acted, NULL));
        action = read_floats (acted, "action");
        next = read_floats (acted, "next/place");
        for (gint i = 0; i < 2 * LANES; i++)
          g_assert_cmpfloat (next[i], ==, wander_place (place[i], action[i / 2]));
      }
}

static void
test_missing_state_is_named (void)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "Wander");
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);
  g_autoptr (ReelTensordict) acted = reel_env_rand_action (env, td, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_remove (acted, "place", NULL));
  g_assert_false (reel_env_step (env, acted, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_nonnull (strstr (error->message, "place"));
}

/* ---- specs ---- */

static void
test_specs_list_the_state (void)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, forms[0]);
  g_autoptr (ReelEnv) renamed = collecting_make (REEL_TYPE_ENV, forms[5]);
  g_autoptr (ReelEnv) hidden = collecting_make (REEL_TYPE_ENV, forms[7]);
  g_autoptr (ReelSpec) specs = reel_env_make_specs (env, NULL);
  g_autofree char *of_lane = reel_spec_to_text (reel_env_get_state_spec (env));
  g_autofree char *of_renamed = reel_spec_to_text (reel_env_get_state_spec (renamed));
  g_autofree char *of_hidden = reel_spec_to_text (reel_env_get_state_spec (hidden));

  g_assert_cmpstr (of_lane, ==, "composite:place=(unbounded:shape=[2])");
  g_assert_cmpstr (of_renamed, ==, "composite:spot=(unbounded:shape=[2])");
  g_assert_cmpstr (of_hidden, ==, "composite");
  g_assert_true (reel_spec_contains (specs, "input_spec/full_state_spec/place"));
}

/* ---- many steps ---- */

static void
test_is_sound (gconstpointer form)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, form);
  g_autoptr (GError) error = NULL;

  reel_env_check (env, &error);
  g_assert_no_error (error);
}

static void
test_threads_do_not_matter (gconstpointer form)
{
  g_autoptr (ReelTensordict) one = collecting_collect (form, LANES, STEPS, 1), ours = NULL;
  g_autoptr (ReelTensordict) three = collecting_collect (form, LANES, STEPS, 3);
  g_autoptr (ReelTensordict) actions =
      reel_tensordict_select_keys (one, (const char *const[]){ "action", NULL }, TRUE, NULL);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, form);
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .actions = actions };

  g_assert_true (reel_tensordict_equal (one, three));
  ours = reel_env_rollout (env, STEPS, &options, NULL);
  g_assert_true (reel_tensordict_remove (one, "collector", NULL));
  g_assert_true (reel_tensordict_equal (ours, one));
}

/* Forms that show the place as it is give the rows of the bare env. */
static void
test_forms_are_alike (void)
{
  g_autoptr (ReelTensordict) bare = collecting_collect (forms[0], LANES, STEPS, 1);

  for (gsize i = 1; i < 4; i++)
    {
      g_autoptr (ReelTensordict) ours = collecting_collect (forms[i], LANES, STEPS, 2);

      g_assert_true (reel_tensordict_equal (ours, bare));
    }
}

/* A limit of the base reaches the flags of the class. */
static void
test_limits_end_episodes (void)
{
  g_autoptr (ReelTensordict) td = collecting_collect ("Wander:num-envs=5", LANES, STEPS, 1);
  const ReelTensor *done = reel_tensordict_get_tensor (td, "next/end/done", NULL);
  const ReelTensor *ended = reel_tensordict_get_tensor (td, "next/end/terminated", NULL);
  gint n_cut = 0;

  for (gint64 lane = 0; lane < LANES; lane++)
    for (gint64 step = 0, length = 1; step < STEPS; step++, length++)
      {
        gint64 at = lane * done->strides[0] + step * done->strides[1];

        g_assert_cmpint (done->data[at], ==, ended->data[at] || length == 9);
        n_cut += done->data[at] && !ended->data[at];
        if (done->data[at])
          length = 0;
      }
  g_assert_cmpint (n_cut, >, 0);
}

static void
test_runs_go_on (gconstpointer form)
{
  for (gint64 cut = 1; cut < STEPS; cut += 7)
    {
      g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", STEPS * LANES, 2);
      g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", STEPS * LANES, 2);
      g_autoptr (ReelTensordict) rows = NULL, others = NULL;
      const struct
      {
        ReelReplayBuffer *buffer;
        gint64 steps;
      } runs[] = { { whole, STEPS }, { parts, cut }, { parts, STEPS - cut } };

      for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
        {
          g_autofree char *how =
              g_strdup_printf ("sync:total-frames=%d,threads=2,resume=%s",
                               (int) runs[i].steps * LANES, i == 2 ? "true" : "false");
          g_autoptr (ReelCollector) collector =
              collecting_make_collector (how, form, "random:seed=5", runs[i].buffer);

          while (collecting_next (collector, NULL) > 0)
            ;
        }
      rows = reel_replay_buffer_get_all (whole, NULL);
      others = reel_replay_buffer_get_all (parts, NULL);
      g_assert_true (reel_tensordict_equal (rows, others));
    }
}

static void
add (const char *name, gsize n, GTestDataFunc run)
{
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/envs/states/%s/%" G_GSIZE_FORMAT, name, i);

      g_test_add_data_func (path, forms[i], run);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (wander_env_get_type ());

  add ("steps-go-on-from-the-row", 5, test_steps_go_on_from_the_row);
  g_test_add_func ("/envs/states/missing-state-is-named", test_missing_state_is_named);
  g_test_add_func ("/envs/states/specs-list-the-state", test_specs_list_the_state);
  add ("is-sound", G_N_ELEMENTS (forms), test_is_sound);
  add ("threads-do-not-matter", G_N_ELEMENTS (forms), test_threads_do_not_matter);
  g_test_add_func ("/envs/states/forms-are-alike", test_forms_are_alike);
  g_test_add_func ("/envs/states/limits-end-episodes", test_limits_end_episodes);
  add ("runs-go-on", G_N_ELEMENTS (forms), test_runs_go_on);

  return g_test_run ();
}
