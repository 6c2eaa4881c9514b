/* Samplers that remember something go on where a checkpoint has them, TorchRL's and ours. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <string.h>

/* ---- what TorchRL wrote ---- */

static const char *const golden[] = { "rb-swr-fresh", "rb-swr-mid", "rb-swr-droplast",
                                      "rb-swr-noshuffle", "rb-swr-exhausted" };

static ReelReplayBuffer *
new_buffer (const json_t *expect, const char *storage_kind, const char *sampler_text)
{
  const json_t *size = json_object_get (json_object_get (expect, "storage"), "max_size");
  g_autofree char *text = g_strdup_printf ("%s:capacity=%" JSON_INTEGER_FORMAT, storage_kind,
                                           json_integer_value (size));
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, NULL);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 3, &error);

  g_assert_no_error (error);
  return buffer;
}

/* One pass draws what TorchRL's would; what is drawn at random there, some rows once each. */
static void
assert_goes_on (const json_t *expect, ReelReplayBuffer *buffer)
{
  const json_t *draws = json_object_get (expect, "next_draws_until_exhausted"), *rows;
  gboolean is_known =
      json_is_array (json_object_get (json_object_get (expect, "sampler"), "sample_list"));
  gsize i;

  json_array_foreach (draws, i, rows)
  {
    g_autoptr (ReelTensordict) batch = NULL;
    g_autoptr (GError) error = NULL;
    const ReelTensor *index;

    reel_replay_buffer_sample (buffer, 0, &batch, &error);
    g_assert_no_error (error);
    index = reel_tensordict_get_tensor (batch, "index", NULL);
    g_assert_cmpint (reel_tensor_numel (index), ==, (gint64) json_array_size (rows));
    for (gsize r = 0; is_known && r < json_array_size (rows); r++)
      g_assert_cmpint (((const gint64 *) index->data)[r], ==,
                       json_integer_value (json_array_get (rows, r)));
    g_assert_true (reel_sampler_get_ran_out (reel_replay_buffer_get_sampler (buffer))
                   == (i + 1 == json_array_size (draws)));
  }
}

static void
test_golden_goes_on (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_copy (name), *before = tree_digest (dump), *after = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
  g_auto (GStrv) warnings = NULL;

  g_assert_no_error (error);
  golden_assert_content (expect, buffer);
  warnings = reel_replay_buffer_get_warnings (buffer);
  g_assert_cmpuint (g_strv_length (warnings), ==, 0);
  assert_goes_on (expect, buffer);
  after = tree_digest (dump);
  g_assert_cmpstr (before, ==, after);
}

/* T7.3-1, T10-1 */
static void
test_golden_is_written_back (gconstpointer name)
{
  static const char *const kinds[] = { "tensor", "memmap" };
  g_autoptr (json_t) expect = golden_expect (name);
  const json_t *storage = json_object_get (expect, "storage");
  gint64 rows = json_integer_value (json_object_get (storage, "rows_filled"));
  gint64 steps = json_integer_value (json_array_get (json_object_get (storage, "shape"), 0));
  g_autofree char *dump = golden_dump (name);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = scratch_path (kinds[i]);
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (expect, kinds[i], "without-replacement");
      g_autoptr (ReelReplayBuffer) again = NULL;
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_loads (buffer, dump, &error);
      g_assert_no_error (error);
      reel_replay_buffer_dumps (buffer, path, 0, &error);
      g_assert_no_error (error);
      golden_assert_same_files (dump, path, rows, steps);
      assert_goes_on (expect, buffer);
      again = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
      g_assert_no_error (error);
      assert_goes_on (expect, again);
    }
}

/* ---- every class that has a state ---- */

/* What samplers of a kind cannot do without, for counted rows. */
static const char *
necessary_properties (const char *id)
{
  if (strstr (id, "onsuming"))
    return ",max-sample-count=9";
  if (strstr (id, "lice"))
    return ",slice-len=1,end-key=next/flag";
  return strstr (id, "tale") ? ",version-key=id,consumer-version=10" : "";
}

