/* Slices and sequences are whole and in one piece, whatever the writer does meanwhile. */
#include "counted-rows.h"
#include "race.h"

#include <string.h>

/* Rows tell their number, which is even where they are no end. */
static gint64
count_torn_slices (Race *race, const ReelTensordict *batch)
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
count_torn_sequences (Race *race, const ReelTensordict *batch)
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

/* The writer goes round the ring many times. With 4 lanes those of odd rows end with each step, the
 * others never; with 3 every other step. */
static void
test_slices_are_whole (gconstpointer sampler)
{
  for (gint64 lanes = 3; lanes <= 4; lanes++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", lanes * 64, 2);
      Race race = { .buffer = buffer,
                    .batch_size = 60,
                    .samplers = { sampler },
                    .write = race_commit,
                    .lanes = lanes,
                    .n_steps = 64 * 500 };

      race.count_torn =
          g_str_has_prefix (sampler, "sequence") ? count_torn_sequences : count_torn_slices;
      counted_extend (buffer, lanes, 64, 0);
      race_run (&race, 1);
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
