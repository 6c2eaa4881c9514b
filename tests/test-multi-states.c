/* States of multi-sync: they are those of sync, for any number and kind of workers. */
#include "collecting.h"

#include <string.h>

#define LANES 6
#define ENV "CartPole:num-envs=6,seed=5,max-episode-steps=9"

/* Collectors that make the same batches. */
static const char *const kinds[] = {
  "sync:threads=2,",
  "multi-sync:cat-results=lanes,workers=1,",
  "multi-sync:cat-results=lanes,workers=4,",
  "multi-sync:cat-results=lanes,workers=2,kind=processes,",
  "multi-sync:cat-results=lanes,workers=3,kind=processes,",
};

static const char *const hows[] = {
  "frames-per-batch=24",
  "frames-per-batch=24,init-random-frames=80,reset-at-each-iter=true",
  "frames-per-batch=24,trajs-per-batch=2",
  "frames-per-batch=24,postproc=(multi-step:n-steps=3)",
};

static const char *chain = "";

static ReelCollector *
make (const char *kind, const char *how)
{
  g_autofree char *text = g_strconcat (kind, how, ",total-frames=240", NULL);
  g_autofree char *env = g_strconcat (ENV, chain, NULL);

  return collecting_make_collector (
      text, env, strstr (how, "init-random") ? "constant:value=1" : "random:seed=11", NULL);
}

static void
take_state (ReelCollector *from, ReelCollector *to)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) state = reel_collector_dup_state (from, &error);

  g_assert_no_error (error);
  reel_collector_set_state (to, state, &error);
  g_assert_no_error (error);
}

static void
check_same (ReelCollector *one, ReelCollector *other)
{
  ReelTensordict *ours, *theirs;
  gint64 rows;

  do
    {
      rows = collecting_next (one, &ours);
      g_assert_cmpint (collecting_next (other, &theirs), ==, rows);
      g_assert_true ((ours == NULL) == (theirs == NULL));
      g_assert_true (ours == NULL || reel_tensordict_equal (ours, theirs));
    }
  while (rows > 0);
}

/* T14.8-18: the collector that takes the state has done something else before, or nothing. */
static void
check_pair (const char *from, const char *to, const char *how, gint n)
{
  g_autoptr (ReelCollector) one = make (from, how);
  g_autoptr (ReelCollector) other = make (to, how);

  for (gint k = 0; k < n; k++)
    collecting_next (one, NULL);
  for (gint k = 0; k < (n + 1) % 3; k++)
    collecting_next (other, NULL);
  take_state (one, other);
  check_same (one, other);
}

static void
test_state_continues (void)
{
  for (gsize h = 0; h < G_N_ELEMENTS (hows); h++)
    for (gsize from = 0; from < G_N_ELEMENTS (kinds); from++)
      for (gsize to = 0; to < G_N_ELEMENTS (kinds); to++)
        check_pair (kinds[from], kinds[to], hows[h], (gint) (from + 2 * to + h) % 6);
}

static void
test_state_continues_after_any_batch (void)
{
  for (gint n = 0; n < 11; n++)
    for (gsize kind = 1; kind < G_N_ELEMENTS (kinds); kind++)
      check_pair (kinds[kind], kinds[kind], hows[0], n);
}

/* The state of a lane contains that of transforms. */
static void
test_state_of_transforms_continues (void)
{
  chain = "|step-counter|reward-sum|cat-frames:n=3,dim=-1,in-keys=[observation],out-keys=[frames]";
  for (gsize kind = 1; kind < G_N_ELEMENTS (kinds); kind++)
    check_pair (kinds[kind], kinds[(kind + 1) % G_N_ELEMENTS (kinds)], hows[0], 4);
  chain = "";
}

/* Workers that are at unlike steps: the state has the steps of each. */
static void
test_steps_apart (void)
{
  for (gint kind = 0; kind < 2; kind++)
    for (gint n = 0; n < 4; n++)
      {
        const char *start = kind ? "multi-sync:cat-results=-1,workers=2,kind=processes,"
                                 : "multi-sync:cat-results=-1,workers=2,";

        check_pair (start, start, "frames-per-batch=[30,18]", n);
      }
}

static void
refuse (const char *from, const char *to)
{
  g_autoptr (ReelCollector) one = make (from, "frames-per-batch=24");
  g_autoptr (ReelCollector) other = make (to, "frames-per-batch=24");
  g_autoptr (ReelCollector) same = make (to, "frames-per-batch=24");
  g_autoptr (ReelTensordict) state = NULL;
  g_autoptr (GError) error = NULL;

  collecting_next (one, NULL);
  state = reel_collector_dup_state (one, NULL);
  g_assert_false (reel_collector_set_state (other, state, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  check_same (other, same);
}

static void
test_steps_of_other_workers_are_refused (void)
{
  refuse ("multi-sync:cat-results=-1,workers=2,", "multi-sync:cat-results=-1,workers=3,");
  refuse ("multi-sync:cat-results=-1,workers=2,", "multi-sync:workers=2,");
  refuse ("sync:", "multi-sync:cat-results=-1,workers=2,");
}

/* Lanes that workers step are seeded by nobody, also where a state put them at their beginning. */
static void
test_seeds (void)
{
  for (gsize kind = 1; kind < G_N_ELEMENTS (kinds); kind++)
    {
      g_autoptr (ReelCollector) one = make (kinds[kind], hows[0]);
      g_autoptr (ReelCollector) other = make (kinds[kind], hows[0]);
      g_autoptr (ReelCollector) third = make (kinds[kind], hows[0]);
      g_autoptr (GError) error = NULL;

      collecting_next (third, NULL);
      g_assert_true (reel_collector_set_seed (one, 77, REEL_SEEDING_LANES, NULL, NULL));
      take_state (one, other);
      take_state (one, third);
      g_assert_false (reel_collector_set_seed (third, 78, REEL_SEEDING_LANES, NULL, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      take_state (other, third);
      check_same (one, third);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define TEST(path, function) g_test_add_func ("/collectors/multi-states/" path, function)
  TEST ("continue", test_state_continues);
  TEST ("continue-after-any-batch", test_state_continues_after_any_batch);
  TEST ("of-transforms", test_state_of_transforms_continues);
  TEST ("steps-apart", test_steps_apart);
  TEST ("steps-of-other-workers-are-refused", test_steps_of_other_workers_are_refused);
  TEST ("seeds", test_seeds);
  return g_test_run ();
}
