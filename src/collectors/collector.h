/* Collectors: an env stepped by a policy, as batches or into a buffer. */
#pragma once

#include "../buffers/checkpoints/checkpoint.h"
#include "../envs/env.h"
#include "../policies/policy.h"

G_BEGIN_DECLS

/**
 * ReelCollector:
 *
 * Steps an env with a policy and hands out what happened as TED batches: at the root what was known
 * before each step, under `next` what the step produced, and `collector/traj_ids`. With a buffer
 * the steps are written in place into its storage; without one each batch is a view of the
 * collector's own block. Lanes that are done are reset before their next step, so batches follow
 * one another without a gap.
 *
 * Properties of every collector: `frames-per-batch` (rows, default 1000, rounded up to whole steps
 * of all lanes), `total-frames` (rows, −1 for endless, rounded up likewise; the last batch is as
 * short as it must be), `threads` (0 for as many as the machine lends), `list-episodes` (for
 * reel_collector_get_episodes()). The bytes collected depend on none of them.
 * `max-frames-per-traj` truncates episodes by a `step-counter` behind the env. `split-trajs` makes
 * each batch one row a trajectory, padded, see reel_split_trajectories(); after it `postproc`, a
 * transform, changes the batch as a buffer with it would store and show it. A buffer is extended by
 * what they make, and not written in place. With `resume` it goes
 * on where the run that filled its buffer ended, so that the rows become those of a run that never
 * stopped: the env is put where it was by playing the last episode of every lane again, see
 * reel_recorded_states_new(), and must be of the same properties; the policy is told the numbers of
 * the steps to come. A buffer without rows is begun. Where reel_env_outlasts_episodes(), each
 * commit saves the state of all lanes with the buffer, in `reel.state` of a live one, and the run
 * goes on from that.
 *
 * One thread at a time uses a collector; it runs its own workers.
 */
#define REEL_TYPE_COLLECTOR (reel_collector_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelCollector, reel_collector, REEL, COLLECTOR, ReelObject)

/**
 * ReelCollectorStats:
 * @frames: rows collected so far
 * @batches: batches handed out so far
 * @episodes: episodes that ended so far
 * @length_sum: their steps, summed
 * @return_sum: their rewards, summed
 * @return_min: least return of an episode; +inf before the first
 * @return_max: greatest return of an episode; −inf before the first
 *
 * The figures of a collector since it began, or continued: episodes count whole, rows that were
 * there do not.
 */
typedef struct
{
  gint64 frames;
  gint64 batches;
  gint64 episodes;
  gint64 length_sum;
  double return_sum;
  double return_min;
  double return_max;
} ReelCollectorStats;

/**
 * ReelCollectorEpisode:
 * @number: episodes that ended before it since the run began, of all lanes
 * @lane: its lane
 * @length: its steps
 * @n_steps: steps of each lane since the run began, its last one included
 * @reward_sum: its rewards, summed: its return
 *
 * An episode that ended.
 */
typedef struct
{
  gint64 number;
  gint64 lane;
  gint64 length;
  gint64 n_steps;
  double reward_sum;
} ReelCollectorEpisode;

/**
 * ReelCollectorClass:
 * @open: required. Makes the collector ready to step, once its env, policy and buffer are known
 * @collect: required. Collects @n_steps steps of all lanes, fewer when it is asked to stop or
 *   fails; sets @n_collected to how many and @batch to what it holds of them, %NULL with a buffer
 * @tally: required. Adds the episodes that ended since it was opened to @stats
 * @list_episodes: required. Returns the episodes that ended in the last @collect, in the order of
 *   #ReelCollectorEpisode.number, where `list-episodes` is set
 *
 * One way of collecting. The base counts steps and batches, and turns rows into steps.
 */
struct _ReelCollectorClass
{
  ReelObjectClass parent_class;

  gboolean (*open) (ReelCollector *self, GError **error);
  gboolean (*collect) (ReelCollector *self, gint64 n_steps, gint64 *n_collected,
                       ReelTensordict **batch, GError **error);
  void (*tally) (ReelCollector *self, ReelCollectorStats *stats);
  const GArray *(*list_episodes) (ReelCollector *self);
};

/**
 * reel_collector_new:
 * @text: id and properties, such as `sync:frames-per-batch=1000,total-frames=1e6`
 * @env: what to step; it is reset by the first call of reel_collector_next()
 * @policy: what to act with; it is bound to the env's specs
 * @buffer: (nullable): where to write, empty or with the layout of this env and as many lanes
 * @error: VALUE when they do not fit together, and as reel_object_new_from_text(); with `resume` as
 *   reel_recorded_states_new(), naming the lane: its last episode must be in the buffer whole;
 *   RUNTIME or DAMAGED where a state that was to be saved is not that after the last row
 *
 * A single lane (`num-envs=1`) is collected unbatched: `[T]`, into a storage of `ndim` 1; more
 * lanes as `[B, T]`, into a storage of `ndim` 2.
 *
 * Returns: (transfer full): a collector that holds references to all three
 */
