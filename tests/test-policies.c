/* What policies promise: a contract for every one that text can name, and the random and the
 * callback policy. */
#include "../src/reel.h"
#include "contract.h"

#include <math.h>
#include <string.h>

#include "../src/core/workers.h"

enum
{
  N_LANES = 449,
  N_STEPS = 7,
  N_LEAVES = 4,
};

/* ---- specs of an env that wants much ---- */

static ReelSpec *
make_composite (const char *const *keys, ReelSpec *const *specs, gsize n)
{
  g_autoptr (GError) error = NULL;
  ReelSpec *spec = reel_composite_spec_new (0, NULL, keys, specs, n, &error);

  g_assert_no_error (error);
  return spec;
}

static ReelSpec *
make_action_spec (void)
{
  static const gint64 two = 2, three[] = { 3 };
  static const double low[] = { -1, 0, 5 }, high[] = { 1, 0, 6 };
  static const char *const inner_keys[] = { "gear", "lamps" };
  static const char *const keys[] = { "push", "steer", "car" };
  g_autoptr (ReelSpec) push = reel_one_hot_spec_new (2, REEL_DTYPE_INT64, 1, &two, NULL);
  g_autoptr (ReelSpec) steer =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, three, low, 3, high, 3, NULL);
  g_autoptr (ReelSpec) gear = reel_categorical_spec_new (6, REEL_DTYPE_INT64, 0, NULL, NULL);
  g_autoptr (ReelSpec) lamps = reel_binary_spec_new (REEL_DTYPE_INT8, 1, three, NULL);
  ReelSpec *const inner[] = { gear, lamps };
  g_autoptr (ReelSpec) car = make_composite (inner_keys, inner, 2);
  ReelSpec *const specs[] = { push, steer, car };

  return make_composite (keys, specs, 3);
}

static ReelSpec *
make_observation_spec (void)
{
  static const gint64 four = 4;
  static const char *const keys[] = { "observation" };
  g_autoptr (ReelSpec) observation = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, &four, NULL);

  return make_composite (keys, &observation, 1);
}

/* ---- what a policy did with them ---- */

typedef struct
{
  ReelTensordict *steps[N_STEPS];
  guint8 *leaves[N_STEPS][N_LEAVES];
  const guint8 *observation[1];
} Record;

static Record *
record_new (void)
{
  static const gint64 n_lanes = N_LANES;
  static guint8 observation[N_LANES * 4 * sizeof (float)];
  g_autoptr (ReelSpec) spec = make_action_spec ();
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);
  Record *record = g_new0 (Record, 1);

  g_assert_cmpint (g_strv_length (paths), ==, N_LEAVES);
  record->observation[0] = observation;
  for (guint step = 0; step < N_STEPS; step++)
    {
      record->steps[step] = reel_spec_zero_tensordict (spec, 1, &n_lanes, NULL);
      for (guint i = 0; i < N_LEAVES; i++)
        record->leaves[step][i] =
            reel_tensordict_get_tensor (record->steps[step], paths[i], NULL)->data;
    }
  return record;
}

static void
record_free (Record *record)
{
  for (guint step = 0; step < N_STEPS; step++)
    reel_tensordict_unref (record->steps[step]);
  g_free (record);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Record, record_free)

static gboolean
is_same (const Record *a, const Record *b)
{
  for (guint step = 0; step < N_STEPS; step++)
    if (!reel_tensordict_equal (a->steps[step], b->steps[step]))
      return FALSE;
  return TRUE;
}

static ReelPolicy *
make (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) observation = make_observation_spec ();
  g_autoptr (ReelSpec) action = make_action_spec ();
  ReelPolicy *policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, &error, NULL);

  g_assert_no_error (error);
  g_assert_true (reel_policy_bind (policy, observation, action, N_LANES, &error));
  g_assert_no_error (error);
  return policy;
}

static void
act (ReelPolicy *policy, Record *record, gint64 step, gint64 begin, gint64 end)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_policy_act (policy, step, begin, end, record->observation,
                                  record->leaves[step], &error));
  g_assert_no_error (error);
}

static Record *
act_through (const char *text)
{
  g_autoptr (ReelPolicy) policy = make (text);
  Record *record = record_new ();

  for (gint64 step = 0; step < N_STEPS; step++)
    act (policy, record, step, 0, N_LANES);
  return record;
}

/* ---- the contract ---- */

