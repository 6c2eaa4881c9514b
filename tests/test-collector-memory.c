/* A run takes no more memory the longer it is: 1e6 frames, and 1e9 with -m slow. */
#include "../src/reel.h"
#include "scratch.h"

#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define SLACK (1 << 20) /* pages that the allocator has touched for the first time */

static const char *const cases[] = {
  "sync",
  "sync:list-episodes=true",
  "sync:total-episodes=1000000000000",
  "sync:max-frames-per-traj=9",
  "sync:split-trajs=true",
};

/* Bytes of this process that are in memory; 0 where the system does not say. */
static gint64
measure_resident (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) fields = NULL;

#ifdef __GLIBC__
  malloc_trim (0);
#endif
  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return 0;
  fields = g_strsplit (text, " ", 3);
  return g_ascii_strtoll (fields[1], NULL, 10) * (gint64) sysconf (_SC_PAGESIZE);
}

static void
collect (ReelCollector *collector, gint64 frames)
{
  gboolean buffered = reel_collector_get_buffer (collector) != NULL;

  while (frames > 0)
    {
      ReelTensordict *batch;
      gint64 n = reel_collector_next (collector, buffered ? NULL : &batch, NULL);

      g_assert_cmpint (n, >, 0);
      frames -= n;
    }
}

/* The slope between a first million and the rest. */
static void
check_flat (ReelCollector *collector, gboolean plain)
{
  gint64 first = 500000, frames = g_test_slow () && plain ? 1000000000 : 1000000;
  gint64 before, more;

  collect (collector, first);
  before = measure_resident ();
  collect (collector, frames);
  more = measure_resident () - before;
  g_test_message ("%" G_GINT64_FORMAT " bytes more after %" G_GINT64_FORMAT
                  " frames: %.3g bytes a million",
                  more, frames, (double) more / (double) frames * 1e6);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they keep what is freed */
  g_assert_cmpint (more, <=, SLACK);
#endif
}

static void
test_batches (gconstpointer data)
{
  g_autoptr (ReelEnv) env =
      reel_object_new_from_text (REEL_TYPE_ENV, "CartPole:num-envs=64", NULL, NULL);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", NULL, NULL);
  g_autoptr (ReelCollector) collector = reel_collector_new (data, env, policy, NULL, NULL);

  check_flat (collector, FALSE);
}

static void
test_run (gconstpointer data)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCollector) collector = reel_collector_new_live (
      path, 64000, data, "CartPole:num-envs=64", "random", REEL_CHECKPOINT_DEFAULT, &error);

  g_assert_no_error (error);
  check_flat (collector, TRUE);
  g_assert_true (reel_replay_buffer_close (reel_collector_get_buffer (collector), NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name =
          g_strdup_printf ("/collectors/memory/batches-take-no-more/%s", cases[i]);

      g_test_add_data_func (name, cases[i], test_batches);
    }
  for (gsize i = 0; i < 2; i++)
    {
      g_autofree char *name =
          g_strdup_printf ("/collectors/memory/a-run-takes-no-more/%s", cases[i]);

      scratch_test_with_data (name, test_run, cases[i]);
    }
  return g_test_run ();
}
