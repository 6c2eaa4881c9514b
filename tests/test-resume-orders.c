/* A run in files that is killed, resumed, stopped and refused in every order: its valid rows are
 * always those of a run that never stopped, and what a kill tore is never valid again. */
#include "../src/core/system/directories.h"
#include "collecting.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANES 3
#define SLOTS 16
#define LONGEST 5 /* steps of an episode: the ring always holds the last one */
#define MOST_STEPS 128

#define ENV "CartPole-v1:num-envs=3,seed=11,max-episode-steps=5"

/* Chains behind it: none, and some whose states follow from more than the last episodes. */
#define SHARED                                                                                     \
  "|traj-counter|vec-norm:in-keys=observation,decay=0.9|vec-norm-v2:in-keys=reward|reward-sum"

static const char *chain;

/* The next event of the run. */
typedef struct
{
  const char *name;
  gint steps;      /* that are collected, −1 where the run cannot be resumed */
  gboolean killed; /* in the middle of the block after them */
} Event;

static const Event events[] = {
  { "kill", 0, TRUE },
  { "kill after 1", 1, TRUE },
  { "kill after 5", 5, TRUE },
  { "stop", 0, FALSE },
  { "stop after 1", 1, FALSE },
  { "stop after 3", 3, FALSE },
  { "stop after 11", 11, FALSE },
  { "refuse", -1, FALSE },
};

/* Where the ring must be. */
typedef struct
{
  gint64 begin;
  gint64 end;
} Expected;

static ReelReplayBuffer *reference; /* the run that never stopped */

static char *
env_text (const char *more)
{
  return g_strconcat (ENV, more, chain, NULL);
}

static ReelReplayBuffer *
resume_buffer (const char *path)
{
  g_autofree char *directory = g_build_filename (path, "storage", NULL);
  g_autofree char *text =
      g_strdup_printf ("memmap:existsok=true,ndim=2,capacity=%d", SLOTS * LANES);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, "scratch-dir", directory, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, &error);

  reel_replay_buffer_loads (buffer, path, &error);
  g_assert_no_error (error);
  return buffer;
}

static void
collect (ReelReplayBuffer *buffer, gint steps, gboolean resume)
{
  g_autofree char *text =
      g_strdup_printf ("sync:frames-per-batch=%d,total-frames=%d,threads=1,resume=%s", LANES,
                       steps * LANES, resume ? "true" : "false");
  g_autofree char *env = env_text ("");
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (text, env, "random:seed=5", buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
}

/* Half of a block is written, and never announced. */
static void
tear_block (ReelReplayBuffer *buffer)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  ReelReservation block;
  guint n;

  g_assert_true (reel_replay_buffer_reserve (buffer, 2, &block, NULL));
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  for (guint i = 0; i < n; i += 2)
    memset (block.columns[i], 0x5a, columns[i].step_bytes * (gsize) block.n_steps);
}

static void
kill_run (const char *path, gint steps)
{
  int status;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      ReelReplayBuffer *buffer = resume_buffer (path);

      collect (buffer, steps, TRUE);
      tear_block (buffer);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

static void
stop_run (const char *path, gint steps)
{
  g_autoptr (ReelReplayBuffer) buffer = resume_buffer (path);
  g_autoptr (GError) error = NULL;

  collect (buffer, steps, TRUE);
  reel_replay_buffer_close (buffer, &error);
  g_assert_no_error (error);
}

/* ---- a refused run is as it was ---- */

static void
refuse_run (const char *path)
{
  g_autoptr (GBytes) before = scratch_read_all (path), after = NULL;

  {
    g_autoptr (ReelReplayBuffer) buffer = resume_buffer (path);
    g_autofree char *other = env_text (",gravity=9");
    g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, other);
    g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random:seed=5");
    g_autoptr (GError) error = NULL;
    g_autoptr (ReelCollector) collector =
        reel_collector_new ("sync:resume=true", env, policy, buffer, &error);

    g_assert_null (collector);
    g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  }
  after = scratch_read_all (path);
  g_assert_true (g_bytes_equal (before, after));
}

/* ---- what must be there ---- */

static void
check_rows (const char *path, const Expected *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  gint64 n = (expected->end - expected->begin) * LANES;
  ReelStorageView view;

  g_assert_no_error (error);
  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  g_assert_cmpint (view.first_row, ==, expected->begin * LANES);
  g_assert_cmpint (view.end_row, ==, expected->end * LANES);
  if (n == 0)
    return;
  g_autoptr (ReelTensordict) rows =
      reel_replay_buffer_get_numbered_rows (buffer, view.first_row, n, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensordict) others =
      reel_replay_buffer_get_numbered_rows (reference, view.first_row, n, &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_equal (rows, others));
}

/* Changes a byte of a step in a slot. */
static void
flip (const char *path, gint64 slot)
{
  g_autofree char *leaf = g_build_filename (path, "storage", "observation.memmap", NULL);
  int file = open (leaf, O_RDWR);
  off_t at = slot * LANES * 4 * (off_t) sizeof (float);
  guint8 byte;

  g_assert_cmpint (pread (file, &byte, 1, at), ==, 1);
  byte ^= 1;
  g_assert_cmpint (pwrite (file, &byte, 1, at), ==, 1);
  close (file);
}

