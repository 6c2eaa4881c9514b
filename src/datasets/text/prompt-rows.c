#include "prompt-rows.h"

/* Whether the tensors are those of prompts. */
static gboolean
check (const ReelPromptData *prompts, GError **error)
{
  const ReelTensor *ids = prompts->input_ids, *mask = prompts->attention_mask;
  g_autoptr (ReelTensordict) td = NULL;

  if (ids && ids->ndim == 2 && ids->shape[0] >= 1 && ids->shape[1] >= 1)
    {
      td = reel_record_to_tensordict (reel_prompt_data_get_record_type (), prompts, 1, ids->shape,
                                      error);
      if (!td || mask->shape[1] == ids->shape[1])
        return td != NULL;
    }
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "cannot answer prompts: input_ids and attention_mask must be [B, S], with a "
                       "row and an id at least");
  return FALSE;
}

/* Copies of the elements, whatever the strides. */
static gint64 *
dup_elements (const ReelTensor *tensor, GError **error)
{
  g_autoptr (ReelTensor) copy = reel_tensor_clone (tensor, error);

  return copy ? g_memdup2 (copy->data, reel_tensor_nbytes (copy)) : NULL;
}

static gboolean
check_ends (const ReelPromptRows *self, GError **error)
{
  for (gint64 row = 0; row < self->n_rows; row++)
    if (self->ends[row] < 1 || self->ends[row] > self->length)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "cannot answer prompt %" G_GINT64_FORMAT
                     ": its prompt_rindex is %" G_GINT64_FORMAT ", not 1 to %" G_GINT64_FORMAT
                     "; a prompt has two tokens at least",
                     row, self->ends[row], self->length);
        return FALSE;
      }
  return TRUE;
}

gboolean
reel_prompt_rows_init (ReelPromptRows *self, const ReelPromptData *prompts, GError **error)
{
  *self = (ReelPromptRows){ 0 };
  if (!check (prompts, error))
    return FALSE;
  g_autofree gint64 *mask = dup_elements (prompts->attention_mask, error);
  self->ids = mask ? dup_elements (prompts->input_ids, error) : NULL;
  self->ends = self->ids ? dup_elements (prompts->prompt_rindex, error) : NULL;
  if (!self->ends)
    return FALSE;
  self->n_rows = prompts->input_ids->shape[0];
  self->length = prompts->input_ids->shape[1];
  self->mask = g_new (guint8, (gsize) (self->n_rows * self->length));
  for (gint64 i = 0; i < self->n_rows * self->length; i++)
    self->mask[i] = mask[i] != 0;
  return check_ends (self, error);
}

void
reel_prompt_rows_clear (ReelPromptRows *self)
{
  g_clear_pointer (&self->ids, g_free);
  g_clear_pointer (&self->mask, g_free);
  g_clear_pointer (&self->ends, g_free);
}

guint8 *
reel_text_mask_new (const gint64 *ids, gint64 n, gint64 eos)
{
  guint8 *mask = g_new (guint8, (gsize) n);

  for (gint64 i = 0; i < n; i++)
    mask[i] = ids[i] != eos;
  return mask;
}
