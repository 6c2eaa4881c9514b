/* Workers that fail, hang or are late, and functions that act for the lanes of several of them. */
#include "collecting.h"
#include "forked-children.h"
#include "fragile-env.h"
#include "gated-env.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[] = { "threads", "processes" };

/* ---- workers that fail ---- */

typedef struct
{
  FragileHow how;
  const char *part; /* of the message */
} Failure;

/* check_failure: the third batch fails; what was stored before is there, and nothing else is
 * left. */
static void
check_failure (const char *id, const char *kind, const Failure *failure, gboolean is_async)
{
  g_autofree char *how = g_strdup_printf ("%s:workers=2,kind=%s,frames-per-batch=%d,timeout=1", id,
                                          kind, is_async ? 4 : 8);
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor:shared=true", 1 << 20, 2);
  g_autoptr (GError) error = NULL;
  gint64 rows, sum = 0;

  fragile_env_break (failure->how, 2, 5);
  {
    g_autoptr (ReelCollector) collector =
        collecting_make_collector (how, "Fragile-v0:num-envs=4,seed=1", "random", buffer);

    while ((rows = reel_collector_next (collector, NULL, &error)) > 0)
      sum += rows;
    g_assert_cmpint (rows, ==, -1);
    g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME); /* T14.8-10, T14.8-29 */
    if (!strstr (error->message, "worker 1 (lanes 2 to 3): ")
        || !strstr (error->message, failure->part))
      g_error ("%s, %s: %s", how, failure->part, error->message);
    g_assert_cmpint (reel_collector_next (collector, NULL, NULL), ==, -1);
  }
  if (!is_async)
    g_assert_cmpint (sum, ==, 16);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, sum);
  forked_children_assert_none ();
  fragile_env_break (FRAGILE_NOWHERE, 0, 0);
}

static void
test_failures (void)
{
  static const Failure failures[] = {
    { FRAGILE_ABORT, "signal 6 (Aborted)" },
    { FRAGILE_EXIT, "exited with status 7" },
    { FRAGILE_HANG, "did not answer for 1 s" },
    { FRAGILE_REPORT, "lane 2 could not be simulated in step 5" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      check_failure ("multi-sync", "processes", &failures[i], FALSE);
      check_failure ("multi-async", "processes", &failures[i], TRUE);
    }
}

/* ---- functions ---- */

/* How a function acts. */
typedef struct
{
  gint64 fails_at;    /* a step; -1 for none */
  int number;         /* of the signal that it raises there, 0 for an error, -1 for an end */
  gint64 n_calls;     /* of this process */
  gint64 lanes_least; /* of a call */
} Function;

static gboolean
act (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  Function *function = user_data;

  function->n_calls++;
  function->lanes_least = MIN (function->lanes_least, n_lanes);
  for (gint64 lane = 0; lane < n_lanes; lane++)
    {
      float angle = ((const float *) (gconstpointer) io->observation[0])[4 * lane + 2];
      gint64 *action = (gint64 *) (gpointer) io->action[0] + 2 * lane;

      action[0] = angle < 0;
      action[1] = !action[0];
    }
  if (step != function->fails_at)
    return TRUE;
  if (function->number > 0)
    raise (function->number);
  if (function->number < 0)
    _exit (3);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "the function was told to fail");
  return FALSE;
}

static gint64
collect_by_function (const char *how, Function *function, ReelTensordict **copy, GError **error)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=5,seed=7");
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (act, function, NULL);
  g_autoptr (ReelCollector) collector = reel_collector_new (how, env, policy, NULL, error);
  ReelTensordict *batch;
  gint64 rows;

  g_assert_nonnull (collector);
  rows = reel_collector_next (collector, &batch, error);
  *copy = rows > 0 ? reel_tensordict_clone (batch, TRUE, NULL) : NULL;
  return rows;
}

/* A function acts for the lanes of each worker; where it sees them apart, the data are those of one
 * call for all. */
