/* Tokens that are found in the text before it is cut into words, such as `<|endoftext|>`. Private
 * to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelAddedToken:
 * @content: its text
 * @length: bytes of it, at least 1
 * @id: its id
 * @special: whether decoding may leave it out
 */
typedef struct
{
  char *content;
  gsize length;
  guint32 id;
  gboolean special;
} ReelAddedToken;

/**
 * ReelAddedTokens:
 * @tokens: #ReelAddedToken, the longest first
 * @begins: whether one begins with a byte
 * @longest: bytes of the longest, 0 without tokens
 */
typedef struct
{
  GArray *tokens;
  gboolean begins[256];
  gsize longest;
} ReelAddedTokens;

/**
 * reel_added_tokens_init:
 * @self: (out caller-allocates): no tokens, for reel_added_tokens_clear()
 */
void reel_added_tokens_init (ReelAddedTokens *self);

/**
 * reel_added_tokens_clear:
 * @self: tokens
 */
void reel_added_tokens_clear (ReelAddedTokens *self);

/**
 * reel_added_tokens_add:
 * @self: the tokens
 * @content: the text of another, not empty
 * @id: its id
 * @special: whether decoding may leave it out
 */
void reel_added_tokens_add (ReelAddedTokens *self, const char *content, guint32 id,
                            gboolean special);

/**
 * reel_added_tokens_find:
 * @self: the tokens
 * @at: where to begin in a text
 * @end: its end
 * @found: (out): the leftmost one, and the longest that begins there; %NULL where there is none
 *
 * Returns: its first byte, @end where there is none
 */
const guint8 *reel_added_tokens_find (const ReelAddedTokens *self, const guint8 *at,
                                      const guint8 *end, const ReelAddedToken **found);

/**
 * reel_added_tokens_by_id:
 * @self: the tokens
 * @id: an id
 *
 * Returns: (nullable): the token of it
 */
const ReelAddedToken *reel_added_tokens_by_id (const ReelAddedTokens *self, guint32 id);

G_END_DECLS
