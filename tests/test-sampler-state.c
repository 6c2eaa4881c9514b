/* The state of samplers, of every class that is listed: whole, refused where it is damaged, gone
 * on with. */
#include "counted-rows.h"
#include "sampler-state.h"
#include "scratch.h"

#include <string.h>

#define STORAGE "tensor:capacity=12"

/* ---- every class that has a state ---- */

/* The properties that samplers of a kind need, for counted rows. */
static const char *
necessary_properties (const char *id)
{
  if (strstr (id, "onsuming"))
    return ",max-sample-count=99";
  if (strstr (id, "lice"))
    return ",slice-len=1,end-key=next/flag";
  if (strstr (id, "equence"))
    return ",length=1,done-key=next/flag";
  return strstr (id, "tale") ? ",version-key=id,consumer-version=10" : "";
}

static ReelReplayBuffer *
new_counted (const char *sampler_id, gint64 seed)
{
  g_autofree char *text = g_strdup_printf ("%s:seed=%" G_GINT64_FORMAT "%s", sampler_id, seed,
                                           necessary_properties (sampler_id));

  return sampler_state_new_buffer (STORAGE, text, 5);
}

/* Asking for the state changes nothing, and what it says is what a load of it says. */
static void
test_state_is_whole (gconstpointer id)
{
  static const gint64 lengths[] = { 1, 7, 12, 20 };

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (gint n_batches = 0; n_batches < 6; n_batches++)
      {
        g_autoptr (ReelReplayBuffer) a = new_counted (id, 1), b = new_counted (id, 1);
        g_autoptr (ReelReplayBuffer) loaded = new_counted (id, 2);
        g_autoptr (ReelTensordict) state = NULL, same = NULL;

        counted_extend (a, 1, lengths[i], 0);
        counted_extend (b, 1, lengths[i], 0);
        for (gint n = 0; n < n_batches; n++)
          {
            g_autoptr (ReelTensordict) one = NULL, other = NULL, ignored = sampler_state_get (a);

            sampler_state_draw (a, &one);
            sampler_state_draw (b, &other);
            g_assert_true (reel_tensordict_equal (one, other));
          }
        sampler_state_copy_by_files (a, loaded);
        state = sampler_state_get (a);
        same = sampler_state_get (loaded);
        g_assert_true (reel_tensordict_equal (state, same));
      }
}

/* A state that lacks something, or has it in another type, is refused and changes nothing. */
static void
test_bad_states_are_refused (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = new_counted (id, 1);
  g_autoptr (ReelTensordict) state = NULL, now = NULL;
  g_auto (GStrv) keys = NULL;

  counted_extend (buffer, 1, 12, 0);
  {
    g_autoptr (ReelTensordict) batch = NULL;
    sampler_state_draw (buffer, &batch);
  }
  state = sampler_state_get (buffer);
  keys = reel_tensordict_list_leaves (state);
  for (gsize i = 0; keys[i]; i++)
    for (gint other_type = 0; other_type < 2; other_type++)
      {
        g_autoptr (ReelTensordict) bad = reel_tensordict_clone (state, FALSE, NULL);
        g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_COMPLEX32, 0, NULL, NULL);
        g_autoptr (GError) error = NULL;

        if (!other_type && g_str_equal (keys[i], "_stream")) /* TorchRL's have none */
          continue;
        g_assert_true (reel_tensordict_remove (bad, keys[i], NULL));
        if (other_type)
          g_assert_true (reel_tensordict_set_tensor (bad, keys[i], tensor, NULL));
        g_assert_false (reel_sampler_set_state (reel_replay_buffer_get_sampler (buffer),
                                                reel_replay_buffer_get_storage (buffer), bad,
                                                &error));
        g_assert_error (error, REEL_ERROR, (other_type ? REEL_ERROR_TYPE : REEL_ERROR_KEY));
        g_assert_nonnull (strstr (error->message, keys[i]));
      }
  now = sampler_state_get (buffer);
  g_assert_true (reel_tensordict_equal (state, now));
}

static void
test_another_sampler_begins_anew (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) with = new_counted (id, 1), without = new_counted ("random", 1);
  g_autoptr (ReelReplayBuffer) to = new_counted ("random", 1), anew = new_counted (id, 1);
  g_autofree char *path = scratch_path ("with"), *other = scratch_path ("without");
  g_auto (GStrv) left = NULL, missed = NULL;
  g_autoptr (ReelTensordict) batch = NULL;

  counted_extend (with, 1, 12, 0);
  counted_extend (without, 1, 12, 0);
  g_assert_true (reel_replay_buffer_dumps (with, path, 0, NULL));
  g_assert_true (reel_replay_buffer_dumps (without, other, 0, NULL));
  g_assert_true (reel_replay_buffer_loads (to, path, NULL));
  g_assert_true (reel_replay_buffer_loads (anew, other, NULL));
  left = reel_replay_buffer_dup_warnings (to);
  missed = reel_replay_buffer_dup_warnings (anew);
  g_assert_nonnull (strstr (left[0], "not taken over"));
  g_assert_nonnull (strstr (missed[0], "begins anew"));
  sampler_state_draw (anew, &batch);
}