static ReelReplayBuffer *
new_counted (const char *sampler_id, gint64 seed)
{
  g_autofree char *text = g_strdup_printf ("%s:seed=%" G_GINT64_FORMAT "%s", sampler_id, seed,
                                           necessary_properties (sampler_id));
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=12", NULL, NULL);
  g_autoptr (ReelSampler) sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, NULL, NULL);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 5, &error);

  g_assert_no_error (error);
  return buffer;
}

static void
sample (ReelReplayBuffer *buffer, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_sample (buffer, 0, batch, &error);
  g_assert_no_error (error);
}

static ReelTensordict *
get_state (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *state = reel_sampler_get_state (reel_replay_buffer_get_sampler (buffer),
                                                  reel_replay_buffer_get_storage (buffer), &error);

  g_assert_no_error (error);
  return state;
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
        g_autofree char *path = scratch_path ("dump");
        g_autoptr (GError) error = NULL;

        counted_extend (a, 1, lengths[i], 0);
        counted_extend (b, 1, lengths[i], 0);
        for (gint n = 0; n < n_batches; n++)
          {
            g_autoptr (ReelTensordict) one = NULL, other = NULL, ignored = get_state (a);

            sample (a, &one);
            sample (b, &other);
            g_assert_true (reel_tensordict_equal (one, other));
          }
        reel_replay_buffer_dumps (a, path, REEL_CHECKPOINT_FORCE, &error);
        g_assert_no_error (error);
        reel_replay_buffer_loads (loaded, path, &error);
        g_assert_no_error (error);
        state = get_state (a);
        same = get_state (loaded);
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
    sample (buffer, &batch);
  }
  state = get_state (buffer);
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
  now = get_state (buffer);
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
  left = reel_replay_buffer_get_warnings (to);
  missed = reel_replay_buffer_get_warnings (anew);
  g_assert_nonnull (strstr (left[0], "not taken over"));
  g_assert_nonnull (strstr (missed[0], "begins anew"));
  sample (anew, &batch);
}

/* ---- what cannot draw ---- */

static ReelReplayBuffer *
new_with_sampler (const char *sampler_text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=12", NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, &error, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 5, &error);

  g_assert_no_error (error);
  return buffer;
}

/* Keys that tell trajectories or versions, which the rows lack, are needed to draw; not to save and
 * to load. */
static void
test_without_keys (gconstpointer text)
{
  g_autoptr (ReelReplayBuffer) a = new_with_sampler (text), b = new_with_sampler (text);
  g_autoptr (ReelReplayBuffer) c = new_with_sampler (text);
  g_autoptr (ReelTensordict) batch = NULL, state = NULL, mine = NULL, loaded = NULL, set = NULL;
  g_autofree char *path = scratch_path ("dump"), *again = scratch_path ("again");
  g_autoptr (GError) error = NULL;

  counted_extend (a, 1, 7, 0);
  reel_replay_buffer_dumps (a, path, 0, &error);
  g_assert_no_error (error);
  reel_replay_buffer_loads (b, path, &error);
  g_assert_no_error (error);
  state = reel_replay_buffer_get_state (a, &error);
  g_assert_no_error (error);
  reel_replay_buffer_set_state (c, state, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_get_length (b), ==, 7);
  g_assert_cmpint (reel_replay_buffer_get_length (c), ==, 7);
  mine = get_state (a);
  loaded = get_state (b);
  set = get_state (c);
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
  g_autoptr (ReelReplayBuffer) whole = new_with_sampler ("prioritized");
  g_autoptr (ReelReplayBuffer) buffer = new_with_sampler (text);
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
  expected = get_state (whole);
  found = get_state (buffer);
  g_assert_true (reel_tensordict_equal (expected, found));
}

/* ---- what draws around the rows of another ---- */

