/* The time that a run may take, from the speed of a few of its steps. */
#include "collect.h"

#include <math.h>

#define BATCH_SECONDS 0.05
#define ALL_SECONDS 0.2

/* Collects batches of so many frames until the seconds are over; returns frames a second. */
static double
measure (const Plan *plan, gint64 frames_per_batch, double seconds, GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("sync:frames-per-batch=%" G_GINT64_FORMAT ",threads=%" G_GINT64_FORMAT
                       ",total-frames=%" G_GINT64_FORMAT,
                       frames_per_batch, plan->threads, plan->actions ? plan->n_action_rows : -1);
  g_autoptr (ReelCollector) collector =
      reel_collector_new (text, plan->env, plan->policy, NULL, error);
  gint64 begin = g_get_monotonic_time (), frames = 0, n = 1;
  double passed = 0;

  while (collector && n > 0 && passed < seconds)
    {
      n = reel_collector_next (collector, NULL, error);
      frames += MAX (n, 0);
      passed = (double) (g_get_monotonic_time () - begin + 1) / G_TIME_SPAN_SECOND;
    }
  return collector && n >= 0 ? (double) frames / passed : -1;
}

/* Batches that take no longer than they may, so that a slow run is answered as well. */
double
plan_measure_rate (const Plan *plan, GError **error)
{
  double rate = measure (plan, plan->n_envs, BATCH_SECONDS, error);
  double most = MIN (rate * BATCH_SECONDS, (double) plan->frames_per_batch);

  return rate < 0 ? rate : measure (plan, MAX ((gint64) most, plan->n_envs), ALL_SECONDS, error);
}

double
plan_estimate_seconds (const Plan *plan, double rate)
{
  double seconds = plan->frames >= 0 ? (double) plan->frames / rate : INFINITY;

  return plan->max_time > 0 ? MIN (seconds, plan->max_time) : seconds;
}
