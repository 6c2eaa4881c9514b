#include "text-model.h"

#include <math.h>

typedef struct
{
  gint64 n_rows; /* what it is ready for, 0 for nothing */
  gint64 length;
  gint64 vocabulary;
} ReelTextModelPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelTextModel, reel_text_model, REEL_TYPE_OBJECT)

static ReelTextModelPrivate *
get_private (ReelTextModel *self)
{
  return reel_text_model_get_instance_private (self);
}

/* Products of these are below 2^62. */
static gboolean
check_sizes (gint64 n_rows, gint64 length, GError **error)
{
  if (n_rows >= 1 && n_rows <= G_MAXINT32 && length >= 1 && length <= G_MAXINT32)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot prepare a model for %" G_GINT64_FORMAT " rows of %" G_GINT64_FORMAT
               " ids: both are 1 to %d",
               n_rows, length, G_MAXINT32);
  return FALSE;
}

gint64
reel_text_model_prepare (ReelTextModel *self, gint64 n_rows, gint64 length, GError **error)
{
  ReelTextModelPrivate *private = get_private (self);
  gint64 vocabulary = 0;

  if (private->n_rows == n_rows && private->length == length)
    return private->vocabulary;
  private->n_rows = 0;
  if (!check_sizes (n_rows, length, error)
      || !REEL_TEXT_MODEL_GET_CLASS (self)->prepare (self, n_rows, length, &vocabulary, error))
    return -1;
  g_return_val_if_fail (vocabulary >= 1 && vocabulary <= G_MAXINT32, -1);
  *private = (ReelTextModelPrivate){ n_rows, length, vocabulary };
  return vocabulary;
}

/* ---- what goes in ---- */

/* Whether an id is of the text, or behind one. */
static gboolean
is_read (const ReelTextBatch *batch, gint64 i)
{
  return batch->mask[i] || (i % batch->length > 0 && batch->mask[i - 1]);
}

static gboolean
check_ids (const ReelTextBatch *batch, gint64 vocabulary, GError **error)
{
  for (gint64 i = 0; i < batch->n_rows * batch->length; i++)
    if (is_read (batch, i) && (batch->ids[i] < 0 || batch->ids[i] >= vocabulary))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "the model has %" G_GINT64_FORMAT " ids, and id %" G_GINT64_FORMAT
                     " of row %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                     ": use the tokenizer of the model",
                     vocabulary, i % batch->length, i / batch->length, batch->ids[i]);
        return FALSE;
      }
  return TRUE;
}

typedef gboolean (*Compute) (ReelTextModel *self, const ReelTextBatch *batch, float *values,
                             GError **error);

static gboolean
compute (ReelTextModel *self, Compute function, const char *what, const ReelTextBatch *batch,
         float *values, GError **error)
{
  const ReelTextModelPrivate *private = get_private (self);

  g_return_val_if_fail (batch->n_rows == private->n_rows && batch->length <= private->length,
                        FALSE);

  if (function)
    return check_ids (batch, private->vocabulary, error) && function (self, batch, values, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "the model %s has no %s",
               reel_object_get_id (REEL_OBJECT (self)), what);
  return FALSE;
}

/* ---- what comes out ---- */

static gboolean
refuse (ReelTextModel *self, const char *what, gint64 row, double value, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the model %s computed %s of %g in row %" G_GINT64_FORMAT,
               reel_object_get_id (REEL_OBJECT (self)), what, value, row);
  return FALSE;
}

gboolean
reel_text_model_next_logits (ReelTextModel *self, const ReelTextBatch *batch, float *logits,
                             GError **error)
{
  gint64 n = get_private (self)->vocabulary;

  if (!compute (self, REEL_TEXT_MODEL_GET_CLASS (self)->next_logits, "next logits", batch, logits,
                error))
    return FALSE;
  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      float largest = -INFINITY;
      for (gint64 id = 0; id < n; id++)
        {
          float logit = logits[row * n + id];
          if (isnan (logit))
            return refuse (self, "logits", row, logit, error);
          largest = MAX (largest, logit);
        }
      if (isinf (largest))
        return refuse (self, "a largest logit", row, largest, error);
    }
  return TRUE;
}

gboolean
reel_text_model_log_probs (ReelTextModel *self, const ReelTextBatch *batch, float *log_probs,
                           GError **error)
{
  if (!compute (self, REEL_TEXT_MODEL_GET_CLASS (self)->log_probs, "log-probabilities", batch,
                log_probs, error))
    return FALSE;
  for (gint64 i = 0; i < batch->n_rows * batch->length; i++)
    if (i % batch->length > 0 && batch->mask[i - 1] && isnan (log_probs[i]))
      return refuse (self, "log-probabilities", i / batch->length, log_probs[i], error);
  return TRUE;
}

gboolean
reel_text_model_end_scores (ReelTextModel *self, const ReelTextBatch *batch, float *scores,
                            GError **error)
{
  if (!compute (self, REEL_TEXT_MODEL_GET_CLASS (self)->end_scores, "end scores", batch, scores,
                error))
    return FALSE;
  for (gint64 row = 0; row < batch->n_rows; row++)
    if (!isfinite (scores[row]))
      return refuse (self, "a score", row, scores[row], error);
  return TRUE;
}

static void
reel_text_model_class_init (ReelTextModelClass *klass)
{
  REEL_OBJECT_CLASS (klass)->kind = "text model";
}

static void
reel_text_model_init (ReelTextModel *self)
{
}
