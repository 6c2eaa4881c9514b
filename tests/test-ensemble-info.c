/* Info of the samplers for the rows of an ensemble's batch, beside it, as TorchRL's
 * `sample(return_info=True)` gives it. */
#include "../src/reel.h"
#include "count-allocations.h"
#include "scratch.h"
#include "three-buffers.h"

#include <string.h>

static ReelTensordict *
get_info (ReelReplayBufferEnsemble *ensemble)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *info = reel_replay_buffer_ensemble_dup_batch_info (ensemble, &error);

  g_assert_no_error (error);
  return info;
}

static void
assert_nothing_known (ReelReplayBufferEnsemble *ensemble)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_replay_buffer_ensemble_dup_batch_info (ensemble, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
assert_equal (ReelTensordict *a, ReelTensordict *b)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (a);

  for (char **leaf = leaves; *leaf; leaf++)
    g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (a, *leaf, NULL),
                                      reel_tensordict_get_tensor (b, *leaf, NULL)));
}

/* Each of the numbers in a batch is of the buffer and the slot that are said. */
static void
assert_said (const ReelTensordict *info, const ReelTensordict *batch, const char *key,
             gint64 n_parts, gint64 n)
{
  g_assert_true (reel_tensordict_contains (info, "priority_weight"));
  for (gint64 part = 0; part < n_parts; part++)
    for (gint64 row = 0; row < n; row++)
      g_assert_cmpint (three_get (batch, key, part, row), ==,
                       three_get (info, "index/buffer_ids", part, row) * APART
                           + three_get (info, "index/index", part, row));
}

/* A batch of tensordicts holds the same. */
static void
assert_beside (ReelReplayBufferEnsemble *ensemble, ReelTensordict *batch)
{
  g_autoptr (ReelTensordict) info = get_info (ensemble);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (info);
  gint ndim, other;
  const gint64 *size = reel_tensordict_get_batch_size (info, &ndim);
  const gint64 *wanted = reel_tensordict_get_batch_size (batch, &other);

  g_assert_cmpmem (size, (gsize) ndim * sizeof *size, wanted, (gsize) other * sizeof *wanted);
  g_assert_true (g_strv_contains ((const char *const *) leaves, "index/buffer_ids"));
  for (gint64 part = 0; part < size[0]; part++)
    {
      g_autoptr (ReelTensordict) said = reel_tensordict_select_index (info, 0, part, NULL);
      g_autoptr (ReelTensordict) held = reel_tensordict_select_index (batch, 0, part, NULL);

      for (char **leaf = leaves; *leaf; leaf++)
        g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (said, *leaf, NULL),
                                          reel_tensordict_get_tensor (held, *leaf, NULL)));
    }
}

/* Members that are drawn twice for a batch, parts that a pass ends in, weights, batches that were
 * drawn ahead. */
static void
test_is_what_the_batch_holds (gconstpointer sampler)
{
  static const double p[] = { 3, 1, 0 };
  static const ReelEnsembleOptions ways[] = {
    { .batch_size = 12 },
    { .batch_size = 12, .p = p },
    { .batch_size = 12, .sample_from_all = TRUE },
    { .batch_size = 4, .num_buffer_sampled = 1 },
  };

  for (gint way = 0; way < 8; way++)
    {
      g_auto (Three) three = three_new (sampler, &ways[way / 2]);
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (
          reel_replay_buffer_ensemble_set_prefetch (three.ensemble, way % 2 * 2, &error));
      g_assert_no_error (error);
      assert_nothing_known (three.ensemble);
      for (gint turn = 0; turn < 20; turn++)
        {
          reel_replay_buffer_ensemble_sample (three.ensemble, 0, &batch, &error);
          g_assert_no_error (error);
          assert_beside (three.ensemble, batch);
          if (turn % 3 == 0)
            g_clear_pointer (&batch, reel_tensordict_unref);
        }
    }
}

/* Transforms that drop it hide nothing. */
static void
test_is_there_behind_transforms (void)
{
  g_autoptr (ReelTransform) outer = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM, "exclude:keys=[index,priority_weight]", NULL, NULL);
  ReelEnsembleOptions options = { .transform = outer };
  g_auto (Three) three = three_new ("prioritized", &options);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 20; turn++)
    {
      g_autoptr (ReelTensordict) info = NULL;

      g_assert_true (reel_replay_buffer_ensemble_sample (three.ensemble, 12, &batch, NULL));
      g_assert_false (reel_tensordict_contains (batch, "index"));
      g_assert_false (reel_tensordict_contains (batch, "priority_weight"));
      info = get_info (three.ensemble);
      assert_said (info, batch, "id", 3, 4);
    }
  g_assert_false (reel_replay_buffer_ensemble_sample (three.ensemble, 13, &batch, NULL));
  assert_nothing_known (three.ensemble);
}

