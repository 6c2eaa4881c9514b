/* Workers of parallel environments: a request and its answer, and processes beside threads. */
#include "bench.h"
#include "limits/memory-limits.h"
#include "machine.h"

#include "../src/core/system/forked-worker.h"
#include "../src/core/system/workers.h"
#include "../src/reel.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#define CHEETAH_LANES 16
#define CHEETAH_STEPS 40
#define DEADLINE 60 /* seconds */

/* ---- hand-offs ---- */

static double
send_line (gpointer data, gint64 n)
{
  return limit_round_trips (n);
}

static void
measure_hand_off (Bench *bench, const char *name, double floor, double goal, BenchFunc ours,
                  gpointer data)
{
  bench_measure (bench, &(BenchFigure){ .name = name,
                                        .unit = "ns",
                                        .scale = 1e9,
                                        .is_time = TRUE,
                                        .floor = floor,
                                        .goal = goal,
                                        .ours = ours,
                                        .data = data,
                                        .limit = send_line });
}

/* How often the other thread was there. */
typedef struct
{
  _Alignas(128) _Atomic gint64 n_there;
  _Alignas(128) gint64 n_asked;
} Visits;

/* The caller would do the share of a thread that is late: it waits until the thread is there. */
static void
meet (gpointer data, gint worker, gint n_workers)
{
  Visits *visits = data;

  if (worker == 1)
    atomic_store_explicit (&visits->n_there, visits->n_asked, memory_order_release);
  else
    while (atomic_load_explicit (&visits->n_there, memory_order_acquire) != visits->n_asked)
      ;
}

static double
run_threads (gpointer workers, gint64 n)
{
  Visits visits = { 0 };
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      visits.n_asked++;
      reel_workers_run (workers, meet, &visits);
    }
  return bench_clock () - begin;
}

static void
measure_threads (Bench *bench)
{
  GError *error = NULL;
  g_autoptr (ReelWorkers) workers = reel_workers_new (2, &error);

  bench_demand (workers != NULL, error);
  measure_hand_off (bench,
                    "a batch of nothing to a hot thread and its answer; fastest trip of a line",
                    0.1, 1.0 / 3, run_threads, workers);
}

static void
serve_nothing (gpointer data)
{
}

static double
ask_process (gpointer worker, gint64 n)
{
  GError *error = NULL;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      reel_forked_worker_ask (worker);
      bench_demand (reel_forked_worker_await (worker, DEADLINE, &error), error);
    }
  return bench_clock () - begin;
}

static void
measure_processes (Bench *bench)
{
  ReelForkedLine *line =
      mmap (NULL, sizeof *line, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  GError *error = NULL;
  ReelForkedWorker *worker = reel_forked_worker_new (line, serve_nothing, NULL, TRUE, &error);

  bench_demand (worker != NULL, error);
  measure_hand_off (bench,
                    "a batch of nothing to a hot process and its answer; fastest trip of a line",
                    0.05, 1.0 / 6, ask_process, worker);
  reel_forked_worker_free (worker);
  munmap (line, sizeof *line);
}

/* ---- an env ---- */

typedef struct
{
  ReelEnv *env;
  ReelCollector *collector;
} Run;

static gboolean
open_run (Run *run, const char *kind, gint workers)
{
  g_autofree char *env = g_strdup_printf (
      "parallel:'HalfCheetah-v5',kind=%s,workers=%d,num-envs=%d", kind, workers, CHEETAH_LANES);
  g_autofree char *text = g_strdup_printf ("sync:threads=%d,frames-per-batch=%d", workers,
                                           CHEETAH_LANES * CHEETAH_STEPS);
  GError *error = NULL;
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", &error, NULL);

  bench_demand (policy != NULL, error);
  run->env = reel_object_new_from_text (REEL_TYPE_ENV, env, &error, NULL);
  if (run->env == NULL)
    {
      printf ("HalfCheetah: left out, %s\n", error->message);
      g_error_free (error);
      return FALSE;
    }
  run->collector = reel_collector_new (text, run->env, policy, NULL, &error);
  bench_demand (run->collector != NULL, error);
  return TRUE;
}

static void
close_run (Run *run)
{
  g_clear_object (&run->collector);
  g_clear_object (&run->env);
}

static double
collect (gpointer data, gint64 n)
{
  const Run *run = data;
  GError *error = NULL;
  gint64 done = 0;
  double begin = bench_clock ();

  while (done < n)
    {
      gint64 rows = reel_collector_next (run->collector, NULL, &error);

      bench_demand (rows > 0, error);
      done += rows;
    }
  return (bench_clock () - begin) * (double) n / (double) done;
}

static void
measure_cheetah (Bench *bench)
{
  gint workers = MIN (machine_n_cpus (), CHEETAH_LANES);
  Run processes = { NULL, NULL }, threads = { NULL, NULL };
  BenchFigure figure = {
    .name = "HalfCheetah-v5, a process a CPU; a thread a CPU",
    .unit = "ksteps/s",
    .scale = 1e3,
    .floor = 0.8,
    .goal = 0.95,
    .ours = collect,
    .data = &processes,
    .limit = collect,
    .limit_data = &threads,
  };

  if (!bench_wants (bench, figure.name))
    return;
  if (open_run (&processes, "processes", workers) && open_run (&threads, "threads", workers))
    bench_measure (bench, &figure);
  close_run (&processes);
  close_run (&threads);
}

/* ---- lanes that are sent and received ---- */

#define ASYNC_LANES 8
#define ASYNC_TAKEN 4
#define SLOWNESS 24 /* steps of the simulator to one of the slow lane */

/* An env whose last lane is slow, and the actions of all. */
typedef struct
{
  ReelEnv *env;
  ReelTensor *actions;
} SlowLane;

static gboolean
open_slow_lane (SlowLane *self)
{
  g_autofree char *text =
      g_strdup_printf ("parallel:workers=%d,env='serial:envs=[''HalfCheetah-v5:num-envs=%d'',"
                       "''HalfCheetah-v5|frame-skip:frame-skip=%d'']'",
                       CLAMP (machine_n_cpus (), 2, ASYNC_LANES), ASYNC_LANES - 1, SLOWNESS);
  GError *error = NULL;

  self->env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);
  if (self->env == NULL)
    {
      printf ("HalfCheetah: left out, %s\n", error->message);
      g_error_free (error);
      return FALSE;
    }

  g_autoptr (ReelTensordict) drawn = reel_env_rand_action (self->env, NULL, &error);

  bench_demand (drawn != NULL, error);
  self->actions = reel_tensordict_ref_tensor (drawn, "action", NULL);
  return TRUE;
}

