/* A model of text that counts: how often a token came behind the few before it. Shorter contexts
 * fill in what longer ones have not seen, by the method of Witten and Bell 1991, "The
 * zero-frequency problem", in the interpolated form of Chen and Goodman 1998:
 *
 *     P (w | h) = (c (h w) + n (h) P (w | h')) / (c (h) + n (h))
 *
 * with the context h, h' without its first token, c (h) tokens behind h and n (h) different ones.
 * Below the empty context all tokens are equally likely. */
#include "text-model.h"

#include "../../buffers/checkpoints/checkpoint.h"
#include "../../core/math/exp-kernel.h"
#include "ngram-tree.h"

#include <math.h>

#define BLOCK_ROWS 1024

struct _ReelNgramModel
{
  ReelTextModel parent_instance;

  char *rows;
  char *key;
  gint64 order;
  gint64 vocabulary; /* 0 for what the rows have */

  gint64 n_ids;
  ReelNgramTree *tree;
  const ReelExpKernels *kernels;
};

G_DECLARE_FINAL_TYPE (ReelNgramModel, reel_ngram_model, REEL, NGRAM_MODEL, ReelTextModel)
G_DEFINE_FINAL_TYPE (ReelNgramModel, reel_ngram_model, REEL_TYPE_TEXT_MODEL)

/* ---- reading rows ---- */

static const ReelTensor *
get_column (const ReelNgramModel *self, const ReelTensordict *rows, const char *name,
            GError **error)
{
  g_autofree char *path = self->key ? g_strconcat (self->key, "/", name, NULL) : g_strdup (name);
  const ReelTensor *column = reel_tensordict_get_tensor (rows, path, error);

  if (!column || (column->dtype == REEL_DTYPE_INT64 && column->ndim == 2))
    return column;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is %s of %d dimensions, not int64 of 2",
               path, reel_dtype_name (column->dtype), column->ndim);
  return NULL;
}

/* The ids of a text, and the first of its padding: the token that ends it. */
static gboolean
add_row (GArray *tokens, const gint64 *ids, const gint64 *mask, gint64 length, gint64 *largest,
         GError **error)
{
  static const gint32 end = -1;
  gboolean began = FALSE;

  for (gint64 i = 0; i < length; i++)
    {
      if (!mask[i] && !began)
        continue;
      if (ids[i] < 0 || ids[i] >= G_MAXINT32 - 1)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "an id is %" G_GINT64_FORMAT, ids[i]);
          return FALSE;
        }
      gint32 token = (gint32) ids[i];
      g_array_append_val (tokens, token);
      *largest = MAX (*largest, ids[i]);
      began = TRUE;
      if (!mask[i])
        break;
    }
  g_array_append_val (tokens, end);
  return TRUE;
}

static gboolean
add_rows (const ReelNgramModel *self, const ReelTensordict *rows, GArray *tokens, gint64 *largest,
          GError **error)
{
  const ReelTensor *ids = get_column (self, rows, "input_ids", error);
  const ReelTensor *mask = ids ? get_column (self, rows, "attention_mask", error) : NULL;

  if (!mask)
    return FALSE;
  gint64 length = MIN (ids->shape[1], mask->shape[1]);
  for (gint64 i = 0; i < ids->shape[0]; i++)
    if (!add_row (tokens, (const gint64 *) ids->data + i * ids->shape[1],
                  (const gint64 *) mask->data + i * mask->shape[1], length, largest, error))
      return FALSE;
  return TRUE;
}

static GArray *
read_tokens (const ReelNgramModel *self, gint64 *largest, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_open (self->rows, REEL_OPEN_READ_ONLY, error);
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (gint32));
  gint64 n = buffer ? reel_replay_buffer_get_length (buffer) : 0;

  if (!buffer)
    return NULL;
  for (gint64 first = 0; first < n; first += BLOCK_ROWS)
    {
      g_autoptr (ReelTensordict) rows =
          reel_replay_buffer_get_rows (buffer, first, MIN (BLOCK_ROWS, n - first), error);
      if (!rows || !add_rows (self, rows, tokens, largest, error))
        return NULL;
      if (tokens->len <= G_MAXINT32)
        continue;
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "it has more than 2^31 tokens");
      return NULL;
    }
  return g_steal_pointer (&tokens);
}

