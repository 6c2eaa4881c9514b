/* A queue of ranges in blocks of one size, so that each is found by its place with a division. */
#include "range-queue.h"

#include "../../core/object/error.h"

#include <string.h>

static gboolean
set_no_memory (GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                       "there is no memory for the bounds of trajectories");
  return FALSE;
}

static gboolean
add_block (ReelRangeQueue *queue, GError **error)
{
  if (queue->n_blocks == queue->room)
    {
      gint64 room = MAX (8, 2 * queue->room);
      ReelRange **blocks = g_try_renew (ReelRange *, queue->blocks, room);
      if (!blocks)
        return set_no_memory (error);
      queue->blocks = blocks;
      queue->room = room;
    }
  if (!queue->spare)
    queue->spare = g_try_new (ReelRange, REEL_RANGE_BLOCK);
  if (!queue->spare)
    return set_no_memory (error);
  queue->blocks[queue->n_blocks++] = g_steal_pointer (&queue->spare);
  return TRUE;
}

gboolean
reel_range_queue_push (ReelRangeQueue *queue, ReelRange range, GError **error)
{
  gint64 place = queue->head + queue->n;

  if (place == queue->n_blocks * REEL_RANGE_BLOCK && !add_block (queue, error))
    return FALSE;
  queue->blocks[place / REEL_RANGE_BLOCK][place % REEL_RANGE_BLOCK] = range;
  queue->n++;
  return TRUE;
}

void
reel_range_queue_pop (ReelRangeQueue *queue)
{
  queue->n--;
  if (++queue->head < REEL_RANGE_BLOCK)
    return;
  queue->head = 0;
  g_free (queue->spare);
  /* One empty block is kept: a queue that is pushed as often as popped allocates nothing. */
  queue->spare = queue->blocks[0];
  queue->n_blocks--;
  memmove (queue->blocks, queue->blocks + 1, (gsize) queue->n_blocks * sizeof *queue->blocks);
}

void
reel_range_queue_empty (ReelRangeQueue *queue)
{
  queue->head = 0;
  queue->n = 0;
}

void
reel_range_queue_clear (ReelRangeQueue *queue)
{
  for (gint64 i = 0; i < queue->n_blocks; i++)
    g_free (queue->blocks[i]);
  g_free (queue->blocks);
  g_free (queue->spare);
  *queue = (ReelRangeQueue){ 0 };
}
