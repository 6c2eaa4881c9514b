/* How rows come into a buffer. */
#include "replay-buffer-private.h"

#include "../core/tensordict/lazy-stack.h"
#include "buffer-transform.h"
#include "samplers/consuming-sampler.h"
#include "storages/layout.h"
#include "storages/storage-private.h"
#include "storages/item-rows.h"
#include "storages/item-storage.h"
#include "writers/round-robin-writer.h"
#include "writers/writer-private.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* One call: the first @n_free rows go to free slots, the others on from the cursor. */
typedef struct
{
  ReelStorage *storage;
  ReelWriter *writer;
  ReelRowQueue *freed;
  gint64 n;
  gint64 n_free;
  gint64 n_peeked; /* of the queue: those that the cursor wrote since are dropped */
  gint64 *slots;
} Write;

/* Whether a row is still where it was: the cursor may have been there since. */
static gboolean
is_there (ReelStorage *storage, gint64 row)
{
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  return row < view.end_row && row >= view.end_row - view.capacity;
}

static void
find_free_slots (Write *write)
{
  gint64 row;

  while (write->n_free < write->n && reel_row_queue_peek (write->freed, write->n_peeked, &row))
    {
      write->n_peeked++;
      if (is_there (write->storage, row))
        write->slots[write->n_free++] = row % reel_storage_get_capacity (write->storage);
    }
}

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* The rest goes on from the cursor, past the slots that are taken; returns how far. */
static gint64
place_at_cursor (Write *write)
{
  gint64 capacity = reel_storage_get_capacity (write->storage), behind = 0;
  gint64 cursor = reel_storage_get_cursor (write->storage);
  g_autofree gint64 *taken = g_new (gint64, write->n_free);

  for (gint64 i = 0; i < write->n_free; i++)
    taken[i] = (write->slots[i] - cursor + capacity) % capacity;
  qsort (taken, (gsize) write->n_free, sizeof *taken, compare);
  for (gint64 i = write->n_free, next = 0; i < write->n; i++)
    {
      for (; next < write->n_free && taken[next] == behind; next++)
        behind++;
      write->slots[i] = (cursor + behind++) % capacity;
    }
  return behind;
}

/* The stored rows, with their future slots where the storage holds those. */
static ReelTensordict *
complete (const Write *write, ReelTensordict *data, GError **error)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (write->writer);
  ReelTensordict *whole;

  if (!klass->complete)
    return reel_tensordict_ref (data);
  if (reel_rows_are_listed (data))
    return reel_tensordict_round_robin_number (data, write->slots, error);
  whole = klass->complete (write->writer, write->storage, data, error);
  if (whole && reel_storage_find_column (write->storage, "index", NULL) >= 0)
    memcpy (reel_tensordict_get_tensor (whole, "index", NULL)->data, write->slots,
            (gsize) write->n * sizeof *write->slots);
  return whole;
}

static gboolean
write_reusing (Write *write, ReelTensordict *data, GError **error)
{
  gint64 n_new = place_at_cursor (write);
  g_autoptr (ReelTensordict) whole = complete (write, data, error);
  g_autoptr (ReelSteps) steps =
      whole ? reel_storage_take_steps (write->storage, whole, n_new, error) : NULL;

  if (!steps)
    return FALSE;
  reel_storage_put_steps (write->storage, steps, write->slots, write->n, n_new);
  reel_writer_count_writes (write->writer, write->n - n_new);
  reel_row_queue_drop (write->freed, write->n_peeked);
  return TRUE;
}

/* Rows go where a consuming sampler left slots free, oldest first, and the rest where the writer
 * says. Data that fill the whole ring leave no slot as it was. */
static gboolean
write_rows (ReelReplayBuffer *self, ReelTensordict *data, gint64 *slots, GError **error)
{
  ReelSampler *sampler = reel_replay_buffer_get_sampler (self);
  Write write = { .storage = reel_replay_buffer_get_storage (self),
                  .writer = reel_replay_buffer_get_writer (self),
                  .freed = reel_consuming_sampler_get_freed (sampler) };
  g_autoptr (ReelTensordict) rows = NULL;
  g_autofree gint64 *own = NULL;
  gint ndim;

  if (!reel_buffer_check_parts (sampler, write.writer, error))
    return FALSE;
  if (REEL_IS_ITEM_STORAGE (write.storage))
    {
      rows = reel_rows_list (data, error);
      if (!rows)
        return FALSE;
      data = rows;
    }
  reel_tensordict_get_batch_size (data, &ndim);
  if (!write.freed || (!rows && (ndim != 1 || reel_storage_get_ndim (write.storage) != 1)))
    return reel_writer_extend (write.writer, write.storage, data, slots, error);
  write.n = reel_rows_count (data);
  write.slots = slots ? slots : (own = g_new (gint64, write.n));
  find_free_slots (&write);
  if (write.n_free > 0 && write.n < reel_storage_get_capacity (write.storage))
    return write_reusing (&write, data, error);
  if (!reel_writer_extend (write.writer, write.storage, data, slots, error))
    return FALSE;
  reel_row_queue_drop (write.freed, write.n_peeked);
  return TRUE;
}

