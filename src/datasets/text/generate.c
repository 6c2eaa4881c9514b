#include "generate.h"

#include "../../core/math/random.h"
#include "token-draw.h"

#include <math.h>
#include <string.h>

/* Answers on the way. Rows end where the columns so far do: prompts are padded on the left. */
typedef struct
{
  const ReelPromptRows *prompts;
  gint64 eos;
  gint64 length; /* S + T */
  gint64 *ids;   /* [B, S + T] */
  guint8 *mask;  /* of the text */
  gboolean *ended;
  gint64 n_ended;
  gint64 *batch_ids; /* the columns so far */
  guint8 *batch_mask;
  float *logits;    /* [B, vocabulary] */
  float *log_probs; /* [B, T] */
  ReelTokenDraw draw;
} Answers;

static void
answers_clear (Answers *self)
{
  g_free (self->ids);
  g_free (self->mask);
  g_free (self->ended);
  g_free (self->batch_ids);
  g_free (self->batch_mask);
  g_free (self->logits);
  g_free (self->draw.weights);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Answers, answers_clear)

/* The columns of the prompts: an <|endoftext|> within one is not read, but has its place. */
static void
place_prompts (Answers *self)
{
  gint64 block = self->prompts->length;

  for (gint64 row = 0; row < self->prompts->n_rows; row++)
    {
      gint64 n = self->prompts->ends[row], *ids = self->ids + row * self->length;
      for (gint64 i = 0; i < self->length; i++)
        ids[i] = self->eos;
      memcpy (ids + block - n, self->prompts->ids + row * block, (gsize) n * sizeof *ids);
      for (gint64 i = 0; i < self->length; i++)
        self->mask[row * self->length + i] = ids[i] != self->eos;
    }
}

static gboolean
answers_init (Answers *self, const ReelGenerateOptions *options, const ReelPromptRows *prompts,
              GError **error)
{
  gsize n_rows = (gsize) prompts->n_rows, length = (gsize) prompts->length;
  gint64 vocabulary;
  ReelIsa isa;

  length += (gsize) options->max_new_tokens;
  vocabulary = reel_text_model_prepare (options->model, prompts->n_rows, (gint64) length, error);
  if (vocabulary < 0 || !reel_isa_choose (&isa, error))
    return FALSE;
  if (options->eos >= vocabulary)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot end texts with the id %" G_GINT64_FORMAT
                   ": the model has %" G_GINT64_FORMAT " ids; name its own with eos-id",
                   options->eos, vocabulary);
      return FALSE;
    }
  self->prompts = prompts;
  self->eos = options->eos;
  self->length = (gint64) length;
  self->ids = g_new (gint64, n_rows * length);
  self->mask = g_new (guint8, n_rows * length);
  self->ended = g_new0 (gboolean, n_rows);
  self->batch_ids = g_new (gint64, n_rows * length);
  self->batch_mask = g_new (guint8, n_rows * length);
  self->logits = g_new (float, n_rows *(gsize) vocabulary);
  self->draw = (ReelTokenDraw){ REEL_KERNEL_PICK (reel_exp_kernels, isa),
                                g_new (double, (gsize) vocabulary), vocabulary };
  place_prompts (self);
  return TRUE;
}

/* ---- a step ---- */

static ReelTextBatch
pack (const Answers *self, gint64 n_columns)
{
  for (gint64 row = 0; row < self->prompts->n_rows; row++)
    {
      memcpy (self->batch_ids + row * n_columns, self->ids + row * self->length,
              (gsize) n_columns * sizeof *self->ids);
      memcpy (self->batch_mask + row * n_columns, self->mask + row * self->length,
              (gsize) n_columns);
    }
  return (ReelTextBatch){ self->prompts->n_rows, n_columns, self->batch_ids, self->batch_mask };
}

/* A row that has ended goes on with what ended it. */
static gint64
choose (Answers *self, const ReelGenerateOptions *options, ReelRandomKey key, gint64 row,
        double sum)
{
  if (self->ended[row])
    return self->eos;
  if (!options->do_sample)
    return reel_token_draw_likeliest (&self->draw);
  return reel_token_draw_pick (&self->draw, reel_random_double (key, row) * sum);
}

static void
append (Answers *self, gint64 row, gint64 column, gint64 token)
{
  gint64 i = row * self->length + column;

  self->ids[i] = token;
  self->mask[i] = token != self->eos;
  self->n_ended += token == self->eos && !self->ended[row];
  self->ended[row] |= token == self->eos;
}

