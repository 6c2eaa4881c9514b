/* One call of a replay buffer of small rows in memory: one row in, a thousand in, a batch out. */
#include "../src/reel.h"
#include "bare-columns.h"
#include "bench.h"
#include "sample-time.h"
#include "cartpole-leaves.h"
#include "limits/memory-limits.h"

#define BATCH 256
#define BLOCK 1000 /* steps of an extension */

#define N_COLUMNS G_N_ELEMENTS (cartpole)

typedef struct
{
  ReelReplayBuffer *buffer;
  ReelTensordict *row;
  ReelTensordict *block;
  ReelTensordict *batch;
} Ours;

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
put_row (gpointer data, gint64 n)
{
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bare_columns_put (data, 1);
  return bench_clock () - begin;
}

static double
put_block (gpointer data, gint64 n)
{
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bare_columns_put (data, BLOCK);
  return bench_clock () - begin;
}

static double
gather (gpointer data, gint64 n)
{
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bare_columns_sample (data, BATCH);
  return bench_clock () - begin;
}

/* Columns, or records. */
static void
measure_storage (Bench *bench, const char *kind, const char *const names[3])
{
  gint64 rows = bench_is_tiny (bench) ? BLOCK : 1000 * BLOCK;
  gboolean records = g_str_equal (kind, "records");
  Ours ours = { 0 };
  BareColumns bare;

  ours_open (&ours, kind, rows);
  bare_columns_open (&bare, reel_replay_buffer_get_storage (ours.buffer), BLOCK);
  bench_measure_us (bench, names[0], 0.5, 0.7, add, &ours, put_row, &bare);
  bench_measure_us (bench, names[1], records ? 0.5 : 0.7, records ? 0.8 : 0.9, extend, &ours,
                    put_block, &bare);
  bench_measure_us (bench, names[2], records ? 0.45 : 0.7, records ? 0.7 : 0.9, sample, &ours,
                    gather, &bare);
  bare_columns_close (&bare);
  ours_close (&ours);
}

int
main (int argc, char **argv)
{
  static const char *const columns[] = { "add one row of 10 keys to columns; look-ups, copies",
                                         "extend columns by 1000 rows of 10 keys; streaming copies",
                                         "sample(256) of 10 keys in columns; gather" };
  static const char *const records[] = {
    "add one row of 10 keys to records; look-ups, copies",
    "extend records by 1000 rows of 10 keys; streaming of as many",
    "sample(256) of 10 keys in records; gather of records"
  };
  Bench *bench = bench_open ("Calls of a replay buffer of 1M rows", argc, argv);

  reel_init ();
  measure_storage (bench, "tensor", columns);
  measure_storage (bench, "records", records);
  return bench_close (bench);
}
