#include "buffer-write.h"

#include "consuming-sampler.h"
#include "round-robin-writer.h"
#include "storage-private.h"
#include "value-rows.h"
#include "value-storage.h"

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
  picked = reel_rows_pick (write->data, rows, n, error);
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
  if (reel_rows_are_listed (rows))
    return reel_tensordict_round_robin_number (rows, write->slots, error);
  whole = klass->complete (write->writer, write->storage, rows, error);
  if (whole && reel_storage_find_column (write->storage, "index", NULL) >= 0)
    memcpy (reel_tensordict_get_tensor (whole, "index", NULL)->data, write->slots,
            (gsize) write->n_free * sizeof *write->slots);
  return whole;
}

static ReelTensordict *
make_free_rows (Write *write, GError **error)
{
  g_autofree gint64 *first = g_new (gint64, write->n_free);
  g_autoptr (ReelTensordict) rows = NULL;

  for (gint64 i = 0; i < write->n_free; i++)
    first[i] = i;
  rows = reel_rows_are_listed (write->data)
             ? reel_rows_pick (write->data, first, write->n_free, error)
             : reel_tensordict_slice (write->data, 0, 0, write->n_free, 1, error);
  return rows ? complete (write, rows, error) : NULL;
}

/* What the cursor passed over is there already. */
static void
write_free_slots (Write *write, const ReelSteps *steps)
{
  g_autofree gint64 *which = g_new (gint64, write->n_free);
  g_autofree gint64 *slots = g_new (gint64, write->n_free);
  gint64 n = 0;

  for (gint64 i = 0; i < write->n_free; i++)
    if (!write->passed[i])
      {
        which[n] = i;
        slots[n++] = write->slots[i];
      }
  reel_storage_replace_steps (write->storage, steps, which, slots, n);
  for (gint64 i = 0; i < n; i++)
    reel_slot_queue_put (write->rewritten,
                         (ReelSlot){ slots[i], find_row (write->storage, slots[i]) });
}

static gboolean
write_reusing (Write *write, GError **error)
{
  g_autoptr (ReelTensordict) rows = make_free_rows (write, error);
  g_autoptr (ReelSteps) steps =
      rows ? reel_storage_take_steps (write->storage, rows, 0, error) : NULL;
  g_autofree gboolean *passed = g_new0 (gboolean, write->n_free);

  write->passed = passed;
  if (!steps || (write->n_free < write->n && !write_at_cursor (write, error)))
    return FALSE;
  write_free_slots (write, steps);
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
  g_autoptr (ReelTensordict) rows = NULL;
  g_autofree gint64 *own = NULL;
  gint ndim;

  if (!reel_buffer_check_parts (reel_replay_buffer_get_sampler (self), write.writer, error))
    return FALSE;
  if (REEL_IS_VALUE_STORAGE (write.storage))
    {
      rows = reel_rows_list (data, error);
      if (!rows)
        return FALSE;
      write.data = data = rows;
    }
  reel_tensordict_get_batch_size (data, &ndim);
  if (!consuming || (!rows && (ndim != 1 || reel_storage_get_ndim (write.storage) != 1)))
    return reel_writer_extend (write.writer, write.storage, data, slots, error);
  write.n = reel_rows_count (data);
  write.slots = slots ? slots : (own = g_new (gint64, write.n));
  if (write.n >= reel_storage_get_capacity (write.storage))
    return write_all_slots (&write, slots, error);
  find_free_slots (&write);
  if (write.n_free > 0)
    return write_reusing (&write, error);
  reel_slot_queue_drop (write.freed, write.n_peeked);
  return reel_writer_extend (write.writer, write.storage, data, slots, error);
}

gboolean
reel_buffer_write_step (ReelReplayBuffer *self, ReelTensordict *step, gint64 *slot,
                        gboolean *written, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  ReelWriter *writer = reel_replay_buffer_get_writer (self);
  ReelSlotQueue *freed, *rewritten;
  gint ndim;

  *written = FALSE;
  reel_tensordict_get_batch_size (step, &ndim);
  if (!REEL_WRITER_GET_CLASS (writer)->add || !reel_storage_is_allocated (storage)
      || ndim < reel_storage_get_ndim (storage) - 1
      || reel_consuming_sampler_get_queues (reel_replay_buffer_get_sampler (self), &freed,
                                            &rewritten))
    return TRUE;
  *slot = reel_storage_get_cursor (storage);
  return REEL_WRITER_GET_CLASS (writer)->add (writer, storage, step, written, error);
}
