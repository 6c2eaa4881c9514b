/* Rows through collectors with several workers: beside the envs alone that write to the same ring,
 * and with workers of uneven speed. */
#include "bench.h"
#include "cartpole-run.h"
#include "machine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define LANES 1024
#define BATCH_ROWS 65536
#define UNEVEN 8    /* workers, of which the slowest takes as many times as long as the first */
#define FASTEST 200 /* us of its step */
#define BATCH_STEPS 16

/* ---- CartPole ---- */

/* Two envs of half of the lanes, each in a thread, that write their columns to one ring: no policy
 * acts, nothing is reset or recorded. */
typedef struct
{
  ReelEnv *envs[2];
  ReelReplayBuffer *buffer;
  guint8 *action;
  guint8 *observation[2];
  gint64 n_steps; /* of a block */
  ReelReservation block;
} Bare;

typedef struct
{
  Bare *bare;
  gint half;
} Half;

static guint8 *
find (const Bare *bare, const char *path)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (bare->buffer);

  return bare->block.columns[reel_storage_find_column (storage, path, NULL)];
}

static gpointer
step_half (gpointer data)
{
  const Half *half = data;
  const Bare *bare = half->bare;
  gint64 lanes = LANES / 2, first = half->half * lanes;
  guint8 *observation = find (bare, "next/observation"), *reward = find (bare, "next/reward");
  guint8 *terminated = find (bare, "next/terminated"), *truncated = find (bare, "next/truncated");
  guint8 *done = find (bare, "next/done");

  for (gint64 step = 0; step < bare->block.n_steps; step++)
    {
      gint64 row = step * LANES + first;
      guint8 *next = observation + row * 4 * (gint64) sizeof (float);
      const guint8 *action = bare->action;
      const ReelEnvIO io = {
        .action = &action,
        .observation = &next,
        .reward = (float *) (gpointer) reward + row,
        .terminated = terminated + row,
        .truncated = truncated + row,
        .done = done + row,
      };

      reel_env_step_lanes (bare->envs[half->half], 0, lanes, &io);
      reel_env_reset_lanes (bare->envs[half->half], 0, lanes, done + row,
                            (guint8 *const[]){ bare->observation[half->half] });
    }
  return NULL;
}

static double
step_bare (gpointer data, gint64 n)
{
  Bare *bare = data;
  GError *error = NULL;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n;)
    {
      Half halves[2] = { { bare, 0 }, { bare, 1 } };

      bench_demand (
          reel_replay_buffer_reserve (bare->buffer, BATCH_ROWS / LANES, &bare->block, &error),
          error);
      done += bare->block.n_steps * LANES;

      GThread *second = g_thread_new ("second", step_half, &halves[1]);

      step_half (&halves[0]);
      g_thread_join (second);
      reel_replay_buffer_commit (bare->buffer, &bare->block, bare->block.n_steps);
    }
  return bench_clock () - begin;
}

static void
open_bare (Bare *bare, ReelReplayBuffer *buffer)
{
  GError *error = NULL;

  *bare = (Bare){ .buffer = buffer, .action = g_malloc0 (LANES * 2 * sizeof (gint64)) };
  for (gint64 lane = 0; lane < LANES; lane++)
    ((gint64 *) (gpointer) bare->action)[2 * lane + lane % 2] = 1;
  for (gint half = 0; half < 2; half++)
    {
      bare->envs[half] =
          reel_object_new_from_text (REEL_TYPE_ENV, "CartPole-v1", &error, "num-envs", "512", NULL);
      bench_demand (bare->envs[half] != NULL, error);
      bare->observation[half] = g_malloc0 (LANES * 4 * sizeof (float));
      reel_env_reset_lanes (bare->envs[half], 0, LANES / 2, NULL,
                            (guint8 *const[]){ bare->observation[half] });
    }
}

static void
close_bare (Bare *bare)
{
  for (gint half = 0; half < 2; half++)
    {
      g_object_unref (bare->envs[half]);
      g_free (bare->observation[half]);
    }
  g_free (bare->action);
}

