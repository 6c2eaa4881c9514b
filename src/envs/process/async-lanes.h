/* Lanes that step apart from one another, as actions of them are sent. Private. */
#pragma once

#include "../../core/system/errands.h"
#include "../../core/tensordict/tensordict.h"
#include "../env.h"

G_BEGIN_DECLS

/**
 * ReelAsyncWork:
 * @step: steps a range of lanes, as reel_env_step_lanes()
 * @reset: begins new episodes, as the slot of #ReelEnvClass
 * @data: for both
 *
 * The work of the threads, for disjoint lanes at the same time.
 */
typedef struct
{
  void (*step) (gpointer data, gint64 begin, gint64 end, const ReelEnvIO *io);
  void (*reset) (gpointer data, const gint64 *lanes, gsize n, guint8 *const *observation);
  gpointer data;
} ReelAsyncWork;

/**
 * ReelAsyncState:
 * @REEL_ASYNC_IDLE: nothing was sent, or it was received since
 * @REEL_ASYNC_SENT: its step waits or is at work
 * @REEL_ASYNC_READY: its step ended
 *
 * What is known of a lane.
 */
typedef enum
{
  REEL_ASYNC_IDLE,
  REEL_ASYNC_SENT,
  REEL_ASYNC_READY,
} ReelAsyncState;

/**
 * ReelAsyncLanes:
 * @env: whose lanes they are; it owns them
 * @n_lanes: how many
 * @unit: lanes that are stepped together, once all of them were sent
 * @action: columns `[n_lanes, …]` of the actions
 * @next: columns of what the steps came to
 * @first: columns of the first observations of episodes that began since
 * @rows: by lane: what was sent of it, without a batch size
 * @states: (array) (element-type ReelAsyncState): by lane
 * @n_missing: by unit: lanes that were not sent
 * @ready: (array length=n_ready): lanes in the order in which they arrived
 * @n_ready: how many
 * @n_working: lanes of units that are with the threads
 * @failure: (nullable): why nothing is sent or received any more
 *
 * All of it belongs to the thread of the env, but the columns of units that are with the threads.
 */
typedef struct
{
  ReelEnv *env;
  gint64 n_lanes, unit;
  ReelTensordict *action, *next, *first;
  ReelTensordict **rows;
  guint8 *states;
  gint64 *n_missing;
  gint64 *ready;
  gint64 n_ready, n_working;
  GError *failure;
  /*< private >*/
  ReelAsyncWork work;
  ReelErrands *errands;
  ReelEnvIO io;
  guint8 **observation, **first_observation;
  const guint8 **actions;
  ReelEnvGroupStep *groups;
  gint64 *listed;
} ReelAsyncLanes;

/**
 * reel_async_lanes_new:
 * @env: (transfer none): an env
 * @unit: lanes that are stepped together, at least 1
 * @n_threads: how many step them, 1 to 1024
 * @work: what they do; a copy is made
 * @error: NO_SPACE; RUNTIME where the system refuses a thread
 *
 * Returns: (transfer full): the lanes, all idle
 */
ReelAsyncLanes *reel_async_lanes_new (ReelEnv *env, gint64 unit, gint n_threads,
                                      const ReelAsyncWork *work, GError **error);

/**
 * reel_async_lanes_free:
 * @self: (nullable) (transfer full): lanes
 *
 * Waits for steps that are at work.
 */
void reel_async_lanes_free (ReelAsyncLanes *self);

/**
 * reel_async_lanes_post:
 * @self: lanes
 * @lane: an idle one, whose action and row are in place
 *
 * Sends it.
 */
void reel_async_lanes_post (ReelAsyncLanes *self, gint64 lane);

/**
 * reel_async_lanes_await:
 * @self: lanes
 * @n: how many must be ready, no more than are ready or with the threads
 * @deadline: as of reel_errands_take()
 *
 * Returns: whether they are; FALSE too where one could not be simulated, which @failure says
 */
gboolean reel_async_lanes_await (ReelAsyncLanes *self, gint64 n, gint64 deadline);

/**
 * reel_async_lanes_release:
 * @self: lanes
 * @n: how many of @ready
 *
 * Those that were ready first are idle again.
 */
void reel_async_lanes_release (ReelAsyncLanes *self, gint64 n);

/**
 * reel_async_lanes_settle:
 * @self: lanes
 *
 * Waits until no thread works.
 */
void reel_async_lanes_settle (ReelAsyncLanes *self);

/**
 * reel_async_lanes_forget:
 * @self: lanes
 * @lanes: (array length=n): lanes
 * @n: how many
 *
 * Settles, and drops what was sent of @lanes. A failure is over with the last one.
 */
void reel_async_lanes_forget (ReelAsyncLanes *self, const gint64 *lanes, gsize n);

/**
 * reel_async_lanes_send:
 * @self: lanes
 * @td: as of reel_env_send()
 * @error: likewise
 *
 * Returns: whether all were sent; else none was
 */
gboolean reel_async_lanes_send (ReelAsyncLanes *self, ReelTensordict *td, GError **error);

/**
 * reel_async_lanes_recv:
 * @self: lanes
 * @n: as of reel_env_recv()
 * @milliseconds: likewise
 * @begin: likewise
 * @error: likewise
 *
 * Returns: (transfer full): the steps
 */
ReelTensordict *reel_async_lanes_recv (ReelAsyncLanes *self, gint64 n, gint64 milliseconds,
                                       ReelTensordict **begin, GError **error);

G_END_DECLS
