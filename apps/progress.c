#include "progress.h"

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
progress_show (Progress *self, gint64 frames, gint64 episodes, double mean_return)
{
  gint64 now = g_get_monotonic_time ();

  self->shown = now;

  double seconds = (double) (now - self->start) / 1e6;
  g_autofree char *count = format_count (frames);
  g_autofree char *rate = format_rate ((double) frames / seconds);
  g_autofree char *n_episodes = format_count (episodes);
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_append_printf (line, "%s frames, %s frames/s, %s episodes", count, rate, n_episodes);
  if (episodes > 0)
    g_string_append_printf (line, ", mean return %.1f", mean_return);
  if (self->total > 0)
    {
      double left = seconds * (double) (self->total - frames) / (double) frames;
      g_autofree char *time_left = format_duration (left);
      g_string_append_printf (line, ", %s left", time_left);
    }
  fprintf (stderr, self->terminal ? "\r\033[K%s" : "%s\n", line->str);
}

double
progress_finish (Progress *self)
{
  if (self->terminal && self->shown)
    fputs ("\r\033[K", stderr);
  return (double) MAX (g_get_monotonic_time () - self->start, 1) / 1e6; /* a rate needs some time */
}