static void
collect (CartpoleRun *run, const char *how)
{
  GError *error = NULL;

  run->collector = reel_collector_new (how, run->env, run->policy, run->buffer, &error);
  bench_demand (run->collector != NULL, error);
}

static void
measure_cartpole (Bench *bench, const char *kind)
{
  CartpoleRun run;
  Bare bare;
  g_autofree char *name =
      g_strdup_printf ("multi-sync, two %s, 1024 envs into a ring; the envs alone into one", kind);
  g_autofree char *how =
      g_strdup_printf ("multi-sync:workers=2,kind=%s,frames-per-batch=%d", kind, BATCH_ROWS);
  BenchFigure figure = {
    .name = name,
    .unit = "Mrows/s",
    .scale = 1e6,
    .floor = 0.6,
    .goal = 0.85,
    .ours = cartpole_run_rows,
    .data = &run,
    .limit = step_bare,
    .limit_data = &bare,
  };

  if (!bench_wants (bench, name))
    return;
  cartpole_run_open (&run, LANES);
  cartpole_run_store (&run, "tensor:shared=true", bench_is_tiny (bench) ? 1 << 16 : 1 << 20);
  collect (&run, how);
  cartpole_run_rows (&run, 1);
  g_clear_object (&run.collector);
  open_bare (&bare, run.buffer);
  collect (&run, how);
  bench_measure (bench, &figure);
  cartpole_run_close (&run);
  close_bare (&bare);
}

/* ---- workers of uneven speed ---- */

/* Its step takes FASTEST us, or times as many as its seed says: a simulator, or another machine. */
typedef struct
{
  ReelEnv parent_instance;

  gint64 times;
} UnevenEnv;

typedef struct
{
  ReelEnvClass parent_class;
} UnevenEnvClass;

GType uneven_env_get_type (void);

G_DEFINE_TYPE (UnevenEnv, uneven_env, REEL_TYPE_ENV)

static void
wait_us (gint64 microseconds)
{
  const struct timespec time = { 0, (long) microseconds * 1000 };

  nanosleep (&time, NULL);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  const gint64 one[] = { 1 };
  g_autoptr (ReelSpec) count = reel_unbounded_spec_new (REEL_DTYPE_INT64, 1, one, error);
  g_autoptr (ReelSpec) action = reel_categorical_spec_new (3, REEL_DTYPE_INT64, 0, NULL, error);

  reel_env_take_specs (env,
                       reel_composite_spec_new (0, NULL, (const char *const[]){ "count", NULL },
                                                (ReelSpec *const[]){ count }, 1, error),
                       reel_composite_spec_new (0, NULL, (const char *const[]){ "action", NULL },
                                                (ReelSpec *const[]){ action }, 1, error));
  return reel_env_make_lanes (env, sizeof (gint64), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  *(gint64 *) reel_env_get_lane (env, lane) = 0;
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    ((gint64 *) (gpointer) observation[0])[lanes[i]] =
        *(gint64 *) reel_env_get_lane (env, lanes[i]);
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      gint64 *count = reel_env_get_lane (env, lane);

      wait_us (((UnevenEnv *) (gpointer) env)->times * FASTEST);
      ((gint64 *) (gpointer) io->observation[0])[lane] = ++*count;
      io->reward[lane] = 1;
      io->terminated[lane] = *count % 100 == 0;
    }
}

