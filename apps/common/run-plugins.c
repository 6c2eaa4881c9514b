#include "run-plugins.h"

#include "options.h"

#include <jansson.h>

#include <string.h>

static gboolean
is_loaded (const char *name)
{
  for (char **file = options_plugins; file && *file; file++)
    {
      g_autofree char *loaded = g_path_get_basename (*file);

      if (strcmp (loaded, name) == 0)
        return TRUE;
    }
  return FALSE;
}

/* The names of those that are missing, joined; empty where nothing is recorded. */
static char *
list_missing (ReelReplayBuffer *run)
{
  g_autofree char *text = reel_replay_buffer_dup_info (run, "plugins");
  json_t *names = text ? json_loads (text, 0, NULL) : NULL;
  GString *missing = g_string_new (NULL);

  for (gsize i = 0; i < json_array_size (names); i++)
    {
      const char *name = json_string_value (json_array_get (names, i));

      if (name && !is_loaded (name))
        g_string_append_printf (missing, "%s%s", missing->len ? ", " : "", name);
    }
  json_decref (names);
  return g_string_free (missing, FALSE);
}

void
run_plugins_propagate (ReelReplayBuffer *run, GError *failure, GError **error)
{
  g_autofree char *missing = list_missing (run);

  /* The list of all classes behind the first part helps nobody here. */
  if (g_error_matches (failure, REEL_ERROR, REEL_ERROR_KEY) && *missing)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "%.*s without the plugin %s of this run: add --plugin FILE.so",
                 (int) strcspn (failure->message, ";"), failure->message, missing);
  else
    g_propagate_error (error, g_error_copy (failure));
  g_error_free (failure);
}
