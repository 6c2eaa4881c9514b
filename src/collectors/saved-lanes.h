/* The lanes in the state of a collector: counts and bytes, with a checksum of both. Private. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelSavedLanes:
 * @counts: (array length=n_counts): numbers of the kind of collector
 * @n_counts: how many
 * @lanes: (array length=size): the bytes of the lanes
 * @size: how many
 *
 * An env trusts the states of its lanes, so that bytes that changed must be noticed before.
 */
typedef struct
{
  const gint64 *counts;
  gint64 n_counts;
  const guint8 *lanes;
  gsize size;
} ReelSavedLanes;

/**
 * ReelSavedCount:
 * @REEL_SAVED_STEPS: steps of each lane
 * @REEL_SAVED_EPISODES: episodes that ended, of all lanes
 * @REEL_SAVED_BEGUN: whether lanes were reset
 * @REEL_N_SAVED: how many these are
 *
 * The counts of lanes that did all steps together; steps of workers that did not follow them.
 */
typedef enum
{
  REEL_SAVED_STEPS,
  REEL_SAVED_EPISODES,
  REEL_SAVED_BEGUN,
  REEL_N_SAVED,
} ReelSavedCount;

/**
 * reel_saved_lanes_write:
 * @self: what is saved
 * @state: gets copies of it
 * @error: NO_SPACE
 *
 * Returns: whether @state has it
 */
gboolean reel_saved_lanes_write (const ReelSavedLanes *self, ReelTensordict *state, GError **error);

/**
 * reel_saved_lanes_read:
 * @self: (out caller-allocates): what @state has, for as long as that is there
 * @state: a state
 * @size: bytes that there must be
 * @error: KEY or TYPE for another tensordict than a state; VALUE for another number of bytes;
 *   DAMAGED for another checksum
 *
 * Returns: whether it is what reel_saved_lanes_write() set
 */
gboolean reel_saved_lanes_read (ReelSavedLanes *self, const ReelTensordict *state, gsize size,
                                GError **error);

/**
 * reel_saved_lanes_check_steps:
 * @self: what was read
 * @n_workers: workers that did not do all steps together; 0 where all lanes did
 * @error: VALUE naming both
 *
 * Returns: whether it has the counts of #ReelSavedCount, and steps of so many workers
 */
gboolean reel_saved_lanes_check_steps (const ReelSavedLanes *self, gint n_workers, GError **error);

G_END_DECLS