static ReelTensordict *
state_in (ReelReplayBuffer *buffer, ReelSampler *sampler)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *state =
      reel_sampler_dup_state (sampler, reel_replay_buffer_get_storage (buffer), &error);

  g_assert_no_error (error);
  return state;
}

/* A state may be set before a buffer takes the sampler, and stays when the key of priorities
 * changes. */
static void
test_state_stays_in_a_buffer (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) from = new_counted (id, 1);
  ReelStorage *storage = reel_replay_buffer_get_storage (from);
  ReelSampler *sampler = reel_replay_buffer_get_sampler (from);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (sampler));
  g_autoptr (ReelSampler) fresh = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, NULL, NULL);
  g_autoptr (ReelReplayBuffer) taken = NULL;
  g_autoptr (ReelTensordict) batch = NULL, state = NULL, same = NULL, later = NULL;
  const gint64 two = 2;
  g_autoptr (ReelTensor) slots = counted_new_tensor (1, &two, 3);
  g_autoptr (ReelTensor) priorities = counted_new_tensor (1, &two, 5);

  counted_extend (from, 1, 12, 0);
  sampler_state_draw (from, &batch);
  g_assert_true (reel_replay_buffer_update_priority (from, slots, priorities, NULL));
  state = state_in (from, sampler);
  g_assert_true (reel_sampler_set_state (fresh, storage, state, NULL));
  taken = reel_replay_buffer_new (storage, fresh, NULL, 5, NULL);
  same = state_in (taken, fresh);
  g_assert_true (reel_tensordict_equal (state, same));
  reel_replay_buffer_set_priority_key (taken, "observation");
  later = state_in (taken, fresh);
  g_assert_true (reel_tensordict_equal (state, later));
}

/* ---- what cannot draw ---- */

/* Keys that tell trajectories or versions, which the rows lack, are needed to draw; not to save and
 * to load. */
static void
test_without_keys (gconstpointer text)
{
  g_autoptr (ReelReplayBuffer) a = sampler_state_new_buffer (STORAGE, text, 5),
                               b = sampler_state_new_buffer (STORAGE, text, 5);
  g_autoptr (ReelReplayBuffer) c = sampler_state_new_buffer (STORAGE, text, 5);
  g_autoptr (ReelTensordict) batch = NULL, mine = NULL, loaded = NULL, set = NULL;
  g_autofree char *again = scratch_path ("again");
  g_autoptr (GError) error = NULL;

  counted_extend (a, 1, 7, 0);
  sampler_state_copy_by_files (a, b);
  sampler_state_copy_by_memory (a, c);
  g_assert_cmpint (reel_replay_buffer_get_length (b), ==, 7);
  g_assert_cmpint (reel_replay_buffer_get_length (c), ==, 7);
  mine = sampler_state_get (a);
  loaded = sampler_state_get (b);
  set = sampler_state_get (c);
  g_assert_true (reel_tensordict_equal (mine, loaded));
  g_assert_true (reel_tensordict_equal (mine, set));
  reel_replay_buffer_dumps (b, again, 0, &error);
  g_assert_no_error (error);
  g_assert_false (reel_replay_buffer_sample (b, 0, &batch, &error));
  g_assert_nonnull (strstr (error->message, "no/such"));
}

/* Rows without trajectories have priorities all the same: those that were loaded stay. */
static void
test_priorities_without_keys (void)
{
  static const char text[] = "prioritized-slice:slice-len=1,end-key=no/such";
  g_autoptr (ReelReplayBuffer) whole = sampler_state_new_buffer (STORAGE, "prioritized", 5);
  g_autoptr (ReelReplayBuffer) buffer = sampler_state_new_buffer (STORAGE, text, 5);
  g_autofree char *path = scratch_path ("dump"), *again = scratch_path ("again");
  g_autoptr (ReelTensordict) expected = NULL, found = NULL;
  const gint64 slots[] = { 1, 4 };
  const double priorities[] = { 3, 0.5 };

  counted_extend (whole, 1, 7, 0);
  g_assert_true (reel_sampler_update_priority (reel_replay_buffer_get_sampler (whole),
                                               reel_replay_buffer_get_storage (whole), slots, 2,
                                               priorities, NULL));
  g_assert_true (reel_replay_buffer_dumps (whole, path, 0, NULL));
  g_assert_true (reel_replay_buffer_loads (buffer, path, NULL));
  g_assert_true (reel_replay_buffer_dumps (buffer, again, 0, NULL));
  expected = sampler_state_get (whole);
  found = sampler_state_get (buffer);
  g_assert_true (reel_tensordict_equal (expected, found));
}