static void
test_actions_are_inside (gconstpointer id)
{
  g_autoptr (Record) record = act_through (id);
  g_autoptr (ReelSpec) action = make_action_spec ();
  g_autoptr (GError) error = NULL;

  for (guint step = 0; step < N_STEPS; step++)
    {
      reel_spec_is_in_tensordict (action, record->steps[step], &error);
      g_assert_no_error (error);
    }
}

static void
test_same_text_same_bytes (gconstpointer id)
{
  g_autoptr (Record) record = act_through (id);
  g_autoptr (Record) again = act_through (id);

  g_assert_true (is_same (record, again));
}

static void
test_partitions_do_not_matter (gconstpointer id)
{
  g_autoptr (Record) whole = act_through (id);
  g_autoptr (ReelPolicy) policy = make (id);

  if (!reel_policy_is_lanewise (policy))
    return;
  for (guint round = 0; round < 10; round++)
    {
      g_autoptr (Record) pieces = record_new ();

      /* All steps of one range, then the next range. */
      for (gint64 begin = 0, end; begin < N_LANES; begin = end)
        {
          gint64 wanted = begin + g_test_rand_int_range (1, 200);
          end = MIN (wanted, N_LANES);
          for (gint64 step = 0; step < N_STEPS; step++)
            act (policy, pieces, step, begin, end);
        }
      g_assert_true (is_same (whole, pieces));
    }
}

typedef struct
{
  ReelPolicy *policy;
  Record *record;
} Share;

static void
act_for_a_share (gpointer data, gint worker, gint n_workers)
{
  Share *share = data;
  gint64 begin, end;

  reel_workers_partition (N_LANES, 1, worker, n_workers, &begin, &end);
  for (gint64 step = 0; step < N_STEPS; step++)
    act (share->policy, share->record, step, begin, end);
}

static void
test_threads_do_not_matter (gconstpointer id)
{
  g_autoptr (Record) whole = act_through (id);
  g_autoptr (Record) pieces = record_new ();
  g_autoptr (ReelPolicy) policy = make (id);
  g_autoptr (ReelWorkers) workers = reel_workers_new (3, NULL);
  Share share = { policy, pieces };

  if (!reel_policy_is_lanewise (policy))
    return;
  reel_workers_run (workers, act_for_a_share, &share);
  g_assert_true (is_same (whole, pieces));
}

static void
test_text_survives (gconstpointer id)
{
  g_autoptr (ReelPolicy) policy = make (id);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (policy));

  g_assert_cmpstr (text, ==, id);
}

static void
test_binding_again_replaces (gconstpointer id)
{
  g_autoptr (Record) whole = act_through (id);
  g_autoptr (Record) record = record_new ();
  g_autoptr (ReelPolicy) policy = reel_object_new_from_text (REEL_TYPE_POLICY, id, NULL, NULL);
  g_autoptr (ReelSpec) observation = make_observation_spec ();
  g_autoptr (ReelSpec) action = make_action_spec ();
  g_autoptr (ReelSpec) nothing = make_composite (NULL, NULL, 0);

  g_assert_true (reel_policy_bind (policy, nothing, nothing, 1, NULL));
  g_assert_true (reel_policy_bind (policy, observation, action, N_LANES, NULL));
  for (gint64 step = 0; step < N_STEPS; step++)
    act (policy, record, step, 0, N_LANES);
  g_assert_true (is_same (whole, record));
}

/* ---- the random policy ---- */

static void
test_random_seeds_differ (void)
{
  g_autoptr (Record) zero = act_through ("random");
  g_autoptr (Record) one = act_through ("random:seed=1");

  for (guint step = 0; step < N_STEPS; step++)
    g_assert_false (reel_tensordict_equal (zero->steps[step], one->steps[step]));
  for (guint step = 1; step < N_STEPS; step++)
    g_assert_false (reel_tensordict_equal (zero->steps[0], zero->steps[step]));
}

static void
test_random_is_uniform (void)
{
  enum
  {
    STEPS = 400,
    CELLS = 2 * 6
  };
  g_autoptr (ReelPolicy) policy = make ("random:seed=3");
  g_autoptr (Record) record = record_new ();
  const gint64 *push = (const gint64 *) (gpointer) record->leaves[0][0];
  const gint64 *gear = (const gint64 *) (gpointer) record->leaves[0][2];
  double expected = (double) STEPS * N_LANES / CELLS;
  guint cells[CELLS] = { 0 };
  double chi_square = 0;

  /* Of push and gear together. */
  for (gint64 step = 0; step < STEPS; step++)
    {
      g_assert_true (
          reel_policy_act (policy, step, 0, N_LANES, record->observation, record->leaves[0], NULL));
      for (guint lane = 0; lane < N_LANES; lane++)
        cells[6 * push[2 * lane + 1] + gear[lane]]++;
    }
  for (guint i = 0; i < CELLS; i++)
    chi_square += (cells[i] - expected) * (cells[i] - expected) / expected;
  g_assert_cmpfloat (chi_square, <, CELLS - 1 + 6 * sqrt (2.0 * CELLS));
}