static void
uneven_env_class_init (UnevenEnvClass *klass)
{
  static const ReelId ids[] = { { "Uneven-v0", NULL, "as slow as it is told" }, { NULL } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_object_class_add_int64 (REEL_OBJECT_CLASS (klass), "times",
                               G_STRUCT_OFFSET (UnevenEnv, times), 1, 1000, 1, NULL,
                               "how slow it is", REEL_PROPERTY_CONSTRUCT_ONLY);
  env_class->source = "none";
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
}

static void
uneven_env_init (UnevenEnv *self)
{
}

static ReelEnv *
make_uneven (void)
{
  g_autoptr (GString) text = g_string_new ("serial:envs=[");
  GError *error = NULL;
  ReelEnv *env;

  for (gint i = 0; i < UNEVEN; i++)
    g_string_append_printf (text, "%s'Uneven-v0:times=%d'", i > 0 ? "," : "", i + 1);
  g_string_append_c (text, ']');
  env = reel_object_new_from_text (REEL_TYPE_ENV, text->str, &error, NULL);
  bench_demand (env != NULL, error);
  return env;
}

/* The sum of the rates: each thread waits for its steps, until there are enough of all. */
typedef struct
{
  _Atomic gint64 left;
} Ideal;

typedef struct
{
  Ideal *ideal;
  gint64 times;
} IdealWorker;

static gpointer
wait_all (gpointer data)
{
  const IdealWorker *worker = data;

  while (atomic_fetch_sub (&worker->ideal->left, 1) > 0)
    wait_us (worker->times * FASTEST);
  return NULL;
}

static double
run_ideal (gpointer data, gint64 n)
{
  Ideal *ideal = data;
  IdealWorker workers[UNEVEN];
  GThread *threads[UNEVEN];
  double begin = bench_clock ();

  atomic_store (&ideal->left, n);
  for (gint i = 0; i < UNEVEN; i++)
    {
      workers[i] = (IdealWorker){ ideal, i + 1 };
      threads[i] = g_thread_new ("ideal", wait_all, &workers[i]);
    }
  for (gint i = 0; i < UNEVEN; i++)
    g_thread_join (threads[i]);
  return bench_clock () - begin;
}

static void
measure_uneven (Bench *bench, const char *name, const char *how, gboolean stores, double floor,
                double goal)
{
  CartpoleRun run = { 0 };
  Ideal ideal;
  g_autoptr (ReelStorage) storage = NULL;
  GError *error = NULL;
  BenchFigure figure = {
    .name = name,
    .unit = "rows/s",
    .scale = 1,
    .units = bench_is_tiny (bench) ? 1 : 3000,
    .rounds = 3,
    .floor = floor,
    .goal = goal,
    .ours = cartpole_run_rows,
    .data = &run,
    .limit = run_ideal,
    .limit_data = &ideal,
  };

  if (!bench_wants (bench, name))
    return;
  run.env = make_uneven ();
  run.policy = reel_object_new_from_text (REEL_TYPE_POLICY, "random", &error, NULL);
  bench_demand (run.policy != NULL, error);
  if (stores)
    {
      storage = reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=16384,ndim=1",
                                           &error, NULL);
      bench_demand (storage != NULL, error);
      run.buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, &error);
    }
  collect (&run, how);
  bench_measure (bench, &figure);
  cartpole_run_close (&run);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Collectors with several workers", argc, argv);
  g_autofree char *async = g_strdup_printf ("multi-async:frames-per-batch=%d", BATCH_STEPS);
  g_autofree char *sync = g_strdup_printf ("multi-sync:frames-per-batch=%d", BATCH_STEPS * UNEVEN);

  reel_init ();
  g_type_ensure (uneven_env_get_type ());
  if (machine_n_cpus () > 1 || bench_is_tiny (bench))
    {
      measure_cartpole (bench, "threads");
      measure_cartpole (bench, "processes");
    }
  else
    printf ("two workers: left out, there is one CPU\n");
  measure_uneven (bench, "multi-async, workers x1 to x8; the sum of their rates", async, FALSE, 0.8,
                  0.95);
  measure_uneven (bench, "multi-async into a ring, workers x1 to x8; the sum of their rates", async,
                  TRUE, 0.8, 0.95);
  measure_uneven (bench, "multi-sync, workers x1 to x8; the sum of their rates", sync, FALSE, NAN,
                  NAN);
  return bench_close (bench);
}
