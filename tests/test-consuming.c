/* Rows that are given so many times, and slots that are free then: against a list of slots. */
#include "../src/buffers/storages/storage-private.h"
#include "../src/reel.h"
#include "../src/core/system/workers.h"
#include "counted-rows.h"
#include "make-batch.h"

#include <stdatomic.h>
#include <string.h>

#define MOST_SLOTS 8
#define MOST_ROWS 64

/* ---- the list ---- */

typedef struct
{
  gint64 capacity, max_count;
  gint64 length, cursor, n_written;
  gint64 number[MOST_SLOTS]; /* of the row in each slot */
  gint64 count[MOST_SLOTS];
  gboolean live[MOST_SLOTS];
  gint64 n_free, free[MOST_ROWS]; /* oldest first */
} Model;

static gint64
model_count_live (const Model *model)
{
  gint64 n = 0;

  for (gint64 slot = 0; slot < model->capacity; slot++)
    n += model->live[slot];
  return n;
}

static void
model_put (Model *model, gint64 slot)
{
  model->number[slot] = model->n_written++;
  model->count[slot] = 0;
  model->live[slot] = TRUE;
}

static gint64
model_pop_free (Model *model)
{
  gint64 slot = model->free[0];

  memmove (model->free, model->free + 1, sizeof *model->free * (gsize) --model->n_free);
  return slot;
}

static void
model_put_at_cursor (Model *model)
{
  model_put (model, model->cursor);
  model->cursor = (model->cursor + 1) % model->capacity;
  model->length = MIN (model->length + 1, model->capacity);
}

/* The slots of @n new rows. */
static void
model_extend (Model *model, gint64 n, gint64 *slots)
{
  gboolean used[MOST_SLOTS] = { FALSE };
  gint64 done = 0;

  if (n >= model->capacity)
    model->n_free = 0;
  for (; done < n && model->n_free > 0; done++)
    {
      slots[done] = model_pop_free (model);
      used[slots[done]] = TRUE;
      model_put (model, slots[done]);
    }
  for (; done < n; done++)
    {
      while (n < model->capacity && used[model->cursor])
        model->cursor = (model->cursor + 1) % model->capacity;
      slots[done] = model->cursor;
      model_put_at_cursor (model);
    }
}

/* Takes a batch away: rows that live, none twice. */
static void
model_take (Model *model, gint64 wanted, const gint64 *slots, const gint64 *numbers, gint64 n)
{
  gboolean seen[MOST_SLOTS] = { FALSE };

  g_assert_cmpint (n, ==, MIN (wanted, model_count_live (model)));
  for (gint64 i = 0; i < n; i++)
    {
      gint64 slot = slots[i];

      g_assert_true (model->live[slot]);
      g_assert_false (seen[slot]);
      g_assert_cmpint (numbers[i], ==, model->number[slot]);
      seen[slot] = TRUE;
      if (++model->count[slot] == model->max_count)
        {
          model->live[slot] = FALSE;
          model->free[model->n_free++] = slot;
        }
    }
}

/* ---- every short run ---- */

static ReelReplayBuffer *
new_buffer (gint64 capacity, gint64 max_count, gint64 seed, const char *writer)
{
  g_autofree char *storage = g_strdup_printf ("tensor:capacity=%d", (int) capacity);
  g_autofree char *sampler =
      g_strdup_printf ("consuming:max-sample-count=%d,seed=%d", (int) max_count, (int) seed);

  return make_buffer (storage, sampler, writer, 0);
}

static void
extend (ReelReplayBuffer *buffer, gint64 first, gint64 n, gint64 *slots)
{
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, n, first);
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, data, &index, &error);
  g_assert_no_error (error);
  memcpy (slots, index->data, (gsize) n * sizeof *slots);
}

static void
run_extend (ReelReplayBuffer *buffer, Model *model, gint64 n)
{
  gint64 slots[MOST_ROWS], expect[MOST_ROWS];

  extend (buffer, model->n_written, n, slots);
  model_extend (model, n, expect);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (slots[i], ==, expect[i]);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, model->cursor);
}

static gint64
sample (ReelReplayBuffer *buffer, gint64 n, gint64 *slots, gint64 *numbers, GError **error)
{
  g_autoptr (ReelTensordict) batch = NULL;
  gint ndim;

  if (!reel_replay_buffer_sample (buffer, n, &batch, error))
    return 0;
  n = reel_tensordict_get_batch_size (batch, &ndim)[0];
  memcpy (slots, reel_tensordict_get_tensor (batch, "index", NULL)->data,
          (gsize) n * sizeof *slots);
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_true (counted_is_whole (batch, &i));
      numbers[i] = counted_get_number (batch, &i);
    }
  return n;
}

