/* The specs of a MuJoCo model. Private to the family. */
#pragma once

#include "../env.h"

#include <mujoco/mujoco.h>

G_BEGIN_DECLS

/**
 * reel_mujoco_specs_make:
 * @env: an env, in its setup
 * @model: its model
 * @n_observation: how many numbers are observed of a lane
 * @error: as the constructors of specs
 *
 * Gives the env its specs: `observation`, float64 `[n_observation]`, and `action`, float32 `[nu]`,
 * within the range of each actuator.
 *
 * Returns: whether they could be made
 */
gboolean reel_mujoco_specs_make (ReelEnv *env, const mjModel *model, gint64 n_observation,
                                 GError **error);

G_END_DECLS
