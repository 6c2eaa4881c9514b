/* Drawing 256 slices of 64 steps from episodes of 100 to 300. */
#include "../src/reel.h"
#include "bench.h"
#include "sample-time.h"
#include "limits/memory-limits.h"
#include "scratch-folder.h"

#include <string.h>

#define SLICES 256
#define LENGTH 64
#define BATCH (SLICES * LENGTH)
#define N_DRAWN 64 /* batches whose rows the limit goes through */

/* Leaves of a row of CartPole, 66 bytes; or of a few numbers, for many rows in a sparse file. */
typedef struct
{
  const char *path;
  ReelDtype dtype;
  gint64 feature;
} LeafSize;

static const LeafSize cartpole[] = {
  { "observation", REEL_DTYPE_FLOAT32, 4 },
  { "action", REEL_DTYPE_INT64, 2 },
  { "done", REEL_DTYPE_BOOL, 1 },
  { "terminated", REEL_DTYPE_BOOL, 1 },
  { "truncated", REEL_DTYPE_BOOL, 1 },
  { "collector/traj_ids", REEL_DTYPE_INT64, 0 },
  { "next/observation", REEL_DTYPE_FLOAT32, 4 },
  { "next/reward", REEL_DTYPE_FLOAT32, 1 },
  { "next/done", REEL_DTYPE_BOOL, 1 },
  { "next/terminated", REEL_DTYPE_BOOL, 1 },
  { "next/truncated", REEL_DTYPE_BOOL, 1 },
};
static const LeafSize few[] = {
  { "reward", REEL_DTYPE_FLOAT32, 1 },
  { "next/done", REEL_DTYPE_BOOL, 1 },
};

typedef struct
{
  char *folder;
  ReelReplayBuffer *buffer;
  ReelTensordict *batch;
} Ours;

/* ---- rows ---- */

static ReelTensordict *
new_step (const LeafSize *leaves, gsize n)
{
  ReelTensordict *step = reel_tensordict_new (0, NULL);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (ReelTensor) leaf =
          reel_tensor_new (leaves[i].dtype, leaves[i].feature > 0, &leaves[i].feature, NULL);
      reel_tensordict_set_tensor (step, leaves[i].path, leaf, NULL);
    }
  return step;
}

/* Only what tells episodes apart is written: the rest of a file stays a hole. */
static void
write_rows (ReelStorage *storage, gint64 rows)
{
  gint done = reel_storage_find_column (storage, "next/done", NULL);
  gint id = reel_storage_find_column (storage, "collector/traj_ids", NULL);
  gint64 episode = 0, left = 0, n = 0;
  ReelReservation block;
  GError *error = NULL;

  for (gint64 at = 0; at < rows; at += n)
    {
      bench_demand (reel_storage_reserve (storage, rows - at, &block, &error), error);
      n = block.n_steps;
      for (gint64 i = 0; i < n; i++)
        {
          if (left == 0)
            left = 100 + reel_random_below (reel_random_key (1, 0), episode++, 201);
          block.columns[done][i] = --left == 0;
          if (id >= 0)
            ((gint64 *) block.columns[id])[i] = episode;
        }
      reel_storage_commit (storage, &block, n);
    }
}

static void
ours_open (Ours *ours, const char *kind, gint64 rows, const LeafSize *leaves, gsize n)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT, kind, rows);
  g_autofree char *slices = g_strdup_printf ("slice:num-slices=%d,end-key=next/done", SLICES);
  g_autoptr (ReelTensordict) step = new_step (leaves, n);
  GError *error = NULL;

  ours->folder = scratch_folder_make ();
  g_autofree char *inside = g_build_filename (ours->folder, "rows", NULL);
  g_autoptr (ReelStorage) storage =
      g_str_equal (kind, "memmap")
          ? reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, "scratch-dir", inside, NULL)
          : reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);
  bench_demand (storage != NULL, error);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, slices, &error, NULL);
  bench_demand (sampler != NULL, error);
  ours->buffer = reel_replay_buffer_new (storage, sampler, NULL, BATCH, &error);
  bench_demand (ours->buffer && reel_storage_allocate (storage, step, &error), error);
  write_rows (storage, rows);
}