/* ---- what is drawn next ---- */

/* A copy draws what the buffer draws next, after any number of batches, in files and in memory. */
static void
assert_copies_go_on (const char *sampler, gint64 length)
{
  for (gint n_batches = 0; n_batches < 6; n_batches++)
    {
      g_autoptr (ReelReplayBuffer) a = sampler_state_new_buffer (STORAGE, sampler, 5);
      g_autoptr (ReelReplayBuffer) b = sampler_state_new_buffer (STORAGE, sampler, 5);
      g_autoptr (ReelReplayBuffer) c = sampler_state_new_buffer (STORAGE, sampler, 5);

      counted_extend (a, 1, length, 0);
      for (gint n = 0; n < n_batches; n++)
        {
          g_autoptr (ReelTensordict) batch = NULL;

          sampler_state_draw (a, &batch);
        }
      sampler_state_copy_by_files (a, b);
      sampler_state_copy_by_memory (a, c);
      for (gint n = 0; n < 5; n++)
        {
          g_autoptr (ReelTensordict) one = NULL, other = NULL, third = NULL;

          sampler_state_draw (a, &one);
          sampler_state_draw (b, &other);
          sampler_state_draw (c, &third);
          g_assert_true (reel_tensordict_equal (one, other));
          g_assert_true (reel_tensordict_equal (one, third));
        }
    }
}

/* Of every sampler that is listed, whether it has a state of its own or a stream of draws alone. */
static void
test_goes_on (gconstpointer id)
{
  static const gint64 lengths[] = { 1, 7, 12, 20 };
  g_autofree char *text =
      g_strdup_printf ("%s:seed=4%s", (const char *) id, necessary_properties (id));

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    assert_copies_go_on (text, lengths[i]);
}

/* The state is that of the sampler that draws for the windows. */
static void
test_sequences_go_on (void)
{
  static const char *const drawing[] = { "random", "prioritized", "without-replacement" };
  static const char *const windows[] = { "length=1", "length=5,episode-boundary=stop",
                                         "length=2,burn-in=2,bootstrap=1" };

  for (gsize i = 0; i < G_N_ELEMENTS (drawing); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (windows); k++)
      {
        g_autofree char *text = g_strdup_printf (
            "sequence:%s,done-key=next/flag,sampler=(%s:seed=4)", windows[k], drawing[i]);

        assert_copies_go_on (text, 11);
      }
}

static const char *const without_keys[] = {
  "slice:slice-len=1,end-key=no/such",
  "slice-without-replacement:slice-len=1,end-key=no/such",
  "prioritized-slice:slice-len=1,end-key=no/such",
  "staleness-aware:version-key=no/such,consumer-version=10",
};

static void
add_for_every_state (void)
{
  static const struct
  {
    const char *name;
    void (*run) (gconstpointer id);
  } tests[] = { { "state-is-whole", test_state_is_whole },
                { "state-stays-in-a-buffer", test_state_stays_in_a_buffer },
                { "bad-states-are-refused", test_bad_states_are_refused },
                { "another-begins-anew", test_another_sampler_begins_anew } };
  gsize n_ids;
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_SAMPLER, &n_ids);

  for (gsize i = 0; i < n_ids; i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_counted (ids[i]->id, 0);
      g_autofree char *all = g_strdup_printf ("/buffers/sampler-state/%s/goes-on", ids[i]->id);

      scratch_test_with_data (all, test_goes_on, ids[i]->id);
      if (!reel_sampler_get_state_form (reel_replay_buffer_get_sampler (buffer)))
        continue;
      for (gsize k = 0; k < G_N_ELEMENTS (tests); k++)
        {
          g_autofree char *path =
              g_strdup_printf ("/buffers/sampler-state/%s/%s", ids[i]->id, tests[k].name);

          scratch_test_with_data (path, tests[k].run, ids[i]->id);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  add_for_every_state ();
  for (gsize i = 0; i < G_N_ELEMENTS (without_keys); i++)
    {
      g_autofree char *path = g_strdup_printf ("/buffers/sampler-state/without-keys/%d", (int) i);

      scratch_test_with_data (path, test_without_keys, without_keys[i]);
    }
  scratch_test ("/buffers/sampler-state/without-keys/priorities", test_priorities_without_keys);
  scratch_test ("/buffers/sampler-state/sequences-go-on", test_sequences_go_on);

  return g_test_run ();
}