/* Torn steps are named, nothing else is wrong, and no checksum is about their bytes. */
static void
check_report (const char *path, const Expected *expected)
{
  gboolean torn = expected->end - expected->begin < SLOTS && expected->begin % SLOTS != 0;
  g_autoptr (GError) error = NULL;

  if (torn)
    flip (path, expected->end % SLOTS);
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report->faults->len, ==, torn);
  if (!torn)
    return;
  const ReelCheckpointFault *fault = report->faults->pdata[0];
  g_assert_true (fault->torn);
  g_assert_cmpint (fault->n, ==, expected->begin + SLOTS - expected->end);
}

/* Blocks are of one eighth of the ring and end at its end. */
static void
expect (Expected *expected, const Event *event)
{
  expected->end += MAX (event->steps, 0);
  expected->begin = MAX (expected->begin, expected->end - SLOTS);
  if (event->killed)
    {
      gint64 block = MIN (SLOTS / 8, SLOTS - expected->end % SLOTS);

      expected->begin = MAX (expected->begin, expected->end + block - SLOTS);
    }
}

static ReelReplayBuffer *
make_buffer (const char *path)
{
  g_autofree char *text_of_env = env_text ("");
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text_of_env);
  g_autofree char *text = g_strdup_printf ("memmap:ndim=2,capacity=%d", SLOTS * LANES);
  g_autoptr (ReelStorage) storage = collecting_make (REEL_TYPE_STORAGE, text);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, &error);
  g_autoptr (ReelTensordict) layout = reel_collector_make_layout (env, NULL, &error);

  reel_replay_buffer_make_live (buffer, path, layout, REEL_CHECKPOINT_DEFAULT, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&buffer);
}

static void
begin_run (const char *path, gint steps)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (path);
  g_autoptr (GError) error = NULL;

  collect (buffer, steps, FALSE);
  reel_replay_buffer_close (buffer, &error);
  g_assert_no_error (error);
}

/* Every order of up to @length events, each on a copy of what the ones before it left. */
static void
play (const char *path, const char *names, const Expected *before, guint length)
{
  if (length == 0)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (events); i++)
    {
      const Event *event = &events[i];
      g_autofree char *order = g_strdup_printf ("%s, %s", names, event->name);
      g_autofree char *copy = g_strdup_printf ("%s-%u", path, length);
      Expected expected = *before;

      g_test_message ("%s", order);
      tree_copy_killed (path, copy);
      if (event->steps < 0)
        refuse_run (copy);
      else
        (event->killed ? kill_run : stop_run) (copy, event->steps);
      expect (&expected, event);
      check_rows (copy, &expected);
      check_report (copy, &expected);
      play (copy, order, &expected, length - 1);
      g_assert_true (reel_directory_remove (copy, NULL));
    }
}

static void
play_all (guint length, gint begun)
{
  g_autofree char *path = scratch_path ("run");
  const Expected expected = { MAX (0, begun - SLOTS), begun };

  begin_run (path, begun);
  play (path, "began", &expected, length);
  g_assert_true (reel_directory_remove (path, NULL));
}

/* The JSON files count the first step alone, which is what a copy has of a run that goes on, and
 * what a power loss may leave. */
static void
test_power_loss (void)
{
  g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
  Expected expected = { 0, 1 };

  chain = SHARED;
  reference = collecting_make_buffer ("tensor", MOST_STEPS * LANES, 2);
  collect (reference, MOST_STEPS, FALSE);
  {
    g_autoptr (ReelReplayBuffer) buffer = make_buffer (path);

    collect (buffer, 1, FALSE);
    collect (buffer, 4, TRUE);
    tree_copy (path, copy);
  }
  check_rows (copy, &expected);
  stop_run (copy, 5);
  expected.end += 5;
  check_rows (copy, &expected);
  g_clear_object (&reference);
}

typedef struct
{
  const char *chain;
  gint begun;
  guint length, slow;
} Orders;

static void
test_every_order (gconstpointer data)
{
  const Orders *orders = data;

  chain = orders->chain;
  reference = collecting_make_buffer ("tensor", MOST_STEPS * LANES, 2);
  collect (reference, MOST_STEPS, FALSE);
  play_all (g_test_slow () ? orders->slow : orders->length, orders->begun);
  g_clear_object (&reference);
}

int
main (int argc, char **argv)
{
  static const Orders short_one = { "", 7, 2, 4 }, wrapped = { "", 21, 3, 4 };
  static const Orders shared = { SHARED, 7, 2, 3 }, shared_wrapped = { SHARED, 21, 2, 4 };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  scratch_test_with_data ("/collectors/resume-orders/valid-rows-stay", test_every_order,
                          &short_one);
  scratch_test_with_data ("/collectors/resume-orders/torn-rows-stay-invalid", test_every_order,
                          &wrapped);
  scratch_test_with_data ("/collectors/resume-orders/statistics-go-on", test_every_order, &shared);
  scratch_test_with_data ("/collectors/resume-orders/statistics-go-on-in-a-ring", test_every_order,
                          &shared_wrapped);
  scratch_test ("/collectors/resume-orders/statistics-go-on-after-a-power-loss", test_power_loss);
  return g_test_run ();
}
