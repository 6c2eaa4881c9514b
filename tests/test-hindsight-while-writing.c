/* Goals stay within trajectories while the ring goes on under them. */
#include "../src/reel.h"
#include "../src/core/workers.h"
#include "goal-rows.h"

#include <stdatomic.h>

#define N_STEPS 60000
#define RING 64
#define LENGTH 5 /* of a trajectory */
#define N_SAMPLED 24

typedef struct
{
  ReelReplayBuffer *buffer;
  atomic_bool over;
  atomic_llong n_relabelled;
} Race;

static gboolean
ends_each (gint64 t, gint64 lane, guint pattern)
{
  return t % LENGTH == LENGTH - 1;
}

static void
write_all (Race *race)
{
  for (gint64 t = RING; t < N_STEPS; t++)
    goal_write_step (reel_replay_buffer_get_storage (race->buffer), t, ends_each, 0);
  atomic_store (&race->over, TRUE);
}

static void
check_batch (Race *race, ReelTensordict *batch)
{
  for (gint64 i = 0; i < N_SAMPLED; i++)
    {
      gint64 row = (gint64) goal_get (batch, "achieved_goal", i);
      gint64 goal = (gint64) goal_get (batch, "desired_goal", i);

      if (goal == (gint64) GOAL_OWN)
        continue;
      g_assert_cmpint (goal, >=, row);
      g_assert_cmpint (goal / LENGTH, ==, row / LENGTH);
      g_assert_cmpfloat (goal_get (batch, "next/reward", i), ==, goal == row ? 0 : -1);
      atomic_fetch_add (&race->n_relabelled, 1);
    }
}

static void
read_all (Race *race, gint worker)
{
  g_autofree char *seed = g_strdup_printf ("%d", worker);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "random", NULL, "seed", seed, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  do
    {
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_sample_with (race->buffer, sampler, N_SAMPLED, &batch, &error);
      g_assert_no_error (error);
      check_batch (race, batch);
    }
  while (!atomic_load (&race->over));
}

static void
run (gpointer data, gint worker, gint n_workers)
{
  if (worker == 0)
    write_all (data);
  else
    read_all (data, worker);
}

static void
test_goals_stay_within_trajectories (void)
{
  g_autoptr (ReelStorage) storage = goal_new_storage (1, RING, 1);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelTransform) transform = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM, "hindsight:ratio=1,end-key=next/done", NULL, NULL);
  g_autoptr (ReelWorkers) workers = reel_workers_new (3, NULL);
  Race race = { .buffer = buffer };

  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL));
  for (gint64 t = 0; t < RING; t++)
    goal_write_step (storage, t, ends_each, 0);
  reel_workers_run (workers, run, &race);
  g_test_message ("%lld rows got goals", (long long) race.n_relabelled);
  g_assert_cmpint (race.n_relabelled, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/hindsight/goals-stay-within-trajectories",
                   test_goals_stay_within_trajectories);
  return g_test_run ();
}
