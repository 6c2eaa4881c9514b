/* The base of collectors: parts, batches, counts and the flag to stop. */
#include "collector.h"

#include "collector-private.h"

#include <math.h>
#include <stdatomic.h>

typedef struct
{
  ReelCollectorParts parts;
  gint64 n_steps; /* collected so far, of all lanes */
  gint64 n_batches;
  gboolean collected; /* the last call did something */
  atomic_int stopped;
} ReelCollectorPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelCollector, reel_collector, REEL_TYPE_OBJECT)

static ReelCollectorPrivate *
get_private (ReelCollector *self)
{
  return reel_collector_get_instance_private (self);
}

static void
finalize (GObject *object)
{
  ReelCollectorParts *parts = &get_private (REEL_COLLECTOR (object))->parts;

  g_clear_object (&parts->env);
  g_clear_object (&parts->policy);
  g_clear_object (&parts->buffer);
  g_clear_pointer (&parts->layout, reel_tensordict_unref);
  G_OBJECT_CLASS (reel_collector_parent_class)->finalize (object);
}

static void
reel_collector_class_init (ReelCollectorClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->kind = "collector";
  reel_object_class_add_int64 (
      object_class, "frames-per-batch", G_PRIVATE_OFFSET (ReelCollector, parts.frames_per_batch), 1,
      G_MAXINT32, 1000, "rows", "rows of a batch, rounded up to whole steps of all lanes",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      object_class, "total-frames", G_PRIVATE_OFFSET (ReelCollector, parts.total_frames), -1,
      G_MAXINT64 / 2, -1, "rows", "rows to collect, rounded up likewise; -1 for no end",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "threads",
                               G_PRIVATE_OFFSET (ReelCollector, parts.threads), 0, 1024, 0, NULL,
                               "threads that step the lanes; 0 for as many as the machine lends",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (
      object_class, "list-episodes", G_PRIVATE_OFFSET (ReelCollector, parts.list_episodes), FALSE,
      "list the episodes that end in each batch", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (
      object_class, "resume", G_PRIVATE_OFFSET (ReelCollector, parts.resume), FALSE,
      "continue where the run that filled the buffer ended", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_collector_init (ReelCollector *self)
{
}

/* make_room: a buffer that lends takes the env's layout at the first collector that writes to it;
 * another takes that of what is stored. */
static gboolean
make_room (const ReelCollectorParts *parts, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (parts->buffer);
  gint ndim = reel_env_get_num_envs (parts->env) > 1 ? 2 : 1;

  if (reel_storage_get_ndim (storage) != ndim)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the buffer's storage has ndim=%d, but %s of %" G_GINT64_FORMAT
                   " lanes needs ndim=%d",
                   reel_storage_get_ndim (storage), reel_object_get_id (REEL_OBJECT (parts->env)),
                   reel_env_get_num_envs (parts->env), ndim);
      return FALSE;
    }
  return !reel_replay_buffer_can_reserve (parts->buffer) || reel_storage_get_data (storage)
         || reel_storage_allocate (storage, parts->layout, error);
}

static gboolean
check_resumable (const ReelCollectorParts *parts, GError **error)
{
  if (!parts->resume || (parts->buffer && reel_replay_buffer_can_reserve (parts->buffer)))
    return TRUE;
  g_set_error_literal (
      error, REEL_ERROR, REEL_ERROR_VALUE,
      "resume=true needs a buffer with a storage that a collector writes in place");
  return FALSE;
}

static gboolean
put_together (ReelCollector *self, ReelEnv *env, ReelPolicy *policy, ReelReplayBuffer *buffer,
              GError **error)
{
  ReelCollectorParts *parts = &get_private (self)->parts;

  parts->env = g_object_ref (env);
  parts->policy = g_object_ref (policy);
  parts->buffer = buffer ? g_object_ref (buffer) : NULL;
  parts->layout = reel_collector_make_layout (env, policy, error);
  return parts->layout && check_resumable (parts, error)
         && (buffer == NULL || make_room (parts, error))
         && REEL_COLLECTOR_GET_CLASS (self)->open (self, error)
         && (buffer == NULL || reel_collector_record_run (buffer, env, policy, error));
}

ReelCollector *
reel_collector_new (const char *text, ReelEnv *env, ReelPolicy *policy, ReelReplayBuffer *buffer,
                    GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (env), NULL);
  g_return_val_if_fail (REEL_IS_POLICY (policy), NULL);
  g_return_val_if_fail (buffer == NULL || REEL_IS_REPLAY_BUFFER (buffer), NULL);

  g_autoptr (ReelCollector) self =
      reel_object_new_from_text (REEL_TYPE_COLLECTOR, text, error, NULL);

  if (self == NULL || !put_together (self, env, policy, buffer, error))
    return NULL;
  return g_steal_pointer (&self);
}

static gint64
steps_of (gint64 rows, gint64 lanes)
{
  return rows / lanes + (rows % lanes > 0);
}

static ReelReplayBuffer *
create_live (const char *path, gint64 capacity, ReelEnv *env, ReelPolicy *policy,
             ReelCheckpointFlags flags, GError **error)
{
  g_autoptr (ReelTensordict) step = reel_collector_make_layout (env, policy, error);

  return step ? reel_replay_buffer_create_live (path, capacity, step, flags, error) : NULL;
}

ReelCollector *
reel_collector_new_live (const char *path, gint64 capacity, const char *text, const char *env,
                         const char *policy, ReelCheckpointFlags flags, GError **error)
{
  g_autoptr (ReelEnv) the_env = reel_object_new_from_text (REEL_TYPE_ENV, env, error, NULL);
  g_autoptr (ReelPolicy) the_policy =
      the_env ? reel_object_new_from_text (REEL_TYPE_POLICY, policy, error, NULL) : NULL;
  g_autoptr (ReelReplayBuffer) buffer =
      the_policy ? create_live (path, capacity, the_env, the_policy, flags, error) : NULL;

  return buffer ? reel_collector_new (text, the_env, the_policy, buffer, error) : NULL;
}

ReelReplayBuffer *
reel_collector_get_buffer (ReelCollector *self)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), NULL);

  return get_private (self)->parts.buffer;
}

