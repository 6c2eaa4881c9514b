#include "table-model.h"

#include <math.h>

#define TYPE_TABLE_MODEL (table_model_get_type ())
G_DECLARE_FINAL_TYPE (TableModel, table_model, TABLE, MODEL, ReelTextModel)

struct _TableModel
{
  ReelTextModel parent_instance;

  ReelTensor *words, *places, *values, *answers;
  gint64 block;
};

G_DEFINE_FINAL_TYPE (TableModel, table_model, REEL_TYPE_TEXT_MODEL)

static gboolean
prepare (ReelTextModel *model, gint64 n_rows, gint64 length, gint64 *vocabulary, GError **error)
{
  *vocabulary = TABLE_MODEL (model)->words->shape[0];
  return TRUE;
}

/* The logits of what follows a column. */
static void
compute (const TableModel *self, const ReelTextBatch *batch, gint64 row, gint64 column,
         float *logits)
{
  gint64 n = self->words->shape[0], seen = 0, first = row * batch->length;

  for (gint64 i = 0; i <= column; i++)
    seen += batch->mask[first + i];
  gint64 place = MAX (seen - 1, 0) % self->places->shape[0];
  for (gint64 id = 0; id < n; id++)
    logits[id] = ((float *) self->words->data)[batch->ids[first + column] * n + id]
                 + ((float *) self->places->data)[place * n + id];
}

static gboolean
next_logits (ReelTextModel *model, const ReelTextBatch *batch, float *logits, GError **error)
{
  const TableModel *self = TABLE_MODEL (model);
  gint64 n = self->words->shape[0], t = batch->length - self->block;

  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      compute (self, batch, row, batch->length - 1, logits + row * n);
      if (self->answers)
        logits[row * n + ((gint64 *) self->answers->data)[row * self->answers->shape[1] + t]] = 1e6;
    }
  return TRUE;
}

static gboolean
log_probs (ReelTextModel *model, const ReelTextBatch *batch, float *values, GError **error)
{
  const TableModel *self = TABLE_MODEL (model);
  gint64 n = self->words->shape[0];
  g_autofree float *logits = g_new (float, (gsize) n);

  for (gint64 i = 0; i < batch->n_rows * batch->length; i++)
    {
      double sum = 0;
      values[i] = NAN;
      if (i % batch->length == 0)
        continue;
      compute (self, batch, i / batch->length, i % batch->length - 1, logits);
      for (gint64 id = 0; id < n; id++)
        sum += exp ((double) logits[id]);
      values[i] = (float) ((double) logits[batch->ids[i]] - log (sum));
    }
  return TRUE;
}

static gboolean
end_scores (ReelTextModel *model, const ReelTextBatch *batch, float *scores, GError **error)
{
  const float *values = (const float *) TABLE_MODEL (model)->values->data;

  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      gint64 n = 0;
      for (gint64 i = 0; i < batch->length; i++)
        n += batch->mask[row * batch->length + i];
      scores[row] = values[batch->ids[row * batch->length + n - 1]];
    }
  return TRUE;
}

static void
finalize (GObject *object)
{
  TableModel *self = TABLE_MODEL (object);

  g_clear_pointer (&self->words, reel_tensor_unref);
  g_clear_pointer (&self->places, reel_tensor_unref);
  g_clear_pointer (&self->values, reel_tensor_unref);
  g_clear_pointer (&self->answers, reel_tensor_unref);
  G_OBJECT_CLASS (table_model_parent_class)->finalize (object);
}

static void
table_model_class_init (TableModelClass *klass)
{
  ReelTextModelClass *model_class = REEL_TEXT_MODEL_CLASS (klass);

  model_class->prepare = prepare;
  model_class->next_logits = next_logits;
  model_class->log_probs = log_probs;
  model_class->end_scores = end_scores;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
table_model_init (TableModel *self)
{
}

ReelTextModel *
table_model_new (ReelTensor *words, ReelTensor *places, ReelTensor *values, ReelTensor *answers,
                 gint64 block)
{
  TableModel *self = g_initable_new (TYPE_TABLE_MODEL, NULL, NULL, NULL);

  self->words = reel_tensor_ref (words);
  self->places = reel_tensor_ref (places);
  self->values = reel_tensor_ref (values);
  self->answers = answers ? reel_tensor_ref (answers) : NULL;
  self->block = block;
  return REEL_TEXT_MODEL (self);
}
