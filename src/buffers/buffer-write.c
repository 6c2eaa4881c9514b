#include "buffer-write.h"

#include "../core/tensordict-index.h"
#include "consuming-sampler.h"
#include "round-robin-writer.h"
#include "storage-private.h"

#include <string.h>

/* One call: the first @n_free rows go to free slots, the others on from the cursor. */
typedef struct
{
  ReelStorage *storage;
  ReelWriter *writer;
  ReelSlotQueue *freed;
  ReelSlotQueue *rewritten;
  ReelTensordict *data;
  gint64 n;
  gint64 n_free;
  gint64 n_peeked; /* of the queue: those that the cursor wrote since are dropped */
  gint64 *slots;
  gboolean *passed; /* by free slot: whether the cursor wrote it too */
} Write;

/* The number that the row of a slot has now. */
static gint64
find_row (ReelStorage *storage, gint64 slot)
{
  ReelStorageView view;
  gint64 row;

  reel_storage_get_view (storage, &view);
  row = view.end_row - view.end_row % view.capacity + slot;
  return row < view.end_row ? row : row - view.capacity;
}

static void
find_free_slots (Write *write)
{
  ReelSlot free;

  while (write->n_free < write->n && reel_slot_queue_peek (write->freed, write->n_peeked, &free))
    {
      write->n_peeked++;
      if (find_row (write->storage, free.slot) == free.row)
        write->slots[write->n_free++] = free.slot;
    }
}

static ReelTensordict *
pick_rows (ReelTensordict *data, gint64 *rows, gint64 n, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);

  if (!tensor)
    return NULL;
  memcpy (tensor->data, rows, (gsize) n * sizeof *rows);
  reel_index_add_tensor (&index, tensor);
  return reel_tensordict_index (data, &index, error);
}

/* The cursor passes over slots that are just written: they get the same rows once more. These are
 * announced by the ring alone, for who was told twice would give them twice. */
static gboolean
write_at_cursor (Write *write, GError **error)
{
  gint64 capacity = reel_storage_get_capacity (write->storage);
  gint64 slot = reel_storage_get_cursor (write->storage), n = 0, next = write->n_free;
  g_autofree gint64 *rows = g_new (gint64, write->n);
  g_autofree gint64 *got = g_new (gint64, write->n);
  g_autofree gint64 *row_of = g_new (gint64, capacity);
  g_autoptr (ReelTensordict) picked = NULL;

  for (gint64 i = 0; i < capacity; i++)
    row_of[i] = -1;
  for (gint64 i = 0; i < write->n_free; i++)
    row_of[write->slots[i]] = i;
  for (; next < write->n; slot = (slot + 1) % capacity)
    rows[n++] = row_of[slot] >= 0 ? row_of[slot] : next++;
  picked = pick_rows (write->data, rows, n, error);
  if (!picked || !reel_writer_extend (write->writer, write->storage, picked, got, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      write->slots[rows[i]] = got[i];
      if (rows[i] < write->n_free)
        write->passed[rows[i]] = TRUE;
    }
  return TRUE;
}

/* The same rows with the slots that they are going to have, where the storage holds those. */
static ReelTensordict *
complete (Write *write, ReelTensordict *rows, GError **error)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (write->writer);
  ReelTensordict *whole;

  if (!klass->complete)
    return reel_tensordict_ref (rows);
  whole = klass->complete (write->writer, write->storage, rows, error);
  if (whole && reel_storage_find_column (write->storage, "index", NULL) >= 0)
    memcpy (reel_tensordict_get_tensor (whole, "index", NULL)->data, write->slots,
            (gsize) write->n_free * sizeof *write->slots);
  return whole;
}

static ReelTensordict *
make_free_rows (Write *write, GError **error)
{
  g_autoptr (ReelTensordict) rows =
      reel_tensordict_slice (write->data, 0, 0, write->n_free, 1, error);
  g_autoptr (ReelTensordict) whole = rows ? complete (write, rows, error) : NULL;

  return whole && reel_storage_check (write->storage, whole, error) ? g_steal_pointer (&whole)
                                                                    : NULL;
}

