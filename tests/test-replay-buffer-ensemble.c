/* Buffers that are sampled together. */
#include "../src/reel.h"
#include "counted-rows.h"

/* Rows of buffer b are numbered from 1000 b on. */
#define APART 1000

static ReelReplayBuffer *
new_member (gint b, const char *sampler_text)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=8", NULL, NULL);
  g_autofree char *seed = g_strdup_printf ("%d", b);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, "seed", seed, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, NULL);

  counted_extend (buffer, 1, 6, b * APART);
  return buffer;
}

typedef struct
{
  ReelReplayBuffer *buffers[3];
  ReelReplayBufferEnsemble *ensemble;
} Three;

static Three
new_three (const char *sampler, const ReelEnsembleOptions *options)
{
  Three three;
  g_autoptr (GError) error = NULL;

  for (gint b = 0; b < 3; b++)
    three.buffers[b] = new_member (b, sampler);
  three.ensemble = reel_replay_buffer_ensemble_new (three.buffers, 3, options, &error);
  g_assert_no_error (error);
  return three;
}

static void
three_clear (Three *three)
{
  g_object_unref (three->ensemble);
  for (gint b = 0; b < 3; b++)
    g_object_unref (three->buffers[b]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Three, three_clear)

static gint64
get_place (const ReelTensordict *batch, const char *key, gint64 part, gint64 row)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor ((ReelTensordict *) batch, key, NULL);

  g_assert_nonnull (tensor);
  return *(const gint64 *) (tensor->data + part * tensor->strides[0] + row * tensor->strides[1]);
}

/* Every row stands where its index says, in the buffer of its part. */
static void
assert_batch (const ReelTensordict *batch, gint64 n_parts, gint64 n)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (batch, &ndim);

  g_assert_cmpint (ndim, ==, 2);
  g_assert_cmpint (size[0], ==, n_parts);
  g_assert_cmpint (size[1], ==, n);
  for (gint64 part = 0; part < n_parts; part++)
    for (gint64 row = 0; row < n; row++)
      counted_assert_row (batch, (gint64[]){ part, row },
                          get_place (batch, "index/buffer_ids", part, row) * APART
                              + get_place (batch, "index/index", part, row));
}

static void
test_parts_are_stacked (void)
{
  g_auto (Three) three = new_three ("random", NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  for (gint turn = 0; turn < 50; turn++)
    {
      reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, &error);
      g_assert_no_error (error);
      assert_batch (batch, 3, 4);
    }
}

/* The batch that comes back is filled again in its place; one that is kept is left alone. */
static void
test_batch_is_recycled (void)
{
  g_auto (Three) three = new_three ("random", NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelTensordict) other = NULL;
  ReelTensordict *first;
  const guint8 *data;
  gint64 kept;

  g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, NULL));
  first = batch;
  data = reel_tensordict_get_tensor (batch, "observation", NULL)->data;
  for (gint turn = 0; turn < 20; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, NULL));
      g_assert_true (batch == first);
      g_assert_true (reel_tensordict_get_tensor (batch, "observation", NULL)->data == data);
      assert_batch (batch, 3, 4);
    }
  kept = counted_get_number (batch, (gint64[]){ 0, 0 });
  for (gint turn = 0; turn < 5; turn++)
    {
      g_clear_pointer (&other, reel_tensordict_unref);
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 6, &other, NULL));
      assert_batch (other, 3, 2);
    }
  g_assert_cmpint (counted_get_number (batch, (gint64[]){ 0, 0 }), ==, kept);
}

/* T5-2: of weights 0, 0.9 and 0.1 the first buffer is never taken, the others as often as they say;
 * within 6 standard deviations of 60000 parts. */
static void
test_weights (void)
{
  static const double p[] = { 0, 1.8, 0.2 };
  ReelEnsembleOptions options = { .p = p, .num_buffer_sampled = 6, .seed = 3 };
  g_auto (Three) three = new_three ("random", &options);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 counts[3] = { 0 };

  for (gint turn = 0; turn < 10000; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, NULL));
      for (gint64 part = 0; part < 6; part++)
        counts[get_place (batch, "index/buffer_ids", part, 0)]++;
    }
  g_assert_cmpint (counts[0], ==, 0);
  g_assert_cmpint (ABS (counts[1] - 54000), <, 6 * 74);
}

