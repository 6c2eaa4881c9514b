#include "forked-children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

GArray *
forked_children (pid_t parent)
{
  GArray *pids = g_array_new (FALSE, FALSE, sizeof (pid_t));
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);

  for (const char *name; (name = g_dir_read_name (processes)) != NULL;)
    {
      g_autofree char *path = g_strdup_printf ("/proc/%s/stat", name), *text = NULL;
      pid_t pid = atoi (name);
      char state = 0;
      int of = 0;

      if (pid > 0 && g_file_get_contents (path, &text, NULL, NULL)
          && sscanf (strrchr (text, ')') + 1, " %c %d", &state, &of) == 2 && of == parent
          && state != 'Z')
        g_array_append_val (pids, pid);
    }
  return pids;
}

gboolean
forked_child_is_gone (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid), *text = NULL;

  return !g_file_get_contents (path, &text, NULL, NULL) || strstr (text, ") Z ") != NULL;
}

void
forked_children_await_end (const GArray *pids)
{
  for (guint i = 0; i < pids->len; i++)
    {
      pid_t pid = g_array_index (pids, pid_t, i);

      for (int k = 0; k < 1000 && !forked_child_is_gone (pid); k++)
        g_usleep (10000);
      g_assert_true (forked_child_is_gone (pid));
    }
}

void
forked_children_assert_none (void)
{
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
}
