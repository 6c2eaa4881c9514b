#include "ensemble-members.h"
#include "ensemble-private.h"

#include <math.h>

G_DEFINE_FINAL_TYPE (ReelReplayBufferEnsemble, reel_replay_buffer_ensemble, G_TYPE_OBJECT)

static void
finalize (GObject *object)
{
  ReelReplayBufferEnsemble *self = REEL_REPLAY_BUFFER_ENSEMBLE (object);

  reel_ensemble_stop (self);
  reel_ensemble_batch_free (self->batch);
  g_free (self->weights);
  g_free (self->p);
  reel_transform_set_parent (REEL_TRANSFORM (self->transform), NULL, NULL);
  g_object_unref (self->transform);
  g_ptr_array_unref (self->members);
  G_OBJECT_CLASS (reel_replay_buffer_ensemble_parent_class)->finalize (object);
}

static void
reel_replay_buffer_ensemble_class_init (ReelReplayBufferEnsembleClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_replay_buffer_ensemble_init (ReelReplayBufferEnsemble *self)
{
  self->members = g_ptr_array_new_with_free_func (g_object_unref);
  self->transform = reel_compose_new ();
  reel_transform_set_parent (REEL_TRANSFORM (self->transform), G_OBJECT (self), NULL);
}

/* ---- making ---- */

static gboolean
take_weights (ReelReplayBufferEnsemble *self, const double *p, gboolean sampleable, GError **error)
{
  guint n = self->members->len;
  g_autofree double *shares = p ? g_new (double, n) : NULL;
  double sum = 0;

  if ((p || sampleable) && self->sample_from_all)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot pass both `p` argument and `sample_from_all=True`.");
      return FALSE;
    }
  if (p && sampleable)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "given weights and weights by rows that can be sampled exclude each "
                           "other: leave out p or sampleable");
      return FALSE;
    }
  for (guint i = 0; p && i < n; i++)
    {
      sum += p[i];
      if (isfinite (sum) && p[i] >= 0)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the weight of buffer %u is %g: weights are finite and not negative", i, p[i]);
      return FALSE;
    }
  if (p && sum <= 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "no buffer has a weight above 0, so none could be sampled");
      return FALSE;
    }
  for (guint i = 0; p && i < n; i++)
    shares[i] = p[i] / sum;
  g_free (self->p);
  self->p = g_steal_pointer (&shares);
  self->sampleable = sampleable;
  return TRUE;
}

ReelReplayBufferEnsemble *
reel_replay_buffer_ensemble_new_mixed (GObject *const *members, guint n,
                                       const ReelEnsembleOptions *options, GError **error)
{
  static const ReelEnsembleOptions none = { 0 };
  g_autoptr (ReelReplayBufferEnsemble) self = NULL;

  g_return_val_if_fail (n > 0, NULL);
  if (!options)
    options = &none;
  g_return_val_if_fail (options->num_buffer_sampled >= 0 && options->batch_size >= 0, NULL);
  self = g_object_new (REEL_TYPE_REPLAY_BUFFER_ENSEMBLE, NULL);
  for (guint i = 0; i < n; i++)
    {
      g_return_val_if_fail (
          REEL_IS_REPLAY_BUFFER (members[i]) || REEL_IS_REPLAY_BUFFER_ENSEMBLE (members[i]), NULL);
      g_ptr_array_add (self->members, g_object_ref (members[i]));
    }
  self->weights = g_new0 (double, n);
  self->sample_from_all = options->sample_from_all;
  self->asked_parts = options->sample_from_all ? 0 : options->num_buffer_sampled;
  self->n_parts = self->asked_parts > 0 ? self->asked_parts : (gint64) n;
  self->batch_size = options->batch_size;
  self->seed = options->seed;
  self->batch = reel_ensemble_batch_new (self->n_parts);
  if (!take_weights (self, options->p, options->sampleable, error))
    return NULL;
  if (options->transform && !reel_compose_append (self->transform, options->transform, error))
    return NULL;
  return g_steal_pointer (&self);
}

ReelReplayBufferEnsemble *
reel_replay_buffer_ensemble_new (ReelReplayBuffer *const *buffers, guint n,
                                 const ReelEnsembleOptions *options, GError **error)
{
  g_autofree GObject **members = g_new (GObject *, n);

  for (guint i = 0; i < n; i++)
    members[i] = G_OBJECT (buffers[i]);
  return reel_replay_buffer_ensemble_new_mixed (members, n, options, error);
}

void
reel_replay_buffer_ensemble_get_options (ReelReplayBufferEnsemble *self,
                                         ReelEnsembleOptions *options)
{
  *options = (ReelEnsembleOptions){
    .p = self->p,
    .sampleable = self->sampleable,
    .sample_from_all = self->sample_from_all,
    .num_buffer_sampled = self->asked_parts,
    .batch_size = self->batch_size,
    .seed = self->seed,
    .transform = REEL_TRANSFORM (self->transform),
  };
}

gboolean
reel_replay_buffer_ensemble_set_weights (ReelReplayBufferEnsemble *self, const double *p,
                                         gboolean sampleable, GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self), FALSE);
  return take_weights (self, p, sampleable, error);
}

void
reel_replay_buffer_ensemble_set_batch_size (ReelReplayBufferEnsemble *self, gint64 batch_size)
{
  g_return_if_fail (batch_size >= 0);
  self->batch_size = batch_size;
}

void
reel_replay_buffer_ensemble_get_stats (ReelReplayBufferEnsemble *self, ReelReplayBufferStats *stats)
{
  *stats = (ReelReplayBufferStats){ .initialized = TRUE };
  for (guint i = 0; i < self->members->len; i++)
    {
      ReelReplayBufferStats own;

      reel_ensemble_member_get_stats (self->members->pdata[i], &own);
      stats->size += own.size;
      stats->capacity += own.capacity;
      stats->write_count += own.write_count;
      stats->n_prefetched += own.n_prefetched;
      stats->initialized = stats->initialized && own.initialized;
    }
  if (self->ahead.queue)
    stats->n_prefetched += reel_prefetch_count (self->ahead.queue);
  stats->utilization = (double) stats->size / (double) stats->capacity;
}

/* ---- its buffers ---- */

gint64
reel_replay_buffer_ensemble_get_length (ReelReplayBufferEnsemble *self)
{
  return self->members->len;
}

gint64
reel_ensemble_find (ReelReplayBufferEnsemble *self, gint64 i, GError **error)
{
  gint64 n = self->members->len, place = i < 0 ? i + n : i;

  if (place >= 0 && place < n)
    return place;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "there is no buffer %" G_GINT64_FORMAT ": the ensemble has %" G_GINT64_FORMAT, i, n);
  return -1;
}

gpointer
reel_replay_buffer_ensemble_get (ReelReplayBufferEnsemble *self, gint64 i, GError **error)
{
  gint64 place = reel_ensemble_find (self, i, error);

  return place < 0 ? NULL : g_ptr_array_index (self->members, place);
}
