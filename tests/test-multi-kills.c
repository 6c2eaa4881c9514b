/* Runs with workers that are killed at any moment, program and workers, and go on to the data of a
 * run that nothing stopped. With -m slow there are 1,000 kills. */
#include "collecting.h"
#include "forked-children.h"
#include "scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANES 4
#define ENV "CartPole:num-envs=4,seed=3,max-episode-steps=40"
#define POLICY "random:seed=5"
#define STEPS (1 << 16) /* of all lanes: a ring that is seldom full */
#define FEW 150         /* likewise: one that is written over and over */
#define LAST 240        /* rows that the last run adds */

typedef struct
{
  const char *how;
  gboolean is_async;
  gint kills, slow_kills;
  gint64 steps; /* of the ring */
} Way;

static const Way ways[] = {
  { "sync:threads=2,frames-per-batch=64", FALSE, 1, 100, STEPS },
  { "multi-sync:workers=2,frames-per-batch=64", FALSE, 2, 200, STEPS },
  { "multi-sync:workers=2,kind=processes,frames-per-batch=64", FALSE, 2, 300, STEPS },
  { "multi-async:workers=2,frames-per-batch=24", TRUE, 2, 150, STEPS },
  { "multi-async:workers=2,kind=processes,frames-per-batch=24", TRUE, 2, 250, STEPS },
  { "sync:threads=2,frames-per-batch=64", FALSE, 1, 100, FEW },
  { "multi-sync:workers=2,frames-per-batch=64", FALSE, 1, 100, FEW },
  { "multi-sync:workers=2,kind=processes,frames-per-batch=64", FALSE, 2, 200, FEW },
  { "multi-async:workers=2,frames-per-batch=24", TRUE, 1, 200, FEW },
  { "multi-async:workers=2,kind=processes,frames-per-batch=24", TRUE, 3, 400, FEW },
};

/* ---- the program that is killed ---- */

static void
check (const GError *error)
{
  if (error == NULL)
    return;
  g_printerr ("%s\n", error->message);
  _exit (2);
}

/* open_run: to go on with it. */
static ReelReplayBuffer *
open_run (const char *path, gint64 rows, GError **error)
{
  g_autofree char *files = g_build_filename (path, "storage", NULL);
  g_autofree char *capacity = g_strdup_printf ("%" G_GINT64_FORMAT, rows);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:existsok=true,ndim=2", error,
                                 "scratch-dir", files, "capacity", capacity, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      storage ? reel_replay_buffer_new (storage, NULL, NULL, 0, error) : NULL;

  return buffer && reel_replay_buffer_loads (buffer, path, error) ? g_steal_pointer (&buffer)
                                                                  : NULL;
}

/* run: begins a run in @path, or goes on with it, for ever where @rows is -1. Ends with 1 where a
 * worker was killed. */
static int
run (const char *path, const char *how, const char *rows, gint64 steps)
{
  g_autofree char *text = g_strdup_printf ("%s,total-frames=%s,resume=true", how, rows);
  gint64 lanes = strstr (how, "async") ? LANES / 2 : LANES;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCollector) collector = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;

  reel_init ();
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      collector = reel_collector_new_live (path, steps * lanes, text, ENV, POLICY,
                                           REEL_CHECKPOINT_DEFAULT, &error);
      check (error);
      buffer = g_object_ref (reel_collector_get_buffer (collector));
    }
  else
    {
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, ENV);
      g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, POLICY);

      buffer = open_run (path, steps * lanes, &error);
      check (error);
      collector = reel_collector_new (text, env, policy, buffer, &error);
      check (error);
    }
  for (gboolean first = TRUE; reel_collector_next (collector, NULL, &error) > 0; first = FALSE)
    if (first && write (STDOUT_FILENO, ".", 1) != 1)
      return 2;
  if (error)
    return 1;
  g_clear_object (&collector);
  reel_replay_buffer_close (buffer, &error);
  check (error);
  return 0;
}

/* start: sets @output to what tells that it has rows. */
static pid_t
start (const char *path, const Way *way, const char *rows, int *output)
{
  g_autofree char *steps = g_strdup_printf ("%" G_GINT64_FORMAT, way->steps);
  const char *const argv[] = { "/proc/self/exe", "--run", path, way->how, rows, steps, NULL };
  g_autoptr (GError) error = NULL;
  GPid pid;

  g_spawn_async_with_pipes (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid,
                            NULL, output, NULL, &error);
  g_assert_no_error (error);
  return pid;
}

/* kill_worker: one of them, at which the program ends. Returns whether there was one. */
static gboolean
kill_worker (pid_t pid, const GArray *workers)
{
  int status;

  if (workers->len == 0 || g_test_rand_int_range (0, 2) == 0)
    return FALSE;
  kill (g_array_index (workers, pid_t, g_test_rand_int_range (0, (gint32) workers->len)), SIGKILL);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 1);
  return TRUE;
}

/* kill_one: it, or a worker of it, while it writes, or now and then while it begins. */
static void
kill_one (const char *path, const Way *way)
{
  int output, status;
  pid_t pid = start (path, way, "-1", &output);
  g_autoptr (GArray) workers = NULL;
  gboolean writes = g_test_rand_int_range (0, 5) > 0;
  char byte;

  if (writes)
    g_assert_cmpint (read (output, &byte, 1), ==, 1);
  g_usleep ((gulong) g_test_rand_int_range (0, 20000));
  workers = forked_children (pid);
  if (!writes || !kill_worker (pid, workers))
    {
      kill (pid, SIGKILL);
      g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
      g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
    }
  close (output);
  forked_children_await_end (workers);
}

/* ---- the rows that it leaves ---- */

