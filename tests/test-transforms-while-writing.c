/* One chain for the thread that writes and all that read. */
#include "../src/reel.h"
#include "../src/core/workers.h"
#include "counted-rows.h"

#include <stdatomic.h>

#define N_STEPS 20000
#define N_SAMPLED 32
#define N_CROPPED 20

typedef struct
{
  ReelReplayBuffer *buffer;
  atomic_bool over;
  atomic_llong n_read;
  atomic_llong n_torn;
} Race;

static void
write_all (Race *race)
{
  for (gint64 done = 256; done < N_STEPS; done += 1 + done % 9)
    counted_extend (race->buffer, 1, 1 + done % 9, done);
  atomic_store (&race->over, TRUE);
}

static void
count_torn (Race *race, const ReelTensordict *rows)
{
  g_assert_cmpint (reel_tensordict_numel (rows), ==, N_CROPPED);
  for (gint64 i = 0; i < N_CROPPED; i++)
    if (!counted_is_whole (rows, &i))
      atomic_fetch_add (&race->n_torn, 1);
  atomic_fetch_add (&race->n_read, N_CROPPED);
}

static void
read_all (Race *race, gint worker)
{
  g_autofree char *seed = g_strdup_printf ("%d", worker);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "random", NULL, "seed", seed, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  do
    {
      g_autoptr (ReelTensordict) rows = NULL;
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_sample_with (race->buffer, sampler, N_SAMPLED, &batch, &error);
      g_assert_no_error (error);
      count_torn (race, batch);
      rows = reel_replay_buffer_get_rows (race->buffer, 0, N_SAMPLED, NULL);
      if (rows)
        count_torn (race, rows);
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

/* Rows are stored under another key, and read in pieces under their own. */
static void
test_no_row_is_torn (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 256, 1);
  g_autoptr (ReelWorkers) workers = reel_workers_new (3, NULL);
  g_autoptr (ReelTransform) chain = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM,
      "rename:in-keys=stored,out-keys=id,in-keys-inv=stored,out-keys-inv=id|"
      "random-crop:sub-seq-len=20",
      NULL, NULL);
  Race race = { .buffer = buffer };

  g_assert_true (reel_replay_buffer_append_transform (buffer, chain, FALSE, NULL));
  counted_extend (buffer, 1, 256, 0);
  reel_workers_run (workers, run, &race);
  g_test_message ("%lld rows read", (long long) race.n_read);
  g_assert_cmpint (race.n_torn, ==, 0);
  g_assert_cmpint (race.n_read, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/transforms/no-row-is-torn", test_no_row_is_torn);

  return g_test_run ();
}
