#include "mujoco-specs.h"

#include <math.h>

/* An actuator without a range takes any number. */
static ReelSpec *
make_action_spec (const mjModel *model, GError **error)
{
  gint64 shape = model->nu;
  gboolean limited = FALSE;
  g_autofree double *low = g_new (double, shape), *high = g_new (double, shape);

  for (int i = 0; i < model->nu; i++)
    {
      low[i] = model->actuator_ctrllimited[i] ? model->actuator_ctrlrange[2 * i] : -INFINITY;
      high[i] = model->actuator_ctrllimited[i] ? model->actuator_ctrlrange[2 * i + 1] : INFINITY;
      limited = limited || model->actuator_ctrllimited[i];
    }
  if (!limited)
    return reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, &shape, error);
  return reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, &shape, low, shape, high, shape, error);
}

static ReelSpec *
make_composite (const char *key, ReelSpec *spec, GError **error)
{
  return spec == NULL ? NULL : reel_composite_spec_new (0, NULL, &key, &spec, 1, error);
}

gboolean
reel_mujoco_specs_make (ReelEnv *env, const mjModel *model, gint64 n_observation, GError **error)
{
  g_autoptr (ReelSpec) observed =
      reel_unbounded_spec_new (REEL_DTYPE_FLOAT64, 1, &n_observation, error);
  g_autoptr (ReelSpec) observation = make_composite ("observation", observed, error);

  if (observation == NULL)
    return FALSE;

  g_autoptr (ReelSpec) acted = make_action_spec (model, error);
  ReelSpec *action = make_composite ("action", acted, error);

  if (action == NULL)
    return FALSE;
  reel_env_take_specs (env, g_steal_pointer (&observation), action);
  return TRUE;
}
