/* Checkpoints of trajectories take the same memory, however many rows there are. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "count-allocations.h"
#include "scratch.h"
#include "ted-rows.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 65536     /* 151 bytes each, of 8 lanes in the tests of more */
#define EPISODES 64    /* in whatever number of rows */
#define MOST_KB 16384  /* that the larger one may take */
#define MORE_KB 4096   /* and the larger one more: less than 8 bytes a row, above noise of pages */
#define MANY 16384     /* episodes in the tests of more of them */
#define OWN_BYTES 160  /* an episode, of seven keys */
#define HDF5_BYTES 400 /* an episode, in the process of HDF5 */

typedef struct
{
  const char *checkpointer;
  const char *storage;
  gint64 lanes;
} Case;

/* The dump, or the load. */
typedef struct
{
  const Case *of;
  gint64 rows;
  gint64 episodes;
} Run;

/* In KB, at the peak. */
typedef struct
{
  gint64 own;   /* in this process */
  gint64 child; /* in one that it made, beyond what it had then */
} Taken;

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
new_rows (const Run *run, gint64 n)
{
  const Case *of = run->of;
  const gint64 steps = n / of->lanes, shape[] = { of->lanes, steps };
  const gint64 length = run->rows / run->episodes;
  ReelTensordict *td =
      of->lanes == 1 ? reel_tensordict_new (1, &steps) : reel_tensordict_new (2, shape);
  guint8 *done;

  set_zeros (td, "observation", REEL_DTYPE_FLOAT32, of, steps, 16, 7);
  set_zeros (td, "action", REEL_DTYPE_INT64, of, steps, 1, 1);
  set_zeros (td, "next/observation", REEL_DTYPE_FLOAT32, of, steps, 16, 7);
  set_zeros (td, "next/reward", REEL_DTYPE_FLOAT32, of, steps, 1, 3);
  set_zeros (td, "next/done", REEL_DTYPE_BOOL, of, steps, 1, 0);
  set_zeros (td, "next/terminated", REEL_DTYPE_BOOL, of, steps, 1, 0);
  set_zeros (td, "next/truncated", REEL_DTYPE_BOOL, of, steps, 1, 0);
  set_zeros (td, "collector/traj_ids", REEL_DTYPE_INT64, of, steps, 1, 0);
  done = reel_tensordict_get_tensor (td, "next/done", NULL)->data;
  for (gint64 i = length - 1; i < n; i += length)
    done[i] = TRUE;
  return td;
}

static ReelReplayBuffer *
new_buffer (const Run *run)
{
  const Case *of = run->of;
  g_autofree char *text =
      g_strdup_printf ("%s%ccapacity=%" G_GINT64_FORMAT ",ndim=%d", of->storage,
                       strchr (of->storage, ':') ? ',' : ':', run->rows, of->lanes == 1 ? 1 : 2);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelTensordict) rows = new_rows (run, run->rows);
  g_autoptr (ReelTensordict) more = new_rows (run, run->rows / 2);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, more, NULL, NULL)); /* the ring goes round */
  return buffer;
}

/* The memory of a dump or a load beyond the storage. */
static Taken
measure (const Run *run, const char *path, gboolean loads)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (run);
  gint64 before;
  struct rusage children;
  GError *error = NULL;

  ted_rows_set_checkpointer (buffer, run->of->checkpointer);
  before = forget_peak ();
  if (loads)
    reel_replay_buffer_loads (buffer, path, &error);
  else
    reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (getrusage (RUSAGE_CHILDREN, &children), ==, 0);
  return (Taken){ read_status ("VmHWM:") - before, MAX (children.ru_maxrss - before, 0) };
}

/* In a process of its own, whose memory nobody else has used. */
static Taken
measure_apart (const Run *run, const char *path, gboolean loads)
{
  Taken taken;
  int ends[2], status;
  pid_t child;

  g_assert_cmpint (pipe (ends), ==, 0);
  child = fork ();
  if (child == 0)
    {
      taken = measure (run, path, loads);
      _exit (write (ends[1], &taken, sizeof taken) == sizeof taken ? 0 : 1);
    }
  close (ends[1]);
  g_assert_cmpint (read (ends[0], &taken, sizeof taken), ==, sizeof taken);
  close (ends[0]);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  g_test_message ("%s of %" G_GINT64_FORMAT " rows, %" G_GINT64_FORMAT
                  " episodes: %" G_GINT64_FORMAT " KB, and %" G_GINT64_FORMAT " KB",
                  loads ? "load" : "dump", run->rows, run->episodes, taken.own, taken.child);
  return taken;
}

static gboolean
can_measure (void)
{
  if (!allocations_are_counted ())
    g_test_skip ("sanitizers keep memory");
  return allocations_are_counted ();
}

static void
test_takes_as_much_for_more_rows (gconstpointer of)
{
  const Run small = { of, ROWS, EPISODES }, large = { of, 10 * ROWS, EPISODES };
  g_autofree char *path = scratch_path ("few"), *large_path = scratch_path ("many");

  if (!can_measure ())
    return;
  for (gint loads = 0; loads <= 1; loads++)
    {
      Taken few = measure_apart (&small, path, loads);
      Taken many = measure_apart (&large, large_path, loads);

      g_assert_cmpint (many.own, <, MOST_KB);
      g_assert_cmpint (many.child, <, MOST_KB);
      g_assert_cmpint (many.own - few.own, <, MORE_KB);
      g_assert_cmpint (many.child - few.child, <, MORE_KB);
    }
}

/* Where each episode ends is held, and of HDF5 where each of its datasets is. */
static void
test_takes_little_for_more_episodes (gconstpointer of)
{
  const Run few_of = { of, ROWS, EPISODES }, many_of = { of, ROWS, MANY };
  g_autofree char *path = scratch_path ("few"), *many_path = scratch_path ("many");

  if (!can_measure ())
    return;
  for (gint loads = 0; loads <= 1; loads++)
    {
      Taken few = measure_apart (&few_of, path, loads);
      Taken many = measure_apart (&many_of, many_path, loads);

      g_assert_cmpint (many.own - few.own, <, MORE_KB + MANY * OWN_BYTES / 1024);
      g_assert_cmpint (many.child - few.child, <, MORE_KB + MANY * HDF5_BYTES / 1024);
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
      g_autofree char *prefix = g_strdup_printf (
          "/buffers/checkpoint-memory/%s/%s/lanes-%" G_GINT64_FORMAT, cases[i].checkpointer,
          strchr (cases[i].storage, ':') ? "records" : "columns", cases[i].lanes);
      g_autofree char *rows = g_strconcat (prefix, "/takes-as-much-for-more-rows", NULL);
      g_autofree char *episodes = g_strconcat (prefix, "/takes-little-for-more-episodes", NULL);

      if (!h5 && g_str_equal (cases[i].checkpointer, "h5"))
        continue;
      scratch_test_with_data (rows, test_takes_as_much_for_more_rows, &cases[i]);
      scratch_test_with_data (episodes, test_takes_little_for_more_episodes, &cases[i]);
    }
  return g_test_run ();
}
