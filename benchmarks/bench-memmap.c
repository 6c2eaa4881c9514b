/* Rows of CartPole into files. */
#include "bench.h"
#include "cartpole-run.h"
#include "limits/memory-limits.h"
#include "scratch-folder.h"

#define LANES 1024

/* ---- the first pass ---- */

typedef struct
{
  const char *folder;
  gsize row_bytes;
} First;

static double
fill_new (gpointer data, gint64 n)
{
  First *first = data;
  g_autofree char *files = g_build_filename (first->folder, "first", NULL);
  g_autofree char *storage = g_strdup_printf ("memmap:scratch-dir='%s'", files);
  CartpoleRun run;
  double seconds;

  cartpole_run_open (&run, LANES);
  cartpole_run_store (&run, storage, n);
  cartpole_run_collect (&run, 0, 64 * LANES);
  seconds = cartpole_run_rows (&run, n);
  cartpole_run_close (&run);
  scratch_folder_remove (files);
  return seconds;
}

static double
populate (gpointer data, gint64 n)
{
  First *first = data;
  g_autofree char *file = g_build_filename (first->folder, "populated", NULL);
  double seconds = limit_populate_file (file, (gsize) n * first->row_bytes);

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

static void
measure_first (Bench *bench, First *first)
{
  bench_measure (bench, &(BenchFigure){
                            .name = "memmap ring, first pass; populating as many bytes",
                            .unit = "Mrows/s",
                            .scale = 1e6,
                            .units = bench_is_tiny (bench) ? 16 * LANES : 4 << 20,
                            .rounds = 9,
                            .floor = 0.6,
                            .goal = 0.85,
                            .ours = fill_new,
                            .data = first,
                            .limit = populate,
                            .limit_data = first,
                        });
}

/* ---- steady state ---- */

static void
measure_steady (Bench *bench, const char *folder, gint64 capacity)
{
  CartpoleRun files, memory;
  g_autofree char *storage = g_strdup_printf ("memmap:scratch-dir='%s/steady'", folder);

  cartpole_run_open (&files, LANES);
  cartpole_run_store (&files, storage, capacity);
  cartpole_run_collect (&files, 0, 64 * LANES);
  cartpole_run_rows (&files, capacity);
  cartpole_run_open (&memory, LANES);
  cartpole_run_store (&memory, "tensor", capacity);
  cartpole_run_collect (&memory, 0, 64 * LANES);
  cartpole_run_rows (&memory, capacity);
  bench_measure (bench, &(BenchFigure){
                            .name = "memmap ring of 1 GB, steady; ring in memory",
                            .unit = "Mrows/s",
                            .scale = 1e6,
                            .units = capacity,
                            .floor = 0.5,
                            .goal = 0.9,
                            .ours = cartpole_run_rows,
                            .data = &files,
                            .limit = cartpole_run_rows,
                            .limit_data = &memory,
                        });
  cartpole_run_close (&files);
  cartpole_run_close (&memory);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("CartPole into files, all threads", argc, argv);
  g_autofree char *folder = scratch_folder_make ();
  First first = { folder, 0 };
  CartpoleRun run;

  reel_init ();
  cartpole_run_open (&run, LANES);
  first.row_bytes = run.row_bytes;
  cartpole_run_close (&run);
  measure_first (bench, &first);
  measure_steady (bench, folder,
                  bench_is_tiny (bench) ? 16 * LANES
                                        : (1 << 30) / (gint64) first.row_bytes / LANES * LANES);
  scratch_folder_remove (folder);
  return bench_close (bench);
}
