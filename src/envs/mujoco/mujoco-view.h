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

/* Numbers of the cameras that a model need not define. */
#define REEL_MUJOCO_CAMERA_FREE (-1)
#define REEL_MUJOCO_CAMERA_FOLLOW (-2)

/**
 * reel_mujoco_view_find_camera:
 * @model: a model
 * @text: (nullable): the name or the number of one of its cameras; the free one where it is empty
 *   or −1; `follow`, unless a camera has that name, for the free one that follows the first body
 *   that moves
 * @camera: (out): its number, or one of the above
 * @error: KEY, naming those that there are; for `follow` where that body cannot leave its place
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
 * @data: its state, of which subtree_com is up to date
 * @number: of one of its cameras, or one of the above
 * @middle: (array fixed-size=3): see reel_mujoco_view_find_middle()
 * @camera: (out caller-allocates): the camera
 */
void reel_mujoco_view_place (const ReelMujocoView *view, const mjModel *model, const mjData *data,
                             int number, const double *middle, mjvCamera *camera);

G_END_DECLS
