/* Numbers of rows that one thread hands to another. Private. */
#pragma once

#include <glib.h>
#include <stdatomic.h>

G_BEGIN_DECLS

/**
 * ReelRowQueue:
 *
 * First in, first out; one thread puts in, another takes out. Private fields; all zeros hold
 * nothing.
 */
typedef struct
{
  gint64 *rows;
  gint64 room;
  _Atomic gint64 n_put;
  _Atomic gint64 n_taken;
} ReelRowQueue;

/**
 * reel_row_queue_reset:
 * @self: a queue that no thread uses, or an empty one of which others only ask whether it is
 * @room: most to hold; 0 frees its memory
 *
 * Empties it.
 */
void reel_row_queue_reset (ReelRowQueue *self, gint64 room);

/**
 * reel_row_queue_put:
 * @self: a queue
 * @row: what to put in
 *
 * Returns: whether there was room
 */
gboolean reel_row_queue_put (ReelRowQueue *self, gint64 row);

/**
 * reel_row_queue_peek:
 * @self: a queue
 * @i: how far from the oldest
 * @row: (out): what lies there
 *
 * The thread that takes out.
 *
 * Returns: whether there is one
 */
gboolean reel_row_queue_peek (ReelRowQueue *self, gint64 i, gint64 *row);

/**
 * reel_row_queue_copy:
 * @self: a queue
 * @rows: (out caller-allocates): room for as many as it holds at most
 *
 * The thread that puts in.
 *
 * Returns: how many lie there; @rows has them, oldest first
 */
gint64 reel_row_queue_copy (const ReelRowQueue *self, gint64 *rows);

/**
 * reel_row_queue_drop:
 * @self: a queue
 * @n: how many of the oldest to take out
 */
void reel_row_queue_drop (ReelRowQueue *self, gint64 n);

G_END_DECLS
