/* n-step transitions of CartPole rows, beside a read and a write of the columns that they touch. */
#include "bench.h"
#include "limits/memory-limits.h"

#include "../src/reel.h"

#define LANES 8
#define N_STEPS 3
#define OBSERVATION (4 * sizeof (float))

typedef struct
{
  const char *name;
  gint64 rows;
  gboolean time_first;
  gint64 length; /* of an episode, on average */
  double floor;
  double goal;
} Figure;

typedef struct
{
  ReelTensordict *td;
  gint64 rows;
  guint8 *observation; /* what the limit writes */
  guint8 *reward;
  guint8 *others;
} Work;

static ReelTensor *
new_leaf (const Figure *figure, ReelDtype dtype, gint64 features)
{
  gint64 steps = figure->rows / LANES;
  const gint64 slow[3] = { steps, LANES, features }, fast[3] = { LANES, steps, features };
  GError *error = NULL;
  ReelTensor *leaf = reel_tensor_new (dtype, 3, figure->time_first ? slow : fast, &error), *turned;

  bench_demand (leaf != NULL, error);
  if (!figure->time_first)
    return leaf;
  turned = reel_tensor_transpose (leaf, 0, 1, NULL);
  reel_tensor_unref (leaf);
  return turned;
}

static void
set_leaf (const Figure *figure, ReelTensordict *td, const char *path, ReelDtype dtype,
          gint64 features)
{
  g_autoptr (ReelTensor) leaf = new_leaf (figure, dtype, features);
  ReelRandomKey key = reel_random_key (1, 0);
  gsize n = reel_tensor_nbytes (leaf);

  if (dtype == REEL_DTYPE_BOOL)
    for (gsize i = 0; i < n; i++)
      leaf->data[i] = reel_random_word (key, (gint64) i) % (guint64) figure->length == 0;
  else
    for (gsize i = 0; i < n / sizeof (float); i++)
      ((float *) leaf->data)[i] = (float) i;
  reel_tensordict_set_tensor (td, path, leaf, NULL);
}

static Work
make_work (const Figure *figure, gint64 rows)
{
  Figure size = *figure;
  const gint64 batch[2] = { LANES, rows / LANES };
  Work work = { reel_tensordict_new (2, batch), rows, g_malloc (rows * OBSERVATION),
                g_malloc (rows * sizeof (float)),
                g_malloc (rows * (sizeof (gint64) + sizeof (float) + 1)) };

  size.rows = rows;
  set_leaf (&size, work.td, "observation", REEL_DTYPE_FLOAT32, 4);
  set_leaf (&size, work.td, "next/observation", REEL_DTYPE_FLOAT32, 4);
  set_leaf (&size, work.td, "next/reward", REEL_DTYPE_FLOAT32, 1);
  set_leaf (&size, work.td, "next/done", REEL_DTYPE_BOOL, 1);
  set_leaf (&size, work.td, "next/terminated", REEL_DTYPE_BOOL, 1);
  set_leaf (&size, work.td, "next/truncated", REEL_DTYPE_BOOL, 1);
  return work;
}

static double
look_ahead (gpointer data, gint64 n)
{
  const Work *work = data;
  ReelMultiStep how = { .n_steps = N_STEPS, .gamma = 0.99 };
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += work->rows)
    {
      GError *error = NULL;
      ReelTensordict *result = reel_multi_step (work->td, &how, &error);
      bench_demand (result != NULL, error);
      reel_tensordict_unref (result);
    }
  return bench_clock () - begin;
}

/* Reads next/observation, next/reward, next/done; writes the first two anew, and three more. */
static double
touch_columns (gpointer data, gint64 n)
{
  const Work *work = data;
  const guint8 *observation = reel_tensordict_get_tensor (work->td, "next/observation", NULL)->data;
  const guint8 *reward = reel_tensordict_get_tensor (work->td, "next/reward", NULL)->data;
  const guint8 *flags = reel_tensordict_get_tensor (work->td, "next/done", NULL)->data;
  gsize rows = (gsize) work->rows;
  volatile guint64 kept = 0;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += work->rows)
    {
      kept |= limit_reads ()->bytes ((const guint64 *) flags, rows / 8);
      limit_copies ()->bytes (work->observation, observation, rows * OBSERVATION);
      limit_copies ()->bytes (work->reward, reward, rows * sizeof (float));
      limit_copies ()->write (work->others, 1, rows * (sizeof (gint64) + sizeof (float) + 1));
    }
  return bench_clock () - begin;
}

static void
measure (Bench *bench, const Figure *figure)
{
  Work work = make_work (figure, bench_is_tiny (bench) ? 1 << 12 : figure->rows);

  touch_columns (&work, work.rows);
  bench_measure (bench, &(BenchFigure){
                            .name = figure->name,
                            .unit = "Mrows/s",
                            .scale = 1e6,
                            .units = MAX (work.rows, 1 << 22),
                            .floor = figure->floor,
                            .goal = figure->goal,
                            .ours = look_ahead,
                            .data = &work,
                            .limit = touch_columns,
                            .limit_data = &work,
                        });
  reel_tensordict_unref (work.td);
  g_free (work.observation);
  g_free (work.reward);
  g_free (work.others);
}

int
main (int argc, char **argv)
{
  const Figure figures[] = {
    { "n = 3, 1M rows in 8 lanes, [T, B], episodes of 200", 1 << 20, TRUE, 200, 0.3, 0.6 },
    { "n = 3, 1M rows in 8 lanes, [B, T], episodes of 200", 1 << 20, FALSE, 200, 0.3, 0.6 },
    { "n = 3, 1M rows in 8 lanes, [T, B], episodes of 22", 1 << 20, TRUE, 22, 0.3, 0.6 },
    { "n = 3, 128k rows in 8 lanes, [T, B], episodes of 200", 1 << 17, TRUE, 200, 0.3, 0.6 },
  };
  Bench *bench = bench_open ("n-step transitions; read and write of the columns", argc, argv);

  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    measure (bench, &figures[i]);
  return bench_close (bench);
}
