/* Batches of one worker at a time: every lane's rows are those of a run of its own. */
#include "collecting.h"
#include "scratch.h"

#include <string.h>

#define LANES 6
#define MOST 400 /* steps of a lane that are compared */
#define ENV "CartPole:num-envs=6,seed=3,max-episode-steps=9|step-counter"

static const char *const kinds[] = { "threads", "processes" };

/* The rows of each lane, and how many of them were compared. */
typedef struct
{
  ReelTensordict *wanted; /* of sync, [LANES, MOST] */
  gint64 done[LANES];
} Streams;

static void
streams_init (Streams *streams)
{
  g_autofree char *text = collecting_text ("sync", LANES * MOST, LANES * MOST, 1);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (text, ENV, "random:seed=5", NULL);
  ReelTensordict *batch;

  collecting_next (collector, &batch);
  *streams = (Streams){ .wanted = reel_tensordict_clone (batch, TRUE, NULL) };
}

/* check_rows: [lanes, n] of one worker. */
static void
check_rows (Streams *streams, ReelTensordict *rows)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (rows);
  const ReelTensor *ids = reel_tensordict_get_tensor (rows, "collector/traj_ids", NULL);
  gint64 lanes = ids->shape[0], n = ids->shape[1], first;
  g_autoptr (ReelTensordict) theirs = NULL, part = NULL;

  memcpy (&first, ids->data, sizeof first);
  first %= LANES;
  g_assert_cmpint (first % lanes, ==, 0);
  theirs = reel_tensordict_slice (streams->wanted, 0, first, first + lanes, 1, NULL);
  part = reel_tensordict_slice (theirs, 1, streams->done[first], streams->done[first] + n, 1, NULL);
  g_assert_nonnull (part);
  for (char **leaf = leaves; *leaf; leaf++)
    g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (rows, *leaf, NULL),
                                      reel_tensordict_get_tensor (part, *leaf, NULL)));
  for (gint64 lane = first; lane < first + lanes; lane++)
    streams->done[lane] += n;
}

static gint64
count_workers (const Streams *streams, gint64 lanes)
{
  gint64 n = 0;

  for (gint64 lane = 0; lane < LANES; lane += lanes)
    n += streams->done[lane] > 0;
  return n;
}

/* T14.8-1: each batch is of one worker and has all rows. */
static void
test_batches (void)
{
  for (gint workers = 1; workers <= LANES / 2; workers++)
    for (gint kind = 0; kind < 2; kind++)
      {
        gint64 lanes = LANES / workers;
        g_autofree char *how = g_strdup_printf ("multi-async:workers=%d,kind=%s,frames-per-batch="
                                                "29,total-frames=600,list-episodes=true",
                                                workers, kinds[kind]);
        g_autoptr (ReelCollector) collector =
            collecting_make_collector (how, ENV, "random:seed=5", NULL);
        ReelTensordict *batch;
        ReelCollectorStats stats;
        Streams streams;
        gint64 sum = 0, rows, n_episodes = 0, length_sum = 0;
        gsize n;

        streams_init (&streams);
        while ((rows = collecting_next (collector, &batch)) > 0)
          {
            const ReelCollectorEpisode *episodes = reel_collector_get_episodes (collector, &n);

            g_assert_cmpint (rows, ==, (29 + lanes - 1) / lanes * lanes);
            check_rows (&streams, batch);
            sum += rows;
            for (gsize i = 0; i < n; i++, n_episodes++)
              {
                g_assert_cmpint (episodes[i].number, ==, n_episodes);
                length_sum += episodes[i].length;
              }
          }
        g_assert_cmpint (sum, >=, 600);
        g_assert_cmpint (sum - rows, >, 0);
        reel_collector_get_stats (collector, &stats);
        g_assert_cmpint (stats.frames, ==, sum);
        g_assert_cmpint (stats.episodes, ==, n_episodes);
        g_assert_cmpint (stats.length_sum, ==, length_sum);
        g_assert_cmpint (n_episodes, >, 20);
        if (workers == 1)
          g_assert_cmpint (count_workers (&streams, lanes), ==, 1);
        reel_tensordict_unref (streams.wanted);
      }
}

