/* Lanes of an environment on worker threads or processes. */
#pragma once

#include "../env.h"

G_BEGIN_DECLS

/**
 * ReelParallelKind:
 * @REEL_PARALLEL_THREADS: threads of this process: the fastest
 * @REEL_PARALLEL_PROCESSES: forks of this process and shared memory, for environments that may
 *   crash, hang or take long
 *
 * The kind of workers that step lanes.
 */
typedef enum
{
  REEL_PARALLEL_THREADS,
  REEL_PARALLEL_PROCESSES,
} ReelParallelKind;

/**
 * ReelOnError:
 * @REEL_ON_ERROR_FAIL: reel_env_check_faults() says so
 * @REEL_ON_ERROR_RESTART: another one takes its lanes where they were before the step at work and
 *   repeats it: the data are those of a run in which nothing ended. One that ends twice in the same
 *   step fails
 * @REEL_ON_ERROR_DROP: another one begins new episodes in its lanes, of random streams that none of
 *   them had; the step at work cuts the old ones: truncated, reward 0, and the observation NaN, −1
 *   for whole numbers with a sign, 0 for the rest
 *
 * The reaction to a worker process that ends or does not answer in time.
 */
typedef enum
{
  REEL_ON_ERROR_FAIL,
  REEL_ON_ERROR_RESTART,
  REEL_ON_ERROR_DROP,
} ReelOnError;

/**
 * ReelParallelEnv:
 *
 * An env whose lanes several workers step at once, as by TorchRL's `ParallelEnv`, with the bytes of
 * the env alone. In text it is `parallel:'HalfCheetah',kind=processes,workers=4`; `num-envs` and
 * the properties of pictures and episodes are those of the env unless its text sets them.
 *
 * Threads step the lanes where a call is about all of them; a collector that has threads of its own
 * uses these. Each process has a share of the lanes, which it forks at the first reset: all that
 * was loaded by then is shared. An env whose steps take locks, which other threads of the program
 * may hold at that moment, must not be forked. The state of a lane is copied after each step where
 * `on-error` is `restart`.
 *
 * Ids: `parallel` (`ParallelEnv`).
 */
#define REEL_TYPE_PARALLEL_ENV (reel_parallel_env_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelParallelEnv, reel_parallel_env, REEL, PARALLEL_ENV, ReelEnv)

/**
 * reel_parallel_env_new:
 * @env: (transfer none): an env, stepped through the result alone from now on; its lanes are
 *   seeded anew, from 0 on
 * @kind: of the workers
 * @n_workers: how many, at most 1024; 0 for one a CPU
 * @on_error: where a process ends
 * @error: VALUE for a number out of range, and for processes or restarts of lanes whose state
 *   cannot be copied; NO_SPACE; RUNTIME where the system refuses threads
 *
 * Returns: (transfer full): its lanes, not reset yet
 */
REEL_API
ReelEnv *reel_parallel_env_new (ReelEnv *env, ReelParallelKind kind, gint n_workers,
                                ReelOnError on_error, GError **error);

/**
 * reel_parallel_env_get_env:
 * @self: an env
 *
 * Returns: (transfer none): the env whose lanes are stepped
 */
REEL_API
ReelEnv *reel_parallel_env_get_env (ReelParallelEnv *self);

/* Asynchronous steps: actions of some lanes are sent, and the steps of those that are ready first
 * are received, as by TorchRL's `AsyncEnvPool`; the idea is EnvPool's. The data of a lane are those
 * of reel_env_step_and_maybe_reset(), whatever the others do. The lanes of a worker process step
 * together once all of them were sent, and so do lanes of one program (`exec`); threads step any
 * lane by itself. Lanes that were sent cannot be stepped, seeded or set otherwise before they were
 * received; reel_env_reset() drops what was sent of the lanes that it resets. The thread of the
 * env. */

/**
 * reel_env_send:
 * @self: a parallel env that was reset
 * @td: what is known of some lanes, and their actions, `[n]`; `env_index`, int64 `[n]`, has their
 *   numbers. Without it, of all lanes, as for reel_env_step()
 * @error: NOT_IMPLEMENTED for another env; INDEX for a lane that is not there; RUNTIME for one that
 *   is there twice, was sent already, or was not reset, for another batch size or shape, and after
 *   a lane could not be simulated; KEY or TYPE for an action; VALUE for `_step` or `_reset`
 *
 * Has workers step these lanes, in their order as far as one worker is concerned, and returns at
 * once. A copy of @td is made.
 *
 * Returns: whether all were sent; else none was
 */
REEL_API
gboolean reel_env_send (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_recv:
 * @self: a parallel env
 * @n: lanes, at least 1
 * @milliseconds: the longest wait, 0 for none, −1 for any
 * @begin: (out) (optional) (transfer full): what the next steps begin with, as of
 *   reel_env_step_and_maybe_reset(), with `env_index`: give it to reel_env_send() with an action
 * @error: VALUE for fewer than one, or more than are on their way; RUNTIME where none was sent,
 *   where lanes were not sent with the same keys, and where one could not be simulated: nothing is
 *   sent or received then until all lanes that were sent are reset; TIMEOUT: the lanes are received
 *   later
 *
 * Waits until @n lanes are ready. They are those that were ready first, in the order of their
 * numbers. A lane that is done has begun its next episode already: only @begin shows it.
 *
 * Returns: (transfer full): their steps, `[n]`: what was sent, and below `next` what came of it, as
 *   of reel_env_step(), with `env_index`
 */
REEL_API
ReelTensordict *reel_env_recv (ReelEnv *self, gint64 n, gint64 milliseconds, ReelTensordict **begin,
                               GError **error);

G_END_DECLS