/* A dump holds how far the sampler is that draws for it. */
static void
test_sequences_go_on (void)
{
  static const char *const drawing[] = { "random", "prioritized", "without-replacement" };

  for (gsize i = 0; i < G_N_ELEMENTS (drawing); i++)
    for (gint n_batches = 0; n_batches < 6; n_batches++)
      {
        g_autofree char *text = g_strdup_printf (
            "sequence:length=1,done-key=next/flag,sampler=(%s:seed=4)", drawing[i]);
        g_autoptr (ReelReplayBuffer) a = new_with_sampler (text), b = new_with_sampler (text);
        g_autofree char *path = scratch_path ("dump");
        g_autoptr (GError) error = NULL;

        counted_extend (a, 1, 11, 0);
        for (gint n = 0; n < n_batches; n++)
          {
            g_autoptr (ReelTensordict) batch = NULL;

            sample (a, &batch);
          }
        reel_replay_buffer_dumps (a, path, REEL_CHECKPOINT_FORCE, &error);
        g_assert_no_error (error);
        reel_replay_buffer_loads (b, path, &error);
        g_assert_no_error (error);
        for (gint n = 0; n < 5; n++)
          {
            g_autoptr (ReelTensordict) one = NULL, other = NULL;

            sample (a, &one);
            sample (b, &other);
            g_assert_true (reel_tensordict_equal (one, other));
          }
      }
}

/* ---- rows that are consumed ---- */

static ReelReplayBuffer *
counted_buffer_with (const char *sampler_text)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=5", NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, NULL);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 2, &error);

  g_assert_no_error (error);
  return buffer;
}

/* Draws two rows, or every third time stores one or two; returns which, and what is known then. */
static ReelTensordict *
consume_or_write (ReelReplayBuffer *buffer, gint i)
{
  g_autoptr (ReelTensordict) batch = NULL, state = NULL, all = reel_tensordict_new (0, NULL);

  if (i % 3 == 2)
    counted_extend (buffer, 1, 1 + i % 2, 100 + i);
  else
    reel_replay_buffer_sample (buffer, 0, &batch, NULL);
  state = get_state (buffer);
  g_assert_true (reel_tensordict_set_tensordict (all, "state", state, NULL));
  if (batch)
    g_assert_true (reel_tensordict_set_tensordict (all, "batch", batch, NULL));
  return g_steal_pointer (&all);
}

/* ---- what TorchRL's consuming sampler wrote ---- */

static void
assert_list (const ReelTensordict *state, const char *key, const gint64 *expected, gint64 n)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (state, key, NULL);

  g_assert_nonnull (tensor);
  g_assert_cmpmem (tensor->data, reel_tensor_nbytes (tensor), expected,
                   (gsize) n * sizeof *expected);
}

/* Two rows were given once, of two that live; the slots that are free are filled first. */
static void
assert_consuming_goes_on (ReelReplayBuffer *buffer)
{
  static const gint64 given[] = { 0, 0, 1, 1 }, freed[] = { 3, 2 };
  g_autoptr (ReelTensordict) state = get_state (buffer), batch = NULL;
  const gint64 *index;

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 2);
  assert_list (state, "_sample_count", given, 4);
  assert_list (state, "_free_indices", freed, 2);
  sample (buffer, &batch);
  index = (const gint64 *) reel_tensordict_get_tensor (batch, "index", NULL)->data;
  g_assert_cmpint (index[0] + index[1], ==, 1);
  g_assert_true (reel_sampler_get_ran_out (reel_replay_buffer_get_sampler (buffer)));
}

static void
test_consuming_goes_on (void)
{
  g_autoptr (json_t) expect = golden_expect ("rb-consuming");
  g_autofree char *dump = golden_copy ("rb-consuming"), *before = tree_digest (dump), *after = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
  g_auto (GStrv) warnings = NULL;

  g_assert_no_error (error);
  golden_assert_content (expect, buffer);
  warnings = reel_replay_buffer_get_warnings (buffer);
  g_assert_cmpuint (g_strv_length (warnings), ==, 0);
  assert_consuming_goes_on (buffer);
  after = tree_digest (dump);
  g_assert_cmpstr (before, ==, after);
}

