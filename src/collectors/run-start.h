/* Where a run begins: at its first step, or where the run that filled its buffer ended. Private. */
#pragma once

#include "../buffers/checkpoints/buffer-run-state.h"
#include "collector-private.h"
#include "rollout-worker.h"

G_BEGIN_DECLS

/**
 * ReelRunStart:
 * @n_steps: steps of each lane that the run did
 * @n_episodes: episodes that ended in them
 * @begun: whether there were any, so that lanes are not reset
 * @state: (nullable) (not owned): where the state of all lanes is saved before each commit, as rows
 *   do not tell it
 */
typedef struct
{
  gint64 n_steps;
  gint64 n_episodes;
  gboolean begun;
  ReelRunState *state;
} ReelRunStart;

/**
 * reel_run_start_open:
 * @self: (out caller-allocates): where it begins
 * @parts: parts of a collector, whose steps are of all lanes
 * @rollout: its rollout worker, which is put there
 * @error: as reel_resumed_lanes_new(); RUNTIME or DAMAGED where a state is missing
 *
 * Returns: whether it can begin there
 */
gboolean reel_run_start_open (ReelRunStart *self, const ReelCollectorParts *parts,
                              ReelRolloutWorker *rollout, GError **error);

/**
 * reel_run_start_count_steps:
 * @buffer: a buffer with an allocated storage
 *
 * Returns: steps that were ever stored
 */
gint64 reel_run_start_count_steps (ReelReplayBuffer *buffer);

G_END_DECLS