/* The steps that a run left: [first, end), `[steps, lanes]`. */
typedef struct
{
  ReelTensordict *rows;
  gint64 lanes, first, end;
} Left;

static Left
read_left (ReelReplayBuffer *buffer)
{
  ReelStorageView view;
  g_autoptr (ReelTensordict) rows = NULL;
  Left left;

  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  left = (Left){ .lanes = view.lanes,
                 .first = view.first_row / view.lanes,
                 .end = view.end_row / view.lanes };
  rows = reel_replay_buffer_get_numbered_rows (buffer, view.first_row,
                                               view.end_row - view.first_row, NULL);

  const gint64 shape[] = { left.end - left.first, left.lanes };

  left.rows = reel_tensordict_view (rows, 2, shape, NULL);
  g_assert_nonnull (left.rows);
  return left;
}

static ReelTensordict *
collect_unbroken (gint64 n_steps)
{
  g_autofree char *text = collecting_text ("sync", LANES * n_steps, LANES * n_steps, 1);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, ENV, POLICY, NULL);
  ReelTensordict *batch;

  g_assert_cmpint (collecting_next (collector, &batch), ==, LANES * n_steps);
  return reel_tensordict_transpose (batch, 0, 1, NULL);
}

static gint64
read_id (ReelTensordict *rows, gint64 step)
{
  const ReelTensor *ids = reel_tensordict_get_tensor (rows, "collector/traj_ids", NULL);
  gint64 id;

  memcpy (&id, ids->data + step * ids->strides[0], sizeof id);
  return id;
}

/* is_batch: whether @ours is [at, at + steps) of the lanes of @wanted from @lane on. */
static gboolean
is_batch (ReelTensordict *ours, ReelTensordict *wanted, gint64 lane, gint64 lanes, gint64 at,
          gint64 steps)
{
  g_autoptr (ReelTensordict) own = reel_tensordict_slice (wanted, 1, lane, lane + lanes, 1, NULL);
  g_autoptr (ReelTensordict) theirs = reel_tensordict_slice (own, 0, at, at + steps, 1, NULL);

  return theirs && reel_tensordict_equal (ours, theirs);
}

/* assert_streams: batches of @steps of one worker each are those of its lanes, without a gap. Where
 * the ring lost the first ones, those that are left begin anywhere. */
static void
assert_streams (const Left *left, gint64 steps)
{
  g_autoptr (ReelTensordict) wanted = collect_unbroken (left->end);
  gint64 skipped = (steps - left->first % steps) % steps;
  gint64 done[LANES] = { -1, -1, -1, -1 };

  for (gint64 at = skipped; at + left->first < left->end; at += steps)
    {
      gint64 lane = read_id (left->rows, at) % LANES;
      g_autoptr (ReelTensordict) ours =
          reel_tensordict_slice (left->rows, 0, at, at + steps, 1, NULL);

      for (gint64 from = 0; done[lane] < 0 && from < left->end; from += steps)
        if (is_batch (ours, wanted, lane, left->lanes, from, steps))
          done[lane] = from;
      g_assert_cmpint (done[lane], >=, 0);
      g_assert_true (left->first > 0 || at > 0 || done[lane] == 0);
      g_assert_true (is_batch (ours, wanted, lane, left->lanes, done[lane], steps));
      done[lane] += steps;
    }
}

static void
assert_whole (const char *path, const Way *way)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_autoptr (ReelTensordict) unbroken = NULL, wanted = NULL;
  Left left;

  g_assert_no_error (error);
  left = read_left (buffer);
  g_test_message ("%" G_GINT64_FORMAT " steps of %" G_GINT64_FORMAT " lanes", left.end, left.lanes);
  if (left.first == left.end)
    ; /* it had not begun, or all of a small ring was being written */
  else if (way->is_async)
    assert_streams (&left, 24 / left.lanes);
  else
    {
      unbroken = collect_unbroken (left.end);
      wanted = reel_tensordict_slice (unbroken, 0, left.first, left.end, 1, NULL);
      g_assert_true (reel_tensordict_equal (left.rows, wanted));
    }
  reel_tensordict_unref (left.rows);
}

/* assert_left: what readers see before anybody goes on with the run: no torn row. */
static void
assert_left (const char *path, const Way *way)
{
  g_autofree char *sidecar = g_build_filename (path, "reel.json", NULL);

  if (g_file_test (sidecar, G_FILE_TEST_EXISTS))
    assert_whole (path, way);
}

static void
test_kills (gconstpointer data)
{
  const Way *way = data;
  gint n = g_test_slow () ? way->slow_kills : way->kills;

  for (gint round = 0; round < n; round += 10)
    {
      g_autofree char *name = g_strdup_printf ("run-%d", round), *path = scratch_path (name);
      g_autofree char *last = g_strdup_printf ("%d", LAST);
      int output, status;
      pid_t pid;

      for (gint i = round; i < MIN (round + 10, n); i++)
        {
          kill_one (path, way);
          assert_left (path, way);
        }
      pid = start (path, way, last, &output);
      g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
      g_assert_cmpint (status, ==, 0);
      close (output);
      assert_whole (path, way);
      scratch_assert_names (scratch_directory, name); /* no drafts */
      {
        g_autofree char *command = g_strdup_printf ("rm -r '%s'", path);

        g_assert_cmpint (system (command), ==, 0);
      }
    }
}

int
main (int argc, char **argv)
{
  if (argc == 6 && g_str_equal (argv[1], "--run"))
    return run (argv[2], argv[3], argv[4], g_ascii_strtoll (argv[5], NULL, 10));
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *path = g_strdup_printf ("/collectors/kills/%d", (int) i);

      scratch_test_with_data (path, test_kills, &ways[i]);
    }
  return g_test_run ();
}
