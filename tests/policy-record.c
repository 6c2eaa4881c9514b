#include "policy-record.h"

#include "make-spec.h"

ReelSpec *
policy_make_action_spec (void)
{
  static const double low[] = { -1, 0, 5 }, high[] = { 1, 0, 6 };
  static const char *const inner_keys[] = { "gear", "lamps" };
  static const char *const keys[] = { "push", "steer", "car" };
  g_autoptr (ReelSpec) push = make_one_hot (2, REEL_DTYPE_INT64, SHAPE (2));
  g_autoptr (ReelSpec) steer =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, SHAPE (3), low, 3, high, 3, NULL);
  g_autoptr (ReelSpec) gear = make_categorical (6, REEL_DTYPE_INT64, SCALAR);
  g_autoptr (ReelSpec) lamps = make_binary (REEL_DTYPE_INT8, SHAPE (3));
  ReelSpec *const inner[] = { gear, lamps };
  g_autoptr (ReelSpec) car = make_composite (SCALAR, inner_keys, inner, 2);
  ReelSpec *const specs[] = { push, steer, car };

  return make_composite (SCALAR, keys, specs, 3);
}

ReelSpec *
policy_make_observation_spec (void)
{
  static const char *const keys[] = { "observation" };
  g_autoptr (ReelSpec) observation = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (4));

  return make_composite (SCALAR, keys, &observation, 1);
}

PolicyRecord *
policy_record_new (void)
{
  static const gint64 n_lanes = N_LANES;
  static guint8 observation[N_LANES * 4 * sizeof (float)];
  g_autoptr (ReelSpec) spec = policy_make_action_spec ();
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);
  PolicyRecord *record = g_new0 (PolicyRecord, 1);

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

void
policy_record_free (PolicyRecord *record)
{
  for (guint step = 0; step < N_STEPS; step++)
    reel_tensordict_unref (record->steps[step]);
  g_free (record);
}

gboolean
policy_record_equal (const PolicyRecord *a, const PolicyRecord *b)
{
  for (guint step = 0; step < N_STEPS; step++)
    if (!reel_tensordict_equal (a->steps[step], b->steps[step]))
      return FALSE;
  return TRUE;
}

ReelPolicy *
policy_make (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) observation = policy_make_observation_spec ();
  g_autoptr (ReelSpec) action = policy_make_action_spec ();
  ReelPolicy *policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, &error, NULL);

  g_assert_no_error (error);
  g_assert_true (reel_policy_bind (policy, observation, action, N_LANES, &error));
  g_assert_no_error (error);
  return policy;
}

void
policy_act (ReelPolicy *policy, PolicyRecord *record, gint64 step, gint64 begin, gint64 end)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_policy_act (policy, step, begin, end, record->observation,
                                  record->leaves[step], &error));
  g_assert_no_error (error);
}

PolicyRecord *
policy_act_through (const char *text)
{
  g_autoptr (ReelPolicy) policy = policy_make (text);
  PolicyRecord *record = policy_record_new ();

  for (gint64 step = 0; step < N_STEPS; step++)
    policy_act (policy, record, step, 0, N_LANES);
  return record;
}
