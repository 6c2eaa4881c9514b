#include "buffer-stream.h"

#include "samplers/consuming-sampler.h"

gboolean
reel_buffer_may_draw_ahead (ReelSampler *sampler, GError **error)
{
  if (!reel_consuming_sampler_get_freed (sampler))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "Prefetching is not supported with ConsumingSampler.");
  return FALSE;
}

void
reel_buffer_stream_clear (ReelBufferStream *stream)
{
  reel_prefetch_free (stream->prefetch);
  g_clear_error (&stream->failed);
  *stream = (ReelBufferStream){ .others = stream->others };
}

/* ---- queues of ensembles ---- */

void
reel_buffer_stream_add_queue (ReelBufferStream *stream, ReelPrefetch *queue)
{
  stream->others = g_slist_prepend (stream->others, queue);
}

void
reel_buffer_stream_remove_queue (ReelBufferStream *stream, ReelPrefetch *queue)
{
  stream->others = g_slist_remove (stream->others, queue);
}

void
reel_buffer_stream_flush (ReelBufferStream *stream)
{
  reel_prefetch_flush (stream->prefetch);
  for (GSList *other = stream->others; other; other = other->next)
    reel_prefetch_flush (other->data);
}
