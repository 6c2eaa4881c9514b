/* Drawing 256 rows of a million by priority, and giving them new priorities. */
#include "../src/reel.h"
#include "bare-columns.h"
#include "bench.h"
#include "cartpole-leaves.h"
#include "limits/memory-limits.h"

#include <string.h>
#include <sys/mman.h>

#define BATCH 256
#define ROWS 1000000 /* as the peers have */
#define N_DRAWN 4096 /* batches of places that the limit goes through */
#define N_UPDATES 64 /* batches of new priorities */

typedef struct
{
  ReelStorage *storage;
  ReelSampler *sampler;
  ReelReplayBuffer *buffer;
  ReelTensordict *batch;
  ReelTensor *priorities[N_UPDATES];
  gint64 rows[BATCH];
  double corrections[BATCH];
} Ours;

/* Weights, and rows that are drawn by them. */
typedef struct
{
  double *values;
  BareColumns rows;
  gint64 *at;
  gint64 n;
  gint64 next;
  double sum;
} Bare;

static void
write_rows (ReelStorage *storage, gint64 rows)
{
  g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
  ReelReservation block;
  GError *error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cartpole); i++)
    {
      g_autoptr (ReelTensor) leaf =
          reel_tensor_new (cartpole[i].dtype, 1, &cartpole[i].feature, NULL);

      reel_tensordict_set_tensor (step, cartpole[i].path, leaf, NULL);
    }
  bench_demand (reel_storage_allocate (storage, step, &error), error);
  for (gint64 at = 0, n_steps = 0; at < rows; at += n_steps)
    {
      guint n;
      const ReelColumn *columns = reel_storage_get_columns (storage, &n);

      bench_demand (reel_storage_reserve (storage, rows - at, &block, &error), error);
      n_steps = block.n_steps;
      for (guint i = 0; i < n; i++)
        memset (block.columns[i], 0, (gsize) n_steps * columns[i].step_bytes);
      reel_storage_commit (storage, &block, n_steps);
    }
}

/* Every row gets a priority of its own. */
static void
set_priorities (Ours *ours, gint64 rows)
{
  g_autofree gint64 *slots = g_new (gint64, rows);
  g_autofree double *priorities = g_new (double, rows);
  const gint64 shape = BATCH;
  GError *error = NULL;

  reel_random_fill_doubles (reel_random_key (1, 0), 0, rows, priorities);
  for (gint64 i = 0; i < rows; i++)
    slots[i] = i;
  bench_demand (
      reel_sampler_update_priority (ours->sampler, ours->storage, slots, rows, priorities, &error),
      error);
  for (gint i = 0; i < N_UPDATES; i++)
    {
      ours->priorities[i] = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, &shape, NULL);
      reel_random_fill_doubles (reel_random_key (2, i), 0, BATCH,
                                (double *) ours->priorities[i]->data);
    }
}

static void
ours_open (Ours *ours, const char *kind, gint64 rows)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT, kind, rows);
  GError *error = NULL;

  ours->storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);
  bench_demand (ours->storage != NULL, error);
  ours->sampler = reel_object_new_from_text (
      REEL_TYPE_SAMPLER, "prioritized:alpha=0.6,beta=0.4,dtype=float64", &error, NULL);
  bench_demand (ours->sampler != NULL, error);
  ours->buffer = reel_replay_buffer_new (ours->storage, ours->sampler, NULL, BATCH, &error);
  bench_demand (ours->buffer != NULL, error);
  write_rows (ours->storage, rows);
  set_priorities (ours, rows);
}

static void
ours_close (Ours *ours)
{
  for (gint i = 0; i < N_UPDATES; i++)
    reel_tensor_unref (ours->priorities[i]);
  g_clear_pointer (&ours->batch, reel_tensordict_unref);
  g_object_unref (ours->buffer);
  g_object_unref (ours->sampler);
  g_object_unref (ours->storage);
}

