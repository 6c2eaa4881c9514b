/* Batches that are copied ahead are those that would be drawn one by one. */
#include "../src/buffers/prefetch.h"
#include "counted-rows.h"
#include "race.h"

#define CAPACITY 96

static ReelReplayBuffer *
new_buffer (const char *sampler, gint ndim, gint64 batch_size, gint64 prefetch)
{
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%d,ndim=%d", CAPACITY, ndim);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelSampler) the_sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler, NULL, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, the_sampler, NULL, batch_size, NULL);

  g_assert_true (reel_replay_buffer_set_prefetch (buffer, prefetch, NULL));
  g_assert_cmpint (reel_replay_buffer_get_prefetch (buffer), ==, prefetch);
  return buffer;
}

static gint64
count_pending (ReelReplayBuffer *buffer)
{
  ReelReplayBufferStats stats;

  reel_replay_buffer_get_stats (buffer, &stats);
  return stats.n_prefetched;
}

static void
sample (ReelReplayBuffer *buffer, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_sample (buffer, 0, batch, &error);
  g_assert_no_error (error);
}

static gboolean
are_equal (const ReelTensordict *a, const ReelTensordict *b)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (a);

  for (char **leaf = leaves; *leaf; leaf++)
    if (!reel_tensor_equal (reel_tensordict_get_tensor (a, *leaf, NULL),
                            reel_tensordict_get_tensor (b, *leaf, NULL)))
      return FALSE;
  return TRUE;
}

/* Given back or not, with transforms or without. */
static void
test_the_same_batches (gconstpointer sampler)
{
  for (gint ndim = 1; ndim <= 2; ndim++)
    for (gint64 prefetch = 1; prefetch <= 5; prefetch += 2)
      for (gint way = 0; way < 4; way++)
        {
          g_autoptr (ReelReplayBuffer) bare = new_buffer (sampler, ndim, 10, 0);
          g_autoptr (ReelReplayBuffer) ahead = new_buffer (sampler, ndim, 10, prefetch);
          g_autoptr (ReelTensordict) one = NULL, other = NULL;

          for (gint i = 0; i < 2 && way & 1; i++)
            {
              g_autoptr (ReelTransform) transform = reel_object_new_from_text (
                  REEL_TYPE_TRANSFORM, "rename:in-keys=[id],out-keys=[name]", NULL, NULL);

              g_assert_true (
                  reel_replay_buffer_append_transform (i ? bare : ahead, transform, FALSE, NULL));
            }
          counted_extend (bare, ndim > 1 ? 3 : 1, 32, 0);
          counted_extend (ahead, ndim > 1 ? 3 : 1, 32, 0);
          for (gint call = 0; call < 50; call++)
            {
              if (way & 2)
                g_clear_pointer (&other, reel_tensordict_unref);
              sample (bare, &one);
              sample (ahead, &other);
              g_assert_true (are_equal (one, other));
            }
        }
}

/* As many as were asked for, down to the end of a pass, and none is lost. */
static void
test_as_many_are_ready (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("without-replacement", 1, 10, 2);
  g_autoptr (ReelTensordict) batch = NULL;
  static const gint64 expect[] = { 2, 2, 2, 2, 1, 0, 2 };

  g_assert_cmpint (count_pending (buffer), ==, 0);
  counted_extend (buffer, 1, 56, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (expect); i++)
    {
      sample (buffer, &batch);
      g_assert_cmpint (count_pending (buffer), ==, expect[i]);
    }
  g_assert_true (reel_replay_buffer_set_prefetch (buffer, 0, NULL));
  g_assert_cmpint (count_pending (buffer), ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_prefetch (buffer), ==, 0);
  sample (buffer, &batch);
}

/* Nothing is allocated for a batch that comes back: the same few go round. */
static void
test_batches_go_round (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 1, 10, 2);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  counted_extend (buffer, 1, 56, 0);
  for (gint i = 0; i < 50; i++)
    {
      sample (buffer, &batch);
      g_hash_table_add (seen, batch);
    }
  g_assert_cmpint (g_hash_table_size (seen), <=, 4);
}

