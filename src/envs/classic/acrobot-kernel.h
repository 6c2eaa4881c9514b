/* The inner loops of Acrobot. Private. */
#pragma once

#include "classic-env.h"

#define REEL_ACROBOT_SHAPE                                                                         \
  {                                                                                                \
    .n_state = 4, .n_kept = 4, .n_drawn = 4, .n_observed = 6, .n_actions = 3,                      \
  }

/* Highest speeds of the two joints, rad/s. */
#define REEL_ACROBOT_SPEED_1 (4 * G_PI)
#define REEL_ACROBOT_SPEED_2 (9 * G_PI)

#define REEL_ACROBOT_GRAVITY 9.8

/* Seconds a step. */
#define REEL_ACROBOT_TAU 0.2

/**
 * ReelAcrobotPhysics:
 * @coupling: how much the square of the first joint's speed pulls the second: half a link's mass
 *   times its length after Sutton and Barto's book, 0 after their NIPS paper
 *
 * The constants of the task as the kernel uses them; links have mass, length and moment of inertia
 * 1 and their mass in the middle. The state is the angle of the first joint (rad, 0 hanging down),
 * that of the second from it, and their velocities (rad/s).
 */
typedef struct
{
  double coupling;
} ReelAcrobotPhysics;

REEL_KERNEL_DECLARE (ReelClassicKernels, reel_acrobot_kernels);
