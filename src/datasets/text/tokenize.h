/* Texts as tensors of ids: TorchRL's TensorDictTokenizer and PromptTensorDictTokenizer. */
#pragma once

#include "../../core/tensordict/tensordict.h"
#include "tokenizer.h"

G_BEGIN_DECLS

/**
 * ReelPadding:
 * @REEL_PADDING_MAX_LENGTH: all rows have `max_length` ids
 * @REEL_PADDING_LONGEST: all rows have as many as the longest of the call
 *
 * How long rows are made.
 */
typedef enum
{
  REEL_PADDING_MAX_LENGTH,
  REEL_PADDING_LONGEST,
} ReelPadding;

/**
 * ReelTokenizeOptions:
 * @max_length: the most ids of a row, at least 1
 * @padding: how long rows are made
 * @pad_left: whether rows are padded at their beginning, else at their end
 * @refuse_longer: whether a longer text is an error, else its end is left out
 * @pad_id: the id of which padding is made, −1 for that of `<|endoftext|>`, as TorchRL's loader has
 *   it
 *
 * The form of rows. Zeros and a @max_length, with −1 for @pad_id, are TorchRL's defaults.
 */
typedef struct
{
  gint64 max_length;
  ReelPadding padding;
  gboolean pad_left;
  gboolean refuse_longer;
  gint64 pad_id;
} ReelTokenizeOptions;

/**
 * reel_tokenize_texts:
 * @tokenizer: a tokenizer
 * @options: the form of rows
 * @texts: (array length=n): texts
 * @n: how many, at least 1
 * @error: VALUE for options out of range, for a text that is longer than it may be, with its row;
 *   KEY where `<|endoftext|>` is wanted and not there; NO_SPACE
 *
 * TorchRL's `TensorDictTokenizer`. `attention_mask` is 1 where an id of `input_ids` is of the text,
 * 0 where it is padding.
 *
 * Returns: (transfer full): batch size `[n]`: `input_ids`, `attention_mask`, int64 `[n, L]`
 */
REEL_API
ReelTensordict *reel_tokenize_texts (ReelTokenizer *tokenizer, const ReelTokenizeOptions *options,
                                     const char *const *texts, gsize n, GError **error);

/**
 * reel_tokenize_prompts:
 * @tokenizer: a tokenizer
 * @options: the form of rows, which are padded at their end
 * @prompts: (array length=n): what is asked
 * @labels: (array length=n): what follows each
 * @n: how many, at least 1
 * @error: as reel_tokenize_texts()
 *
 * TorchRL's `PromptTensorDictTokenizer`: rows of prompt and label without anything between them.
 * `prompt_rindex` is the place of the last id of the prompt where it is alone: a blank at its end
 * becomes one id with the first word of the label. `valid_sample` says that the row ends with
 * padding, so that the text had room.
 *
 * Returns: (transfer full): batch size `[n]`: as reel_tokenize_texts(), and `prompt_rindex`, int64
 *   `[n]`, and `valid_sample`, bool `[n]`
 */
REEL_API
ReelTensordict *reel_tokenize_prompts (ReelTokenizer *tokenizer, const ReelTokenizeOptions *options,
                                       const char *const *prompts, const char *const *labels,
                                       gsize n, GError **error);

G_END_DECLS