static void
test_consuming_is_written_back (void)
{
  static const char *const kinds[] = { "tensor", "memmap" };
  g_autoptr (json_t) expect = golden_expect ("rb-consuming");
  g_autofree char *dump = golden_dump ("rb-consuming");

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = scratch_path (kinds[i]);
      g_autoptr (ReelReplayBuffer) buffer =
          new_buffer (expect, kinds[i], "consuming:max-sample-count=3");
      g_autoptr (ReelTensordict) rows = NULL, three = NULL;
      g_autoptr (ReelTensor) slots = NULL;
      const gint64 *where;
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_loads (buffer, dump, &error);
      g_assert_no_error (error);
      golden_assert_content (expect, buffer);
      reel_replay_buffer_dumps (buffer, path, 0, &error);
      g_assert_no_error (error);
      golden_assert_same_files (dump, path, 4, 5);
      assert_consuming_goes_on (buffer);
      rows = reel_replay_buffer_get_all (buffer, NULL);
      three = reel_tensordict_slice (rows, 0, 0, 3, 1, &error);
      g_assert_true (reel_replay_buffer_extend (buffer, three, &slots, &error));
      where = (const gint64 *) slots->data;
      g_assert_true (where[0] == 3 && where[1] == 2 && where[2] < 2);
    }
}

/* After any number of draws and writes a copy goes on as the buffer does, in what it draws and in
 * where it writes. */
static void
test_consuming_copies_go_on (void)
{
  gint64 n_cases = 0;

  for (gint max_count = 1; max_count <= 3; max_count++)
    for (gint64 length = 1; length <= 7; length++)
      for (gint n_steps = 0; n_steps < 9; n_steps++)
        {
          g_autofree char *text =
              g_strdup_printf ("consuming:seed=3,max-sample-count=%d", max_count);
          g_autoptr (ReelReplayBuffer) a = counted_buffer_with (text),
                                       b = counted_buffer_with (text);
          g_autoptr (ReelReplayBuffer) c = counted_buffer_with ("consuming:seed=3");
          g_autoptr (ReelTensordict) state = NULL;
          g_autofree char *path = scratch_path ("dump");
          g_autoptr (GError) error = NULL;

          counted_extend (a, 1, length, 0);
          for (gint i = 0; i < n_steps; i++)
            reel_tensordict_unref (consume_or_write (a, i));
          reel_replay_buffer_dumps (a, path, REEL_CHECKPOINT_FORCE, &error);
          g_assert_no_error (error);
          reel_replay_buffer_loads (b, path, &error);
          g_assert_no_error (error);
          state = reel_replay_buffer_get_state (a, &error);
          g_assert_no_error (error);
          reel_replay_buffer_set_state (c, state, &error);
          g_assert_no_error (error);
          for (gint i = n_steps; i < n_steps + 6; i++)
            {
              g_autoptr (ReelTensordict) one = consume_or_write (a, i);
              g_autoptr (ReelTensordict) other = consume_or_write (b, i);
              g_autoptr (ReelTensordict) third = consume_or_write (c, i);

              g_assert_true (reel_tensordict_equal (one, other));
              g_assert_true (reel_tensordict_equal (one, third));
            }
          n_cases++;
        }
  g_assert_cmpint (n_cases, ==, 3 * 7 * 9);
}

/* ---- priorities that TorchRL wrote ---- */

static const char *const prioritized[] = {
  "rb-per-alpha1",  "rb-per-default", "rb-per-f64",     "rb-per-ndim2", "rb-per-short-capacity",
  "rb-per-updated", "rb-per-within",  "rb-per-wrapped", "rb-pslice"
};

static const json_t *
member (const json_t *expect, const char *part, const char *key)
{
  return json_object_get (json_object_get (expect, part), key);
}

static double
real (const json_t *value)
{
  return g_ascii_strtod (json_string_value (value), NULL);
}

/* Every leaf that TorchRL wrote, rounded as it rounds them, and the greatest. */
static void
assert_priorities (const json_t *expect, ReelReplayBuffer *buffer)
{
  g_autoptr (ReelTensordict) state = get_state (buffer);
  const double *leaves = (const double *) reel_tensordict_get_tensor (state, "sumtree", NULL)->data;
  const double *greatest =
      (const double *) reel_tensordict_get_tensor (state, "_max_priority", NULL)->data;
  const json_t *theirs = member (expect, "sampler", "sum_leaves"), *leaf;
  gsize i;

  json_array_foreach (theirs, i, leaf)
  {
    g_assert_cmpfloat (leaves[i], ==, (double) (float) real (leaf));
  }
  for (i = 0; i < 2; i++)
    g_assert_cmpfloat (greatest[i], ==,
                       real (json_array_get (member (expect, "sampler", "max_priority"), i)));
}