static void
run_sample (ReelReplayBuffer *buffer, Model *model, gint64 n)
{
  gint64 slots[MOST_ROWS], numbers[MOST_ROWS];
  g_autoptr (GError) error = NULL;
  gint64 drawn = sample (buffer, n, slots, numbers, &error);

  if (model_count_live (model) == 0)
    g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  else
    g_assert_no_error (error);
  model_take (model, n, slots, numbers, drawn);
  if (model->n_written > 0)
    g_assert_cmpint (reel_sampler_get_ran_out (reel_replay_buffer_get_sampler (buffer)), ==,
                     model_count_live (model) == 0);
}

static void
run_code (gint64 capacity, gint64 max_count, gint length, gint code)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (capacity, max_count, code, "round-robin");
  Model model = { .capacity = capacity, .max_count = max_count };

  for (gint i = 0; i < length; i++, code /= 5)
    {
      gint what = code % 5;

      if (what < 2)
        run_sample (buffer, &model, 1 + 2 * what);
      else
        run_extend (buffer, &model, what - 1);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, model_count_live (&model));
    }
}

/* Batches of 1 and 3 rows, extensions by 1, 2 and 3, in every order of five; with -m slow, of six.
 */
static void
test_every_short_run (void)
{
  const gint length = g_test_slow () ? 6 : 5, n_codes = g_test_slow () ? 15625 : 3125;
  gint64 n_cases = 0;

  for (gint64 capacity = 1; capacity <= 5; capacity++)
    for (gint64 max_count = 1; max_count <= 2; max_count++)
      for (gint code = 0; code < n_codes; code++, n_cases++)
        run_code (capacity, max_count, length, code);
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
}

/* T7.4-1 */
static void
test_free_slots_come_first (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (100, 1, 3, "round-robin");
  gint64 slots[99], numbers[99], freed[2];

  extend (buffer, 0, 99, slots);
  g_assert_cmpint (sample (buffer, 2, freed, numbers, NULL), ==, 2);
  g_assert_cmpint (freed[0], !=, 0);
  g_assert_cmpint (freed[1], !=, 0);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 97);
  extend (buffer, 99, 4, slots);
  g_assert_cmpint (slots[0], ==, freed[0]);
  g_assert_cmpint (slots[1], ==, freed[1]);
  g_assert_cmpint (slots[2], ==, 99);
  g_assert_cmpint (slots[3], ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 1);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 100);
}

/* T7.4-2 */
static void
test_a_pass_consumes_all (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (20, 2, 0, "round-robin");
  gint64 slots[20], counts[40] = { 0 };

  reel_replay_buffer_set_batch_size (buffer, 6);
  for (gint64 round = 0; round < 2; round++)
    {
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (GError) error = NULL;
      gint ndim;

      extend (buffer, 20 * round, 20, slots);
      while (reel_replay_buffer_next (buffer, &batch, &error))
        for (gint64 i = 0; i < reel_tensordict_get_batch_size (batch, &ndim)[0]; i++)
          counts[counted_get_number (batch, &i)]++;
      g_assert_no_error (error);
      for (gint64 i = 20 * round; i < 20 * (round + 1); i++)
        g_assert_cmpint (counts[i], ==, 2);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
      g_assert_false (reel_replay_buffer_next (buffer, &batch, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
    }
}

/* Rows that hold their slot hold the right one also where it is written out of turn. */
static void
test_stored_index_is_right (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (10, 1, 0, "tensordict-round-robin");
  g_autoptr (ReelTensor) index = NULL;
  gint64 slots[10], numbers[10];

  extend (buffer, 0, 10, slots);
  g_assert_cmpint (sample (buffer, 4, slots, numbers, NULL), ==, 4);
  extend (buffer, 10, 3, slots);
  extend (buffer, 13, 3, slots);
  index = reel_replay_buffer_get_key (buffer, "index", NULL);
  for (gint64 i = 0; i < 10; i++)
    g_assert_cmpint (((gint64 *) index->data)[i], ==, i);
}

/* Rows that do not fit leave free slots and the cursor as they were. */
static void
test_failed_write_changes_nothing (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (10, 1, 0, "round-robin");
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 6, 10), before = NULL, after = NULL;
  g_autoptr (ReelTensor) wrong = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, (gint64[]){ 6 }, NULL);
  g_autoptr (GError) error = NULL;
  gint64 slots[10], freed[4], numbers[10];

  extend (buffer, 0, 10, slots);
  g_assert_cmpint (sample (buffer, 4, freed, numbers, NULL), ==, 4);
  before = reel_tensordict_clone (reel_storage_get_data (storage), TRUE, NULL);
  g_assert_true (reel_tensordict_set_tensor (data, "id", wrong, NULL));
  g_assert_false (reel_replay_buffer_extend (buffer, data, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  after = reel_tensordict_clone (reel_storage_get_data (storage), TRUE, NULL);
  g_assert_true (reel_tensordict_equal (before, after));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 6);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 10);
  extend (buffer, 10, 6, slots);
  for (gint i = 0; i < 4; i++)
    g_assert_cmpint (slots[i], ==, freed[i]);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 16);
}

