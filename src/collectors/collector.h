/* Collectors: an env stepped by a policy, as batches or into a buffer. */
#pragma once

#include "../buffers/checkpoints/checkpoint.h"
#include "../envs/env-step.h"
#include "../policies/policy.h"

G_BEGIN_DECLS

/**
 * ReelCollector:
 *
 * Steps an env with a policy and hands out what happened as TED batches: at the root what was known
 * before each step, under `next` what the step produced, and `collector/traj_ids`. With a buffer
 * the steps are written in place into its storage, where this lends memory; else the buffer is
 * extended by each batch. Lanes that are done are reset before their next step, so batches follow
 * one another without a gap.
 *
 * Properties of every collector, by TorchRL's names:
 *
 * - `frames-per-batch` (rows, default 1000, rounded up to whole steps of all lanes), `total-frames`
 *   (rows, negative for endless, rounded up likewise; the last batch is as short as it must be),
 *   `threads` (0 for as many as the machine lends), `list-episodes` (for
 *   reel_collector_get_episodes()). The bytes collected depend on none of them.
 * - `max-frames-per-traj` truncates episodes by a `step-counter` behind the env.
 * - `init-random-frames`: the actions of a batch are random where fewer rows were collected, or
 *   written to the buffer, before it. The policy `random` acts then, with the seed of the policy or
 *   else of the env; what the policy declares beside its actions is 0.
 * - `exploration-type`: how the policy chooses, see #ReelExploration.
 * - `reset-at-each-iter`: every lane begins a new episode before each batch.
 * - `set-truncated`: the last step of a batch is truncated and done in its data. The episode goes
 *   on in the next batch.
 * - `track-policy-version` stores the number of the weights that acted in each row, int64, as
 *   `policy_version` and `next/policy_version`: the weights of a batch are those that the policy
 *   had when it began.
 * - `track-traj-ids`: whether there is `collector/traj_ids`: the number of the lane + lanes × the
 *   number of the episode in it.
 * - `first-lane`, `all-lanes`: where several collectors share a run, each with lanes of its own,
 * the number of the first one here, and of all. Trajectory ids are counted so, and are unique over
 *   the collectors. The policy `lane-range` acts so. 0 for a run of its own.
 * - `split-trajs` makes each batch one row a trajectory, padded, see reel_split_trajectories();
 *   after it `postproc`, a transform, changes the batch as a buffer with it would store and show
 *   it. A buffer is extended by what they make, and not written in place.
 * - `return-same-td`: every batch of one size is the same tensordict, overwritten by the next.
 *   Without, a batch that the caller keeps a reference to, or any of its leaves, stays as it is.
 * - `extend-buffer`: each batch extends the buffer as a whole; of a batch of lanes a storage of
 *   `ndim` 1 then gets a row `[T]` a lane. Without, each step is written for itself: such a storage
 *   gets a row `[B]` a step.
 * - `trajs-per-batch`: batches are that many whole trajectories, in the order of their ends; steps
 *   of others are kept until they are complete. `traj-format` is `padded` (`[n, longest]` and
 *   `collector/mask`) or `cat` (`[steps]`). A buffer is extended by `trajs-per-write` of them at a
 *   time, one row a step; the last ones may be fewer. `postproc` then changes whole trajectories.
 * - `resume`: goes on where the run that filled its buffer ended, so that the rows become those of
 *   a run that never stopped: the env is put where it was by playing the last episode of every lane
 *   again, see reel_recorded_states_new(), and must be of the same properties; the policy is told
 *   the numbers of the steps to come. The first batch ends where that of the run would have. A
 *   buffer without rows is begun. Where reel_env_outlasts_episodes(), each commit saves the state
 *   of all lanes with the buffer, in `reel.state` of a live one, and the run goes on from that.
 *
 * `total-episodes` of `sync` and `multi-sync` ends the run after the step of all lanes in which the
 * last of so many episodes ended, counted in the order of their ends since the run began;
 * `reset-at-each-iter` and `set-truncated` would end others.
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
 * @total_frames: rows to collect; negative for endless
 * @requested_frames_per_batch: rows of a whole batch
 * @completed: whether all of @total_frames were collected
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
  gint64 total_frames;
  gint64 requested_frames_per_batch;
  gboolean completed;
} ReelCollectorStats;

/**
 * ReelCollectorEpisode:
 * @number: episodes that ended before it since the run began, of all lanes
 * @lane: its lane
 * @length: its steps
 * @n_steps: steps of each lane since the run began, its last one included
 * @reward_sum: its rewards, summed: its return
 *
 * An episode that ended, or that `reset-at-each-iter` or reel_collector_reset() cut. Episodes that
 * were cut before their first step have a number, and are not listed.
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
 * ReelCollectorTask:
 * @n_steps: steps of all lanes to collect, at least 1
 * @is_random: whether the random policy acts
 * @restarts: whether every lane begins a new episode before the first step, also in the middle of
 *   one
 * @truncates: whether the last of the steps is marked as truncated and done
 * @returns_same: whether the tensordict of the batch may be that of another, for nobody keeps it or
 *   the caller asked for it
 *
 * The order of a batch.
 */
