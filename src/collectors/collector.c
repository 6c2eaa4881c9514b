/* The base of collectors: properties, parts and counts. */
#include "collector.h"

#include "../core/tensordict/tensordict-keys.h"
#include "../envs/env-policy.h"
#include "../envs/env-private.h"
#include "../envs/transformed-env.h"
#include "../specs/spec-keys.h"
#include "collector-checks.h"
#include "collector-fields.h"
#include "ted-columns.h"

#include <math.h>

const char *const reel_collector_explorations[] = { "random", "mode", "mean", "deterministic",
                                                    NULL };

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelCollector, reel_collector, REEL_TYPE_OBJECT)

ReelCollectorPrivate *
reel_collector_get_private (ReelCollector *self)
{
  return reel_collector_get_instance_private (self);
}

/* Before a class takes down what the background works on. */
static void
dispose (GObject *object)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (REEL_COLLECTOR (object));

  g_clear_pointer (&priv->background, reel_collector_background_free);
  G_OBJECT_CLASS (reel_collector_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (REEL_COLLECTOR (object));
  ReelCollectorParts *parts = &priv->parts;

  g_clear_object (&parts->env);
  g_clear_object (&parts->policy);
  g_clear_object (&parts->random);
  g_clear_object (&parts->buffer);
  if (parts->postproc)
    reel_transform_set_parent (parts->postproc, NULL, NULL);
  g_clear_object (&parts->postproc);
  g_clear_pointer (&parts->layout, reel_tensordict_unref);
  g_clear_pointer (&parts->step, reel_tensordict_unref);
  g_clear_pointer (&priv->batch, reel_tensordict_unref);
  g_clear_pointer (&priv->whole, reel_whole_trajectories_free);
  if (priv->hooks.destroy)
    priv->hooks.destroy (priv->hooks.data);
  G_OBJECT_CLASS (reel_collector_parent_class)->finalize (object);
}

/* ---- properties ---- */

#define OFFSET(field) ((gsize) G_PRIVATE_OFFSET (ReelCollector, parts.field))

static void
add_sizes (ReelObjectClass *klass)
{
  reel_object_class_add_int64 (klass, "frames-per-batch", OFFSET (frames_per_batch), 1, G_MAXINT32,
                               1000, "rows",
                               "rows of a batch, rounded up to whole steps of all lanes", 0);
  reel_object_class_add_int64 (klass, "total-frames", OFFSET (total_frames), -G_MAXINT64 / 2,
                               G_MAXINT64 / 2, -1, "rows",
                               "rows to collect, rounded up likewise; below 0 for no end", 0);
  reel_object_class_add_int64 (klass, "threads", OFFSET (threads), 0, 1024, 0, NULL,
                               "threads that step the lanes; 0 for as many as the machine lends",
                               0);
  reel_object_class_add_bool (klass, "list-episodes", OFFSET (list_episodes), FALSE,
                              "list the episodes that end in each batch", 0);
}

static void
add_episodes (ReelObjectClass *klass)
{
  reel_object_class_add_int64 (
      klass, "max-frames-per-traj", OFFSET (max_frames_per_traj), -G_MAXINT64, G_MAXINT64, 0,
      "steps", "steps after which an episode is truncated; 0 or below for no limit", 0);
  reel_object_class_add_int64 (klass, "init-random-frames", OFFSET (init_random_frames),
                               -G_MAXINT64, G_MAXINT64, 0, "rows",
                               "rows before which batches have random actions", 0);
  reel_object_class_add_bool (klass, "reset-at-each-iter", OFFSET (reset_at_each_iter), FALSE,
                              "begin new episodes with each batch", 0);
  reel_object_class_add_bool (klass, "set-truncated", OFFSET (set_truncated), FALSE,
                              "mark the last step of each batch as truncated and done", 0);
  reel_object_class_add_bool (klass, "track-policy-version", OFFSET (track_policy_version), FALSE,
                              "store which version of the policy acted", 0);
  reel_object_class_add_bool (klass, "track-traj-ids", OFFSET (track_traj_ids), TRUE,
                              "number the trajectories", 0);
}

static void
add_numbers (ReelObjectClass *klass)
{
  reel_object_class_add_int64 (klass, "first-lane", OFFSET (numbers.first), 0, G_MAXINT64 / 2, 0,
                               "lanes", "number of the first lane among those of all-lanes", 0);
  reel_object_class_add_int64 (klass, "all-lanes", OFFSET (numbers.all), 0, G_MAXINT64 / 2, 0,
                               "lanes",
                               "lanes of a run that several collectors share, among whose "
                               "trajectories those here are numbered; 0 for a run of its own",
                               0);
}