static void
test_random_leaves_differ (void)
{
  static const char *const keys[] = { "left", "right" };
  g_autoptr (ReelSpec) leaf = reel_unbounded_spec_new (REEL_DTYPE_INT64, 0, NULL, NULL);
  ReelSpec *const specs[] = { leaf, leaf };
  g_autoptr (ReelSpec) action = make_composite (keys, specs, 2);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", NULL, NULL);
  gint64 left[4], right[4];
  guint8 *const leaves[] = { (guint8 *) left, (guint8 *) right };

  g_assert_true (reel_policy_bind (policy, action, action, 4, NULL));
  g_assert_true (reel_policy_act (policy, 0, 0, 4, NULL, leaves, NULL));
  for (guint lane = 0; lane < 4; lane++)
    g_assert_cmpint (left[lane], !=, right[lane]);
}

static void
test_random_refuses_a_negative_seed (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, "random:seed=-1", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "seed cannot be -1: it must be at least 0");
}

/* ---- the callback policy ---- */

static gboolean
push_right (gint64 step, gint64 n_lanes, const guint8 *const *observation, guint8 *const *action,
            gpointer user_data, GError **error)
{
  gint64 *calls = user_data;
  gint64 *push = (gint64 *) (gpointer) action[0];

  if (step == 2)
    return FALSE;
  if (step == 3)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT, "too late");
      return FALSE;
    }
  for (gint64 lane = 0; lane < n_lanes; lane++)
    push[2 * lane + 1] = 1;
  ++*calls;
  return TRUE;
}

static void
count_down (gpointer user_data)
{
  *(gint64 *) user_data = -1;
}

static void
test_callback (void)
{
  gint64 calls = 0;
  ReelPolicy *policy = reel_policy_new_callback (push_right, &calls, count_down);
  g_autoptr (ReelSpec) observation = make_observation_spec ();
  g_autoptr (ReelSpec) action = make_action_spec ();
  g_autoptr (Record) record = record_new ();
  GError *error = NULL;

  g_assert_cmpstr (reel_object_get_id (REEL_OBJECT (policy)), ==, "callback");
  g_assert_false (reel_policy_is_lanewise (policy));
  g_assert_true (reel_policy_bind (policy, observation, action, N_LANES, &error));
  act (policy, record, 0, 0, N_LANES);
  g_assert_cmpint (calls, ==, 1);
  g_assert_cmpint (((gint64 *) (gpointer) record->leaves[0][0])[2 * N_LANES - 1], ==, 1);

  g_assert_false (
      reel_policy_act (policy, 2, 0, N_LANES, record->observation, record->leaves[2], &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==, "the policy's function failed at step 2");
  g_clear_error (&error);
  g_assert_false (
      reel_policy_act (policy, 3, 0, N_LANES, record->observation, record->leaves[3], &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT);
  g_clear_error (&error);

  g_object_unref (policy);
  g_assert_cmpint (calls, ==, -1);
}

static void
test_callback_has_no_name (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, "callback", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

static const ContractTest contract[] = {
  { "actions-are-inside", test_actions_are_inside },
  { "same-text-same-bytes", test_same_text_same_bytes },
  { "partitions-do-not-matter", test_partitions_do_not_matter },
  { "threads-do-not-matter", test_threads_do_not_matter },
  { "text-survives", test_text_survives },
  { "binding-again-replaces", test_binding_again_replaces },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("policies", REEL_TYPE_POLICY, contract, G_N_ELEMENTS (contract));
  g_test_add_func ("/policies/random/seeds-differ", test_random_seeds_differ);
  g_test_add_func ("/policies/random/leaves-differ", test_random_leaves_differ);
  g_test_add_func ("/policies/random/is-uniform", test_random_is_uniform);
  g_test_add_func ("/policies/random/refuses-a-negative-seed", test_random_refuses_a_negative_seed);
  g_test_add_func ("/policies/callback/acts", test_callback);
  g_test_add_func ("/policies/callback/has-no-name", test_callback_has_no_name);

  return g_test_run ();
}
