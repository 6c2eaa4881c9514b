/* Pictures of lanes of a MuJoCo model. Private to the family. */
#pragma once

#include "mujoco-pool.h"
#include "mujoco-view.h"

G_BEGIN_DECLS

/**
 * ReelMujocoFrames:
 *
 * How lanes are drawn and, once pictures were asked for, what they are made of beside the state of
 * a lane: its look.
 */
typedef struct _ReelMujocoFrames ReelMujocoFrames;

/**
 * reel_mujoco_frames_new:
 * @model: what is drawn; it must outlive the frames
 * @n_lanes: how many lanes there are
 * @view: from where the free camera looks; it must outlive the frames
 * @camera: see reel_mujoco_view_find_camera()
 * @quality: what is spent on a picture
 *
 * Returns: (transfer full): frames that keep no looks yet
 */
ReelMujocoFrames *reel_mujoco_frames_new (const mjModel *model, gint64 n_lanes,
                                          const ReelMujocoView *view, int camera,
                                          ReelMujocoQuality quality);

/**
 * reel_mujoco_frames_free:
 * @self: (transfer full) (nullable): frames
 */
void reel_mujoco_frames_free (ReelMujocoFrames *self);

/**
 * reel_mujoco_frames_prepare:
 * @self: frames, of lanes that nobody steps
 * @slot: any of the model, taken
 * @width: pixels
 * @height: pixels
 * @error: as reel_mujoco_painter_new(); NO_SPACE
 *
 * Keeps looks from now on. A lane that was reset before is drawn as its state alone tells, until it
 * is stepped.
 *
 * Returns: whether pictures of this size can be drawn
 */
gboolean reel_mujoco_frames_prepare (ReelMujocoFrames *self, ReelMujocoSlot *slot, gint64 width,
                                     gint64 height, GError **error);

/**
 * reel_mujoco_frames_begin:
 * @self: frames
 * @lane: a lane
 * @data: its first state of an episode, of which geom_xpos is up to date
 */
void reel_mujoco_frames_begin (ReelMujocoFrames *self, gint64 lane, const mjData *data);

/**
 * reel_mujoco_frames_note:
 * @self: frames
 * @lane: a lane
 * @data: its state before the last of MuJoCo's steps in a step of the env
 */
void reel_mujoco_frames_note (ReelMujocoFrames *self, gint64 lane, const mjData *data);

/**
 * reel_mujoco_frames_draw:
 * @self: frames
 * @slot: where it is drawn
 * @lane: a lane
 * @state: the lane's state, as of reel_mujoco_state_get()
 * @width: pixels
 * @height: pixels
 * @pixels: (array): @height × @width × 3 bytes to fill
 * @error: as reel_mujoco_painter_draw(); RUNTIME where nobody called reel_mujoco_frames_prepare()
 *
 * Returns: whether it could be drawn; if not, @pixels are black
 */
gboolean reel_mujoco_frames_draw (ReelMujocoFrames *self, ReelMujocoSlot *slot, gint64 lane,
                                  const double *state, gint64 width, gint64 height, guint8 *pixels,
                                  GError **error);

/**
 * reel_mujoco_frames_state_size:
 * @self: frames
 *
 * Returns: bytes of a look; 0 while none are kept
 */
gsize reel_mujoco_frames_state_size (const ReelMujocoFrames *self);

/**
 * reel_mujoco_frames_get_state:
 * @self: frames
 * @lane: a lane
 * @state: reel_mujoco_frames_state_size() bytes to fill with its look
 */
void reel_mujoco_frames_get_state (const ReelMujocoFrames *self, gint64 lane, gpointer state);

/**
 * reel_mujoco_frames_set_state:
 * @self: frames
 * @lane: a lane
 * @state: what reel_mujoco_frames_get_state() gave
 */
void reel_mujoco_frames_set_state (ReelMujocoFrames *self, gint64 lane, gconstpointer state);

G_END_DECLS
