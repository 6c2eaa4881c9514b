/* Rows of CartPole on one core, into the ring that bench-classic has. */
#include "bench.h"
#include "hand-rows.h"
#include "machine.h"

#include "../src/core/math/isa.h"

#include <sys/mman.h>

#define LANES 1024
#define RING_STEPS 64

/* One env more than its rows: the loop that anyone would write first. */
typedef struct
{
  LimitCartpoleScalar *loop;
  LimitColumns columns;
  gpointer memory;
  gint64 ring_steps;
  gint64 step;
} Scalar;

static double
run_scalar (gpointer data, gint64 n)
{
  Scalar *scalar = data;
  double begin = bench_clock ();

  limit_cartpole_scalar ()->run (scalar->loop, &scalar->columns, scalar->ring_steps, scalar->step,
                                 n);
  scalar->step += n;
  return bench_clock () - begin;
}

/* The limit, into a ring of its own. */
typedef struct
{
  LimitCartpolePhysics *lanes;
  LimitRing ring;
} Physics;

static double
run_physics (gpointer data, gint64 n)
{
  Physics *physics = data;
  double begin = bench_clock ();

  limit_cartpole_physics ()->run (physics->lanes, &physics->ring, n);
  return bench_clock () - begin;
}

static double
run_collector (gpointer data, gint64 n)
{
  return cartpole_run_rows (data, n * LANES);
}

static void
measure (Bench *bench, Physics *physics, Scalar *scalar, HandRows *rows, CartpoleRun *run)
{
  BenchFigure figure = { .unit = "Mrows/s", .scale = 1e6 / LANES };
  gboolean wide;
  ReelIsa isa;

  reel_isa_choose (&isa, NULL);
  wide = isa == REEL_ISA_AVX512;

  figure.name = "check of the limit: physics; scalar loop";
  figure.floor = figure.goal = wide ? 7 : 4;
  figure.ours = run_physics, figure.data = physics;
  figure.limit = run_scalar, figure.limit_data = scalar;
  bench_measure (bench, &figure);

  figure.name = "rows into a hot ring; physics and as many bytes";
  figure.floor = 0.7, figure.goal = 0.9;
  figure.ours = hand_rows_run, figure.data = rows;
  figure.limit = run_physics, figure.limit_data = physics;
  bench_measure (bench, &figure);

  figure.name = "the same through the collector; by hand";
  figure.floor = 0.85, figure.goal = 0.95;
  figure.ours = run_collector, figure.data = run;
  figure.limit = hand_rows_run, figure.limit_data = rows;
  bench_measure (bench, &figure);

  figure.name = "the same through the collector; scalar loop";
  figure.floor = wide ? 4 : 3, figure.goal = wide ? 7 : 5;
  figure.limit = run_scalar, figure.limit_data = scalar;
  bench_measure (bench, &figure);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("CartPole on one core, 1024 envs", argc, argv);
  const gsize ring_bytes = RING_STEPS * LANES * LIMIT_ROW_BYTES;
  Physics physics = { limit_cartpole_physics ()->open (LANES, 1),
                      { bench_map_pages (ring_bytes), RING_STEPS, LIMIT_ROW_BYTES } };
  Scalar scalar = { .loop = limit_cartpole_scalar ()->open (LANES, 1) };
  CartpoleRun run;
  HandRows rows;

  reel_init ();
  cartpole_run_open (&run, LANES);
  cartpole_run_store (&run, "tensor", RING_STEPS * LANES);
  cartpole_run_collect (&run, 1, 64 * LANES);
  scalar.ring_steps = RING_STEPS;
  scalar.memory = limit_columns_open (&scalar.columns, scalar.ring_steps * LANES);
  hand_rows_open (&rows, LANES, scalar.ring_steps);

  measure (bench, &physics, &scalar, &rows, &run);

  hand_rows_close (&rows);
  cartpole_run_close (&run);
  g_aligned_free (scalar.memory);
  limit_cartpole_scalar ()->close (scalar.loop);
  munmap (physics.ring.data, ring_bytes);
  limit_cartpole_physics ()->close (physics.lanes);
  return bench_close (bench);
}
