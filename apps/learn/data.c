/* Saved data as the source of batches of a learner. */
#include "normalization.h"
#include "plan.h"

#include <math.h>

/* Parts of a batch, each of one directory. */
#define MOST_PARTS 32

static gboolean
read_weights (const char *text, guint n, double *weights, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  double sum = 0;

  if (g_strv_length (words) != n)
    {
      set_usage_error (error, "--weights %s has %u weights, and there are %u --data", text,
                       g_strv_length (words), n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      if (!options_parse_double ("weights", words[i], 0, &weights[i], error))
        return FALSE;
      if (weights[i] < 0)
        {
          set_usage_error (error, "--weights %s: a weight cannot be negative", text);
          return FALSE;
        }
      sum += weights[i];
    }
  if (sum > 0)
    return TRUE;
  set_usage_error (error, "--weights %s: one of them must be above 0", text);
  return FALSE;
}

static gboolean
draw_of_mix (gpointer source, gint64 n, ReelTensordict **batch, GError **error)
{
  return reel_replay_buffer_ensemble_sample (source, n, batch, error);
}

static gboolean
mix (Plan *plan, gint64 n, GError **error)
{
  const char *text = plan->options->weights;
  g_autofree double *weights = g_new (double, plan->n_sources);
  g_autofree GObject **members = g_new (GObject *, plan->n_sources);
  ReelEnsembleOptions how = { .batch_size = n, .num_buffer_sampled = 1, .seed = plan->seed };

  while (how.num_buffer_sampled < MOST_PARTS && n % (2 * how.num_buffer_sampled) == 0)
    how.num_buffer_sampled *= 2;
  if (text && !read_weights (text, plan->n_sources, weights, error))
    return FALSE;
  how.p = text ? weights : NULL;
  for (guint i = 0; i < plan->n_sources; i++)
    members[i] = plan->sources[i].object;
  plan->mix = reel_replay_buffer_ensemble_new_mixed (members, plan->n_sources, &how, error);
  plan->learner->source = plan->mix;
  plan->learner->draw = draw_of_mix;
  return plan->mix != NULL;
}

void
plan_close_data (Plan *plan)
{
  g_clear_object (&plan->mix);
  for (guint i = 0; i < plan->n_sources; i++)
    source_clear (&plan->sources[i]);
  g_clear_pointer (&plan->sources, g_free);
  plan->n_sources = 0;
}

static gboolean
open_data (Plan *plan, const char *sampler, GError **error)
{
  const LearnOptions *options = plan->options;
  g_autofree char *seed = g_strdup_printf ("%" G_GINT64_FORMAT, plan->seed);
  gint64 n = (gint64) plan->learner->values[BATCH_SIZE];
  const SourceOptions how = {
    .sampler = sampler, .seed = seed, .batch_size = n, .read_only = TRUE
  };

  plan->sources = g_new0 (Source, g_strv_length (options->data));
  for (char **path = options->data; *path; path++)
    if (!source_open (&plan->sources[plan->n_sources++], *path, &how, error))
      return FALSE;
  if (plan->n_sources > 1)
    return mix (plan, n, error);
  plan->learner->source = plan->sources[0].object;
  plan->learner->draw = plan->sources[0].draw;
  return TRUE;
}

/* By rows that are drawn at random, from which the sampler of the run learns nothing. */
static gboolean
measure (Plan *plan, GError **error)
{
  if (!open_data (plan, "random", error) || !normalization_measure (plan->learner, error))
    return FALSE;
  plan_close_data (plan);
  return TRUE;
}

gboolean
plan_open_data (Plan *plan, GError **error)
{
  guint wanted = plan->class->normalizes;
  gboolean normalizes = wanted > 0 && plan->learner->values[wanted] != 0;

  if (normalizes)
    normalization_begin (plan->learner);
  if (normalizes && !plan->options->resume && !measure (plan, error))
    return FALSE;
  return open_data (plan, plan->options->sampler, error);
}
