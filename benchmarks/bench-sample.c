/* Drawing uniform batches: of small rows in columns and in records, and of frames. */
#include "bare-columns.h"
#include "bench.h"
#include "sample-time.h"
#include "cartpole-run.h"

#include <string.h>

#define LANES 1024
#define BATCH 256
#define FRAME (84 * 84 * 4)
#define N_FRAMES (1 << 15) /* as many rows as take 0.9 GB */

typedef struct
{
  CartpoleRun run;
  ReelTensordict *batch;
} Ours;

static double
sample (gpointer data, gint64 n)
{
  Ours *ours = data;

  return sample_time (ours->run.buffer, BATCH, &ours->batch, n);
}

static double
gather (gpointer data, gint64 n)
{
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bare_columns_sample (data, BATCH);
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

/* ---- small rows ---- */

static void
measure (Bench *bench, const char *name, const char *storage, gint64 rows)
{
  gboolean tiny = bench_is_tiny (bench), records = g_str_equal (storage, "records");
  Ours ours = { 0 };
  BareColumns bare;

  if (!bench_wants (bench, name))
    return;
  fill_ring (&ours.run, storage, tiny ? LANES : rows);
  bare_columns_open (&bare, reel_replay_buffer_get_storage (ours.run.buffer), BATCH);
  bench_measure_us (bench, name, records ? 0.5 : 0.7, records ? 0.7 : 0.9, sample, &ours, gather,
                    &bare);
  bare_columns_close (&bare);
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
  ReelReservation block;

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
  BareColumns *bare = data;
  gint64 rows = MIN (BATCH, bare->rows);
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      bare->cursor = (bare->cursor + rows) % (bare->rows / rows * rows);
      limit_copies ()->stream (bare->columns[0].block, bare->memory + bare->cursor * FRAME,
                               (gsize) rows * FRAME);
    }
  return bench_clock () - begin;
}

static void
measure_frames (Bench *bench)
{
  static const char name[] = "sample(256) of frames, 28 kB a row; streaming copy";
  Ours ours = { 0 };
  BareColumns bare;

  if (!bench_wants (bench, name))
    return;
  fill_frames (&ours.run, bench_is_tiny (bench) ? BATCH : N_FRAMES);
  bare_columns_open (&bare, reel_replay_buffer_get_storage (ours.run.buffer), BATCH);
  bench_measure_us (bench, name, 0.8, 0.95, sample, &ours, copy_bytes, &bare);
  bare_columns_close (&bare);
  reel_tensordict_unref (ours.batch);
  cartpole_run_close (&ours.run);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Uniform sampling", argc, argv);

  reel_init ();
  measure (bench, "sample(256) of 1M rows, all keys; gather", "tensor", 1 << 20);
  measure (bench, "sample(256) of 16M rows, all keys; gather", "tensor", 1 << 24);
  measure (bench, "sample(256) of 1M records, split; gather of rows", "records", 1 << 20);
  measure (bench, "sample(256) of 16M records, split; gather of rows", "records", 1 << 24);
  measure_frames (bench);
  return bench_close (bench);
}