REEL_API
ReelCollector *reel_collector_new (const char *text, ReelEnv *env, ReelPolicy *policy,
                                   ReelReplayBuffer *buffer, GError **error);

/**
 * reel_collector_new_live:
 * @path: the directory to make, as for reel_replay_buffer_create_live()
 * @capacity: rows that it has room for
 * @text: as for reel_collector_new()
 * @env: id and properties, such as `CartPole:num-envs=8,seed=1`
 * @policy: id and properties, such as `random:seed=1`
 * @flags: whether it may replace a checkpoint
 * @error: as reel_object_new_from_text(), reel_replay_buffer_create_live() and
 *   reel_collector_new()
 *
 * A run from its texts: an env, a policy and a live buffer, put together.
 * reel_replay_buffer_close() of its buffer ends it.
 *
 * Returns: (transfer full): the collector
 */
REEL_API
ReelCollector *reel_collector_new_live (const char *path, gint64 capacity, const char *text,
                                        const char *env, const char *policy,
                                        ReelCheckpointFlags flags, GError **error);

/**
 * reel_collector_get_buffer:
 * @self: a collector
 *
 * Returns: (transfer none) (nullable): the buffer that it writes to
 */
REEL_API
ReelReplayBuffer *reel_collector_get_buffer (ReelCollector *self);

/**
 * reel_collector_next:
 * @self: a collector
 * @batch: (out) (optional) (transfer none) (nullable): the batch, `[B, T]` with names
 *   `[None, "time"]`, valid until the next call; %NULL with a buffer attached
 * @error: whatever the policy or the buffer says; rows committed before stay
 *
 * Collects the next batch.
 *
 * Returns: its rows; 0 when `total-frames` were collected or reel_collector_stop() was called; −1
 *   on error
 */
REEL_API
gint64 reel_collector_next (ReelCollector *self, ReelTensordict **batch, GError **error);

/**
 * reel_collector_stop:
 * @self: a collector
 *
 * Asks it to stop: the batch at work ends after the steps that are complete, later calls return 0.
 * Async-signal-safe; any thread.
 */
REEL_API
void reel_collector_stop (ReelCollector *self);

/**
 * reel_collector_get_stats:
 * @self: a collector
 * @stats: (out caller-allocates): what it did so far
 *
 * Copies the counts of a collector. The thread that collects.
 */
REEL_API
void reel_collector_get_stats (ReelCollector *self, ReelCollectorStats *stats);

/**
 * reel_collector_get_episodes:
 * @self: a collector with `list-episodes`
 * @n: (out): their number
 *
 * The episodes that ended in the last batch, those of a batch that failed included as far as its
 * rows were stored. They come in the order of their ends, those of one step in the order of lanes,
 * whatever the threads and batches.
 *
 * Returns: (array length=n) (transfer none): the episodes, valid until the next batch
 */
REEL_API
const ReelCollectorEpisode *reel_collector_get_episodes (ReelCollector *self, gsize *n);

/**
 * reel_collector_record_run:
 * @buffer: where a run is to be written
 * @env: what is to be stepped
 * @policy: what is to act
 * @error: VALUE when a text is no UTF-8
 *
 * Keeps with the buffer, by reel_replay_buffer_set_info(), what it is collected from: `env` and
 * `policy`, each with id and text, `seed` and `num_envs` where there are such, and `specs`, see
 * reel_replay_buffer_set_specs(). `plugins` lists the names of plugins, if this process loaded any
 * by reel_plugin_load(). reel_collector_new() does so itself; done before
 * reel_replay_buffer_make_live() the files say it from their first moment on.
 *
 * Returns: whether it was kept
 */
REEL_API
gboolean reel_collector_record_run (ReelReplayBuffer *buffer, ReelEnv *env, ReelPolicy *policy,
                                    GError **error);

/**
 * reel_collector_make_layout:
 * @env: an env
 * @policy: (nullable): what acts; it is bound to @env. %NULL for one that writes actions alone
 * @error: as reel_env_bind_policy(); NO_SPACE
 *
 * Returns: (transfer full): zeros of one step of all lanes as collectors write it, `[B]` (`[]` for
 *   a single lane), for reel_storage_allocate() and for showing sizes before a run
 */
REEL_API
ReelTensordict *reel_collector_make_layout (ReelEnv *env, ReelPolicy *policy, GError **error);

G_END_DECLS
