/* Episodes found in flags and ids, beside a list of the flags that are set, and a plain read of the
 * ids. */
#include "bench.h"
#include "limits/memory-limits.h"

#include "../src/reel.h"

#define STEPS 1000000

/* One step in LENGTH ends an episode, somewhere: of a trained CartPole, and of a random one. */
#define LONG 200
#define SHORT 22

typedef struct
{
  const char *name;
  gint64 lanes;
  gboolean time_first;
  gint64 length;
  ReelDtype dtype;
  double floor;
  double goal;
} Figure;

typedef struct
{
  ReelTensor *marks;
  gint time_dim;
  gint64 *places;
} Work;

static ReelTensor *
make_marks (const Figure *figure, gint64 steps)
{
  const gint64 shape[2] = { figure->lanes, steps / figure->lanes };
  const gint64 first[2] = { shape[1], shape[0] };
  ReelRandomKey key = reel_random_key (1, 0);
  GError *error = NULL;
  ReelTensor *marks =
      reel_tensor_new (figure->dtype, 2, figure->time_first ? first : shape, &error);
  gint64 id = 0;

  bench_demand (marks != NULL, error);
  for (gint64 i = 0; i < shape[0] * shape[1]; i++)
    {
      gint64 at[2] = { i / shape[1], i % shape[1] };
      gint64 turned[2] = { at[1], at[0] };
      gpointer element = reel_tensor_element (marks, figure->time_first ? turned : at);
      gboolean ends = reel_random_word (key, (guint64) i) % (guint64) figure->length == 0;
      id += ends;
      reel_dtype_store_double (figure->dtype, element,
                               figure->dtype == REEL_DTYPE_BOOL ? ends : (double) id);
    }
  return marks;
}

static double
find_bounds (gpointer data, gint64 n)
{
  const Work *work = data;
  ReelTensor *marks = work->marks;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += reel_tensor_numel (marks))
    {
      GError *error = NULL;
      ReelTensor *bounds = marks->dtype == REEL_DTYPE_BOOL
                               ? reel_episode_bounds_from_flags (marks, work->time_dim, &error)
                               : reel_episode_bounds_from_ids (marks, work->time_dim, &error);
      bench_demand (bounds != NULL, error);
      reel_tensor_unref (bounds);
    }
  return bench_clock () - begin;
}

static double
read_marks (gpointer data, gint64 n)
{
  const Work *work = data;
  const ReelTensor *marks = work->marks;
  volatile guint64 kept = 0;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += reel_tensor_numel (marks))
    kept |= limit_reads ()->bytes ((const uint64_t *) marks->data, reel_tensor_nbytes (marks) / 8);
  return bench_clock () - begin;
}

/* Where flags are, listed as they lie. */
static double
list_flags (gpointer data, gint64 n)
{
  const Work *work = data;
  gint64 n_flags = reel_tensor_numel (work->marks);
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += n_flags)
    limit_reads ()->flags (work->marks->data, n_flags, work->places);
  return bench_clock () - begin;
}

static void
measure (Bench *bench, const Figure *figure)
{
  gboolean flags = figure->dtype == REEL_DTYPE_BOOL;
  gint64 steps = bench_is_tiny (bench) ? 20000 : STEPS;
  Work work = { make_marks (figure, steps), figure->time_first ? 0 : 1, g_new (gint64, steps + 8) };

  bench_measure (bench, &(BenchFigure){
                            .name = figure->name,
                            .unit = "Msteps/s",
                            .scale = 1e6,
                            .floor = figure->floor,
                            .goal = figure->goal,
                            .ours = find_bounds,
                            .data = &work,
                            .limit = flags ? list_flags : read_marks,
                            .limit_data = &work,
                        });
  reel_tensor_unref (work.marks);
  g_free (work.places);
}

int
main (int argc, char **argv)
{
  const Figure figures[] = {
    { "1M flags [B, T], 64 lanes, episodes of 200", 64, FALSE, LONG, REEL_DTYPE_BOOL, 0.3, 0.6 },
    { "1M flags [T, B], 64 lanes, episodes of 200", 64, TRUE, LONG, REEL_DTYPE_BOOL, 0.3, 0.6 },
    { "1M flags [B, T], 64 lanes, episodes of 22", 64, FALSE, SHORT, REEL_DTYPE_BOOL, 0.3, 0.6 },
    { "1M flags [T, B], 64 lanes, episodes of 22", 64, TRUE, SHORT, REEL_DTYPE_BOOL, 0.3, 0.6 },
    { "1M ids [B, T], 64 lanes, episodes of 200", 64, FALSE, LONG, REEL_DTYPE_INT64, 0.3, 0.6 },
    { "1M ids [T, B], 64 lanes, episodes of 200", 64, TRUE, LONG, REEL_DTYPE_INT64, 0.3, 0.6 },
  };
  Bench *bench = bench_open ("bounds of episodes; flags listed, ids read", argc, argv);

  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    measure (bench, &figures[i]);
  return bench_close (bench);
}
