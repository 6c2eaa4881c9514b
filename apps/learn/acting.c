#include "acting.h"

#include <math.h>
#include <string.h>

/* Steps of each lane without an end after which an evaluation counts what ended so far. */
#define MOST_STEPS 100000
#define STEPS_OF_BATCH 64

typedef struct
{
  const Learner *learner;
  gboolean explore;
  gint64 most; /* lanes that there is memory for */
  Trace *trace;
  double *actions;
} Acting;

static void
free_acting (gpointer data)
{
  Acting *self = data;

  trace_free (self->trace);
  g_free (self->actions);
  g_free (self);
}

/* The columns of a memory in the order of the policy's state. */
enum
{
  H,
  C,
};

static void
read_memory (Trace *trace, gint64 n, const guint8 *const *state)
{
  gsize bytes = trace->memory ? (gsize) n * (gsize) trace->memory->n_hidden * sizeof (float) : 0;

  if (bytes == 0)
    return;
  memcpy (trace->memory->set_h, state[H], bytes);
  memcpy (trace->memory->set_c, state[C], bytes);
}

static void
write_memory (const Network *network, const Trace *trace, gint64 n, guint8 *const *state)
{
  gsize bytes = trace->memory ? (gsize) n * (gsize) trace->memory->n_hidden * sizeof (float) : 0;

  if (bytes == 0)
    return;
  memcpy (state[H], network_get_h (network, trace), bytes);
  memcpy (state[C], trace->memory->c, bytes);
}

static gboolean
act (gint64 step, gint64 n, const ReelPolicyIO *io, gpointer data, GError **error)
{
  Acting *self = data;
  const Learner *learner = self->learner;
  const char *arguments;
  const Network *network = learner->class->get_policy (learner, &arguments);

  if (n > self->most)
    {
      trace_free (self->trace);
      g_free (self->actions);
      self->trace = trace_new (network, (gint) n);
      self->actions = g_new (double, n *spaces_count_actions (&learner->spaces));
      self->most = n;
    }
  spaces_read_lanes (&learner->spaces, io, n, trace_get_inputs (self->trace));
  read_memory (self->trace, n, io->state);
  network_run (network, self->trace, (gint) n);
  write_memory (network, self->trace, n, io->next_state);
  if (!spaces_mask_lanes (&learner->spaces, io, n, trace_get_outputs (self->trace), error))
    return FALSE;
  learner->class->choose (learner, trace_get_outputs (self->trace), n, step, self->explore,
                          self->actions);
  spaces_write_actions (&learner->spaces, io, n, self->actions);
  return TRUE;
}

/* As the mlp policy declares it; NULL for a network without. */
static ReelSpec *
make_memory (const Network *network)
{
  const gint64 shape[] = { 1, network_get_memory (network) };
  const char *const keys[] = { MEMORY_H, MEMORY_C };
  g_autoptr (ReelSpec) leaf =
      shape[1] > 0 ? reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 2, shape, NULL) : NULL;
  ReelSpec *const leaves[] = { leaf, leaf };

  return leaf ? reel_composite_spec_new (0, NULL, keys, leaves, 2, NULL) : NULL;
}

ReelPolicy *
acting_policy_new (const Learner *learner, gboolean explore)
{
  const char *arguments;
  g_autoptr (ReelSpec) memory = make_memory (learner->class->get_policy (learner, &arguments));
  Acting *self = g_new0 (Acting, 1);

  self->learner = learner;
  self->explore = explore;
  return reel_policy_new_callback_with_outputs (NULL, memory, act, self, free_acting);
}

/* ---- evaluation ---- */

typedef struct
{
  gint64 quota; /* episodes that each lane counts */
  gint64 *counted;
  gint64 n_missing;
  Evaluation sums;
} Tally;

static void
count_episodes (Tally *self, ReelCollector *collector)
{
  gsize n;
  const ReelCollectorEpisode *episodes = reel_collector_get_episodes (collector, &n);

  for (gsize i = 0; i < n; i++)
    {
      const ReelCollectorEpisode *episode = &episodes[i];

      if (self->counted[episode->lane] == self->quota)
        continue;
      self->counted[episode->lane]++;
      self->n_missing--;
      self->sums.n++;
      self->sums.mean += episode->reward_sum;
      self->sums.length += (double) episode->length;
      self->sums.least = MIN (self->sums.least, episode->reward_sum);
      self->sums.most = MAX (self->sums.most, episode->reward_sum);
    }
}

gboolean
evaluate (const Learner *learner, ReelEnv *env, gint64 n_episodes, Evaluation *result,
          GError **error)
{
  gint64 n_lanes = reel_env_get_num_envs (env);
  gint64 quota = (n_episodes + n_lanes - 1) / n_lanes;
  g_autofree gint64 *counted = g_new0 (gint64, n_lanes);
  g_autofree char *text =
      g_strdup_printf ("sync:frames-per-batch=%" G_GINT64_FORMAT ",list-episodes=true,threads=1",
                       STEPS_OF_BATCH * n_lanes);
  g_autoptr (ReelPolicy) policy = acting_policy_new (learner, FALSE);
  g_autoptr (ReelCollector) collector = reel_collector_new (text, env, policy, NULL, error);
  Tally tally = { quota, counted, quota * n_lanes, { 0, 0, 0, INFINITY, -INFINITY } };

  for (gint64 steps = 0; collector && tally.n_missing > 0 && steps < MOST_STEPS;
       steps += STEPS_OF_BATCH)
    {
      if (reel_collector_next (collector, NULL, error) < 0)
        return FALSE;
      count_episodes (&tally, collector);
    }
  *result = tally.sums;
  if (tally.sums.n > 0)
    {
      result->mean /= (double) tally.sums.n;
      result->length /= (double) tally.sums.n;
      return TRUE;
    }
  if (collector)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "no episode of the evaluation ended in %d steps; limit them by "
                 "max-episode-steps=N behind --env ID:",
                 MOST_STEPS);
  return FALSE;
}
