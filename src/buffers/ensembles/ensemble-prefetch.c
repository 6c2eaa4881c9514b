/* Batches of an ensemble that are drawn ahead: all draws of a batch are one in the queue. */
#include "../replay-buffer-private.h"
#include "../buffer-transform.h"
#include "ensemble-private.h"

#include "../../core/tensordict/shape.h"

static ReelEnsembleBatch *
get_record (ReelReplayBufferEnsemble *self, gint64 number)
{
  return self->ahead.records[number % (reel_prefetch_get_depth (self->ahead.queue) + 1)];
}

/* ---- drawing ---- */

/* Where fewer rows than wanted are drawn, at the end of a pass, the rest comes from the next. */
static gboolean
draw_part (ReelReplayBufferEnsemble *self, ReelPrefetch *queue, ReelEnsembleBatch *batch, gint64 i,
           GError **error)
{
  ReelReplayBuffer *buffer = self->members->pdata[batch->ids[i]];
  gint64 rows = reel_buffer_count_demand (buffer, batch->rows), left = rows;

  for (batch->n_draws[i] = 0; left == rows || (left > 0 && !self->sample_from_all);
       batch->n_draws[i]++)
    {
      gint64 n = left;

      if (!reel_prefetch_draw (
              queue, reel_replay_buffer_get_storage (buffer),
              reel_replay_buffer_get_sampler (buffer),
              left < rows || reel_buffer_changes_batches (buffer) ? NULL : batch->parts[i], &n,
              error))
        return FALSE;
      left -= n;
    }
  return TRUE;
}

