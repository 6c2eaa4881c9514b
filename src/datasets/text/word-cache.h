/* Tokens of words that were met before. A word has one slot, a cache line, and takes it from
 * another: the cache never grows. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * REEL_CACHED_BYTES:
 * REEL_CACHED_TOKENS:
 *
 * Words that are longer, or have more tokens, are not kept.
 */
#define REEL_CACHED_BYTES 22
#define REEL_CACHED_TOKENS 10

/**
 * ReelCachedWord:
 * @length: bytes of the word, 0 in a free slot
 * @n: its tokens
 * @word: the bytes
 * @ids: the tokens
 */
typedef struct
{
  guint8 length;
  guint8 n;
  guint8 word[REEL_CACHED_BYTES];
  guint32 ids[REEL_CACHED_TOKENS];
} ReelCachedWord;

/**
 * reel_word_cache_new:
 *
 * Returns: (transfer full): an empty cache of 2 MB; free with g_free()
 */
ReelCachedWord *reel_word_cache_new (void);

/**
 * reel_word_cache_slot:
 * @self: a cache
 * @word: the bytes of a word
 * @length: how many, at most %REEL_CACHED_BYTES and at least 1
 *
 * Returns: (transfer none): the slot of the word
 */
ReelCachedWord *reel_word_cache_slot (ReelCachedWord *self, const guint8 *word, gsize length);

/**
 * reel_cached_word_is:
 * @self: the slot of the word
 * @word: its bytes
 * @length: how many
 *
 * Returns: whether the slot holds its tokens
 */
gboolean reel_cached_word_is (const ReelCachedWord *self, const guint8 *word, gsize length);

/**
 * reel_cached_word_put:
 * @self: the slot of the word
 * @word: its bytes
 * @length: how many
 * @ids: (array length=n): its tokens
 * @n: how many; more than %REEL_CACHED_TOKENS are not kept
 */
void reel_cached_word_put (ReelCachedWord *self, const guint8 *word, gsize length,
                           const gint64 *ids, gsize n);

G_END_DECLS
