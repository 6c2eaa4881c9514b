/* A ring of one producer and one consumer: each writes one counter, whose release hands a row over
 * or its place back. */
#include "row-queue.h"

void
reel_row_queue_reset (ReelRowQueue *self, gint64 room)
{
  g_free (self->rows);
  self->rows = room > 0 ? g_new (gint64, room) : NULL;
  self->room = room;
  atomic_store (&self->n_put, 0);
  atomic_store (&self->n_taken, 0);
}

gboolean
reel_row_queue_put (ReelRowQueue *self, gint64 row)
{
  gint64 n_put = atomic_load_explicit (&self->n_put, memory_order_relaxed);

  if (n_put - atomic_load_explicit (&self->n_taken, memory_order_acquire) == self->room)
    return FALSE;
  self->rows[n_put % self->room] = row;
  atomic_store_explicit (&self->n_put, n_put + 1, memory_order_release);
  return TRUE;
}

gboolean
reel_row_queue_peek (ReelRowQueue *self, gint64 i, gint64 *row)
{
  gint64 at = atomic_load_explicit (&self->n_taken, memory_order_relaxed) + i;

  if (at >= atomic_load_explicit (&self->n_put, memory_order_acquire))
    return FALSE;
  *row = self->rows[at % self->room];
  return TRUE;
}

gint64
reel_row_queue_copy (const ReelRowQueue *self, gint64 *rows)
{
  gint64 n_taken = atomic_load_explicit (&self->n_taken, memory_order_acquire);
  gint64 n_put = atomic_load_explicit (&self->n_put, memory_order_relaxed);

  for (gint64 at = n_taken; at < n_put; at++)
    rows[at - n_taken] = self->rows[at % self->room];
  return n_put - n_taken;
}

void
reel_row_queue_drop (ReelRowQueue *self, gint64 n)
{
  gint64 n_taken = atomic_load_explicit (&self->n_taken, memory_order_relaxed);

  atomic_store_explicit (&self->n_taken, n_taken + n, memory_order_release);
}