static void
test_functions (void)
{
  Function function = { .fails_at = -1, .lanes_least = 100 };
  g_autoptr (ReelTensordict) wanted = NULL;

  collect_by_function ("sync:frames-per-batch=500", &function, &wanted, NULL);
  g_assert_cmpint (function.n_calls, ==, 100);
  g_assert_cmpint (function.lanes_least, ==, 5);
  for (gint workers = 1; workers <= 5; workers++)
    for (gint kind = 0; kind < 2; kind++)
      {
        g_autofree char *how =
            g_strdup_printf ("multi-sync:workers=%d,kind=%s,cat-results=lanes,frames-per-batch=500",
                             workers, kinds[kind]);
        g_autoptr (ReelTensordict) found = NULL;

        function = (Function){ .fails_at = -1, .lanes_least = 100 };
        g_assert_cmpint (collect_by_function (how, &function, &found, NULL), ==, 500);
        g_assert_true (reel_tensordict_equal (found, wanted));
        g_assert_cmpint (function.n_calls, ==, kind == 0 ? 100 * workers : 0);
        if (kind == 0)
          g_assert_cmpint (function.lanes_least, ==, 5 / workers);
      }
}

/* T14.8-29 */
static void
test_functions_fail (void)
{
  static const struct
  {
    int number, kind;
    gint code;
    const char *part;
  } cases[] = {
    { 0, 0, REEL_ERROR_VALUE, "worker 0 (lanes 0 to 2): the function was told to fail" },
    { 0, 1, REEL_ERROR_VALUE, "worker 0 (lanes 0 to 2): the function was told to fail" },
    { -1, 1, REEL_ERROR_RUNTIME,
      "worker 0 (lanes 0 to 2): its worker process exited with status 3" },
    { SIGKILL, 1, REEL_ERROR_RUNTIME, "worker 0 (lanes 0 to 2): signal 9 (Killed)" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Function function = { .fails_at = 11, .number = cases[i].number };
      g_autofree char *how =
          g_strdup_printf ("multi-sync:workers=2,kind=%s,cat-results=0", kinds[cases[i].kind]);
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (collect_by_function (how, &function, &batch, &error), ==, -1);
      g_assert_error (error, REEL_ERROR, cases[i].code);
      if (!g_str_has_prefix (error->message, cases[i].part))
        g_error ("%s: %s", how, error->message);
      forked_children_assert_none ();
    }
}

/* ---- workers that are late ---- */

typedef struct
{
  ReelCollector *collector;
  ReelTensordict *batch;
  gint64 rows;
} Call;

static gpointer
call (gpointer data)
{
  Call *self = data;

  self->rows = collecting_next (self->collector, &self->batch);
  return NULL;
}

static gint64
read_int64 (ReelTensordict *td, const char *path, const gint64 *at)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (td, path, NULL);
  const guint8 *place = leaf->data;
  gint64 value;

  for (gint i = 0; i < 2; i++)
    place += at[i] * leaf->strides[i];
  memcpy (&value, place, sizeof value);
  return value;
}

/* T14.8-13: the lane of worker 1 does 3 steps of 8 while the others are done. */
static void
check_late (gint kind, const char *cat)
{
  g_autofree char *how = g_strdup_printf (
      "multi-sync:workers=3,kind=%s,frames-per-batch=24,preemptive-threshold=0.7,cat-results=%s",
      kinds[kind], cat);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (how, "Gated-v0:num-envs=3", "random", NULL);
  Call first = { .collector = collector };
  GThread *thread;

  gated_env_shut (1);
  thread = g_thread_new ("next", call, &first);
  g_usleep (200000); /* the others are done, or the stop is seen later: both are checked */
  gated_env_open ();
  g_thread_join (thread);
  g_assert_cmpint (first.rows, >, 16);
  if (g_str_equal (cat, "stack"))
    for (gint64 lane = 0; lane < 3; lane++)
      {
        gboolean late = FALSE;

        for (gint64 step = 0; step < 8; step++)
          {
            const gint64 at[] = { lane, step };
            const ReelTensor *mask =
                reel_tensordict_get_tensor (first.batch, "collector/mask", NULL);
            gint64 id = read_int64 (first.batch, "collector/traj_ids", at);

            g_assert_cmpint (mask->data[lane * mask->strides[0] + step * mask->strides[1]], ==,
                             id >= 0);
            late |= id < 0;
            g_assert_cmpint (late, ==, id < 0); /* a prefix */
            if (id >= 0)
              g_assert_cmpint (id % 3, ==, lane);
          }
        if (lane != 1)
          g_assert_false (late);
      }
}