/* check_buffer: all rows from number @first_row on, of batches of @steps steps. */
static void
check_buffer (Streams *streams, ReelReplayBuffer *buffer, gint64 first_row, gint64 steps)
{
  ReelStorageView view;

  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  for (gint64 row = first_row; row < view.end_row; row += steps * view.lanes)
    {
      g_autoptr (ReelTensordict) rows =
          reel_replay_buffer_get_numbered_rows (buffer, row, steps * view.lanes, NULL);
      gint64 shape[] = { steps, view.lanes };
      g_autoptr (ReelTensordict) batch = reel_tensordict_view (rows, 2, shape, NULL);
      g_autoptr (ReelTensordict) turned = reel_tensordict_transpose (batch, 0, 1, NULL);

      g_assert_nonnull (turned);
      check_rows (streams, turned);
    }
}

/* take_state: of one collector, for another. */
static void
take_state (ReelCollector *from, ReelCollector *to)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) state = reel_collector_dup_state (from, &error);

  g_assert_no_error (error);
  reel_collector_set_state (to, state, &error);
  g_assert_no_error (error);
}

/* T14.8-18: workers go on behind the rows that were handed out, also in a collector that has begun:
 * what its own workers were doing is dropped. */
static void
test_state_continues (void)
{
  for (gint workers = 1; workers <= LANES / 2; workers++)
    for (gint kind = 0; kind < 2; kind++)
      for (gint n = 0; n < 7; n++)
        {
          g_autofree char *how = g_strdup_printf ("multi-async:workers=%d,kind=%s,frames-per-batch="
                                                  "12,total-frames=240,list-episodes=true",
                                                  workers, kinds[kind]);
          g_autoptr (ReelCollector) one =
              collecting_make_collector (how, ENV, "random:seed=5", NULL);
          g_autoptr (ReelCollector) other =
              collecting_make_collector (how, ENV, "random:seed=5", NULL);
          ReelTensordict *batch;
          Streams streams;

          streams_init (&streams);
          for (gint k = 0; k < n; k++)
            {
              collecting_next (one, &batch);
              check_rows (&streams, batch);
            }
          for (gint k = 0; k < n % 3; k++)
            collecting_next (other, &batch);
          take_state (one, other);
          while (collecting_next (other, &batch) > 0)
            {
              check_rows (&streams, batch);
              n++;
            }
          g_assert_cmpint (n, ==, 20);
          reel_tensordict_unref (streams.wanted);
        }
}

/* Batches that were begun with random actions, or with new episodes, are begun so again. */
static void
test_state_has_what_was_begun (void)
{
  const char *how = "multi-async:workers=1,frames-per-batch=12,total-frames=120,init-random-"
                    "frames=40";
  g_autoptr (ReelCollector) one = collecting_make_collector (how, ENV, "constant:value=1", NULL);
  ReelTensordict *batch, *theirs;

  for (gint n = 0; n < 10; n++)
    {
      g_autoptr (ReelCollector) other =
          collecting_make_collector (how, ENV, "constant:value=1", NULL);
      g_autoptr (ReelCollector) third =
          collecting_make_collector (how, ENV, "constant:value=1", NULL);

      if (n % 3 == 1)
        g_assert_true (reel_collector_reset (one, NULL));
      take_state (one, other);
      take_state (other, third); /* what it is to begin again is a part of its state */
      collecting_next (one, &batch);
      collecting_next (third, &theirs);
      g_assert_true (reel_tensordict_equal (batch, theirs));
      if (n == 9)
        break;
      take_state (one, third);
      g_assert_cmpint (collecting_next (third, &theirs), >, 0);
    }
}

