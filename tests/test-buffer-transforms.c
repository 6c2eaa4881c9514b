/* The transforms of a buffer see all rows that are read and written. */
#include "make-transform.h"
#include "small-tensordicts.h"

#include <string.h>

/* ---- helpers ---- */

static ReelReplayBuffer *
new_buffer (gint64 capacity, gint ndim)
{
  g_autofree char *text =
      g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=%d", capacity, ndim);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);

  return reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
}

static void
append (ReelReplayBuffer *buffer, const char *text, gboolean invert)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_append_transform (buffer, transform, invert, &error);
  g_assert_no_error (error);
}

static ReelTensordict *
add_one (ReelTensordict *td, gpointer in_place, GError **error)
{
  ReelTensor *old = reel_tensordict_get_tensor (td, "a", NULL);
  g_autoptr (ReelTensor) tensor = in_place ? reel_tensor_ref (old) : reel_tensor_clone (old, NULL);

  for (gint64 i = 0; i < tensor->shape[0]; i++)
    *(float *) reel_tensor_element (tensor, &i) += 1;
  reel_tensordict_set_tensor (td, "a", tensor, NULL);
  return reel_tensordict_ref (td);
}

static void
append_add_one (ReelReplayBuffer *buffer, gboolean in_place, gboolean invert)
{
  g_autoptr (ReelTransform) transform =
      reel_transform_new_callback (add_one, GINT_TO_POINTER (in_place), NULL);

  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, invert, NULL));
}

/* `a` float32 [n] of zeros, `b` counting. */
static ReelTensordict *
new_zeros (gint64 n)
{
  ReelTensordict *td = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensor) a = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);

  reel_tensordict_set_tensor (td, "a", a, NULL);
  set_counting (td, "b", 1, &n);
  return td;
}

static void
extend (ReelReplayBuffer *buffer, ReelTensordict *data)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, data, NULL, &error);
  g_assert_no_error (error);
}

/* All elements of `a` are @expected. */
static void
assert_all (ReelTensordict *td, float expected)
{
  g_autoptr (ReelTensor) given = reel_tensordict_ref_tensor (td, "a", NULL);
  g_autoptr (ReelTensor) tensor = reel_tensor_clone (given, NULL);

  g_assert_cmpint (reel_tensor_numel (tensor), >, 0);
  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    g_assert_cmpfloat (((float *) tensor->data)[i], ==, expected);
}

static void
sample (ReelReplayBuffer *buffer, gint64 n, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_sample (buffer, n, batch, &error);
  g_assert_no_error (error);
}

/* ---- on write ---- */

/* T12.1-6: anything read, and however often: what is stored stays. */
static void
test_reading_leaves_what_is_stored (void)
{
  for (gint in_place = 0; in_place < 2; in_place++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (4, 1);
      g_autoptr (ReelTensordict) zeros = new_zeros (4);
      const ReelTensor *stored;

      g_assert_true (reel_replay_buffer_extend (buffer, zeros, NULL, NULL));
      append_add_one (buffer, in_place, FALSE);
      stored = reel_tensordict_get_tensor (
          reel_storage_get_data (reel_replay_buffer_get_storage (buffer)), "a", NULL);
      for (gint times = 0; times < 2; times++)
        {
          g_auto (ReelIndex) slice = REEL_INDEX_INIT, several = REEL_INDEX_INIT;
          ReelTensordict *rows[6] = { NULL };

          reel_index_add_slice (&slice, 1, 3, 1);
          reel_index_add_slice (&several, 0, 2, 1);
          reel_index_add_ellipsis (&several);
          rows[0] = reel_replay_buffer_get_all (buffer, NULL);
          rows[1] = reel_replay_buffer_get_slice (buffer, 0, 4, 2, NULL);
          rows[2] = reel_replay_buffer_index (buffer, &slice, NULL);
          rows[3] = reel_replay_buffer_index (buffer, &several, NULL);
          rows[4] = reel_replay_buffer_get_rows (buffer, 0, 4, NULL);
          g_assert_true (reel_replay_buffer_sample (buffer, 3, &rows[5], NULL));
          for (gint i = 0; i < 6; i++)
            {
              const ReelTensor *read = reel_tensordict_get_tensor (rows[i], "a", NULL);

              for (gint64 k = 0; k < read->shape[0]; k++)
                g_assert_cmpfloat (*(float *) reel_tensor_element (read, &k), ==, 1);
              reel_tensordict_unref (rows[i]);
            }
          for (gint64 k = 0; k < 4; k++)
            g_assert_cmpfloat (*(float *) reel_tensor_element (stored, &k), ==, 0);
        }
    }
}