/* The short way of one step that is laid out as the storage; where it is not @written, write_rows()
 * takes it with a dimension of steps. */
static gboolean
write_step (ReelReplayBuffer *self, ReelTensordict *step, gint64 *slot, gboolean *written,
            GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  ReelWriter *writer = reel_replay_buffer_get_writer (self);
  gint ndim;

  *written = FALSE;
  reel_tensordict_get_batch_size (step, &ndim);
  if (!REEL_WRITER_GET_CLASS (writer)->add || !reel_storage_is_allocated (storage)
      || ndim < reel_storage_get_ndim (storage) - 1
      || reel_consuming_sampler_get_freed (reel_replay_buffer_get_sampler (self)))
    return TRUE;
  *slot = reel_storage_get_cursor (storage);
  return REEL_WRITER_GET_CLASS (writer)->add (writer, storage, step, written, error);
}

/* ---- items and steps ---- */

static ReelTransform *
get_transform (ReelReplayBuffer *self)
{
  return REEL_TRANSFORM (reel_replay_buffer_get_transform (self));
}

static ReelTensor *
add_step_dim (ReelTensor *leaf, const char *path, gpointer user_data, GError **error)
{
  return reel_tensor_unsqueeze (leaf, 0, error);
}

/* The slot of each step, told for each of its rows. */
static ReelTensor *
make_index (ReelStorage *storage, const gint64 *slots, gint64 n, GError **error)
{
  gint ndim = reel_storage_get_ndim (storage);
  gint64 lanes = reel_storage_get_lanes (storage);
  gint64 shape[2] = { n * lanes, ndim };
  ReelTensor *index = reel_tensor_new (REEL_DTYPE_INT64, ndim > 1 ? 2 : 1, shape, error);
  gint64 *rows;

  if (!index)
    return NULL;
  rows = (gint64 *) index->data;
  for (gint64 i = 0; i < n; i++)
    for (gint64 lane = 0; lane < lanes; lane++)
      rows[i * lanes + lane] = slots[i] * lanes + lane;
  reel_slots_to_index (storage, rows, n * lanes);
  return index;
}

static gboolean
write_steps (ReelReplayBuffer *self, ReelTensordict *data, ReelTensor **index, GError **error)
{
  gint64 n = reel_rows_count (data);
  g_autofree gint64 *slots = index ? g_new (gint64, MAX (n, 1)) : NULL;

  if (!write_rows (self, data, slots, error))
    return FALSE;
  if (index)
    *index = make_index (reel_replay_buffer_get_storage (self), slots, n, error);
  return !index || *index;
}

/* That of one step has no dimension for it. */
static gboolean
narrow_index (ReelReplayBuffer *self, ReelTensor **index, GError **error)
{
  g_autoptr (ReelTensor) row = index ? *index : NULL;

  if (row)
    *index = reel_storage_get_ndim (reel_replay_buffer_get_storage (self)) == 1
                 ? reel_tensor_select (row, 0, 0, error)
                 : g_steal_pointer (&row);
  return !index || *index;
}

/* Steps of one item: one, unless a transform held back others before. */
static gboolean
write_items (ReelReplayBuffer *self, ReelTensordict *steps, ReelTensor **index, GError **error)
{
  return write_steps (self, steps, index, error)
         && (reel_rows_count (steps) != 1 || narrow_index (self, index, error));
}

static gboolean
holds_values (ReelReplayBuffer *self)
{
  return REEL_IS_ITEM_STORAGE (reel_replay_buffer_get_storage (self));
}

static ReelTensordict *
list_items (ReelTensordict *const *items, gsize n, GError **error)
{
  g_autoptr (ReelTensordict) list = reel_tree_new (REEL_TENSORDICT_LIST);

  for (gsize i = 0; i < n; i++)
    if (!reel_tree_append (list, items[i], error))
      return NULL;
  return g_steal_pointer (&list);
}

static gboolean
add_unchanged (ReelReplayBuffer *self, ReelTensordict *item, ReelTensor **index, GError **error)
{
  g_autoptr (ReelTensordict) steps = NULL;
  gboolean written;
  gint64 slot;

  if (!write_step (self, item, &slot, &written, error))
    return FALSE;
  if (written && index)
    *index = make_index (reel_replay_buffer_get_storage (self), &slot, 1, error);
  if (written)
    return narrow_index (self, index, error);
  steps = holds_values (self) ? list_items (&item, 1, error)
                              : reel_layout_map (item, 1, add_step_dim, NULL, error);
  return steps && write_items (self, steps, index, error);
}

