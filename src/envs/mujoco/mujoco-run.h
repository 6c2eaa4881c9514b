/* Work in MuJoCo, lane by lane, whose errors are those of a lane. Private to the family. */
#pragma once

#include "mujoco-env.h"
#include "mujoco-pool.h"

G_BEGIN_DECLS

/**
 * ReelMujocoWork:
 * @func: does it for one lane in the mjData of @slot, which is in any state
 * @lanes: (nullable) (array length=n): which; without it those from @begin on
 * @begin: the first one
 * @n: how many
 * @io: for @func
 *
 * The work on some lanes.
 */
typedef struct
{
  void (*func) (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 lane, gconstpointer io);
  const gint64 *lanes;
  gint64 begin;
  gint64 n;
  gconstpointer io;
} ReelMujocoWork;

/**
 * reel_mujoco_run:
 * @self: an env
 * @pool: where its model is simulated
 * @work: what is to be done
 *
 * Does the work in an mjData of this thread. An error that MuJoCo raises, or what it warns of, is
 * the fault of the lane at work (reel_env_report_fault()); the others go on.
 */
void reel_mujoco_run (ReelMujocoEnv *self, ReelMujocoPool *pool, const ReelMujocoWork *work);

/**
 * reel_mujoco_run_first:
 * @self: an env
 * @slot: a slot without an mjData, taken
 * @error: NO_SPACE, with MuJoCo's words
 *
 * Returns: whether it has one now
 */
gboolean reel_mujoco_run_first (ReelMujocoEnv *self, ReelMujocoSlot *slot, GError **error);

G_END_DECLS