/* A collector with a buffer takes the state before its first batch. */
static void
test_state_for_a_buffer (void)
{
  const char *how = "multi-async:workers=2,frames-per-batch=15,total-frames=180";
  g_autoptr (ReelReplayBuffer) first = collecting_make_buffer ("tensor", 300, 2);
  g_autoptr (ReelReplayBuffer) second = collecting_make_buffer ("tensor", 300, 2);
  g_autoptr (ReelCollector) one = collecting_make_collector (how, ENV, "random:seed=5", first);
  g_autoptr (ReelCollector) other = collecting_make_collector (how, ENV, "random:seed=5", second);
  g_autoptr (ReelTensordict) state = NULL;
  g_autoptr (GError) error = NULL;
  Streams streams;

  streams_init (&streams);
  for (gint n = 0; n < 5; n++)
    collecting_next (one, NULL);
  take_state (one, other);
  check_buffer (&streams, first, 0, 5);
  while (collecting_next (other, NULL) > 0)
    ;
  check_buffer (&streams, second, 0, 5);
  g_assert_cmpint (reel_replay_buffer_get_length (second), ==, 105);
  state = reel_collector_dup_state (one, NULL);
  g_assert_false (reel_collector_set_state (one, state, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  reel_collector_stop (one);
  while (collecting_next (one, NULL) > 0)
    ;
  g_assert_true (reel_collector_set_state (one, state, NULL));
  reel_tensordict_unref (streams.wanted);
}

static void
test_other_states_are_refused (void)
{
  const char *how = "multi-async:workers=2,frames-per-batch=15";
  g_autoptr (ReelCollector) one = collecting_make_collector (how, ENV, "random:seed=5", NULL);
  static const char *const others[] = { "multi-async:workers=3,frames-per-batch=15",
                                        "multi-sync:workers=2", "sync" };
  g_autoptr (ReelTensordict) state = NULL;

  collecting_next (one, NULL);
  state = reel_collector_dup_state (one, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr (ReelCollector) other =
          collecting_make_collector (others[i], ENV, "random:seed=5", NULL);
      g_autoptr (ReelTensordict) theirs = reel_collector_dup_state (other, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_collector_set_state (other, state, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_clear_error (&error);
      g_assert_false (reel_collector_set_state (one, theirs, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
    }
}

static void
fill (ReelReplayBuffer *buffer, gint workers, gint kind, gint64 total, gboolean resume)
{
  g_autofree char *how = g_strdup_printf (
      "multi-async:workers=%d,kind=%s,frames-per-batch=%d,total-frames=%d,resume=%s", workers,
      kinds[kind], 5 * LANES / workers, (int) total, resume ? "true" : "false");
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (how, ENV, "random:seed=5", buffer);
  ReelTensordict *batch;

  while (collecting_next (collector, &batch) > 0)
    g_assert_null (batch); /* T14.8-14 */
}

/* A ring that is no multiple of the batches, into which workers write around its end. Runs go on
 * where they ended, several times. */
static void
test_buffers (void)
{
  for (gint workers = 1; workers <= LANES / 2; workers++)
    for (gint kind = 0; kind < 2; kind++)
      for (gint64 capacity = 33; capacity < 80; capacity += 14)
        {
          gint64 lanes = LANES / workers, seen = 0;
          g_autoptr (ReelReplayBuffer) buffer =
              collecting_make_buffer ("tensor:shared=true", capacity * lanes, 2);
          Streams streams;

          streams_init (&streams);
          for (gint round = 0; round < 5; round++)
            {
              fill (buffer, workers, kind, 15 * lanes, round > 0);
              check_buffer (&streams, buffer, seen, 5);
              seen += 15 * lanes;
            }
          reel_tensordict_unref (streams.wanted);
        }
}

/* How a run ends: the collector is stopped, its buffer closed, or it is freed before that. */
typedef enum
{
  END_STOP,
  END_CLOSE,
  END_FREE,
  N_ENDS,
} End;

/* end_run: sets @seen to the rows that the collector returned. */
static void
end_run (ReelCollector *collector, End end, gint64 *seen)
{
  g_autoptr (ReelReplayBuffer) buffer = g_object_ref (reel_collector_get_buffer (collector));
  ReelTensordict *batch;
  gint64 rows;
  ReelCollectorStats stats;

  if (end == END_STOP)
    {
      reel_collector_stop (collector);
      while ((rows = collecting_next (collector, &batch)) > 0)
        *seen += rows;
      reel_collector_get_stats (collector, &stats);
      g_assert_cmpint (stats.frames, ==, *seen);
    }
  if (end == END_FREE)
    g_object_unref (collector);
  g_assert_true (reel_replay_buffer_close (buffer, NULL));
  if (end != END_FREE)
    g_object_unref (collector);
}

/* check_run: a ring that wrapped is full of the right rows, none of which is torn. */
static void
check_run (const char *path, Streams *streams, gint64 seen, gint64 checked, End end)
{
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify (path, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
  ReelStorageView view;

  g_assert_nonnull (report);
  g_assert_cmpuint (report->faults->len, ==, 0);
  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  g_assert_cmpint (view.end_row - view.first_row, ==, report->n_rows);
  g_assert_cmpint (report->n_rows, ==,
                   reel_storage_get_capacity (reel_replay_buffer_get_storage (buffer)));
  if (end == END_STOP)
    g_assert_cmpint (view.end_row, ==, seen);
  else
    g_assert_cmpint (view.end_row, >, seen);
  check_buffer (streams, buffer, checked, 5);
}

/* A run ends while workers have places in a ring that wrapped: their batches are completed. */
static void
test_ends (void)
{
  for (gint kind = 0; kind < 2; kind++)
    for (End end = 0; end < N_ENDS; end++)
      {
        g_autofree char *name = g_strdup_printf ("%s-%d", kinds[kind], (int) end);
        g_autofree char *path = scratch_path (name);
        g_autofree char *how =
            g_strdup_printf ("multi-async:workers=2,kind=%s,frames-per-batch=15", kinds[kind]);
        ReelCollector *collector = reel_collector_new_live (path, 52 * 3, how, ENV, "random:seed=5",
                                                            REEL_CHECKPOINT_DEFAULT, NULL);
        gint64 seen = 0, checked = 0;
        Streams streams;
        ReelTensordict *batch;

        streams_init (&streams);
        while (seen < 70 * 3)
          {
            seen += collecting_next (collector, &batch);
            check_buffer (&streams, reel_collector_get_buffer (collector), checked, 5);
            checked = seen;
          }
        end_run (collector, end, &seen);
        check_run (path, &streams, seen, checked, end);
        reel_tensordict_unref (streams.wanted);
      }
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *how, *env, *storage, *part;
  } cases[] = {
    { "frames-per-batch=[4,7],workers=2", "num-envs=2", NULL, "must be one number" },
    { "workers=4", "num-envs=6", NULL, "as many lanes for each worker" },
    { "workers=2", "num-envs=4", "tensor", "half of the buffer" },
    { "workers=2,kind=processes,frames-per-batch=4", "num-envs=4", "tensor", "shared=true" },
    { "workers=2,frames-per-batch=4", "num-envs=4", "records", "layout=columns" },
    { "workers=5", "num-envs=4", NULL, "5 workers are more than the 4 lanes" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *how = g_strconcat ("multi-async:", cases[i].how, NULL);
      g_autofree char *text = g_strconcat ("CartPole:", cases[i].env, NULL);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
      g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
      g_autoptr (ReelReplayBuffer) buffer =
          cases[i].storage ? collecting_make_buffer (cases[i].storage, 60, 2) : NULL;
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_collector_new (how, env, policy, buffer, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      if (!strstr (error->message, cases[i].part))
        g_error ("%s: %s", how, error->message);
    }
}

/* Trajectories that workers are in the middle of would come without their beginning. */
static void
test_whole_trajectories_are_not_reset (void)
{
  g_autoptr (ReelCollector) collector =
      collecting_make_collector ("multi-async:workers=2,frames-per-batch=40,trajs-per-batch=1",
                                 "CartPole:num-envs=2", "random", NULL);
  g_autoptr (GError) error = NULL;
  ReelTensordict *batch;

  g_assert_true (reel_collector_reset (collector, NULL));
  g_assert_cmpint (collecting_next (collector, &batch), >, 0);
  g_assert_false (reel_collector_reset (collector, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/collectors/multi-async/batches", test_batches);
  g_test_add_func ("/collectors/multi-async/state-continues", test_state_continues);
  g_test_add_func ("/collectors/multi-async/state-has-what-was-begun",
                   test_state_has_what_was_begun);
  g_test_add_func ("/collectors/multi-async/state-for-a-buffer", test_state_for_a_buffer);
  g_test_add_func ("/collectors/multi-async/other-states-are-refused",
                   test_other_states_are_refused);
  g_test_add_func ("/collectors/multi-async/buffers", test_buffers);
  scratch_test ("/collectors/multi-async/ends", test_ends);
  g_test_add_func ("/collectors/multi-async/refusals", test_refusals);
  g_test_add_func ("/collectors/multi-async/whole-trajectories-are-not-reset",
                   test_whole_trajectories_are_not_reset);
  return g_test_run ();
}
