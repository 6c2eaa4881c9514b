/* Drawing uniform batches from a million rows. */
#include "bench.h"
#include "cartpole-run.h"
#include "limits/memory-limits.h"

#include <string.h>
#include <sys/mman.h>

#define LANES 1024
#define BATCH 256
#define N_DRAWN 4096 /* batches whose row numbers the limit goes through */

typedef struct
{
  CartpoleRun run;
  ReelTensordict *batch;
} Ours;

/* Columns of the same sizes, and the rows that a sampler of the same seed draws. */
typedef struct
{
  guint n_columns;
  gsize row_bytes[32];
  guint8 *from[32];
  guint8 *to[32];
  gint64 *drawn;
  gint64 n_drawn;
  gint64 at;
} Bare;

static double
sample (gpointer data, gint64 n)
{
  Ours *ours = data;
  GError *error = NULL;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bench_demand (reel_replay_buffer_sample (ours->run.buffer, BATCH, &ours->batch, &error), error);
  return bench_clock () - begin;
}

static double
gather (gpointer data, gint64 n)
{
  Bare *bare = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      for (guint c = 0; c < bare->n_columns; c++)
        limit_gather (bare->to[c], bare->from[c], bare->row_bytes[c],
                      bare->drawn + bare->at * BATCH, BATCH);
      bare->at = (bare->at + 1) % bare->n_drawn;
    }
  return bench_clock () - begin;
}

static void
fill_ring (CartpoleRun *run, gint64 capacity)
{
  cartpole_run_open (run, LANES);
  cartpole_run_store (run, "tensor", capacity);
  cartpole_run_collect (run, 1, capacity);
  cartpole_run_rows (run, capacity);
}

static guint8 *
map_pages (gsize size)
{
  guint8 *data = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  bench_demand (data != MAP_FAILED, NULL);
  madvise (data, size, MADV_HUGEPAGE);
  memset (data, 1, size);
  return data;
}

/* What the buffer's own sampler is going to draw. */
static void
draw_rows (Bare *bare, ReelReplayBuffer *buffer)
{
  g_autoptr (ReelSampler) sampler = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  GError *error = NULL;

  sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, "random", &error, NULL);
  bench_demand (sampler != NULL, error);
  bare->drawn = g_new (gint64, bare->n_drawn * BATCH);
  for (gint64 i = 0; i < bare->n_drawn; i++)
    {
      bench_demand (reel_replay_buffer_sample_with (buffer, sampler, BATCH, &batch, &error), error);
      const gint64 *index = (gpointer) reel_tensordict_get_tensor (batch, "index", NULL)->data;
      for (gint64 row = 0; row < BATCH; row++)
        bare->drawn[i * BATCH + row] = index[2 * row] * LANES + index[2 * row + 1];
    }
}

static void
bare_open (Bare *bare, ReelReplayBuffer *buffer, gint64 n_drawn)
{
  gint64 rows = reel_replay_buffer_get_capacity (buffer);
  const ReelColumn *columns =
      reel_storage_get_columns (reel_replay_buffer_get_storage (buffer), &bare->n_columns);

  g_assert (bare->n_columns <= G_N_ELEMENTS (bare->from));
  for (guint c = 0; c < bare->n_columns; c++)
    {
      bare->row_bytes[c] = columns[c].row_bytes;
      bare->from[c] = map_pages ((gsize) rows * columns[c].row_bytes);
      bare->to[c] = g_malloc (BATCH * columns[c].row_bytes);
    }
  bare->n_drawn = n_drawn;
  draw_rows (bare, buffer);
}

static void
bare_close (Bare *bare, gsize rows)
{
  for (guint c = 0; c < bare->n_columns; c++)
    {
      munmap (bare->from[c], rows * bare->row_bytes[c]);
      g_free (bare->to[c]);
    }
  g_free (bare->drawn);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Uniform sampling", argc, argv);
  gboolean tiny = bench_is_tiny (bench);
  Ours ours = { 0 };
  Bare bare = { 0 };

  reel_init ();
  fill_ring (&ours.run, tiny ? LANES : 1 << 20);
  bare_open (&bare, ours.run.buffer, tiny ? 1 : N_DRAWN);
  bench_measure (bench, &(BenchFigure){
                            .name = "sample(256) of 1M rows, all keys; bare gather",
                            .unit = "us",
                            .scale = 1e6,
                            .is_time = TRUE,
                            .floor = 0.6,
                            .goal = 0.8,
                            .ours = sample,
                            .data = &ours,
                            .limit = gather,
                            .limit_data = &bare,
                        });
  bare_close (&bare, (gsize) reel_replay_buffer_get_capacity (ours.run.buffer));
  reel_tensordict_unref (ours.batch);
  cartpole_run_close (&ours.run);
  return bench_close (bench);
}
