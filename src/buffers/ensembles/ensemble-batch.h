/* One batch of an ensemble, put together of parts. Private. */
#pragma once

#include "../sampling.h"

G_BEGIN_DECLS

/**
 * ReelEnsembleBatch:
 * @n_parts: how many
 * @ids: whose each part is
 * @rows: of a part, wanted
 * @parts: the parts; views of @raw where that is dense, so that who fills them again fills it
 * @changed: whether a part is another one than when they were put together
 * @raw: (nullable): the parts together, before the transform
 * @given: (nullable): what was given out of it: who gives it back gives the rest back
 * @n_draws: where it was drawn ahead: draws that each part was made of
 * @inner: the batch of each part that is of an ensemble: where it was drawn ahead all of it, else
 *   what is said of its rows
 * @notes: (element-type ReelSampling): what is said of the rows of each part, draw by draw
 * @n_notes: draws of each part, none of one that is of an ensemble; notes behind them are of
 * earlier batches
 * @told: whether all of that is of a batch that was given out
 *
 * Memory for one batch at a time.
 */
typedef struct _ReelEnsembleBatch ReelEnsembleBatch;
struct _ReelEnsembleBatch
{
  gint64 n_parts;
  gint64 *ids;
  gint64 rows;
  ReelTensordict **parts;
  gboolean changed;
  ReelTensordict *raw;
  ReelTensordict *given;
  guint *n_draws;
  ReelEnsembleBatch **inner;
  GPtrArray **notes;
  guint *n_notes;
  gboolean told;
};

/**
 * reel_ensemble_batch_new:
 * @n_parts: how many parts it has
 *
 * Returns: (transfer full): a batch without rows
 */
ReelEnsembleBatch *reel_ensemble_batch_new (gint64 n_parts);

/**
 * reel_ensemble_batch_free:
 * @self: (transfer full) (nullable): a batch
 */
void reel_ensemble_batch_free (ReelEnsembleBatch *self);

/**
 * reel_ensemble_batch_forget:
 * @self: a batch whose rows somebody else keeps
 *
 * Leaves them to those who have them.
 */
void reel_ensemble_batch_forget (ReelEnsembleBatch *self);

/**
 * reel_ensemble_batch_put:
 * @self: a batch
 * @i: which part
 * @part: (transfer full): its rows
 */
void reel_ensemble_batch_put (ReelEnsembleBatch *self, gint64 i, ReelTensordict *part);

/**
 * reel_ensemble_batch_name_rows:
 * @part: rows with an `index`
 * @id: whose they are
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a copy of the structure of @part, whose index says so too; @part itself
 *   where it takes no keys
 */
ReelTensordict *reel_ensemble_batch_name_rows (ReelTensordict *part, gint64 id, GError **error);

/**
 * reel_ensemble_batch_join:
 * @self: a batch with all its parts
 * @error: RUNTIME where parts cannot be stacked; NO_SPACE
 *
 * Makes `raw` of the parts; nothing is copied where they are its own views.
 *
 * Returns: whether it did
 */
gboolean reel_ensemble_batch_join (ReelEnsembleBatch *self, GError **error);

/**
 * reel_ensemble_batch_give:
 * @self: a batch
 * @result: (transfer full): what was made of its `raw`
 * @batch: (inout): %NULL, or a batch that was given out before: becomes @result
 */
void reel_ensemble_batch_give (ReelEnsembleBatch *self, ReelTensordict *result,
                               ReelTensordict **batch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelEnsembleBatch, reel_ensemble_batch_free)

G_END_DECLS
