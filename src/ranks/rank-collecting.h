/* Collecting by messages, for rank 0 and for the others. Private.
 *
 * Rank 0 sends %REEL_RANK_COLLECT with a task, which the other answers with the sizes of its
 * leaves. Then it sends, where the policy has weights that are not those of the batch before,
 * %REEL_RANK_WEIGHTS, which has no answer, and %REEL_RANK_STEP for each batch: how many steps and,
 * where the lanes go on elsewhere, the step and the state that they begin with. The answer is
 * %REEL_RANK_BATCH with counts and episodes, followed by the columns and the state, where it is
 * kept. %REEL_RANK_END ends it. */
#pragma once

#include "rank-lanes.h"

G_BEGIN_DECLS

/**
 * reel_rank_begin:
 * @to: a rank
 * @task: its lanes
 * @error: RUNTIME naming the rank that ended
 *
 * For rank 0. reel_rank_has_begun() waits for the answer.
 *
 * Returns: whether it was asked
 */
gboolean reel_rank_begin (gint to, const ReelRankTask *task, GError **error);

/**
 * reel_rank_has_begun:
 * @from: a rank
 * @like: lanes of the same env and policy
 * @error: why that rank cannot; VALUE where its rows are of other sizes
 *
 * Returns: whether the rank is ready
 */
gboolean reel_rank_has_begun (gint from, const ReelRankLanes *like, GError **error);

/**
 * reel_rank_give_weights:
 * @to: a rank
 * @weights: of the policy
 * @error: RUNTIME naming the rank that ended
 *
 * Has a rank act with other weights from its next batch on. That batch fails where they do not fit.
 *
 * Returns: whether they were sent
 */
gboolean reel_rank_give_weights (gint to, const ReelPolicyWeights *weights, GError **error);

/**
 * reel_rank_step:
 * @to: a rank
 * @task: the steps
 * @first_step: where @state is, steps of each lane before it
 * @state: (nullable) (array length=state_bytes): of the lanes of that rank
 * @state_bytes: its bytes
 * @error: RUNTIME naming the rank that ended
 *
 * Has a rank collect a batch.
 *
 * Returns: whether it was asked
 */
gboolean reel_rank_step (gint to, const ReelCollectorTask *task, gint64 first_step,
                         const guint8 *state, gsize state_bytes, GError **error);

/**
 * reel_rank_receive_counts:
 * @from: a rank
 * @batch: (inout): becomes what it says of its batch, but for the columns and the state
 * @error: RUNTIME naming the rank that ended; why it could not collect
 *
 * Waits for the answer. Columns and state are to be received next, by reel_rank_receive_parts().
 *
 * Returns: whether it collected
 */
gboolean reel_rank_receive_counts (gint from, ReelRankBatch *batch, GError **error);

/**
 * reel_rank_collect_for_first:
 * @variant: the task
 * @error: RUNTIME where rank 0 ended
 *
 * For the others: answers until rank 0 ends it.
 *
 * Returns: whether it did
 */
gboolean reel_rank_collect_for_first (GVariant *variant, GError **error);

G_END_DECLS
