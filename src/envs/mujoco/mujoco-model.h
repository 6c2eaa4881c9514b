/* Models in MuJoCo's XML: those that the library brings and files of users. Private to the MuJoCo
 * family. */
#pragma once

#include <glib.h>
#include <mujoco/mujoco.h>

G_BEGIN_DECLS

/**
 * reel_mujoco_model_load:
 * @name: (nullable): one of the library's models, such as `hopper`, where @path is %NULL
 * @path: (nullable): a file, which goes before @name
 * @error: IO where there is no such file; VALUE, with MuJoCo's own words, where it is no model
 *
 * Returns: (transfer full): the compiled model, for mj_deleteModel()
 */
mjModel *reel_mujoco_model_load (const char *name, const char *path, GError **error);

/**
 * reel_mujoco_model_find:
 * @model: a model
 * @type: a kind of object of MuJoCo's, such as `mjOBJ_BODY`
 * @name: the name of one
 * @error: KEY where the model has none of that name
 *
 * Returns: its number, or -1
 */
int reel_mujoco_model_find (const mjModel *model, mjtObj type, const char *name, GError **error);

/**
 * reel_mujoco_model_find_either:
 * @model: a model
 * @type: a kind of object of MuJoCo's
 * @n: how many the model has
 * @text: (nullable): the name of one, or its number, since not all have names
 *
 * Returns: its number, or -1
 */
int reel_mujoco_model_find_either (const mjModel *model, mjtObj type, gint64 n, const char *text);

/**
 * reel_mujoco_model_halve_margins:
 * @model: a model
 *
 * MuJoCo adds the margins of two geoms from 3.5 on, of which it took the larger one: where it does,
 * halves them.
 */
void reel_mujoco_model_halve_margins (mjModel *model);

G_END_DECLS
