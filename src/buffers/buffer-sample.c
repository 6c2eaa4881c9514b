/* Drawing batches from a buffer. */
#include "buffer-transform.h"
#include "sampler-private.h"
#include "storage-private.h"

#define MOST_TRIES 1000 /* of a batch that the writer overwrites again and again */

gboolean
reel_replay_buffer_sample_with (ReelReplayBuffer *self, ReelSampler *sampler, gint64 batch_size,
                                ReelTensordict **batch, GError **error)
{
  gint64 n = batch_size > 0 ? batch_size : reel_replay_buffer_get_batch_size (self);
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  ReelSampling *sampling = reel_sampler_get_sampling (sampler);
  ReelTensordict **rows;
  gboolean whole;

  if (n <= 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "batch_size not specified. You can specify the batch_size when "
                           "constructing the replay buffer, or pass it to the sample method.");
      return FALSE;
    }
  if (!reel_sampling_draw (sampling, storage, sampler, n, error))
    return FALSE;
  rows = reel_buffer_choose_batch (self, sampling, batch);
  for (gint tries = 0; tries < MOST_TRIES; tries++)
    {
      if (!reel_sampling_copy (sampling, storage, rows, &whole, error))
        return FALSE;
      if (whole)
        return reel_buffer_transform_batch (self, sampling, sampler, batch, error);
      if (!reel_sampling_redraw (sampling, storage, sampler, error))
        return FALSE;
    }
  return reel_storage_set_overrun_error (storage, error);
}

gboolean
reel_replay_buffer_sample (ReelReplayBuffer *self, gint64 batch_size, ReelTensordict **batch,
                           GError **error)
{
  return reel_replay_buffer_sample_with (self, reel_replay_buffer_get_sampler (self), batch_size,
                                         batch, error);
}
