#include "lane-rows.h"

#include "batch.h"
#include "storages/item-storage.h"
#include "storages/storage-look.h"

struct _ReelLaneRows
{
  ReelReplayBuffer *buffer;
  ReelStorage *storage;
  gint64 most;
  gint64 *slots;
  ReelBatchLayout *layout; /* NULL before the first read, and of a storage of items */
  ReelTensordict *rows;
};

ReelLaneRows *
reel_lane_rows_new (ReelReplayBuffer *buffer, gint64 most)
{
  ReelLaneRows *self = g_new0 (ReelLaneRows, 1);

  self->buffer = g_object_ref (buffer);
  self->storage = reel_replay_buffer_get_storage (buffer);
  self->most = most;
  self->slots = g_new (gint64, most);
  return self;
}

void
reel_lane_rows_free (ReelLaneRows *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->rows, reel_tensordict_unref);
  g_clear_pointer (&self->layout, reel_batch_layout_free);
  g_free (self->slots);
  g_object_unref (self->buffer);
  g_free (self);
}

static gboolean
check_rows (const ReelStorageView *view, gint64 number, gint64 n, GError **error)
{
  if (number >= view->first_row && number < view->end_row
      && n - 1 <= (view->end_row - 1 - number) / view->lanes)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "%" G_GINT64_FORMAT " steps from row %" G_GINT64_FORMAT
               " on are not all there: the buffer holds the rows %" G_GINT64_FORMAT
               " to %" G_GINT64_FORMAT,
               n, number, view->first_row, view->end_row - 1);
  return FALSE;
}

static gboolean
make_rows (ReelLaneRows *self, GError **error)
{
  self->layout = reel_batch_layout_new (self->storage, FALSE, NULL, 0, error);
  self->rows = self->layout ? reel_batch_new (self->layout, self->most, error) : NULL;
  if (self->rows == NULL)
    g_clear_pointer (&self->layout, reel_batch_layout_free);
  return self->rows != NULL;
}

static void
copy_rows (ReelLaneRows *self, gint64 number, gint64 n, gint64 lanes)
{
  gint64 period = reel_storage_get_capacity (self->storage);

  for (gint64 i = 0; i < n; i++)
    self->slots[i] = (number + i * lanes) % period;
  reel_batch_gather (self->layout, self->rows, self->slots, n);
}

/* A storage of items has one lane. */
static ReelTensordict *
read_items (ReelLaneRows *self, gint64 number, gint64 n, GError **error)
{
  g_clear_pointer (&self->rows, reel_tensordict_unref);
  self->rows = reel_replay_buffer_get_numbered_rows (self->buffer, number, n, error);
  return self->rows;
}

ReelTensordict *
reel_lane_rows_read (ReelLaneRows *self, gint64 number, gint64 n, GError **error)
{
  ReelStorageLook look;
  gint64 deadline = 0;

  g_return_val_if_fail (1 <= n && n <= self->most, NULL);

  if (REEL_IS_ITEM_STORAGE (self->storage))
    return read_items (self, number, n, error);
  do
    {
      if (!reel_storage_look (self->storage, &look, error)
          || !check_rows (&look.view, number, n, error)
          || (self->layout == NULL && !make_rows (self, error)))
        return NULL;
      copy_rows (self, number, n, look.view.lanes);
      if (reel_storage_look_again (self->storage, &look) <= number)
        return self->rows;
    }
  while (reel_storage_may_retry (self->storage, &deadline, error));
  return NULL;
}
