/* Transforms that step the environment themselves, against lanes that are stepped by hand. */
#include "collecting.h"

#include "../src/envs/env-lanes.h"

#include <string.h>

#define LANES 5
#define STEPS 150

/* The lanes of a CartPole and all that a step of them reads and writes. */
typedef struct
{
  ReelEnv *env;
  gint64 action[LANES];
  float observation[LANES][4];
  gint64 count[LANES]; /* of a step-counter, where there is one */
  float reward[LANES];
  guint8 terminated[LANES], truncated[LANES], done[LANES];
} Lanes;

static void
make_lanes (Lanes *self, const char *text)
{
  g_autofree char *full = g_strdup_printf (
      "CartPole:action-encoding=categorical,max-episode-steps=23,num-envs=%d%s", LANES, text);

  memset (self, 0, sizeof *self);
  self->env = collecting_make (REEL_TYPE_ENV, full);
  reel_env_seed (self->env, &(guint32){ 3 }, 1);
}

static void
reset_lanes (Lanes *self, const guint8 *mask)
{
  guint8 *const observation[] = { (guint8 *) self->observation, (guint8 *) self->count };

  reel_env_reset_lanes (self->env, 0, LANES, mask, observation);
  g_assert_true (reel_env_check_faults (self->env, NULL));
}

static void
step_lanes (Lanes *self, gint64 begin, gint64 end)
{
  const guint8 *const action[] = { (const guint8 *) self->action };
  guint8 *const observation[] = { (guint8 *) self->observation, (guint8 *) self->count };
  const ReelEnvIO io = {
    .action = action,
    .observation = observation,
    .reward = self->reward,
    .terminated = self->terminated,
    .truncated = self->truncated,
    .done = self->done,
  };

  reel_env_step_lanes (self->env, begin, end, &io);
}

/* ---- frame-skip ---- */

/* A step of each lane by hand: up to @skip actions, to the end of the episode. */
static void
skip_by_hand (Lanes *self, gint skip)
{
  for (gint64 lane = 0; lane < LANES; lane++)
    {
      float sum = 0;

      for (gint i = 0; i < skip && (i == 0 || !self->done[lane]); i++)
        {
          step_lanes (self, lane, lane + 1);
          sum += self->reward[lane];
        }
      self->reward[lane] = sum;
    }
}

static void
assert_same_step (const Lanes *a, const Lanes *b)
{
  g_assert_cmpmem (a->observation, sizeof a->observation, b->observation, sizeof b->observation);
  g_assert_cmpmem (a->reward, sizeof a->reward, b->reward, sizeof b->reward);
  g_assert_cmpmem (a->terminated, LANES, b->terminated, LANES);
  g_assert_cmpmem (a->truncated, LANES, b->truncated, LANES);
  g_assert_cmpmem (a->done, LANES, b->done, LANES);
}

/* T12.5-4 */
static void
test_skipped_steps_end_with_the_episode (void)
{
  for (gint skip = 1; skip <= 7; skip++)
    {
      g_autofree char *chain = g_strdup_printf ("|frame-skip:frame-skip=%d", skip);
      g_autoptr (GRand) random = g_rand_new_with_seed (5);
      gint64 ended = 0;
      Lanes ours, oracle;

      make_lanes (&ours, chain);
      make_lanes (&oracle, "");
      reset_lanes (&ours, NULL);
      reset_lanes (&oracle, NULL);
      for (gint step = 0; step < STEPS; step++)
        {
          for (gint64 lane = 0; lane < LANES; lane++)
            ours.action[lane] = oracle.action[lane] = g_rand_int_range (random, 0, 2);
          step_lanes (&ours, 0, LANES);
          skip_by_hand (&oracle, skip);
          assert_same_step (&ours, &oracle);
          for (gint64 lane = 0; lane < LANES; lane++)
            ended += ours.done[lane];
          reset_lanes (&ours, ours.done);
          reset_lanes (&oracle, oracle.done);
        }
      g_assert_cmpint (ended, >, 10);
      g_object_unref (ours.env);
      g_object_unref (oracle.env);
    }
}

/* Transforms before frame-skip see every step, those behind it each that is shown. */
static void
test_chain_before_sees_every_step (void)
{
  Lanes before, behind;

  make_lanes (&before, "|step-counter|frame-skip:frame-skip=3");
  make_lanes (&behind, "|frame-skip:frame-skip=3|step-counter");
  reset_lanes (&before, NULL);
  reset_lanes (&behind, NULL);
  for (gint step = 1; step <= 2; step++)
    {
      step_lanes (&before, 0, LANES);
      step_lanes (&behind, 0, LANES);
      g_assert_cmpint (before.count[0], ==, 3 * step);
      g_assert_cmpint (behind.count[0], ==, step);
    }
  g_object_unref (before.env);
  g_object_unref (behind.env);
}

/* ---- noop-reset ---- */