typedef struct
{
  gint64 n_steps;
  gboolean is_random;
  gboolean restarts;
  gboolean truncates;
  gboolean returns_same;
} ReelCollectorTask;

/**
 * ReelCollectorClass:
 * @count_step_lanes: optional. Returns the lanes of a step of a batch, as batches have them and a
 *   buffer stores them; 0 on error. Default: those of @env
 * @open: required. Makes the collector ready to step, once its env, policy and buffer are known
 * @collect: required. Does a task: fewer steps when it is asked to stop or fails. Sets @n_collected
 *   to how many, and @steps to them, `[B, T]`, until the next call; to %NULL where they are in the
 *   buffer
 * @tally: required. Adds the episodes that ended since it was opened to @stats
 * @list_episodes: required. Returns the episodes that ended in the last @collect, in the order of
 *   #ReelCollectorEpisode.number, where `list-episodes` is set
 * @is_under_way: optional. Returns whether batches were begun that are still to come
 * @keeps_lanes: optional. Returns whether workers have the lanes between two batches, so that
 *   nobody else can seed them. Default: after the first batch, where there is no @dup_state
 * @dup_state: optional. Sets in @state what reel_collector_dup_state() says, between two batches
 * @set_state: optional, with @dup_state. Continues from there; fails before it changes anything
 *
 * One way of collecting. The base counts steps and batches, turns rows into steps, and does with
 * batches all that the properties ask for, before it hands them out or extends the buffer.
 */
struct _ReelCollectorClass
{
  ReelObjectClass parent_class;

  gint64 (*count_step_lanes) (ReelCollector *self, ReelEnv *env, GError **error);
  gboolean (*open) (ReelCollector *self, GError **error);
  gboolean (*collect) (ReelCollector *self, const ReelCollectorTask *task, gint64 *n_collected,
                       ReelTensordict **steps, GError **error);
  gboolean (*is_under_way) (ReelCollector *self);
  gboolean (*keeps_lanes) (ReelCollector *self);
  void (*tally) (ReelCollector *self, ReelCollectorStats *stats);
  const GArray *(*list_episodes) (ReelCollector *self);
  gboolean (*dup_state) (ReelCollector *self, ReelTensordict *state, GError **error);
  gboolean (*set_state) (ReelCollector *self, const ReelTensordict *state, GError **error);
};

/**
 * reel_collector_new:
 * @text: id and properties, such as `sync:frames-per-batch=1000,total-frames=1e6`
 * @env: what to step; it is reset by the first call of reel_collector_next()
 * @policy: what to act with; it is bound to the env's specs
 * @buffer: (nullable): where to write, empty or with the layout of this env and as many lanes
 * @error: VALUE, TYPE, KEY or RUNTIME when they, or properties, do not fit together, and as
 *   reel_object_new_from_text(); with `resume` as reel_recorded_states_new(), naming the lane: its
 *   last episode must be in the buffer whole; RUNTIME or DAMAGED where a state that was to be saved
 *   is not that after the last row
 *
 * A single lane (`num-envs=1`) is collected unbatched: `[T]`, into a storage of `ndim` 1; more
 * lanes as `[B, T]`, into a storage of `ndim` 2 or, by `extend-buffer` and `trajs-per-batch`, 1.
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
 *   `[None, "time"]`, until the next call; a reference keeps it, see `return-same-td`. %NULL with a
 *   buffer attached
 * @error: whatever the policy, the buffer or a hook says; rows committed before stay. RUNTIME after
 *   reel_collector_shutdown(), and while it collects in the background
 *
 * Collects the next batch; with `trajs-per-batch` and no buffer as many as it takes.
 *
 * Returns: its rows, without padding; 0 when `total-frames` were collected, or after
 *   reel_collector_stop(); −1 on error
 */