/* Each row of an ensemble of ensembles says its ensemble, its buffer there, and its slot. */
static void
test_of_ensembles (void)
{
  for (gint64 prefetch = 0; prefetch < 3; prefetch += 2)
    {
      const ReelEnsembleOptions options = { .batch_size = 18, .num_buffer_sampled = 3 };
      g_auto (Three) three = three_new ("prioritized", NULL);
      g_auto (Three) others = three_new ("prioritized", NULL);
      GObject *members[] = { G_OBJECT (three.ensemble), G_OBJECT (others.ensemble) };
      g_autoptr (ReelReplayBufferEnsemble) both =
          reel_replay_buffer_ensemble_new_mixed (members, 2, &options, NULL);
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (both, prefetch, NULL));
      for (gint turn = 0; turn < 20; turn++)
        {
          g_assert_true (reel_replay_buffer_ensemble_sample (both, 0, &batch, &error));
          g_assert_no_error (error);
          g_assert_true (reel_tensordict_contains (batch, "index/index/buffer_ids"));
          assert_beside (both, batch);
        }
    }
}

/* ---- when parts change ---- */

static const ReelEnsembleOptions of_twelve = { .batch_size = 12 };

static void
sample (ReelReplayBufferEnsemble *ensemble, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_ensemble_sample (ensemble, 0, batch, &error);
  g_assert_no_error (error);
}

static void
set_samplers (Three *three, const char *text)
{
  for (gint b = 0; b < 3; b++)
    {
      g_autoptr (ReelSampler) sampler =
          reel_object_new_from_text (REEL_TYPE_SAMPLER, text, NULL, NULL);

      g_assert_true (reel_replay_buffer_set_sampler (three->buffers[b], sampler, NULL, NULL));
    }
}

/* Samplers of slices have names of keys of their own. */
static void
test_outlives_the_samplers (gconstpointer sampler)
{
  for (gint64 prefetch = 0; prefetch < 4; prefetch++)
    {
      g_auto (Three) three = three_new (sampler, &of_twelve);
      g_autoptr (ReelTensordict) batch = NULL;

      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, prefetch, NULL));
      for (gint turn = 0; turn < 12; turn++)
        {
          sample (three.ensemble, &batch);
          set_samplers (&three, turn % 3 == 0 ? "random" : sampler);
          assert_beside (three.ensemble, batch);
        }
    }
}

static ReelReplayBuffer *
new_filled (gint64 lanes, gint64 n)
{
  ReelReplayBuffer *buffer = counted_new_buffer ("tensor", 24, lanes > 1 ? 2 : 1);

  if (n > 0)
    counted_extend (buffer, lanes, n, 0);
  return buffer;
}

/* Of one dimension and two, of other lanes, of a storage that has no memory yet. */
static void
test_outlives_the_storage (void)
{
  static const gint64 lanes[] = { 1, 2, 3, 4 };

  for (gint way = 0; way < 4 * 4 * 2 * 2; way++)
    {
      gint64 prefetch = way / 16 % 2 * 2;
      g_autoptr (ReelReplayBuffer) buffer = new_filled (lanes[way % 4], 6);
      g_autoptr (ReelReplayBuffer) other = new_filled (lanes[way / 4 % 4], way / 32 * 6);
      ReelStorage *storage = reel_replay_buffer_get_storage (other);
      g_autoptr (ReelReplayBufferEnsemble) ensemble =
          reel_replay_buffer_ensemble_new (&buffer, 1, &of_twelve, NULL);
      g_autoptr (ReelTensordict) batch = NULL, single = NULL, info = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (ensemble, prefetch, NULL));
      sample (ensemble, &batch);
      g_assert_true (reel_replay_buffer_sample (buffer, 12, &single, NULL));
      g_assert_true (reel_replay_buffer_set_storage (buffer, storage, NULL, NULL));
      assert_beside (ensemble, batch);
      info = reel_replay_buffer_dup_batch_info (buffer, &error);
      g_assert_no_error (error);
      assert_equal (info, single);
      for (gint64 i = 0; i < prefetch; i++)
        {
          sample (ensemble, &batch);
          assert_beside (ensemble, batch);
        }
    }
}