static gboolean
draw_batch (ReelReplayBufferEnsemble *self, ReelPrefetch *queue, ReelEnsembleBatch *batch, gint64 n,
            GError **error)
{
  if (!reel_ensemble_choose (self, n, batch, error))
    return FALSE;
  for (gint64 i = 0; i < batch->n_parts; i++)
    {
      GObject *member = self->members->pdata[batch->ids[i]];

      g_clear_pointer (&batch->inner[i], reel_ensemble_batch_free);
      if (REEL_IS_REPLAY_BUFFER (member))
        {
          if (!draw_part (self, queue, batch, i, error))
            return FALSE;
          continue;
        }
      batch->inner[i] = reel_ensemble_batch_new (REEL_REPLAY_BUFFER_ENSEMBLE (member)->n_parts);
      if (!draw_batch (REEL_REPLAY_BUFFER_ENSEMBLE (member), queue, batch->inner[i], batch->rows,
                       error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
draw_ahead (ReelReplayBufferEnsemble *self, gint64 n, GError **error)
{
  ReelEnsembleAhead *ahead = &self->ahead;

  if (!draw_batch (self, ahead->queue, get_record (self, ahead->n_drawn), n, error))
    return FALSE;
  reel_prefetch_push (ahead->queue, FALSE);
  ahead->n_drawn++;
  return TRUE;
}

/* ---- giving out ---- */

/* The rows of one draw, which nobody fills again but through the batch that they come into. */
static ReelTensordict *
take_rows (ReelReplayBuffer *buffer, ReelSampling *sampling, GError **error)
{
  g_autoptr (ReelTensordict) rows = NULL;

  if (reel_buffer_changes_batches (buffer))
    reel_buffer_transform_batch (buffer, sampling, &rows, error);
  else
    rows = reel_tensordict_ref (sampling->raw);
  g_clear_pointer (&sampling->raw, reel_tensordict_unref);
  g_clear_pointer (&sampling->given, reel_tensordict_unref);
  return g_steal_pointer (&rows);
}

static gint64
count_rows (const ReelTensordict *td)
{
  gint ndim;

  return reel_tensordict_get_batch_size (td, &ndim)[0];
}

/* A draw that was repeated, because the writer reached its rows, may be larger or smaller than it
 * was: what is too much is left out, what is missing is drawn now. */
static ReelTensordict *
take_part (ReelReplayBufferEnsemble *self, ReelPrefetch *queue, ReelEnsembleBatch *batch, gint64 i,
           guint *next, GError **error)
{
  gpointer member = self->members->pdata[batch->ids[i]];
  g_autoptr (ReelTensordict) part = NULL;

  batch->n_notes[i] = 0;
  for (guint k = 0; k < batch->n_draws[i]; k++, (*next)++)
    {
      g_autoptr (ReelTensordict) first = g_steal_pointer (&part);
      g_autoptr (ReelTensordict) more = NULL;
      ReelSampling *sampling;

      if (first && count_rows (first) >= batch->rows)
        {
          part = g_steal_pointer (&first);
          continue;
        }
      sampling = reel_prefetch_get (queue, *next, error);
      if (!sampling || !reel_ensemble_note_draw (batch, i, sampling, error)
          || !(more = take_rows (member, sampling, error)))
        return NULL;
      part = first ? reel_tensordict_cat ((ReelTensordict *[]){ first, more }, 2, 0, error)
                   : g_steal_pointer (&more);
      if (!part)
        return NULL;
    }
  return reel_ensemble_complete_part (self, batch, i, &part, error) ? g_steal_pointer (&part)
                                                                    : NULL;
}

static ReelTensordict *
take_batch (ReelReplayBufferEnsemble *self, ReelPrefetch *queue, ReelEnsembleBatch *batch,
            guint *next, GError **error)
{
  for (gint64 i = 0; i < batch->n_parts; i++)
    {
      gpointer member = self->members->pdata[batch->ids[i]];
      ReelEnsembleBatch *inner = batch->inner[i];
      ReelTensordict *part = inner ? take_batch (member, queue, inner, next, error)
                                   : take_part (self, queue, batch, i, next, error);

      if (!part)
        return NULL;
      if (inner)
        batch->n_notes[i] = 0;
      reel_ensemble_batch_put (batch, i, part);
    }
  return reel_ensemble_finish (self, batch, error);
}

static void
refill (ReelReplayBufferEnsemble *self, gint64 n)
{
  ReelEnsembleAhead *ahead = &self->ahead;

  while (!ahead->failed
         && reel_prefetch_count (ahead->queue) < reel_prefetch_get_depth (ahead->queue))
    draw_ahead (self, n, &ahead->failed);
}

/* The oldest batch that is ready; where there is none, one that is drawn now. */
static gboolean
has_next (ReelReplayBufferEnsemble *self, gint64 n, GError **error)
{
  ReelEnsembleAhead *ahead = &self->ahead;

  if (reel_prefetch_count (ahead->queue) > 0)
    return TRUE;
  if (!ahead->failed)
    return draw_ahead (self, n, error);
  g_propagate_error (error, g_steal_pointer (&ahead->failed));
  return FALSE;
}

static ReelTensordict *
take_next (ReelReplayBufferEnsemble *self, gint64 n, ReelEnsembleBatch **record, GError **error)
{
  ReelEnsembleAhead *ahead = &self->ahead;
  ReelTensordict *result;
  gboolean ended;
  guint next = 0;

  if (!has_next (self, n, error) || !reel_prefetch_take (ahead->queue, &ended, error))
    return NULL;
  *record = get_record (self, ahead->n_taken++);
  result = take_batch (self, ahead->queue, *record, &next, error);
  (*record)->told = result != NULL;
  if (!result)
    reel_ensemble_batch_forget (*record);
  return result;
}

/* A caller that keeps a batch keeps its memory, also where it gets no other. Batches drawn ahead
 * may have been dropped, so that the next one is put together where the last one was. */
gboolean
reel_ensemble_sample_ahead (ReelReplayBufferEnsemble *self, gint64 n, ReelTensordict **batch,
                            GError **error)
{
  ReelEnsembleBatch *last = g_steal_pointer (&self->ahead.last), *record;
  ReelTensordict *result;

  if (last && *batch != last->given)
    reel_ensemble_batch_forget (last);
  result = take_next (self, n, &record, error);
  if (!result)
    {
      if (last)
        reel_ensemble_batch_forget (last);
      return FALSE;
    }
  reel_ensemble_batch_give (record, result, batch);
  self->ahead.last = record;
  refill (self, n);
  return TRUE;
}

/* ---- whose batches they are ---- */

/* Calls @visit for each buffer, of members that are ensembles too. */
static void
visit_buffers (ReelReplayBufferEnsemble *self, void (*visit) (ReelReplayBuffer *, gpointer),
               gpointer data)
{
  for (guint i = 0; i < self->members->len; i++)
    if (REEL_IS_REPLAY_BUFFER (self->members->pdata[i]))
      visit (self->members->pdata[i], data);
    else
      visit_buffers (self->members->pdata[i], visit, data);
}

static void
check_sampler (ReelReplayBuffer *buffer, gpointer data)
{
  GError **refused = data;

  if (!*refused)
    reel_buffer_may_draw_ahead (reel_replay_buffer_get_sampler (buffer), refused);
}

static void
count_buffer (ReelReplayBuffer *buffer, gpointer data)
{
  ++*(guint *) data;
}

static void
add_queue (ReelReplayBuffer *buffer, gpointer queue)
{
  reel_buffer_stream_add_queue (reel_replay_buffer_get_stream (buffer), queue);
}

static void
remove_queue (ReelReplayBuffer *buffer, gpointer queue)
{
  reel_buffer_stream_remove_queue (reel_replay_buffer_get_stream (buffer), queue);
}

void
reel_ensemble_forget_ahead (ReelReplayBufferEnsemble *self)
{
  ReelEnsembleAhead *ahead = &self->ahead;

  self->batch->told = FALSE;
  if (ahead->last)
    ahead->last->told = FALSE;
  if (ahead->queue)
    reel_prefetch_clear (ahead->queue);
  ahead->n_taken = ahead->n_drawn;
  g_clear_error (&ahead->failed);
}

void
reel_ensemble_stop (ReelReplayBufferEnsemble *self)
{
  ReelEnsembleAhead *ahead = &self->ahead;

  if (!ahead->queue)
    return;
  visit_buffers (self, remove_queue, ahead->queue);
  for (gint64 i = 0; i <= reel_prefetch_get_depth (ahead->queue); i++)
    reel_ensemble_batch_free (ahead->records[i]);
  g_free (ahead->records);
  reel_prefetch_free (ahead->queue);
  g_clear_error (&ahead->failed);
  *ahead = (ReelEnsembleAhead){ 0 };
}

gboolean
reel_replay_buffer_ensemble_set_prefetch (ReelReplayBufferEnsemble *self, gint64 n, GError **error)
{
  GError *refused = NULL;
  ReelPrefetch *queue = NULL;
  guint n_buffers = 0;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self) && n >= 0, FALSE);
  if (n > 0)
    {
      visit_buffers (self, check_sampler, &refused);
      visit_buffers (self, count_buffer, &n_buffers);
      if (refused)
        {
          g_propagate_error (error, refused);
          return FALSE;
        }
      queue = reel_prefetch_new (n, self->batch_size, n_buffers * (guint) self->n_parts, error);
      if (!queue)
        return FALSE;
    }
  reel_ensemble_stop (self);
  if (!queue)
    return TRUE;
  visit_buffers (self, add_queue, queue);
  self->ahead.queue = queue;
  self->ahead.records = g_new (ReelEnsembleBatch *, n + 1);
  for (gint64 i = 0; i <= n; i++)
    self->ahead.records[i] = reel_ensemble_batch_new (self->n_parts);
  return TRUE;
}

gint64
reel_replay_buffer_ensemble_get_prefetch (ReelReplayBufferEnsemble *self)
{
  return self->ahead.queue ? reel_prefetch_get_depth (self->ahead.queue) : 0;
}