/* T3.8-12 */
static void
test_inverted_on_write (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1);
  g_autoptr (ReelTensordict) data = new_zeros (10), all = NULL;

  append_add_one (buffer, TRUE, TRUE);
  extend (buffer, data);
  all = reel_replay_buffer_get_all (buffer, NULL);
  assert_all (all, 1);
  assert_all (data, 1);
}

/* T3.8-13: what is written in place goes through them too, whatever the index. */
static void
test_in_place (void)
{
  static const char *const indices[] = { "[3:4]", "[..., 3:4]", "[[3]]" };

  for (gsize i = 0; i < G_N_ELEMENTS (indices); i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1);
      g_autoptr (ReelTensordict) data = new_zeros (100), read = NULL;
      g_auto (ReelIndex) index;
      g_autoptr (GError) error = NULL;

      extend (buffer, data);
      append_add_one (buffer, TRUE, TRUE);
      append_add_one (buffer, FALSE, FALSE);
      g_assert_true (reel_index_parse (&index, indices[i], NULL));
      reel_replay_buffer_fill_at (buffer, &index, 0, &error);
      g_assert_no_error (error);
      read = reel_replay_buffer_index (buffer, &index, NULL);
      assert_all (read, 2);
      read = (reel_tensordict_unref (read), reel_replay_buffer_get_slice (buffer, 2, 3, 1, NULL));
      assert_all (read, 1);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 100);
      g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 0);
    }
}

/* Keys of what is brought stay; the layout is that of what is written. */
static void
test_keys_on_write (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1);
  g_autoptr (ReelTensordict) data = new_zeros (10), all = NULL, row = NULL;
  g_autoptr (ReelTensor) index = NULL;

  append (buffer, "exclude:keys=a,inverse=true|rename:in-keys-inv=c,out-keys-inv=b", FALSE);
  extend (buffer, data);
  row = reel_tensordict_select_index (data, 0, 3, NULL);
  g_assert_true (reel_replay_buffer_add (buffer, row, &index, NULL));
  g_assert_cmpint (index->ndim, ==, 0);
  g_assert_cmpint (*(gint64 *) index->data, ==, 10);
  assert_leaves (data, "a b");
  all = reel_replay_buffer_get_all (buffer, NULL);
  assert_leaves (all, "c");
  g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (all, "c", NULL)->data)[10], ==, 3);
}

static void
test_no_block_is_lent (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1);
  g_autoptr (ReelTensordict) data = new_zeros (10);
  g_autoptr (GError) error = NULL;
  ReelReservation block;

  append (buffer, "exclude:keys=a", FALSE);
  extend (buffer, data);
  g_assert_true (reel_replay_buffer_reserve (buffer, 1, &block, NULL));
  reel_replay_buffer_commit (buffer, &block, 0);
  append (buffer, "multi-step", FALSE);
  g_assert_false (reel_replay_buffer_reserve (buffer, 1, &block, &error));
  assert_message (
      &error, REEL_ERROR_RUNTIME,
      "cannot lend a block: a transform of the buffer changes rows that are written; use extend");
}

/* ---- on read ---- */

static void
test_all_that_is_read (void)
{
  for (gint ndim = 1; ndim <= 2; ndim++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (40, ndim);
      g_autoptr (ReelTensordict) flat = new_zeros (20), data = NULL, batch = NULL;
      g_autoptr (ReelTensor) index = NULL;
      const gint64 size[2] = { ndim == 1 ? 20 : 2, 10 };
      g_autoptr (GPtrArray) read =
          g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

      data = reel_tensordict_reshape (flat, ndim, size, NULL);
      g_assert_true (reel_replay_buffer_extend (buffer, data, &index, NULL));
      append (buffer, "rename:in-keys=a,out-keys=x", FALSE);
      sample (buffer, 5, &batch);
      g_ptr_array_add (read, reel_tensordict_ref (batch));
      g_ptr_array_add (read, reel_replay_buffer_get_all (buffer, NULL));
      g_ptr_array_add (read, reel_replay_buffer_get_slice (buffer, 0, 1, 1, NULL));
      g_ptr_array_add (read, reel_replay_buffer_get_item (buffer, 1, NULL));
      g_ptr_array_add (read, reel_replay_buffer_get_at (buffer, index, NULL));
      g_ptr_array_add (read, reel_replay_buffer_get_rows (buffer, 3, 4, NULL));
      g_ptr_array_add (read, reel_replay_buffer_get_numbered_rows (buffer, 3, 4, NULL));
      for (guint i = 0; i < read->len; i++)
        {
          g_assert_true (reel_tensordict_contains (read->pdata[i], "x"));
          g_assert_false (reel_tensordict_contains (read->pdata[i], "a"));
        }
      g_assert_true (reel_tensordict_contains (
          reel_storage_get_data (reel_replay_buffer_get_storage (buffer)), "a"));
    }
}

