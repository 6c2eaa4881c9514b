/* Drawing batches from a buffer: one by one, ahead of their use, pass by pass. */
#include "buffer-sample.h"
#include "buffer-transform.h"
#include "samplers/consuming-sampler.h"
#include "samplers/sampler-private.h"

static gboolean
check_size (gint64 n, GError **error)
{
  if (n > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "batch_size not specified. You can specify the batch_size when "
                       "constructing the replay buffer, or pass it to the sample method.");
  return FALSE;
}

static gboolean
sample_now (ReelReplayBuffer *self, ReelSampler *sampler, gint64 n, ReelTensordict **batch,
            GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  ReelSampling *sampling = reel_sampling_of (sampler);
  ReelTensordict **rows;
  gboolean whole;

  if (!check_size (n, error)
      || !reel_sampling_draw (sampling, storage, sampler, reel_buffer_count_demand (self, n),
                              error))
    return FALSE;
  rows = reel_buffer_choose_batch (self, sampling, batch);
  if (!reel_sampling_copy (sampling, storage, rows, &whole, error)
      || (!whole && !reel_sampling_repair (sampling, storage, sampler, rows, error)))
    return FALSE;
  reel_sampler_delivered (sampler, &sampling->draw);
  return reel_buffer_transform_batch (self, sampling, batch, error);
}

gboolean
reel_replay_buffer_sample_with (ReelReplayBuffer *self, ReelSampler *sampler, gint64 batch_size,
                                ReelTensordict **batch, GError **error)
{
  gint64 n = batch_size > 0 ? batch_size : reel_replay_buffer_get_batch_size (self);
  ReelSampling *sampling = reel_sampling_of (sampler);

  sampling->giver = NULL;
  sampling->told = sample_now (self, sampler, n, batch, error);
  return sampling->told;
}

/* ---- ahead of their use ---- */

/* A caller that keeps a transformed batch keeps its rows; one that returns it returns them as long
 * as there are transforms: else it is filled itself. */
static void
release (ReelReplayBuffer *self, ReelSampling *last, const ReelTensordict *back)
{
  if (last && last->given && (back != last->given || !reel_buffer_changes_batches (self)))
    {
      g_clear_pointer (&last->raw, reel_tensordict_unref);
      g_clear_pointer (&last->given, reel_tensordict_unref);
    }
}

void
reel_buffer_forget_batch (ReelReplayBuffer *self)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);

  release (self, g_steal_pointer (&stream->last), NULL);
  reel_sampling_of (reel_replay_buffer_get_sampler (self))->giver = NULL;
}

static gboolean
draw_ahead (ReelReplayBuffer *self, ReelBufferStream *stream, gint64 n, GError **error)
{
  ReelSampler *sampler = reel_replay_buffer_get_sampler (self);

  n = reel_buffer_count_demand (self, n);
  if (!reel_prefetch_draw (stream->prefetch, reel_replay_buffer_get_storage (self), sampler, NULL,
                           &n, error))
    return FALSE;
  stream->drawn_end = reel_sampler_get_ran_out (sampler);
  reel_prefetch_push (stream->prefetch, stream->drawn_end);
  return TRUE;
}

/* The next pass begins when the batches of this one are taken. */
static void
refill (ReelReplayBuffer *self, ReelBufferStream *stream, gint64 n)
{
  ReelPrefetch *prefetch = stream->prefetch;

  while (!stream->drawn_end && !stream->failed
         && reel_prefetch_count (prefetch) < reel_prefetch_get_depth (prefetch))
    draw_ahead (self, stream, n, &stream->failed);
}

/* The batch that comes back is filled again. Transforms are made here, in the order of the batches.
 */
static gboolean
hand_over (ReelReplayBuffer *self, ReelSampling *sampling, ReelTensordict **batch, GError **error)
{
  ReelTensordict *back = *batch;

  if (reel_buffer_changes_batches (self))
    return reel_buffer_transform_batch (self, sampling, batch, error);
  *batch = sampling->raw;
  sampling->raw = back;
  return TRUE;
}

/* The oldest batch that is ready; where there is none, one that is drawn now. */
static gboolean
has_next (ReelReplayBuffer *self, ReelBufferStream *stream, gint64 n, GError **error)
{
  if (reel_prefetch_count (stream->prefetch) > 0)
    return TRUE;
  if (!stream->failed)
    return draw_ahead (self, stream, n, error);
  g_propagate_error (error, g_steal_pointer (&stream->failed));
  return FALSE;
}

static ReelSampling *
take_next (ReelReplayBuffer *self, gint64 n, ReelTensordict **batch, GError **error)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);
  ReelSampling *sampling =
      check_size (n, error) && has_next (self, stream, n, error)
              && reel_prefetch_take (stream->prefetch, &stream->taken_end, error)
          ? reel_prefetch_get (stream->prefetch, 0, error)
          : NULL;

  return sampling && hand_over (self, sampling, batch, error) ? sampling : NULL;
}

/* Rows that are kept are let go before more are drawn, for they may come in the place of these. A
 * caller that gets no batch keeps the last one. */
static gboolean
sample_ahead (ReelReplayBuffer *self, gint64 n, ReelTensordict **batch, GError **error)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);
  ReelSampling *last = g_steal_pointer (&stream->last);

  release (self, last, *batch);
  stream->last = take_next (self, n, batch, error);
  if (!stream->last)
    {
      release (self, last, NULL);
      return FALSE;
    }
  refill (self, stream, n);
  return TRUE;
}

gboolean
reel_replay_buffer_sample (ReelReplayBuffer *self, gint64 batch_size, ReelTensordict **batch,
                           GError **error)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);
  ReelSampler *sampler = reel_replay_buffer_get_sampler (self);

  if (stream->prefetch)
    return sample_ahead (
        self, batch_size > 0 ? batch_size : reel_replay_buffer_get_batch_size (self), batch, error);
  if (!reel_replay_buffer_sample_with (self, sampler, batch_size, batch, error))
    return FALSE;
  reel_sampling_of (sampler)->giver = self;
  stream->taken_end = reel_sampler_get_ran_out (sampler);
  return TRUE;
}

gboolean
reel_replay_buffer_set_prefetch (ReelReplayBuffer *self, gint64 n, GError **error)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);
  ReelPrefetch *prefetch = NULL;

  g_return_val_if_fail (n >= 0, FALSE);
  if (n > 0
      && (!reel_buffer_may_draw_ahead (reel_replay_buffer_get_sampler (self), error)
          || !(prefetch =
                   reel_prefetch_new (n, reel_replay_buffer_get_batch_size (self), 1, error))))
    return FALSE;
  reel_buffer_forget_batch (self);
  reel_buffer_stream_clear (stream);
  stream->prefetch = prefetch;
  return TRUE;
}

gint64
reel_replay_buffer_get_prefetch (ReelReplayBuffer *self)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);

  return stream->prefetch ? reel_prefetch_get_depth (stream->prefetch) : 0;
}

/* ---- pass by pass ---- */

gboolean
reel_replay_buffer_next (ReelReplayBuffer *self, ReelTensordict **batch, GError **error)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);

  if (reel_replay_buffer_get_batch_size (self) == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot iterate over the replay buffer. Batch_size was not specified "
                           "during construction of the replay buffer.");
      return FALSE;
    }
  if (stream->passing && stream->taken_end)
    {
      stream->passing = FALSE;
      return FALSE;
    }
  stream->passing = reel_replay_buffer_sample (self, 0, batch, error);
  return stream->passing;
}