static void
close_slow_lane (SlowLane *self)
{
  g_clear_pointer (&self->actions, reel_tensor_unref);
  g_clear_object (&self->env);
}

/* Gives each of the first lanes of @td an action. */
static void
set_actions (const SlowLane *self, ReelTensordict *td)
{
  GError *error = NULL;
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  g_autoptr (ReelTensor) some = reel_tensor_slice (self->actions, 0, 0, *size, 1, &error);

  bench_demand (some != NULL && reel_tensordict_set_tensor (td, "action", some, &error), error);
}

/* At least @n steps of lanes, all lanes together. */
static double
step_together (gpointer data, gint64 n)
{
  const SlowLane *self = data;
  GError *error = NULL;
  ReelTensordict *td = reel_env_reset (self->env, NULL, &error);
  double begin;

  bench_demand (td != NULL, error);
  begin = bench_clock ();
  for (gint64 done = 0; done < n; done += ASYNC_LANES)
    {
      ReelTensordict *next;

      set_actions (self, td);
      next = reel_env_step_and_maybe_reset (self->env, td, &error);
      bench_demand (next != NULL, error);
      reel_tensordict_unref (td);
      td = next;
    }
  begin = bench_clock () - begin;
  reel_tensordict_unref (td);
  return begin * (double) n / (double) ((n + ASYNC_LANES - 1) / ASYNC_LANES * ASYNC_LANES);
}

/* Receives @taken lanes, and sends them again where @again. */
static void
take_lanes (const SlowLane *self, gint64 taken, gboolean again)
{
  GError *error = NULL;
  g_autoptr (ReelTensordict) begin = NULL;
  g_autoptr (ReelTensordict) steps = reel_env_recv (self->env, taken, -1, &begin, &error);

  bench_demand (steps != NULL, error);
  if (!again)
    return;
  set_actions (self, begin);
  bench_demand (reel_env_send (self->env, begin, &error), error);
}

/* The same, lanes as they become ready. The last ones are waited for. */
static double
step_apart (gpointer data, gint64 n)
{
  const SlowLane *self = data;
  GError *error = NULL;
  g_autoptr (ReelTensordict) td = reel_env_reset (self->env, NULL, &error);
  gint64 done = ASYNC_LANES;
  double begin;

  bench_demand (td != NULL, error);
  set_actions (self, td);
  begin = bench_clock ();
  bench_demand (reel_env_send (self->env, td, &error), error);
  for (; done < n; done += ASYNC_TAKEN)
    take_lanes (self, ASYNC_TAKEN, TRUE);
  take_lanes (self, ASYNC_LANES, FALSE);
  return (bench_clock () - begin) * (double) n / (double) done;
}

static void
measure_slow_lane (Bench *bench)
{
  SlowLane apart = { NULL, NULL }, together = { NULL, NULL };
  BenchFigure figure = {
    .name = "HalfCheetah-v5, a slow lane in 8, sent and received; stepped together",
    .unit = "ksteps/s",
    .scale = 1e3,
    .floor = 1.5,
    .goal = 2.5,
    .ours = step_apart,
    .data = &apart,
    .limit = step_together,
    .limit_data = &together,
  };

  if (!bench_wants (bench, figure.name))
    return;
  if (open_slow_lane (&apart) && open_slow_lane (&together))
    bench_measure (bench, &figure);
  close_slow_lane (&apart);
  close_slow_lane (&together);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("workers of parallel environments", argc, argv);

  reel_init ();
  if (machine_n_cpus () > 1 || bench_is_tiny (bench))
    {
      measure_threads (bench);
      measure_processes (bench);
      measure_cheetah (bench);
      measure_slow_lane (bench);
    }
  else
    printf ("workers: left out, there is one CPU\n");
  return bench_close (bench);
}
