/* CartPole with random actions, from env to storage: what most figures are about. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/**
 * CartpoleRun:
 * @env: CartPole-v1
 * @policy: random
 * @buffer: (nullable): where its rows go
 * @collector: (nullable): what collects them
 * @row_bytes: bytes of a row, all keys
 *
 * One of them.
 */
typedef struct
{
  ReelEnv *env;
  ReelPolicy *policy;
  ReelReplayBuffer *buffer;
  ReelCollector *collector;
  gsize row_bytes;
} CartpoleRun;

/**
 * cartpole_run_open:
 * @run: (out): the run
 * @num_envs: lanes
 *
 * Makes env and policy.
 */
void cartpole_run_open (CartpoleRun *run, gint64 num_envs);

/**
 * cartpole_run_open_env:
 *
 * As cartpole_run_open(), of another environment, whose arguments @id may tell.
 */
void cartpole_run_open_env (CartpoleRun *run, const char *id, gint64 num_envs);

/**
 * cartpole_run_store:
 * @run: a run without a buffer
 * @storage: kind and properties but for capacity and ndim: `tensor`
 * @capacity: rows
 *
 * Gives it a buffer, allocated.
 */
void cartpole_run_store (CartpoleRun *run, const char *storage, gint64 capacity);

/**
 * cartpole_run_collect:
 * @run: a run without a collector
 * @threads: as the collector's property
 * @frames_per_batch: likewise
 *
 * Gives it a collector without end.
 */
void cartpole_run_collect (CartpoleRun *run, gint threads, gint64 frames_per_batch);

/**
 * cartpole_run_close:
 * @run: a run; it may be opened again
 *
 * Drops all that it holds.
 */
void cartpole_run_close (CartpoleRun *run);

/**
 * cartpole_run_rows:
 * @run: (type CartpoleRun): a run with a collector
 * @n: rows to collect, at least
 *
 * A #BenchFunc.
 *
 * Returns: seconds that @n rows took
 */
double cartpole_run_rows (gpointer run, gint64 n);

/**
 * cartpole_run_hot_rows:
 * @run: a run
 *
 * Returns: rows of a ring of whole steps that takes at most half of the second-level cache
 */
gint64 cartpole_run_hot_rows (const CartpoleRun *run);

G_END_DECLS
