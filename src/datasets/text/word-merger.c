#include "word-merger.h"

#define NO_RANK G_MAXUINT32
#define NOWHERE G_MAXUINT32

void
reel_word_merger_init (ReelWordMerger *self)
{
  self->symbols = g_array_new (FALSE, FALSE, sizeof (ReelSymbol));
  self->heap = g_array_new (FALSE, FALSE, sizeof (guint64));
}

void
reel_word_merger_clear (ReelWordMerger *self)
{
  g_clear_pointer (&self->symbols, g_array_unref);
  g_clear_pointer (&self->heap, g_array_unref);
}

static void
heap_push (GArray *heap, guint64 entry)
{
  g_array_append_val (heap, entry);
  guint64 *entries = (guint64 *) heap->data;
  gsize at = heap->len - 1;

  for (; at > 0 && entries[(at - 1) / 2] > entry; at = (at - 1) / 2)
    entries[at] = entries[(at - 1) / 2];
  entries[at] = entry;
}

static guint64
heap_pop (GArray *heap)
{
  guint64 *entries = (guint64 *) heap->data, first = entries[0], last = entries[heap->len - 1];
  gsize n = heap->len - 1, at = 0;

  g_array_set_size (heap, (guint) n);
  for (gsize child = 1; child < n; child = 2 * at + 1)
    {
      child += child + 1 < n && entries[child + 1] < entries[child];
      if (entries[child] >= last)
        break;
      entries[at] = entries[child];
      at = child;
    }
  if (n > 0)
    entries[at] = last;
  return first;
}

/* The pair that begins at a symbol is another one now. */
static void
rate_pair (ReelWordMerger *self, const ReelMergeTable *table, guint32 at)
{
  ReelSymbol *symbols = (ReelSymbol *) self->symbols->data, *left = &symbols[at];
  const ReelMerge *merge = NULL;

  if (left->next != NOWHERE)
    merge = reel_merge_table_find (table, reel_merge_pair (left->id, symbols[left->next].id));
  left->rank = merge ? merge->rank : NO_RANK;
  if (!merge)
    return;
  left->merged = merge->id;
  heap_push (self->heap, (guint64) merge->rank << 32 | at);
}

static void
merge_pair (ReelWordMerger *self, const ReelMergeTable *table, guint32 at)
{
  ReelSymbol *symbols = (ReelSymbol *) self->symbols->data, *left = &symbols[at];
  ReelSymbol *right = &symbols[left->next];

  left->id = left->merged;
  left->next = right->next;
  right->rank = NO_RANK;
  if (left->next != NOWHERE)
    symbols[left->next].previous = at;
  rate_pair (self, table, at);
  if (left->previous != NOWHERE)
    rate_pair (self, table, left->previous);
}

static void
take_bytes (ReelWordMerger *self, const ReelMergeTable *table, const guint32 *byte_ids,
            const guint8 *word, guint32 n)
{
  g_array_set_size (self->heap, 0);
  g_array_set_size (self->symbols, n);
  ReelSymbol *symbols = (ReelSymbol *) self->symbols->data;

  for (guint32 i = 0; i < n; i++)
    symbols[i] = (ReelSymbol){ .id = byte_ids[word[i]],
                               .rank = NO_RANK,
                               .next = i + 1 < n ? i + 1 : NOWHERE,
                               .previous = i > 0 ? i - 1 : NOWHERE };
  for (guint32 i = 0; i + 1 < n; i++)
    rate_pair (self, table, i);
}

void
reel_word_merger_run (ReelWordMerger *self, const ReelMergeTable *table, const guint32 *byte_ids,
                      const guint8 *word, gsize length, GArray *ids)
{
  take_bytes (self, table, byte_ids, word, (guint32) length);
  const ReelSymbol *symbols = (const ReelSymbol *) self->symbols->data;

  while (self->heap->len > 0)
    {
      guint64 entry = heap_pop (self->heap);
      guint32 at = (guint32) entry;
      /* A pair of which a symbol was merged meanwhile has another rank, or none. */
      if (symbols[at].rank == entry >> 32)
        merge_pair (self, table, at);
    }
  for (guint32 at = 0; at != NOWHERE; at = symbols[at].next)
    {
      gint64 id = symbols[at].id;
      g_array_append_val (ids, id);
    }
}
