/* Drawing uniform batches: of small rows in columns and in records, and of frames. */
#include "bare-columns.h"
#include "bench.h"
#include "sample-time.h"
#include "cartpole-run.h"
#include "limits/memory-limits.h"

#include <string.h>

#define LANES 1024
#define BATCH 256
#define N_DRAWN 4096 /* batches whose row numbers the limit goes through */
#define FRAME (84 * 84 * 4)
#define N_FRAMES (1 << 15) /* as many rows as take 0.9 GB */

typedef struct
{
  CartpoleRun run;
  ReelTensordict *batch;
} Ours;

/* Columns of the same sizes, or one of whole rows, and the rows that a sampler of the same seed
 * draws. */
typedef struct
{
  BareColumns columns;
  gint64 *drawn;
  gint64 n_drawn;
  gint64 at;
} Bare;

static double
sample (gpointer data, gint64 n)
{
  Ours *ours = data;

  return sample_time (ours->run.buffer, BATCH, &ours->batch, n);
}

static double
gather (gpointer data, gint64 n)
{
  Bare *bare = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      bare_columns_copy (&bare->columns, bare->drawn + bare->at * BATCH, BATCH);
      bare->at = (bare->at + 1) % bare->n_drawn;
    }
  return bench_clock () - begin;
}

static double
gather_rows (gpointer data, gint64 n)
{
  Bare *bare = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      limit_gather_66 (bare->columns.to[0], bare->columns.from[0], bare->drawn + bare->at * BATCH,
                       BATCH);
      bare->at = (bare->at + 1) % bare->n_drawn;
    }
  return bench_clock () - begin;
}

static void
fill_ring (CartpoleRun *run, const char *storage, gint64 capacity)
{
  cartpole_run_open (run, LANES);
  cartpole_run_store (run, storage, capacity);
  cartpole_run_collect (run, 1, capacity);
  cartpole_run_rows (run, capacity);
}

/* What the buffer's own sampler is going to draw. */
static void
draw_rows (Bare *bare, ReelReplayBuffer *buffer)
{
  g_autoptr (ReelSampler) sampler = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  gint ndim = reel_storage_get_ndim (reel_replay_buffer_get_storage (buffer));
  GError *error = NULL;

  sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, "random", &error, NULL);
  bench_demand (sampler != NULL, error);
  bare->drawn = g_new (gint64, bare->n_drawn * BATCH);
  for (gint64 i = 0; i < bare->n_drawn; i++)
    {
      bench_demand (reel_replay_buffer_sample_with (buffer, sampler, BATCH, &batch, &error), error);
      const gint64 *index = (gpointer) reel_tensordict_get_tensor (batch, "index", NULL)->data;
      for (gint64 row = 0; row < BATCH; row++)
        bare->drawn[i * BATCH + row] =
            ndim == 1 ? index[row] : index[2 * row] * LANES + index[2 * row + 1];
    }
}

static gsize
count_row_bytes (ReelStorage *storage)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gsize bytes = 0;

  for (guint i = 0; i < n; i++)
    bytes += columns[i].row_bytes;
  return bytes;
}

static void
bare_open (Bare *bare, ReelReplayBuffer *buffer, gboolean whole_rows, gint64 n_drawn)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);

  *bare = (Bare){ .n_drawn = n_drawn };
  bare_columns_open (&bare->columns, storage, whole_rows ? count_row_bytes (storage) : 0, BATCH);
  draw_rows (bare, buffer);
}

static void
bare_close (Bare *bare)
{
  bare_columns_close (&bare->columns);
  g_free (bare->drawn);
}

/* ---- small rows ---- */

static void
measure (Bench *bench, const char *name, const char *storage, gint64 rows)
{
  gboolean tiny = bench_is_tiny (bench), records = g_str_equal (storage, "records");
  Ours ours = { 0 };
  Bare bare;

  if (!bench_wants (bench, name))
    return;
  fill_ring (&ours.run, storage, tiny ? LANES : rows);
  bare_open (&bare, ours.run.buffer, records, tiny ? 1 : N_DRAWN);
  bench_measure_us (bench, name, records ? 0.5 : 0.6, records ? 0.7 : 0.8, sample, &ours,
                    records ? gather_rows : gather, &bare);
  bare_close (&bare);
  reel_tensordict_unref (ours.batch);
  cartpole_run_close (&ours.run);
}

/* ---- frames ---- */

static void
fill_frames (CartpoleRun *run, gint64 rows)
{
  g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) frame =
      reel_tensor_new (REEL_DTYPE_UINT8, 3, (gint64[]){ 84, 84, 4 }, NULL);
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, rows);
  g_autoptr (ReelStorage) storage = NULL;
  GError *error = NULL;
  ReelBlock block;

  storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);
  bench_demand (storage && reel_tensordict_set_tensor (step, "pixels", frame, &error)
                    && reel_storage_allocate (storage, step, &error),
                error);
  run->buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, &error);
  bench_demand (run->buffer != NULL, error);
  for (gint64 done = 0; done < rows;)
    {
      bench_demand (reel_replay_buffer_reserve (run->buffer, rows - done, &block, &error), error);
      memset (block.columns[0], 1, (gsize) block.n_steps * FRAME);
      done += block.n_steps;
      reel_replay_buffer_commit (run->buffer, &block, block.n_steps);
    }
}

/* As many bytes from one end of the memory to the other. */
static double
copy_bytes (gpointer data, gint64 n)
{
  Bare *bare = data;
  gint64 rows = bare->columns.rows;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      bare->at = (bare->at + 1) % MAX (rows / BATCH, 1);
      limit_copy_bytes (bare->columns.to[0], bare->columns.from[0] + bare->at * BATCH * FRAME,
                        (gsize) MIN (BATCH, rows) * FRAME);
    }
  return bench_clock () - begin;
}

static void
measure_frames (Bench *bench)
{
  static const char name[] = "sample(256) of frames, 28 kB a row; memcpy";
  Ours ours = { 0 };
  Bare bare;

  if (!bench_wants (bench, name))
    return;
  fill_frames (&ours.run, bench_is_tiny (bench) ? BATCH : N_FRAMES);
  bare_open (&bare, ours.run.buffer, FALSE, 1);
  bench_measure_us (bench, name, 0.8, 0.95, sample, &ours, copy_bytes, &bare);
  bare_close (&bare);
  reel_tensordict_unref (ours.batch);
  cartpole_run_close (&ours.run);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Uniform sampling", argc, argv);

  reel_init ();
  measure (bench, "sample(256) of 1M rows, all keys; bare gather", "tensor", 1 << 20);
  measure (bench, "sample(256) of 16M rows, all keys; bare gather", "tensor", 1 << 24);
  measure (bench, "sample(256) of 1M records, split; gather of rows", "records", 1 << 20);
  measure (bench, "sample(256) of 16M records, split; gather of rows", "records", 1 << 24);
  measure_frames (bench);
  return bench_close (bench);
}
