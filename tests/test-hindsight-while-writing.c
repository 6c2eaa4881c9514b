/* Goals stay within trajectories while the ring goes on under them. */
#include "goal-rows.h"
#include "race.h"

#define RING 64
#define LENGTH 5 /* of a trajectory */
#define N_SAMPLED 24

static gboolean
ends_each (gint64 t, gint64 lane, guint pattern)
{
  return t % LENGTH == LENGTH - 1;
}

static gboolean
write_step (Race *race)
{
  goal_write_step (reel_replay_buffer_get_storage (race->buffer), race->n_written++, ends_each, 0);
  return race->n_written < race->n_steps;
}

static gint64
count_torn (Race *race, const ReelTensordict *batch)
{
  gint64 n_torn = 0;

  for (gint64 i = 0; i < N_SAMPLED; i++)
    {
      gint64 row = (gint64) goal_get ((ReelTensordict *) batch, "achieved_goal", i);
      gint64 goal = (gint64) goal_get ((ReelTensordict *) batch, "desired_goal", i);

      if (goal == (gint64) GOAL_OWN)
        continue;
      n_torn += goal < row || goal / LENGTH != row / LENGTH
                || goal_get ((ReelTensordict *) batch, "next/reward", i) != (goal == row ? 0 : -1);
      atomic_fetch_add ((atomic_llong *) race->data, 1);
    }
  return n_torn;
}

static void
test_goals_stay_within_trajectories (void)
{
  g_autoptr (ReelStorage) storage = goal_new_storage (1, RING, 1);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelTransform) transform = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM, "hindsight:ratio=1,end-key=next/done", NULL, NULL);
  atomic_llong n_relabelled = 0;
  Race race = { .buffer = buffer,
                .batch_size = N_SAMPLED,
                .write = write_step,
                .count_torn = count_torn,
                .n_steps = 60000,
                .n_written = RING,
                .data = &n_relabelled };

  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL));
  for (gint64 t = 0; t < RING; t++)
    goal_write_step (storage, t, ends_each, 0);
  race_run (&race, 2);
  g_assert_cmpint (n_relabelled, >, 0);
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
