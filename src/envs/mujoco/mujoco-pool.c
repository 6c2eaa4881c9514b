#include "mujoco-pool.h"

/* As many as a collector has threads. */
#define MOST_SLOTS 1024

struct _ReelMujocoPool
{
  gsize n_slots;
  ReelMujocoSlot slots[];
};

ReelMujocoPool *
reel_mujoco_pool_new (gint64 n_lanes)
{
  gsize n_slots = (gsize) MIN (n_lanes, MOST_SLOTS);
  ReelMujocoPool *self = g_malloc0 (sizeof *self + n_slots * sizeof *self->slots);

  self->n_slots = n_slots;
  return self;
}

void
reel_mujoco_pool_free (ReelMujocoPool *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < self->n_slots; i++)
    {
      reel_mujoco_painter_free (self->slots[i].painter);
      if (self->slots[i].data != NULL)
        mj_deleteData (self->slots[i].data);
    }
  g_free (self);
}

ReelMujocoSlot *
reel_mujoco_pool_take (ReelMujocoPool *self)
{
  static _Thread_local gsize last;

  for (;; last++)
    {
      last %= self->n_slots;

      ReelMujocoSlot *slot = &self->slots[last];
      int no = FALSE;

      if (atomic_compare_exchange_strong (&slot->taken, &no, TRUE))
        return slot;
    }
}

void
reel_mujoco_pool_give (ReelMujocoSlot *slot)
{
  atomic_store_explicit (&slot->taken, FALSE, memory_order_release);
}