/* T3.8-15 */
static void
test_cat_tensors (void)
{
  const gint64 shape[2] = { 10, 16 };
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (10, 1);
  g_autoptr (ReelTensordict) data = reel_tensordict_new (1, shape), batch = NULL;
  g_autoptr (ReelTransform) one = make_transform ("exclude:keys=a");
  g_autoptr (GError) error = NULL;

  set_counting (data, "observation", 2, shape);
  set_counting (data, "next/observation", 2, shape);
  extend (buffer, data);
  append (buffer, "cat-tensors:in-keys=[observation,next/observation],out-key=observation_cat",
          FALSE);
  sample (buffer, 7, &batch);
  g_assert_cmpint (reel_tensordict_get_tensor (batch, "observation_cat", NULL)->shape[1], ==, 32);
  g_assert_false (reel_replay_buffer_insert_transform (buffer, 10, one, FALSE, &error));
  assert_message (&error, REEL_ERROR_VALUE, "Index expected to be between [-1, 1] got index=10");
  g_assert_true (reel_replay_buffer_insert_transform (buffer, 0, one, FALSE, NULL));
  g_assert_cmpint (reel_compose_get_length (reel_replay_buffer_get_transform (buffer)), ==, 2);
  g_assert_false (reel_replay_buffer_append_transform (buffer, one, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* Forward on what is stored: what a sample shows is not what is stored. */
static void
test_forward_leaves_the_rows (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1);
  g_autoptr (ReelTensordict) data = new_zeros (100), all = NULL, batch = NULL;

  extend (buffer, data);
  append_add_one (buffer, FALSE, FALSE);
  append_add_one (buffer, FALSE, TRUE);
  all = reel_replay_buffer_get_all (buffer, NULL);
  assert_all (all, 1);
  sample (buffer, 10, &batch);
  assert_all (batch, 1);
  sample (buffer, 10, &batch);
  assert_all (batch, 1);
  assert_all (reel_storage_get_data (reel_replay_buffer_get_storage (buffer)), 0);
}

/* Where rows came from survives transforms that know nothing of it, but not a change of rows. */
static void
test_index_survives (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1);
  g_autoptr (ReelTensordict) data = new_zeros (100), batch = NULL, cropped = NULL;
  ReelTensor *index, *b;

  extend (buffer, data);
  append (buffer, "select:keys=b", FALSE);
  sample (buffer, 10, &batch);
  assert_leaves (batch, "b index");
  index = reel_tensordict_get_tensor (batch, "index", NULL);
  b = reel_tensordict_get_tensor (batch, "b", NULL);
  g_assert_true (reel_tensor_equal (index, b));
  append (buffer, "random-crop:sub-seq-len=3", FALSE);
  sample (buffer, 10, &cropped);
  assert_leaves (cropped, "b");
  g_assert_cmpint (reel_tensordict_numel (cropped), ==, 3);
}

/* A batch that is given back gives its memory; one that is kept keeps it. */
static void
test_memory_of_batches (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1);
  g_autoptr (ReelTensordict) data = new_zeros (100), batch = NULL, other = NULL, copy = NULL;
  const guint8 *memory;

  extend (buffer, data);
  append (buffer, "exclude:keys=a", FALSE);
  sample (buffer, 10, &batch);
  memory = reel_tensordict_get_tensor (batch, "b", NULL)->data;
  for (gint i = 0; i < 5; i++)
    {
      sample (buffer, 10, &batch);
      g_assert_true (reel_tensordict_get_tensor (batch, "b", NULL)->data == memory);
    }
  copy = reel_tensordict_clone (batch, TRUE, NULL);
  sample (buffer, 10, &other);
  sample (buffer, 10, &other);
  g_assert_true (reel_tensordict_equal (batch, copy));
  g_assert_false (reel_tensordict_equal (batch, other));
  sample (buffer, 20, &batch);
  g_assert_cmpint (reel_tensordict_numel (batch), ==, 20);
}

