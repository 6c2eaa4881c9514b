/* The merges of a byte-pair encoding: what two neighbouring tokens become, and how early. Private
 * to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelMerge:
 * @pair: the left token's id times 2^32, and the right one's
 * @rank: the smallest is merged first
 * @id: the token that they become
 */
typedef struct
{
  guint64 pair;
  guint32 rank;
  guint32 id;
} ReelMerge;

/**
 * ReelMergeTable:
 * @slots: merges at the slots that their pairs hash to, or behind; at least one is free
 * @mask: number of slots less 1
 */
typedef struct
{
  ReelMerge *slots;
  gsize mask;
} ReelMergeTable;

#define REEL_NO_PAIR G_MAXUINT64

static inline guint64
reel_merge_pair (guint32 left, guint32 right)
{
  return (guint64) left << 32 | right;
}

static inline gsize
reel_merge_hash (guint64 pair)
{
  return (gsize) ((pair * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 29);
}

/**
 * reel_merge_table_find:
 * @self: a table
 * @pair: two ids
 *
 * Returns: (nullable): their merge
 */
static inline const ReelMerge *
reel_merge_table_find (const ReelMergeTable *self, guint64 pair)
{
  gsize slot = reel_merge_hash (pair) & self->mask;

  while (self->slots[slot].pair != pair)
    {
      if (self->slots[slot].pair == REEL_NO_PAIR)
        return NULL;
      slot = (slot + 1) & self->mask;
    }
  return &self->slots[slot];
}

/**
 * reel_merge_table_init:
 * @self: (out caller-allocates): an empty table
 * @n: the most merges that it is going to hold
 */
void reel_merge_table_init (ReelMergeTable *self, gsize n);

/**
 * reel_merge_table_set:
 * @self: a table
 * @merge: a merge, which replaces one of the same pair
 */
void reel_merge_table_set (ReelMergeTable *self, ReelMerge merge);

/**
 * reel_merge_table_clear:
 * @self: a table, or zeros
 */
void reel_merge_table_clear (ReelMergeTable *self);

G_END_DECLS
