/* One call of a replay buffer of small rows in memory: one row in, a thousand in, a batch out. */
#include "../src/reel.h"
#include "bench.h"
#include "sample-time.h"
#include "cartpole-leaves.h"
#include "limits/memory-limits.h"

#include <sys/mman.h>

#define BATCH 256
#define BLOCK 1000   /* steps of an extension */
#define N_DRAWN 4096 /* batches whose row numbers the limit goes through */

#define N_COLUMNS G_N_ELEMENTS (cartpole)

typedef struct
{
  ReelReplayBuffer *buffer;
  ReelTensordict *row;
  ReelTensordict *block;
  ReelTensordict *batch;
} Ours;

/* Columns of the same sizes. */
typedef struct
{
  gint64 rows;
  gint64 cursor;
  gsize row_bytes[N_COLUMNS];
  guint8 *columns[N_COLUMNS];
  guint8 *block[N_COLUMNS]; /* what is copied there, or from there */
  gint64 *drawn;
  gint64 n_drawn;
  gint64 at;
} Bare;

/* ---- ours ---- */

/* One step, or a block of them. */
static ReelTensordict *
new_rows (gint ndim, gint64 n)
{
  ReelTensordict *td = reel_tensordict_new (ndim, &n);

  for (gsize i = 0; i < N_COLUMNS; i++)
    {
      const gint64 shape[2] = { ndim ? n : cartpole[i].feature, cartpole[i].feature };
      g_autoptr (ReelTensor) leaf = reel_tensor_new (cartpole[i].dtype, ndim + 1, shape, NULL);

      reel_tensordict_set_tensor (td, cartpole[i].path, leaf, NULL);
    }
  return td;
}

static double
add (gpointer data, gint64 n)
{
  Ours *ours = data;
  GError *error = NULL;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bench_demand (reel_replay_buffer_add (ours->buffer, ours->row, NULL, &error), error);
  return bench_clock () - begin;
}

static double
extend (gpointer data, gint64 n)
{
  Ours *ours = data;
  GError *error = NULL;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bench_demand (reel_replay_buffer_extend (ours->buffer, ours->block, NULL, &error), error);
  return bench_clock () - begin;
}

static double
sample (gpointer data, gint64 n)
{
  Ours *ours = data;

  return sample_time (ours->buffer, BATCH, &ours->batch, n);
}

static void
ours_open (Ours *ours, const char *kind, gint64 rows)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT, kind, rows);
  g_autoptr (ReelStorage) storage = NULL;
  GError *error = NULL;

  storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);
  bench_demand (storage != NULL, error);
  ours->buffer = reel_replay_buffer_new (storage, NULL, NULL, BATCH, &error);
  bench_demand (ours->buffer != NULL, error);
  ours->row = new_rows (0, 0);
  ours->block = new_rows (1, BLOCK);
  extend (ours, (rows + BLOCK - 1) / BLOCK);
}

static void
ours_close (Ours *ours)
{
  reel_tensordict_unref (ours->row);
  reel_tensordict_unref (ours->block);
  g_clear_pointer (&ours->batch, reel_tensordict_unref);
  g_object_unref (ours->buffer);
}

/* ---- the same bytes ---- */

static double
copy_rows (Bare *bare, gint64 n, gint64 n_rows)
{
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      if (bare->cursor + n_rows > bare->rows)
        bare->cursor = 0;
      for (gsize c = 0; c < N_COLUMNS; c++)
        limit_copy_bytes (bare->columns[c] + (gsize) bare->cursor * bare->row_bytes[c],
                          bare->block[c], (gsize) n_rows * bare->row_bytes[c]);
      bare->cursor += n_rows;
    }
  return bench_clock () - begin;
}

static double
copy_row (gpointer data, gint64 n)
{
  return copy_rows (data, n, 1);
}

static double
copy_block (gpointer data, gint64 n)
{
  Bare *bare = data;

  return copy_rows (bare, n, MIN (BLOCK, bare->rows));
}

static double
gather (gpointer data, gint64 n)
{
  Bare *bare = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      for (gsize c = 0; c < N_COLUMNS; c++)
        limit_gather (bare->block[c], bare->columns[c], bare->row_bytes[c],
                      bare->drawn + bare->at * BATCH, BATCH);
      bare->at = (bare->at + 1) % bare->n_drawn;
    }
  return bench_clock () - begin;
}

static void
bare_open (Bare *bare, gint64 rows, gint64 n_drawn)
{
  bare->rows = rows;
  bare->n_drawn = n_drawn;
  for (gsize c = 0; c < N_COLUMNS; c++)
    {
      gsize row_bytes = reel_dtype_size (cartpole[c].dtype) * (gsize) cartpole[c].feature;
      gsize size = (gsize) rows * row_bytes;

      bare->row_bytes[c] = row_bytes;
      bare->columns[c] = bench_map_pages (size);
      bare->block[c] = g_malloc0 (BLOCK * row_bytes);
    }
  bare->drawn = g_new (gint64, n_drawn * BATCH);
  reel_random_fill_below (reel_random_key (1, 0), 0, n_drawn * BATCH, rows, bare->drawn);
}

static void
bare_close (Bare *bare)
{
  for (gsize c = 0; c < N_COLUMNS; c++)
    {
      munmap (bare->columns[c], (gsize) bare->rows * bare->row_bytes[c]);
      g_free (bare->block[c]);
    }
  g_free (bare->drawn);
}

static void
measure (Bench *bench, const char *name, BenchFunc func, Ours *ours, BenchFunc limit, Bare *bare)
{
  bench_measure_us (bench, name, NAN, NAN, func, ours, limit, bare);
}

/* Columns, or records; beside columns. */
static void
measure_storage (Bench *bench, const char *kind, const char *const names[3])
{
  gint64 rows = bench_is_tiny (bench) ? BLOCK : 1000 * BLOCK;
  Ours ours = { 0 };
  Bare bare = { 0 };

  ours_open (&ours, kind, rows);
  bare_open (&bare, rows, bench_is_tiny (bench) ? 1 : N_DRAWN);
  measure (bench, names[0], add, &ours, copy_row, &bare);
  measure (bench, names[1], extend, &ours, copy_block, &bare);
  measure (bench, names[2], sample, &ours, gather, &bare);
  bare_close (&bare);
  ours_close (&ours);
}

int
main (int argc, char **argv)
{
  static const char *const columns[] = { "add one row of 10 keys to columns; copies",
                                         "extend columns by 1000 rows of 10 keys; copies",
                                         "sample(256) of 10 keys in columns; bare gather" };
  static const char *const records[] = { "add one row of 10 keys to records; copies to columns",
                                         "extend records by 1000 rows of 10 keys; to columns",
                                         "sample(256) of 10 keys in records; of columns" };
  Bench *bench = bench_open ("Calls of a replay buffer of 1M rows", argc, argv);

  reel_init ();
  measure_storage (bench, "tensor", columns);
  measure_storage (bench, "records", records);
  return bench_close (bench);
}
