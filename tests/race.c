#include "race.h"

#include "../src/core/system/workers.h"
#include "counted-rows.h"

typedef struct
{
  Race *race;
  ReelSampler *samplers[RACE_READERS];
  atomic_bool over;
} Run;

/* ---- the writer ---- */

static void
write_all (Run *run)
{
  Race *race = run->race;

  for (gboolean more = TRUE; more;)
    more = race->write (race) || atomic_load (&race->n_read) < race->least;
  atomic_store (&run->over, TRUE);
}

gboolean
race_extend (Race *race)
{
  gint64 done = reel_replay_buffer_get_write_count (race->buffer);

  counted_extend (race->buffer, race->lanes, 1 + done % 9, done);
  return done + 1 + done % 9 < race->n_steps;
}

gboolean
race_commit (Race *race)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (race->buffer);
  gint64 done = reel_replay_buffer_get_write_count (race->buffer);
  ReelReservation block;

  g_assert_true (reel_replay_buffer_reserve (race->buffer, 1 + done % 9, &block, NULL));
  counted_fill_block (storage, &block, 0, race->lanes);
  reel_replay_buffer_commit (race->buffer, &block, block.n_steps);
  return done + block.n_steps < race->n_steps;
}

/* ---- the readers ---- */

static gint64
count_torn (const ReelTensordict *rows, gint64 n)
{
  gint64 n_torn = 0;

  for (gint64 i = 0; i < n; i++)
    n_torn += !counted_is_whole (rows, &i);
  return n_torn;
}

void
race_count (Race *race, const ReelTensordict *rows, gint64 n)
{
  atomic_fetch_add (&race->n_torn, count_torn (rows, n));
  atomic_fetch_add (&race->n_read, n);
}

/* A thread without a CPU may be overtaken for as long as it waits: it asks again. */
static gboolean
sample (Run *run, gint reader, ReelTensordict **batch)
{
  Race *race = run->race;
  ReelSampler *sampler = run->samplers[reader];
  g_autoptr (GError) error = NULL;

  if (race->sample
          ? race->sample (race, sampler, batch, &error)
          : reel_replay_buffer_sample_with (race->buffer, sampler, race->batch_size, batch, &error))
    return TRUE;
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT);
  atomic_fetch_add (&race->n_starved, 1);
  return FALSE;
}

static void
read_all (Run *run, gint reader)
{
  Race *race = run->race;
  g_autoptr (ReelTensordict) batch = NULL;

  for (gboolean over = FALSE; !over;)
    {
      gint ndim;
      gint64 n;

      over = atomic_load (&run->over);
      if (!sample (run, reader, &batch))
        {
          g_assert_false (over);
          continue;
        }
      n = reel_tensordict_get_batch_size (batch, &ndim)[0];
      atomic_fetch_add (&race->n_torn,
                        race->count_torn ? race->count_torn (race, batch) : count_torn (batch, n));
      atomic_fetch_add (&race->n_read, n);
      if (race->look)
        race->look (race);
    }
}

static void
work (gpointer data, gint worker, gint n_workers)
{
  if (worker == 0)
    write_all (data);
  else
    read_all (data, worker - 1);
}

/* Samplers are made before the threads are: ThreadSanitizer sees no lock of GLib's. */
void
race_run (Race *race, gint n_readers)
{
  g_autoptr (ReelWorkers) workers = reel_workers_new (1 + n_readers, NULL);
  Run run = { .race = race };

  for (gint i = 0; i < n_readers; i++)
    {
      g_autofree char *text = g_strdup_printf ("random:seed=%d", i + 1);

      run.samplers[i] = reel_object_new_from_text (
          REEL_TYPE_SAMPLER, race->samplers[i] ? race->samplers[i] : text, NULL, NULL);
    }
  reel_workers_run (workers, work, &run);
  for (gint i = 0; i < n_readers; i++)
    g_object_unref (run.samplers[i]);
  g_test_message ("%lld rows read, %lld batches waited for again", (long long) race->n_read,
                  (long long) race->n_starved);
  g_assert_cmpint (race->n_torn, ==, 0);
  g_assert_cmpint (race->n_read, >, 0);
}
