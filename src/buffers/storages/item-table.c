/* Chunks of slots that double and never move, each slot a pointer with a lock in its lowest bit. */
#include "item-table.h"

#include "../../core/object/error.h"

#include <sched.h>
#include <stdint.h>

#define FIRST 64 /* slots of the first chunk */
/* In a slot: a thread is at it. Values are aligned, so the bit is free. */
#define BUSY ((uintptr_t) 1)
#define SPINS 100

/* ---- values ---- */

ReelStoredValue *
reel_stored_value_new (ReelTensordict *td, GPtrArray *packed)
{
  ReelStoredValue *value = g_new0 (ReelStoredValue, 1);

  atomic_init (&value->ref_count, 1);
  value->td = td;
  value->packed = packed;
  return value;
}

ReelStoredValue *
reel_stored_value_ref (ReelStoredValue *value)
{
  atomic_fetch_add_explicit (&value->ref_count, 1, memory_order_relaxed);
  return value;
}

void
reel_stored_value_unref (ReelStoredValue *value)
{
  if (!value || atomic_fetch_sub_explicit (&value->ref_count, 1, memory_order_acq_rel) > 1)
    return;
  reel_tensordict_unref (value->td);
  g_clear_pointer (&value->packed, g_ptr_array_unref);
  g_free (value);
}

/* ---- where slots are ---- */

/* Chunk k holds FIRST << k slots, from FIRST × (2^k − 1) on. */
static gint
chunk_of (gint64 slot)
{
  return 63 - __builtin_clzll ((guint64) slot / FIRST + 1);
}

static gint64
chunk_begin (gint chunk)
{
  return FIRST * (((gint64) 1 << chunk) - 1);
}

/* %NULL where there is no room for it. */
static atomic_uintptr_t *
find_slot (ReelItemTable *self, gint64 slot)
{
  gint chunk = chunk_of (slot);
  atomic_uintptr_t *slots = atomic_load_explicit (&self->chunks[chunk], memory_order_acquire);

  return slots ? &slots[slot - chunk_begin (chunk)] : NULL;
}

gboolean
reel_item_table_reserve (ReelItemTable *self, gint64 first, gint64 n, GError **error)
{
  for (gint chunk = chunk_of (first); chunk <= chunk_of (first + n - 1); chunk++)
    {
      gint64 room = (gint64) FIRST << chunk;
      atomic_uintptr_t *slots;

      if (atomic_load_explicit (&self->chunks[chunk], memory_order_relaxed))
        continue;
      slots = g_try_new0 (atomic_uintptr_t, room);
      if (!slots)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                       "no memory for the slots of %" G_GINT64_FORMAT " more values", room);
          return FALSE;
        }
      /* Release: readers find the slots zeroed. */
      atomic_store_explicit (&self->chunks[chunk], slots, memory_order_release);
    }
  return TRUE;
}

/* ---- taking and replacing ---- */

static ReelStoredValue *
take_hold (atomic_uintptr_t *slot)
{
  for (guint tries = 1;; tries++)
    {
      /* The exchange expects a slot that nobody holds, and so fails while one does. */
      uintptr_t held = atomic_load_explicit (slot, memory_order_relaxed) & ~BUSY;

      if (atomic_compare_exchange_weak_explicit (slot, &held, held | BUSY, memory_order_acquire,
                                                 memory_order_relaxed))
        return (ReelStoredValue *) held;
      if (tries % SPINS == 0)
        sched_yield (); /* who holds it lost its CPU */
    }
}

static void
let_go (atomic_uintptr_t *slot, ReelStoredValue *value)
{
  atomic_store_explicit (slot, (uintptr_t) value, memory_order_release);
}

void
reel_item_table_put (ReelItemTable *self, gint64 slot, ReelStoredValue *value)
{
  atomic_uintptr_t *at = find_slot (self, slot);
  ReelStoredValue *old = take_hold (at);

  let_go (at, value);
  /* A reader that found the old value took its reference before it let the slot go. */
  reel_stored_value_unref (old);
}

ReelStoredValue *
reel_item_table_get (ReelItemTable *self, gint64 slot)
{
  atomic_uintptr_t *at = find_slot (self, slot);
  ReelStoredValue *value;

  if (!at)
    return NULL;
  value = take_hold (at);
  if (value)
    reel_stored_value_ref (value);
  let_go (at, value);
  return value;
}

void
reel_item_table_clear (ReelItemTable *self)
{
  for (gint chunk = 0; chunk < REEL_VALUE_CHUNKS; chunk++)
    if (atomic_load (&self->chunks[chunk]))
      for (gint64 i = 0; i < (gint64) FIRST << chunk; i++)
        reel_item_table_put (self, chunk_begin (chunk) + i, NULL);
}

void
reel_item_table_free (ReelItemTable *self)
{
  reel_item_table_clear (self);
  for (gint chunk = 0; chunk < REEL_VALUE_CHUNKS; chunk++)
    g_free (atomic_exchange (&self->chunks[chunk], NULL));
}