gboolean
reel_replay_buffer_add (ReelReplayBuffer *self, ReelTensordict *item, ReelTensor **index,
                        GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_autoptr (ReelTensordict) wide =
      holds_values (self) ? reel_tensordict_ref (item)
                          : reel_rows_widen_tree (item, reel_storage_get_ndim (storage) - 1, error);
  g_autoptr (ReelTensordict) steps = NULL;

  if (!wide)
    return FALSE;
  if (!reel_transform_changes_writes (get_transform (self)))
    return add_unchanged (self, wide, index, error);
  if (!reel_buffer_invert_item (self, wide, &steps, error))
    return FALSE;
  return steps ? write_items (self, steps, index, error)
               : reel_buffer_set_no_index (storage, index, error);
}

static gboolean
write_lanes (ReelReplayBuffer *self, ReelTensordict *data, ReelTensor **index, GError **error)
{
  gint storage_ndim = reel_storage_get_ndim (reel_replay_buffer_get_storage (self)), ndim;
  gint dim = reel_storage_get_dim_extend (reel_replay_buffer_get_storage (self));
  g_autoptr (ReelTensordict) steps = NULL;

  if (holds_values (self))
    {
      steps = reel_rows_list (data, error);
      return steps && write_steps (self, steps, index, error);
    }
  reel_tensordict_get_batch_size (data, &ndim);
  if (dim == 0 || ndim < storage_ndim)
    return write_steps (self, data, index, error);
  steps = reel_tensordict_transpose (data, 0, dim, error);
  return steps && write_steps (self, steps, index, error);
}

/* Transforms want one tensordict of what is listed. */
static ReelTensordict *
gather_items (ReelReplayBuffer *self, ReelTensordict *data, GError **error)
{
  g_autoptr (ReelTensordict) rows = NULL;
  g_autoptr (GPtrArray) items = NULL;

  if (!reel_rows_are_listed (data) || !reel_transform_changes_writes (get_transform (self)))
    return reel_tensordict_ref (data);
  rows = reel_rows_list (data, error);
  items = g_ptr_array_new ();
  for (gint64 i = 0; rows && i < reel_rows_count (rows); i++)
    g_ptr_array_add (items, reel_rows_get (rows, i));
  return rows ? reel_tensordict_maybe_dense_stack ((ReelTensordict *const *) items->pdata,
                                                   items->len, 0, error)
              : NULL;
}

/* Steps of a storage with columns, where reel_replay_buffer_extend() has them. */
static ReelTensordict *
gather_steps (ReelReplayBuffer *self, ReelTensordict *data, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  return reel_rows_are_listed (data)
             ? reel_rows_stack (data, reel_storage_get_dim_extend (storage), error)
             : reel_rows_widen_tree (data, reel_storage_get_ndim (storage), error);
}

gboolean
reel_replay_buffer_extend (ReelReplayBuffer *self, ReelTensordict *data, ReelTensor **index,
                           GError **error)
{
  ReelTransform *transform = get_transform (self);
  g_autoptr (ReelTensordict) steps =
      holds_values (self) ? gather_items (self, data, error) : gather_steps (self, data, error);
  g_autoptr (ReelTensordict) changed = NULL;

  if (!steps)
    return FALSE;
  if (!reel_transform_changes_writes (transform))
    return write_lanes (self, steps, index, error);
  if (!reel_transform_inverse (transform, steps, &changed, error))
    return FALSE;
  return changed ? write_lanes (self, changed, index, error)
                 : reel_buffer_set_no_index (reel_replay_buffer_get_storage (self), index, error);
}

gboolean
reel_replay_buffer_extend_items (ReelReplayBuffer *self, ReelTensordict *const *items, gsize n,
                                 ReelTensor **index, GError **error)
{
  g_autoptr (ReelTensordict) list = list_items (items, n, error);

  return list && reel_replay_buffer_extend (self, list, index, error);
}

gboolean
reel_replay_buffer_can_reserve (ReelReplayBuffer *self)
{
  return !reel_transform_changes_writes (get_transform (self))
         && REEL_WRITER_GET_CLASS (reel_replay_buffer_get_writer (self))->reserve
         && !REEL_IS_ITEM_STORAGE (reel_replay_buffer_get_storage (self));
}

gboolean
reel_replay_buffer_reserve (ReelReplayBuffer *self, gint64 n_steps, ReelReservation *block,
                            GError **error)
{
  if (!reel_transform_changes_writes (get_transform (self)))
    return reel_writer_reserve (reel_replay_buffer_get_writer (self),
                                reel_replay_buffer_get_storage (self), n_steps, block, error);
  g_set_error_literal (
      error, REEL_ERROR, REEL_ERROR_RUNTIME,
      "cannot lend a block: a transform of the buffer changes rows that are written; use extend");
  return FALSE;
}

void
reel_replay_buffer_commit (ReelReplayBuffer *self, ReelReservation *block, gint64 n_steps)
{
  reel_storage_commit (reel_replay_buffer_get_storage (self), block, n_steps);
}
