/* Buffers that are sampled together. */
#include "../src/reel.h"
#include "three-buffers.h"

#include <string.h>

static void
test_parts_are_stacked (void)
{
  g_auto (Three) three = three_new ("random", NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  for (gint turn = 0; turn < 50; turn++)
    {
      reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, &error);
      g_assert_no_error (error);
      three_assert_batch (batch, 3, 4);
    }
}

/* The batch that comes back is filled again in its place; one that is kept is left alone. */
static void
test_batch_is_recycled (void)
{
  g_auto (Three) three = three_new ("random", NULL);
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
      three_assert_batch (batch, 3, 4);
    }
  kept = counted_get_number (batch, (gint64[]){ 0, 0 });
  for (gint turn = 0; turn < 5; turn++)
    {
      g_clear_pointer (&other, reel_tensordict_unref);
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 6, &other, NULL));
      three_assert_batch (other, 3, 2);
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
  g_auto (Three) three = three_new ("random", &options);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 counts[3] = { 0 }, n_mixed = 0;

  for (gint turn = 0; turn < 10000; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, NULL));
      for (gint64 part = 0; part < 6; part++)
        {
          gint64 id = three_get (batch, "index/buffer_ids", part, 0);

          counts[id]++;
          n_mixed += id != three_get (batch, "index/buffer_ids", 0, 0);
        }
    }
  g_assert_cmpint (counts[0], ==, 0);
  g_assert_cmpint (ABS (n_mixed - 9000), <, 6 * 150); /* of 50000 pairs, 2 × 0.9 × 0.1 differ */
  g_assert_cmpint (ABS (counts[1] - 54000), <, 6 * 74);
}

/* Which buffer and which of its rows are two things: 3 × 6 cells of 60000 draws, within 6 standard
 * deviations. */
static void
test_choice_is_independent_of_rows (void)
{
  ReelEnsembleOptions options = { .num_buffer_sampled = 1 };
  g_auto (Three) three = three_new ("random", &options);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 counts[3][6] = { 0 };

  for (gint turn = 0; turn < 60000; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 1, &batch, NULL));
      counts[three_get (batch, "index/buffer_ids", 0, 0)][three_get (batch, "index/index", 0, 0)]++;
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
  g_auto (Three) three = three_new ("random", &options);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 5; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 0, &batch, NULL));
      three_assert_batch (batch, 3, 2);
      for (gint64 part = 0; part < 3; part++)
        g_assert_cmpint (three_get (batch, "index/buffer_ids", part, 0), ==, part);
    }
}

/* A pass of six rows that ends within a part goes on in the next. */
static void
test_short_parts_are_filled_up (void)
{
  static const double p[] = { 1, 0, 0 };
  ReelEnsembleOptions options = { .p = p, .num_buffer_sampled = 1 };
  g_auto (Three) three = three_new ("without-replacement", &options);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 8; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 4, &batch, NULL));
      three_assert_batch (batch, 1, 4);
    }
}

/* T5-3: a buffer by its number, several of them, the first rows of all. */
static void
test_is_indexed (void)
{
  static const double p[] = { 1, 1, 2 };
  ReelEnsembleOptions options = { .p = p };
  g_auto (Three) three = three_new ("random", &options);
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
  g_auto (Three) three = three_new ("without-replacement", &options);
  g_autoptr (ReelTensordict) batch = NULL;

  counted_extend (three.buffers[1], 1, 2, APART + 6);
  for (gint turn = 0; turn < 4; turn++)
    {
      g_autoptr (ReelTensordict) part = NULL;
      gint ndim;

      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, NULL));
      if (turn % 2 == 0)
        three_assert_batch (batch, 3, 4);
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
  g_auto (Three) three = three_new ("random", &options);
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
                         three_get (batch, "index/buffer_ids", part, 0) * APART
                             + three_get (batch, "index/index", part, 0));
    }
}

