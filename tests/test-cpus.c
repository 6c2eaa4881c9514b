#include "../src/core/system/cpus.h"
#include "../src/core/system/directories.h"

#include <pthread.h>
#include <sched.h>

typedef struct
{
  const char *groups;   /* /proc/self/cgroup */
  const char *files[7]; /* path below /sys/fs/cgroup, content, … */
  gint expected;
} Tree;

static void
put (const char *root, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (root, name, NULL), *parent = g_path_get_dirname (path);

  g_assert_true (reel_directory_make (parent, NULL));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
check (const Tree *tree)
{
  g_autofree char *root = g_dir_make_tmp ("reel-cpus-XXXXXX", NULL);

  put (root, "proc/self/cgroup", tree->groups);
  for (gsize i = 0; tree->files[i]; i += 2)
    {
      g_autofree char *name = g_build_filename ("sys/fs/cgroup", tree->files[i], NULL);

      put (root, name, tree->files[i + 1]);
    }
  g_assert_cmpint (reel_cpu_quota (root), ==, tree->expected);
  g_assert_true (reel_directory_remove (root, NULL));
}

static void
test_quota_of_groups (void)
{
  static const Tree trees[] = {
    { "0::/a/b\n", { "a/b/cpu.max", "max 100000\n" }, 0 },
    { "0::/a/b\n", { "a/b/cpu.max", "200000 100000\n" }, 2 },
    { "0::/a/b\n", { "a/b/cpu.max", "150000 100000\n" }, 2 },
    { "0::/a/b\n", { "a/b/cpu.max", "1000 100000\n" }, 1 },
    { "0::/a/b\n", { "a/b/cpu.max", "400000 100000\n", "a/cpu.max", "300000 100000\n" }, 3 },
    { "0::/a/b\n", { "a/b/cpu.max", "400000 100000\n", "a/cpu.max", "500000 100000\n" }, 4 },
    { "0::/\n", { "cpu.max", "50000 10000\n" }, 5 },
    { "0::/of/the/host\n", { "cpu.max", "50000 10000\n" }, 5 },
    { "0::/a\n", { "a/cpu.max", "rubbish" }, 0 },
    { "0::/a\n", { "a/cpu.max", "100000" }, 0 },
    { "rubbish\n\n::\n", { "cpu.max", "max" }, 0 },
    { "4:cpu,cpuacct:/a\n3:cpuset:/a\n0::/\n",
      { "cpu/a/cpu.cfs_quota_us", "250000\n", "cpu/a/cpu.cfs_period_us", "100000\n" },
      3 },
    { "4:cpu,cpuacct:/a\n",
      { "cpu/a/cpu.cfs_quota_us", "-1\n", "cpu/a/cpu.cfs_period_us", "100000\n" },
      0 },
    { "3:cpuset:/a\n",
      { "cpu/a/cpu.cfs_quota_us", "250000\n", "cpu/a/cpu.cfs_period_us", "100000\n" },
      0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (trees); i++)
    check (&trees[i]);
  g_assert_cmpint (reel_cpu_quota ("/nowhere"), ==, 0);
}

static void *
count_when_tied (void *data)
{
  const cpu_set_t *one = data;

  g_assert_cmpint (sched_setaffinity (0, sizeof *one, one), ==, 0);
  g_assert_cmpint (reel_cpu_count (), ==, 1);
  return NULL;
}

static void
test_count_obeys_the_mask (void)
{
  cpu_set_t set, one;
  pthread_t thread;
  int cpu = 0;

  g_assert_cmpint (sched_getaffinity (0, sizeof set, &set), ==, 0);
  g_assert_cmpint (reel_cpu_count (), >=, 1);
  g_assert_cmpint (reel_cpu_count (), <=, CPU_COUNT (&set));
  while (!CPU_ISSET (cpu, &set))
    cpu++;
  CPU_ZERO (&one);
  CPU_SET (cpu, &one);
  g_assert_cmpint (pthread_create (&thread, NULL, count_when_tied, &one), ==, 0);
  pthread_join (thread, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/cpus/quota-of-groups", test_quota_of_groups);
  g_test_add_func ("/core/cpus/count-obeys-the-mask", test_count_obeys_the_mask);
  return g_test_run ();
}