static gboolean
write_free_slots (Write *write, ReelTensordict *rows, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (ReelTensordict) filled = reel_storage_view_filled (write->storage, error);
  g_autoptr (ReelTensor) slots =
      reel_tensor_new (REEL_DTYPE_INT64, 1, &write->n_free, filled ? error : NULL);
  gboolean done;

  if (!filled || !slots)
    return FALSE;
  memcpy (slots->data, write->slots, (gsize) write->n_free * sizeof *write->slots);
  reel_index_add_tensor (&index, slots);
  reel_storage_begin_change (write->storage);
  done = reel_tensordict_assign (filled, &index, rows, error);
  for (gint64 i = 0; done && i < write->n_free; i++)
    reel_storage_count_writes (write->storage, write->slots[i], write->passed[i] ? 0 : 1);
  reel_storage_end_change (write->storage);
  for (gint64 i = 0; done && i < write->n_free; i++)
    if (!write->passed[i])
      reel_slot_queue_put (
          write->rewritten,
          (ReelSlot){ write->slots[i], find_row (write->storage, write->slots[i]) });
  return done;
}

static gboolean
write_reusing (Write *write, GError **error)
{
  g_autoptr (ReelTensordict) rows = make_free_rows (write, error);
  g_autofree gboolean *passed = g_new0 (gboolean, write->n_free);

  write->passed = passed;
  if (!rows || (write->n_free < write->n && !write_at_cursor (write, error))
      || !write_free_slots (write, rows, error))
    return FALSE;
  reel_slot_queue_drop (write->freed, write->n_peeked);
  return TRUE;
}

/* Data that fill the whole ring leave no slot as it was. */
static gboolean
write_all_slots (Write *write, gint64 *slots, GError **error)
{
  ReelSlot free;

  while (reel_slot_queue_peek (write->freed, write->n_peeked, &free))
    write->n_peeked++;
  if (!reel_writer_extend (write->writer, write->storage, write->data, slots, error))
    return FALSE;
  reel_slot_queue_drop (write->freed, write->n_peeked);
  return TRUE;
}

gboolean
reel_buffer_check_parts (ReelSampler *sampler, ReelWriter *writer, GError **error)
{
  ReelSlotQueue *freed, *rewritten;

  if (!reel_consuming_sampler_get_queues (sampler, &freed, &rewritten)
      || REEL_IS_ROUND_ROBIN_WRITER (writer))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "a consuming sampler frees slots, which a round-robin writer fills again, but not a "
               "%s",
               REEL_WRITER_GET_CLASS (writer)->peer_name);
  return FALSE;
}

gboolean
reel_buffer_write (ReelReplayBuffer *self, ReelTensordict *data, gint64 *slots, GError **error)
{
  Write write = { .storage = reel_replay_buffer_get_storage (self),
                  .writer = reel_replay_buffer_get_writer (self),
                  .data = data };
  gboolean consuming = reel_consuming_sampler_get_queues (reel_replay_buffer_get_sampler (self),
                                                          &write.freed, &write.rewritten);
  g_autofree gint64 *own = NULL;
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (data, &ndim);

  if (!reel_buffer_check_parts (reel_replay_buffer_get_sampler (self), write.writer, error))
    return FALSE;
  if (!consuming || ndim != 1 || reel_storage_get_ndim (write.storage) != 1)
    return reel_writer_extend (write.writer, write.storage, data, slots, error);
  write.n = size[0];
  write.slots = slots ? slots : (own = g_new (gint64, write.n));
  if (write.n >= reel_storage_get_capacity (write.storage))
    return write_all_slots (&write, slots, error);
  find_free_slots (&write);
  if (write.n_free > 0)
    return write_reusing (&write, error);
  reel_slot_queue_drop (write.freed, write.n_peeked);
  return reel_writer_extend (write.writer, write.storage, data, slots, error);
}
