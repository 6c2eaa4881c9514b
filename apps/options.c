#include "options.h"

#include <string.h>

G_DEFINE_QUARK (reel - usage - error, usage_error)

void
set_usage_error (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, USAGE_ERROR, 0, message);
}

static const GOptionEntry *
find_entry (const GOptionEntry *entries, const char *name)
{
  for (; entries->long_name; entries++)
    if (strcmp (entries->long_name, name) == 0)
      return entries;
  return NULL;
}

static gboolean
unknown_option (const GOptionEntry *entries, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (const GOptionEntry *entry = entries; entry->long_name; entry++)
    if (*entry->long_name)
      g_ptr_array_add (names, (char *) entry->long_name);
  g_ptr_array_add (names, (char *) "help");
  g_ptr_array_add (names, NULL);

  const char *closest = reel_closest_word (name, (const char *const *) names->pdata);
  if (closest)
    set_usage_error (error, "there is no option --%s; did you mean --%s?", name, closest);
  else
    set_usage_error (error, "there is no option --%s; --help lists them", name);
  return FALSE;
}

/* `--total_frames=1000` becomes `--frames=1000`. */
static gboolean
normalise (char **arg, const GOptionEntry *entries, const OptionAlias *aliases, GError **error)
{
  const char *value = strchr (*arg, '=');
  g_autofree char *name =
      value ? g_strndup (*arg + 2, (gsize) (value - *arg - 2)) : g_strdup (*arg + 2);
  g_strdelimit (name, "_", '-');

  const char *ours = name;
  for (const OptionAlias *alias = aliases; alias && alias->theirs; alias++)
    if (strcmp (alias->theirs, name) == 0)
      ours = alias->ours;
  if (strcmp (ours, "help") != 0 && !find_entry (entries, ours))
    return unknown_option (entries, name, error);

  char *written = g_strconcat ("--", ours, value, NULL);
  g_free (*arg);
  *arg = written;
  return TRUE;
}

gboolean
options_parse (GOptionContext *context, const GOptionEntry *entries, const OptionAlias *aliases,
               char ***argv, GError **error)
{
  g_autoptr (GError) local = NULL;

  for (char **arg = *argv + 1; *arg && strcmp (*arg, "--") != 0; arg++)
    if (g_str_has_prefix (*arg, "--") && !normalise (arg, entries, aliases, error))
      return FALSE;
  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse_strv (context, argv, &local))
    return TRUE;
  set_usage_error (error, "%s", local->message);
  return FALSE;
}

static int
exit_status (const GError *error)
{
  if (error->domain == USAGE_ERROR)
    return EXIT_USAGE;
  if (error->domain != REEL_ERROR)
    return EXIT_FAILED;
  switch (error->code)
    {
    case REEL_ERROR_VALUE:
    case REEL_ERROR_TYPE:
    case REEL_ERROR_KEY:
    case REEL_ERROR_INDEX: return EXIT_USAGE;
    case REEL_ERROR_DAMAGED: return EXIT_DAMAGED;
    case REEL_ERROR_NO_SPACE: return EXIT_NO_SPACE;
    case REEL_ERROR_TIMEOUT: return EXIT_TIMEOUT;
    default: return EXIT_FAILED;
    }
}

int
options_fail (const char *program, const GError *error)
{
  g_printerr ("%s: %s\n", program, error->message);
  if (error->domain == USAGE_ERROR)
    g_printerr ("Try '%s --help'.\n", program);
  return exit_status (error);
}