static void
add_batches (ReelObjectClass *klass)
{
  reel_object_class_add_enum (klass, "exploration-type", OFFSET (exploration),
                              reel_collector_explorations, 0,
                              "how the policy chooses among actions", 0);
  reel_object_class_add_bool (klass, "split-trajs", OFFSET (split_trajs), FALSE,
                              "one row a trajectory in each batch, padded", 0);
  reel_object_class_add_object (klass, "postproc", OFFSET (postproc), REEL_TYPE_TRANSFORM,
                                "transform of each batch", 0);
  reel_object_class_add_bool (klass, "return-same-td", OFFSET (return_same_td), FALSE,
                              "hand out one tensordict for all batches, overwritten by each", 0);
  reel_object_class_add_bool (klass, "extend-buffer", OFFSET (extend_buffer), TRUE,
                              "extend the buffer by whole batches, not by steps", 0);
  reel_object_class_add_bool (klass, "resume", OFFSET (resume), FALSE,
                              "continue where the run that filled the buffer ended", 0);
}

static void
add_trajectories (ReelObjectClass *klass)
{
  static const char *const formats[] = { "none", "padded", "cat", NULL };

  reel_object_class_add_int64 (klass, "trajs-per-batch", OFFSET (trajs_per_batch), 0, G_MAXINT32, 0,
                               "trajectories",
                               "whole trajectories of a batch; 0 for batches of steps", 0);
  reel_object_class_add_int64 (klass, "trajs-per-write", OFFSET (trajs_per_write), 0, G_MAXINT32, 0,
                               "trajectories",
                               "whole trajectories that extend the buffer at once; 0 for one", 0);
  reel_object_class_add_enum (klass, "traj-format", OFFSET (traj_format), formats, 0,
                              "form of whole trajectories; none is padded", 0);
}

static gint64
count_step_lanes (ReelCollector *self, ReelEnv *env, GError **error)
{
  return reel_env_get_num_envs (env);
}

static void
reel_collector_class_init (ReelCollectorClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->kind = "collector";
  klass->count_step_lanes = count_step_lanes;
  add_sizes (object_class);
  add_episodes (object_class);
  add_numbers (object_class);
  add_batches (object_class);
  add_trajectories (object_class);
}

static void
reel_collector_init (ReelCollector *self)
{
}

/* ---- parts ---- */

/* count_steps: @env, or with a limit for its episodes. */
static ReelEnv *
count_steps (ReelEnv *env, gint64 most, GError **error)
{
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, most);
  g_autoptr (ReelTransform) counter = NULL;

  if (most <= 0)
    return g_object_ref (env);
  if (reel_spec_contains (reel_env_get_observation_spec (env), "step_count"))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "max-frames-per-traj counts at \"step_count\", which the environment "
                           "has already: give its step-counter max-steps");
      return NULL;
    }
  counter = reel_object_new_from_text (REEL_TYPE_TRANSFORM, "step-counter", error, "max-steps",
                                       limit, NULL);
  return counter ? reel_transformed_env_new (env, counter, error) : NULL;
}

/* make_random: the policy of random batches. Its stream is that of the policy, or of the env. */
static gboolean
make_random (ReelCollectorParts *parts, GError **error)
{
  GObject *const sources[] = { G_OBJECT (parts->policy), G_OBJECT (parts->env) };
  g_autofree char *text = NULL;
  gint64 seed = 0;

  if (parts->init_random_frames <= 0)
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    if (g_object_class_find_property (G_OBJECT_GET_CLASS (sources[i]), "seed"))
      {
        g_object_get (sources[i], "seed", &seed, NULL);
        break;
      }
  text = g_strdup_printf ("%" G_GINT64_FORMAT, seed);
  parts->random = reel_object_new_from_text (REEL_TYPE_POLICY, "random", error, "seed", text, NULL);
  if (parts->random && reel_env_bind_policy (parts->env, parts->random, error))
    return TRUE;
  g_prefix_error (error, "init-random-frames: ");
  return FALSE;
}

/* make_layout: that of env and policy, with what the collector adds and leaves out. */
static ReelTensordict *
make_layout (const ReelCollectorParts *parts, GError **error)
{
  g_autoptr (ReelTensordict) step = reel_collector_make_layout (parts->env, parts->policy, error);

  if (step && !parts->track_traj_ids && !reel_tensordict_remove (step, "collector", error))
    return NULL;
  if (step && parts->track_policy_version
      && !reel_ted_layout_add_versions (step, reel_env_get_num_envs (parts->env), error))
    return NULL;
  return g_steal_pointer (&step);
}

