/* The inner loops of MountainCar and MountainCarContinuous. Private. */
#pragma once

#include "classic-env.h"

#define REEL_MOUNTAIN_CAR_SHAPE                                                                    \
  {                                                                                                \
    .n_state = 2, .n_kept = 2, .n_drawn = 1, .n_observed = 2, .n_actions = 3,                      \
  }
#define REEL_MOUNTAIN_CAR_CONTINUOUS_SHAPE                                                         \
  {                                                                                                \
    .n_state = 2, .n_kept = 2, .n_drawn = 1, .n_observed = 2, .own_reward = TRUE,                  \
  }

/* The valley: positions, the highest speed, and the pull of gravity. A step is a unit of time. */
#define REEL_MOUNTAIN_CAR_LEFT -1.2
#define REEL_MOUNTAIN_CAR_RIGHT 0.6
#define REEL_MOUNTAIN_CAR_SPEED 0.07
#define REEL_MOUNTAIN_CAR_GRAVITY 0.0025

/* The acceleration of an action of 1, and the position of the goal. */
#define REEL_MOUNTAIN_CAR_FORCE 0.001
#define REEL_MOUNTAIN_CAR_GOAL 0.5
#define REEL_MOUNTAIN_CAR_CONTINUOUS_FORCE 0.0015
#define REEL_MOUNTAIN_CAR_CONTINUOUS_GOAL 0.45

/**
 * ReelMountainCarPhysics:
 * @goal_velocity: least velocity at the goal
 *
 * The constants of the task as the kernel uses them. The state is position and velocity.
 */
typedef struct
{
  double goal_velocity;
} ReelMountainCarPhysics;

REEL_KERNEL_DECLARE (ReelClassicKernels, reel_mountain_car_kernels);
REEL_KERNEL_DECLARE (ReelClassicKernels, reel_mountain_car_continuous_kernels);
