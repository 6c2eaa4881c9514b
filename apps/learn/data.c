/* Saved data as the source of batches of a learner. */
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

gboolean
plan_open_data (Plan *plan, GError **error)
{
  const LearnOptions *options = plan->options;
  g_autofree char *seed = g_strdup_printf ("%" G_GINT64_FORMAT, plan->seed);
  gint64 n = (gint64) plan->learner->values[BATCH_SIZE];
  const SourceOptions how = {
    .sampler = options->sampler, .seed = seed, .batch_size = n, .read_only = TRUE
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
