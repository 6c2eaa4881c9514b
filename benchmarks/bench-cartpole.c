/* Rows of CartPole on one core, and the loops that they are compared with. */
#include "bench.h"
#include "limit-columns.h"
#include "machine.h"

#include "../src/core/isa.h"

#define LANES 1024

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

  limit_cartpole_scalar_run (scalar->loop, &scalar->columns, scalar->ring_steps, scalar->step, n);
  scalar->step += n;
  return bench_clock () - begin;
}

static double
run_physics (gpointer data, gint64 n)
{
  double begin = bench_clock ();

  limit_cartpole_physics_run (data, n);
  return bench_clock () - begin;
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("CartPole on one core", argc, argv);
  gint64 ring_steps = MAX ((gint64) machine_l2 () / 2 / (LIMIT_ROW_BYTES * LANES), 1);
  g_autoptr (GError) error = NULL;
  Scalar scalar = { .ring_steps = ring_steps };
  LimitCartpolePhysics *physics = limit_cartpole_physics_new (LANES, 1);
  ReelIsa isa;

  bench_demand (reel_isa_choose (&isa, &error), error);
  scalar.loop = limit_cartpole_scalar_new (LANES, 1);
  scalar.memory = limit_columns_open (&scalar.columns, ring_steps * LANES);
  bench_measure (bench, &(BenchFigure){
                            .name = "check: physics alone; scalar libm loop, rows written",
                            .unit = "Mrows/s",
                            .scale = 1e6 / LANES,
                            .floor = isa == REEL_ISA_AVX512 ? 7 : 4,
                            .goal = isa == REEL_ISA_AVX512 ? 7 : 4,
                            .ours = run_physics,
                            .data = physics,
                            .limit = run_scalar,
                            .limit_data = &scalar,
                        });
  limit_cartpole_physics_free (physics);
  limit_cartpole_scalar_free (scalar.loop);
  g_aligned_free (scalar.memory);
  return bench_close (bench);
}
