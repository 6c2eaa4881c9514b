/* The random policy's own parts: its seed, its streams, its distribution. */
#include "../src/policies/action-mask.h"
#include "../src/reel.h"
#include "make-spec.h"
#include "policy-record.h"

#include <math.h>

static void
test_seeds_differ (void)
{
  g_autoptr (PolicyRecord) zero = policy_act_through ("random");
  g_autoptr (PolicyRecord) one = policy_act_through ("random:seed=1");

  for (guint step = 0; step < N_STEPS; step++)
    g_assert_false (reel_tensordict_equal (zero->actions[step], one->actions[step]));
  for (guint step = 1; step < N_STEPS; step++)
    g_assert_false (reel_tensordict_equal (zero->actions[0], zero->actions[step]));
}

static void
test_is_uniform (void)
{
  enum
  {
    STEPS = 400,
    CELLS = 2 * 6
  };
  g_autoptr (ReelPolicy) policy = policy_make ("random:seed=3");
  g_autoptr (PolicyRecord) record = policy_record_new (policy, 0);
  const gint64 *push = (const gint64 *) (gpointer) record->action[0][0];
  const gint64 *gear = (const gint64 *) (gpointer) record->action[0][2];
  double expected = (double) STEPS * N_LANES / CELLS;
  guint cells[CELLS] = { 0 };
  double chi_square = 0;

  /* Of push and gear together. */
  for (gint64 step = 0; step < STEPS; step++)
    {
      const ReelPolicyIO io = { .observation = record->observation, .action = record->action[0] };

      g_assert_true (reel_policy_act (policy, step, 0, N_LANES, &io, NULL));
      for (guint lane = 0; lane < N_LANES; lane++)
        cells[6 * push[2 * lane + 1] + gear[lane]]++;
    }
  for (guint i = 0; i < CELLS; i++)
    chi_square += (cells[i] - expected) * (cells[i] - expected) / expected;
  g_assert_cmpfloat (chi_square, <, CELLS - 1 + 6 * sqrt (2.0 * CELLS));
}

static void
test_leaves_differ (void)
{
  static const char *const keys[] = { "left", "right" };
  g_autoptr (ReelSpec) leaf = reel_unbounded_spec_new (REEL_DTYPE_INT64, 0, NULL, NULL);
  ReelSpec *const specs[] = { leaf, leaf };
  g_autoptr (ReelSpec) action = make_composite (SCALAR, keys, specs, 2);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", NULL, NULL);
  gint64 left[4], right[4];
  guint8 *const leaves[] = { (guint8 *) left, (guint8 *) right };
  const ReelPolicyIO io = { .action = leaves };

  g_assert_true (reel_policy_bind (policy, action, action, 4, NULL));
  g_assert_true (reel_policy_act (policy, 0, 0, 4, &io, NULL));
  for (guint lane = 0; lane < 4; lane++)
    g_assert_cmpint (left[lane], !=, right[lane]);
}

static void
test_refuses_a_negative_seed (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, "random:seed=-1", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "seed cannot be -1: it must be at least 0");
}

static void
test_refuses_stacks (void)
{
  g_autoptr (ReelSpec) action = reel_spec_new_from_text (
      "composite:a=(stacked:dim=0,members=[(categorical:n=2),(categorical:n=3)]),shape=[2]", NULL);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_policy_bind (policy, action, action, 4, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_cmpstr (error->message, ==, "the random policy cannot draw \"a\", a Stacked spec");
}

/* Of many classes, some of them forbidden, each that is allowed is drawn, the last too. */
static void
test_masked_draws_reach_all (void)
{
  enum
  {
    CLASSES = 40,
    LANES = 4000
  };
  g_autoptr (ReelSpec) action =
      reel_categorical_spec_new (CLASSES, REEL_DTYPE_INT64, 0, NULL, NULL);
  g_autofree guint8 *mask = g_new (guint8, CLASSES * LANES);
  g_autofree gint64 *drawn = g_new (gint64, LANES);
  guint counts[CLASSES] = { 0 };

  for (gsize i = 0; i < CLASSES * LANES; i++)
    mask[i] = i % CLASSES % 3 != 1;
  g_assert_true (
      reel_action_mask_draw (action, "action", 1, 0, 0, LANES, mask, (guint8 *) drawn, NULL));
  for (gsize i = 0; i < LANES; i++)
    counts[drawn[i]]++;
  for (gsize class = 0; class < CLASSES; class ++)
    if (class % 3 == 1)
      g_assert_cmpuint (counts[class], ==, 0);
    else
      g_assert_cmpuint (counts[class], >, LANES / CLASSES);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/policies/random/seeds-differ", test_seeds_differ);
  g_test_add_func ("/policies/random/leaves-differ", test_leaves_differ);
  g_test_add_func ("/policies/random/is-uniform", test_is_uniform);
  g_test_add_func ("/policies/random/refuses-a-negative-seed", test_refuses_a_negative_seed);
  g_test_add_func ("/policies/random/masked-draws-reach-all", test_masked_draws_reach_all);
  g_test_add_func ("/policies/random/refuses-stacks", test_refuses_stacks);

  return g_test_run ();
}