static gboolean
count (ReelNgramModel *self, GError **error)
{
  gint64 largest = 0;
  g_autoptr (GArray) tokens = read_tokens (self, &largest, error);

  if (!tokens)
    return FALSE;
  if (self->vocabulary > 0 && self->vocabulary <= largest)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a vocabulary of %" G_GINT64_FORMAT " has no id %" G_GINT64_FORMAT
                   ", which is in the rows",
                   self->vocabulary, largest);
      return FALSE;
    }
  self->n_ids = MAX (self->vocabulary, largest + 1);
  self->tree = reel_ngram_tree_new ((gint) self->order, (const gint32 *) (gpointer) tokens->data,
                                    tokens->len);
  return TRUE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelNgramModel *self = REEL_NGRAM_MODEL (object);
  ReelIsa isa;

  if (!self->rows)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "ngram needs texts that replay tokenize wrote, as in ngram:rows=DIR");
      return FALSE;
    }
  if (!reel_isa_choose (&isa, error))
    return FALSE;
  self->kernels = REEL_KERNEL_PICK (reel_exp_kernels, isa);
  if (count (self, error))
    return TRUE;
  g_prefix_error (error, "ngram:rows='%s': ", self->rows);
  return FALSE;
}

static gboolean
prepare (ReelTextModel *model, gint64 n_rows, gint64 length, gint64 *vocabulary, GError **error)
{
  *vocabulary = REEL_NGRAM_MODEL (model)->n_ids;
  return TRUE;
}

/* ---- probabilities ---- */

/* The last tokens of a text, as many as a context may have. */
typedef struct
{
  gint64 tokens[REEL_NGRAM_MAX_ORDER];
  gint n;
} Context;

static void
context_add (Context *self, gint64 token, gint most)
{
  if (self->n == most)
    {
      for (gint i = 1; i < self->n; i++)
        self->tokens[i - 1] = self->tokens[i];
      self->n -= most > 0;
    }
  if (most > 0)
    self->tokens[self->n++] = token;
}

/* The node of the last @n tokens. */
static const ReelNgramNode *
context_find (const Context *self, const ReelNgramTree *tree, gint n)
{
  return reel_ngram_tree_find (tree, self->tokens + self->n - n, n);
}

static void
write_probabilities (const ReelNgramModel *self, const Context *context, double *probabilities)
{
  for (gint64 id = 0; id < self->n_ids; id++)
    probabilities[id] = 1.0 / (double) self->n_ids;
  for (gint n = 0; n <= context->n; n++)
    {
      const ReelNgramNode *node = context_find (context, self->tree, n);
      gsize n_children;
      if (!node)
        return;
      const ReelNgramNode *children = reel_ngram_tree_children (self->tree, node, n, &n_children);
      double all = (double) node->followed + (double) n_children;
      for (gint64 id = 0; id < self->n_ids; id++)
        probabilities[id] *= (double) n_children / all;
      for (gsize i = 0; i < n_children; i++)
        probabilities[children[i].token] += (double) children[i].count / all;
    }
}

static double
get_probability (const ReelNgramModel *self, const Context *context, gint64 token)
{
  double probability = 1.0 / (double) self->n_ids;

  for (gint n = 0; n <= context->n; n++)
    {
      const ReelNgramNode *node = context_find (context, self->tree, n);
      gsize n_children;
      if (!node)
        break;
      reel_ngram_tree_children (self->tree, node, n, &n_children);
      double all = (double) node->followed + (double) n_children;
      probability = probability * ((double) n_children / all)
                    + (double) reel_ngram_tree_count (self->tree, node, n, token) / all;
    }
  return probability;
}

