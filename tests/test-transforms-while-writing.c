/* One chain for the thread that writes and all that read. */
#include "counted-rows.h"
#include "race.h"

#define N_SAMPLED 32
#define N_CROPPED 20

static gint64
count_torn (Race *race, const ReelTensordict *rows)
{
  gint64 n_torn = 0;

  g_assert_cmpint (reel_tensordict_numel (rows), ==, N_CROPPED);
  for (gint64 i = 0; i < N_CROPPED; i++)
    n_torn += !counted_is_whole (rows, &i);
  return n_torn;
}

static void
look (Race *race)
{
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (race->buffer, 0, N_SAMPLED, NULL);

  if (rows)
    race_count (race, rows, N_CROPPED);
}

/* Rows are stored under another key, and read in pieces under their own. */
static void
test_no_row_is_torn (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 256, 1);
  g_autoptr (ReelTransform) chain = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM,
      "rename:in-keys=stored,out-keys=id,in-keys-inv=stored,out-keys-inv=id|"
      "random-crop:sub-seq-len=20",
      NULL, NULL);
  Race race = { .buffer = buffer,
                .batch_size = N_SAMPLED,
                .write = race_extend,
                .count_torn = count_torn,
                .look = look,
                .lanes = 1,
                .n_steps = 20000 };

  g_assert_true (reel_replay_buffer_append_transform (buffer, chain, FALSE, NULL));
  counted_extend (buffer, 1, 256, 0);
  race_run (&race, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/transforms/no-row-is-torn", test_no_row_is_torn);

  return g_test_run ();
}