/* Which buffer and which of its rows are two things: 3 × 6 cells of 60000 draws, within 6 standard
 * deviations. */
static void
test_choice_is_independent_of_rows (void)
{
  ReelEnsembleOptions options = { .num_buffer_sampled = 1 };
  g_auto (Three) three = new_three ("random", &options);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 counts[3][6] = { 0 };

  for (gint turn = 0; turn < 60000; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 1, &batch, NULL));
      counts[get_place (batch, "index/buffer_ids", 0, 0)][get_place (batch, "index/index", 0, 0)]++;
    }
  for (gint b = 0; b < 3; b++)
    for (gint row = 0; row < 6; row++)
      g_assert_cmpint (ABS (counts[b][row] - 60000 / 18), <, 6 * 57);
}

static void
test_all_in_order (void)
{
  ReelEnsembleOptions options = { .sample_from_all = TRUE,
                                  .num_buffer_sampled = 2,
                                  .batch_size = 6 };
  g_auto (Three) three = new_three ("random", &options);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 5; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 0, &batch, NULL));
      assert_batch (batch, 3, 2);
      for (gint64 part = 0; part < 3; part++)
        g_assert_cmpint (get_place (batch, "index/buffer_ids", part, 0), ==, part);
    }
}

/* A pass of six rows that ends within a part goes on in the next. */
static void
test_short_parts_are_filled_up (void)
{
  static const double p[] = { 1, 0, 0 };
  ReelEnsembleOptions options = { .p = p, .num_buffer_sampled = 1 };
  g_auto (Three) three = new_three ("without-replacement", &options);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 8; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 4, &batch, NULL));
      assert_batch (batch, 1, 4);
    }
}

/* T5-3: a buffer by its number, several of them, the first rows of all. */
static void
test_is_indexed (void)
{
  static const double p[] = { 1, 1, 2 };
  ReelEnsembleOptions options = { .p = p };
  g_auto (Three) three = new_three ("random", &options);
  g_autoptr (ReelReplayBufferEnsemble) some = NULL;
  g_autoptr (ReelTensordict) first = NULL;
  g_autoptr (GError) error = NULL, select = NULL;
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  g_assert_cmpint (reel_replay_buffer_ensemble_get_length (three.ensemble), ==, 3);
  g_assert_true (reel_replay_buffer_ensemble_get (three.ensemble, 0, NULL) == three.buffers[0]);
  g_assert_true (reel_replay_buffer_ensemble_get (three.ensemble, -1, NULL) == three.buffers[2]);
  g_assert_null (reel_replay_buffer_ensemble_get (three.ensemble, 3, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);

  some = reel_replay_buffer_ensemble_select (three.ensemble, (gint64[]){ 2, 0 }, 2, NULL);
  g_assert_cmpint (reel_replay_buffer_ensemble_get_length (some), ==, 2);
  g_assert_true (reel_replay_buffer_ensemble_get (some, 0, NULL) == three.buffers[2]);
  g_assert_null (
      reel_replay_buffer_ensemble_select (three.ensemble, (gint64[]){ 0, -4 }, 2, &select));
  g_assert_error (select, REEL_ERROR, REEL_ERROR_INDEX);

  reel_index_add_slice (&index, 0, 3, 1);
  first = reel_replay_buffer_ensemble_index (three.ensemble, &index, NULL);
  for (gint64 b = 0; b < 3; b++)
    for (gint64 row = 0; row < 3; row++)
      counted_assert_row (first, (gint64[]){ b, row }, b * APART + row);
}

/* T5-4: parts of other lengths become a lazy stack, and each says whose it is. */
static void
test_other_lengths_are_a_lazy_stack (void)
{
  ReelEnsembleOptions options = { .sample_from_all = TRUE };
  g_auto (Three) three = new_three ("without-replacement", &options);
  g_autoptr (ReelTensordict) batch = NULL;

  counted_extend (three.buffers[1], 1, 2, APART + 6);
  for (gint turn = 0; turn < 4; turn++)
    {
      g_autoptr (ReelTensordict) part = NULL;
      gint ndim;

      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, NULL));
      if (turn % 2 == 0)
        assert_batch (batch, 3, 4);
      else
        g_assert_cmpint (reel_tensordict_get_kind (batch), ==, REEL_TENSORDICT_LAZY_STACK);
      part = reel_tensordict_select_index (batch, 0, 1, NULL);
      g_assert_cmpint (reel_tensordict_get_batch_size (part, &ndim)[0], ==, 4);
      for (gint64 row = 0; row < 4; row++)
        g_assert_cmpint (counted_get_number (part, &row) / APART, ==, 1);
      g_clear_pointer (&part, reel_tensordict_unref);
      part = reel_tensordict_select_index (batch, 0, 2, NULL);
      g_assert_cmpint (reel_tensordict_get_batch_size (part, &ndim)[0], ==, turn % 2 ? 2 : 4);
    }
}

