#include "buffer-write.h"

#include "samplers/consuming-sampler.h"
#include "writers/round-robin-writer.h"
#include "storages/storage-private.h"
#include "storages/item-rows.h"
#include "storages/item-storage.h"
#include "writers/writer-private.h"

#include <stdlib.h>
#include <string.h>

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

gboolean
reel_buffer_check_parts (ReelSampler *sampler, ReelWriter *writer, GError **error)
{
  if (!reel_consuming_sampler_get_freed (sampler) || REEL_IS_ROUND_ROBIN_WRITER (writer))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "a consuming sampler frees slots, which a round-robin writer fills again, but not a "
               "%s",
               REEL_WRITER_GET_CLASS (writer)->peer_name);
  return FALSE;
}

/* Data that fill the whole ring leave no slot as it was. */
gboolean
reel_buffer_write (ReelReplayBuffer *self, ReelTensordict *data, gint64 *slots, GError **error)
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

gboolean
reel_buffer_write_step (ReelReplayBuffer *self, ReelTensordict *step, gint64 *slot,
                        gboolean *written, GError **error)
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
