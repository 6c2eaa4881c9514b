#include "mujoco-state.h"

#if mjVERSION_HEADER >= 236

gsize
reel_mujoco_state_size (const mjModel *model)
{
  return (gsize) mj_stateSize (model, mjSTATE_INTEGRATION);
}

void
reel_mujoco_state_get (const mjModel *model, const mjData *data, double *state)
{
  mj_getState (model, data, state, mjSTATE_INTEGRATION);
}

void
reel_mujoco_state_set (const mjModel *model, mjData *data, const double *state)
{
  mj_setState (model, data, state, mjSTATE_INTEGRATION);
}

#else

#include <string.h>

gsize
reel_mujoco_state_size (const mjModel *model)
{
  return 1 + (gsize) (model->nq + 2 * model->nv + model->na);
}

void
reel_mujoco_state_get (const mjModel *model, const mjData *data, double *state)
{
  *state++ = data->time;
  state = mempcpy (state, data->qpos, (gsize) model->nq * sizeof *state);
  state = mempcpy (state, data->qvel, (gsize) model->nv * sizeof *state);
  state = mempcpy (state, data->act, (gsize) model->na * sizeof *state);
  memcpy (state, data->qacc_warmstart, (gsize) model->nv * sizeof *state);
}

void
reel_mujoco_state_set (const mjModel *model, mjData *data, const double *state)
{
  const double *qpos = state + 1, *qvel = qpos + model->nq, *act = qvel + model->nv;

  data->time = state[0];
  memcpy (data->qpos, qpos, (gsize) model->nq * sizeof *state);
  memcpy (data->qvel, qvel, (gsize) model->nv * sizeof *state);
  memcpy (data->act, act, (gsize) model->na * sizeof *state);
  memcpy (data->qacc_warmstart, act + model->na, (gsize) model->nv * sizeof *state);
}

#endif
