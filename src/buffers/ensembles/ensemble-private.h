/* Declarations that the files of ensembles share. Private. */
#pragma once

#include "ensemble-batch.h"
#include "../prefetch.h"
#include "replay-buffer-ensemble.h"

G_BEGIN_DECLS

/* Batches that are drawn ahead. Number k of them has record k modulo the number of records, of
 * which there is one more than batches: the one given out last is still its taker's. */
typedef struct
{
  ReelPrefetch *queue;         /* NULL for none */
  ReelEnsembleBatch **records; /* what each batch is put together in */
  ReelEnsembleBatch *last;     /* of the batch that was given out last */
  gint64 n_drawn;
  gint64 n_taken;
  GError *failed; /* why no more could be drawn: told once those that are there are taken */
} ReelEnsembleAhead;

struct _ReelReplayBufferEnsemble
{
  GObject parent_instance;

  GPtrArray *members; /* buffers, and ensembles of them */
  double *p;          /* NULL where all are alike */
  gboolean sampleable;
  gboolean sample_from_all;
  gint64 asked_parts; /* 0: as many as buffers */
  gint64 n_parts;
  gint64 batch_size;
  gint64 seed;
  gint64 n_calls;
  ReelCompose *transform;
  double *weights; /* a scratch one a member, where they are what can be sampled */

  ReelEnsembleBatch *batch; /* what is drawn when it is asked for */
  ReelEnsembleAhead ahead;
};

/**
 * reel_ensemble_find:
 * @self: an ensemble
 * @i: which member; negative counts from the end
 * @error: INDEX when out of range
 *
 * Returns: its place among the members, −1 on failure
 */
gint64 reel_ensemble_find (ReelReplayBufferEnsemble *self, gint64 i, GError **error);

/**
 * reel_ensemble_choose:
 * @self: an ensemble
 * @n: rows of a batch
 * @batch: a batch: its `ids` and `rows` are set
 * @error: RUNTIME "batch_size not specified. …", or where no member can be sampled; VALUE where @n
 *   is no multiple of the parts
 *
 * Preparation of the draws of a batch.
 *
 * Returns: whether they were set
 */
gboolean reel_ensemble_choose (ReelReplayBufferEnsemble *self, gint64 n, ReelEnsembleBatch *batch,
                               GError **error);

/**
 * reel_ensemble_count_sampleable:
 * @self: an ensemble
 * @n: rows of a batch of it
 * @count: (out): what its members can draw for their parts, as reel_sampler_count_sampleable(); of
 *   members that are never taken nothing
 * @error: as there; VALUE where @n is no multiple of the parts
 *
 * Returns: whether @count was set
 */
gboolean reel_ensemble_count_sampleable (ReelReplayBufferEnsemble *self, gint64 n, gint64 *count,
                                         GError **error);

/**
 * reel_ensemble_note_draw:
 * @batch: a batch
 * @i: which part of it, of a buffer
 * @sampling: a draw of it, the first or one more
 * @error: NO_SPACE
 *
 * Keeps what is said of its rows.
 *
 * Returns: whether it did
 */
gboolean reel_ensemble_note_draw (ReelEnsembleBatch *batch, gint64 i, const ReelSampling *sampling,
                                  GError **error);

/**
 * reel_ensemble_note_batch:
 * @batch: a batch
 * @i: which part of it, of an ensemble
 * @part: what the part was put together in, of which all parts are noted
 * @error: NO_SPACE
 *
 * Keeps what is said of its rows, of ensembles in it too. Nothing is allocated where an earlier
 * batch was of the like.
 *
 * Returns: whether it did
 */
gboolean reel_ensemble_note_batch (ReelEnsembleBatch *batch, gint64 i,
                                   const ReelEnsembleBatch *part, GError **error);

/**
 * reel_ensemble_dup_info:
 * @batch: a batch, all of whose parts are noted
 * @error: RUNTIME where parts cannot be stacked; NO_SPACE
 *
 * Returns: (transfer full): as reel_replay_buffer_ensemble_dup_batch_info()
 */
ReelTensordict *reel_ensemble_dup_info (const ReelEnsembleBatch *batch, GError **error);

/**
 * reel_ensemble_get_last:
 * @self: an ensemble
 *
 * Returns: (transfer none) (nullable): what the last batch was put together in
 */
const ReelEnsembleBatch *reel_ensemble_get_last (ReelReplayBufferEnsemble *self);

/**
 * reel_ensemble_complete_part:
 * @self: an ensemble
 * @batch: a batch of it
 * @i: which part: has `rows` where not all members are sampled
 * @part: (inout): rows of it
 * @error: what drawing says
 *
 * Draws what is missing, now: a sampler gives fewer rows at the end of its pass.
 *
 * Returns: whether @part has all
 */
gboolean reel_ensemble_complete_part (ReelReplayBufferEnsemble *self, ReelEnsembleBatch *batch,
                                      gint64 i, ReelTensordict **part, GError **error);

/**
 * reel_ensemble_finish:
 * @self: an ensemble
 * @batch: a batch of it, with all its parts
 * @error: what stacking and the transform say
 *
 * Returns: (transfer full): what is given out
 */
ReelTensordict *reel_ensemble_finish (ReelReplayBufferEnsemble *self, ReelEnsembleBatch *batch,
                                      GError **error);

/**
 * reel_ensemble_sample_ahead:
 * @self: an ensemble that draws ahead
 * @n: rows of the batches to draw
 * @batch: (inout): as in reel_replay_buffer_ensemble_sample()
 * @error: as there
 *
 * Returns: whether @batch was set
 */
gboolean reel_ensemble_sample_ahead (ReelReplayBufferEnsemble *self, gint64 n,
                                     ReelTensordict **batch, GError **error);

/**
 * reel_ensemble_forget_ahead:
 * @self: an ensemble
 *
 * Drops what was drawn ahead; the next batch is drawn when it is asked for. Nothing is said any
 * more of the last one.
 */
void reel_ensemble_forget_ahead (ReelReplayBufferEnsemble *self);

/**
 * reel_ensemble_stop:
 * @self: an ensemble
 *
 * Drops what was drawn ahead, and draws no more.
 */
void reel_ensemble_stop (ReelReplayBufferEnsemble *self);

G_END_DECLS
