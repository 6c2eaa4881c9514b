/* Readers never see a torn row, whatever the writer does meanwhile. */
#include "../src/reel.h"
#include "../src/buffers/sampler-private.h"
#include "../src/buffers/storage-private.h"
#include "../src/core/workers.h"
#include "counted-rows.h"

#include <stdatomic.h>
#include <string.h>

/* ---- the writer strikes between the draw and the copy ---- */

/* Draws the oldest rows; meanwhile the writer takes a block over them and leaves it half written.
 */
typedef struct
{
  ReelSampler parent_instance;
  gboolean struck;
  ReelBlock block;
} StrikeSampler;

typedef struct
{
  ReelSamplerClass parent_class;
} StrikeSamplerClass;

static GType strike_sampler_get_type (void);
G_DEFINE_TYPE (StrikeSampler, strike_sampler, REEL_TYPE_SAMPLER)

static gboolean
strike (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  StrikeSampler *self = (StrikeSampler *) sampler;
  guint n_columns;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n_columns);

  for (gint64 i = 0; i < draw->n; i++)
    draw->rows[i] = view->first_row + i;
  if (self->struck)
    return TRUE;
  self->struck = TRUE;
  g_assert_true (reel_storage_reserve (storage, 2, &self->block, NULL));
  memset (self->block.columns[0], 0xA5, columns[0].step_bytes);
  return TRUE;
}

static void
strike_sampler_class_init (StrikeSamplerClass *klass)
{
  REEL_SAMPLER_CLASS (klass)->sample = strike;
}

static void
strike_sampler_init (StrikeSampler *self)
{
}

static void
test_a_batch_struck_is_drawn_again (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 48, 2);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  StrikeSampler *sampler = g_object_new (strike_sampler_get_type (), NULL);
  gint64 n = 12;

  counted_extend (buffer, 3, 16, 0);
  reel_replay_buffer_sample_with (buffer, REEL_SAMPLER (sampler), n, &batch, &error);
  g_assert_no_error (error);
  g_assert_true (sampler->struck);
  for (gint64 i = 0; i < n; i++)
    {
      /* The first two steps of three rows were struck: the oldest left are those after them. */
      gint64 number = 6 + i;
      const ReelTensor *index = reel_tensordict_get_tensor (batch, "index", NULL);

      counted_assert_row (batch, &i, number);
      g_assert_cmpint (((gint64 *) index->data)[2 * i], ==, number / 3);
      g_assert_cmpint (((gint64 *) index->data)[2 * i + 1], ==, number % 3);
    }
  reel_storage_commit (reel_replay_buffer_get_storage (buffer), &sampler->block, 0);
  g_object_unref (sampler);
}

/* Between the draw and the copy the writer changes a row in its place: the first time. */
static gboolean
change_under (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view,
              ReelDraw *draw, GError **error)
{
  StrikeSampler *self = (StrikeSampler *) sampler;

  for (gint64 i = 0; i < draw->n; i++)
    draw->rows[i] = view->first_row + i + (self->struck ? 5 : 0);
  if (self->struck)
    return TRUE;
  self->struck = TRUE;
  reel_storage_begin_change (storage);
  g_assert_cmpuint (reel_storage_get_revision (storage) % 2, ==, 1);
  reel_storage_end_change (storage);
  return TRUE;
}

static void
test_a_batch_changed_in_place_is_drawn_again (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 48, 1);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  StrikeSampler *sampler = g_object_new (strike_sampler_get_type (), NULL);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (sampler);
  guint64 revision = reel_storage_get_revision (storage);

  counted_extend (buffer, 1, 30, 0);
  klass->sample = change_under;
  reel_replay_buffer_sample_with (buffer, REEL_SAMPLER (sampler), 12, &batch, &error);
  klass->sample = strike;
  g_assert_no_error (error);
  for (gint64 i = 0; i < 12; i++)
    counted_assert_row (batch, &i, 5 + i);
  g_assert_cmpuint (reel_storage_get_revision (storage), ==, revision + 2);
  g_object_unref (sampler);
}

/* A tear that is planted between draw and copy is seen by the rows themselves, and told by the
 * copy: the checks below would find one. */
static void
test_a_planted_tear_is_caught (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 48, 2);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  StrikeSampler *sampler = g_object_new (strike_sampler_get_type (), NULL);
  ReelSampling *sampling = reel_sampler_get_sampling (REEL_SAMPLER (sampler));
  g_autoptr (ReelTensordict) batch = NULL;
  gboolean whole = TRUE;
  gint64 n_torn = 0;

  counted_extend (buffer, 3, 16, 0);
  g_assert_true (reel_sampling_draw (sampling, storage, REEL_SAMPLER (sampler), 12, NULL));
  g_assert_true (reel_sampling_copy (sampling, storage, &batch, &whole, NULL));
  g_assert_false (whole);
  for (gint64 i = 0; i < 12; i++)
    n_torn += !counted_is_whole (batch, &i);
  g_assert_cmpint (n_torn, ==, 3); /* one step of three lanes */
  reel_storage_commit (storage, &sampler->block, 0);
  g_object_unref (sampler);
}

/* ---- threads ---- */

#define READERS 2

typedef struct
{
  ReelReplayBuffer *buffer;
  ReelSampler *samplers[READERS];
  gint64 lanes;
  gint64 n_steps; /* to write at least */
  gint64 n_rows;  /* to read at least */
  gboolean blocks;
  atomic_bool over;
  atomic_llong n_read;
  atomic_llong n_torn;
} Race;

