/* A buffer of 1 GB to the disk, and back to its first batch. */
#include "bench.h"
#include "cartpole-run.h"
#include "limits/memory-limits.h"
#include "scratch-folder.h"

#include <string.h>

#define LANES 1024
#define BATCH 256

typedef struct
{
  const char *folder;
  CartpoleRun run;
  gint64 rows;
  char *dump;
  char **leaves; /* files of the dump */
  guint8 *bytes; /* as many, for the limit */
  gsize n_bytes;
} Files;

static double
dump (gpointer data, gint64 n)
{
  Files *self = data;
  g_autofree char *path = g_build_filename (self->folder, "dump", NULL);
  GError *error = NULL;
  double begin = bench_clock (), seconds;

  bench_demand (reel_replay_buffer_dumps (self->run.buffer, path, REEL_CHECKPOINT_DEFAULT, &error),
                error);
  seconds = bench_clock () - begin;
  scratch_folder_remove (path);
  return seconds;
}

static double
write_direct (gpointer data, gint64 n)
{
  Files *self = data;
  g_autofree char *path = g_build_filename (self->folder, "direct", NULL);
  double seconds = limit_write_direct (path, self->bytes, self->n_bytes);

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

/* Into a buffer that maps the files, whose first batch is drawn. */
static double
load (gpointer data, gint64 n)
{
  Files *self = data;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  GError *error = NULL;
  double begin = bench_clock ();

  buffer = reel_replay_buffer_open (self->dump, REEL_OPEN_READ_ONLY, &error);
  bench_demand (buffer && reel_replay_buffer_sample (buffer, BATCH, &batch, &error), error);
  return bench_clock () - begin;
}

static double
map_and_read (gpointer data, gint64 n)
{
  Files *self = data;
  double seconds = limit_read_mapped ((const char *const *) self->leaves,
                                      (int) g_strv_length (self->leaves), self->rows, BATCH);

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

static void
fill (Files *self, gint64 rows)
{
  guint n;
  const ReelColumn *columns;
  g_autoptr (GStrvBuilder) leaves = g_strv_builder_new ();
  GError *error = NULL;

  cartpole_run_open (&self->run, LANES);
  cartpole_run_store (&self->run, "tensor", rows);
  cartpole_run_collect (&self->run, 0, rows);
  cartpole_run_rows (&self->run, rows);
  self->rows = rows;
  self->dump = g_build_filename (self->folder, "kept", NULL);
  bench_demand (
      reel_replay_buffer_dumps (self->run.buffer, self->dump, REEL_CHECKPOINT_DEFAULT, &error),
      error);
  columns = reel_storage_get_columns (reel_replay_buffer_get_storage (self->run.buffer), &n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/storage/%s.memmap", self->dump, columns[i].path);

      g_strv_builder_add (leaves, path);
    }
  self->leaves = g_strv_builder_end (leaves);
  self->n_bytes = (gsize) rows * self->run.row_bytes;
  self->bytes = g_aligned_alloc (self->n_bytes, 1, 4096);
  memset (self->bytes, 1, self->n_bytes);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Checkpoints of 1 GB", argc, argv);
  g_autofree char *folder = scratch_folder_make ();
  Files files = { .folder = folder };

  reel_init ();
  fill (&files, bench_is_tiny (bench) ? LANES : (1 << 30) / 66 / LANES * LANES);
  bench_measure (bench, &(BenchFigure){
                            .name = "durable checkpoint of 1 GB; direct writes and a sync",
                            .unit = "s",
                            .scale = 1,
                            .is_time = TRUE,
                            .units = 1,
                            .rounds = 5,
                            .floor = 0.55,
                            .goal = 0.85,
                            .ours = dump,
                            .data = &files,
                            .limit = write_direct,
                            .limit_data = &files,
                        });
  bench_measure (bench, &(BenchFigure){
                            .name = "open to the first sample(256); mmap, the same rows",
                            .unit = "us",
                            .scale = 1e6,
                            .is_time = TRUE,
                            .units = 1,
                            .floor = 0.5,
                            .goal = 0.8,
                            .ours = load,
                            .data = &files,
                            .limit = map_and_read,
                            .limit_data = &files,
                        });
  cartpole_run_close (&files.run);
  g_strfreev (files.leaves);
  g_free (files.dump);
  g_aligned_free (files.bytes);
  scratch_folder_remove (folder);
  return bench_close (bench);
}
