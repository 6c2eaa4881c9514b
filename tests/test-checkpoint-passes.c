/* Passes without replacement go on where a checkpoint of TorchRL's has them. */
#include "golden-buffer.h"
#include "sampler-state.h"
#include "scratch.h"

/* ---- what TorchRL wrote ---- */

static const char *const names[] = { "rb-swr-fresh", "rb-swr-mid", "rb-swr-droplast",
                                     "rb-swr-noshuffle", "rb-swr-exhausted" };

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
  SamplerStateGolden golden;

  sampler_state_open_golden (name, &golden);
  assert_goes_on (golden.expect, golden.buffer);
  sampler_state_close_golden (&golden);
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
      g_autoptr (ReelReplayBuffer) buffer =
          sampler_state_new_like (expect, kinds[i], "without-replacement");
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

/* ---- lists that are damaged ---- */

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
      g_autoptr (ReelReplayBuffer) buffer =
          sampler_state_new_like (expect, "tensor", "without-replacement");
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *open = g_strconcat ("/buffers/sampler-state/goes-on/", names[i], NULL);
      g_autofree char *write = g_strconcat ("/buffers/sampler-state/written-back/", names[i], NULL);

      scratch_test_with_data (open, test_golden_goes_on, names[i]);
      scratch_test_with_data (write, test_golden_is_written_back, names[i]);
    }
  scratch_test ("/buffers/sampler-state/lists-that-cannot-be", test_lists_that_cannot_be);

  return g_test_run ();
}
