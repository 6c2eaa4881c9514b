/* A binary heap in the layout of Python's heapq, so that TorchRL's files can hold it. */
#include "rank-heap.h"

static gboolean
is_less (ReelRank a, ReelRank b)
{
  return a.rank < b.rank || (a.rank == b.rank && a.slot < b.slot);
}

void
reel_rank_heap_clear (ReelRankHeap *heap)
{
  g_free (heap->ranks);
  *heap = (ReelRankHeap){ NULL };
}

/* Moves @rank from @hole up to its place, not above @top. */
static void
rise (ReelRank *ranks, gint64 top, gint64 hole, ReelRank rank)
{
  while (hole > top && is_less (rank, ranks[(hole - 1) / 2]))
    {
      ranks[hole] = ranks[(hole - 1) / 2];
      hole = (hole - 1) / 2;
    }
  ranks[hole] = rank;
}

void
reel_rank_heap_push (ReelRankHeap *heap, ReelRank rank)
{
  if (heap->n == heap->room)
    {
      heap->room = MAX (2 * heap->room, 16);
      heap->ranks = g_renew (ReelRank, heap->ranks, heap->room);
    }
  heap->n++;
  rise (heap->ranks, 0, heap->n - 1, rank);
}

/* The hole at the top sinks to a leaf along the lesser children, and the last rank rises from
 * there: fewer comparisons than to stop on the way, for it was a leaf before. */
ReelRank
reel_rank_heap_pop (ReelRankHeap *heap)
{
  ReelRank least = heap->ranks[0], last = heap->ranks[--heap->n];
  gint64 hole = 0, child;

  for (; (child = 2 * hole + 1) < heap->n; hole = child)
    {
      if (child + 1 < heap->n && !is_less (heap->ranks[child], heap->ranks[child + 1]))
        child++;
      heap->ranks[hole] = heap->ranks[child];
    }
  if (heap->n > 0)
    rise (heap->ranks, 0, hole, last);
  return least;
}

gboolean
reel_rank_heap_take (ReelRankHeap *heap, const gint64 *ranks, const gint64 *slots, gint64 n)
{
  heap->n = 0;
  for (gint64 i = 0; i < n; i++)
    {
      ReelRank rank = { ranks[slots[i]], slots[i] };

      /* An order that is no heap of these ranks is refused. */
      if (i > 0 && is_less (rank, heap->ranks[(i - 1) / 2]))
        {
          heap->n = 0;
          return FALSE;
        }
      reel_rank_heap_push (heap, rank);
    }
  return TRUE;
}