static void
empty_all (Three *three)
{
  for (gint b = 0; b < 3; b++)
    g_assert_true (reel_replay_buffer_empty (three->buffers[b], TRUE, NULL));
}

static void
assert_fails (ReelReplayBufferEnsemble *ensemble, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_ensemble_sample (ensemble, 0, batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  assert_nothing_known (ensemble);
}

/* Not of the batch before, either. */
static void
test_is_nothing_where_drawing_failed (void)
{
  for (gint64 prefetch = 0; prefetch < 4; prefetch++)
    {
      g_auto (Three) three = three_new ("random", &of_twelve);
      g_autoptr (ReelTensordict) batch = NULL, kept = NULL, copy = NULL;

      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, prefetch, NULL));
      sample (three.ensemble, &batch);
      empty_all (&three);
      for (gint64 i = 0; i < prefetch; i++)
        {
          sample (three.ensemble, &batch);
          assert_beside (three.ensemble, batch);
        }
      for (gint i = 0; i < 3; i++)
        assert_fails (three.ensemble, &batch);
      kept = g_steal_pointer (&batch);
      copy = reel_tensordict_clone (kept, TRUE, NULL);
      for (gint b = 0; b < 3; b++)
        counted_extend (three.buffers[b], 1, 6, b * APART);
      for (gint i = 0; i < 8; i++)
        {
          sample (three.ensemble, &batch);
          assert_beside (three.ensemble, batch);
        }
      assert_equal (kept, copy);
    }
}

/* Loaded rows are drawn from anew, and a batch kept from before is as it was. */
static void
test_after_loading (void)
{
  g_autofree char *path = scratch_path ("dump");

  for (gint way = 0; way < 8; way++)
    {
      g_auto (Three) three = three_new ("random", &of_twelve);
      g_autoptr (ReelTensordict) batch = NULL, kept = NULL, copy = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, way / 2, NULL));
      reel_replay_buffer_ensemble_dumps (three.ensemble, path, REEL_CHECKPOINT_FORCE, &error);
      g_assert_no_error (error);
      for (gint turn = 0; turn < 8; turn++)
        {
          g_clear_pointer (&kept, reel_tensordict_unref);
          g_clear_pointer (&copy, reel_tensordict_unref);
          sample (three.ensemble, &batch);
          if (turn % 3 < 2)
            {
              kept = g_steal_pointer (&batch);
              copy = reel_tensordict_clone (kept, TRUE, NULL);
            }
          g_assert_true (reel_replay_buffer_ensemble_loads (three.ensemble, path, NULL));
          assert_nothing_known (three.ensemble);
          if (way % 2)
            {
              empty_all (&three);
              assert_fails (three.ensemble, &batch);
              g_assert_true (reel_replay_buffer_ensemble_loads (three.ensemble, path, NULL));
            }
          sample (three.ensemble, &batch);
          assert_beside (three.ensemble, batch);
          if (kept)
            assert_equal (kept, copy);
        }
    }
}

/* ---- trees, which have no place for it ---- */

static ReelReplayBuffer *
new_tree_buffer (const char *storage_text, gint b)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage_text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "prioritized", NULL, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 6; i++)
    {
      g_autoptr (ReelTensordict) row = reel_tree_new (REEL_TENSORDICT_TUPLE);
      g_autoptr (ReelTensor) number = counted_new_tensor (0, NULL, b * APART + i);

      g_assert_true (reel_tree_append_tensor (row, number, NULL));
      reel_replay_buffer_add (buffer, row, NULL, &error);
      g_assert_no_error (error);
    }
  return buffer;
}