static void
test_refuses (void)
{
  static const double some[] = { 1, -1, 1 }, none[] = { 0, 0, 0 };
  g_auto (Three) three = three_new ("random", NULL);
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

/* T5-3: `rb[which, index]`. */
static void
test_some_are_indexed (void)
{
  g_auto (Three) three = three_new ("random", NULL);
  g_autoptr (ReelTensordict) one = NULL, two = NULL, listed = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (ReelIndex) last = REEL_INDEX_INIT, from_1 = REEL_INDEX_INIT, rows = REEL_INDEX_INIT;
  g_auto (ReelIndex) list = REEL_INDEX_INIT, square = REEL_INDEX_INIT, real = REEL_INDEX_INIT;
  gint64 ids[] = { 2, 0 }, shape[] = { 1, 1 }, n = 2;
  g_autoptr (ReelTensor) picked = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) wide = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL);
  g_autoptr (ReelTensor) reals = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);

  memcpy (picked->data, ids, sizeof ids);
  reel_index_add_int (&last, -1);
  reel_index_add_slice (&from_1, 1, G_MAXINT64, 1);
  reel_index_add_slice (&rows, 0, 3, 1);
  reel_index_add_tensor (&list, picked);
  reel_index_add_tensor (&square, wide);
  reel_index_add_tensor (&real, reals);
  one = reel_replay_buffer_ensemble_index_some (three.ensemble, &last, &rows, &error);
  two = reel_replay_buffer_ensemble_index_some (three.ensemble, &from_1, &rows, &error);
  listed = reel_replay_buffer_ensemble_index_some (three.ensemble, &list, &rows, &error);
  g_assert_no_error (error);
  for (gint64 row = 0; row < 3; row++)
    {
      counted_assert_row (one, &row, 2 * APART + row);
      for (gint64 b = 0; b < 2; b++)
        {
          counted_assert_row (two, (gint64[]){ b, row }, (b + 1) * APART + row);
          counted_assert_row (listed, (gint64[]){ b, row }, ids[b] * APART + row);
        }
    }
  g_assert_null (reel_replay_buffer_ensemble_index_some (three.ensemble, &square, &rows, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_replay_buffer_ensemble_index_some (three.ensemble, &real, &rows, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
}

/* Whose rows the parts are does not hang on what the members' samplers are, nor on who else draws
 * with them. */
static void
test_stream_is_its_own (void)
{
  ReelEnsembleOptions options = { .num_buffer_sampled = 4, .seed = 1 };
  g_auto (Three) one = three_new ("random", &options);
  g_auto (Three) other = three_new ("without-replacement", &options);

  for (gint turn = 0; turn < 200; turn++)
    {
      g_autoptr (ReelTensordict) a = NULL, b = NULL, between = NULL;

      g_assert_true (reel_replay_buffer_ensemble_sample (one.ensemble, 8, &a, NULL));
      g_assert_true (reel_replay_buffer_sample (one.buffers[turn % 3], 5, &between, NULL));
      g_assert_true (reel_replay_buffer_ensemble_sample (other.ensemble, 8, &b, NULL));
      for (gint64 part = 0; part < 4; part++)
        g_assert_cmpint (three_get (a, "index/buffer_ids", part, 0), ==,
                         three_get (b, "index/buffer_ids", part, 0));
    }
}

static gint64
get_deep (ReelTensordict *batch, const char *key, const gint64 *place)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (batch, key, NULL);
  gint64 offset = 0;

  g_assert_nonnull (tensor);
  for (gint d = 0; d < tensor->ndim; d++)
    offset += place[d] * tensor->strides[d];
  return *(const gint64 *) (tensor->data + offset);
}

/* Of ensembles of two and one buffer: each row says its ensemble, its buffer there, and its slot.
 */
static void
test_nested (void)
{
  g_auto (Three) three = three_new ("random", NULL);
  ReelEnsembleOptions inner_options = { .num_buffer_sampled = 2 };
  ReelEnsembleOptions options = { .num_buffer_sampled = 3, .seed = 2 };
  g_autoptr (ReelReplayBufferEnsemble) two =
      reel_replay_buffer_ensemble_new (three.buffers, 2, &inner_options, NULL);
  g_autoptr (ReelReplayBufferEnsemble) one =
      reel_replay_buffer_ensemble_new (&three.buffers[2], 1, &inner_options, NULL);
  GObject *members[] = { G_OBJECT (two), G_OBJECT (one) };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new_mixed (members, 2, &options, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  gint64 seen[3] = { 0 };

  for (gint turn = 0; turn < 300; turn++)
    {
      g_assert_true (reel_replay_buffer_ensemble_sample (ensemble, 24, &batch, &error));
      for (gint64 i = 0; i < 24; i++)
        {
          gint64 place[] = { i / 8, i / 4 % 2, i % 4 };
          gint64 outer = get_deep (batch, "index/buffer_ids", place);
          gint64 buffer = outer * 2 + get_deep (batch, "index/index/buffer_ids", place);

          counted_assert_row (batch, place,
                              buffer * APART + get_deep (batch, "index/index/index", place));
          seen[buffer]++;
        }
    }
  /* 7200 rows, half of them of the third buffer; parts of 8 rows, so 6 standard deviations are
   * 8 × 6 × √(900 / 4). */
  g_assert_cmpint (ABS (seen[2] - 3600), <, 720);
  g_assert_true (seen[0] > 1000 && seen[1] > 1000);
}

static void
test_nested_parts_must_divide (void)
{
  g_auto (Three) three = three_new ("random", NULL);
  GObject *members[] = { G_OBJECT (three.ensemble) };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new_mixed (members, 1, NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_ensemble_sample (ensemble, 4, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

static void
test_stats (void)
{
  g_auto (Three) three = three_new ("random", NULL);
  GObject *members[] = { G_OBJECT (three.ensemble), G_OBJECT (three.buffers[0]) };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new_mixed (members, 2, NULL, NULL);
  ReelReplayBufferStats stats;

  reel_replay_buffer_ensemble_get_stats (ensemble, &stats);
  g_assert_cmpint (stats.size, ==, 24);
  g_assert_cmpint (stats.capacity, ==, 32);
  g_assert_cmpint (stats.write_count, ==, 24);
  g_assert_cmpfloat (stats.utilization, ==, 0.75);
  g_assert_true (stats.initialized);
}

/* The print of TorchRL 0.14.1, without its collate function. */
static void
test_prints (void)
{
  static const char *const expected =
      "ReplayBufferEnsemble(\n"
      "    storages=StorageEnsemble(\n"
      "        storages=(LazyMemmapStorage(\n"
      "            data=<empty>, \n"
      "            shape=None, \n"
      "            len=0, \n"
      "            max_size=10), LazyTensorStorage(\n"
      "            data=<empty>, \n"
      "            shape=None, \n"
      "            len=0, \n"
      "            max_size=10)), \n"
      "        transforms=[Compose(\n"
      "                RenameTransform(keys=['a'])), Compose()]), \n"
      "    samplers=SamplerEnsemble(\n"
      "        samplers=(RandomSampler(), PrioritizedSampler(alpha=0.7, beta=0.5, eps=1e-08, "
      "reduction=max))), \n"
      "    writers=WriterEnsemble(\n"
      "        writers=(TensorDictRoundRobinWriter(cursor=0, full_storage=False), "
      "TensorDictRoundRobinWriter(cursor=0, full_storage=False))), \n"
      "batch_size=None, \n"
      "transform=Compose(\n"
      "        RenameTransform(keys=['c'])))";
  static const char *const texts[2][2] = { { "memmap:capacity=10", "random" },
                                           { "tensor:capacity=10",
                                             "prioritized:alpha=0.7,beta=0.5,max-capacity=10" } };
  g_autoptr (ReelTransform) inner = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM, "rename:in-keys=[a],out-keys=[b]", NULL, NULL);
  g_autoptr (ReelTransform) outer = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM, "rename:in-keys=[c],out-keys=[d]", NULL, NULL);
  ReelEnsembleOptions options = { .transform = outer };
  g_autoptr (ReelReplayBufferEnsemble) ensemble = NULL;
  g_autofree char *text = NULL;
  ReelReplayBuffer *buffers[2];

  for (gint b = 0; b < 2; b++)
    {
      g_autoptr (ReelStorage) storage =
          reel_object_new_from_text (REEL_TYPE_STORAGE, texts[b][0], NULL, NULL);
      g_autoptr (ReelSampler) sampler =
          reel_object_new_from_text (REEL_TYPE_SAMPLER, texts[b][1], NULL, NULL);
      g_autoptr (ReelWriter) writer =
          reel_object_new_from_text (REEL_TYPE_WRITER, "tensordict-round-robin", NULL, NULL);

      buffers[b] = reel_replay_buffer_new (storage, sampler, writer, 0, NULL);
    }
  g_assert_true (reel_replay_buffer_append_transform (buffers[0], inner, FALSE, NULL));
  ensemble = reel_replay_buffer_ensemble_new (buffers, 2, &options, NULL);
  text = reel_replay_buffer_ensemble_to_string (ensemble);
  g_assert_cmpstr (text, ==, expected);
  g_object_unref (buffers[0]);
  g_object_unref (buffers[1]);
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
  ADD ("some-are-indexed", test_some_are_indexed);
  ADD ("stream-is-its-own", test_stream_is_its_own);
  ADD ("nested", test_nested);
  ADD ("nested-parts-must-divide", test_nested_parts_must_divide);
  ADD ("stats", test_stats);
  ADD ("prints", test_prints);
#undef ADD
  return g_test_run ();
}
