/* Rows that are consumed: which were given how often, TorchRL's files and ours. */
#include "counted-rows.h"
#include "golden-buffer.h"
#include "sampler-state.h"
#include "scratch.h"

#define STORAGE "tensor:capacity=5"

/* ---- rows that are consumed ---- */

/* Draws two rows, or every third time stores one or two; returns which, and what is known then. */
static ReelTensordict *
consume_or_write (ReelReplayBuffer *buffer, gint i)
{
  g_autoptr (ReelTensordict) batch = NULL, state = NULL, all = reel_tensordict_new (0, NULL);

  if (i % 3 == 2)
    counted_extend (buffer, 1, 1 + i % 2, 100 + i);
  else
    reel_replay_buffer_sample (buffer, 0, &batch, NULL);
  state = sampler_state_get (buffer);
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
  g_autoptr (ReelTensordict) state = sampler_state_get (buffer), batch = NULL;
  const gint64 *index;

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 2);
  assert_list (state, "_sample_count", given, 4);
  assert_list (state, "_free_indices", freed, 2);
  sampler_state_draw (buffer, &batch);
  index = (const gint64 *) reel_tensordict_get_tensor (batch, "index", NULL)->data;
  g_assert_cmpint (index[0] + index[1], ==, 1);
  g_assert_true (reel_sampler_get_ran_out (reel_replay_buffer_get_sampler (buffer)));
}

static void
test_consuming_goes_on (void)
{
  SamplerStateGolden golden;

  sampler_state_open_golden ("rb-consuming", &golden);
  assert_consuming_goes_on (golden.buffer);
  sampler_state_close_golden (&golden);
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
          sampler_state_new_like (expect, kinds[i], "consuming:max-sample-count=3");
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
          g_autoptr (ReelReplayBuffer) a = sampler_state_new_buffer (STORAGE, text, 2),
                                       b = sampler_state_new_buffer (STORAGE, text, 2);
          g_autoptr (ReelReplayBuffer) c =
              sampler_state_new_buffer (STORAGE, "consuming:seed=3", 2);

          counted_extend (a, 1, length, 0);
          for (gint i = 0; i < n_steps; i++)
            reel_tensordict_unref (consume_or_write (a, i));
          sampler_state_copy_by_files (a, b);
          sampler_state_copy_by_memory (a, c);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  scratch_test ("/buffers/sampler-state/goes-on/rb-consuming", test_consuming_goes_on);
  scratch_test ("/buffers/sampler-state/written-back/rb-consuming", test_consuming_is_written_back);
  scratch_test ("/buffers/sampler-state/consuming-copies-go-on", test_consuming_copies_go_on);

  return g_test_run ();
}
