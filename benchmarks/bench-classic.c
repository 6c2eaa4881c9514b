/* Rows of classic control on one core, through the collector, into a ring that stays in the
 * third-level cache. A buffer lends an eighth of itself at a time: the ring has steps enough for
 * blocks of several. */
#include "bench.h"
#include "cartpole-run.h"
#include "limits/limits.h"

#include <sys/mman.h>

#define LANES 1024
#define RING_STEPS 64

/* The physics of a task, and a ring of the size of ours. */
typedef struct
{
  LimitCartpolePhysics *cartpole;
  LimitClassicPhysics *classic;
  LimitRing ring;
} Physics;

static double
run_physics (gpointer data, gint64 n)
{
  Physics *physics = data;
  double begin = bench_clock ();

  if (physics->cartpole)
    limit_cartpole_physics ()->run (physics->cartpole, &physics->ring, n);
  else
    limit_classic_physics ()->run (physics->classic, &physics->ring, n);
  return bench_clock () - begin;
}

static double
run_collector (gpointer data, gint64 n)
{
  return cartpole_run_rows (data, n * LANES);
}

static void
measure (Bench *bench, const char *id, Physics *physics)
{
  g_autofree char *name = g_strdup_printf ("%s into a hot ring; physics and as many bytes", id);
  CartpoleRun run;
  const BenchFigure figure = {
    .name = name,
    .unit = "Mrows/s",
    .scale = 1e6 / LANES,
    .floor = 0.7,
    .goal = 0.9,
    .ours = run_collector,
    .data = &run,
    .limit = run_physics,
    .limit_data = physics,
  };

  cartpole_run_open_env (&run, id, LANES);
  cartpole_run_store (&run, "tensor", RING_STEPS * LANES);
  cartpole_run_collect (&run, 1, 64 * LANES);
  physics->ring = (LimitRing){ bench_map_pages (RING_STEPS * LANES * run.row_bytes), RING_STEPS,
                               (gint64) run.row_bytes };
  bench_measure (bench, &figure);
  munmap (physics->ring.data, RING_STEPS * LANES * run.row_bytes);
  cartpole_run_close (&run);
}

static void
measure_task (Bench *bench, const char *id, LimitClassicTask task)
{
  Physics physics = { .classic = limit_classic_physics ()->open (task, LANES, 1) };

  measure (bench, id, &physics);
  limit_classic_physics ()->close (physics.classic);
}

static void
measure_cartpole (Bench *bench)
{
  Physics physics = { .cartpole = limit_cartpole_physics ()->open (LANES, 1) };

  measure (bench, "CartPole-v1", &physics);
  limit_cartpole_physics ()->close (physics.cartpole);
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
