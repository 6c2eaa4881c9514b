#include "slot-queue.h"

void
reel_slot_queue_reset (ReelSlotQueue *self, gint64 room)
{
  g_free (self->slots);
  self->slots = room > 0 ? g_new (ReelSlot, room) : NULL;
  self->room = room;
  atomic_store (&self->n_put, 0);
  atomic_store (&self->n_taken, 0);
}

gboolean
reel_slot_queue_put (ReelSlotQueue *self, ReelSlot slot)
{
  gint64 n_put = atomic_load_explicit (&self->n_put, memory_order_relaxed);

  if (n_put - atomic_load_explicit (&self->n_taken, memory_order_acquire) == self->room)
    return FALSE;
  self->slots[n_put % self->room] = slot;
  atomic_store_explicit (&self->n_put, n_put + 1, memory_order_release);
  return TRUE;
}

gboolean
reel_slot_queue_peek (ReelSlotQueue *self, gint64 i, ReelSlot *slot)
{
  gint64 at = atomic_load_explicit (&self->n_taken, memory_order_relaxed) + i;

  if (at >= atomic_load_explicit (&self->n_put, memory_order_acquire))
    return FALSE;
  *slot = self->slots[at % self->room];
  return TRUE;
}

void
reel_slot_queue_drop (ReelSlotQueue *self, gint64 n)
{
  gint64 n_taken = atomic_load_explicit (&self->n_taken, memory_order_relaxed);

  atomic_store_explicit (&self->n_taken, n_taken + n, memory_order_release);
}
