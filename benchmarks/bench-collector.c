/* Rows of CartPole through the collector: rings of any size, any number of threads, transforms, a
 * single env.
 */
#include "bench.h"
#include "cartpole-run.h"
#include "limit-columns.h"
#include "limits/memory-limits.h"
#include "machine.h"

#include "../src/core/math/isa.h"
#include "../src/envs/classic/cartpole-kernel.h"

#include <stdio.h>

#define LANES 1024
#define MANY_LANES 8192
#define BATCH_ROWS 65536

/* ---- two cores ---- */

/* One thread while another runs a collector of its own: what a core gives when both are at work.
 * Virtual CPUs are at times two halves of one core, and the host's other guests come and go. */
typedef struct
{
  CartpoleRun runs[2];
  gint64 n;
} Pair;

static gpointer
run_second (gpointer data)
{
  Pair *pair = data;

  cartpole_run_rows (&pair->runs[1], pair->n);
  return NULL;
}

static double
run_pair (gpointer data, gint64 n)
{
  Pair *pair = data;
  double begin = bench_clock ();

  pair->n = n;
  GThread *second = g_thread_new ("second", run_second, pair);
  cartpole_run_rows (&pair->runs[0], n);
  g_thread_join (second);
  return bench_clock () - begin;
}

static void
open_hot (CartpoleRun *run, gint64 lanes, gint threads)
{
  cartpole_run_open (run, lanes);
  cartpole_run_collect (run, threads, 2 * cartpole_run_hot_rows (run));
}

/* Batches of one second-level cache, of which each of two threads has half. Queries are made
 * of as many envs a thread as the figures of one thread have. Fewer share more lines: each thread's
 * part of a step's column begins in the page in which the other's ends. */
static void
measure_hot (Bench *bench, gint64 lanes)
{
  CartpoleRun two;
  Pair pair;
  g_autofree char *name =
      g_strdup_printf ("two threads over one, %" G_GINT64_FORMAT " envs, hot (2 at most)", lanes);
  BenchFigure figure = {
    .name = name,
    .unit = "Mrows/s",
    .scale = 1e6,
    .floor = lanes < 2 * LANES ? 1.5 : 1.8,
    .goal = lanes < 2 * LANES ? 1.8 : 1.95,
    .ours = cartpole_run_rows,
    .data = &two,
    .limit = run_pair,
    .limit_data = &pair,
  };

  open_hot (&two, lanes, 2);
  open_hot (&pair.runs[0], lanes, 1);
  open_hot (&pair.runs[1], lanes, 1);
  bench_measure (bench, &figure);
  cartpole_run_close (&two);
  cartpole_run_close (&pair.runs[0]);
  cartpole_run_close (&pair.runs[1]);
}

/* ---- a ring that fits no cache ---- */

typedef struct
{
  LimitStreamingStores *stores;
  gsize row_bytes;
} Stream;

static double
stream_rows (gpointer data, gint64 n)
{
  Stream *stream = data;
  gsize bytes = (gsize) n * stream->row_bytes;
  double begin = bench_clock ();
  gsize written = limit_stores ()->run (stream->stores, bytes);

  return (bench_clock () - begin) * (double) bytes / (double) written;
}

static void
measure_large (Bench *bench, LimitStreamingStores *stores, gint64 lanes, gint64 capacity)
{
  CartpoleRun run;
  Stream stream = { stores, 0 };
  g_autofree char *name = g_strdup_printf (
      "8M-row ring, two threads, %" G_GINT64_FORMAT " envs; streaming stores", lanes);
  BenchFigure figure = {
    .name = name,
    .unit = "Mrows/s",
    .scale = 1e6,
    .floor = 0.45,
    .goal = 0.75,
    .ours = cartpole_run_rows,
    .data = &run,
    .limit = stream_rows,
    .limit_data = &stream,
  };

  cartpole_run_open (&run, lanes);
  cartpole_run_store (&run, "tensor", capacity);
  cartpole_run_collect (&run, 2, BATCH_ROWS);
  cartpole_run_rows (&run, capacity);
  stream.row_bytes = run.row_bytes;
  bench_measure (bench, &figure);
  cartpole_run_close (&run);
}

static void
measure_two_threads (Bench *bench)
{
  gint64 capacity = bench_is_tiny (bench) ? 2 * MANY_LANES : 8 << 20;
  LimitStreamingStores *stores = limit_stores ()->open (LIMIT_ROW_BYTES * (gsize) capacity, 2);

  measure_hot (bench, LANES);
  measure_hot (bench, 2 * LANES);
  measure_hot (bench, 4 * LANES);
  measure_large (bench, stores, LANES, capacity);
  measure_large (bench, stores, MANY_LANES, capacity);
  limit_stores ()->close (stores);
}

