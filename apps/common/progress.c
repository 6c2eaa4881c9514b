#include "progress.h"

#include "terminal.h"
#include "text-table.h"

#include <stdio.h>
#include <unistd.h>

/* Microseconds. */
#define FIRST_AFTER 300000
#define TERMINAL_EVERY 100000
#define PLAIN_EVERY 2000000

void
progress_start (Progress *self, gint64 total, gboolean quiet)
{
  self->terminal = isatty (STDERR_FILENO);
  self->quiet = quiet;
  self->total = total;
  self->start = g_get_monotonic_time ();
  self->shown = 0;
}

gboolean
progress_is_due (const Progress *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->quiet || now - self->start < FIRST_AFTER)
    return FALSE;
  return self->shown == 0 || now - self->shown >= (self->terminal ? TERMINAL_EVERY : PLAIN_EVERY);
}

void
progress_add_part (GStrvBuilder *parts, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_strv_builder_add (parts, text);
}

static gint64
count_columns (const char *text)
{
  return g_utf8_strlen (text, -1);
}

/* Joins as many whole parts as fit the width, because a wrapped line cannot be erased; 0 is no
 * limit. */
static char *
join_parts (char **parts, gint64 width)
{
  GString *line = g_string_new (NULL);

  for (; *parts; parts++)
    {
      const char *comma = line->len > 0 ? ", " : "";
      if (width == 0
          || count_columns (line->str) + count_columns (comma) + count_columns (*parts) < width)
        g_string_append_printf (line, "%s%s", comma, *parts);
    }
  return g_string_free (line, FALSE);
}

void
progress_show_parts (Progress *self, gint64 done, const char *unit, char **parts)
{
  gint64 now = g_get_monotonic_time ();
  double seconds = (double) (now - self->start) / 1e6;
  g_autofree char *count = format_count (done);
  g_autofree char *rate = format_rate ((double) done / seconds);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  self->shown = now;
  progress_add_part (builder, "%s %s", count, unit);
  progress_add_part (builder, "%s %s/s", rate, unit);
  g_strv_builder_addv (builder, (const char **) parts);
  if (self->total > 0)
    {
      double left = seconds * (double) (self->total - done) / (double) done;
      g_autofree char *time_left = format_duration (left);
      progress_add_part (builder, "%s left", time_left);
    }
  g_auto (GStrv) all = g_strv_builder_end (builder);
  g_autofree char *line = join_parts (all, terminal_get_width (STDERR_FILENO));
  fprintf (stderr, self->terminal ? "\r\033[K%s" : "%s\n", line);
}

void
progress_show (Progress *self, gint64 frames, gint64 episodes, double mean_return)
{
  g_autofree char *n_episodes = format_count (episodes);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  progress_add_part (builder, "%s episodes", n_episodes);
  if (episodes > 0)
    progress_add_part (builder, "mean return %.1f", mean_return);
  g_auto (GStrv) parts = g_strv_builder_end (builder);
  progress_show_parts (self, frames, "frames", parts);
}

double
progress_finish (Progress *self)
{
  if (self->terminal && self->shown)
    fputs ("\r\033[K", stderr);
  return (double) MAX (g_get_monotonic_time () - self->start, 1) / 1e6; /* a rate needs some time */
}