/* A sampler that has not seen the newest rows yet does not draw what replaces them. */
static void
test_replaced_beyond_the_view (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (8, 1, 0, "round-robin");
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  ReelSampler *sampler = reel_replay_buffer_get_sampler (buffer);
  g_autoptr (ReelTensordict) rows = counted_new_batch (1, 1, 2, 9);
  g_autoptr (ReelSteps) steps = NULL;
  g_autoptr (GError) error = NULL;
  ReelStorageView view;
  gint64 slots[MOST_SLOTS];

  extend (buffer, 0, 3, slots);
  g_assert_cmpint (reel_sampler_count_rows (sampler, storage), ==, 3);
  reel_storage_get_view (storage, &view);
  extend (buffer, 3, 2, slots);
  steps = reel_storage_take_steps (storage, rows, 0, &error);
  g_assert_no_error (error);
  reel_storage_put_steps (storage, steps, (const gint64[]){ 1, 4 }, 2, 0);
  g_assert_true (REEL_SAMPLER_GET_CLASS (sampler)->follow (sampler, storage, &view, &error));
  g_assert_cmpint (REEL_SAMPLER_GET_CLASS (sampler)->count_rows (sampler), ==, 3);
}

static void
test_refusals (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (10, 1, 0, "round-robin"), other = NULL;
  g_autoptr (ReelStorage) storage = g_object_ref (reel_replay_buffer_get_storage (buffer));
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, "immutable", NULL, NULL);
  ReelSampler *sampler = reel_replay_buffer_get_sampler (buffer);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_set_batch_size (buffer, 2);
  g_assert_false (reel_replay_buffer_set_prefetch (buffer, 2, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  other = reel_replay_buffer_new (storage, sampler, writer, 0, &error);
  g_assert_null (other);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_null (
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "consuming:max-sample-count=0", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* ---- one writes, another consumes ---- */

typedef struct
{
  ReelReplayBuffer *buffer;
  gint64 n_rows, max_count;
  guint8 *given; /* how often each row was */
  gint64 n_given;
  atomic_bool over;
} Race;

static gint64
consume (Race *self)
{
  gint64 slots[MOST_ROWS], numbers[MOST_ROWS], n = sample (self->buffer, 7, slots, numbers, NULL);

  for (gint64 i = 0; i < n; i++, self->n_given++)
    g_assert_cmpint (++self->given[numbers[i]], <=, self->max_count);
  return n;
}

static void
race (gpointer data, gint worker, gint n_workers)
{
  Race *self = data;
  gint64 slots[MOST_ROWS];

  if (worker == 1)
    while (!atomic_load (&self->over))
      consume (self);
  else
    {
      for (gint64 row = 0; row < self->n_rows; row += 5)
        extend (self->buffer, row, 5, slots);
      atomic_store (&self->over, TRUE);
    }
}

/* No row too often; and at the end every row that is there as often as it should. */
static void
test_race (gconstpointer data)
{
  gint64 max_count = GPOINTER_TO_INT (data), capacity = 64;
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (capacity, max_count, 0, "round-robin");
  g_autoptr (ReelWorkers) workers = reel_workers_new (2, NULL);
  g_autofree guint8 *given = g_new0 (guint8, 100000);
  Race the_race = { .buffer = buffer, .n_rows = 100000, .max_count = max_count, .given = given };

  reel_workers_run (workers, race, &the_race);
  g_test_message ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " rows given", the_race.n_given,
                  the_race.n_rows * max_count);
  while (consume (&the_race) > 0)
    ;
  for (gint64 slot = 0; slot < capacity; slot++)
    {
      const ReelTensordict *all = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));

      g_assert_cmpint (given[counted_get_number (all, &slot)], ==, max_count);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/samplers/consuming/every-short-run", test_every_short_run);
  g_test_add_func ("/samplers/consuming/free-slots-come-first", test_free_slots_come_first);
  g_test_add_func ("/samplers/consuming/a-pass-consumes-all", test_a_pass_consumes_all);
  g_test_add_func ("/samplers/consuming/stored-index-is-right", test_stored_index_is_right);
  g_test_add_func ("/samplers/consuming/replaced-beyond-the-view", test_replaced_beyond_the_view);
  g_test_add_func ("/samplers/consuming/refusals", test_refusals);
  g_test_add_func ("/samplers/consuming/failed-write-changes-nothing",
                   test_failed_write_changes_nothing);
  g_test_add_data_func ("/samplers/consuming/while-writing/once", GINT_TO_POINTER (1), test_race);
  g_test_add_data_func ("/samplers/consuming/while-writing/twice", GINT_TO_POINTER (2), test_race);
  return g_test_run ();
}
