/* The inner loops of CartPole. Private. */
#pragma once

#include "../core/isa.h"
#include "../core/pcg64.h"

/* Lanes that a block holds, and that a word of bits speaks of. */
#define REEL_CARTPOLE_BLOCK 64

/**
 * ReelCartpoleBlock:
 * @x: cart position, m
 * @x_dot: cart velocity, m/s
 * @theta: pole angle, rad, 0 upright
 * @theta_dot: pole angular velocity, rad/s
 *
 * The physics of 64 lanes; block b holds the lanes from 64 b on. Together they take 2 KB, so that a
 * reset, which writes four places, stays within a page.
 */
typedef struct
{
  double x[REEL_CARTPOLE_BLOCK];
  double x_dot[REEL_CARTPOLE_BLOCK];
  double theta[REEL_CARTPOLE_BLOCK];
  double theta_dot[REEL_CARTPOLE_BLOCK];
} ReelCartpoleBlock;

/**
 * ReelCartpoleStream:
 * @state: PCG64 state
 * @inc: PCG64 increment
 *
 * The random stream of one lane. Resets draw doubles only, so no half of a draw ever waits.
 */
typedef struct
{
  ReelUint128 state;
  ReelUint128 inc;
} ReelCartpoleStream;

/**
 * ReelCartpoleLanes:
 * @blocks: aligned to 64 bytes; lanes past the last one are at rest
 * @streams: one a lane
 * @ended: one bit a lane: the episode has terminated, and goes on without reward
 *
 * The state of an env.
 */
typedef struct
{
  ReelCartpoleBlock *blocks;
  ReelCartpoleStream *streams;
  guint64 *ended;
} ReelCartpoleLanes;

/**
 * ReelCartpolePhysics:
 * @push: force over total mass, m/s^2
 * @swing: pole mass × half length over total mass, m
 * @gravity: m/s^2
 * @lever: half length × 4/3, m
 * @drag: half length × pole mass over total mass, m
 * @tau: seconds a step
 * @x_limit: cart position that ends an episode, m
 * @theta_limit: pole angle that ends an episode, rad
 * @low: least of what a reset draws
 * @width: highest minus least
 * @semi_implicit: positions follow the new velocities instead of the old ones
 * @sutton_barto: reward 0, and −1 where terminated, instead of 1
 *
 * The constants of the task as the kernel uses them: what Gymnasium divides by the total mass in
 * every step is divided here once, which moves results by units in the last place.
 */
typedef struct
{
  double push;
  double swing;
  double gravity;
  double lever;
  double drag;
  double tau;
  double x_limit;
  double theta_limit;
  double low;
  double width;
  gboolean semi_implicit;
  gboolean sutton_barto;
} ReelCartpolePhysics;

/**
 * ReelCartpoleColumns:
 * @action: int64: rows of two, of which the second is not 0 for a push to the right; or single
 *   numbers that are 1 for it
 * @one_hot: whether @action has rows of two
 * @observation: rows of four float32
 * @carry: (nullable): a second place for them
 * @reward: float32
 * @terminated: bytes
 *
 * Where a step reads and writes; every pointer is at lane 0.
 */
typedef struct
{
  const gint64 *action;
  gboolean one_hot;
  float *observation;
  float *carry;
  float *reward;
  guint8 *terminated;
} ReelCartpoleColumns;

/**
 * ReelCartpoleKernels:
 * @step: advances the lanes of [begin, end). Reads and writes nothing of other lanes but the bits
 *   of @ended that share a word, so threads take multiples of 64 lanes
 * @reset: draws the state of @n lanes from their streams, x, x_dot, theta, theta_dot in this order,
 *   and writes their observation
 *
 * One table per instruction set; the same bits from each, and for any partition of the lanes.
 */
typedef struct
{
  void (*step) (const ReelCartpolePhysics *physics, const ReelCartpoleLanes *lanes, gint64 begin,
                gint64 end, const ReelCartpoleColumns *columns);
  void (*reset) (const ReelCartpolePhysics *physics, const ReelCartpoleLanes *lanes,
                 const gint64 *which, gsize n, float *observation);
} ReelCartpoleKernels;

REEL_KERNEL_DECLARE (ReelCartpoleKernels, reel_cartpole_kernels);