/* Rows come with the weights that TorchRL gives them. */
static void
assert_weights (const json_t *expect, ReelReplayBuffer *buffer)
{
  const json_t *theirs = member (expect, "sampler", "weight");
  gint64 ndim = json_integer_value (member (expect, "storage", "ndim"));
  gint64 lanes = reel_storage_get_lanes (reel_replay_buffer_get_storage (buffer));
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelTensor) weights = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 *index;

  reel_replay_buffer_sample (buffer, 64, &batch, &error);
  g_assert_no_error (error);
  index = (const gint64 *) reel_tensordict_get_tensor (batch, "index", NULL)->data;
  weights = reel_tensor_ref (reel_tensordict_get_tensor (batch, "priority_weight", NULL));
  for (gint64 i = 0; i < 64; i++)
    {
      gint64 slot = ndim == 1 ? index[i] : index[2 * i] * lanes + index[2 * i + 1];
      double ours = weights->dtype == REEL_DTYPE_FLOAT64 ? ((const double *) weights->data)[i]
                                                         : ((const float *) weights->data)[i];

      if (slot < (gint64) json_array_size (theirs))
        g_assert_cmpfloat_with_epsilon (ours, real (json_array_get (theirs, (gsize) slot)), 1e-6);
    }
}

static void
test_prioritized_goes_on (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_dump (name);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
  g_auto (GStrv) warnings = NULL;

  g_assert_no_error (error);
  golden_assert_content (expect, buffer);
  warnings = reel_replay_buffer_get_warnings (buffer);
  g_assert_cmpuint (g_strv_length (warnings), ==, 0);
  assert_priorities (expect, buffer);
  assert_weights (expect, buffer);
}

static ReelReplayBuffer *
new_prioritized (const json_t *expect)
{
  g_autofree char *storage_text =
      g_strdup_printf ("tensor:capacity=%" JSON_INTEGER_FORMAT ",ndim=%" JSON_INTEGER_FORMAT,
                       json_integer_value (member (expect, "storage", "max_size")),
                       json_integer_value (member (expect, "storage", "ndim")));
  gboolean is_slice = member (expect, "sampler", "slice_len") != NULL;
  g_autofree char *sampler_text =
      g_strdup_printf ("%sdtype=%s", is_slice ? "prioritized-slice:slice-len=3," : "prioritized:",
                       json_string_value (member (expect, "sampler", "dtype")));
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage_text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, NULL);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

/* T10-1. The leaf that TorchRL loses is there in ours. */
static void
test_prioritized_is_written_back (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_dump (name), *path = scratch_path ("again");
  g_autoptr (ReelReplayBuffer) buffer = new_prioritized (expect);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_loads (buffer, dump, &error);
  g_assert_no_error (error);
  assert_priorities (expect, buffer);
  reel_replay_buffer_dumps (buffer, path, 0, &error);
  g_assert_no_error (error);
  if (!g_str_equal (name, "rb-per-short-capacity"))
    golden_assert_same_files (
        dump, path, json_integer_value (member (expect, "storage", "rows_filled")),
        json_integer_value (json_array_get (member (expect, "storage", "shape"), 0)));
}

static void
test_priorities_that_cannot_be (void)
{
  static const struct
  {
    const char *old, *by, *what;
  } cases[] = { { "\"_alpha\": 0.7", "\"_alpha\": -0.7", "_alpha" },
                { "\"_beta\": 0.5", "\"_beta\": \"0.5\"", "_beta" },
                { "\"_max_capacity\": 6.0", "\"_max_capacity\": 6.5", "_max_capacity" },
                { "\"_max_capacity\": 6.0", "\"_max_capacity\": 7.0", "sumtree.memmap" },
                { "\"_max_capacity\": 6.0", "\"_max_capacity\": 1e30", "_max_capacity" },
                { "\"_max_priority\": [", "\"_max_priority\": [2.0, ", "_max_priority" },
                { "\"_max_priority\": [", "\"_max_priority\": [-1.0, 0.0], \"x\": [",
                  "_max_priority" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *dump = golden_copy ("rb-per-updated");
      g_autofree char *metadata = g_build_filename (dump, "sampler", "sampler_metadata.json", NULL);
      g_autoptr (json_t) expect = golden_expect ("rb-per-updated");
      g_autoptr (ReelReplayBuffer) buffer = new_prioritized (expect);
      g_autoptr (GError) error = NULL;

      replace_text (metadata, cases[i].old, cases[i].by);
      g_assert_false (reel_replay_buffer_loads (buffer, dump, &error));
      g_assert_nonnull (strstr (error->message, cases[i].what));
      g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (buffer)));
    }
}

