/* One word's tokens by byte-pair encoding: the pair of the smallest rank is merged, the leftmost
 * where there are several, until there is none. A heap of pairs makes it n log n for any length.
 * Private to the library. */
#pragma once

#include "merge-table.h"

G_BEGIN_DECLS

/**
 * ReelSymbol:
 * @id: a token of the word
 * @rank: of the pair with the next symbol, %G_MAXUINT32 without a merge
 * @merged: what the pair becomes
 * @next: the place of the next symbol
 * @previous: the place of the one before
 */
typedef struct
{
  guint32 id;
  guint32 rank;
  guint32 merged;
  guint32 next;
  guint32 previous;
} ReelSymbol;

/**
 * ReelWordMerger:
 * @symbols: #ReelSymbol, in the order of the word
 * @heap: #guint64, the rank of a pair times 2^32 and the place of its left symbol, smallest first
 *
 * Memory that one word after the other uses.
 */
typedef struct
{
  GArray *symbols;
  GArray *heap;
} ReelWordMerger;

/**
 * reel_word_merger_init:
 * @self: (out caller-allocates): empty memory, for reel_word_merger_clear()
 */
void reel_word_merger_init (ReelWordMerger *self);

/**
 * reel_word_merger_clear:
 * @self: memory
 */
void reel_word_merger_clear (ReelWordMerger *self);

/**
 * reel_word_merger_run:
 * @self: the memory
 * @table: the merges
 * @byte_ids: (array fixed-size=256): the token of each byte
 * @word: the bytes, at least 1
 * @length: how many, below 2^31
 * @ids: (element-type gint64): gets the tokens appended
 */
void reel_word_merger_run (ReelWordMerger *self, const ReelMergeTable *table,
                           const guint32 *byte_ids, const guint8 *word, gsize length, GArray *ids);

G_END_DECLS