/* make_room: a buffer that lends takes the env's layout at the first collector that writes to it;
 * another takes that of what is stored. */
static gboolean
make_room (const ReelCollectorParts *parts, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (parts->buffer);
  g_autoptr (ReelTensordict) row = NULL;

  if (!reel_collector_check_storage (parts, error))
    return FALSE;
  if (!reel_collector_writes_in_place (parts) || reel_storage_get_data (storage))
    return TRUE;
  row = reel_tensordict_clone (parts->step, FALSE, error);
  if (row == NULL)
    return FALSE;
  if (reel_storage_get_ndim (storage) == 1 /* a row is a step of all lanes */
      && !reel_tensordict_set_batch_size (row, 0, NULL, error))
    return FALSE;
  return reel_storage_allocate (storage, row, error);
}

/* make_whole: where trajectories are put together. */
static gboolean
make_whole (ReelCollectorPrivate *priv, GError **error)
{
  const ReelCollectorParts *parts = &priv->parts;
  const char *key = reel_env_results_find_done (&reel_env_get_private (parts->env)->results);
  g_autofree char *path = key ? g_strconcat ("next/", key, NULL) : NULL;

  if (parts->trajs_per_batch == 0)
    return TRUE;
  if (path == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "trajs-per-batch needs a flag that says where episodes end, and %s has none",
                   reel_object_get_id (REEL_OBJECT (parts->env)));
      return FALSE;
    }
  priv->whole = reel_whole_trajectories_new (path);
  return TRUE;
}

static void
count (ReelCollectorPrivate *priv)
{
  const ReelCollectorParts *parts = &priv->parts;

  priv->n_lanes = parts->step_lanes;
  priv->batch_steps = reel_collector_steps_of (parts->frames_per_batch, priv->n_lanes);
  if (!parts->resume)
    return;
  priv->first_step = reel_replay_buffer_get_write_count (parts->buffer);
  if (priv->first_step % priv->batch_steps > 0)
    priv->steps_left = priv->batch_steps - priv->first_step % priv->batch_steps;
}

/* make_step: the layout, or that of its first lanes. */
static ReelTensordict *
make_step (const ReelCollectorParts *parts, GError **error)
{
  gint64 lanes = parts->step_lanes;

  if (lanes == reel_env_get_num_envs (parts->env))
    return reel_tensordict_ref (parts->layout);
  return lanes > 1 ? reel_tensordict_slice (parts->layout, 0, 0, lanes, 1, error)
                   : reel_tensordict_select_index (parts->layout, 0, 0, error);
}

/* take_run: what is stepped and by what, without a buffer. */
static gboolean
take_run (ReelCollector *self, ReelEnv *env, ReelPolicy *policy, GError **error)
{
  ReelCollectorParts *parts = &reel_collector_get_private (self)->parts;

  parts->policy = g_object_ref (policy);
  parts->env = reel_env_check_alike (env, error)
                   ? count_steps (env, parts->max_frames_per_traj, error)
                   : NULL;
  parts->layout = parts->env ? make_layout (parts, error) : NULL;
  if (parts->layout == NULL)
    return FALSE;
  parts->step_lanes = REEL_COLLECTOR_GET_CLASS (self)->count_step_lanes (self, parts->env, error);
  parts->step = parts->step_lanes > 0 ? make_step (parts, error) : NULL;
  return parts->step != NULL;
}

/* begin: the run, into @buffer if there is one. */
static gboolean
begin (ReelCollector *self, ReelReplayBuffer *buffer, GError **error)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (self);
  ReelCollectorParts *parts = &priv->parts;

  parts->buffer = buffer ? g_object_ref (buffer) : NULL;
  if (!reel_collector_check_properties (parts, error)
      || (parts->postproc && !reel_transform_set_parent (parts->postproc, G_OBJECT (self), error)))
    return FALSE;
  count (priv);
  return make_random (parts, error) && make_whole (priv, error)
         && (buffer == NULL || make_room (parts, error))
         && REEL_COLLECTOR_GET_CLASS (self)->open (self, error)
         && (buffer == NULL || reel_collector_changes_batches (parts)
             || (reel_collector_record_run (buffer, parts->env, parts->policy, error)
                 && reel_lane_numbers_record (&parts->numbers, buffer, error)));
}

static ReelCollector *
new_for (const char *text, ReelEnv *env, ReelPolicy *policy, GError **error)
{
  g_autoptr (ReelCollector) self =
      reel_object_new_from_text (REEL_TYPE_COLLECTOR, text, error, NULL);

  return self && take_run (self, env, policy, error) ? g_steal_pointer (&self) : NULL;
}

