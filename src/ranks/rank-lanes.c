#include "rank-lanes.h"

#include "../collectors/collector-private.h"
#include "../collectors/lane-state.h"
#include "../core/tensordict/tensordict-keys.h"

#include <string.h>

static ReelEnv *
make_env (const ReelRankTask *task, GError **error)
{
  g_autofree char *n = g_strdup_printf ("%" G_GINT64_FORMAT, task->n);
  g_autofree char *seed = g_strdup_printf ("%" G_GINT64_FORMAT, task->seed + task->begin);

  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, task->env, error, "num-envs",
                                                       n, "seed", seed, NULL);

  if (env == NULL || reel_env_get_num_envs (env) == task->n)
    return g_steal_pointer (&env);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "ranks cannot share the environments of %s: it has %" G_GINT64_FORMAT
               " where num-envs=%" G_GINT64_FORMAT " is asked for; collect in one process",
               reel_object_get_id (REEL_OBJECT (env)), reel_env_get_num_envs (env), task->n);
  return NULL;
}

static ReelPolicy *
make_policy (const ReelRankTask *task, GError **error)
{
  g_autofree char *first = g_strdup_printf ("%" G_GINT64_FORMAT, task->begin);
  g_autofree char *all = g_strdup_printf ("%" G_GINT64_FORMAT, task->n_all);

  return reel_object_new_from_text (REEL_TYPE_POLICY, "lane-range", error, "policy", task->policy,
                                    "first-lane", first, "all-lanes", all, NULL);
}

static gboolean
make_collector (ReelRankLanes *self, const ReelRankTask *task, GError **error)
{
  g_autoptr (ReelEnv) env = make_env (task, error);
  g_autoptr (ReelPolicy) policy = env ? make_policy (task, error) : NULL;
  g_autofree char *text = g_strdup_printf (
      "sync:frames-per-batch=%" G_GINT64_FORMAT ",threads=%" G_GINT64_FORMAT
      ",first-lane=%" G_GINT64_FORMAT ",all-lanes=%" G_GINT64_FORMAT ",list-episodes=%s%s",
      task->most_steps * task->n, MAX (task->threads, 1), task->begin, task->n_all,
      task->list_episodes ? "true" : "false", task->properties);

  self->collector = policy ? reel_collector_new (text, env, policy, NULL, error) : NULL;
  return self->collector != NULL;
}

static void
measure (ReelRankLanes *self)
{
  ReelTensordict *layout = reel_collector_get_parts (self->collector)->layout;

  self->leaves = reel_tensordict_list_leaves (layout);
  self->n_columns = g_strv_length (self->leaves);
  self->row_bytes = g_new (gsize, self->n_columns);
  self->batch.columns = g_new0 (guint8 *, self->n_columns);
  self->batch.episodes = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));
  for (guint c = 0; c < self->n_columns; c++)
    self->row_bytes[c] =
        reel_tensor_nbytes (reel_tensordict_get_tensor (layout, self->leaves[c], NULL))
        / self->task.n;
  self->widths = reel_lane_state_list_widths (self->collector);
  for (guint i = 0; i < self->widths->len; i++)
    self->state_bytes += g_array_index (self->widths, gsize, i) * self->task.n;
  if (self->task.keep_state)
    self->batch.state = g_malloc (self->state_bytes);
}

ReelRankLanes *
reel_rank_lanes_new (const ReelRankTask *task, GError **error)
{
  g_autoptr (ReelRankLanes) self = g_new0 (ReelRankLanes, 1);

  self->task = *task;
  self->task.env = self->task.policy = self->task.properties = NULL;
  if (!make_collector (self, task, error))
    return NULL;
  measure (self);
  return g_steal_pointer (&self);
}

void
reel_rank_lanes_free (ReelRankLanes *self)
{
  if (self == NULL)
    return;
  g_clear_object (&self->collector);
  g_clear_pointer (&self->widths, g_array_unref);
  g_clear_pointer (&self->batch.episodes, g_array_unref);
  g_strfreev (self->leaves);
  g_free (self->batch.columns);
  g_free (self->batch.state);
  g_free (self->row_bytes);
  g_free (self);
}

/* ---- a batch ---- */

static void
take_columns (ReelRankLanes *self, ReelTensordict *steps)
{
  /* A batch is a view of the collector's block, in which time is the slow dimension. */
  for (guint c = 0; c < self->n_columns; c++)
    self->batch.columns[c] = reel_tensordict_get_tensor (steps, self->leaves[c], NULL)->data;
}

static void
take_episodes (ReelRankLanes *self)
{
  const GArray *episodes =
      REEL_COLLECTOR_GET_CLASS (self->collector)->list_episodes (self->collector);

  g_array_set_size (self->batch.episodes, 0);
  for (guint i = 0; i < episodes->len; i++)
    {
      ReelCollectorEpisode episode = g_array_index (episodes, ReelCollectorEpisode, i);

      episode.lane += self->task.begin;
      g_array_append_val (self->batch.episodes, episode);
    }
}

gboolean
reel_rank_lanes_put_weights (ReelRankLanes *self, const ReelPolicyWeights *weights, GError **error)
{
  return reel_policy_put_weights (reel_collector_get_parts (self->collector)->policy, weights,
                                  error);
}

gboolean
reel_rank_lanes_collect (ReelRankLanes *self, const ReelCollectorTask *task, GError **error)
{
  ReelTensordict *steps = NULL;

  self->batch.n_steps = 0;
  if (!REEL_COLLECTOR_GET_CLASS (self->collector)
           ->collect (self->collector, task, &self->batch.n_steps, &steps, error))
    return FALSE;
  reel_collector_get_stats (self->collector, &self->batch.stats);
  take_columns (self, steps);
  if (self->task.list_episodes)
    take_episodes (self);
  if (self->task.keep_state)
    reel_lane_state_get (self->collector, self->batch.state);
  return TRUE;
}

/* ---- tasks and states in messages ---- */

GVariant *
reel_rank_task_to_variant (const ReelRankTask *self)
{
  return g_variant_ref_sink (g_variant_new (
      "(sssxxxxxxbb)", self->env, self->policy, self->properties, self->begin, self->n, self->n_all,
      self->seed, self->most_steps, self->threads, self->list_episodes, self->keep_state));
}

void
reel_rank_task_from_variant (ReelRankTask *self, GVariant *variant)
{
  g_variant_get (variant, "(&s&s&sxxxxxxbb)", &self->env, &self->policy, &self->properties,
                 &self->begin, &self->n, &self->n_all, &self->seed, &self->most_steps,
                 &self->threads, &self->list_episodes, &self->keep_state);
}

void
reel_rank_state_copy (const GArray *widths, guint8 *to, gint64 n_to, gint64 to_first,
                      const guint8 *from, gint64 n_from, gint64 from_first, gint64 n)
{
  for (guint i = 0; i < widths->len; i++)
    {
      gsize width = g_array_index (widths, gsize, i);

      memcpy (to + (gsize) to_first * width, from + (gsize) from_first * width, (gsize) n * width);
      to += (gsize) n_to * width;
      from += (gsize) n_from * width;
    }
}
