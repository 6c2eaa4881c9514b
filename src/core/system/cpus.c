#include "cpus.h"
#include "files.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#define MAX_CPUS 8192
#define LONGEST_FILE 65536

static gint
affinity_count (void)
{
  cpu_set_t *set = CPU_ALLOC (MAX_CPUS);
  long count;

  if (set && sched_getaffinity (0, CPU_ALLOC_SIZE (MAX_CPUS), set) == 0)
    count = CPU_COUNT_S (CPU_ALLOC_SIZE (MAX_CPUS), set);
  else
    count = sysconf (_SC_NPROCESSORS_ONLN);
  if (set)
    CPU_FREE (set);
  return (gint) MAX (count, 1);
}

static gint
cpus_of (gint64 quota, gint64 period)
{
  if (quota <= 0 || period <= 0)
    return 0;
  return (gint) MIN ((quota - 1) / period + 1, MAX_CPUS);
}

/* "50000 100000", or "max 100000". */
static gint
quota_v2 (const char *group)
{
  g_autofree char *path = g_build_filename (group, "cpu.max", NULL);
  g_autofree char *text = reel_file_read (path, LONGEST_FILE, NULL, NULL);
  char *end;
  gint64 quota;

  if (!text)
    return 0;
  quota = g_ascii_strtoll (text, &end, 10);
  return cpus_of (quota, g_ascii_strtoll (end, NULL, 10));
}

static gint
quota_v1 (const char *group)
{
  g_autofree char *quota_path = g_build_filename (group, "cpu.cfs_quota_us", NULL);
  g_autofree char *period_path = g_build_filename (group, "cpu.cfs_period_us", NULL);
  g_autofree char *quota = reel_file_read (quota_path, LONGEST_FILE, NULL, NULL);
  g_autofree char *period = reel_file_read (period_path, LONGEST_FILE, NULL, NULL);

  if (!quota || !period)
    return 0;
  return cpus_of (g_ascii_strtoll (quota, NULL, 10), g_ascii_strtoll (period, NULL, 10));
}

/* The least quota of a group and its parents. Inside a container the path can be one of the host's,
 * which is not to be found; the top of the hierarchy is then the container's own group. */
static gint
least_quota (const char *hierarchy, const char *group, gint (*quota_of) (const char *group))
{
  g_autofree char *path = g_strdup (group);
  gint least = 0;

  for (;;)
    {
      g_autofree char *directory = g_strconcat (hierarchy, path, NULL);
      gint quota = quota_of (directory);
      char *slash = strrchr (path, '/');

      if (quota > 0 && (least == 0 || quota < least))
        least = quota;
      if (!slash)
        return least;
      *slash = 0;
    }
}

static gboolean
lists_controller (const char *controllers, const char *name)
{
  g_auto (GStrv) each = g_strsplit (controllers, ",", -1);

  return g_strv_contains ((const char *const *) each, name);
}

gint
reel_cpu_quota (const char *root)
{
  g_autofree char *table = g_strconcat (root, "/proc/self/cgroup", NULL);
  g_autofree char *text = reel_file_read (table, LONGEST_FILE, NULL, NULL);
  g_auto (GStrv) lines = g_strsplit (text ? text : "", "\n", -1);
  gint least = 0;

  for (gsize i = 0; lines[i]; i++)
    {
      g_auto (GStrv) parts = g_strsplit (lines[i], ":", 3); /* number:controllers:path */
      g_autofree char *hierarchy = NULL;
      gint quota = 0;

      if (g_strv_length (parts) != 3)
        continue;
      hierarchy = g_strconcat (root, "/sys/fs/cgroup", *parts[1] ? "/cpu" : "", NULL);
      if (*parts[1] == 0)
        quota = least_quota (hierarchy, parts[2], quota_v2);
      else if (lists_controller (parts[1], "cpu"))
        quota = least_quota (hierarchy, parts[2], quota_v1);
      if (quota > 0 && (least == 0 || quota < least))
        least = quota;
    }
  return least;
}

static pthread_once_t quota_once = PTHREAD_ONCE_INIT;
static gint own_quota;

static void
read_own_quota (void)
{
  own_quota = reel_cpu_quota ("");
}

gint
reel_cpu_count (void)
{
  gint count = affinity_count ();

  pthread_once (&quota_once, read_own_quota);
  return own_quota > 0 ? MIN (count, own_quota) : count;
}