REEL_API
gint64 reel_collector_next (ReelCollector *self, ReelTensordict **batch, GError **error);

/**
 * reel_collector_count_batches:
 * @self: a collector
 * @error: TYPE where it is endless
 *
 * Returns: how many batches of steps `total-frames` make, those that were collected included:
 *   Python's `len`; −1 on error
 */
REEL_API
gint64 reel_collector_count_batches (ReelCollector *self, GError **error);

/**
 * reel_collector_update_policy_weights:
 * @self: a collector
 * @weights: (nullable): for reel_policy_update_weights(): %NULL to read their file again
 * @error: as reel_policy_update_weights(); RUNTIME for a policy without weights
 *
 * Has the policy act with other weights from the next batch on. Any thread, also while the
 * collector collects.
 *
 * Returns: whether they fit
 */
REEL_API
gboolean reel_collector_update_policy_weights (ReelCollector *self, const ReelTensordict *weights,
                                               GError **error);

/**
 * reel_collector_stop:
 * @self: a collector
 *
 * Asks it to stop: the batch at work ends after the steps that are complete, later calls return 0.
 * Batches that workers of `multi-async` have begun in a buffer are completed and returned before
 * that. Async-signal-safe; any thread.
 */
REEL_API
void reel_collector_stop (ReelCollector *self);

/**
 * reel_collector_interrupt:
 * @self: a collector
 *
 * Asks it to cut one batch short: that at work, or the next, ends after the steps that are
 * complete, at least one. The rest of a batch that is handed out as steps is padding: zeros, with
 * −1 in `collector/traj_ids`. A split or processed batch, and the buffer, get
 * the steps alone. The next batch follows them. Async-signal-safe; any thread.
 */
REEL_API
void reel_collector_interrupt (ReelCollector *self);

/**
 * ReelCollectorPreHook:
 * @self: a collector
 * @user_data: as given to reel_collector_set_hooks()
 * @error: why no batch can be collected
 *
 * Called before each batch, in the thread that collects.
 *
 * Returns: whether to collect it
 */
typedef gboolean (*ReelCollectorPreHook) (ReelCollector *self, gpointer user_data, GError **error);

/**
 * ReelCollectorPostHook:
 * @self: a collector
 * @batch: what was collected: the batch that is handed out or that extends the buffer; with
 *   `trajs-per-batch` its steps before they are put together; where steps are written in place a
 *   copy of those that the buffer still has
 * @user_data: as given to reel_collector_set_hooks()
 * @error: what is wrong with it
 *
 * Called after each batch, in the thread that collects, before the batch is handed out.
 *
 * Returns: whether to go on; if not, the batch is not handed out
 */
typedef gboolean (*ReelCollectorPostHook) (ReelCollector *self, ReelTensordict *batch,
                                           gpointer user_data, GError **error);

/**
 * reel_collector_set_hooks:
 * @self: a collector
 * @pre: (nullable) (scope notified): called before each batch
 * @post: (nullable) (scope notified): called after each batch
 * @user_data: for both
 * @destroy: (nullable): called with @user_data when other hooks are set, or the collector is freed
 *
 * Sets what is called around each batch, in the place of earlier hooks.
 */
REEL_API
void reel_collector_set_hooks (ReelCollector *self, ReelCollectorPreHook pre,
                               ReelCollectorPostHook post, gpointer user_data,
                               GDestroyNotify destroy);

/**
 * reel_collector_reset:
 * @self: a collector
 * @error: RUNTIME after reel_collector_shutdown(), and while it collects in the background
 *
 * Every lane begins a new episode with the next batch, under a new trajectory id. Trajectories that
 * were to be put together are dropped, complete or not.
 *
 * Returns: whether it will
 */
REEL_API
gboolean reel_collector_reset (ReelCollector *self, GError **error);

/**
 * reel_collector_set_seed:
 * @self: a collector
 * @seed: a seed
 * @seeding: which seed each lane has
 * @next_seed: (out) (optional): the seed for whoever comes next
 * @error: RUNTIME after reel_collector_shutdown(), and while it collects in the background;
 *   NOT_IMPLEMENTED after the first batch where workers have the lanes
 *
 * Seeds the env, see reel_env_set_seed(). Episodes that are under way go on; those that follow are
 * of the new seed. `resume` knows no other seed than the property of the env.
 *
 * Returns: whether it was seeded
 */
