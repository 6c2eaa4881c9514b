/* The collector of all ranks, which its files share. Private. */
#pragma once

#include <math.h>

#include "../collectors/collector-private.h"
#include "../collectors/finished-episodes.h"
#include "../collectors/lane-state.h"
#include "../collectors/step-block.h"
#include "../collectors/ted-columns.h"
#include "../envs/env-private.h"
#include "rank-peer.h"

G_BEGIN_DECLS

typedef enum
{
  REEL_RANKS_SYNC,
  REEL_RANKS_ASYNC
} ReelRanksMode;

typedef enum
{
  REEL_RANKS_FAIL,
  REEL_RANKS_DROP
} ReelRanksOnError;

struct _ReelRanksCollector
{
  ReelCollector parent_instance;

  gint mode;
  gint on_rank_error;

  ReelRankLanes *own; /* those of rank 0; in async mode it steps none, and they say the sizes */
  ReelRankPeer *peers;
  guint n_peers;
  gint64 n_lanes; /* of a step that is stored */
  gint64 n_steps; /* that were stored */
  gint64 n_asked; /* in async mode: that are stored or will be */
  gboolean begun;
  gint64 version; /* of the weights that @own acts with, -1 for those of its beginning */

  ReelCollectorStats own_stats; /* of the batches that count */
  ReelCollectorStats moved;     /* of lanes that have gone elsewhere since */
  guint8 *state;                /* of all lanes after the last batch, where it is kept */
  gboolean is_moved;            /* whether the lanes go on from it elsewhere */

  /* Where steps go: the columns of the buffer's blocks, or a block of its own. */
  ReelTedColumns *columns;
  guint *order; /* by leaf: its column */
  guint *found; /* by column: that of a buffer that lends, else NULL */
  guint8 **into, **leaves;
  ReelStepBlock *block;
  GArray *episodes;
  gint64 n_episodes;
  GError *failure; /* after which nothing can follow */
};

G_DECLARE_FINAL_TYPE (ReelRanksCollector, reel_ranks_collector, REEL, RANKS_COLLECTOR,
                      ReelCollector)

/* A try at one batch of all ranks. */
typedef struct
{
  GError *failure; /* the first */
  gboolean hard;   /* whether a rank that is there failed */
} ReelRanksTry;

/* Sums of no episode. */
static const ReelCollectorStats reel_ranks_no_stats = { .return_min = INFINITY,
                                                        .return_max = -INFINITY };

static inline const ReelCollectorParts *
reel_ranks_collector_get_parts (ReelRanksCollector *self)
{
  return reel_collector_get_parts (REEL_COLLECTOR (self));
}

/* ---- ranks-shares.c ---- */

/* Ranks that step lanes. */
guint reel_ranks_collector_count_workers (const ReelRanksCollector *self);

/* Steps of a batch at most. */
gint64 reel_ranks_collector_count_most_steps (ReelRanksCollector *self);

/* Has each rank that is there forget its lanes. */
void reel_ranks_collector_end_all (ReelRanksCollector *self);

/* Gives each rank that is there its lanes, and ends them all where one cannot have them. */
gboolean reel_ranks_collector_begin_all (ReelRanksCollector *self, GError **error);

/* ---- ranks-place.c ---- */

gboolean reel_ranks_collector_find_place (ReelRanksCollector *self, GError **error);

/* Where step 0 of lane 0 of each leaf belongs: in @lent by the buffer, or in the own block. */
guint8 *const *reel_ranks_collector_point (ReelRanksCollector *self, const ReelReservation *lent);

/* The first @n_steps steps of the own block. */
gboolean reel_ranks_collector_see_block (ReelRanksCollector *self, gint64 n_steps,
                                         ReelTensordict **steps, GError **error);

/* ---- ranks-asking.c ---- */

/* Takes the failure of a rank, which may have ended. */
void reel_ranks_try_note (ReelRanksTry *try, ReelRankPeer *peer, GError *failure);

/* A copy of the state of the lanes of @task. */
guint8 *reel_ranks_collector_slice_state (const ReelRanksCollector *self, const ReelRankTask *task,
                                          gsize *n_bytes);

/* Whether the weights of the policy are others than those of @version. */
gboolean reel_ranks_collector_sees_others (ReelRanksCollector *self, gint64 version,
                                           ReelPolicyWeights *weights);

/* Sends the order of @task to a rank, with the weights and states that it lacks; @try takes a
 * failure. */
void reel_ranks_collector_ask (ReelRanksCollector *self, ReelRankPeer *peer,
                               const ReelCollectorTask *task, ReelRanksTry *try);

/* ---- ranks-results.c ---- */

/* Adds the episodes that ended in @batch to those of this call. */
void reel_ranks_collector_list_episodes_of (ReelRanksCollector *self, const ReelRankBatch *batch);

/* Numbers the listed episodes behind the first @from, in the order of their ends. */
void reel_ranks_collector_number_episodes (ReelRanksCollector *self, guint from);

/* Adds the sums of the ranks that are there to @stats. */
void reel_ranks_collector_add_all_stats (const ReelRanksCollector *self, ReelCollectorStats *stats);

/* ---- ranks-sync.c ---- */

/* As the slot `collect` of #ReelCollectorClass. */
gboolean reel_ranks_collector_collect_sync (ReelRanksCollector *self, const ReelCollectorTask *task,
                                            gint64 *n_collected, ReelTensordict **steps,
                                            GError **error);

/* ---- ranks-async.c ---- */

/* Asks for the first batches, once. */
gboolean reel_ranks_collector_begin_async (ReelRanksCollector *self, GError **error);

/* Stores the batch that comes first. */
gboolean reel_ranks_collector_collect_async (ReelRanksCollector *self, gint64 *n_collected,
                                             ReelTensordict **steps, GError **error);

G_END_DECLS