gint64
reel_collector_next (ReelCollector *self, ReelTensordict **batch, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), -1);

  ReelCollectorPrivate *priv = get_private (self);
  gint64 lanes = reel_env_get_num_envs (priv->parts.env);
  gint64 n_steps = steps_of (priv->parts.frames_per_batch, lanes);
  gint64 n_collected = 0;
  gboolean done = TRUE;

  if (batch)
    *batch = NULL;
  if (priv->parts.total_frames >= 0)
    n_steps = MIN (n_steps, steps_of (priv->parts.total_frames, lanes) - priv->n_steps);
  priv->collected = n_steps > 0 && !reel_collector_is_stopped (self);
  if (priv->collected)
    done = REEL_COLLECTOR_GET_CLASS (self)->collect (self, n_steps, &n_collected, batch, error);
  priv->n_steps += n_collected;
  priv->n_batches += done && n_collected > 0;
  return done ? n_collected * lanes : -1;
}

void
reel_collector_stop (ReelCollector *self)
{
  /* No check of the type: it takes locks that a signal's handler may not. */
  atomic_store_explicit (&get_private (self)->stopped, TRUE, memory_order_relaxed);
}

gboolean
reel_collector_is_stopped (ReelCollector *self)
{
  return atomic_load_explicit (&get_private (self)->stopped, memory_order_relaxed);
}

void
reel_collector_get_stats (ReelCollector *self, ReelCollectorStats *stats)
{
  g_return_if_fail (REEL_IS_COLLECTOR (self));

  ReelCollectorPrivate *priv = get_private (self);

  *stats = (ReelCollectorStats){
    .frames = priv->n_steps * reel_env_get_num_envs (priv->parts.env),
    .batches = priv->n_batches,
    .return_min = INFINITY,
    .return_max = -INFINITY,
  };
  REEL_COLLECTOR_GET_CLASS (self)->tally (self, stats);
}

const ReelCollectorEpisode *
reel_collector_get_episodes (ReelCollector *self, gsize *n)
{
  *n = 0;
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), NULL);
  g_return_val_if_fail (get_private (self)->parts.list_episodes, NULL);

  if (!get_private (self)->collected)
    return NULL;

  const GArray *episodes = REEL_COLLECTOR_GET_CLASS (self)->list_episodes (self);

  *n = episodes->len;
  return (const ReelCollectorEpisode *) episodes->data;
}

const ReelCollectorParts *
reel_collector_get_parts (ReelCollector *self)
{
  return &get_private (self)->parts;
}