REEL_API
gboolean reel_collector_set_seed (ReelCollector *self, guint64 seed, ReelSeeding seeding,
                                  guint64 *next_seed, GError **error);

/**
 * reel_collector_dup_state:
 * @self: a collector
 * @error: NOT_IMPLEMENTED where the state of lanes cannot be copied; RUNTIME after
 *   reel_collector_shutdown(), and while it collects in the background; NO_SPACE
 *
 * The state between two batches: counts, the states of all lanes, trajectories that are not
 * complete, the state of `postproc`. Policies of Reel that have a state keep it in the data. The
 * buffer is not a part of it.
 *
 * `sync` and `multi-sync` have the same state: each takes that of the other, with any number and
 * kind of workers. With `cat-results=-1` or a `preemptive-threshold` below 1 it has the steps of
 * each worker, and needs as many. `multi-async` has the state behind the batches that were handed
 * out or stored, and what the workers have begun since, which they begin again.
 *
 * Returns: (transfer full): a tensordict without batch dimensions, which may be saved
 */
REEL_API
ReelTensordict *reel_collector_dup_state (ReelCollector *self, GError **error);

/**
 * reel_collector_set_state:
 * @self: a collector of the same properties, env and policy
 * @state: what reel_collector_dup_state() said
 * @error: KEY, TYPE for what is no such state; VALUE for one of another env or policy, naming both;
 *   DAMAGED; RUNTIME after reel_collector_shutdown(), and while it collects in the background, or
 *   where workers of `multi-async` fill batches of a buffer; what a worker failed by. It is as it
 *   was then
 *
 * Continues from @state: the batches that follow have the bytes of those that followed it.
 *
 * Returns: whether it does
 */
REEL_API
gboolean reel_collector_set_state (ReelCollector *self, const ReelTensordict *state,
                                   GError **error);

/**
 * reel_collector_start:
 * @self: a collector with a buffer
 * @error: RUNTIME without a buffer, after reel_collector_shutdown(), or where the system has no
 *   thread
 *
 * Collects in the background, batch after batch, until reel_collector_pause(),
 * reel_collector_stop() or the end of `total-frames`. The caller may draw from the buffer
 * meanwhile; the env, the policy and the collector belong to the background. Does nothing where
 * this is so already.
 *
 * Returns: whether it does
 */
REEL_API
gboolean reel_collector_start (ReelCollector *self, GError **error);

/**
 * reel_collector_pause:
 * @self: a collector that was started
 * @error: NOT_IMPLEMENTED where it was not, as TorchRL says; whatever ended the collecting
 *
 * Waits until the batch at work is complete. The buffer then stays as it is, and
 * reel_collector_next() or reel_collector_start() go on.
 *
 * Returns: whether nothing had failed
 */
REEL_API
gboolean reel_collector_pause (ReelCollector *self, GError **error);

/**
 * reel_collector_shutdown:
 * @self: a collector
 * @timeout: microseconds to wait for the background at most; −1 for no end of it
 * @error: TIMEOUT where the background has not ended by then: it ends later, and a further call
 *   waits for it; whatever ended the collecting
 *
 * Ends collecting for good: the batch at work ends after the steps that are complete. May be called
 * again.
 *
 * Returns: whether the background has ended, and nothing had failed there
 */
REEL_API
gboolean reel_collector_shutdown (ReelCollector *self, gint64 timeout, GError **error);

/**
 * reel_collector_get_stats:
 * @self: a collector
 * @stats: (out caller-allocates): what it did so far
 *
 * Copies the counts of a collector. The thread that collects: not while it does so in the
 * background.
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

/**
 * reel_collector_make_step:
 * @text: as for reel_collector_new()
 * @env: an env
 * @policy: what acts; it is bound to @env
 * @error: as reel_object_new_from_text() and reel_collector_make_layout(); VALUE where the
 *   collector cannot step @env
 *
 * Returns: (transfer full): zeros of one step as this collector stores it, for
 *   reel_replay_buffer_create_live(): of all lanes, or of those of one worker where workers store
 *   their steps apart; with `step_count` where it counts steps
 */
REEL_API
ReelTensordict *reel_collector_make_step (const char *text, ReelEnv *env, ReelPolicy *policy,
                                          GError **error);

G_END_DECLS
