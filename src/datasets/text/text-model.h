/* Models of text: what comes next, how likely a text is, how good. */
#pragma once

#include "../../core/object/object.h"

G_BEGIN_DECLS

/**
 * ReelTextBatch:
 * @n_rows: B, at least 1
 * @length: L, at least 1
 * @ids: (array): ids of tokens, `[B, L]`, row-major
 * @mask: (array): `[B, L]`, 1 where an id is of the text, 0 where it is padding
 *
 * Texts as a model reads them.
 */
typedef struct
{
  gint64 n_rows;
  gint64 length;
  const gint64 *ids;
  const guint8 *mask;
} ReelTextBatch;

/**
 * ReelTextModel:
 *
 * A model of text, which reads batches of ids. One thread at a time uses it.
 *
 * Ids: `ngram` (`rows`, `order`, `key`, `vocabulary`): counts of a data set of texts; `exec`
 * (`command`, `timeout`, `seed`): a program of any language, such as a network of PyTorch. Other
 * classes derive from it.
 */
#define REEL_TYPE_TEXT_MODEL (reel_text_model_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelTextModel, reel_text_model, REEL, TEXT_MODEL, ReelObject)

/**
 * ReelTextModelClass:
 * @prepare: required. Makes ready for batches of @n_rows rows and at most @length ids. Sets
 *   @vocabulary, the number of ids that logits have, at least 1. Called again for other sizes
 * @next_logits: (nullable): writes `[B, vocabulary]`: logits of the id that follows each row
 * @log_probs: (nullable): writes `[B, L]`: the logarithm of the probability of each id behind one
 * of the text, from the ids of the text before it; the rest means nothing
 * @end_scores: (nullable): writes `[B]`: how good each row is
 *
 * Virtual functions of a model. A class leaves out what its models cannot do.
 */
struct _ReelTextModelClass
{
  ReelObjectClass parent_class;

  gboolean (*prepare) (ReelTextModel *self, gint64 n_rows, gint64 length, gint64 *vocabulary,
                       GError **error);
  gboolean (*next_logits) (ReelTextModel *self, const ReelTextBatch *batch, float *logits,
                           GError **error);
  gboolean (*log_probs) (ReelTextModel *self, const ReelTextBatch *batch, float *log_probs,
                         GError **error);
  gboolean (*end_scores) (ReelTextModel *self, const ReelTextBatch *batch, float *scores,
                          GError **error);
};

/**
 * reel_text_model_prepare:
 * @self: a model
 * @n_rows: rows of batches to come, at least 1
 * @length: the most ids of a row, at least 1
 * @error: VALUE for sizes out of range; whatever the class says: RUNTIME, TIMEOUT or DAMAGED of a
 *   process, DAMAGED of files, NO_SPACE
 *
 * Makes a model ready. Does nothing where it is ready for these sizes.
 *
 * Returns: the size of the vocabulary, or −1
 */
REEL_API
gint64 reel_text_model_prepare (ReelTextModel *self, gint64 n_rows, gint64 length, GError **error);

/**
 * reel_text_model_next_logits:
 * @self: a model that is ready for batches of this size
 * @batch: texts
 * @logits: (out caller-allocates) (array): float32 `[B, vocabulary]`
 * @error: NOT_IMPLEMENTED for a model that has none; VALUE for an id outside of the vocabulary, and
 *   where a row has NaN, +∞ or nothing above −∞; as reel_text_model_prepare()
 *
 * Computes the logits of the id that follows each row. Logits of −∞ exclude an id.
 *
 * Returns: whether they were computed
 */
REEL_API
gboolean reel_text_model_next_logits (ReelTextModel *self, const ReelTextBatch *batch,
                                      float *logits, GError **error);

/**
 * reel_text_model_log_probs:
 * @self: a model that is ready for batches of this size
 * @batch: texts
 * @log_probs: (out caller-allocates) (array): float32 `[B, L]`
 * @error: as reel_text_model_next_logits(); VALUE for NaN
 *
 * Computes the logarithm of the probability (in nats) of each id whose neighbour before it is of
 * the text, from the ids of the text up to there: that of a token which ends the text, too. The
 * rest means nothing.
 *
 * Returns: whether they were computed
 */
REEL_API
gboolean reel_text_model_log_probs (ReelTextModel *self, const ReelTextBatch *batch,
                                    float *log_probs, GError **error);

/**
 * reel_text_model_end_scores:
 * @self: a model that is ready for batches of this size
 * @batch: texts
 * @scores: (out caller-allocates) (array): float32 `[B]`
 * @error: as reel_text_model_next_logits(); VALUE for scores that are not finite
 *
 * Computes how good each row is: the `end_scores` of TorchRL's reward models.
 *
 * Returns: whether they were computed
 */
REEL_API
gboolean reel_text_model_end_scores (ReelTextModel *self, const ReelTextBatch *batch, float *scores,
                                     GError **error);

G_END_DECLS