ReelCollector *
reel_collector_new (const char *text, ReelEnv *env, ReelPolicy *policy, ReelReplayBuffer *buffer,
                    GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (env), NULL);
  g_return_val_if_fail (REEL_IS_POLICY (policy), NULL);
  g_return_val_if_fail (buffer == NULL || REEL_IS_REPLAY_BUFFER (buffer), NULL);

  g_autoptr (ReelCollector) self = new_for (text, env, policy, error);

  return self && begin (self, buffer, error) ? g_steal_pointer (&self) : NULL;
}

ReelTensordict *
reel_collector_make_step (const char *text, ReelEnv *env, ReelPolicy *policy, GError **error)
{
  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (REEL_IS_ENV (env) && REEL_IS_POLICY (policy), NULL);

  g_autoptr (ReelCollector) collector = new_for (text, env, policy, error);

  return collector ? reel_tensordict_ref (reel_collector_get_private (collector)->parts.step)
                   : NULL;
}

ReelCollector *
reel_collector_new_live (const char *path, gint64 capacity, const char *text, const char *env,
                         const char *policy, ReelCheckpointFlags flags, GError **error)
{
  g_autoptr (ReelEnv) the_env = reel_object_new_from_text (REEL_TYPE_ENV, env, error, NULL);
  g_autoptr (ReelPolicy) the_policy =
      the_env ? reel_object_new_from_text (REEL_TYPE_POLICY, policy, error, NULL) : NULL;
  g_autoptr (ReelCollector) self = the_policy ? new_for (text, the_env, the_policy, error) : NULL;
  g_autoptr (ReelReplayBuffer) buffer =
      self ? reel_replay_buffer_create_live (
          path, capacity, reel_collector_get_private (self)->parts.step, flags, error)
           : NULL;

  return buffer && begin (self, buffer, error) ? g_steal_pointer (&self) : NULL;
}

ReelReplayBuffer *
reel_collector_get_buffer (ReelCollector *self)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), NULL);

  return reel_collector_get_private (self)->parts.buffer;
}

void
reel_collector_set_frames_per_batch (ReelCollector *self, gint64 frames)
{
  reel_collector_get_private (self)->parts.frames_per_batch = frames;
}

const ReelCollectorParts *
reel_collector_get_parts (ReelCollector *self)
{
  return &reel_collector_get_private (self)->parts;
}

/* ---- counts ---- */

gint64
reel_collector_count_batches (ReelCollector *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), -1);

  const ReelCollectorPrivate *priv = reel_collector_get_private (self);

  if (priv->parts.total_frames >= 0)
    return reel_collector_steps_of (
        reel_collector_steps_of (priv->parts.total_frames, priv->n_lanes), priv->batch_steps);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                       "an endless collector has no number of batches: set total-frames");
  return -1;
}

void
reel_collector_get_stats (ReelCollector *self, ReelCollectorStats *stats)
{
  g_return_if_fail (REEL_IS_COLLECTOR (self));

  const ReelCollectorPrivate *priv = reel_collector_get_private (self);
  gint64 total = priv->parts.total_frames;

  g_return_if_fail (!reel_collector_background_is_busy (priv->background));
  *stats = (ReelCollectorStats){
    .frames = priv->n_steps * priv->n_lanes,
    .batches = priv->n_batches,
    .return_min = INFINITY,
    .return_max = -INFINITY,
    .total_frames = total,
    .requested_frames_per_batch = priv->batch_steps * priv->n_lanes,
    .completed = total >= 0 && priv->n_steps * priv->n_lanes >= total,
  };
  REEL_COLLECTOR_GET_CLASS (self)->tally (self, stats);
}

const ReelCollectorEpisode *
reel_collector_get_episodes (ReelCollector *self, gsize *n)
{
  *n = 0;
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), NULL);

  const ReelCollectorPrivate *priv = reel_collector_get_private (self);

  g_return_val_if_fail (priv->parts.list_episodes, NULL);
  if (!priv->collected)
    return NULL;

  const GArray *episodes = REEL_COLLECTOR_GET_CLASS (self)->list_episodes (self);

  *n = episodes->len;
  return (const ReelCollectorEpisode *) episodes->data;
}

gboolean
reel_collector_update_policy_weights (ReelCollector *self, const ReelTensordict *weights,
                                      GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), FALSE);

  return reel_policy_update_weights (reel_collector_get_private (self)->parts.policy, weights,
                                     error);
}
