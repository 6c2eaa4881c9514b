/* The inner loops of CartPole. Private. */
#pragma once

#include "classic-env.h"

#define REEL_CARTPOLE_SHAPE                                                                        \
  {                                                                                                \
    .n_state = 4, .n_kept = 4, .n_drawn = 4, .n_observed = 4, .n_actions = 2,                      \
  }

/**
 * ReelCartpolePhysics:
 * @push: force over total mass, times @tau, m/s
 * @swing: pole mass × half length over total mass, m
 * @whirl: @swing times @tau, m s
 * @fall: gravity times @tau, m/s
 * @lever: half length × 4/3, m
 * @drag: half length × pole mass over total mass, m
 * @tau: seconds a step
 * @x_limit: cart position that ends an episode, m
 * @theta_limit: pole angle that ends an episode, rad
 * @semi_implicit: positions follow the new velocities instead of the old ones
 *
 * The constants of the task as the kernel uses them: what Gymnasium divides by the total mass and
 * multiplies by the time between steps in every step is here once, which moves results by units in
 * the last place. The state is
 * cart position (m), cart velocity (m/s), pole angle (rad, 0 upright), its velocity (rad/s).
 */
typedef struct
{
  double push;
  double swing;
  double whirl;
  double fall;
  double lever;
  double drag;
  double tau;
  double x_limit;
  double theta_limit;
  gboolean semi_implicit;
} ReelCartpolePhysics;

REEL_KERNEL_DECLARE (ReelClassicKernels, reel_cartpole_kernels);
