/* Room to simulate in, one for each thread that is at it. Private to the MuJoCo family. */
#pragma once

#include <glib.h>
#include <mujoco/mujoco.h>
#include <stdatomic.h>

#include "mujoco-painter.h"

G_BEGIN_DECLS

/**
 * ReelMujocoPool:
 *
 * The mjData of one model, which threads take in turn.
 */
typedef struct _ReelMujocoPool ReelMujocoPool;

/**
 * ReelMujocoSlot:
 * @data: (nullable): of this slot; who takes the slot makes it where there is none
 * @painter: (nullable): likewise, what draws @data
 *
 * One of a pool. Its other members are private.
 */
typedef struct
{
  mjData *data;
  ReelMujocoPainter *painter;
  atomic_int taken;
} ReelMujocoSlot;

/**
 * reel_mujoco_pool_new:
 * @n_lanes: how many threads can be at work at most
 *
 * Returns: (transfer full): a pool of slots without data
 */
ReelMujocoPool *reel_mujoco_pool_new (gint64 n_lanes);

/**
 * reel_mujoco_pool_free:
 * @self: (transfer full) (nullable): a pool of which no slot is taken
 */
void reel_mujoco_pool_free (ReelMujocoPool *self);

/**
 * reel_mujoco_pool_take:
 * @self: a pool
 *
 * Any thread; a thread gets the slot that it had before, where that is free. One that finds none,
 * beyond 1024 threads, spins until another is done.
 *
 * Returns: (transfer none): a slot of its own, until reel_mujoco_pool_give()
 */
ReelMujocoSlot *reel_mujoco_pool_take (ReelMujocoPool *self);

/**
 * reel_mujoco_pool_give:
 * @slot: what was taken
 */
void reel_mujoco_pool_give (ReelMujocoSlot *slot);

G_END_DECLS
