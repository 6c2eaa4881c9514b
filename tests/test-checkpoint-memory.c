/* Checkpoints of trajectories take the same memory, however many rows there are. */
#include "../src/core/directories.h"
#include "../src/reel.h"
#include "count-allocations.h"
#include "scratch.h"
#include "ted-rows.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 65536    /* 144 bytes each, of 8 lanes in the tests of more */
#define EPISODES 64   /* in whatever number of rows */
#define MOST_KB 16384 /* that the larger one may take */
#define MORE_KB 3072  /* and the larger one more than the smaller one */

typedef struct
{
  const char *checkpointer;
  const char *storage;
  gint64 lanes;
} Case;

/* In KB, of this process. */
static gint64
read_status (const char *name)
{
  g_autofree char *text = NULL;
  const char *at;

  g_assert_true (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  at = strstr (text, name);
  g_assert_nonnull (at);
  return g_ascii_strtoll (at + strlen (name), NULL, 10);
}

/* From here on the peak is counted anew. */
static gint64
forget_peak (void)
{
  int fd = open ("/proc/self/clear_refs", O_WRONLY);

  if (fd >= 0)
    {
      g_assert_cmpint (write (fd, "5", 1), ==, 1);
      close (fd);
    }
  return read_status ("VmRSS:");
}

static void
set_zeros (ReelTensordict *td, const char *path, ReelDtype dtype, const Case *of, gint64 steps,
           gint64 width, guint8 byte)
{
  const gint64 many[] = { of->lanes, steps, width }, one[] = { steps, width };
  gboolean is_one = of->lanes == 1;
  g_autoptr (ReelTensor) tensor =
      reel_tensor_new (dtype, is_one ? 2 : 3, is_one ? one : many, NULL);

  memset (tensor->data, byte, reel_tensor_nbytes (tensor));
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

static ReelTensordict *
new_rows (const Case *of, gint64 n)
{
  const gint64 steps = n / of->lanes, shape[] = { of->lanes, steps };
  ReelTensordict *td =
      of->lanes == 1 ? reel_tensordict_new (1, &steps) : reel_tensordict_new (2, shape);
  guint8 *done;

  set_zeros (td, "observation", REEL_DTYPE_FLOAT32, of, steps, 16, 7);
  set_zeros (td, "action", REEL_DTYPE_INT64, of, steps, 1, 1);
  set_zeros (td, "next/observation", REEL_DTYPE_FLOAT32, of, steps, 16, 7);
  set_zeros (td, "next/reward", REEL_DTYPE_FLOAT32, of, steps, 1, 3);
  set_zeros (td, "next/done", REEL_DTYPE_BOOL, of, steps, 1, 0);
  done = reel_tensordict_get_tensor (td, "next/done", NULL)->data;
  for (gint64 i = n / EPISODES - 1; i < n; i += n / EPISODES)
    done[i] = TRUE;
  return td;
}

static ReelReplayBuffer *
new_buffer (const Case *of, gint64 n)
{
  g_autofree char *text =
      g_strdup_printf ("%s%ccapacity=%" G_GINT64_FORMAT ",ndim=%d", of->storage,
                       strchr (of->storage, ':') ? ',' : ':', n, of->lanes == 1 ? 1 : 2);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelTensordict) rows = new_rows (of, n), more = new_rows (of, n / 2);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, more, NULL, NULL)); /* the ring goes round */
  return buffer;
}

/* What a dump and a load take beyond the storage. */
static void
measure (const Case *of, gint64 n, const char *path, gint64 taken[2])
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (of, n);
  GError *error = NULL;
  gint64 before;

  ted_rows_set_checkpointer (buffer, of->checkpointer);
  before = forget_peak ();
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error));
  taken[0] = read_status ("VmHWM:") - before;
  before = forget_peak ();
  g_assert_true (reel_replay_buffer_loads (buffer, path, &error));
  taken[1] = read_status ("VmHWM:") - before;
}

/* In a process of its own, whose memory nobody else has used. */
static void
measure_apart (const Case *of, gint64 n, const char *path, gint64 taken[2])
{
  int ends[2], status;
  pid_t child;

  g_assert_cmpint (pipe (ends), ==, 0);
  child = fork ();
  if (child == 0)
    {
      measure (of, n, path, taken);
      _exit (write (ends[1], taken, 2 * sizeof *taken) == 2 * sizeof *taken ? 0 : 1);
    }
  close (ends[1]);
  g_assert_cmpint (read (ends[0], taken, 2 * sizeof *taken), ==, 2 * sizeof *taken);
  close (ends[0]);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

static void
test_takes_as_much_for_more_rows (gconstpointer data)
{
  const Case *of = data;
  g_autofree char *path = scratch_path ("dump");
  gint64 few[2], many[2];

  if (!allocations_are_counted ())
    {
      g_test_skip ("sanitizers keep memory");
      return;
    }
  measure_apart (of, ROWS, path, few);
  measure_apart (of, 10 * ROWS, path, many);
  for (gint i = 0; i < 2; i++)
    {
      g_test_message ("%s: %" G_GINT64_FORMAT " KB for %d rows, %" G_GINT64_FORMAT " KB for %d",
                      i ? "load" : "dump", few[i], ROWS, many[i], 10 * ROWS);
      g_assert_cmpint (many[i], <, MOST_KB);
      g_assert_cmpint (many[i] - few[i], <, MORE_KB);
    }
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { "flat", "tensor", 1 },
    { "flat", "tensor", 8 },
    { "flat", "tensor:layout=records", 8 },
    { "nested", "tensor", 1 },
    { "nested", "tensor:layout=records", 8 },
    { "h5", "tensor", 8 },
    { "h5", "tensor:layout=records", 1 },
  };
  g_autoptr (ReelCheckpointer) h5 = NULL;

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  h5 = reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, "h5", NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf (
          "/buffers/checkpoint-memory/%s/%s/lanes-%" G_GINT64_FORMAT, cases[i].checkpointer,
          strchr (cases[i].storage, ':') ? "records" : "columns", cases[i].lanes);

      if (h5 || !g_str_equal (cases[i].checkpointer, "h5"))
        scratch_test_with_data (name, test_takes_as_much_for_more_rows, &cases[i]);
    }
  return g_test_run ();
}
