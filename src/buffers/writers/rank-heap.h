/* Slots by their ranks, the least on top. Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelRank:
 * @rank: the greater the better
 * @slot: whose it is; of equal ranks the lower slot is the lesser
 */
typedef struct
{
  gint64 rank;
  gint64 slot;
} ReelRank;

/**
 * ReelRankHeap:
 * @ranks: (array length=n): a binary heap; children of i are 2i + 1 and 2i + 2
 * @n: how many
 *
 * Pushes and pops leave the array as Python's heapq leaves it, which is what TorchRL's files hold.
 * All zeros is an empty one.
 */
typedef struct
{
  ReelRank *ranks;
  gint64 n;
  gint64 room;
} ReelRankHeap;

/**
 * reel_rank_heap_clear:
 * @heap: a heap, which is empty and holds no memory afterwards
 */
void reel_rank_heap_clear (ReelRankHeap *heap);

/**
 * reel_rank_heap_push:
 * @heap: a heap
 * @rank: what comes in
 */
void reel_rank_heap_push (ReelRankHeap *heap, ReelRank rank);

/**
 * reel_rank_heap_pop:
 * @heap: a heap that is not empty
 *
 * Returns: the least, which is taken out
 */
ReelRank reel_rank_heap_pop (ReelRankHeap *heap);

/**
 * reel_rank_heap_take:
 * @heap: a heap
 * @ranks: the rank of each slot
 * @slots: (array length=n): what it is to hold, in this order
 * @n: how many
 *
 * Returns: whether that is a heap; else it is empty
 */
gboolean reel_rank_heap_take (ReelRankHeap *heap, const gint64 *ranks, const gint64 *slots,
                              gint64 n);

G_END_DECLS