static void
ours_close (Ours *ours)
{
  g_clear_pointer (&ours->batch, reel_tensordict_unref);
  g_clear_object (&ours->buffer);
  scratch_folder_remove (ours->folder);
  g_clear_pointer (&ours->folder, g_free);
}

static double
sample (gpointer data, gint64 n)
{
  Ours *ours = data;

  return sample_time (ours->buffer, BATCH, &ours->batch, n);
}

/* ---- beside the same copies ---- */

typedef struct
{
  ReelStorage *storage;
  guint n_columns;
  guint8 *to[16];
  gint64 rows[N_DRAWN * SLICES];
  gint64 at;
} Bare;

static double
gather (gpointer data, gint64 n)
{
  Bare *bare = data;
  const ReelColumn *columns = reel_storage_get_columns (bare->storage, &bare->n_columns);
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      for (guint c = 0; c < bare->n_columns; c++)
        limit_gathers ()->runs (bare->to[c], columns[c].data, columns[c].row_bytes,
                                bare->rows + bare->at * SLICES, SLICES, LENGTH);
      bare->at = (bare->at + 1) % N_DRAWN;
    }
  return bench_clock () - begin;
}

/* Copies the slices that ours drew. */
static void
bare_open (Bare *bare, Ours *ours)
{
  bare->storage = reel_replay_buffer_get_storage (ours->buffer);
  const ReelColumn *columns = reel_storage_get_columns (bare->storage, &bare->n_columns);

  g_assert (bare->n_columns <= G_N_ELEMENTS (bare->to));
  for (guint c = 0; c < bare->n_columns; c++)
    bare->to[c] = g_malloc (BATCH * columns[c].row_bytes);
  for (gint64 i = 0; i < N_DRAWN; i++)
    {
      sample (ours, 1);
      const gint64 *index =
          (gpointer) reel_tensordict_get_tensor (ours->batch, "index", NULL)->data;
      for (gint64 k = 0; k < SLICES; k++)
        bare->rows[i * SLICES + k] = index[k * LENGTH];
    }
}

static void
bare_close (Bare *bare)
{
  for (guint c = 0; c < bare->n_columns; c++)
    g_free (bare->to[c]);
}

static void
measure_beside_copies (Bench *bench, const char *name, gint64 rows)
{
  Ours ours = { 0 };
  Bare bare = { 0 };

  if (!bench_wants (bench, name))
    return;
  ours_open (&ours, "tensor", rows, cartpole, G_N_ELEMENTS (cartpole));
  bare_open (&bare, &ours);
  bench_measure_us (bench, name, 0.5, 0.75, sample, &ours, gather, &bare);
  bare_close (&bare);
  ours_close (&ours);
}

/* ---- beside fewer rows ---- */

static void
measure_beside_fewer (Bench *bench, const char *name, gint64 rows, Ours *fewer)
{
  Ours ours = { 0 };

  if (!bench_wants (bench, name))
    return;
  ours_open (&ours, "memmap", rows, few, G_N_ELEMENTS (few));
  bench_measure_us (bench, name, 0.5, 0.85, sample, &ours, sample, fewer);
  ours_close (&ours);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Slices", argc, argv);
  gboolean tiny = bench_is_tiny (bench);
  Ours fewer = { 0 };

  reel_init ();
  measure_beside_copies (bench, "256 slices of 64 of 1M rows, all keys; runs of 64",
                         tiny ? 1000 : 1000000);
  measure_beside_copies (bench, "256 slices of 64 of 5M rows, all keys; runs of 64",
                         tiny ? 1000 : 5000000);
  ours_open (&fewer, "memmap", tiny ? 1000 : 100000, few, G_N_ELEMENTS (few));
  measure_beside_fewer (bench, "256 slices of 64 of 10M rows, two keys; of 0.1M rows",
                        tiny ? 2000 : 10000000, &fewer);
  measure_beside_fewer (bench, "256 slices of 64 of 100M rows, two keys; of 0.1M rows",
                        tiny ? 3000 : 100000000, &fewer);
  ours_close (&fewer);
  return bench_close (bench);
}
