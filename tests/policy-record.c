#include "policy-record.h"

#include "make-spec.h"

#include <string.h>

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
policy_make_action_spec_of (ReelPolicy *policy)
{
  static const char *const keys[] = { "steer" };
  g_autoptr (ReelSpec) steer = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), -1, 3);

  static const char *const acting_by_one[] = { "exec", "mlp", NULL };

  return g_strv_contains (acting_by_one, reel_object_get_id (REEL_OBJECT (policy)))
             ? make_composite (SCALAR, keys, &steer, 1)
             : policy_make_action_spec ();
}

ReelSpec *
policy_make_observation_spec (void)
{
  static const char *const keys[] = { "observation" };
  g_autoptr (ReelSpec) observation = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (4));

  return make_composite (SCALAR, keys, &observation, 1);
}

/* @spec's leaves of all lanes, every byte @filler, and pointers to them. */
static ReelTensordict *
make_leaves (const ReelSpec *spec, guint8 filler, guint8 ***leaves)
{
  static const gint64 n_lanes = N_LANES;
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);
  ReelTensordict *values = reel_spec_zero_tensordict (spec, 1, &n_lanes, NULL);

  *leaves = g_new (guint8 *, g_strv_length (paths) + 1);
  for (guint i = 0; paths[i]; i++)
    {
      ReelTensor *value = reel_tensordict_get_tensor (values, paths[i], NULL);

      memset (value->data, filler, reel_tensor_nbytes (value));
      (*leaves)[i] = value->data;
    }
  return values;
}

static const guint8 *
get_observation (void)
{
  static float observation[N_LANES * 4];

  for (guint i = 0; i < N_LANES * 4; i++)
    observation[i] = (float) (i * 37 % 101) / 50 - 1;
  return (const guint8 *) observation;
}

PolicyRecord *
policy_record_new (ReelPolicy *policy, guint8 filler)
{
  g_autoptr (ReelSpec) action = policy_make_action_spec_of (policy);
  const ReelSpec *output = reel_policy_get_output_spec (policy);
  const ReelSpec *state = reel_policy_get_state_spec (policy);
  PolicyRecord *record = g_new0 (PolicyRecord, 1);

  record->observation[0] = get_observation ();
  for (guint step = 0; step < N_STEPS; step++)
    {
      record->actions[step] = make_leaves (action, filler, &record->action[step]);
      record->outputs[step] = make_leaves (output, filler, &record->output[step]);
    }
  for (guint step = 0; step <= N_STEPS; step++)
    record->states[step] = make_leaves (state, step > 0 ? filler : 0, &record->state[step]);
  return record;
}

void
policy_record_free (PolicyRecord *record)
{
  for (guint step = 0; step < N_STEPS; step++)
    {
      reel_tensordict_unref (record->actions[step]);
      reel_tensordict_unref (record->outputs[step]);
      g_free (record->action[step]);
      g_free (record->output[step]);
    }
  for (guint step = 0; step <= N_STEPS; step++)
    {
      reel_tensordict_unref (record->states[step]);
      g_free (record->state[step]);
    }
  g_free (record);
}

gboolean
policy_record_equal (const PolicyRecord *a, const PolicyRecord *b)
{
  for (guint step = 0; step < N_STEPS; step++)
    if (!reel_tensordict_equal (a->actions[step], b->actions[step])
        || !reel_tensordict_equal (a->outputs[step], b->outputs[step])
        || !reel_tensordict_equal (a->states[step + 1], b->states[step + 1]))
      return FALSE;
  return TRUE;
}

/* The steps of a random policy, saved. */
static void
save_actions (const char *path)
{
  g_autoptr (PolicyRecord) record = policy_act_through ("random:seed=3");
  g_autofree char *storage = g_strdup_printf ("tensor:ndim=2,capacity=%d", N_LANES * N_STEPS);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new_from_text (storage, NULL, 0, NULL);
  g_autoptr (ReelTensordict) steps = reel_tensordict_stack (record->actions, N_STEPS, 1, NULL);

  g_assert_true (reel_replay_buffer_extend (buffer, steps, NULL, NULL));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, NULL));
}

static void
set_tensor (ReelTensordict *td, gint64 layer, const char *name, gint ndim, const gint64 *shape)
{
  g_autofree char *path = g_strdup_printf ("%d/%s", (int) layer, name);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((float *) (gpointer) tensor->data)[i] = (float) ((i * 37 + layer * 11) % 19 - 9) / 16;
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

void
policy_save_weights (const char *path, const gint64 *widths)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);

  for (gint64 i = 0; widths[i + 1] > 0; i++)
    {
      set_tensor (td, 2 * i, "weight", SHAPE (widths[i + 1], widths[i]));
      set_tensor (td, 2 * i, "bias", SHAPE (widths[i + 1]));
    }
  g_assert_true (reel_tensordict_save (td, path, 0, NULL));
}

char *
policy_dup_text (const char *id, const char *directory)
{
  g_autofree char *weights = g_build_filename (directory, "weights", NULL);

  if (g_str_equal (id, "mlp"))
    {
      policy_save_weights (weights, (const gint64[]){ 4, 33, 70, 4, 0 });

      g_autofree char *text = g_strdup_printf ("mlp:weights=%s,head=tanh-normal,seed=3", weights);
      g_autoptr (ReelPolicy) policy =
          reel_object_new_from_text (REEL_TYPE_POLICY, text, NULL, NULL);

      return reel_object_to_text (REEL_OBJECT (policy)); /* with the checksum of the weights */
    }
  if (g_str_equal (id, "exec"))
    {
      g_autofree char *child = g_test_build_filename (G_TEST_BUILT, "exec-child", NULL);

      return g_strdup_printf ("exec:command=%s,seed=3", child);
    }
  if (g_str_equal (id, "lane-range"))
    return g_strdup_printf ("lane-range:policy=(random:seed=3),first-lane=5,all-lanes=%d",
                            N_LANES + 9);
  if (!g_str_equal (id, "recorded"))
    return g_strdup (id);

  g_autofree char *path = g_build_filename (directory, "actions", NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    save_actions (path);
  return g_strdup_printf ("recorded:directory=%s", path);
}

ReelPolicy *
policy_make (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) observation = policy_make_observation_spec ();
  ReelPolicy *policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, &error, NULL);

  g_assert_no_error (error);
  g_autoptr (ReelSpec) action = policy_make_action_spec_of (policy);
  g_assert_true (reel_policy_bind (policy, observation, action, N_LANES, &error));
  g_assert_no_error (error);
  return policy;
}

gboolean
policy_try (ReelPolicy *policy, PolicyRecord *record, gint64 step, gint64 begin, gint64 end,
            GError **error)
{
  const ReelPolicyIO io = {
    .observation = record->observation,
    .state = (const guint8 *const *) record->state[step],
    .action = record->action[step],
    .output = record->output[step],
    .next_state = record->state[step + 1],
  };

  return reel_policy_act (policy, step, begin, end, &io, error);
}

void
policy_act (ReelPolicy *policy, PolicyRecord *record, gint64 step, gint64 begin, gint64 end)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (policy_try (policy, record, step, begin, end, &error));
  g_assert_no_error (error);
}

PolicyRecord *
policy_act_through_filled (const char *text, guint8 filler)
{
  g_autoptr (ReelPolicy) policy = policy_make (text);
  PolicyRecord *record = policy_record_new (policy, filler);

  for (gint64 step = 0; step < N_STEPS; step++)
    policy_act (policy, record, step, 0, N_LANES);
  return record;
}

PolicyRecord *
policy_act_through (const char *text)
{
  return policy_act_through_filled (text, 0);
}
