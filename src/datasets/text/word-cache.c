#include "word-cache.h"

#include <string.h>

#define SLOT_BITS 15

ReelCachedWord *
reel_word_cache_new (void)
{
  return g_new0 (ReelCachedWord, 1 << SLOT_BITS);
}

static guint64
mix (guint64 hash, guint64 bytes)
{
  hash = (hash ^ bytes) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

ReelCachedWord *
reel_word_cache_slot (ReelCachedWord *self, const guint8 *word, gsize length)
{
  guint64 hash = length, bytes;

  for (; length >= sizeof bytes; word += sizeof bytes, length -= sizeof bytes)
    {
      memcpy (&bytes, word, sizeof bytes);
      hash = mix (hash, bytes);
    }
  bytes = 0;
  memcpy (&bytes, word, length);
  hash = mix (hash, bytes);
  return &self[hash * G_GUINT64_CONSTANT (0xd6e8feb86659fd93) >> (64 - SLOT_BITS)];
}

gboolean
reel_cached_word_is (const ReelCachedWord *self, const guint8 *word, gsize length)
{
  return self->length == length && memcmp (self->word, word, length) == 0;
}

void
reel_cached_word_put (ReelCachedWord *self, const guint8 *word, gsize length, const gint64 *ids,
                      gsize n)
{
  if (n > REEL_CACHED_TOKENS)
    return;
  self->length = (guint8) length;
  self->n = (guint8) n;
  memcpy (self->word, word, length);
  for (gsize i = 0; i < n; i++)
    self->ids[i] = (guint32) ids[i];
}
