#include "free-memory.h"

#include "text-table.h"

#include <string.h>

/* "MemAvailable:   24318604 kB" */
static gint64
system_memory (void)
{
  static const char name[] = "MemAvailable:";
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    return G_MAXINT64;
  line = strstr (text, name);
  return line ? g_ascii_strtoll (line + strlen (name), NULL, 10) * 1024 : G_MAXINT64;
}

/* "2147483648", or "max". */
static gint64
group_limit (const char *group)
{
  g_autofree char *path = g_strconcat ("/sys/fs/cgroup", group, "/memory.max", NULL);
  g_autofree char *text = NULL;
  gint64 limit;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return G_MAXINT64;
  limit = g_ascii_strtoll (text, NULL, 10);
  return limit > 0 ? limit : G_MAXINT64;
}

/* The least limit of the process's group and its parents. Memory that they hold is not counted: it
 * has files in it that give way. */
static gint64
groups_memory (void)
{
  g_autofree char *table = NULL;
  gint64 least = G_MAXINT64;
  char *group, *slash;

  if (!g_file_get_contents ("/proc/self/cgroup", &table, NULL, NULL))
    return least;
  group = g_str_has_prefix (table, "0::") ? table : strstr (table, "\n0::");
  if (!group)
    return least;
  group = strstr (group, "::") + 2;
  group[strcspn (group, "\n")] = 0;
  for (;;)
    {
      least = MIN (least, group_limit (group));
      slash = strrchr (group, '/');
      if (!slash)
        return least;
      *slash = 0;
    }
}

gint64
free_memory (void)
{
  return MIN (system_memory (), groups_memory ());
}

gboolean
free_memory_check (const char *what, gint64 wanted, GError **error)
{
  gint64 available = free_memory ();
  g_autofree char *want = format_bytes (wanted), *have = format_bytes (available);

  if (wanted <= available)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "%s: %s (%" G_GINT64_FORMAT " bytes) of memory needed, %s (%" G_GINT64_FORMAT
               ") available",
               what, want, wanted, have, available);
  return FALSE;
}
