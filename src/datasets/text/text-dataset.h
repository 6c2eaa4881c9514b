/* Data sets of texts as directories of ids, which replay, a replay buffer and TorchRL read. */
#pragma once

#include "../../buffers/checkpoints/checkpoint.h"
#include "tokenize.h"

G_BEGIN_DECLS

/**
 * ReelTextKind:
 * @REEL_TEXT_ALONE: a text a row, of the column `text`: `input_ids`, `attention_mask`
 * @REEL_TEXT_PROMPTS: the columns `prompt` and `label`, as reel_tokenize_prompts() takes them:
 *   `prompt_rindex` too
 * @REEL_TEXT_PAIRS: the columns `prompt`, `chosen` and `rejected`: prompt, newline and answer are
 *   the texts of `chosen_data` and `rejected_data`, each with `input_ids` and `attention_mask`.
 *   Rows of equal or short answers are left out
 *
 * The kinds of rows. The names of columns are those of TorchRL.
 */
typedef enum
{
  REEL_TEXT_ALONE,
  REEL_TEXT_PROMPTS,
  REEL_TEXT_PAIRS,
} ReelTextKind;

/**
 * ReelTextOptions:
 * @kind: the kind of rows
 * @key: (nullable): the column that is read in the place of `text`, or of `prompt`
 * @tokenize: the form of rows
 * @max_rows: reads no more rows of the file, −1 for all
 * @min_words: of pairs, the fewest words of an answer
 *
 * How a file becomes a data set.
 */
typedef struct
{
  ReelTextKind kind;
  const char *key;
  ReelTokenizeOptions tokenize;
  gint64 max_rows;
  gint64 min_words;
} ReelTextOptions;

/**
 * REEL_TEXT_OPTIONS_DEFAULT:
 *
 * TorchRL's defaults of `PromptData.from_dataset()` and `PairwiseDataset.from_dataset()`: rows of
 * 550 ids, answers of at least 5 words.
 */
/* clang-format off */
#define REEL_TEXT_OPTIONS_DEFAULT                                                                  \
  { REEL_TEXT_ALONE, NULL, { 550, REEL_PADDING_MAX_LENGTH, FALSE, FALSE, -1 }, -1, 5 }
/* clang-format on */

/**
 * reel_text_dataset_new:
 * @tokenizer: a tokenizer
 * @file: texts, in a file whose name ends in `.jsonl`, `.ndjson` (an object a line) or `.csv` (with
 *   the columns' names in the first line)
 * @options: how
 * @error: KEY for a column that is not there; DAMAGED with the line; VALUE for another kind of
 *   file, for one without rows, for options out of range; as reel_tokenize_texts(); NO_SPACE, IO
 *
 * TorchRL's `TokenizedDatasetLoader`. Reads the file twice, a row at a time, into mapped files
 * without names. reel_replay_buffer_dumps() makes a directory of it.
 *
 * Returns: (transfer full): a buffer of all rows, in their order, with the sampler
 *   `without-replacement`. Its entry `text` (reel_replay_buffer_dup_info()) says how
 *   it was made
 */
REEL_API
ReelReplayBuffer *reel_text_dataset_new (ReelTokenizer *tokenizer, const char *file,
                                         const ReelTextOptions *options, GError **error);

/**
 * reel_text_dataloader_new:
 * @path: a directory that reel_text_dataset_new() and reel_replay_buffer_dumps() made
 * @batch_size: rows of a batch
 * @prefetch: batches that a thread draws ahead, 0 for none
 * @error: VALUE where there are fewer rows than @batch_size; as reel_replay_buffer_open()
 *
 * TorchRL's `get_dataloader()`. Each pass is a new permutation, of which incomplete batches are
 * left out. reel_replay_buffer_next() ends with a pass; reel_replay_buffer_sample() goes on without
 * an end, as TorchRL's `create_infinite_iterator()`.
 *
 * Returns: (transfer full): the buffer, for reading
 */
REEL_API
ReelReplayBuffer *reel_text_dataloader_new (const char *path, gint64 batch_size, gint64 prefetch,
                                            GError **error);

G_END_DECLS
