/* Rows by the age of their policy: chances against sums spelled out. */
#include "../src/reel.h"
#include "golden-buffer.h"
#include "make-batch.h"
#include "scratch.h"

#include <math.h>

/* A ring that has wrapped, whose rows have these versions; `number` counts them. */
static ReelReplayBuffer *
new_buffer (const gint64 *versions, gint64 n)
{
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, n);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

  for (gint64 i = -2; i < n; i++)
    {
      g_autoptr (ReelTensordict) row = reel_tensordict_new (0, NULL);
      g_autoptr (ReelTensor) version = reel_tensor_new (REEL_DTYPE_INT32, 0, NULL, NULL);
      g_autoptr (ReelTensor) number = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);

      *(gint32 *) version->data = i < 0 ? 77 : (gint32) versions[i];
      *(gint64 *) number->data = i;
      g_assert_true (reel_tensordict_set_tensor (row, "policy_version", version, NULL));
      g_assert_true (reel_tensordict_set_tensor (row, "number", number, NULL));
      g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
    }
  return buffer;
}

static const gint64 versions[6] = { 0, 1, 3, 4, 4, 9 };

/* Counts rows of batches of @n, those that come first also in @n_first, and checks what is said of
 * them. */
static void
count_rows (const char *text, gint64 n, gint64 rounds, gint64 *n_seen, gint64 *n_first)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (versions, 6);
  g_autoptr (ReelSampler) sampler = make_sampler (text);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint64 round = 0; round < rounds; round++)
    {
      g_autoptr (GError) error = NULL;
      gint ndim;

      reel_replay_buffer_sample_with (buffer, sampler, n, &batch, &error);
      g_assert_no_error (error);
      g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[0], ==, n);
      for (gint64 i = 0; i < n; i++)
        {
          gint64 row = ((gint64 *) reel_tensordict_get_tensor (batch, "number", NULL)->data)[i];
          float said = ((float *) reel_tensordict_get_tensor (batch, "staleness", NULL)->data)[i];

          g_assert_cmpfloat (said, ==, (float) (4 - versions[row]));
          n_seen[row]++;
          n_first[row] += i == 0;
        }
    }
}

static double
weight (gint64 row)
{
  return 1 / (double) (MAX (4 - versions[row], 0) + 1);
}

static void
assert_chances (const gint64 *n_seen, const double *chances, gint64 n)
{
  for (gint i = 0; i < 6; i++)
    {
      double expected = chances[i] * (double) n;

      if (chances[i] == 0)
        g_assert_cmpint (n_seen[i], ==, 0);
      else
        g_assert_cmpfloat_with_epsilon ((double) n_seen[i], expected, 5 * sqrt (expected) + 1);
    }
}

static void
test_each_on_its_own (void)
{
  gint64 n_seen[6] = { 0 }, n_first[6] = { 0 };
  double chances[6], sum = 0;

  for (gint i = 0; i < 6; i++)
    sum += weight (i);
  for (gint i = 0; i < 6; i++)
    chances[i] = weight (i) / sum;
  count_rows ("staleness-aware:consumer-version=4", 100, 2000, n_seen, n_first);
  assert_chances (n_seen, chances, 200000);
}

/* Two different rows: the chance of (a, then b), over all orders. */
static void
test_no_row_twice (void)
{
  gint64 n_seen[6] = { 0 }, n_first[6] = { 0 }, n_all[6] = { 0 };
  double chances[6] = { 0 }, first[6] = { 0 }, sum = 0;

  for (gint i = 2; i < 6; i++)
    sum += weight (i);
  for (gint a = 2; a < 6; a++)
    for (gint b = 2; b < 6; b++)
      if (a != b)
        {
          double chance = weight (a) / sum * weight (b) / (sum - weight (a));
          first[a] += chance;
          chances[a] += chance;
          chances[b] += chance;
        }
  count_rows ("staleness-aware:consumer-version=4,max-staleness=1", 2, 100000, n_seen, n_first);
  assert_chances (n_seen, chances, 100000);
  assert_chances (n_first, first, 100000);
  count_rows ("StalenessAwareSampler:consumer-version=4,seed=3", 6, 10, n_all, n_first);
  for (gint i = 0; i < 6; i++)
    g_assert_cmpint (n_all[i], ==, 10);
}

static void
test_refuses_and_prints (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (versions, 6);
  g_autoptr (ReelSampler) sampler = make_sampler ("staleness-aware:max-staleness=5");
  g_autofree char *text = NULL;

  g_autoptr (ReelSampler) strict =
      make_sampler ("staleness-aware:consumer-version=12,max-staleness=2");
  assert_batch_refused (
      buffer, strict, 2, REEL_ERROR_RUNTIME,
      "All 6 entries in the buffer exceed max_staleness=2 (consumer_version=12). *");
  g_autoptr (ReelSampler) elsewhere = make_sampler ("staleness-aware:version-key=age");
  assert_batch_refused (buffer, elsewhere, 2, REEL_ERROR_KEY,
                        "Could not find key 'age' in the replay buffer storage.*");
  g_object_set (sampler, "consumer-version", (gint64) 7, NULL);
  text = reel_sampler_to_string (sampler);
  g_assert_cmpstr (text, ==, "StalenessAwareSampler(consumer_version=7, max_staleness=5)");
}

/* Checkpoints of TorchRL are continued, and written back. */
static void
test_golden (void)
{
  g_autofree char *dump = golden_dump ("rb-staleness"), *path = scratch_path ("written");
  g_autoptr (json_t) expect = golden_expect ("rb-staleness");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
  g_auto (GStrv) warnings = NULL;

  g_assert_no_error (error);
  golden_assert_content (expect, buffer);
  warnings = reel_replay_buffer_dup_warnings (buffer);
  g_assert_cmpuint (g_strv_length (warnings), ==, 0);
  reel_replay_buffer_dumps (buffer, path, 0, &error);
  g_assert_no_error (error);
  g_autoptr (ReelReplayBuffer) again = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  g_autofree char *text = reel_sampler_to_string (reel_replay_buffer_get_sampler (again));
  g_assert_cmpstr (text, ==, "StalenessAwareSampler(consumer_version=5, max_staleness=3)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  g_test_add_func ("/samplers/staleness-aware/each-on-its-own", test_each_on_its_own);
  g_test_add_func ("/samplers/staleness-aware/no-row-twice", test_no_row_twice);
  g_test_add_func ("/samplers/staleness-aware/refuses-and-prints", test_refuses_and_prints);

  scratch_test ("/samplers/staleness-aware/golden", test_golden);

  return g_test_run ();
}
