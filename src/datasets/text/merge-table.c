#include "merge-table.h"

void
reel_merge_table_init (ReelMergeTable *self, gsize n)
{
  gsize n_slots = 16;

  while (n_slots < 2 * n + 1)
    n_slots *= 2;
  self->mask = n_slots - 1;
  self->slots = g_new (ReelMerge, n_slots);
  for (gsize i = 0; i < n_slots; i++)
    self->slots[i].pair = REEL_NO_PAIR;
}

void
reel_merge_table_set (ReelMergeTable *self, ReelMerge merge)
{
  gsize slot = reel_merge_hash (merge.pair) & self->mask;

  while (self->slots[slot].pair != merge.pair && self->slots[slot].pair != REEL_NO_PAIR)
    slot = (slot + 1) & self->mask;
  self->slots[slot] = merge;
}

void
reel_merge_table_clear (ReelMergeTable *self)
{
  g_clear_pointer (&self->slots, g_free);
}
