/* Trajectories of Gymnasium's classic control, its arrays by name. */
#pragma once

#include "gymnasium-cases.h"

/* Arrays of T steps and R resets, a row a step or a reset. */
typedef struct
{
  GymnasiumCase source;
  gint64 n_steps, n_resets;
  const gint64 *reset_at;
  gconstpointer action; /* int64, or float32 */
  const float *reset_obs, *next_obs;
  const double *reward, *state, *reset_state;
  const guint8 *terminated, *truncated;
} Golden;

void golden_env_load (Golden *golden, const char *name);
void golden_env_clear (Golden *golden);
