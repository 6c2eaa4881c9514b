/* Pictures of MuJoCo's scenes by MuJoCo's own renderer. Private to the MuJoCo family. */
#pragma once

#include "mujoco-view.h"

G_BEGIN_DECLS

/**
 * ReelMujocoQuality:
 * @REEL_MUJOCO_FULL: shadows, reflections, four samples a pixel: as Gymnasium draws
 * @REEL_MUJOCO_FAST: none of these, and floors of few tiles
 *
 * The quality of a picture.
 */
typedef enum
{
  REEL_MUJOCO_FULL,
  REEL_MUJOCO_FAST,
} ReelMujocoQuality;

/**
 * ReelMujocoPainter:
 *
 * A context of OpenGL with what MuJoCo keeps in it: textures, meshes, room for one picture. Any
 * thread may use it, one at a time.
 */
typedef struct _ReelMujocoPainter ReelMujocoPainter;

/**
 * reel_mujoco_painter_new:
 * @model: what it draws; it must outlive the painter
 * @quality: what is spent on a picture
 * @width: pixels of the first pictures; room for another size is made when one is drawn
 * @height: likewise
 * @error: VALUE where a picture of its size cannot be drawn, RUNTIME where there is no OpenGL, or
 *   what MuJoCo says
 *
 * Returns: (transfer full): a painter
 */
ReelMujocoPainter *reel_mujoco_painter_new (const mjModel *model, ReelMujocoQuality quality,
                                            gint64 width, gint64 height, GError **error);

/**
 * reel_mujoco_painter_free:
 * @self: (transfer full) (nullable): a painter that no thread uses
 */
void reel_mujoco_painter_free (ReelMujocoPainter *self);

/**
 * reel_mujoco_painter_fits:
 * @self: a painter
 * @width: pixels
 * @height: pixels
 * @error: VALUE
 *
 * Returns: whether what draws has room for such a picture
 */
gboolean reel_mujoco_painter_fits (const ReelMujocoPainter *self, gint64 width, gint64 height,
                                   GError **error);

/**
 * reel_mujoco_painter_draw:
 * @self: a painter
 * @data: a state whose derived places are to be seen
 * @camera: from where
 * @width: pixels
 * @height: pixels
 * @pixels: (array): @height × @width × 3 bytes to fill, the topmost row first
 * @error: as reel_mujoco_painter_new()
 *
 * Returns: whether it could be drawn; if not, @pixels are black
 */
gboolean reel_mujoco_painter_draw (ReelMujocoPainter *self, mjData *data, mjvCamera *camera,
                                   gint64 width, gint64 height, guint8 *pixels, GError **error);

G_END_DECLS
