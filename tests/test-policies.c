/* The contract of policies, run over all that are listed. */
#include "../src/reel.h"
#include "../src/core/system/directories.h"
#include "../src/core/system/workers.h"
#include "contract.h"
#include "make-spec.h"
#include "policy-record.h"

static char *directory;

static char *
text_of (gconstpointer id)
{
  return policy_dup_text (id, directory);
}

static void
test_actions_are_inside (gconstpointer id)
{
  g_autofree char *text = text_of (id);
  g_autoptr (PolicyRecord) record = policy_act_through (text);
  g_autoptr (ReelSpec) action = policy_make_action_spec ();
  g_autoptr (GError) error = NULL;

  for (guint step = 0; step < N_STEPS; step++)
    {
      reel_spec_is_in_tensordict (action, record->actions[step], &error);
      g_assert_no_error (error);
    }
}

static void
test_same_text_same_bytes (gconstpointer id)
{
  g_autofree char *text = text_of (id);
  g_autoptr (PolicyRecord) record = policy_act_through (text);
  g_autoptr (PolicyRecord) again = policy_act_through (text);

  g_assert_true (policy_record_equal (record, again));
}

static void
test_everything_is_written (gconstpointer id)
{
  g_autofree char *text = text_of (id);
  g_autoptr (PolicyRecord) zeros = policy_act_through_filled (text, 0);
  g_autoptr (PolicyRecord) others = policy_act_through_filled (text, 0x5a);

  g_assert_true (policy_record_equal (zeros, others));
}

static void
test_partitions_do_not_matter (gconstpointer id)
{
  g_autofree char *text = text_of (id);
  g_autoptr (PolicyRecord) whole = policy_act_through (text);
  g_autoptr (ReelPolicy) policy = policy_make (text);

  if (!reel_policy_is_lanewise (policy))
    return;
  for (guint round = 0; round < 10; round++)
    {
      g_autoptr (PolicyRecord) pieces = policy_record_new (policy, 0);

      /* All steps of one range, then the next range. */
      for (gint64 begin = 0, end; begin < N_LANES; begin = end)
        {
          gint64 wanted = begin + g_test_rand_int_range (1, 200);
          end = MIN (wanted, N_LANES);
          for (gint64 step = 0; step < N_STEPS; step++)
            policy_act (policy, pieces, step, begin, end);
        }
      g_assert_true (policy_record_equal (whole, pieces));
    }
}

typedef struct
{
  ReelPolicy *policy;
  PolicyRecord *record;
} Share;

static void
act_for_a_share (gpointer data, gint worker, gint n_workers)
{
  Share *share = data;
  gint64 begin, end;

  reel_workers_partition (N_LANES, 1, worker, n_workers, &begin, &end);
  for (gint64 step = 0; step < N_STEPS; step++)
    policy_act (share->policy, share->record, step, begin, end);
}

static void
test_threads_do_not_matter (gconstpointer id)
{
  g_autofree char *text = text_of (id);
  g_autoptr (PolicyRecord) whole = policy_act_through (text);
  g_autoptr (ReelPolicy) policy = policy_make (text);
  g_autoptr (PolicyRecord) pieces = policy_record_new (policy, 0);
  g_autoptr (ReelWorkers) workers = reel_workers_new (3, NULL);
  Share share = { policy, pieces };

  if (!reel_policy_is_lanewise (policy))
    return;
  reel_workers_run (workers, act_for_a_share, &share);
  g_assert_true (policy_record_equal (whole, pieces));
}

static void
test_text_survives (gconstpointer id)
{
  g_autofree char *given = text_of (id);
  g_autoptr (ReelPolicy) policy = policy_make (given);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (policy));

  g_assert_cmpstr (text, ==, given);
}

static void
test_binding_again_replaces (gconstpointer id)
{
  g_autofree char *text = text_of (id);
  g_autoptr (PolicyRecord) whole = policy_act_through (text);
  g_autoptr (ReelPolicy) policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, NULL, NULL);
  g_autoptr (ReelSpec) observation = policy_make_observation_spec ();
  g_autoptr (ReelSpec) action = policy_make_action_spec ();
  g_autoptr (ReelSpec) nothing = make_composite (SCALAR, NULL, NULL, 0);

  if (!g_str_equal (id, "recorded")) /* of as many lanes as were recorded */
    g_assert_true (reel_policy_bind (policy, nothing, nothing, 1, NULL));
  g_assert_true (reel_policy_bind (policy, observation, action, N_LANES, NULL));

  g_autoptr (PolicyRecord) record = policy_record_new (policy, 0);

  for (gint64 step = 0; step < N_STEPS; step++)
    policy_act (policy, record, step, 0, N_LANES);
  g_assert_true (policy_record_equal (whole, record));
}

static const ContractTest contract[] = {
  { "actions-are-inside", test_actions_are_inside },
  { "same-text-same-bytes", test_same_text_same_bytes },
  { "everything-is-written", test_everything_is_written },
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

  directory = g_dir_make_tmp ("reel-policies-XXXXXX", NULL);
  contract_add ("policies", REEL_TYPE_POLICY, contract, G_N_ELEMENTS (contract));

  int status = g_test_run ();

  reel_directory_remove (directory, NULL);
  return status;
}