static void
test_of_trees (gconstpointer storage)
{
  for (gint64 prefetch = 0; prefetch < 3; prefetch += 2)
    {
      const ReelEnsembleOptions options = { .batch_size = 12 };
      g_autoptr (ReelReplayBuffer) one = new_tree_buffer (storage, 0);
      g_autoptr (ReelReplayBuffer) other = new_tree_buffer (storage, 1);
      ReelReplayBuffer *const buffers[] = { one, other };
      g_autoptr (ReelReplayBufferEnsemble) ensemble =
          reel_replay_buffer_ensemble_new (buffers, 2, &options, NULL);
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (ensemble, prefetch, NULL));
      for (gint turn = 0; turn < 20; turn++)
        {
          g_autoptr (ReelTensordict) info = NULL;

          reel_replay_buffer_ensemble_sample (ensemble, 0, &batch, &error);
          g_assert_no_error (error);
          info = get_info (ensemble);
          assert_said (info, batch, "0", 2, 6);
        }
    }
}

/* ---- what it costs ---- */

/* Allocations of batches of trees, which are put together anew each time. */
static gint64
count_allocations (const char *sampler, gboolean asked)
{
  static const double p[] = { 1, 0 };
  const ReelEnsembleOptions options = { .batch_size = 12, .p = p };
  g_autoptr (ReelReplayBuffer) buffer = new_tree_buffer ("tensor:capacity=8", 0);
  g_autoptr (ReelReplayBufferEnsemble) inner =
      reel_replay_buffer_ensemble_new (&buffer, 1, NULL, NULL);
  GObject *members[] = { G_OBJECT (inner), G_OBJECT (buffer) };
  g_autoptr (ReelReplayBufferEnsemble) outer =
      reel_replay_buffer_ensemble_new_mixed (members, 2, &options, NULL);
  g_autoptr (ReelSampler) other =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler, NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 before = 0;

  g_assert_true (reel_replay_buffer_set_sampler (buffer, other, NULL, NULL));
  for (gint turn = 0; turn < 40; turn++)
    {
      g_autoptr (ReelTensordict) info = NULL;

      if (turn == 20)
        before = allocations_get_count ();
      sample (outer, &batch);
      if (asked)
        info = get_info (outer);
    }
  return allocations_get_count () - before;
}

/* A sampler that says more of rows makes nobody allocate more who does not ask. */
static void
test_costs_who_asks (void)
{
  if (!allocations_are_counted ())
    {
      g_test_skip ("sanitizers have an allocator of their own");
      return;
    }
  g_assert_cmpint (count_allocations ("prioritized", FALSE), ==,
                   count_allocations ("random", FALSE));
  g_assert_cmpint (count_allocations ("prioritized", TRUE), >, count_allocations ("random", TRUE));
}

int
main (int argc, char **argv)
{
  static const char *const samplers[] = { "random", "prioritized", "without-replacement" };
  static const char *const slices[] = {
    "slice:slice-len=2,end-key=next/flag,init-key=''",
    "slice-without-replacement:slice-len=2,end-key=next/flag,init-key=''",
    "prioritized-slice:slice-len=2,end-key=next/flag,init-key=''",
  };
  static const char *const storages[] = { "tensor:capacity=8", "list:capacity=8" };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (samplers); i++)
    {
      g_autofree char *name =
          g_strconcat ("/buffers/ensemble-info/is-what-the-batch-holds/", samplers[i], NULL);
      g_test_add_data_func (name, samplers[i], test_is_what_the_batch_holds);
    }
  g_test_add_func ("/buffers/ensemble-info/is-there-behind-transforms",
                   test_is_there_behind_transforms);
  g_test_add_func ("/buffers/ensemble-info/of-ensembles", test_of_ensembles);
  for (gsize i = 0; i < G_N_ELEMENTS (slices); i++)
    {
      g_autofree char *name = g_strdup_printf ("/buffers/ensemble-info/outlives-the-samplers/%.*s",
                                               (int) strcspn (slices[i], ":"), slices[i]);
      g_test_add_data_func (name, slices[i], test_outlives_the_samplers);
    }
  g_test_add_func ("/buffers/ensemble-info/outlives-the-storage", test_outlives_the_storage);
  g_test_add_func ("/buffers/ensemble-info/is-nothing-where-drawing-failed",
                   test_is_nothing_where_drawing_failed);
  scratch_test ("/buffers/ensemble-info/after-loading", test_after_loading);
  g_test_add_func ("/buffers/ensemble-info/costs-who-asks", test_costs_who_asks);
  for (gsize i = 0; i < G_N_ELEMENTS (storages); i++)
    {
      g_autofree char *name = g_strconcat ("/buffers/ensemble-info/of-trees/", storages[i], NULL);
      g_test_add_data_func (name, storages[i], test_of_trees);
    }
  return g_test_run ();
}
