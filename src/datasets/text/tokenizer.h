/* Text to the ids of tokens and back, by a tokenizer.json of Hugging Face. */
#pragma once

#include "../../core/object/error.h"

G_BEGIN_DECLS

/**
 * ReelTokenizer:
 *
 * A byte-level byte-pair encoding, as GPT-2's. One thread at a time uses it.
 */
typedef struct _ReelTokenizer ReelTokenizer;

#define REEL_TYPE_TOKENIZER (reel_tokenizer_get_type ())
REEL_API
GType reel_tokenizer_get_type (void);

/**
 * reel_tokenizer_load:
 * @path: a `tokenizer.json`
 * @error: IO where the file is missing, DAMAGED where it is no JSON, or lacks a part;
 * NOT_IMPLEMENTED for a model, normalizer, pre-tokenizer, post-processor, decoder or token of
 * another kind, by its name; IO
 *
 * Reads a model `BPE` with pre-tokenizer and decoder `ByteLevel`, no normalizer, and no
 * post-processor or `ByteLevel`. Merges may be `"a b"` or `["a", "b"]`. The entries `truncation`
 * and `padding` of the file are ignored, as transformers does: callers say both.
 *
 * Returns: (transfer full): the tokenizer
 */
REEL_API
ReelTokenizer *reel_tokenizer_load (const char *path, GError **error);

/**
 * reel_tokenizer_ref:
 * @self: a tokenizer
 *
 * Returns: (transfer full): the same
 */
REEL_API
ReelTokenizer *reel_tokenizer_ref (ReelTokenizer *self);

/**
 * reel_tokenizer_unref:
 * @self: (transfer full): a tokenizer
 *
 * Drops a reference.
 */
REEL_API
void reel_tokenizer_unref (ReelTokenizer *self);

/**
 * reel_tokenizer_get_path:
 * @self: a tokenizer
 *
 * Returns: (transfer none): the file that it was read from
 */
REEL_API
const char *reel_tokenizer_get_path (const ReelTokenizer *self);

/**
 * reel_tokenizer_get_size:
 * @self: a tokenizer
 *
 * Returns: the largest id and 1: columns of the logits of a model
 */
REEL_API
gint64 reel_tokenizer_get_size (const ReelTokenizer *self);

/**
 * reel_tokenizer_find:
 * @self: a tokenizer
 * @token: a token as it is in the file, such as `<|endoftext|>` or `Ġthe`
 * @error: KEY where it is not there
 *
 * Returns: its id, or −1
 */
REEL_API
gint64 reel_tokenizer_find (const ReelTokenizer *self, const char *token, GError **error);

/**
 * reel_tokenizer_encode:
 * @self: a tokenizer
 * @text: (array length=length): any bytes; those that are not UTF-8 are characters of no class
 * @length: how many, −1 up to a NUL
 * @max_tokens: the most tokens that are appended, −1 for all
 * @ids: (element-type gint64): gets the ids appended
 * @error: VALUE for a text of 1 GiB and more, which #ReelTokenStream takes in parts
 *
 * Added tokens in the text (`<|endoftext|>`) are found first; the rest is cut into words by the
 * pattern of GPT-2 (Unicode 16), and each word is merged. Nothing is allocated for a token but the
 * room in @ids.
 *
 * Returns: whether it did
 */
REEL_API
gboolean reel_tokenizer_encode (ReelTokenizer *self, const char *text, gssize length,
                                gint64 max_tokens, GArray *ids, GError **error);

/**
 * reel_tokenizer_decode:
 * @self: a tokenizer
 * @ids: (array length=n): ids of tokens
 * @n: how many
 * @skip_special: whether to leave special tokens out
 * @length: (out) (optional): bytes of the text, without the NUL that follows; it may contain others
 * @error: INDEX for an id that the tokenizer has not
 *
 * Each longest part of a sequence that is not UTF-8 becomes U+FFFD, as with `tokenizers`.
 *
 * Returns: (transfer full): the text
 */
REEL_API
char *reel_tokenizer_decode (const ReelTokenizer *self, const gint64 *ids, gsize n,
                             gboolean skip_special, gsize *length, GError **error);

/**
 * ReelTokenStream:
 *
 * A text that comes in parts. Its ids are those of the whole, wherever it is cut. One thread at a
 * time uses it, and its tokenizer meanwhile.
 */
typedef struct _ReelTokenStream ReelTokenStream;

/**
 * reel_token_stream_new:
 * @tokenizer: a tokenizer, of which a reference is taken
 *
 * Returns: (transfer full): a stream at the beginning of a text
 */
REEL_API
ReelTokenStream *reel_token_stream_new (ReelTokenizer *tokenizer);

/**
 * reel_token_stream_free:
 * @self: (transfer full): a stream
 *
 * Frees a stream and drops its tokenizer.
 */
REEL_API
void reel_token_stream_free (ReelTokenStream *self);

/**
 * reel_token_stream_feed:
 * @self: a stream
 * @part: (array length=length): the next bytes of the text; characters may be cut
 * @length: how many
 * @ids: (element-type gint64): gets the ids appended of which no later byte changes anything
 * @error: VALUE where one word is longer than 1 GiB
 *
 * Keeps the last bytes, mostly less than a word, for the next call.
 *
 * Returns: whether it took the part
 */
REEL_API
gboolean reel_token_stream_feed (ReelTokenStream *self, const char *part, gsize length, GArray *ids,
                                 GError **error);

/**
 * reel_token_stream_end:
 * @self: a stream
 * @ids: (element-type gint64): gets the last ids of the text appended
 *
 * Ends the text. The next part begins another.
 */
REEL_API
void reel_token_stream_end (ReelTokenStream *self, GArray *ids);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTokenizer, reel_tokenizer_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTokenStream, reel_token_stream_free)

G_END_DECLS
