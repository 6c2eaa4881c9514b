/* Members of an ensemble, and rows of them, by an index. */
#include "ensemble-members.h"
#include "ensemble-private.h"

#include "../../core/tensordict/lazy-stack.h"

ReelReplayBufferEnsemble *
reel_replay_buffer_ensemble_select (ReelReplayBufferEnsemble *self, const gint64 *ids, guint n,
                                    GError **error)
{
  g_autofree GObject **members = NULL;
  g_autofree double *p = NULL;
  ReelEnsembleOptions options = { .sampleable = self->sampleable,
                                  .sample_from_all = self->sample_from_all,
                                  .num_buffer_sampled = self->asked_parts,
                                  .batch_size = self->batch_size,
                                  .seed = self->seed };

  g_return_val_if_fail (n > 0, NULL);
  members = g_new (GObject *, n);
  p = g_new (double, n);
  for (guint i = 0; i < n; i++)
    {
      gint64 place = reel_ensemble_find (self, ids[i], error);

      if (place < 0)
        return NULL;
      members[i] = g_ptr_array_index (self->members, place);
      p[i] = self->p ? self->p[place] : 1;
    }
  options.p = self->p ? p : NULL;
  return reel_replay_buffer_ensemble_new_mixed (members, n, &options, error);
}

static void
free_all (ReelTensordict **tds, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (tds[i])
      reel_tensordict_unref (tds[i]);
  g_free (tds);
}

ReelTensordict *
reel_replay_buffer_ensemble_index (ReelReplayBufferEnsemble *self, const ReelIndex *index,
                                   GError **error)
{
  guint n = self->members->len, i = 0;
  ReelTensordict **parts = g_new0 (ReelTensordict *, n), *stack = NULL;

  while (i < n && (parts[i] = reel_ensemble_member_index (self->members->pdata[i], index, error)))
    i++;
  if (i == n)
    stack = reel_tensordict_maybe_dense_stack (parts, n, 0, error);
  free_all (parts, n);
  return stack;
}

/* The members that one item picks, as of a list. */
static ReelReplayBufferEnsemble *
select_item (ReelReplayBufferEnsemble *self, const ReelIndex *which, GError **error)
{
  gint64 n = self->members->len;
  g_autoptr (ReelTensor) all = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  g_autoptr (ReelTensor) ids = NULL;
  g_autoptr (ReelTensor) picked = NULL;

  for (gint64 i = 0; all && i < n; i++)
    ((gint64 *) all->data)[i] = i;
  picked = all ? reel_tensor_index (all, which, error) : NULL;
  ids = picked ? reel_tensor_contiguous (picked, error) : NULL;
  if (!ids)
    return NULL;
  if (ids->ndim == 1 && ids->shape[0] > 0)
    return reel_replay_buffer_ensemble_select (self, (const gint64 *) ids->data,
                                               (guint) ids->shape[0], error);
  g_set_error (error, REEL_ERROR, ids->ndim == 1 ? REEL_ERROR_INDEX : REEL_ERROR_RUNTIME,
               ids->ndim == 1
                   ? "no buffer is picked of %" G_GINT64_FORMAT
                   : "buffers are picked by an index of one dimension, of %" G_GINT64_FORMAT,
               n);
  return NULL;
}

ReelTensordict *
reel_replay_buffer_ensemble_index_some (ReelReplayBufferEnsemble *self, const ReelIndex *which,
                                        const ReelIndex *index, GError **error)
{
  g_autoptr (ReelReplayBufferEnsemble) some = NULL;
  const ReelTensor *tensor;
  gint64 i;

  g_return_val_if_fail (which->n_items == 1, NULL);
  tensor = which->items[0].tensor;
  if (tensor && reel_dtype_is_float (tensor->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "A floating point index was received when an integer dtype was expected: %s",
                   reel_dtype_name (tensor->dtype));
      return NULL;
    }
  if (which->items[0].kind == REEL_INDEX_INT)
    {
      i = reel_ensemble_find (self, which->items[0].begin, error);
      return i < 0 ? NULL : reel_ensemble_member_index (self->members->pdata[i], index, error);
    }
  some = select_item (self, which, error);
  return some ? reel_replay_buffer_ensemble_index (some, index, error) : NULL;
}