static gboolean
step (Answers *self, ReelGenerateOptions *options, gint64 t, GError **error)
{
  ReelTextBatch batch = pack (self, self->prompts->length + t);
  ReelRandomKey key = reel_random_key ((guint64) options->seed, options->n_steps++);

  if (!reel_text_model_next_logits (options->model, &batch, self->logits, error))
    return FALSE;
  for (gint64 row = 0; row < batch.n_rows; row++)
    {
      const float *logits = self->logits + row * self->draw.n;
      double log_sum, sum = reel_token_draw_weigh (&self->draw, logits, &log_sum);
      gint64 token = choose (self, options, key, row, sum);
      self->log_probs[row * options->max_new_tokens + t] =
          (float) ((double) logits[token] - log_sum);
      append (self, row, batch.length, token);
    }
  return TRUE;
}

/* ---- the result ---- */

/* Rows that begin with the prompt. */
static void
align_left (const Answers *self, gint64 *to)
{
  for (gint64 row = 0; row < self->prompts->n_rows; row++)
    {
      gint64 left = self->prompts->length - self->prompts->ends[row], n = self->length - left;
      memcpy (to + row * self->length, self->ids + row * self->length + left,
              (gsize) n * sizeof *to);
      for (gint64 i = n; i < self->length; i++)
        to[row * self->length + i] = self->eos;
    }
}

/* At each token of the answers, where the one before it is of the text. */
static gboolean
subtract (const ReelGenerateOptions *options, const ReelPromptRows *prompts,
          const ReelTextBatch *batch, const float *ours, const float *theirs, float *ratios,
          GError **error)
{
  for (gint64 row = 0; row < prompts->n_rows; row++)
    for (gint64 t = 0; t < options->max_new_tokens; t++)
      {
        gint64 i = row * batch->length + prompts->ends[row] + t;
        float ratio = batch->mask[i - 1] ? ours[i] - theirs[i] : 0;
        ratios[row * options->max_new_tokens + t] = ratio;
        if (isfinite (ratio))
          continue;
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "the id %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT " of row %" G_GINT64_FORMAT
                     " has the log-probabilities %g by the model and %g by the reference",
                     batch->ids[i], i % batch->length, row, (double) ours[i], (double) theirs[i]);
        return FALSE;
      }
  return TRUE;
}

static gboolean
compare (const ReelGenerateOptions *options, const ReelPromptRows *prompts,
         const ReelGeneratedText *generated, GError **error)
{
  const gint64 *shape = generated->ids->shape, *ids = (const gint64 *) generated->ids->data;
  gint64 n = shape[0] * shape[1];
  g_autofree guint8 *mask = reel_text_mask_new (ids, n, options->eos);
  g_autofree float *ours = g_new (float, (gsize) n), *theirs = g_new (float, (gsize) n);
  const ReelTextBatch batch = { shape[0], shape[1], ids, mask };

  return reel_text_model_log_probs (options->model, &batch, ours, error)
         && reel_text_model_prepare (options->reference, shape[0], shape[1], error) >= 0
         && reel_text_model_log_probs (options->reference, &batch, theirs, error)
         && subtract (options, prompts, &batch, ours, theirs, (float *) generated->log_ratio->data,
                      error);
}

static gboolean
make_tensors (ReelGeneratedText *generated, gint64 n_rows, gint64 length, gint64 n_new,
              GError **error)
{
  const gint64 ids[] = { n_rows, length }, steps[] = { n_rows, n_new, 1 };

  generated->ids = reel_tensor_new (REEL_DTYPE_INT64, 2, ids, error);
  generated->log_probs =
      generated->ids ? reel_tensor_new (REEL_DTYPE_FLOAT32, 3, steps, error) : NULL;
  generated->log_ratio =
      generated->log_probs ? reel_tensor_new (REEL_DTYPE_FLOAT32, 2, steps, error) : NULL;
  return generated->log_ratio != NULL;
}

gboolean
reel_generate (ReelGenerateOptions *options, const ReelPromptRows *prompts,
               ReelGeneratedText *generated, GError **error)
{
  g_auto (Answers) answers = { NULL };

  if (!answers_init (&answers, options, prompts, error)
      || !make_tensors (generated, prompts->n_rows, answers.length, options->max_new_tokens, error))
    return FALSE;
  answers.log_probs = (float *) generated->log_probs->data;
  for (gint64 t = 0; t < options->max_new_tokens && answers.n_ended < prompts->n_rows; t++)
    if (!step (&answers, options, t, error))
      return FALSE;
  align_left (&answers, (gint64 *) generated->ids->data);
  return compare (options, prompts, generated, error);
}
