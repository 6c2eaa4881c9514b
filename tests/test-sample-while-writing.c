/* Readers never see a torn row, whatever the writer does meanwhile. */
#include "../src/buffers/sampling.h"
#include "../src/buffers/storages/storage-private.h"
#include "counted-rows.h"
#include "race.h"

#include <string.h>

/* ---- the writer strikes between the draw and the copy ---- */

/* Draws the oldest rows; meanwhile the writer takes a block over them and leaves it half written.
 */
typedef struct
{
  ReelSampler parent_instance;
  gboolean struck;
  ReelReservation block;
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
  ReelSampling *sampling = reel_sampling_of (REEL_SAMPLER (sampler));
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

static void
look (Race *race)
{
  g_autoptr (ReelTensordict) oldest = NULL;
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (race->buffer, 0, 20, NULL);
  ReelStorageView view;

  if (rows)
    race_count (race, rows, 20);
  reel_storage_get_view (reel_replay_buffer_get_storage (race->buffer), &view);
  oldest = reel_replay_buffer_get_numbered_rows (race->buffer, view.first_row, 20, NULL);
  if (oldest)
    race_count (race, oldest, 20);
}

static void
run_race (ReelReplayBuffer *buffer, gboolean (*write) (Race *), gint64 lanes, gint64 n_steps,
          gint64 least)
{
  Race race = { .buffer = buffer,
                .batch_size = 32,
                .samplers = { "random:seed=1", "prioritized:seed=2" },
                .write = write,
                .look = look,
                .lanes = lanes,
                .n_steps = n_steps,
                .least = least };

  race_run (&race, 2);
}

/* One writer goes round the ring a thousand times, two readers look; in the slow mode (-m slow)
 * until they saw 10^8 rows. */
static void
test_no_row_is_torn (gconstpointer storage)
{
  for (gint blocks = 0; blocks <= 1; blocks++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 256, 2);

      counted_extend (buffer, 4, 64, 0);
      run_race (buffer, blocks ? race_commit : race_extend, 4, 64 * 1000,
                g_test_slow () ? 50000000 : 1);
      g_test_message ("%" G_GINT64_FORMAT " laps",
                      reel_replay_buffer_get_write_count (buffer) / 64);
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

  counted_extend (buffer, 1, 64, 0);
  run_race (buffer, race_extend, 1, 64 * 500, 0);
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