static gboolean
read_flag (ReelTensordict *td, const char *path, gint64 lane, gint64 step)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (td, path, NULL);

  return leaf->data[lane * leaf->strides[0] + step * leaf->strides[1]];
}

/* A lane that was late goes on where it was. */
static void
test_late_goes_on (void)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "multi-sync:workers=3,frames-per-batch=24,preemptive-threshold=0.4", "Gated-v0:num-envs=3",
      "random", NULL);
  gint64 count = 0, n_late = 0;

  for (gint i = 0; i < 50; i++)
    {
      ReelTensordict *batch;
      gint64 at[2] = { 2, 0 };

      collecting_next (collector, &batch);
      for (; at[1] < 8 && read_flag (batch, "collector/mask", 2, at[1]); at[1]++)
        {
          g_assert_cmpint (read_int64 (batch, "count", at), ==, count);
          count =
              read_flag (batch, "next/done", 2, at[1]) ? 0 : read_int64 (batch, "next/count", at);
        }
      g_assert_cmpint (at[1], >, 0);
      n_late += at[1] < 8;
      for (; at[1] < 8; at[1]++)
        {
          g_assert_cmpint (read_int64 (batch, "collector/traj_ids", at), ==, -1);
          g_assert_cmpint (read_int64 (batch, "next/count", at), ==, 0);
        }
    }
  g_test_message ("late %d times of 50", (int) n_late);
}

static void
test_late (void)
{
  for (gint kind = 0; kind < 2; kind++)
    {
      check_late (kind, "stack");
      check_late (kind, "0");
      check_late (kind, "lanes");
    }
}

/* The batches of others come while one worker waits. */
static void
test_first_come (void)
{
  for (gint kind = 0; kind < 2; kind++)
    {
      g_autofree char *how = g_strdup_printf (
          "multi-async:workers=3,kind=%s,frames-per-batch=4,total-frames=80", kinds[kind]);
      gint64 n_of[3] = { 0 }, step[3] = { 0 };

      gated_env_shut (1);
      {
        g_autoptr (ReelCollector) collector =
            collecting_make_collector (how, "Gated-v0:num-envs=3", "random", NULL);
        ReelTensordict *batch;

        for (gint i = 0; i < 20; i++)
          {
            const ReelTensor *ids;
            gint64 id;

            if (i == 10)
              gated_env_open ();
            g_assert_cmpint (collecting_next (collector, &batch), ==, 4);
            ids = reel_tensordict_get_tensor (batch, "collector/traj_ids", NULL);
            memcpy (&id, ids->data, sizeof id);
            g_assert_true (i >= 10 || id % 3 != 1);
            n_of[id % 3]++;
            step[id % 3] += 4;
          }
        g_assert_cmpint (n_of[0] + n_of[1] + n_of[2], ==, 20);
      }
      forked_children_assert_none ();
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_FRAGILE_ENV);
  gated_env_init ();
  g_test_add_func ("/collectors/multi/failures-name-the-worker", test_failures);
  g_test_add_func ("/collectors/multi/functions-act-for-each-worker", test_functions);
  g_test_add_func ("/collectors/multi/functions-that-fail", test_functions_fail);
  g_test_add_func ("/collectors/multi/late-workers-leave-padding", test_late);
  g_test_add_func ("/collectors/multi/late-workers-go-on", test_late_goes_on);
  g_test_add_func ("/collectors/multi/batches-come-as-they-are-done", test_first_come);
  return g_test_run ();
}
