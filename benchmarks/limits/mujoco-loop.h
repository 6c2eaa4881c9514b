/* The loop of mj_step that figures of MuJoCo's tasks are compared with. Frozen; shares nothing with
 * the library. */
#pragma once

#include <mujoco/mujoco.h>
#include <stdint.h>

/* The steps to simulate, so that others can do the same steps from the same states: rows are
 * steps × lanes + lane. */
typedef struct
{
  int64_t lanes, steps, frame_skip;
  const float *action;   /* nu a row */
  const uint8_t *begins; /* a byte a row: not 0 where the row begins from `state` */
  const double *state;   /* qpos, qvel, qacc_warmstart a row; those of the first step all count */
} LimitMujocoWork;

typedef struct LimitMujoco LimitMujoco;

/* A simulation on so many threads, each of which has its share of the lanes. */
LimitMujoco *limit_mujoco_new (const mjModel *model, int64_t lanes, int threads);
void limit_mujoco_free (LimitMujoco *self);

/* Does the work, all steps of a lane and then the next, in one mjData a thread; returns the seconds
 * that a thread took, the mean of all of them. */
double limit_mujoco_run (LimitMujoco *self, const LimitMujocoWork *work);

/* Positions and velocities that a lane ended with, nq + nv numbers. */
const double *limit_mujoco_end (const LimitMujoco *self, int64_t lane);