/* Rows and weights alone, nothing is copied. */
static double
draw_and_update (gpointer data, gint64 n)
{
  Ours *ours = data;
  guint8 *info[] = { (guint8 *) ours->corrections };
  GError *error = NULL;
  ReelStorageView view;
  double begin = bench_clock ();

  reel_storage_get_view (ours->storage, &view);
  for (gint64 i = 0; i < n; i++)
    {
      ReelDraw draw = { .n = BATCH, .rows = ours->rows, .info = info };

      bench_demand (reel_sampler_sample (ours->sampler, ours->storage, &view, &draw, &error),
                    error);
      bench_demand (reel_sampler_update_priority (
                        ours->sampler, ours->storage, ours->rows, BATCH,
                        (const double *) ours->priorities[i % N_UPDATES]->data, &error),
                    error);
    }
  return bench_clock () - begin;
}

/* As a learner does it: a batch, and priorities by its index. */
static double
sample_and_update (gpointer data, gint64 n)
{
  Ours *ours = data;
  GError *error = NULL;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      bench_demand (reel_replay_buffer_sample (ours->buffer, BATCH, &ours->batch, &error), error);
      bench_demand (reel_replay_buffer_update_priority (
                        ours->buffer, reel_tensordict_get_tensor (ours->batch, "index", NULL),
                        ours->priorities[i % N_UPDATES], &error),
                    error);
    }
  return bench_clock () - begin;
}

/* ---- what memory takes ---- */

static void
bare_open (Bare *bare, const Ours *ours, gint64 n)
{
  gint64 rows = reel_storage_get_capacity (ours->storage);

  bare_columns_open (&bare->rows, ours->storage, BATCH);
  bare->values = bench_map_pages ((gsize) rows * sizeof (double));
  bare->n = n;
  bare->at = g_new (gint64, n * BATCH);
  reel_random_fill_below (reel_random_key (3, 0), 0, n * BATCH, rows, bare->at);
}

static void
bare_close (Bare *bare)
{
  munmap (bare->values, (gsize) bare->rows.rows * sizeof (double));
  bare_columns_close (&bare->rows);
  g_free (bare->at);
}

static const gint64 *
change_next (Bare *bare)
{
  const gint64 *at = bare->at + bare->next * BATCH;

  bare->sum += limit_reads ()->change_groups (bare->values, at, BATCH);
  bare->next = (bare->next + 1) % bare->n;
  return at;
}

static double
change_groups (gpointer data, gint64 n)
{
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    change_next (data);
  return bench_clock () - begin;
}

static double
copy_rows_and_change_groups (gpointer data, gint64 n)
{
  Bare *bare = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bare_columns_pick (&bare->rows, change_next (bare), BATCH);
  return bench_clock () - begin;
}

/* ---- figures ---- */

static void
measure (Bench *bench, const char *kind, const char *name, gboolean alone, double floor,
         double goal)
{
  gboolean tiny = bench_is_tiny (bench);
  Ours ours = { 0 };
  Bare bare = { 0 };

  if (!bench_wants (bench, name))
    return;
  ours_open (&ours, kind, tiny ? 1000 : ROWS);
  bare_open (&bare, &ours, tiny ? 1 : N_DRAWN);
  bench_measure_us (bench, name, floor, goal, alone ? draw_and_update : sample_and_update, &ours,
                    alone ? change_groups : copy_rows_and_change_groups, &bare);
  bare_close (&bare);
  ours_close (&ours);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Sampling by priority", argc, argv);

  reel_init ();
  measure (bench, "tensor", "draw 256 of 1M by priority, update; groups changed", TRUE, 0.4, 0.7);
  measure (bench, "tensor",
           "sample(256) by priority of 1M rows, update; rows copied, groups changed", FALSE, 0.5,
           0.8);
  measure (bench, "records",
           "sample(256) by priority of 1M records, update; rows copied, groups changed", FALSE, 0.4,
           0.7);
  return bench_close (bench);
}
