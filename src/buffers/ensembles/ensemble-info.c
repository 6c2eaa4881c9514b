/* Info of the rows of a batch of an ensemble, beside the batch. */
#include "ensemble-private.h"

#include "../../core/tensordict/lazy-stack.h"
#include "../../core/tensordict/shape.h"
#include "../samplers/sampler-private.h"

gboolean
reel_ensemble_note_draw (ReelEnsembleBatch *batch, gint64 i, const ReelSampling *sampling,
                         GError **error)
{
  GPtrArray *notes = batch->notes[i];

  if (batch->n_notes[i] == notes->len)
    g_ptr_array_add (notes, g_new0 (ReelSampling, 1));
  return reel_sampling_note (sampling, notes->pdata[batch->n_notes[i]++], error);
}

static gboolean
copy_notes (ReelEnsembleBatch *batch, gint64 i, const ReelEnsembleBatch *from, GError **error)
{
  batch->n_notes[i] = 0;
  if (from->n_notes[i] == 0)
    return reel_ensemble_note_batch (batch, i, from->inner[i], error);
  for (guint k = 0; k < from->n_notes[i]; k++)
    if (!reel_ensemble_note_draw (batch, i, from->notes[i]->pdata[k], error))
      return FALSE;
  return TRUE;
}

gboolean
reel_ensemble_note_batch (ReelEnsembleBatch *batch, gint64 i, const ReelEnsembleBatch *part,
                          GError **error)
{
  ReelEnsembleBatch *inner = batch->inner[i];

  if (!inner || inner->n_parts != part->n_parts)
    {
      reel_ensemble_batch_free (inner);
      inner = batch->inner[i] = reel_ensemble_batch_new (part->n_parts);
    }
  for (gint64 k = 0; k < part->n_parts; k++)
    {
      inner->ids[k] = part->ids[k];
      if (!copy_notes (inner, k, part, error))
        return FALSE;
    }
  return TRUE;
}

/* Draw after draw. */
static ReelTensordict *
join_notes (const ReelEnsembleBatch *batch, gint64 i, GError **error)
{
  g_autoptr (ReelTensordict) info = NULL;

  for (guint k = 0; k < batch->n_notes[i]; k++)
    {
      g_autoptr (ReelTensordict) before = g_steal_pointer (&info);
      g_autoptr (ReelTensordict) more = reel_sampling_dup_info (batch->notes[i]->pdata[k], error);

      info = !more    ? NULL
             : before ? reel_tensordict_cat ((ReelTensordict *[]){ before, more }, 2, 0, error)
                      : reel_tensordict_ref (more);
      if (!info)
        return NULL;
    }
  return g_steal_pointer (&info);
}

static ReelTensordict *
describe_part (const ReelEnsembleBatch *batch, gint64 i, GError **error)
{
  g_autoptr (ReelTensordict) info = batch->n_notes[i] > 0
                                        ? join_notes (batch, i, error)
                                        : reel_ensemble_dup_info (batch->inner[i], error);

  return info ? reel_ensemble_batch_name_rows (info, batch->ids[i], error) : NULL;
}

ReelTensordict *
reel_ensemble_dup_info (const ReelEnsembleBatch *batch, GError **error)
{
  g_autoptr (GPtrArray) parts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (gint64 i = 0; i < batch->n_parts; i++)
    {
      ReelTensordict *part = describe_part (batch, i, error);

      if (!part)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  return reel_tensordict_maybe_dense_stack ((ReelTensordict **) parts->pdata, parts->len, 0, error);
}

const ReelEnsembleBatch *
reel_ensemble_get_last (ReelReplayBufferEnsemble *self)
{
  return self->ahead.queue ? self->ahead.last : self->batch;
}

ReelTensordict *
reel_replay_buffer_ensemble_dup_batch_info (ReelReplayBufferEnsemble *self, GError **error)
{
  const ReelEnsembleBatch *batch;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self), NULL);
  batch = reel_ensemble_get_last (self);
  if (batch && batch->told)
    return reel_ensemble_dup_info (batch, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "nothing is known of the rows of a batch: none was sampled");
  return NULL;
}
