/* The pace of collect: when it ends, how many frames are collected at once, on how many threads. */
#include "collect-share.h"

#define MOST_THREADS 1024

void
collect_say (const Plan *plan, const char *format, ...)
{
  if (plan->options->quiet)
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_printerr ("%s", text);
}

gboolean
plan_pace (Plan *plan, gint64 *frames, GError **error)
{
  gint64 envs = plan->all_envs > 0 ? plan->all_envs : plan->n_envs;
  gint64 threads = plan->all_envs > 0; /* ranks share the processors of a machine */

  if (!options_parse_number ("frames", plan->options->frames, 1, COLLECT_MOST_ROWS, -1, frames,
                             error)
      || !options_parse_number ("frames-per-batch", plan->options->frames_per_batch, 1, G_MAXINT32,
                                1000, &plan->frames_per_batch, error)
      || !options_parse_number ("threads", plan->options->threads, 0, MOST_THREADS, threads,
                                &plan->threads, error)
      || !options_parse_number ("episodes", plan->options->episodes, 1, COLLECT_MOST_ROWS, 0,
                                &plan->episodes, error)
      || !options_parse_duration ("max-time", plan->options->max_time, &plan->max_time, error))
    return FALSE;
  plan->frames_per_batch = apart_rows (plan, collect_round_up (plan->frames_per_batch, envs));
  if (*frames % envs > 0)
    {
      gint64 whole = collect_round_up (*frames, envs);
      collect_say (plan,
                   "%" G_GINT64_FORMAT " frames become %" G_GINT64_FORMAT
                   ": whole steps of %" G_GINT64_FORMAT " environments\n",
                   *frames, whole, envs);
      *frames = whole;
    }
  *frames = apart_rows (plan, *frames);
  return TRUE;
}
