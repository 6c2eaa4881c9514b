#include "config.h"

#include "mujoco-state.h"

#include "../../core/object/error.h"

#include <string.h>

/* Flags of models that carry more from step to step than MuJoCo calls its state. */
static const struct
{
  int flag;
  const char *name;
} beyond_state[] = {
#if HAVE_DECL_MJENBL_SLEEP
  { mjENBL_SLEEP, "sleep" },
#endif
#if HAVE_DECL_MJENBL_IPC
  { mjENBL_IPC, "ipc" },
#endif
  { 0, NULL },
};

gboolean
reel_mujoco_state_is_whole (const mjModel *model, const char *name, GError **error)
{
  for (gsize i = 0; beyond_state[i].name != NULL; i++)
    if (model->opt.enableflags & beyond_state[i].flag)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                     "%s enables the flag %s, with which MuJoCo's state does not say all that the "
                     "next step depends on; leave it out of the model",
                     name, beyond_state[i].name);
        return FALSE;
      }
  return TRUE;
}

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

static double *
take (double *state, const double *values, gsize n)
{
  memcpy (state, values, n * sizeof *state);
  return state + n;
}

static const double *
give (const double *state, double *values, gsize n)
{
  memcpy (values, state, n * sizeof *state);
  return state + n;
}

gsize
reel_mujoco_state_size (const mjModel *model)
{
  return 1 + (gsize) (model->nq + 2 * model->nv + model->na + 7 * model->nmocap);
}

void
reel_mujoco_state_get (const mjModel *model, const mjData *data, double *state)
{
  state = take (state, &data->time, 1);
  state = take (state, data->qpos, (gsize) model->nq);
  state = take (state, data->qvel, (gsize) model->nv);
  state = take (state, data->act, (gsize) model->na);
  state = take (state, data->qacc_warmstart, (gsize) model->nv);
  state = take (state, data->mocap_pos, 3 * (gsize) model->nmocap);
  take (state, data->mocap_quat, 4 * (gsize) model->nmocap);
}

void
reel_mujoco_state_set (const mjModel *model, mjData *data, const double *state)
{
  state = give (state, &data->time, 1);
  state = give (state, data->qpos, (gsize) model->nq);
  state = give (state, data->qvel, (gsize) model->nv);
  state = give (state, data->act, (gsize) model->na);
  state = give (state, data->qacc_warmstart, (gsize) model->nv);
  state = give (state, data->mocap_pos, 3 * (gsize) model->nmocap);
  give (state, data->mocap_quat, 4 * (gsize) model->nmocap);
}

#endif
