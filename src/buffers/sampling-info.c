/* Info of the rows of a batch, beside the batch: for batches that have no place for it. */
#include "sampling.h"

#include "replay-buffer-private.h"
#include "samplers/sampler-private.h"

#include <string.h>

static gboolean
add_index (ReelTensordict *info, const ReelSampling *self, GError **error)
{
  gint ndim = self->shape.ndim;
  const gint64 shape[] = { self->draw.n, ndim };
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 1 + (ndim > 1), shape, error);
  gint64 *slots;

  if (!index)
    return FALSE;
  slots = (gint64 *) index->data;
  for (gint64 i = 0; i < self->draw.n; i++)
    slots[i] = self->draw.rows[i] % self->look.view.capacity;
  reel_index_shape_split (&self->shape, slots, self->draw.n);
  return reel_tensordict_set_tensor (info, "index", index, error);
}

static gboolean
add_column (ReelTensordict *info, const ReelSampling *self, guint i, GError **error)
{
  const ReelInfoColumn *column = &self->columns[i];
  const gint64 shape[] = { self->draw.n, column->ndim > 0 ? column->shape[0] : 0 };
  g_autoptr (ReelTensor) values = reel_tensor_new (column->dtype, 1 + column->ndim, shape, error);

  if (!values)
    return FALSE;
  memcpy (values->data, self->info[i], reel_tensor_nbytes (values));
  return reel_tensordict_set_tensor (info, column->path, values, error);
}

ReelTensordict *
reel_sampling_dup_info (const ReelSampling *self, GError **error)
{
  g_autoptr (ReelTensordict) info = NULL;

  if (!self->told)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "nothing is known of the rows of a batch: none was sampled, or the last "
                           "one came from a state");
      return NULL;
    }
  info = reel_tensordict_new (1, &self->draw.n);
  if (!add_index (info, self, error))
    return NULL;
  for (guint i = 0; i < self->n_info; i++)
    if (!add_column (info, self, i, error))
      return NULL;
  return g_steal_pointer (&info);
}

ReelTensordict *
reel_replay_buffer_dup_batch_info (ReelReplayBuffer *self, GError **error)
{
  static const ReelSampling none;
  const ReelBufferStream *stream = reel_replay_buffer_get_stream (self);
  const ReelSampling *own = reel_sampling_of (reel_replay_buffer_get_sampler (self));

  if (stream->prefetch)
    own = stream->last;
  else if (own->giver != self)
    own = NULL;
  return reel_sampling_dup_info (own ? own : &none, error);
}
