/* Pictures of CartPole, beside a fill of as many bytes; rows with them, on two threads and on one.
 */
#include "bench.h"
#include "cartpole-run.h"

#include "../src/reel.h"

#include <string.h>

/* Lanes whose pictures are drawn in turn, into one place. */
#define LANES 64

#define FEW_LANES 8

typedef struct
{
  ReelEnv *env;
  gint64 width, height;
  guint8 *pixels;
} Work;

static double
draw (gpointer data, gint64 n)
{
  const Work *work = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    reel_env_render_lane (work->env, i % LANES, work->width, work->height, work->pixels);
  return bench_clock () - begin;
}

static double
fill (gpointer data, gint64 n)
{
  const Work *work = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    {
      memset (work->pixels, (int) (i & 0xff), (gsize) (work->width * work->height * 3));
      __asm__ volatile("" ::: "memory");
    }
  return bench_clock () - begin;
}

static void
measure (Bench *bench, ReelEnv *env, const char *name, gint64 width, gint64 height, double floor,
         double goal)
{
  Work work = { env, width, height, g_malloc ((gsize) (width * height * 3)) };

  bench_measure (bench, &(BenchFigure){
                            .name = name,
                            .unit = "us",
                            .scale = 1e6,
                            .is_time = TRUE,
                            .floor = floor,
                            .goal = goal,
                            .ours = draw,
                            .data = &work,
                            .limit = fill,
                            .limit_data = &work,
                        });
  g_free (work.pixels);
}

/* Fewer lanes than a vector kernel takes at a time: threads share them for the pictures' sake. */
static void
measure_threads (Bench *bench)
{
  const char *env = "CartPole-v1:from-pixels=true,width=84,height=84";
  CartpoleRun runs[2];

  for (gint i = 0; i < 2; i++)
    {
      cartpole_run_open_env (&runs[i], env, FEW_LANES);
      cartpole_run_collect (&runs[i], i + 1, 32 * FEW_LANES);
    }
  bench_measure (bench, &(BenchFigure){
                            .name = "rows of 8 envs with 84x84, two threads; one",
                            .unit = "Krows/s",
                            .scale = 1e3,
                            .floor = 1.6,
                            .goal = 1.9,
                            .ours = cartpole_run_rows,
                            .data = &runs[1],
                            .limit = cartpole_run_rows,
                            .limit_data = &runs[0],
                        });
  for (gint i = 0; i < 2; i++)
    cartpole_run_close (&runs[i]);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("pictures of CartPole; a fill of their bytes", argc, argv);
  g_autofree guint8 *observation = g_malloc (LANES * 4 * sizeof (float));
  guint8 *const observations[] = { observation };
  GError *error = NULL;

  reel_init ();
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, "CartPole:num-envs=64", &error, NULL);
  bench_demand (env != NULL, error);
  reel_env_reset_lanes (env, 0, LANES, NULL, observations);
  measure (bench, env, "frame 600x400, as Gymnasium draws it", 600, 400, 0.25, 0.45);
  g_object_unref (env);
  measure_threads (bench);
  return bench_close (bench);
}
