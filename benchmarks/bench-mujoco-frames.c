/* Small pictures of MuJoCo's tasks for learning, quality=fast, beside those of Gymnasium's quality:
 * how many times as fast. */
#include "bench.h"

#include "../src/reel.h"

#define SIDE 64
#define LANES 4

typedef struct
{
  ReelEnv *fast, *full;
} Work;

static double
draw (ReelEnv *env, gint64 n)
{
  guint8 pixels[SIDE * SIDE * 3];
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    reel_env_render_lane (env, i % LANES, SIDE, SIDE, pixels);
  return bench_clock () - begin;
}

static double
draw_fast (gpointer data, gint64 n)
{
  return draw (((const Work *) data)->fast, n);
}

static double
draw_full (gpointer data, gint64 n)
{
  return draw (((const Work *) data)->full, n);
}

/* open: ready to draw, or NULL where nothing can be drawn with. */
static ReelEnv *
open_env (const char *id, const char *quality)
{
  g_autofree char *text = g_strdup_printf ("%s:num-envs=%d,quality=%s", id, LANES, quality);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);
  g_autofree double *observation = g_new (double, LANES * 512);
  guint8 *const observations[] = { (guint8 *) observation };

  if (env == NULL || !reel_env_prepare_frames (env, SIDE, SIDE, &error))
    {
      g_printerr ("bench-mujoco-frames: %s\n", error->message);
      return NULL;
    }
  reel_env_reset_lanes (env, 0, LANES, NULL, observations);
  return g_steal_pointer (&env);
}

static void
measure (Bench *bench, const char *id)
{
  g_autofree char *name = g_strdup_printf ("%s 64x64 pixels, fast over full quality", id);
  g_autoptr (ReelEnv) fast = open_env (id, "fast"), full = open_env (id, "full");
  Work work = { fast, full };

  if (fast == NULL || full == NULL)
    return;
  bench_measure (bench, &(BenchFigure){
                            .name = name,
                            .unit = "us",
                            .scale = 1e6,
                            .is_time = TRUE,
                            .floor = 8,
                            .goal = 20,
                            .ours = draw_fast,
                            .data = &work,
                            .limit = draw_full,
                            .limit_data = &work,
                        });
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("pictures of MuJoCo; the same by Gymnasium's quality", argc, argv);

  reel_init ();
  measure (bench, "Hopper-v5");
  measure (bench, "Ant-v5");
  measure (bench, "Humanoid-v5");
  return bench_close (bench);
}
