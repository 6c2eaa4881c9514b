/* Frozen loops that figures are compared with. They share nothing with the library, so that a
 * change there cannot move its own limit. Compile them as kernels are: -O3 -ffp-contract=off
 * -fno-math-errno -fno-trapping-math. One thread each. */
#pragma once

#include <stdint.h>

/* Columns of a ring of CartPole transitions, 66 bytes a row: one row after the other, steps × lanes
 * + lane. Bytes are 0 or 1. */
typedef struct
{
  float *observation; /* 4 a row */
  int64_t *action;    /* 2 a row, one-hot */
  uint8_t *done;      /* before the step, as the two below */
  uint8_t *terminated;
  uint8_t *truncated;
  int64_t *traj_ids;
  float *next_observation; /* 4 a row */
  float *next_reward;
  uint8_t *next_done; /* after the step, as the two below */
  uint8_t *next_terminated;
  uint8_t *next_truncated;
} LimitColumns;

/* What anyone would write first: one struct an env, libm, one env after the other, random actions,
 * a reset where an episode ends (CartPole-v1). */
typedef struct LimitCartpoleScalar LimitCartpoleScalar;

LimitCartpoleScalar *limit_cartpole_scalar_new (int64_t lanes, uint64_t seed);
void limit_cartpole_scalar_free (LimitCartpoleScalar *self);

/* Steps every lane n_steps times and writes step t to the rows of step (first_step + t) mod
 * ring_steps. Returns how many episodes ended. */
int64_t limit_cartpole_scalar_run (LimitCartpoleScalar *self, const LimitColumns *ring,
                                   int64_t ring_steps, int64_t first_step, int64_t n_steps);

/* The physics alone, vectorised for the machine that it runs on: state, random pushes, ends of
 * episodes by the limits of position and angle, and four PCG64 draws for each reset. No row is
 * written, no step counted. lanes must be a multiple of 64. */
typedef struct LimitCartpolePhysics LimitCartpolePhysics;

LimitCartpolePhysics *limit_cartpole_physics_new (int64_t lanes, uint64_t seed);
void limit_cartpole_physics_free (LimitCartpolePhysics *self);

/* Steps every lane n_steps times. Returns how many episodes ended. */
int64_t limit_cartpole_physics_run (LimitCartpolePhysics *self, int64_t n_steps);

/* The same of the other tasks of classic control, their rewards where they are work: random actions
 * of a word each, ends of episodes by the task and, for all lanes together, by its time limit.
 * lanes must be a multiple of 64. */
typedef enum
{
  LIMIT_ACROBOT,
  LIMIT_MOUNTAIN_CAR,
  LIMIT_MOUNTAIN_CAR_CONTINUOUS,
  LIMIT_PENDULUM,
} LimitClassicTask;

typedef struct LimitClassicPhysics LimitClassicPhysics;

LimitClassicPhysics *limit_classic_physics_new (LimitClassicTask task, int64_t lanes,
                                                uint64_t seed);
void limit_classic_physics_free (LimitClassicPhysics *self);

/* Steps every lane n_steps times. Returns how many episodes ended. */
int64_t limit_classic_physics_run (LimitClassicPhysics *self, int64_t n_steps);
