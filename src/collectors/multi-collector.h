/* The common part of collectors with several workers: their lanes, their orders, and the loop of a
 * worker. Private. */
#pragma once

#include "../core/system/mapping.h"
#include "lane-shares.h"
#include "run-start.h"
#include "step-block.h"
#include "worker-crew.h"

G_BEGIN_DECLS

/**
 * ReelMultiCollector:
 *
 * A collector whose lanes several workers have, each its own: it steps them, acts in them, and
 * writes their rows where they stay. On threads they share the env and the policy; a process has
 * its copy of both from the first batch on.
 */
#define REEL_TYPE_MULTI_COLLECTOR (reel_multi_collector_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelMultiCollector, reel_multi_collector, REEL, MULTI_COLLECTOR,
                          ReelCollector)

struct _ReelMultiCollectorClass
{
  ReelCollectorClass parent_class;
};

/**
 * ReelMultiOrder:
 * @is_first: whether the first episodes of the lanes begin before
 * @continues: whether the batch began in a block before: its weights stay
 * @restarts: whether new episodes begin before, which cut those of now
 * @is_random: whether actions are random
 * @truncates: whether the last step is marked as truncated
 * @list: where episodes that end are listed
 * @n_steps: steps of the block
 * @n_first: those of its first part: the rest is elsewhere
 * @first_step: number of its first one
 * @clears_from: the first step of which the worker clears the flags
 * @clears_to: one past the last
 * @clears_first: the first lane that such a step has
 * @loads: (nullable): the states of the env from which the worker goes on
 * @env_state: (nullable): where the states of the env are saved after the block
 * @is_whole: whether the rest of the state follows there
 * @done: answer: steps that were done
 * @n_empty: answer: episodes that were cut without a step
 * @tally: answer: the episodes of the lanes that ended so far
 * @columns: (array): as of #ReelStepSpan, for the first part, then for the rest
 *
 * The work of one worker, and its answer: on its desk.
 */
typedef struct
{
  gboolean is_first, continues, restarts, is_random, truncates;
  gint list;
  gint64 n_steps, n_first, first_step;
  gint64 clears_from, clears_to, clears_first;
  const guint8 *loads;
  guint8 *env_state;
  gboolean is_whole;
  gint64 done, n_empty;
  ReelCollectorStats tally;
  guint8 *columns[];
} ReelMultiOrder;

/**
 * ReelMulti:
 * @n_workers: how many
 * @shares: (array length=n_workers): their lanes
 * @steps: (array length=n_workers): steps that each did
 * @begun: (array length=n_workers): whether each began
 * @frames: (array length=n_workers) (nullable): rows of each in a batch, where they were given
 *   apart
 * @kind: of the workers
 * @columns: of the steps
 * @rollout: steps them
 * @crew: the workers
 * @enough: workers that are waited for, all or fewer
 * @finished: (nullable): lists of the episodes that end
 * @n_episodes: episodes that were listed
 * @buffer: (nullable): where rows are written in place
 * @found: (nullable) (array): the index of each column in @buffer
 * @env_states: memory for the states of the env, lane after lane, that workers share; nothing where
 *   they cannot be copied
 *
 * The parts of such a collector.
 */
typedef struct
{
  gint n_workers;
  ReelLaneShare *shares;
  gint64 *steps;
  gboolean *begun;
  gint64 *frames;
  ReelCrewKind kind;
  const ReelTedColumns *columns;
  ReelRolloutWorker *rollout;
  ReelWorkerCrew *crew;
  gint enough;
  ReelFinishedEpisodes *finished;
  gint64 n_episodes;
  ReelReplayBuffer *buffer;
  guint *found;
  ReelMapping env_states;
  /*< private >*/
  gboolean acts_by_lane;
  gint64 n_wanted, timeout;
  int kind_word;
  GArray *frames_list;
} ReelMulti;

/**
 * reel_multi_collector_get:
 * @self: a collector
 *
 * Returns: (transfer none): its parts
 */
ReelMulti *reel_multi_collector_get (ReelMultiCollector *self);

/**
 * reel_multi_collector_deal_out:
 * @self: a collector
 * @env: what is stepped
 * @error: VALUE, as reel_lane_shares_new(), and where there are not as many numbers of frames as
 *   workers
 *
 * Sets shares and frames.
 *
 * Returns: whether each worker has its lanes
 */
gboolean reel_multi_collector_deal_out (ReelMultiCollector *self, ReelEnv *env, GError **error);

/**
 * reel_multi_collector_lanes_of_each:
 * @self: a collector whose lanes were dealt out
 *
 * Returns: lanes of a worker; 0 where workers have unlike numbers
 */
gint64 reel_multi_collector_lanes_of_each (ReelMultiCollector *self);

/**
 * reel_multi_collector_check_lanes:
 * @self: a collector whose lanes were dealt out
 * @what: what needs as many lanes for each worker
 * @way_out: what else would do
 * @error: VALUE
 *
 * Returns: whether each has as many
 */
gboolean reel_multi_collector_check_lanes (ReelMultiCollector *self, const char *what,
                                           const char *way_out, GError **error);

/**
 * reel_multi_collector_open:
 * @self: a collector whose lanes were dealt out
 * @n_lists: lists of episodes
 * @most: episodes that a list has room for
 * @error: VALUE where processes cannot step the env or share the buffer, or a policy cannot be
 *   shared; NO_SPACE
 *
 * Makes rollout worker and crew. Nothing is started before the first batch.
 *
 * Returns: whether they were made
 */
gboolean reel_multi_collector_open (ReelMultiCollector *self, gint n_lists, gint64 most,
                                    GError **error);

/**
 * reel_multi_collector_order:
 * @self: an open collector
 * @worker: one that does nothing
 * @task: of which it does some
 * @n_steps: steps to do
 *
 * Returns: (transfer none): its order, which lacks the columns yet: it clears all flags of a block
 *   of its own, truncates no step, and saves no state
 */
ReelMultiOrder *reel_multi_collector_order (ReelMultiCollector *self, gint worker,
                                            const ReelCollectorTask *task, gint64 n_steps);

/**
 * reel_multi_collector_take_answer:
 * @self: an open collector
 * @worker: one that did what it was ordered to
 *
 * Counts its steps.
 *
 * Returns: (transfer none): order and answer
 */
const ReelMultiOrder *reel_multi_collector_take_answer (ReelMultiCollector *self, gint worker);

/**
 * reel_multi_collector_get_state:
 * @self: an open collector whose workers do nothing
 * @state: memory for the state of all lanes, as of reel_rollout_worker_get_state()
 * @error: what a worker failed by
 *
 * Returns: whether each worker wrote where its lanes are
 */
gboolean reel_multi_collector_get_state (ReelMultiCollector *self, guint8 *state, GError **error);

/**
 * reel_multi_collector_hand_over:
 * @self: an open collector whose workers do nothing
 * @error: what a worker failed by
 *
 * Has workers go on where the env of this process is, which processes have copies of.
 *
 * Returns: whether they will
 */
gboolean reel_multi_collector_hand_over (ReelMultiCollector *self, GError **error);

/**
 * reel_multi_collector_end:
 * @self: a collector
 *
 * Ends the workers, before the memory that they write to.
 */
void reel_multi_collector_end (ReelMultiCollector *self);

G_END_DECLS
