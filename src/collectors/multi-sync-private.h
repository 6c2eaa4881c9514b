/* The collector of workers that add to the same batches, which its files share. Private. */
#pragma once

#include "multi-collector.h"

G_BEGIN_DECLS

typedef enum
{
  REEL_CAT_STACK,
  REEL_CAT_0,
  REEL_CAT_LAST,
  REEL_CAT_LANES, /* all lanes in one dimension, also where each worker has one */
} ReelCat;

struct _ReelMultiSyncCollector
{
  ReelMultiCollector parent_instance;

  int cat;
  double threshold;
  gint64 total_episodes; /* the property */

  gboolean is_long;     /* whether a batch has the steps of one worker after those of another */
  gint64 *worker_steps; /* by worker: steps of a batch, where it has */
  gint64 *done;         /* by worker: of the last batch */
  gint64 n_steps;       /* since the run began */
  gint64 block_steps;
  ReelStepBlock *own;   /* NULL where a buffer is written in place */
  guint8 **own_columns; /* of it */
  ReelTensordict *handed;
  ReelRunState *state; /* (not owned) or NULL */
  const GArray *episodes;
};

G_DECLARE_FINAL_TYPE (ReelMultiSyncCollector, reel_multi_sync_collector, REEL, MULTI_SYNC_COLLECTOR,
                      ReelMultiCollector)

static inline ReelMulti *
reel_multi_sync_get (ReelMultiSyncCollector *self)
{
  return reel_multi_collector_get (REEL_MULTI_COLLECTOR (self));
}

static inline const ReelCollectorParts *
reel_multi_sync_get_parts (ReelMultiSyncCollector *self)
{
  return reel_collector_get_parts (REEL_COLLECTOR (self));
}

/* Whether workers have a dimension of their own: rows and trajectories need none. */
gboolean reel_multi_sync_stacks (ReelMultiSyncCollector *self);

/* Where the steps of @worker are in a batch of @n_steps, in which they are one worker's after
 * another's. */
gint64 reel_multi_sync_find_long (ReelMultiSyncCollector *self, gint worker, gint64 n_steps);

/* Fills the rows of workers that were late, in a batch of @n_steps. */
void reel_multi_sync_pad (ReelMultiSyncCollector *self, gint64 n_steps);

/* (transfer full): the tensordict to hand out of @n_steps steps. */
ReelTensordict *reel_multi_sync_assemble (ReelMultiSyncCollector *self, gint64 n_steps,
                                          GError **error);

G_END_DECLS