static ReelTensordict *
fail (ReelTensordict *td, gpointer user_data, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "no");
  return NULL;
}

static void
test_failures_change_nothing (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1);
  g_autoptr (ReelTensordict) data = new_zeros (10), batch = NULL, result = NULL;
  g_autoptr (ReelTransform) reading = reel_transform_new_callback (fail, NULL, NULL);
  g_autoptr (ReelTransform) writing = reel_transform_new_callback (fail, NULL, NULL);
  g_autoptr (GError) error = NULL;
  ReelTensordict *before;

  append (buffer, "select:keys=[a,b]", FALSE);
  extend (buffer, data);
  sample (buffer, 5, &batch);
  before = batch;
  reel_replay_buffer_append_transform (buffer, reading, FALSE, NULL);
  reel_replay_buffer_append_transform (buffer, writing, TRUE, NULL);
  g_assert_false (reel_replay_buffer_sample (buffer, 5, &batch, &error));
  g_assert_true (batch == before);
  assert_message (&error, REEL_ERROR_VALUE, "transform 1, callback: no");
  g_assert_false (reel_replay_buffer_extend (buffer, data, NULL, &error));
  assert_message (&error, REEL_ERROR_VALUE, "transform 2, invert: no");
  g_assert_false (reel_replay_buffer_add (buffer, data, NULL, NULL));
  g_assert_null (reel_replay_buffer_get_all (buffer, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 10);
}

/* ---- n steps ---- */

/* [lanes, n] steps from @first on, rewards of 0, 1, 2, …; no ends. */
static ReelTensordict *
new_steps (gint64 lanes, gint64 first, gint64 n)
{
  const gint64 size[3] = { lanes, n, 1 };
  ReelTensordict *td = reel_tensordict_new (2, size);
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, size, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 3, size, NULL);

  for (gint64 i = 0; i < lanes * n; i++)
    ((float *) reward->data)[i] = (float) (first + i % n + 100 * (i / n));
  reel_tensordict_set_tensor (td, "next/reward", reward, NULL);
  reel_tensordict_set_tensor (td, "next/done", done, NULL);
  return td;
}

static void
assert_n_steps (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, NULL);
  const float *original =
      (float *) reel_tensordict_get_tensor (all, "next/original_reward", NULL)->data;
  const float *reward = (float *) reel_tensordict_get_tensor (all, "next/reward", NULL)->data;
  const gint64 *steps =
      (gint64 *) reel_tensordict_get_tensor (all, "steps_to_next_obs", NULL)->data;

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, n);
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (steps[i], ==, 3);
      g_assert_cmpfloat (original[i], ==, (float) i);
      g_assert_cmpfloat (reward[i], >, original[i]);
    }
}

/* T11-5: one by one, as items and as batches of one. */
static void
test_n_steps_one_by_one (void)
{
  for (gint as_items = 0; as_items < 2; as_items++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (20, 1);

      append (buffer, "multi-step:n-steps=3,gamma=0.9", FALSE);
      for (gint64 t = 0; t < 10; t++)
        {
          g_autoptr (ReelTensordict) lanes = new_steps (1, t, 1);
          g_autoptr (ReelTensordict) batch = reel_tensordict_select_index (lanes, 0, 0, NULL);
          g_autoptr (ReelTensordict) item = reel_tensordict_select_index (batch, 0, 0, NULL);
          g_autoptr (ReelTensor) index = NULL;
          g_autoptr (GError) error = NULL;

          if (as_items)
            reel_replay_buffer_add (buffer, item, &index, &error);
          else
            reel_replay_buffer_extend (buffer, batch, &index, &error);
          g_assert_no_error (error);
          g_assert_cmpint (reel_tensor_numel (index), ==, t < 3 ? 0 : 1);
          g_assert_cmpint (index->ndim, ==, t < 3 || !as_items);
        }
      assert_n_steps (buffer, 7);
      g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
      for (gint64 t = 0; t < 10; t += 5)
        {
          g_autoptr (ReelTensordict) lanes = new_steps (1, t, 5);
          g_autoptr (ReelTensordict) batch = reel_tensordict_select_index (lanes, 0, 0, NULL);

          extend (buffer, batch);
        }
      assert_n_steps (buffer, 7);
    }
}

