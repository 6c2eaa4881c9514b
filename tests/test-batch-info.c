/* Info is of the batch that was given last, of no other; and a batch that
 * somebody keeps stays as it is. */
#include "../src/reel.h"
#include "counted-rows.h"

#define N 10 /* rows of a batch */

/* Ways to draw: how many batches ahead, through which transform. Rows that transforms do not change
 * they share with the rows. */
typedef struct
{
  gint64 prefetch;
  const char *transform;
} Way;

static const Way ways[] = {
  { 0, NULL },
  { 1, NULL },
  { 3, NULL },
  { 0, "rename:in-keys=[id],out-keys=[name]" },
  { 1, "rename:in-keys=[id],out-keys=[name]" },
  { 3, "rename:in-keys=[id],out-keys=[name]" },
};

static void
append (ReelReplayBuffer *buffer, const char *text)
{
  g_autoptr (ReelTransform) transform =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, NULL, NULL);

  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL));
}

static void
pop (ReelReplayBuffer *buffer)
{
  g_object_unref (reel_compose_pop (reel_replay_buffer_get_transform (buffer), -1, NULL));
}

static ReelReplayBuffer *
new_buffer (const Way *way)
{
  ReelReplayBuffer *buffer = counted_new_buffer ("tensor", 64, 1);

  reel_replay_buffer_set_batch_size (buffer, N);
  g_assert_true (reel_replay_buffer_set_prefetch (buffer, way->prefetch, NULL));
  if (way->transform)
    append (buffer, way->transform);
  counted_extend (buffer, 1, 40, 0);
  return buffer;
}

static void
sample (ReelReplayBuffer *buffer, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_sample (buffer, 0, batch, &error);
  g_assert_no_error (error);
}

static void
assert_fails (ReelReplayBuffer *buffer, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_sample (buffer, 0, batch, &error));
  g_assert_nonnull (error);
}

static void
assert_nothing_known (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_replay_buffer_dup_batch_info (buffer, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
assert_equal (ReelTensordict *a, ReelTensordict *b, const char *path)
{
  g_autoptr (ReelTensor) one = reel_tensordict_ref_tensor (a, path, NULL);
  g_autoptr (ReelTensor) other = reel_tensordict_ref_tensor (b, path, NULL);

  g_assert_true (reel_tensor_equal (one, other));
}

static void
assert_known (ReelReplayBuffer *buffer, ReelTensordict *batch)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) info = reel_replay_buffer_dup_batch_info (buffer, &error);

  g_assert_no_error (error);
  assert_equal (info, batch, "index");
}

/* ---- where drawing fails ---- */

static void
drain (ReelReplayBuffer *buffer, ReelTensordict **batch, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      sample (buffer, batch);
      assert_known (buffer, *batch);
    }
}

static void
test_is_none_without_rows (gconstpointer data)
{
  const Way *way = data;
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (way);
  g_autoptr (ReelTensordict) batch = NULL;

  assert_nothing_known (buffer);
  sample (buffer, &batch);
  assert_known (buffer, batch);
  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  drain (buffer, &batch, way->prefetch);
  for (gint i = 0; i < 3; i++)
    {
      assert_fails (buffer, &batch);
      assert_nothing_known (buffer);
    }
  counted_extend (buffer, 1, 20, 0);
  drain (buffer, &batch, 10);
}

static void
test_is_none_where_a_transform_fails (gconstpointer data)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (data);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 4; turn++)
    {
      drain (buffer, &batch, 5);
      append (buffer, "rename:in-keys=[missing],out-keys=[other]");
      assert_fails (buffer, &batch);
      assert_nothing_known (buffer);
      pop (buffer);
    }
}

static void
test_is_none_without_a_size (gconstpointer data)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (data);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 4; turn++)
    {
      drain (buffer, &batch, 5);
      reel_replay_buffer_set_batch_size (buffer, 0);
      assert_fails (buffer, &batch);
      assert_nothing_known (buffer);
      reel_replay_buffer_set_batch_size (buffer, N);
    }
}

/* ---- where others drew ---- */

static void
test_is_none_after_a_state (gconstpointer data)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (data);
  g_autoptr (ReelTensordict) state = reel_replay_buffer_dup_state (buffer, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 4; turn++)
    {
      drain (buffer, &batch, 5);
      g_assert_true (reel_replay_buffer_set_state (buffer, state, NULL));
      assert_nothing_known (buffer);
    }
}

