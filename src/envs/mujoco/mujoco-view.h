/* How a MuJoCo model is looked at. Private to the MuJoCo family. */
#pragma once

#include <glib.h>
#include <mujoco/mujoco.h>

G_BEGIN_DECLS

/**
 * ReelMujocoView:
 * @distance: of the free camera, in metres; 0 for the extent of the model
 * @height: z of what it looks at, on the axis; NaN for the middle of the geoms
 * @elevation: in degrees, from below; 0 for MuJoCo's own, −45
 *
 * A task's camera: Gymnasium's default_camera_config (gymnasium/envs/mujoco).
 */
typedef struct
{
  double distance;
  double height;
  double elevation;
} ReelMujocoView;

/**
 * reel_mujoco_view_find_camera:
 * @model: a model
 * @text: (nullable): the name or the number of one of its cameras; the free one where it is empty
 *   or −1
 * @camera: (out): its number, −1 for the free one
 * @error: KEY, naming those that there are
 *
 * Returns: whether there is one
 */
gboolean reel_mujoco_view_find_camera (const mjModel *model, const char *text, int *camera,
                                       GError **error);

/**
 * reel_mujoco_view_find_middle:
 * @model: a model
 * @data: its state, of which geom_xpos is up to date
 * @middle: (out) (array fixed-size=3): the median of the places of the geoms, in each direction
 *
 * The target of Gymnasium's camera from the first picture on (mujoco_rendering.py).
 */
void reel_mujoco_view_find_middle (const mjModel *model, const mjData *data, double *middle);

/**
 * reel_mujoco_view_place:
 * @view: a view
 * @model: a model
 * @number: of one of its cameras, −1 for the free one
 * @middle: (array fixed-size=3): see reel_mujoco_view_find_middle()
 * @camera: (out caller-allocates): the camera
 */
void reel_mujoco_view_place (const ReelMujocoView *view, const mjModel *model, int number,
                             const double *middle, mjvCamera *camera);

G_END_DECLS