/* The batches that are there come first, then the error, then what there is by then. */
static void
test_errors_come_in_their_turn (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("without-replacement:drop-last=true", 1, 10, 2);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_sample (buffer, 0, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  counted_extend (buffer, 1, 30, 0);
  sample (buffer, &batch);
  g_assert_cmpint (count_pending (buffer), ==, 2);
  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  sample (buffer, &batch);
  sample (buffer, &batch);
  g_assert_false (reel_replay_buffer_sample (buffer, 0, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  counted_extend (buffer, 1, 12, 0);
  sample (buffer, &batch);
}

/* Batches that another sampler drew ahead come first. */
static void
test_sampler_may_change (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("without-replacement:shuffle=false", 1, 10, 2);
  g_autoptr (ReelSampler) sampler = reel_object_new_from_text (
      REEL_TYPE_SAMPLER, "without-replacement:shuffle=false", NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  static const gint64 expect[] = { 0, 10, 20, 0, 10 };
  gint64 first = 0;

  counted_extend (buffer, 1, 96, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (expect); i++)
    {
      sample (buffer, &batch);
      g_assert_cmpint (counted_get_number (batch, &first), ==, expect[i]);
      if (i == 0)
        g_assert_true (reel_replay_buffer_set_sampler (buffer, sampler, NULL, NULL));
    }
}

/* Buffers go away with batches under way. */
static void
test_stops_at_once (void)
{
  gint64 begin = g_get_monotonic_time ();

  for (gint i = 0; i < 300; i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 1, 10, 1 + i % 7);
      g_autoptr (ReelTensordict) batch = NULL;

      counted_extend (buffer, 1, 56, 0);
      for (gint k = 0; k < i % 4; k++)
        sample (buffer, &batch);
    }
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 60 * G_USEC_PER_SEC);
}

/* ---- while a writer goes round ---- */

static gboolean
extend (Race *race)
{
  counted_extend (race->buffer, 3, 4, race->n_written);
  race->n_written += 4;
  return race->n_written < race->n_steps;
}

static gboolean
sample_ahead (Race *race, ReelSampler *sampler, ReelTensordict **batch, GError **error)
{
  return reel_replay_buffer_sample (race->buffer, 0, batch, error);
}

static void
test_no_row_is_torn (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 2, 10, 3);
  Race race = {
    .buffer = buffer, .write = extend, .sample = sample_ahead, .n_steps = 32 * 1000, .n_written = 32
  };

  counted_extend (buffer, 3, 32, 0);
  race_run (&race, 1);
}

/* Rows that were overwritten between being drawn and being copied are drawn again. */
static void
test_overtaken_rows_are_drawn_again (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 1, 10, 0);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (GError) error = NULL;
  ReelPrefetch *queue = reel_prefetch_new (1, 10, 1, &error);
  gint64 n = 10;
  gboolean ended;
  ReelSampling *sampling;

  g_assert_no_error (error);
  counted_extend (buffer, 1, CAPACITY, 0);
  reel_prefetch_draw (queue, storage, reel_replay_buffer_get_sampler (buffer), NULL, &n, &error);
  g_assert_no_error (error);
  counted_extend (buffer, 1, CAPACITY, CAPACITY);
  reel_prefetch_push (queue, FALSE);
  g_assert_true (reel_prefetch_take (queue, &ended, &error));
  sampling = reel_prefetch_get (queue, 0, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (sampling->draw.rows[i], >=, CAPACITY);
      counted_assert_row (sampling->raw, &i, sampling->draw.rows[i]);
    }
  reel_prefetch_free (queue);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_data_func ("/buffers/prefetch/the-same-batches/random", "random",
                        test_the_same_batches);
  g_test_add_data_func ("/buffers/prefetch/the-same-batches/without-replacement",
                        "without-replacement", test_the_same_batches);
  g_test_add_func ("/buffers/prefetch/as-many-are-ready", test_as_many_are_ready);
  g_test_add_func ("/buffers/prefetch/batches-go-round", test_batches_go_round);
  g_test_add_func ("/buffers/prefetch/errors-come-in-their-turn", test_errors_come_in_their_turn);
  g_test_add_func ("/buffers/prefetch/sampler-may-change", test_sampler_may_change);
  g_test_add_func ("/buffers/prefetch/stops-at-once", test_stops_at_once);
  g_test_add_func ("/buffers/prefetch/overtaken-rows-are-drawn-again",
                   test_overtaken_rows_are_drawn_again);
  g_test_add_func ("/buffers/prefetch/no-row-is-torn", test_no_row_is_torn);
  return g_test_run ();
}
