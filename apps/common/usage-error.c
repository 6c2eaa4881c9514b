#include "usage-error.h"

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

const GOptionEntry *
options_find_entry (const GOptionEntry *entries, const char *name)
{
  for (; entries->long_name; entries++)
    if (strcmp (entries->long_name, name) == 0)
      return entries;
  return NULL;
}
