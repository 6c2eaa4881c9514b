/* Slices and sequences are whole and in one piece, whatever the writer does meanwhile. */
#include "../src/core/workers.h"
#include "counted-rows.h"

#include <stdatomic.h>
#include <string.h>

typedef struct _Race Race;

/* How many rows of a batch are not what they should be. */
typedef gint64 (*CountTorn) (const Race *race, const ReelTensordict *batch);

struct _Race
{
  ReelReplayBuffer *buffer;
  CountTorn count_torn;
  gint64 lanes;
  gint64 n_steps;
  const char *sampler;
  atomic_bool over;
  atomic_llong n_read;
  atomic_llong n_torn;
};

static void
write_all (Race *race)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (race->buffer);

  while (reel_replay_buffer_get_write_count (race->buffer) < race->n_steps)
    {
      ReelBlock block;

      g_assert_true (reel_replay_buffer_reserve (race->buffer, 5, &block, NULL));
      counted_fill_block (storage, &block, 0, race->lanes);
      reel_replay_buffer_commit (race->buffer, &block, block.n_steps);
    }
  atomic_store (&race->over, TRUE);
}

/* Rows tell their number, which is even where they are no end. */
static gint64
count_torn_slices (const Race *race, const ReelTensordict *batch)
{
  const ReelTensor *truncated = reel_tensordict_get_tensor (batch, "next/truncated", NULL);
  gint ndim;
  gint64 n = reel_tensordict_get_batch_size (batch, &ndim)[0], n_torn = 0;

  for (gint64 i = 0, before = -1; i < n; i++)
    {
      gint64 number = counted_get_number (batch, &i);
      gboolean last = truncated->data[i];

      n_torn += !counted_is_whole (batch, &i) || (before >= 0 && number != before + race->lanes)
                || (!last && number % 2 != 0);
      before = last ? -1 : number;
    }
  return n_torn;
}

/* Windows of six: what is valid follows its neighbour, and ends nowhere but at its last. */
static gint64
count_torn_sequences (const Race *race, const ReelTensordict *batch)
{
  const ReelTensor *valid = reel_tensordict_get_tensor (batch, "validity_mask", NULL);
  const gint64 *anchor = (gpointer) reel_tensordict_get_tensor (batch, "anchor_index", NULL)->data;
  const gint64 *index = (gpointer) reel_tensordict_get_tensor (batch, "index", NULL)->data;
  gint ndim;
  gint64 n = reel_tensordict_get_batch_size (batch, &ndim)[0], n_torn = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 number = counted_get_number (batch, &i), before = i - 1;
      gboolean follows = i % 6 > 0 && valid->data[i] && valid->data[before];

      n_torn += !counted_is_whole (batch, &i) || (i % 6 == 2 && !valid->data[i])
                || (i % 6 == 2 && memcmp (anchor + 2 * i, index + 2 * i, 2 * sizeof *index) != 0)
                || (follows && number != counted_get_number (batch, &before) + race->lanes)
                || (follows && (number - race->lanes) % 2 != 0);
    }
  return n_torn;
}

static void
read_all (Race *race)
{
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, race->sampler, NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  do
    {
      g_autoptr (GError) error = NULL;
      gint ndim;

      reel_replay_buffer_sample_with (race->buffer, sampler, 60, &batch, &error);
      g_assert_no_error (error);
      race->n_torn += race->count_torn (race, batch);
      race->n_read += reel_tensordict_get_batch_size (batch, &ndim)[0];
    }
  while (!atomic_load (&race->over));
}

static void
run (gpointer data, gint worker, gint n_workers)
{
  if (worker == 0)
    write_all (data);
  else
    read_all (data);
}

/* The writer goes round the ring many times. With 4 lanes those of odd rows end with each step, the
 * others never; with 3 every other step. */
static void
test_slices_are_whole (gconstpointer sampler)
{
  for (gint64 lanes = 3; lanes <= 4; lanes++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", lanes * 64, 2);
      g_autoptr (ReelWorkers) workers = reel_workers_new (2, NULL);
      Race race = { .buffer = buffer, .lanes = lanes, .n_steps = 64 * 500, .sampler = sampler };

      race.count_torn =
          g_str_has_prefix (sampler, "sequence") ? count_torn_sequences : count_torn_slices;

      counted_extend (buffer, lanes, 64, 0);
      reel_workers_run (workers, run, &race);
      g_test_message ("%lld rows read", (long long) race.n_read);
      g_assert_cmpint (race.n_torn, ==, 0);
      g_assert_cmpint (race.n_read, >, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_data_func ("/samplers/slice/while-writing/strict",
                        "slice:slice-len=2,end-key=next/flag", test_slices_are_whole);
  g_test_add_data_func ("/samplers/slice/while-writing/short-ones",
                        "slice:slice-len=6,end-key=next/flag,strict-length=false",
                        test_slices_are_whole);
  g_test_add_data_func ("/samplers/sequence/while-writing/any",
                        "sequence:length=3,burn-in=2,bootstrap=1,done-key=next/flag",
                        test_slices_are_whole);
  g_test_add_data_func ("/samplers/sequence/while-writing/passes",
                        "sequence:length=3,burn-in=2,bootstrap=1,done-key=next/flag,"
                        "sampler=(without-replacement)",
                        test_slices_are_whole);

  return g_test_run ();
}
