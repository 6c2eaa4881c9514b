/* Whole processes of collect: from start to files on disk, and what memory they take. */
#include "bench.h"
#include "scratch-folder.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1024.0 * 1024.0)
#define RING_ROWS (1 << 20)
#define ROW_BYTES 66
#define ALLOWANCE (20 * MIB)

extern char **environ;

/* A program, its options, and where it writes. */
typedef struct
{
  const char *argv[16];
  const char *out;
} Process;

/* Returns seconds; sets @rss, if asked, to the greatest resident set in bytes. */
static double
run_process (const Process *process, double *rss)
{
  posix_spawn_file_actions_t actions;
  struct rusage usage;
  pid_t pid;
  int status;

  scratch_folder_remove (process->out);
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  double begin = bench_clock ();
  gboolean spawned =
      posix_spawn (&pid, process->argv[0], &actions, NULL, (char **) process->argv, environ) == 0;
  if (!spawned || wait4 (pid, &status, 0, &usage) != pid || status != 0)
    bench_demand (FALSE,
                  g_error_new (G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s failed", process->argv[0]));
  double seconds = bench_clock () - begin;

  posix_spawn_file_actions_destroy (&actions);
  if (rss)
    *rss = (double) usage.ru_maxrss * 1024;
  return seconds;
}

static double
run_processes (gpointer data, gint64 n)
{
  double seconds = 0;

  for (gint64 i = 0; i < n; i++)
    seconds += run_process (data, NULL);
  return seconds;
}

/* ---- the first thousand frames ---- */

/* Prints what one directory has and the other has not, names and, of leaves, sizes. */
static void
compare_trees (const char *ours, const char *limit)
{
  g_autoptr (GDir) dir = g_dir_open (ours, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *one = g_build_filename (ours, name, NULL);
      g_autofree char *other = g_build_filename (limit, name, NULL);
      GStatBuf a, b;

      if (g_stat (one, &a) != 0 || g_stat (other, &b) != 0)
        printf ("  the limit makes no %s\n", other);
      else if (g_str_has_suffix (name, ".memmap") && a.st_size != b.st_size)
        printf ("  %s has %ld bytes, of the limit %ld\n", one, (long) a.st_size, (long) b.st_size);
      else if (S_ISDIR (a.st_mode))
        compare_trees (one, other);
    }
}

static void
measure_first (Bench *bench, const char *collect, const char *same_files, const char *folder)
{
  g_autofree char *ours = g_build_filename (folder, "collected", NULL);
  g_autofree char *limit = g_build_filename (folder, "same", NULL);
  Process process = {
    { collect, "--env", "CartPole", "--frames", "1000", "--quiet", "--out", ours, NULL }, ours
  };
  Process same = { { same_files, limit, NULL }, limit };

  bench_measure (bench, &(BenchFigure){
                            .name = "collect of 1000 frames, process; same files, bytes, syncs",
                            .unit = "ms",
                            .scale = 1e3,
                            .is_time = TRUE,
                            .units = bench_is_tiny (bench) ? 1 : 4,
                            .floor = 0.3,
                            .goal = 0.6,
                            .ours = run_processes,
                            .data = &process,
                            .limit = run_processes,
                            .limit_data = &same,
                        });
  compare_trees (ours, limit);
}

/* ---- memory ---- */

static double
resident (const char *collect, const char *folder, gint64 frames, gint64 capacity)
{
  g_autofree char *out = g_build_filename (folder, "resident", NULL);
  g_autofree char *n = g_strdup_printf ("%" G_GINT64_FORMAT, frames);
  g_autofree char *rows = g_strdup_printf ("%" G_GINT64_FORMAT, capacity);
  Process process = { { collect, "--env", "CartPole", "--num-envs", "1024", "--frames", n,
                        "--capacity", rows, "--quiet", "--out", out, NULL },
                      out };
  double bytes;

  run_process (&process, &bytes);
  return bytes / MIB;
}

static void
measure_memory (Bench *bench, const char *collect, const char *folder)
{
  gint64 capacity = bench_is_tiny (bench) ? 16 << 10 : RING_ROWS;
  double few = resident (collect, folder, capacity, capacity);
  double many = resident (collect, folder, 20 * capacity, capacity);
  double allowed = ((double) capacity * ROW_BYTES + ALLOWANCE) / MIB;
  BenchFigure figure = { .unit = "MiB", .is_time = TRUE, .floor = 1, .goal = 1 };

  figure.name = "resident set, 20M frames through a 1M-row ring; ring + 20";
  bench_report (bench, &figure, &many, 1, allowed);
  figure.name = "the same; of 1M frames";
  figure.floor = figure.goal = 0.97;
  bench_report (bench, &figure, &many, 1, few);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Whole processes", argc, argv);
  g_autofree char *benchmarks = g_path_get_dirname (argv[0]);
  g_autofree char *collect = g_build_filename (benchmarks, "..", "collect", NULL);
  g_autofree char *same_files = g_build_filename (benchmarks, "limits", "same-files", NULL);
  g_autofree char *folder = scratch_folder_make ();

  measure_first (bench, collect, same_files, folder);
  measure_memory (bench, collect, folder);
  scratch_folder_remove (folder);
  return bench_close (bench);
}
