/* A buffer of 1 GB to the disk, and back to its first batch, or to the next step of its run. */
#include "bench.h"
#include "cartpole-run.h"
#include "limits/memory-limits.h"
#include "scratch-folder.h"

#include <string.h>

#define LANES 1024
#define BATCH 256
#define ROOM 64 /* steps of a run that is resumed in each round */

typedef struct
{
  const char *folder;
  CartpoleRun run;
  gint64 rows;
  char *dump;
  char **leaves; /* files of the dump */
  char *live;    /* a run that was closed, with room for more */
  gint64 capacity;
  char **live_leaves;
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

/* The buffer of the run, on its files. */
static ReelReplayBuffer *
open_live (const Files *self)
{
  g_autofree char *rows = g_build_filename (self->live, "storage", NULL);
  g_autofree char *capacity = g_strdup_printf ("%" G_GINT64_FORMAT, self->capacity);
  g_autoptr (ReelStorage) storage = NULL;
  ReelReplayBuffer *buffer;
  GError *error = NULL;

  storage = reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:existsok=true,ndim=2", &error,
                                       "scratch-dir", rows, "capacity", capacity, NULL);
  bench_demand (storage != NULL, error);
  buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, &error);
  bench_demand (buffer && reel_replay_buffer_loads (buffer, self->live, &error), error);
  return buffer;
}

/* From its closed files to one new step of all lanes; closing it again takes no part. */
static double
resume (gpointer data, gint64 n)
{
  const Files *self = data;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (ReelCollector) collector = NULL;
  g_autofree char *text =
      g_strdup_printf ("sync:resume=true,frames-per-batch=%d,total-frames=%d", LANES, LANES);
  GError *error = NULL;
  double begin = bench_clock (), seconds;

  buffer = open_live (self);
  collector = reel_collector_new (text, self->run.env, self->run.policy, buffer, &error);
  bench_demand (collector && reel_collector_next (collector, NULL, &error) == LANES, error);
  seconds = bench_clock () - begin;
  bench_demand (reel_replay_buffer_close (buffer, &error), error);
  return seconds;
}

static double
map_live (gpointer data, gint64 n)
{
  const Files *self = data;
  double seconds = limit_map_files ((const char *const *) self->live_leaves,
                                    (int) g_strv_length (self->live_leaves));

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

/* The files of the leaves of a storage below @path. */
static char **
list_leaves (ReelReplayBuffer *buffer, const char *path)
{
  guint n;
  const ReelColumn *columns =
      reel_storage_get_columns (reel_replay_buffer_get_storage (buffer), &n);
  g_autoptr (GStrvBuilder) leaves = g_strv_builder_new ();

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *leaf = g_strdup_printf ("%s/storage/%s.memmap", path, columns[i].path);

      g_strv_builder_add (leaves, leaf);
    }
  return g_strv_builder_end (leaves);
}

/* A run of as many rows in files, with room for one step in each round. */
static void
fill_live (Files *self)
{
  g_autoptr (ReelCollector) collector = NULL;
  g_autofree char *text =
      g_strdup_printf ("sync:frames-per-batch=%" G_GINT64_FORMAT ",total-frames=%" G_GINT64_FORMAT,
                       self->rows, self->rows);
  g_autofree char *env = g_strdup_printf ("CartPole-v1:num-envs=%d", LANES);
  GError *error = NULL;
  ReelReplayBuffer *buffer;

  self->live = g_build_filename (self->folder, "live", NULL);
  self->capacity = self->rows + ROOM * LANES;
  collector = reel_collector_new_live (self->live, self->capacity, text, env, "random",
                                       REEL_CHECKPOINT_DEFAULT, &error);
  bench_demand (collector && reel_collector_next (collector, NULL, &error) == self->rows, error);
  buffer = reel_collector_get_buffer (collector);
  self->live_leaves = list_leaves (buffer, self->live);
  bench_demand (reel_replay_buffer_close (buffer, &error), error);
}

static void
fill (Files *self, gint64 rows)
{
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
  self->leaves = list_leaves (self->run.buffer, self->dump);
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
  fill_live (&files);
  bench_measure (bench,
                 &(BenchFigure){
                     .name = "resume of a 1 GB run to its first new row; open, mmap of its files",
                     .unit = "ms",
                     .scale = 1e3,
                     .is_time = TRUE,
                     .units = 1,
                     .rounds = 5,
                     .floor = NAN,
                     .goal = NAN,
                     .ours = resume,
                     .data = &files,
                     .limit = map_live,
                     .limit_data = &files,
                 });
  cartpole_run_close (&files.run);
  g_strfreev (files.leaves);
  g_strfreev (files.live_leaves);
  g_free (files.dump);
  g_free (files.live);
  g_aligned_free (files.bytes);
  scratch_folder_remove (folder);
  return bench_close (bench);
}
