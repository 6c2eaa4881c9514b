/* Members of an ensemble that are taken as often as there is something to draw from them. */
#include "three-buffers.h"

#include <string.h>

#define CAPACITY 5

/* ---- what there is to draw from ---- */

static void
write_flag (ReelReplayBuffer *buffer, gboolean end)
{
  g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
  const gint64 one = 1;
  g_autoptr (ReelTensor) flag = reel_tensor_new (REEL_DTYPE_BOOL, 1, &one, NULL);
  g_autoptr (GError) error = NULL;

  flag->data[0] = end ? 1 : 0;
  g_assert_true (reel_tensordict_set_tensor (step, "end", flag, NULL));
  reel_replay_buffer_add (buffer, step, NULL, &error);
  g_assert_no_error (error);
}

static ReelReplayBuffer *
new_buffer (const char *sampler_text)
{
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%d", CAPACITY);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, &error, NULL);

  g_assert_no_error (error);
  return reel_replay_buffer_new (storage, sampler, NULL, 0, NULL);
}

static gint64
count_sampleable (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (GError) error = NULL;
  gint64 count;

  reel_sampler_count_sampleable (reel_replay_buffer_get_sampler (buffer),
                                 reel_replay_buffer_get_storage (buffer), n, &count, &error);
  g_assert_no_error (error);
  return count;
}

/* The last @CAPACITY of @n flags, cut into trajectories by hand. */
static gint64
count_slices (guint flags, gint n, gint64 length, gboolean strict)
{
  gint64 steps = 0, count = 0;

  for (gint i = MAX (0, n - CAPACITY); i < n; i++)
    {
      steps++;
      if (!(flags >> i & 1) && i < n - 1)
        continue;
      count += steps >= length ? steps - length + 1 : strict ? 0 : 1;
      steps = 0;
    }
  return count;
}

/* All flags of up to 8 steps in a ring of 5: counted once when all are there, and again after each
 * step. */
static void
test_slices_are_counted (gconstpointer class)
{
  gint64 n_cases = 0;

  for (gint64 length = 1; length <= 4; length++)
    for (gint strict = 0; strict < 2; strict++)
      for (guint flags = 0; flags < 256; flags++)
        {
          g_autofree char *text =
              g_strdup_printf ("%s:slice-len=%d,end-key=end,strict-length=%s%s",
                               (const char *) class, (int) length, strict ? "true" : "false",
                               g_str_has_prefix (class, "prioritized") ? ",max-capacity=5" : "");
          g_autoptr (ReelReplayBuffer) each = new_buffer (text), once = new_buffer (text);

          g_assert_cmpint (count_sampleable (each, length), ==, 0);
          for (gint n = 1; n <= 8; n++, n_cases++)
            {
              gint64 expect = count_slices (flags, n, length, strict);

              write_flag (each, flags >> (n - 1) & 1);
              write_flag (once, flags >> (n - 1) & 1);
              g_assert_cmpint (count_sampleable (each, 2 * length), ==, expect);
              g_assert_cmpint (count_sampleable (each, length), ==, expect);
            }
          g_assert_cmpint (count_sampleable (once, length), ==,
                           count_slices (flags, 8, length, strict));
        }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
}

