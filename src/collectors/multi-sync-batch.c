/* The form in which steps of several workers are handed out. */
#include "multi-sync-private.h"

#include "../core/tensordict/shape.h"

#include <string.h>

gboolean
reel_multi_sync_stacks (ReelMultiSyncCollector *self)
{
  return self->cat == REEL_CAT_STACK && reel_multi_sync_get_parts (self)->buffer == NULL
         && reel_multi_sync_get_parts (self)->trajs_per_batch == 0;
}

gint64
reel_multi_sync_find_long (ReelMultiSyncCollector *self, gint worker, gint64 n_steps)
{
  gint64 before = 0, all = 0;

  for (gint i = 0; i < reel_multi_sync_get (self)->n_workers; i++)
    {
      before += i < worker ? self->worker_steps[i] : 0;
      all += self->worker_steps[i];
    }
  return n_steps * before / all;
}

void
reel_multi_sync_pad (ReelMultiSyncCollector *self, gint64 n_steps)
{
  const ReelMulti *multi = reel_multi_sync_get (self);
  const ReelTedColumns *ted = multi->columns;
  gsize lanes = (gsize) reel_multi_sync_get_parts (self)->step_lanes;

  for (gint worker = 0; worker < multi->n_workers; worker++)
    for (gint64 step = self->done[worker]; step < n_steps; step++)
      for (guint c = 0; c < ted->n_columns; c++)
        {
          const ReelLaneShare *share = &multi->shares[worker];
          gsize bytes = ted->row_bytes[c];

          memset (self->own_columns[c] + ((gsize) step * lanes + (gsize) share->begin) * bytes,
                  c == ted->traj_ids ? 0xff : 0, (gsize) (share->end - share->begin) * bytes);
        }
}

/* set_mask: TRUE where a row has data. */
static gboolean
set_mask (ReelTensordict *steps, GError **error)
{
  const ReelTensor *ids = reel_tensordict_get_tensor (steps, "collector/traj_ids", error);
  g_autoptr (ReelTensor) dense = ids ? reel_tensor_contiguous ((ReelTensor *) ids, error) : NULL;
  g_autoptr (ReelTensor) mask =
      dense ? reel_tensor_new (REEL_DTYPE_BOOL, dense->ndim, dense->shape, error) : NULL;

  for (gint64 i = 0; mask && i < reel_tensor_numel (mask); i++)
    mask->data[i] = ((const gint64 *) (gconstpointer) dense->data)[i] >= 0;
  return mask && reel_tensordict_set_tensor (steps, "collector/mask", mask, error);
}

/* stack: the lanes of each worker in a dimension of their own, where it has several. */
static ReelTensordict *
stack (ReelMultiSyncCollector *self, ReelTensordict *steps, GError **error)
{
  const char *names[] = { NULL, NULL, "time" };
  gint64 lanes = reel_multi_collector_lanes_of_each (REEL_MULTI_COLLECTOR (self));
  gint64 shape[] = { reel_multi_sync_get (self)->n_workers, lanes };
  g_autoptr (ReelTensordict) stacked = NULL;

  if (lanes > 1)
    stacked = reel_tensordict_unflatten (steps, 0, 2, shape, error);
  else if (self->threshold < 1)
    stacked = reel_tensordict_clone (steps, FALSE, error);
  else
    stacked = reel_tensordict_ref (steps);
  reel_tensordict_unref (steps);
  if (stacked == NULL || (lanes > 1 && !reel_tensordict_set_names (stacked, names, error))
      || (self->threshold < 1 && !set_mask (stacked, error)))
    return NULL;
  return g_steal_pointer (&stacked);
}

/* join: what each worker did of a batch of @n_steps, without gaps. */
static ReelTensordict *
join (ReelMultiSyncCollector *self, gint64 n_steps, GError **error)
{
  g_autoptr (GPtrArray) parts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (gint worker = 0; worker < reel_multi_sync_get (self)->n_workers; worker++)
    {
      gint64 from = reel_multi_sync_find_long (self, worker, n_steps);
      ReelTensordict *part =
          self->done[worker] > 0
              ? reel_step_block_see_range (self->own, from, from + self->done[worker], error)
              : NULL;

      if (part)
        g_ptr_array_add (parts, part);
      else if (self->done[worker] > 0)
        return NULL;
    }
  return reel_tensordict_cat ((ReelTensordict *const *) parts->pdata, parts->len, -1, error);
}

static gint64
count_done (ReelMultiSyncCollector *self)
{
  gint64 sum = 0;

  for (gint worker = 0; worker < reel_multi_sync_get (self)->n_workers; worker++)
    sum += self->done[worker];
  return sum;
}

/* keep: processes write to the same memory again, which who has a batch need not see. */
static ReelTensordict *
keep (ReelMultiSyncCollector *self, ReelTensordict *steps, GError **error)
{
  ReelTensordict *copy;

  if (reel_multi_sync_get (self)->kind == REEL_CREW_THREADS
      || reel_multi_sync_get_parts (self)->return_same_td
      || reel_multi_sync_get_parts (self)->buffer)
    return steps;
  copy = reel_tensordict_clone (steps, TRUE, error);
  reel_tensordict_unref (steps);
  return copy;
}

ReelTensordict *
reel_multi_sync_assemble (ReelMultiSyncCollector *self, gint64 n_steps, GError **error)
{
  ReelTensordict *steps;

  if (self->is_long && count_done (self) < n_steps)
    return join (self, n_steps, error);
  steps = reel_step_block_see (self->own, n_steps, reel_multi_sync_get_parts (self)->return_same_td,
                               error);
  if (steps == NULL)
    return NULL;
  steps = keep (self, reel_tensordict_ref (steps), error);
  return steps && reel_multi_sync_stacks (self) ? stack (self, steps, error) : steps;
}
