#include "text-records.h"

#define IDS .dtype = REEL_DTYPE_INT64, .ndim = 1, .shape = { REEL_FIELD_ANY }

static const ReelField prompt_fields[] = {
  REEL_FIELD (ReelPromptData, input_ids, IDS),
  REEL_FIELD (ReelPromptData, attention_mask, IDS),
  REEL_FIELD (ReelPromptData, prompt_rindex, .dtype = REEL_DTYPE_INT64),
  REEL_FIELD (ReelPromptData, labels, .optional = TRUE, IDS),
  REEL_FIELD (ReelPromptData, logits, .optional = TRUE, .dtype = REEL_DTYPE_FLOAT32, .ndim = 2,
              .shape = { REEL_FIELD_ANY, REEL_FIELD_ANY }),
  REEL_FIELD (ReelPromptData, loss, .optional = TRUE, .dtype = REEL_DTYPE_FLOAT32,
              .ndim = REEL_FIELD_ANY),
};
static const ReelRecordType prompt_type =
    REEL_RECORD_TYPE ("torchrl.data.llm.prompt.PromptData", ReelPromptData, prompt_fields);

static const ReelField reward_fields[] = {
  REEL_FIELD (ReelRewardData, input_ids, IDS),
  REEL_FIELD (ReelRewardData, attention_mask, IDS),
  REEL_FIELD (ReelRewardData, rewards, .optional = TRUE, .dtype = REEL_DTYPE_FLOAT32, .ndim = 1,
              .shape = { REEL_FIELD_ANY }),
  REEL_FIELD (ReelRewardData, end_scores, .optional = TRUE, .dtype = REEL_DTYPE_FLOAT32),
};
static const ReelRecordType reward_type =
    REEL_RECORD_TYPE ("torchrl.data.llm.reward.RewardData", ReelRewardData, reward_fields);

static const ReelField pair_fields[] = {
  REEL_FIELD (ReelPairwiseDataset, chosen_data, .kind = REEL_FIELD_RECORD, .record = &reward_type),
  REEL_FIELD (ReelPairwiseDataset, rejected_data, .kind = REEL_FIELD_RECORD,
              .record = &reward_type),
};
static const ReelRecordType pair_type =
    REEL_RECORD_TYPE ("torchrl.data.llm.reward.PairwiseDataset", ReelPairwiseDataset, pair_fields);

const ReelRecordType *
reel_prompt_data_get_record_type (void)
{
  return &prompt_type;
}

const ReelRecordType *
reel_reward_data_get_record_type (void)
{
  return &reward_type;
}

const ReelRecordType *
reel_pairwise_dataset_get_record_type (void)
{
  return &pair_type;
}

/* The fields of a record among the keys of rows. */
static ReelTensordict *
select_fields (const ReelRecordType *type, const ReelTensordict *rows, GError **error)
{
  gint ndim;
  const gint64 *batch_size = reel_tensordict_get_batch_size (rows, &ndim);
  g_autoptr (ReelTensordict) fields = reel_tensordict_new (ndim, batch_size);

  for (gsize i = 0; i < type->n_fields; i++)
    {
      const char *name = type->fields[i].name;
      if (!reel_tensordict_contains (rows, name))
        continue;
      if (type->fields[i].kind == REEL_FIELD_TENSOR)
        {
          ReelTensor *tensor = reel_tensordict_get_tensor (rows, name, error);
          if (!tensor || !reel_tensordict_set_tensor (fields, name, tensor, error))
            return NULL;
          continue;
        }
      ReelTensordict *child = reel_tensordict_get_tensordict (rows, name, error);
      if (!child || !reel_tensordict_set_tensordict (fields, name, child, error))
        return NULL;
    }
  return g_steal_pointer (&fields);
}

gboolean
reel_prompt_data_from_rows (const ReelTensordict *rows, ReelPromptData *data, GError **error)
{
  g_autoptr (ReelTensordict) fields = select_fields (&prompt_type, rows, error);

  *data = (ReelPromptData){ NULL };
  if (!fields || !reel_record_from_tensordict (&prompt_type, fields, data, error))
    return FALSE;
  if (!data->labels)
    data->labels = reel_tensor_ref (data->input_ids);
  return TRUE;
}

gboolean
reel_pairwise_dataset_from_rows (const ReelTensordict *rows, ReelPairwiseDataset *data,
                                 GError **error)
{
  g_autoptr (ReelTensordict) fields = select_fields (&pair_type, rows, error);

  *data = (ReelPairwiseDataset){ NULL };
  return fields && reel_record_from_tensordict (&pair_type, fields, data, error);
}

/* Whether the tensors are those of prompts. */
static gboolean
check_prompts (const ReelPromptData *data, GError **error)
{
  const ReelTensor *ids = data->input_ids;
  g_autoptr (ReelTensordict) td =
      ids && ids->ndim == 2 ? reel_record_to_tensordict (&prompt_type, data, 1, ids->shape, error)
                            : NULL;

  if (ids && ids->ndim == 2)
    return td != NULL;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "cannot mask the labels: input_ids must be [B, L]");
  return FALSE;
}

gboolean
reel_prompt_data_mask_label (const ReelPromptData *data, gint64 pad_id, ReelPromptData *masked,
                             GError **error)
{
  *masked = (ReelPromptData){ NULL };
  if (!check_prompts (data, error))
    return FALSE;
  g_autoptr (ReelTensor) ids = reel_tensor_clone (data->input_ids, error);
  g_autoptr (ReelTensor) mask =
      ids ? reel_tensor_new (REEL_DTYPE_INT64, 2, ids->shape, error) : NULL;
  if (!mask)
    return FALSE;
  gint64 n = ids->shape[0], length = ids->shape[1];
  for (gint64 i = 0; i < n; i++)
    {
      gint64 end = *(gint64 *) reel_tensor_element (data->prompt_rindex, &i);
      for (gint64 k = 0; k < length; k++)
        {
          ((gint64 *) mask->data)[i * length + k] = k < end;
          if (k >= end)
            ((gint64 *) ids->data)[i * length + k] = pad_id;
        }
    }
  masked->input_ids = g_steal_pointer (&ids);
  masked->attention_mask = g_steal_pointer (&mask);
  masked->prompt_rindex = reel_tensor_ref (data->prompt_rindex);
  masked->loss = data->loss ? reel_tensor_ref (data->loss) : NULL;
  return TRUE;
}