/* T12.5-15 */
static void
test_episodes_begin_after_noops (void)
{
  Lanes ours;

  make_lanes (&ours, "|step-counter|noop-reset:noops=6,random=false");
  for (gint i = 0; i < 20; i++)
    {
      reset_lanes (&ours, NULL);
      for (gint64 lane = 0; lane < LANES; lane++)
        g_assert_cmpint (ours.count[lane], ==, 6);
    }
  g_object_unref (ours.env);
}

/* Each number from 0 to below the limit is drawn, and other lanes draw other ones. */
static void
test_number_of_noops_is_drawn (void)
{
  gint seen[4] = { 0 }, differ = 0;
  Lanes ours;

  make_lanes (&ours, "|step-counter|noop-reset:noops=4");
  for (gint i = 0; i < 100; i++)
    {
      reset_lanes (&ours, NULL);
      for (gint64 lane = 0; lane < LANES; lane++)
        seen[ours.count[lane]]++;
      differ += ours.count[0] != ours.count[1];
    }
  for (gint n = 0; n < 4; n++)
    g_assert_cmpint (seen[n], >, 60);
  g_assert_cmpint (differ, >, 20);
  g_object_unref (ours.env);
}

/* An episode that ends within them is left for the next; where none is long enough, so it says. */
static void
test_short_episodes_are_left (void)
{
  g_autoptr (GError) error = NULL;
  guint8 *observation[2];
  Lanes ours;

  make_lanes (&ours, "|step-counter|noop-reset:noops=12,random=false");
  for (gint i = 0; i < 50; i++)
    {
      reset_lanes (&ours, NULL);
      for (gint64 lane = 0; lane < LANES; lane++)
        g_assert_cmpint (ours.count[lane], ==, 12);
    }
  g_object_unref (ours.env);

  make_lanes (&ours, "|step-counter|noop-reset:noops=23,random=false");
  observation[0] = (guint8 *) ours.observation;
  observation[1] = (guint8 *) ours.count;
  reel_env_reset_lanes (ours.env, 0, LANES, NULL, observation);
  g_assert_false (reel_env_check_faults (ours.env, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (
      strstr (error->message,
              "11 episodes in a row ended within 23 random actions; give noop-reset fewer noops"));
  g_object_unref (ours.env);
}

/* ---- time-max-pool ---- */

/* Rows of float32 `[LANES, STEPS, 4]`, wherever they are. */
static ReelTensor *
get_rows (ReelTensordict *data, const char *path)
{
  return reel_tensor_clone (reel_tensordict_get_tensor (data, path, NULL), NULL);
}

/* T12.5-5: of the frames of the episode alone; those before it count for nothing. */
static void
test_largest_of_the_last_frames (void)
{
  static const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };

  for (gint t = 1; t <= 4; t++)
    {
      g_autofree char *text = g_strdup_printf (
          "CartPole:max-episode-steps=9,num-envs=%d|time-max-pool:t=%d,out-keys=peak", LANES, t);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
      g_autoptr (ReelTensordict) data = reel_env_rollout (env, STEPS, &options, NULL);
      g_autoptr (ReelTensor) seen = get_rows (data, "observation"), peak = get_rows (data, "peak");
      g_autoptr (ReelTensor) next_seen = get_rows (data, "next/observation");
      g_autoptr (ReelTensor) next_peak = get_rows (data, "next/peak");
      g_autoptr (ReelTensor) done = get_rows (data, "next/done");
      const float *x = (gpointer) seen->data, *y = (gpointer) next_seen->data;
      const float *ours = (gpointer) peak->data, *next_ours = (gpointer) next_peak->data;

      for (gint lane = 0; lane < LANES; lane++)
        for (gint step = 0, begin = 0; step < STEPS; step++)
          {
            for (gint i = 0; i < 4; i++)
              {
                gint at = (lane * STEPS + step) * 4 + i;
                float most = x[at], next_most = y[at];

                for (gint k = MAX (begin, step - t + 1); k < step; k++)
                  most = MAX (most, x[(lane * STEPS + k) * 4 + i]);
                for (gint k = MAX (begin, step - t + 2); k <= step; k++)
                  next_most = MAX (next_most, x[(lane * STEPS + k) * 4 + i]);
                g_assert_cmpfloat (ours[at], ==, most);
                g_assert_cmpfloat (next_ours[at], ==, next_most);
              }
            begin = done->data[lane * STEPS + step] ? step + 1 : begin;
          }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/transforms/frame-skip/stops-at-the-end-of-the-episode",
                   test_skipped_steps_end_with_the_episode);
  g_test_add_func ("/transforms/frame-skip/chain-before-it-sees-every-step",
                   test_chain_before_sees_every_step);
  g_test_add_func ("/transforms/noop-reset/episodes-begin-after-noops",
                   test_episodes_begin_after_noops);
  g_test_add_func ("/transforms/noop-reset/their-number-is-drawn", test_number_of_noops_is_drawn);
  g_test_add_func ("/transforms/noop-reset/episodes-that-end-too-early-are-left",
                   test_short_episodes_are_left);
  g_test_add_func ("/transforms/time-max-pool/largest-of-the-last-frames",
                   test_largest_of_the_last_frames);
  return g_test_run ();
}
