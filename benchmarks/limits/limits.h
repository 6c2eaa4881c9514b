/* Frozen loops that figures are compared with. They share nothing with the library, so that a
 * change there cannot move its own limit. Compile them as kernels are: -O3 -ffp-contract=off
 * -fno-math-errno -fno-trapping-math. One thread each. */
#pragma once

#include "level.h"

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

/* The first version that anyone would write: one struct an env, libm, one env after the other,
 * random actions, a reset where an episode ends (CartPole-v1). */
typedef struct _LimitCartpoleScalar LimitCartpoleScalar;

typedef struct
{
  LimitCartpoleScalar *(*open) (int64_t lanes, uint64_t seed);
  void (*close) (LimitCartpoleScalar *self);

  /* Steps every lane n_steps times and writes step t to the rows of step (first_step + t) mod
   * ring_steps. Returns how many episodes ended. */
  int64_t (*run) (LimitCartpoleScalar *self, const LimitColumns *ring, int64_t ring_steps,
                  int64_t first_step, int64_t n_steps);
} LimitCartpoleScalarLoop;

LIMIT_DECLARE (LimitCartpoleScalarLoop, limit_cartpole_scalar);
#define limit_cartpole_scalar() LIMIT_PICK (limit_cartpole_scalar)

/* A ring of rows of any sort: what is stored there is as many bytes. */
typedef struct
{
  uint8_t *data;
  int64_t steps;
  int64_t row_bytes;
} LimitRing;

/* The physics, vectorised: state, random pushes, ends of episodes by the limits of position and
 * angle, and four PCG64 draws for each reset; and stores of the bytes of its rows. No step is
 * counted. lanes must be a multiple of 64. */
typedef struct _LimitCartpolePhysics LimitCartpolePhysics;

typedef struct
{
  LimitCartpolePhysics *(*open) (int64_t lanes, uint64_t seed);
  void (*close) (LimitCartpolePhysics *self);

  /* Steps every lane n_steps times. Returns how many episodes ended. */
  int64_t (*run) (LimitCartpolePhysics *self, const LimitRing *ring, int64_t n_steps);
} LimitCartpolePhysicsLoop;

LIMIT_DECLARE (LimitCartpolePhysicsLoop, limit_cartpole_physics);
#define limit_cartpole_physics() LIMIT_PICK (limit_cartpole_physics)

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

typedef struct _LimitClassicPhysics LimitClassicPhysics;

typedef struct
{
  LimitClassicPhysics *(*open) (LimitClassicTask task, int64_t lanes, uint64_t seed);
  void (*close) (LimitClassicPhysics *self);

  /* Steps every lane n_steps times. Returns how many episodes ended. */
  int64_t (*run) (LimitClassicPhysics *self, const LimitRing *ring, int64_t n_steps);
} LimitClassicPhysicsLoop;

LIMIT_DECLARE (LimitClassicPhysicsLoop, limit_classic_physics);
#define limit_classic_physics() LIMIT_PICK (limit_classic_physics)
