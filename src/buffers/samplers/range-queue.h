/* Ranges of rows, put in behind and taken out in front, each found by its place. Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * REEL_RANGE_BLOCK:
 *
 * Ranges that lie together: memory comes and goes in blocks of as many.
 */
#define REEL_RANGE_BLOCK 1024

/**
 * ReelRange:
 * @first_row: number of the first row
 * @last_row: of the last
 */
typedef struct
{
  gint64 first_row;
  gint64 last_row;
} ReelRange;

/**
 * ReelRangeQueue:
 * @blocks: (array length=n_blocks): the ranges
 * @n_blocks: blocks, some behind the last range perhaps without any
 * @room: for blocks at @blocks
 * @head: the first range's place in the first block
 * @n: ranges
 * @spare: (nullable): a block that is empty
 *
 * All zeros is empty. 16 bytes a range, a pointer a block, and at most three blocks that are not
 * full, unless it was emptied with more.
 */
typedef struct
{
  ReelRange **blocks;
  gint64 n_blocks;
  gint64 room;
  gint64 head;
  gint64 n;
  ReelRange *spare;
} ReelRangeQueue;

/**
 * reel_range_queue_at:
 * @queue: a queue
 * @k: a place, below @queue->n; 0 is the front
 *
 * Returns: (transfer none): the range there
 */
static inline const ReelRange *
reel_range_queue_at (const ReelRangeQueue *queue, gint64 k)
{
  guint64 place = (guint64) (queue->head + k);

  return &queue->blocks[place / REEL_RANGE_BLOCK][place % REEL_RANGE_BLOCK];
}

/**
 * reel_range_queue_push:
 * @queue: a queue
 * @range: what to put behind the last
 * @error: NO_SPACE
 *
 * Returns: whether it was put
 */
gboolean reel_range_queue_push (ReelRangeQueue *queue, ReelRange range, GError **error);

/**
 * reel_range_queue_pop:
 * @queue: a queue that is not empty
 *
 * Takes the front away.
 */
void reel_range_queue_pop (ReelRangeQueue *queue);

/**
 * reel_range_queue_empty:
 * @queue: a queue
 *
 * Takes all away, and keeps the memory for as many again.
 */
void reel_range_queue_empty (ReelRangeQueue *queue);

/**
 * reel_range_queue_clear:
 * @queue: a queue
 *
 * Takes all away, and gives back the memory.
 */
void reel_range_queue_clear (ReelRangeQueue *queue);

G_END_DECLS
