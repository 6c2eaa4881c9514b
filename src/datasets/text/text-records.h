/* Typed rows of texts: TorchRL's PromptData, RewardData and PairwiseDataset. */
#pragma once

#include "../../core/tensordict/record.h"

G_BEGIN_DECLS

/**
 * ReelPromptData:
 * @input_ids: int64 `[B, L]`
 * @attention_mask: int64 `[B, L]`
 * @prompt_rindex: int64 `[B]`, the place of the last id of the prompt
 * @labels: (nullable): int64 `[B, L]`
 * @logits: (nullable): float32 `[B, L, V]`, of a model
 * @loss: (nullable): float32
 *
 * TorchRL's `PromptData`.
 */
typedef struct
{
  ReelTensor *input_ids;
  ReelTensor *attention_mask;
  ReelTensor *prompt_rindex;
  ReelTensor *labels;
  ReelTensor *logits;
  ReelTensor *loss;
} ReelPromptData;

/**
 * ReelRewardData:
 * @input_ids: int64 `[B, L]`
 * @attention_mask: int64 `[B, L]`
 * @rewards: (nullable): float32 `[B, L]`, of a model
 * @end_scores: (nullable): float32 `[B]`, of a model
 *
 * TorchRL's `RewardData`.
 */
typedef struct
{
  ReelTensor *input_ids;
  ReelTensor *attention_mask;
  ReelTensor *rewards;
  ReelTensor *end_scores;
} ReelRewardData;

/**
 * ReelPairwiseDataset:
 * @chosen_data: the better answers
 * @rejected_data: the worse ones
 *
 * TorchRL's `PairwiseDataset`.
 */
typedef struct
{
  ReelRewardData *chosen_data;
  ReelRewardData *rejected_data;
} ReelPairwiseDataset;

/**
 * reel_prompt_data_get_record_type:
 *
 * Any thread.
 *
 * Returns: (transfer none): the fields of #ReelPromptData, for reel_record_to_tensordict() and the
 * like
 */
REEL_API
const ReelRecordType *reel_prompt_data_get_record_type (void);

/**
 * reel_reward_data_get_record_type:
 *
 * Any thread.
 *
 * Returns: (transfer none): the fields of #ReelRewardData, for reel_record_to_tensordict() and the
 * like
 */
REEL_API
const ReelRecordType *reel_reward_data_get_record_type (void);

/**
 * reel_pairwise_dataset_get_record_type:
 *
 * Any thread.
 *
 * Returns: (transfer none): the fields of #ReelPairwiseDataset, for reel_record_to_tensordict() and
 * the like
 */
REEL_API
const ReelRecordType *reel_pairwise_dataset_get_record_type (void);

/**
 * reel_prompt_data_from_rows:
 * @rows: rows or a batch of a data set of prompts; keys that are no fields are left
 * @data: (out caller-allocates): the record, to be cleared with reel_record_clear()
 * @error: KEY, TYPE, VALUE as reel_record_from_tensordict()
 *
 * Takes references. Where @rows has no `labels` they are `input_ids`, as in TorchRL's
 * `from_dataset()`.
 *
 * Returns: whether @data was set
 */
REEL_API
gboolean reel_prompt_data_from_rows (const ReelTensordict *rows, ReelPromptData *data,
                                     GError **error);

/**
 * reel_pairwise_dataset_from_rows:
 * @rows: rows or a batch of a data set of pairs; keys that are no fields are left
 * @data: (out caller-allocates): the record, to be cleared with reel_record_clear()
 * @error: KEY, TYPE, VALUE as reel_record_from_tensordict()
 *
 * Takes references.
 *
 * Returns: whether @data was set
 */
REEL_API
gboolean reel_pairwise_dataset_from_rows (const ReelTensordict *rows, ReelPairwiseDataset *data,
                                          GError **error);

/**
 * reel_prompt_data_mask_label:
 * @data: prompts with their labels
 * @pad_id: an id
 * @masked: (out caller-allocates): the prompts alone, to be cleared with reel_record_clear()
 * @error: VALUE where the tensors do not have the shapes of the fields; NO_SPACE
 *
 * TorchRL's `mask_label()`: from the place `prompt_rindex` on the ids are @pad_id, and the mask is
 * 0. `loss` is kept; labels and logits are not.
 *
 * Returns: whether @masked was set
 */
REEL_API
gboolean reel_prompt_data_mask_label (const ReelPromptData *data, gint64 pad_id,
                                      ReelPromptData *masked, GError **error);

G_END_DECLS