/* Transforms of a buffer come before the stack, that of the ensemble after it. */
static void
test_transforms (void)
{
  g_autoptr (ReelTransform) outer =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, "exclude:keys=[observation]", NULL, NULL);
  ReelEnsembleOptions options = { .transform = outer };
  g_auto (Three) three = new_three ("random", &options);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint b = 0; b < 3; b++)
    {
      g_autoptr (ReelTransform) inner = reel_object_new_from_text (
          REEL_TYPE_TRANSFORM, "rename:in-keys=[next/wide],out-keys=[wide]", NULL, NULL);

      g_assert_nonnull (inner);
      g_assert_true (reel_replay_buffer_append_transform (three.buffers[b], inner, FALSE, NULL));
    }
  for (gint turn = 0; turn < 5; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, NULL));
      g_assert_true (reel_tensordict_contains (batch, "wide"));
      g_assert_false (reel_tensordict_contains (batch, "observation"));
      for (gint64 part = 0; part < 3; part++)
        g_assert_cmpint (counted_get_number (batch, (gint64[]){ part, 0 }), ==,
                         get_place (batch, "index/buffer_ids", part, 0) * APART
                             + get_place (batch, "index/index", part, 0));
    }
}

static void
test_refuses (void)
{
  static const double some[] = { 1, -1, 1 }, none[] = { 0, 0, 0 };
  g_auto (Three) three = new_three ("random", NULL);
  const struct
  {
    ReelEnsembleOptions options;
    gint code;
  } cases[] = {
    { { .p = some }, REEL_ERROR_VALUE },
    { { .p = none }, REEL_ERROR_VALUE },
    { { .p = some, .sample_from_all = TRUE }, REEL_ERROR_RUNTIME },
  };
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) size = NULL, divide = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_replay_buffer_ensemble_new (three.buffers, 3, &cases[i].options, &error));
      g_assert_error (error, REEL_ERROR, cases[i].code);
    }
  g_assert_false (reel_replay_buffer_ensemble_sample (three.ensemble, 0, &batch, &size));
  g_assert_error (size, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_false (reel_replay_buffer_ensemble_sample (three.ensemble, 13, &batch, &divide));
  g_assert_error (divide, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_null (batch);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, func) g_test_add_func ("/buffers/ensemble/" name, func)
  ADD ("parts-are-stacked", test_parts_are_stacked);
  ADD ("batch-is-recycled", test_batch_is_recycled);
  ADD ("weights", test_weights);
  ADD ("choice-is-independent-of-rows", test_choice_is_independent_of_rows);
  ADD ("all-in-order", test_all_in_order);
  ADD ("short-parts-are-filled-up", test_short_parts_are_filled_up);
  ADD ("is-indexed", test_is_indexed);
  ADD ("other-lengths-are-a-lazy-stack", test_other_lengths_are_a_lazy_stack);
  ADD ("transforms", test_transforms);
  ADD ("refuses", test_refuses);
#undef ADD
  return g_test_run ();
}
