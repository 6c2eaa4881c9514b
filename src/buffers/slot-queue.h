/* Row slots that one thread hands to another. Private. */
#pragma once

#include <glib.h>
#include <stdatomic.h>

G_BEGIN_DECLS

/**
 * ReelSlot:
 * @slot: a row slot
 * @row: the number of the row that it held
 */
typedef struct
{
  gint64 slot;
  gint64 row;
} ReelSlot;

/**
 * ReelSlotQueue:
 *
 * First in, first out; one thread puts in, another takes out. Private fields; all zeros hold
 * nothing.
 */
typedef struct
{
  ReelSlot *slots;
  gint64 room;
  _Atomic gint64 n_put;
  _Atomic gint64 n_taken;
} ReelSlotQueue;

/**
 * reel_slot_queue_reset:
 * @self: a queue that no thread uses, or an empty one of which others only ask whether it is
 * @room: most slots to hold; 0 frees its memory
 *
 * Empties it.
 */
void reel_slot_queue_reset (ReelSlotQueue *self, gint64 room);

/**
 * reel_slot_queue_put:
 * @self: a queue
 * @slot: what to put in
 *
 * Returns: whether there was room
 */
gboolean reel_slot_queue_put (ReelSlotQueue *self, ReelSlot slot);

/**
 * reel_slot_queue_peek:
 * @self: a queue
 * @i: how far from the oldest
 * @slot: (out): what lies there
 *
 * The thread that takes out.
 *
 * Returns: whether there is one
 */
gboolean reel_slot_queue_peek (ReelSlotQueue *self, gint64 i, ReelSlot *slot);

/**
 * reel_slot_queue_drop:
 * @self: a queue
 * @n: how many of the oldest to take out
 */
void reel_slot_queue_drop (ReelSlotQueue *self, gint64 n);

G_END_DECLS