/* ---- transforms ---- */

static void
measure_transformed (Bench *bench)
{
  CartpoleRun bare, transformed;
  BenchFigure figure = {
    .name = "step-counter, reward-sum, cat-tensors on 1024 envs; the bare env",
    .unit = "Mrows/s",
    .scale = 1e6,
    .floor = 0.4,
    .goal = 0.7,
    .ours = cartpole_run_rows,
    .data = &transformed,
    .limit = cartpole_run_rows,
    .limit_data = &bare,
  };

  cartpole_run_open (&bare, LANES);
  cartpole_run_collect (&bare, 1, cartpole_run_hot_rows (&bare));
  cartpole_run_open_env (&transformed,
                         "CartPole-v1|step-counter|reward-sum|"
                         "cat-tensors:in-keys=[observation,episode_reward]",
                         LANES);
  cartpole_run_collect (&transformed, 1, cartpole_run_hot_rows (&transformed));
  bench_measure (bench, &figure);
  cartpole_run_close (&bare);
  cartpole_run_close (&transformed);
}

/* ---- a single env ---- */

/* The kernel alone: actions that are there, one lane, a reset where it ends. */
typedef struct
{
  const ReelClassicKernels *kernels;
  ReelCartpolePhysics physics;
  ReelClassicRules rules;
  ReelClassicLanes lanes;
  double block[4][REEL_CLASSIC_TILE];
  ReelClassicStream stream;
  guint8 ended;
  gint64 elapsed;
  gint64 actions[1024][2];
} Kernel;

static double
step_kernel (gpointer data, gint64 n)
{
  Kernel *kernel = data;
  float observation[4], reward;
  guint8 terminated;
  const gint64 lane = 0;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      ReelClassicColumns columns = {
        kernel->actions[i % 1024], TRUE, observation, NULL, &reward, &terminated
      };

      kernel->kernels->step (&kernel->rules, &kernel->lanes, 0, 1, &columns);
      if (terminated || ++kernel->elapsed >= 500)
        {
          kernel->kernels->reset (&kernel->rules, &kernel->lanes, &lane, 1, observation);
          kernel->elapsed = 0;
        }
    }
  return bench_clock () - begin;
}

static Kernel *
kernel_new (void)
{
  Kernel *kernel = g_aligned_alloc0 (1, sizeof *kernel, 64);
  ReelIsa isa;

  reel_isa_choose (&isa, NULL);
  kernel->kernels = REEL_KERNEL_PICK (reel_cartpole_kernels, isa);
  kernel->physics = (ReelCartpolePhysics){
    .push = 10 / 1.1 * 0.02,
    .swing = 0.05 / 1.1,
    .whirl = 0.05 / 1.1 * 0.02,
    .fall = 9.8 * 0.02,
    .lever = 0.5 * 4 / 3,
    .drag = 0.05 / 1.1,
    .tau = 0.02,
    .x_limit = 2.4,
    .theta_limit = 0.20943951023931953,
  };
  kernel->rules = (ReelClassicRules){ .physics = &kernel->physics, .alive = 1, .terminating = 1 };
  reel_classic_rules_draw (&kernel->rules, 4, -0.05, 0.05, NULL);
  kernel->lanes = (ReelClassicLanes){ kernel->block[0], &kernel->stream, &kernel->ended };
  kernel->stream = (ReelClassicStream){ 1, 3 };
  for (gint64 i = 0; i < 1024; i++)
    kernel->actions[i][(guint64) i * 0x9e3779b97f4a7c15 >> 63] = 1;
  return kernel;
}

static void
measure_single (Bench *bench)
{
  CartpoleRun run;
  Kernel *kernel = kernel_new ();
  BenchFigure figure = {
    .name = "one env, a step through the collector; the kernel called",
    .unit = "ns",
    .scale = 1e9,
    .is_time = TRUE,
    .floor = 0.4,
    .goal = 0.6,
    .ours = cartpole_run_rows,
    .data = &run,
    .limit = step_kernel,
    .limit_data = kernel,
  };

  cartpole_run_open (&run, 1);
  cartpole_run_store (&run, "tensor", cartpole_run_hot_rows (&run));
  cartpole_run_collect (&run, 1, 1000);
  bench_measure (bench, &figure);
  cartpole_run_close (&run);
  g_aligned_free (kernel);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("CartPole through the collector", argc, argv);

  reel_init ();
  if (machine_n_cpus () > 1 || bench_is_tiny (bench))
    measure_two_threads (bench);
  else
    printf ("two threads: left out, there is one CPU\n");
  measure_transformed (bench);
  measure_single (bench);
  return bench_close (bench);
}
