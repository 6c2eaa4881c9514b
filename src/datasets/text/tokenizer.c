#include "tokenizer-private.h"

#include <string.h>

G_DEFINE_BOXED_TYPE (ReelTokenizer, reel_tokenizer, reel_tokenizer_ref, reel_tokenizer_unref)

ReelTokenizer *
reel_tokenizer_load (const char *path, GError **error)
{
  g_autoptr (ReelTokenizer) self = g_new0 (ReelTokenizer, 1);

  g_atomic_ref_count_init (&self->refs);
  self->path = g_strdup (path);
  self->classes = reel_char_classes_new ();
  self->cache = reel_word_cache_new ();
  reel_token_table_init (&self->tokens);
  reel_added_tokens_init (&self->added);
  reel_word_merger_init (&self->merger);
  return reel_tokenizer_read (self, error) ? g_steal_pointer (&self) : NULL;
}

ReelTokenizer *
reel_tokenizer_ref (ReelTokenizer *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
reel_tokenizer_unref (ReelTokenizer *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  reel_word_merger_clear (&self->merger);
  reel_added_tokens_clear (&self->added);
  reel_merge_table_clear (&self->merges);
  reel_token_table_clear (&self->tokens);
  g_free (self->cache);
  g_free (self->classes);
  g_free (self->path);
  g_free (self);
}

const char *
reel_tokenizer_get_path (const ReelTokenizer *self)
{
  return self->path;
}

gint64
reel_tokenizer_get_size (const ReelTokenizer *self)
{
  return self->tokens.bytes->len;
}

gint64
reel_tokenizer_find (const ReelTokenizer *self, const char *token, GError **error)
{
  guint32 id;

  if (reel_token_table_find (&self->tokens, token, &id))
    return id;
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "cannot find the token \"%s\": %s lacks it",
               token, self->path);
  return -1;
}

/* The ids of a word: from the cache, or merged. */
static void
encode_word (ReelTokenizer *self, const guint8 *word, gsize length, GArray *ids)
{
  gboolean kept = length <= REEL_CACHED_BYTES;
  ReelCachedWord *slot = kept ? reel_word_cache_slot (self->cache, word, length) : NULL;
  guint first = ids->len;

  if (kept && reel_cached_word_is (slot, word, length))
    {
      g_array_set_size (ids, first + slot->n);
      gint64 *to = (gint64 *) ids->data + first;
      for (guint i = 0; i < slot->n; i++)
        to[i] = slot->ids[i];
      return;
    }
  reel_word_merger_run (&self->merger, &self->merges, self->byte_ids, word, length, ids);
  if (kept)
    reel_cached_word_put (slot, word, length, (gint64 *) ids->data + first, ids->len - first);
}

/* Text between added tokens. Returns the end of what is known. */
static const guint8 *
encode_words (ReelTokenizer *self, const guint8 *at, const guint8 *end, gboolean whole,
              guint max_ids, GArray *ids)
{
  while (at < end && ids->len < max_ids)
    {
      const guint8 *next = reel_word_end (self->classes, at, end);
      if (!whole && end - next < REEL_WORD_SIGHT)
        break;
      encode_word (self, at, (gsize) (next - at), ids);
      at = next;
    }
  return at;
}

gsize
reel_tokenizer_encode_known (ReelTokenizer *self, const guint8 *text, gsize length, gboolean whole,
                             guint max_ids, GArray *ids)
{
  /* Without bytes there may be no pointer. */
  const guint8 *at = text, *end = length > 0 ? text + length : text;

  while (at < end && ids->len < max_ids)
    {
      const ReelAddedToken *token;
      const guint8 *start = reel_added_tokens_find (&self->added, at, end, &token);
      /* A longer token may begin where the text is cut off. */
      gsize reach = MIN ((gsize) (end - at), self->added.longest);
      gboolean certain = whole || (token && (gsize) (end - start) >= self->added.longest);
      const guint8 *limit = certain ? start : MIN (start, end - reach);
      const guint8 *known = encode_words (self, at, limit, certain, max_ids, ids);

      at = known;
      if (!certain || !token || known < start || ids->len >= max_ids)
        break;
      gint64 id = token->id;
      g_array_append_val (ids, id);
      at = start + token->length;
    }
  return length > 0 ? (gsize) (at - text) : 0;
}

gboolean
reel_tokenizer_encode (ReelTokenizer *self, const char *text, gssize length, gint64 max_tokens,
                       GArray *ids, GError **error)
{
  gsize n = length < 0 ? strlen (text) : (gsize) length;
  guint first = ids->len;

  if (n >= REEL_MAX_TEXT)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot encode a text of %" G_GSIZE_FORMAT " bytes at once: feed a stream with "
                   "parts below %" G_GSIZE_FORMAT,
                   n, REEL_MAX_TEXT);
      return FALSE;
    }
  guint limit = max_tokens < 0 || max_tokens > (gint64) n ? G_MAXUINT : first + (guint) max_tokens;
  reel_tokenizer_encode_known (self, (const guint8 *) text, n, TRUE, limit, ids);
  if (ids->len > limit)
    g_array_set_size (ids, limit);
  return TRUE;
}
