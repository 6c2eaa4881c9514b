/* The vocabulary: bytes of each token, by id and by text. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * REEL_MAX_TOKEN_ID:
 *
 * A file with larger ids is damaged.
 */
#define REEL_MAX_TOKEN_ID ((gint64) 0xffffff)

/**
 * ReelTokenTable:
 * @ids: the texts of the file, as keys, and their ids
 * @bytes: the bytes of the text that token i is, a #GBytes or %NULL
 */
typedef struct
{
  GHashTable *ids;
  GPtrArray *bytes;
} ReelTokenTable;

/**
 * reel_token_table_init:
 * @self: (out caller-allocates): a table without tokens, for reel_token_table_clear()
 */
void reel_token_table_init (ReelTokenTable *self);

/**
 * reel_token_table_clear:
 * @self: a table
 */
void reel_token_table_clear (ReelTokenTable *self);

/**
 * reel_token_table_add:
 * @self: a table
 * @name: the token in the file, where printable characters stand for bytes
 * @id: its id
 * @is_text: whether @name is the text itself, as those of added tokens are
 *
 * Returns: FALSE where the id, or the name with another id, is there
 */
gboolean reel_token_table_add (ReelTokenTable *self, const char *name, guint32 id,
                               gboolean is_text);

/**
 * reel_token_table_find:
 * @self: a table
 * @name: a token as it is in the file
 * @id: (out): its id
 *
 * Returns: whether it is there
 */
gboolean reel_token_table_find (const ReelTokenTable *self, const char *name, guint32 *id);

/**
 * reel_token_table_get:
 * @self: a table
 * @id: any number
 *
 * Returns: (transfer none) (nullable): the bytes of that token
 */
GBytes *reel_token_table_get (const ReelTokenTable *self, gint64 id);

/**
 * reel_byte_char:
 * @byte: a byte
 *
 * Bytes that print are their own characters; the other 68 are those from U+0100 on, in order. The
 * source is OpenAI's encoder of GPT-2.
 *
 * Returns: the character by which vocabularies write it
 */
gunichar reel_byte_char (guint8 byte);

G_END_DECLS