static void
write_block (Race *race, gint64 n)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (race->buffer);
  ReelBlock block;

  g_assert_true (reel_replay_buffer_reserve (race->buffer, n, &block, NULL));
  counted_fill_block (storage, &block, 0, race->lanes);
  reel_replay_buffer_commit (race->buffer, &block, block.n_steps);
}

static void
write_all (Race *race)
{
  for (;;)
    {
      gint64 done = reel_replay_buffer_get_write_count (race->buffer);

      if (done >= race->n_steps && atomic_load (&race->n_read) >= race->n_rows)
        break;
      if (race->blocks)
        write_block (race, 1 + done % 9);
      else
        counted_extend (race->buffer, race->lanes, 1 + done % 9, done);
    }
  atomic_store (&race->over, TRUE);
}

static void
count_torn (Race *race, const ReelTensordict *rows, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (!counted_is_whole (rows, &i))
      atomic_fetch_add (&race->n_torn, 1);
  atomic_fetch_add (&race->n_read, n);
}

static void
read_numbered (Race *race)
{
  g_autoptr (ReelTensordict) rows = NULL;
  ReelStorageView view;

  reel_storage_get_view (reel_replay_buffer_get_storage (race->buffer), &view);
  rows = reel_replay_buffer_get_numbered_rows (race->buffer, view.first_row, 20, NULL);
  if (rows)
    count_torn (race, rows, 20);
}

static void
read_all (Race *race, gint worker)
{
  ReelSampler *sampler = race->samplers[worker - 1];
  g_autoptr (ReelTensordict) batch = NULL;

  do
    {
      g_autoptr (ReelTensordict) rows = NULL;
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_sample_with (race->buffer, sampler, 32, &batch, &error);
      g_assert_no_error (error);
      count_torn (race, batch, 32);
      rows = reel_replay_buffer_get_rows (race->buffer, 0, 20, NULL);
      if (rows)
        count_torn (race, rows, 20);
      read_numbered (race);
    }
  while (!atomic_load (&race->over));
}

static void
run (gpointer data, gint worker, gint n_workers)
{
  if (worker == 0)
    write_all (data);
  else
    read_all (data, worker);
}

/* Samplers are made before the threads are: ThreadSanitizer sees no lock of GLib's. */
static void
run_race (Race *race)
{
  const char *texts[READERS] = { "random:seed=1", "prioritized:seed=2" };
  g_autoptr (ReelWorkers) workers = reel_workers_new (1 + READERS, NULL);

  for (gint i = 0; i < READERS; i++)
    race->samplers[i] = reel_object_new_from_text (REEL_TYPE_SAMPLER, texts[i], NULL, NULL);
  reel_workers_run (workers, run, race);
  for (gint i = 0; i < READERS; i++)
    g_object_unref (race->samplers[i]);
}

/* One writer goes round the ring a thousand times, two readers look; in the slow mode (-m slow)
 * until they saw 10^8 rows. */
static void
test_no_row_is_torn (gconstpointer storage)
{
  for (gint blocks = 0; blocks <= 1; blocks++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 256, 2);
      Race race = { .buffer = buffer, .lanes = 4, .n_steps = 64 * 1000, .blocks = blocks };

      race.n_rows = g_test_slow () ? 50000000 : 1;

      counted_extend (buffer, race.lanes, 64, 0);
      run_race (&race);
      g_test_message ("%lld rows read, %" G_GINT64_FORMAT " laps", (long long) race.n_read,
                      reel_replay_buffer_get_write_count (buffer) / 64);
      g_assert_cmpint (race.n_torn, ==, 0);
      g_assert_cmpint (race.n_read, >, 0);
    }
}

/* One writer keeps the greatest: each step is written in the place of the least. */
static void
test_no_row_is_torn_in_place (void)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=64", NULL, NULL);
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, "max-value:rank-key=id", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, writer, 0, NULL);
  Race race = { .buffer = buffer, .lanes = 1, .n_steps = 64 * 500 };

  counted_extend (buffer, 1, 64, 0);
  run_race (&race);
  g_test_message ("%lld rows read", (long long) race.n_read);
  g_assert_cmpint (race.n_torn, ==, 0);
  g_assert_cmpint (race.n_read, >, 0);
  g_assert_cmpuint (reel_storage_get_revision (storage), >, 64);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/sample-while-writing/a-batch-struck-is-drawn-again",
                   test_a_batch_struck_is_drawn_again);
  g_test_add_func ("/buffers/sample-while-writing/a-batch-changed-in-place-is-drawn-again",
                   test_a_batch_changed_in_place_is_drawn_again);
  g_test_add_func ("/buffers/sample-while-writing/a-planted-tear-is-caught",
                   test_a_planted_tear_is_caught);
  g_test_add_data_func ("/buffers/sample-while-writing/no-row-is-torn/tensor", "tensor",
                        test_no_row_is_torn);
  g_test_add_data_func ("/buffers/sample-while-writing/no-row-is-torn/memmap", "memmap",
                        test_no_row_is_torn);
  g_test_add_func ("/buffers/sample-while-writing/no-row-is-torn-in-place",
                   test_no_row_is_torn_in_place);
  return g_test_run ();
}