/* A batch that was drawn one by one is not the last one of a queue that was there meanwhile. */
static void
test_is_none_where_the_queue_went (void)
{
  static const Way bare = { 0, NULL };
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (&bare);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint64 prefetch = 0; prefetch < 6; prefetch++)
    {
      drain (buffer, &batch, 5);
      g_assert_true (reel_replay_buffer_set_prefetch (buffer, prefetch % 2, NULL));
      assert_nothing_known (buffer);
    }
}

/* By the same sampler: for another buffer, for an ensemble. */
static void
test_is_none_of_what_others_drew (void)
{
  static const Way bare = { 0, NULL };
  const ReelEnsembleOptions options = { .batch_size = N };
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (&bare);
  g_autoptr (ReelReplayBuffer) other = new_buffer (&bare);
  ReelSampler *sampler = reel_replay_buffer_get_sampler (buffer);
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new (&buffer, 1, &options, NULL);
  g_autoptr (ReelTensordict) batch = NULL, joint = NULL;

  g_assert_true (reel_replay_buffer_set_sampler (other, sampler, NULL, NULL));
  drain (buffer, &batch, 2);
  drain (other, &batch, 2);
  assert_nothing_known (buffer);
  drain (buffer, &batch, 2);
  assert_nothing_known (other);
  g_assert_true (reel_replay_buffer_ensemble_sample (ensemble, 0, &joint, NULL));
  assert_nothing_known (buffer);
  drain (buffer, &batch, 2);
}

/* ---- whose the rows are ---- */

/* A queue that was full goes round, and begins anew where the last batch was. */
static void
test_a_kept_batch_stays (gconstpointer data)
{
  const Way *way = data;
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (way);
  g_autoptr (ReelTensordict) state = reel_replay_buffer_dup_state (buffer, NULL);
  const char *key = way->transform ? "name" : "id";

  for (gint turn = 0; turn < 24; turn++)
    {
      g_autoptr (ReelTensordict) batch = NULL, copy = NULL, next = NULL;

      sample (buffer, &batch);
      for (gint i = 0; i < turn % 8; i++)
        sample (buffer, &batch);
      if (turn < 8) /* which may fill what it is given */
        {
          append (buffer, "rename:in-keys=[missing],out-keys=[other]");
          assert_fails (buffer, &batch);
          pop (buffer);
        }
      copy = reel_tensordict_clone (batch, TRUE, NULL);
      if (turn >= 16)
        g_assert_true (reel_replay_buffer_set_state (buffer, state, NULL));
      for (gint i = 0; i < 8; i++)
        {
          sample (buffer, &next);
          assert_equal (batch, copy, key);
          assert_equal (batch, copy, "index");
        }
    }
}

/* Transformed rows are not filled beside the raw ones, once there is no transform. */
static void
test_is_filled_once (gconstpointer data)
{
  const Way *way = data;
  const Way plain = { way->prefetch, NULL }, now = { 0, NULL };
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (&plain);
  g_autoptr (ReelReplayBuffer) bare = new_buffer (&now);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint turn = 0; turn < 8; turn++)
    {
      append (buffer, "exclude:keys=[missing]");
      for (gint i = 0; i < 12; i++)
        {
          g_autoptr (ReelTensordict) expected = NULL, state = NULL;

          if (i == turn % 6)
            pop (buffer);
          sample (bare, &expected);
          sample (buffer, &batch);
          state = reel_replay_buffer_dup_state (buffer, NULL); /* waits for what is being copied */
          assert_equal (batch, expected, "id");
          assert_equal (batch, expected, "index");
        }
    }
}

static void
add (const char *name, GTestDataFunc func)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/buffers/batch-info/%s/%d%s", name, (int) ways[i].prefetch,
                           ways[i].transform ? "-through-transforms" : "");

      g_test_add_data_func (path, &ways[i], func);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  add ("is-none-without-rows", test_is_none_without_rows);
  add ("is-none-where-a-transform-fails", test_is_none_where_a_transform_fails);
  add ("is-none-without-a-size", test_is_none_without_a_size);
  add ("is-none-after-a-state", test_is_none_after_a_state);
  g_test_add_func ("/buffers/batch-info/is-none-where-the-queue-went",
                   test_is_none_where_the_queue_went);
  g_test_add_func ("/buffers/batch-info/is-none-of-what-others-drew",
                   test_is_none_of_what_others_drew);
  add ("a-kept-batch-stays", test_a_kept_batch_stays);
  add ("is-filled-once", test_is_filled_once);

  return g_test_run ();
}
