/* Text in parts: bytes wait until their ids are certain. */
#include "tokenizer-private.h"

struct _ReelTokenStream
{
  ReelTokenizer *tokenizer;
  GByteArray *waiting;
  guint worthwhile; /* bytes that must wait before the next look */
};

ReelTokenStream *
reel_token_stream_new (ReelTokenizer *tokenizer)
{
  ReelTokenStream *self = g_new0 (ReelTokenStream, 1);

  self->tokenizer = reel_tokenizer_ref (tokenizer);
  self->waiting = g_byte_array_new ();
  return self;
}

void
reel_token_stream_free (ReelTokenStream *self)
{
  g_byte_array_unref (self->waiting);
  reel_tokenizer_unref (self->tokenizer);
  g_free (self);
}

/* Encodes what is certain. A word that goes on is looked at again when it is twice as long, so that
 * the work is in proportion to the text. */
static void
encode_certain (ReelTokenStream *self, gboolean whole, GArray *ids)
{
  gsize known = reel_tokenizer_encode_known (self->tokenizer, self->waiting->data,
                                             self->waiting->len, whole, G_MAXUINT, ids);

  g_byte_array_remove_range (self->waiting, 0, (guint) known);
  self->worthwhile = 2 * self->waiting->len;
}

gboolean
reel_token_stream_feed (ReelTokenStream *self, const char *part, gsize length, GArray *ids,
                        GError **error)
{
  const gsize step = REEL_MAX_TEXT / 4;

  for (gsize at = 0; at < length; at += step)
    {
      gsize n = MIN (step, length - at);
      if (self->waiting->len + n >= REEL_MAX_TEXT)
        encode_certain (self, FALSE, ids);
      if (self->waiting->len + n >= REEL_MAX_TEXT)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "cannot encode a word of more than %" G_GSIZE_FORMAT " bytes",
                       REEL_MAX_TEXT);
          return FALSE;
        }
      g_byte_array_append (self->waiting, (const guint8 *) part + at, (guint) n);
      if (self->waiting->len >= self->worthwhile)
        encode_certain (self, FALSE, ids);
    }
  return TRUE;
}

void
reel_token_stream_end (ReelTokenStream *self, GArray *ids)
{
  encode_certain (self, TRUE, ids);
}
