/* Workers of parallel environments: a request and its answer, and processes beside threads. */
#include "bench.h"
#include "limits/memory-limits.h"
#include "machine.h"

#include "../src/core/system/forked-worker.h"
#include "../src/core/system/workers.h"
#include "../src/reel.h"

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

static void
do_nothing (gpointer data, gint worker, gint n_workers)
{
}

static double
run_threads (gpointer workers, gint64 n)
{
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    reel_workers_run (workers, do_nothing, NULL);
  return bench_clock () - begin;
}

static void
measure_threads (Bench *bench)
{
  GError *error = NULL;
  g_autoptr (ReelWorkers) workers = reel_workers_new (2, &error);

  bench_demand (workers != NULL, error);
  measure_hand_off (bench, "a batch of nothing to a hot thread; a line there and back", 0.1,
                    1.0 / 3, run_threads, workers);
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
  measure_hand_off (bench, "a batch of nothing to a hot process; a line there and back", 0.05,
                    1.0 / 6, ask_process, worker);
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
  g_autofree char *text =
      g_strdup_printf ("sync:threads=1,frames-per-batch=%d", CHEETAH_LANES * CHEETAH_STEPS);
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
    }
  else
    printf ("workers: left out, there is one CPU\n");
  return bench_close (bench);
}