static gboolean
next_logits (ReelTextModel *model, const ReelTextBatch *batch, float *logits, GError **error)
{
  const ReelNgramModel *self = REEL_NGRAM_MODEL (model);
  g_autofree double *row_logits = g_new (double, (gsize) self->n_ids);

  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      Context context = { .n = 0 };
      for (gint64 i = row * batch->length; i < (row + 1) * batch->length; i++)
        if (batch->mask[i])
          context_add (&context, batch->ids[i], self->tree->order - 1);
      write_probabilities (self, &context, row_logits);
      self->kernels->log (row_logits, self->n_ids, row_logits);
      for (gint64 id = 0; id < self->n_ids; id++)
        logits[row * self->n_ids + id] = (float) row_logits[id];
    }
  return TRUE;
}

static gboolean
log_probs (ReelTextModel *model, const ReelTextBatch *batch, float *values, GError **error)
{
  const ReelNgramModel *self = REEL_NGRAM_MODEL (model);
  g_autofree double *row_values = g_new (double, (gsize) batch->length);

  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      const gint64 *ids = batch->ids + row * batch->length;
      Context context = { .n = 0 };
      for (gint64 i = 0; i < batch->length; i++)
        {
          row_values[i] = get_probability (self, &context, ids[i]);
          if (batch->mask[row * batch->length + i])
            context_add (&context, ids[i], self->tree->order - 1);
        }
      self->kernels->log (row_values, batch->length, row_values);
      for (gint64 i = 0; i < batch->length; i++)
        values[row * batch->length + i] = (float) row_values[i];
    }
  return TRUE;
}

/* The mean of the logarithms of the probabilities of a text's ids: how usual it is. */
static gboolean
end_scores (ReelTextModel *model, const ReelTextBatch *batch, float *scores, GError **error)
{
  g_autofree float *values = g_new (float, (gsize) (batch->n_rows * batch->length));

  if (!log_probs (model, batch, values, error))
    return FALSE;
  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      double sum = 0;
      gint64 n = 0;
      for (gint64 i = row * batch->length; i < (row + 1) * batch->length; i++)
        if (batch->mask[i])
          {
            sum += (double) values[i];
            n++;
          }
      scores[row] = n > 0 ? (float) (sum / (double) n) : 0;
    }
  return TRUE;
}

/* ---- the class ---- */

static void
finalize (GObject *object)
{
  g_clear_pointer (&REEL_NGRAM_MODEL (object)->tree, reel_ngram_tree_free);
  G_OBJECT_CLASS (reel_ngram_model_parent_class)->finalize (object);
}

static void
add_properties (ReelObjectClass *klass)
{
  reel_object_class_add_path (klass, "rows", G_STRUCT_OFFSET (ReelNgramModel, rows), NULL,
                              "texts, a directory that replay tokenize wrote",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_string (klass, "key", G_STRUCT_OFFSET (ReelNgramModel, key), NULL,
                                "which texts of a row, such as chosen_data of pairs",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      klass, "order", G_STRUCT_OFFSET (ReelNgramModel, order), 1, REEL_NGRAM_MAX_ORDER, 3, "tokens",
      "tokens of the longest sequences that are counted", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      klass, "vocabulary", G_STRUCT_OFFSET (ReelNgramModel, vocabulary), 0, G_MAXINT32, 0, "ids",
      "size of the vocabulary, 0 for that of the texts", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_ngram_model_class_init (ReelNgramModelClass *klass)
{
  static const ReelId ids[] = {
    { "ngram", NULL, "counts of the tokens of a data set of texts" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTextModelClass *model_class = REEL_TEXT_MODEL_CLASS (klass);

  object_class->ids = ids;
  object_class->positional = "rows";
  object_class->build = build;
  add_properties (object_class);
  model_class->prepare = prepare;
  model_class->next_logits = next_logits;
  model_class->log_probs = log_probs;
  model_class->end_scores = end_scores;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_ngram_model_init (ReelNgramModel *self)
{
}