/* A batch of 6 in 2 slices has slices of 3. */
static void
test_number_of_slices_says_their_length (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("slice:num-slices=2,end-key=end");
  g_autoptr (GError) error = NULL;
  gint64 count;

  for (gint i = 0; i < CAPACITY; i++)
    write_flag (buffer, FALSE);
  g_assert_cmpint (count_sampleable (buffer, 6), ==, 3);
  g_assert_cmpint (count_sampleable (buffer, 2), ==, 5);
  g_assert_false (reel_sampler_count_sampleable (reel_replay_buffer_get_sampler (buffer),
                                                 reel_replay_buffer_get_storage (buffer), 5, &count,
                                                 &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_rows_are_counted (void)
{
  static const char *const samplers[] = { "random", "without-replacement",
                                          "prioritized:max-capacity=5",
                                          "sequence:length=2,done-key=end", "staleness-aware" };

  for (gsize s = 0; s < G_N_ELEMENTS (samplers); s++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (samplers[s]);

      for (gint n = 0; n < 8; n++)
        {
          g_assert_cmpint (count_sampleable (buffer, 2), ==, MIN (n, CAPACITY));
          write_flag (buffer, n % 3 == 0);
        }
    }
}

static void
test_what_is_consumed_is_gone (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("consuming");
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint i = 0; i < 4; i++)
    write_flag (buffer, FALSE);
  for (gint left = 4; left > 0; left--)
    {
      g_assert_cmpint (count_sampleable (buffer, 1), ==, left);
      g_assert_true (reel_replay_buffer_sample (buffer, 1, &batch, NULL));
    }
  g_assert_cmpint (count_sampleable (buffer, 1), ==, 0);
}

/* ---- how often members are taken ---- */

/* Of 0, 2 and 6 rows: within 6 standard deviations of 40000 parts, and never the one without; then
 * of 4, 2 and 6. */
static void
test_members_are_taken_by_what_they_have (void)
{
  ReelEnsembleOptions options = { .sampleable = TRUE, .num_buffer_sampled = 4, .seed = 5 };
  static const gint64 rows[3] = { 0, 2, 6 };
  ReelReplayBuffer *buffers[3];
  g_autoptr (ReelReplayBufferEnsemble) ensemble = NULL;
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint b = 0; b < 3; b++)
    buffers[b] = three_new_member (b, "random", rows[b]);
  ensemble = reel_replay_buffer_ensemble_new (buffers, 3, &options, NULL);
  for (gint more = 0; more <= 4; more += 4)
    {
      gint64 counts[3] = { 0 };

      for (gint turn = 0; turn < 10000; turn++)
        {
          g_assert_true (reel_replay_buffer_ensemble_sample (ensemble, 8, &batch, NULL));
          for (gint64 part = 0; part < 4; part++)
            counts[three_get (batch, "index/buffer_ids", part, 0)]++;
        }
      for (gint b = 0; b < 3; b++)
        {
          double p = (double) (b > 0 ? rows[b] : more) / (8 + more);

          g_assert_cmpfloat (ABS ((double) counts[b] - 40000 * p), <=, 6 * 100 * (p > 0));
        }
      counted_extend (buffers[0], 1, 4, 0);
    }
  for (gint b = 0; b < 3; b++)
    g_object_unref (buffers[b]);
}

/* An ensemble within one weighs what its members weigh. */
static void
test_nested_members_weigh_their_sum (void)
{
  ReelEnsembleOptions options = { .sampleable = TRUE, .num_buffer_sampled = 1, .seed = 5 };
  g_auto (Three) three = three_new ("random", NULL);
  GObject *members[] = { G_OBJECT (three.ensemble), G_OBJECT (three.buffers[0]) };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new_mixed (members, 2, &options, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 n_inner = 0;

  for (gint turn = 0; turn < 10000; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (ensemble, 3, &batch, NULL));
      n_inner += three_get (batch, "index/buffer_ids", 0, 0) == 0;
    }
  g_assert_cmpint (ABS (n_inner - 7500), <, 6 * 44);
}

static void
test_refuses (void)
{
  static const double p[] = { 1, 1, 1 };
  const ReelEnsembleOptions bad[] = { { .sampleable = TRUE, .p = p },
                                      { .sampleable = TRUE, .sample_from_all = TRUE } };
  ReelEnsembleOptions options = { .sampleable = TRUE };
  g_auto (Three) three = three_new ("slice:slice-len=7,traj-key=id", &options);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) none = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_replay_buffer_ensemble_new (three.buffers, 3, &bad[i], &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
    }
  g_assert_false (reel_replay_buffer_ensemble_sample (three.ensemble, 21, &batch, &none));
  g_assert_error (none, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (none->message, "None of the replay-buffer ensemble members"));
}

/* Weights that change are those of an ensemble that was made with them; refused ones change
 * nothing.
 */
static void
test_weights_change (void)
{
  static const double weights[][2] = { { 0, 1 }, { 1, 0 }, { 3, 1 } };
  static const double negative[] = { 1, -1 };
  g_autoptr (ReelReplayBuffer) a = new_buffer ("random"), b = new_buffer ("random");
  ReelReplayBuffer *members[] = { a, b };
  const ReelEnsembleOptions all = { .sample_from_all = TRUE };
  g_autoptr (ReelReplayBufferEnsemble) changed =
      reel_replay_buffer_ensemble_new (members, 2, NULL, NULL);
  g_autoptr (ReelReplayBufferEnsemble) whole =
      reel_replay_buffer_ensemble_new (members, 2, &all, NULL);
  ReelEnsembleOptions now, made;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (weights); i++)
    {
      const ReelEnsembleOptions options = { .p = weights[i] };
      g_autoptr (ReelReplayBufferEnsemble) fresh =
          reel_replay_buffer_ensemble_new (members, 2, &options, NULL);

      g_assert_true (reel_replay_buffer_ensemble_set_weights (changed, weights[i], FALSE, &error));
      g_assert_false (reel_replay_buffer_ensemble_set_weights (changed, negative, FALSE, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_clear_error (&error);
      reel_replay_buffer_ensemble_get_options (changed, &now);
      reel_replay_buffer_ensemble_get_options (fresh, &made);
      g_assert_cmpmem (now.p, 2 * sizeof *now.p, made.p, 2 * sizeof *made.p);
      g_assert_false (now.sampleable);
    }
  g_assert_true (reel_replay_buffer_ensemble_set_weights (changed, NULL, TRUE, NULL));
  reel_replay_buffer_ensemble_get_options (changed, &now);
  g_assert_true (!now.p && now.sampleable);
  g_assert_true (reel_replay_buffer_ensemble_set_weights (changed, NULL, FALSE, NULL));
  g_assert_false (reel_replay_buffer_ensemble_set_weights (whole, weights[0], FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, func) g_test_add_func ("/buffers/ensemble-weights/" name, func)
  ADD ("weights-change", test_weights_change);
  for (gint i = 0; i < 3; i++)
    {
      static const char *const classes[] = { "slice", "slice-without-replacement",
                                             "prioritized-slice" };
      g_autofree char *path =
          g_strdup_printf ("/buffers/ensemble-weights/slices-are-counted/%s", classes[i]);

      g_test_add_data_func (path, classes[i], test_slices_are_counted);
    }
  ADD ("number-of-slices-says-their-length", test_number_of_slices_says_their_length);
  ADD ("rows-are-counted", test_rows_are_counted);
  ADD ("what-is-consumed-is-gone", test_what_is_consumed_is_gone);
  ADD ("members-are-taken-by-what-they-have", test_members_are_taken_by_what_they_have);
  ADD ("nested-members-weigh-their-sum", test_nested_members_weigh_their_sum);
  ADD ("refuses", test_refuses);
#undef ADD
  return g_test_run ();
}
