/* The part of a mjData that the next step depends on, as a row of doubles. Private to the family.
 */
#pragma once

#include <glib.h>
#include <mujoco/mujoco.h>

G_BEGIN_DECLS

/**
 * reel_mujoco_state_is_whole:
 * @model: a model
 * @name: of its file
 * @error: NOT_IMPLEMENTED, with the flag that stands against it
 *
 * Returns: whether a state is all that the next step depends on. Bodies that sleep and contacts
 *   that are remembered, of newer MuJoCos, are in no state.
 */
gboolean reel_mujoco_state_is_whole (const mjModel *model, const char *name, GError **error);

/**
 * reel_mujoco_state_size:
 * @model: a model
 *
 * Returns: doubles of a state: time, qpos, qvel, act, qacc_warmstart and positions of mocap bodies;
 *   from MuJoCo 2.3.6 its `mjSTATE_INTEGRATION`, which has more behind or between them
 */
gsize reel_mujoco_state_size (const mjModel *model);

/**
 * reel_mujoco_state_get:
 * @model: its model
 * @data: a simulation
 * @state: (out caller-allocates): reel_mujoco_state_size() doubles
 */
void reel_mujoco_state_get (const mjModel *model, const mjData *data, double *state);

/**
 * reel_mujoco_state_set:
 * @model: its model
 * @data: a simulation of any other state
 * @state: a state
 *
 * Values that MuJoCo derives from the state stay as they were: mj_step() and mj_forward() derive it
 * anew.
 */
void reel_mujoco_state_set (const mjModel *model, mjData *data, const double *state);

G_END_DECLS
