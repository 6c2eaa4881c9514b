/* Ids of tokens back to text. */
#include "tokenizer-private.h"

/* Bytes of the longest beginning of a UTF-8 sequence at @at: all of it where @whole. */
static gsize
sequence_at (const guint8 *at, gsize room, gboolean *whole)
{
  guint8 first = *at, low = 0x80, high = 0xbf;
  gsize length = first < 0x80   ? 1
                 : first < 0xc2 ? 0
                 : first < 0xe0 ? 2
                 : first < 0xf0 ? 3
                 : first < 0xf5 ? 4
                                : 0;

  low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (gsize i = 1; i < length; i++, low = 0x80, high = 0xbf)
    if (i == room || at[i] < low || at[i] > high)
      {
        *whole = FALSE;
        return i;
      }
  *whole = length > 0;
  return MAX (length, 1);
}

/* The bytes as UTF-8, with a NUL behind them. */
static GString *
make_valid (const GByteArray *bytes)
{
  GString *text = g_string_sized_new (bytes->len + 1);

  for (gsize at = 0; at < bytes->len;)
    {
      gboolean whole;
      gsize n = sequence_at (bytes->data + at, bytes->len - at, &whole);
      if (whole)
        g_string_append_len (text, (const char *) bytes->data + at, (gssize) n);
      else
        g_string_append (text, "\357\277\275");
      at += n;
    }
  return text;
}

char *
reel_tokenizer_decode (const ReelTokenizer *self, const gint64 *ids, gsize n, gboolean skip_special,
                       gsize *length, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (gsize i = 0; i < n; i++)
    {
      GBytes *token = reel_token_table_get (&self->tokens, ids[i]);
      if (!token)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                       "cannot decode the id %" G_GINT64_FORMAT ": the ids of %s are below "
                       "%" G_GINT64_FORMAT,
                       ids[i], self->path, reel_tokenizer_get_size (self));
          return NULL;
        }
      const ReelAddedToken *added =
          skip_special ? reel_added_tokens_by_id (&self->added, (guint32) ids[i]) : NULL;
      if (added && added->special)
        continue;
      gsize n_bytes;
      const guint8 *data = g_bytes_get_data (token, &n_bytes);
      g_byte_array_append (bytes, data, (guint) n_bytes);
    }
  GString *text = make_valid (bytes);
  if (length)
    *length = text->len;
  return g_string_free (text, FALSE);
}
