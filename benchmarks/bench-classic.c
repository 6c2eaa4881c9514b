/* Rows of classic control on one core, through the collector, into a ring that stays in the
 * third-level cache. A buffer lends an eighth of itself at a time: the ring has steps enough for
 * blocks of several. */
#include "bench.h"
#include "cartpole-run.h"
#include "limits/limits.h"

#define LANES 1024
#define RING_STEPS 64

static double
run_physics (gpointer data, gint64 n)
{
  double begin = bench_clock ();

  limit_classic_physics_run (data, n);
  return bench_clock () - begin;
}

static double
run_cartpole_physics (gpointer data, gint64 n)
{
  double begin = bench_clock ();

  limit_cartpole_physics_run (data, n);
  return bench_clock () - begin;
}

static double
run_collector (gpointer data, gint64 n)
{
  return cartpole_run_rows (data, n * LANES);
}

static void
measure (Bench *bench, const char *id, BenchFunc run_limit, gpointer physics)
{
  g_autofree char *name = g_strdup_printf ("%s into a hot ring; physics and reset draws", id);
  CartpoleRun run;
  const BenchFigure figure = {
    .name = name,
    .unit = "Mrows/s",
    .scale = 1e6 / LANES,
    .floor = 0.65,
    .goal = 0.80,
    .ours = run_collector,
    .data = &run,
    .limit = run_limit,
    .limit_data = physics,
  };

  cartpole_run_open_env (&run, id, LANES);
  cartpole_run_store (&run, "tensor", RING_STEPS * LANES);
  cartpole_run_collect (&run, 1, 64 * LANES);
  bench_measure (bench, &figure);
  cartpole_run_close (&run);
}

static void
measure_task (Bench *bench, const char *id, LimitClassicTask task)
{
  LimitClassicPhysics *physics = limit_classic_physics_new (task, LANES, 1);

  measure (bench, id, run_physics, physics);
  limit_classic_physics_free (physics);
}

static void
measure_cartpole (Bench *bench)
{
  LimitCartpolePhysics *physics = limit_cartpole_physics_new (LANES, 1);

  measure (bench, "CartPole-v1", run_cartpole_physics, physics);
  limit_cartpole_physics_free (physics);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Classic control on one core, 1024 envs", argc, argv);

  reel_init ();
  measure_cartpole (bench);
  measure_task (bench, "Acrobot-v1", LIMIT_ACROBOT);
  measure_task (bench, "MountainCar-v0", LIMIT_MOUNTAIN_CAR);
  measure_task (bench, "MountainCarContinuous-v0", LIMIT_MOUNTAIN_CAR_CONTINUOUS);
  measure_task (bench, "Pendulum-v1", LIMIT_PENDULUM);
  return bench_close (bench);
}