/* ---- where the state is damaged ---- */

static void
test_lists_that_cannot_be (void)
{
  static const struct
  {
    gint64 length, rows[3];
    const char *what;
  } cases[] = { { 8, { 1, 2, 1 }, "_sample_list" },
                { 8, { 1, 2, 8 }, "_sample_list" },
                { 8, { 1, -1, 2 }, "_sample_list" },
                { -1, { 1, 2, 3 }, "len_storage" },
                { 13, { 1, 2, 3 }, "len_storage" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *dump = golden_copy ("rb-swr-mid");
      g_autofree char *list = g_build_filename (dump, "sampler", "_sample_list.memmap", NULL);
      g_autofree char *length = g_build_filename (dump, "sampler", "len_storage.memmap", NULL);
      g_autofree char *meta = g_build_filename (dump, "sampler", "meta.json", NULL);
      g_autoptr (json_t) expect = golden_expect ("rb-swr-mid");
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (expect, "tensor", "without-replacement");
      g_autoptr (GError) error = NULL, other = NULL;

      replace_text (meta, "\"shape\":[5]", "\"shape\":[3]");
      g_assert_true (g_file_set_contents (list, (const char *) cases[i].rows, 24, NULL));
      g_assert_true (g_file_set_contents (length, (const char *) &cases[i].length, 8, NULL));
      g_assert_false (reel_replay_buffer_loads (buffer, dump, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, cases[i].what));
      g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (buffer)));
      g_assert_null (reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &other));
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
                { "bad-states-are-refused", test_bad_states_are_refused },
                { "another-begins-anew", test_another_sampler_begins_anew } };
  gsize n_ids;
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_SAMPLER, &n_ids);

  for (gsize i = 0; i < n_ids; i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_counted (ids[i]->id, 0);

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

  for (gsize i = 0; i < G_N_ELEMENTS (golden); i++)
    {
      g_autofree char *open = g_strconcat ("/buffers/sampler-state/goes-on/", golden[i], NULL);
      g_autofree char *write =
          g_strconcat ("/buffers/sampler-state/written-back/", golden[i], NULL);

      scratch_test_with_data (open, test_golden_goes_on, golden[i]);
      scratch_test_with_data (write, test_golden_is_written_back, golden[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (prioritized); i++)
    {
      g_autofree char *open =
          g_strconcat ("/buffers/sampler-state/priorities/goes-on/", prioritized[i], NULL);
      g_autofree char *write =
          g_strconcat ("/buffers/sampler-state/priorities/written-back/", prioritized[i], NULL);

      scratch_test_with_data (open, test_prioritized_goes_on, prioritized[i]);
      scratch_test_with_data (write, test_prioritized_is_written_back, prioritized[i]);
    }
  scratch_test ("/buffers/sampler-state/goes-on/rb-consuming", test_consuming_goes_on);
  scratch_test ("/buffers/sampler-state/written-back/rb-consuming", test_consuming_is_written_back);
  scratch_test ("/buffers/sampler-state/consuming-copies-go-on", test_consuming_copies_go_on);
  add_for_every_state ();
  for (gsize i = 0; i < G_N_ELEMENTS (without_keys); i++)
    {
      g_autofree char *path = g_strdup_printf ("/buffers/sampler-state/without-keys/%d", (int) i);

      scratch_test_with_data (path, test_without_keys, without_keys[i]);
    }
  scratch_test ("/buffers/sampler-state/without-keys/priorities", test_priorities_without_keys);
  scratch_test ("/buffers/sampler-state/sequences-go-on", test_sequences_go_on);
  scratch_test ("/buffers/sampler-state/priorities/that-cannot-be", test_priorities_that_cannot_be);
  scratch_test ("/buffers/sampler-state/lists-that-cannot-be", test_lists_that_cannot_be);

  return g_test_run ();
}
