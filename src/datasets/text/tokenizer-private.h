/* The parts of a tokenizer. Private to the library. */
#pragma once

#include "added-tokens.h"
#include "merge-table.h"
#include "token-table.h"
#include "tokenizer.h"
#include "word-cache.h"
#include "word-merger.h"
#include "word-scanner.h"

G_BEGIN_DECLS

/**
 * REEL_MAX_TEXT:
 *
 * Bytes of a text that is encoded at once: places in a word are 32 bits.
 */
#define REEL_MAX_TEXT ((gsize) 1 << 30)

struct _ReelTokenizer
{
  gatomicrefcount refs;
  char *path;
  ReelTokenTable tokens;
  ReelAddedTokens added;
  ReelMergeTable merges;
  guint32 byte_ids[256];
  guint8 *classes;
  ReelCachedWord *cache;
  ReelWordMerger merger;
};

/**
 * reel_tokenizer_read:
 * @self: a tokenizer without tokens and merges, which gets them; its path is the file
 * @error: as reel_tokenizer_load()
 *
 * Returns: whether all could be read
 */
gboolean reel_tokenizer_read (ReelTokenizer *self, GError **error);

/**
 * reel_tokenizer_encode_known:
 * @self: a tokenizer
 * @text: a part of a text that begins where a word does
 * @length: its bytes, below %REEL_MAX_TEXT
 * @whole: whether the text ends behind it
 * @max_ids: stops where @ids has as many
 * @ids: gets the ids appended
 *
 * Returns: bytes whose ids do not depend on what follows, and which were appended
 */
gsize reel_tokenizer_encode_known (ReelTokenizer *self, const guint8 *text, gsize length,
                                   gboolean whole, guint max_ids, GArray *ids);

G_END_DECLS
