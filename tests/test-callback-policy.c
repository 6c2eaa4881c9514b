/* The policy that calls a function. */
#include "../src/reel.h"
#include "policy-record.h"

static gboolean
push_right (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  gint64 *calls = user_data;
  gint64 *push = (gint64 *) (gpointer) io->action[0];

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
  g_autoptr (ReelSpec) observation = policy_make_observation_spec ();
  g_autoptr (ReelSpec) action = policy_make_action_spec ();
  GError *error = NULL;

  g_assert_cmpstr (reel_object_get_id (REEL_OBJECT (policy)), ==, "callback");
  g_assert_false (reel_policy_is_lanewise (policy));
  g_assert_true (reel_policy_bind (policy, observation, action, N_LANES, &error));

  g_autoptr (PolicyRecord) record = policy_record_new (policy, 0);

  policy_act (policy, record, 0, 0, N_LANES);
  g_assert_cmpint (calls, ==, 1);
  g_assert_cmpint (((gint64 *) (gpointer) record->action[0][0])[2 * N_LANES - 1], ==, 1);

  g_assert_false (policy_try (policy, record, 2, 0, N_LANES, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==, "the policy's function failed at step 2");
  g_clear_error (&error);
  g_assert_false (policy_try (policy, record, 3, 0, N_LANES, &error));
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/policies/callback/acts", test_callback);
  g_test_add_func ("/policies/callback/has-no-name", test_callback_has_no_name);

  return g_test_run ();
}
