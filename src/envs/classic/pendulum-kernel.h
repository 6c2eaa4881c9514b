/* The inner loops of Pendulum. Private. */
#pragma once

#include "classic-env.h"

/* The third double is the torque of the last step, which pictures show; the fourth the sine of the
 * angle, which the step that follows begins with. */
#define REEL_PENDULUM_SHAPE                                                                        \
  {                                                                                                \
    .n_state = 4, .n_kept = 3, .n_drawn = 2, .n_observed = 3, .own_reward = TRUE,                  \
  }

/* Torque is clipped to ± the first, N m; speed to ± the second, rad/s. */
#define REEL_PENDULUM_TORQUE 2.0
#define REEL_PENDULUM_SPEED 8.0

/* Seconds a step. */
#define REEL_PENDULUM_TAU 0.05

/**
 * ReelPendulumPhysics:
 * @fall: speed that a step at the horizontal gains, rad/s: 3 g / (2 l) times the time
 *
 * The constants of the task as the kernel uses them; mass and length are 1. The state is the angle
 * (rad, 0 upright; a step leaves it at most a turn's half and what it moved by away from there) and
 * its velocity (rad/s).
 */
typedef struct
{
  double fall;
} ReelPendulumPhysics;

REEL_KERNEL_DECLARE (ReelClassicKernels, reel_pendulum_kernels);
