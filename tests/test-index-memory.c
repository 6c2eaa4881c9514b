/* Memory holds the storage, and of the knowledge of samplers of its rows at most 16 bytes for each
 * episode and for each row that has a priority. */
#include "../src/reel.h"
#include "count-allocations.h"

#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define ROWS (1 << 20)
#define AT_ONCE 4096
#define SLACK (2 << 20) /* batches, code that is loaded as it is called, the allocator's own */

typedef struct
{
  const char *sampler;
  gint64 length; /* rows of an episode */
  gint64 bytes;  /* of all that the sampler knows */
} Case;

static const Case cases[] = {
  { "random", 64, 0 },
  { "prioritized", 64, 16 * ROWS },
  { "prioritized:dtype=float64", 64, 16 * ROWS },
  { "slice:slice-len=2,init-key=''", 2, 16 * (ROWS / 2) },
  { "slice:slice-len=2,init-key=''", 64, 16 * (ROWS / 64) },
  { "prioritized-slice:slice-len=2,init-key=''", 2, 16 * (ROWS + ROWS / 2) },
};

/* Bytes of this process that are in memory; 0 where the system does not say. */
static gint64
measure_resident (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) fields = NULL;

#ifdef __GLIBC__
  malloc_trim (0);
#endif
  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return 0;
  fields = g_strsplit (text, " ", 3);
  return g_ascii_strtoll (fields[1], NULL, 10) * (gint64) sysconf (_SC_PAGESIZE);
}

static ReelTensordict *
new_rows (gint64 first, gint64 length)
{
  const gint64 shape[] = { AT_ONCE, 1 };
  ReelTensordict *rows = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) numbers = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);
  g_autoptr (ReelTensor) ends = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);

  for (gint64 i = 0; i < AT_ONCE; i++)
    {
      ((gint64 *) numbers->data)[i] = first + i;
      ends->data[i] = (first + i) % length == length - 1;
    }
  g_assert_true (reel_tensordict_set_tensor (rows, "number", numbers, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "next/done", ends, NULL));
  return rows;
}

/* Of many levels: no two priorities that follow one another are alike. */
static void
update_priorities (ReelReplayBuffer *buffer, ReelTensor *index)
{
  const gint64 n = AT_ONCE;
  g_autoptr (ReelTensor) priorities = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);

  for (gint64 i = 0; i < n; i++)
    ((float *) priorities->data)[i] = (float) (1 + i % 97);
  g_assert_true (reel_replay_buffer_update_priority (buffer, index, priorities, NULL));
}

/* Once round the ring, and half of it again. */
static void
fill (ReelReplayBuffer *buffer, gint64 length)
{
  for (gint64 first = 0; first < ROWS + ROWS / 2; first += AT_ONCE)
    {
      g_autoptr (ReelTensordict) rows = new_rows (first, length);

      g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
    }
}

static void
use (ReelReplayBuffer *buffer, const char *text)
{
  g_autoptr (ReelSampler) sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_set_sampler (buffer, sampler, NULL, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < ROWS / AT_ONCE; i++)
    {
      reel_replay_buffer_sample (buffer, 256, &batch, &error);
      g_assert_no_error (error);
      if (g_str_has_prefix (text, "prioritized"))
        {
          const gint64 n = AT_ONCE;
          g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);

          for (gint64 k = 0; k < n; k++)
            ((gint64 *) index->data)[k] = i * n + k;
          update_priorities (buffer, index);
        }
    }
}

static void
test_at_most (gconstpointer data)
{
  const Case *of = data;
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%d", ROWS);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  gint64 before, taken;

  if (!allocations_are_counted () || measure_resident () == 0)
    {
      g_test_skip ("sanitizers take memory of their own, or the system does not say");
      return;
    }
  before = measure_resident ();
  fill (buffer, of->length);
  taken = measure_resident () - before;
  g_test_message ("storage: %.1f bytes a row", (double) taken / ROWS);
  g_assert_cmpint (taken, <=, (gint64) (sizeof (gint64) + 1) * ROWS + SLACK);
  before = measure_resident ();
  use (buffer, of->sampler);
  taken = measure_resident () - before;
  g_test_message ("index: %.1f bytes a row, %.1f an episode", (double) taken / ROWS,
                  (double) (taken * of->length) / ROWS);
  g_assert_cmpint (taken, <=, of->bytes + SLACK);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/buffers/index-memory/%.*s-of-%d",
                                               (int) strcspn (cases[i].sampler, ","),
                                               cases[i].sampler, (int) cases[i].length);

      g_test_add_data_func (path, &cases[i], test_at_most);
    }
  return g_test_run ();
}