/* Lanes by time: as steps of all lanes, one at a time, and as blocks. */
static void
test_n_steps_of_lanes (void)
{
  g_autoptr (ReelReplayBuffer) blocks = new_buffer (60, 2), items = new_buffer (60, 2);
  g_autoptr (ReelTensordict) stream = new_steps (3, 0, 20), whole = NULL, expected = NULL;
  g_autoptr (ReelTensordict) a = NULL, b = NULL;
  g_autoptr (ReelTensor) index = NULL;
  ReelMultiStep how = { .n_steps = 4, .gamma = 0.5 };

  append (blocks, "multi-step:n-steps=4,gamma=0.5", FALSE);
  append (items, "multi-step:n-steps=4,gamma=0.5", FALSE);
  for (gint64 t = 0; t < 20; t++)
    {
      g_autoptr (ReelTensordict) item = reel_tensordict_select_index (stream, 1, t, NULL);
      g_autoptr (ReelTensordict) block =
          t % 5 == 0 ? reel_tensordict_slice (stream, 1, t, t + 5, 1, NULL) : NULL;

      g_clear_pointer (&index, reel_tensor_unref);
      g_assert_true (reel_replay_buffer_add (items, item, &index, NULL));
      g_assert_cmpint (index->shape[0], ==, t < 4 ? 0 : 3);
      g_assert_cmpint (index->shape[1], ==, 2);
      if (block)
        extend (blocks, block);
    }
  whole = reel_multi_step (stream, &how, NULL);
  expected = reel_tensordict_slice (whole, 1, 0, 16, 1, NULL);
  a = reel_replay_buffer_get_all (blocks, NULL);
  b = reel_replay_buffer_get_all (items, NULL);
  g_assert_true (reel_tensordict_equal (a, expected));
  g_assert_true (reel_tensordict_equal (b, expected));
}

/* ---- text ---- */

static void
test_prints (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (10, 1);
  g_autofree char *text = NULL;

  append (buffer, "exclude:keys=a", FALSE);
  append (buffer, "rename:in-keys=a,out-keys=b", TRUE);
  text = reel_replay_buffer_to_string (buffer);
  g_assert_cmpstr (text, ==,
                   "ReplayBuffer(\n"
                   "    storage=LazyTensorStorage(\n"
                   "        data=<empty>, \n"
                   "        shape=None, \n"
                   "        len=0, \n"
                   "        max_size=10), \n"
                   "    sampler=RandomSampler(), \n"
                   "    writer=RoundRobinWriter(cursor=0, full_storage=False), \n"
                   "Compose(\n"
                   "        ExcludeTransform(keys=[]),\n"
                   "        _InvertTransform(keys=[])), \n"
                   "    batch_size=None)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/transforms/inverted-on-write", test_inverted_on_write);
  g_test_add_func ("/buffers/transforms/in-place", test_in_place);
  g_test_add_func ("/buffers/transforms/reading-leaves-what-is-stored",
                   test_reading_leaves_what_is_stored);
  g_test_add_func ("/buffers/transforms/keys-on-write", test_keys_on_write);
  g_test_add_func ("/buffers/transforms/no-block-is-lent", test_no_block_is_lent);
  g_test_add_func ("/buffers/transforms/all-that-is-read", test_all_that_is_read);
  g_test_add_func ("/buffers/transforms/cat-tensors", test_cat_tensors);
  g_test_add_func ("/buffers/transforms/forward-leaves-the-rows", test_forward_leaves_the_rows);
  g_test_add_func ("/buffers/transforms/index-survives", test_index_survives);
  g_test_add_func ("/buffers/transforms/memory-of-batches", test_memory_of_batches);
  g_test_add_func ("/buffers/transforms/failures-change-nothing", test_failures_change_nothing);
  g_test_add_func ("/buffers/transforms/n-steps-one-by-one", test_n_steps_one_by_one);
  g_test_add_func ("/buffers/transforms/n-steps-of-lanes", test_n_steps_of_lanes);
  g_test_add_func ("/buffers/transforms/prints", test_prints);

  return g_test_run ();
}
