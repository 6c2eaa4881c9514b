/* Pictures of few lanes: any number of threads shares them, and the bytes are the same. */
#include "collecting.h"

#define STEPS 7
#define MOST_LANES 70

/* A batch of short episodes, so that lanes of a block end and begin anew beside those of other
 * threads; the caller's own copy. */
static ReelTensordict *
collect (const char *id, gint64 lanes, gint64 threads)
{
  g_autofree char *env = g_strdup_printf (
      "%s:num-envs=%d,from-pixels=true,width=12,height=8,max-episode-steps=3", id, (int) lanes);
  g_autofree char *text = collecting_text ("sync", STEPS * lanes, STEPS * lanes, threads);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, env, "random", NULL);
  g_autoptr (GError) error = NULL;
  ReelTensordict *batch = NULL;

  g_assert_cmpint (collecting_next (collector, &batch), ==, STEPS * lanes);

  ReelTensordict *copy = reel_tensordict_clone (batch, TRUE, &error);

  g_assert_no_error (error);
  return copy;
}

static void
test_any_number_of_threads (gconstpointer id)
{
  for (gint64 lanes = 1; lanes <= MOST_LANES; lanes++)
    {
      g_autoptr (ReelTensordict) alone = collect (id, lanes, 1);

      for (gint64 threads = 2; threads <= 7; threads += threads == 3 ? 4 : 1)
        {
          g_autoptr (ReelTensordict) shared = collect (id, lanes, threads);

          g_assert_true (reel_tensordict_equal (alone, shared));
        }
    }
}

/* Pictures are worth a thread a lane; other envs go by vectors. */
static void
test_lanes_are_the_unit (void)
{
  g_autoptr (ReelEnv) plain = collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=8");
  g_autoptr (ReelEnv) drawn =
      collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=8,from-pixels=true");

  g_assert_cmpint (reel_env_get_lane_multiple (plain), ==, 64);
  g_assert_cmpint (reel_env_get_lane_multiple (drawn), ==, 1);
}

int
main (int argc, char *argv[])
{
  static const char *const ids[] = { "CartPole", "Pendulum", "Acrobot", "MountainCar",
                                     "MountainCarContinuous" };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autofree char *path =
          g_strconcat ("/envs/pixel-lanes/any-number-of-threads/", ids[i], NULL);

      g_test_add_data_func (path, ids[i], test_any_number_of_threads);
    }
  g_test_add_func ("/envs/pixel-lanes/are-the-unit", test_lanes_are_the_unit);
  return g_test_run ();
}
