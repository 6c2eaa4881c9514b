/* A place to draw to by OpenGL, without a display and without its headers: the libraries are looked
 * for when the first picture is drawn. Private. */
#pragma once

#include "gl.h"

G_BEGIN_DECLS

/**
 * ReelGlContext:
 *
 * Belongs to one thread from reel_gl_context_begin() to reel_gl_context_end().
 */
typedef struct _ReelGlContext ReelGlContext;

/**
 * reel_gl_context_new:
 * @info: (out caller-allocates): what it draws with
 * @error: VALUE for `MUJOCO_GL`, RUNTIME naming what each backend lacks
 *
 * Takes the first backend, of those that `MUJOCO_GL` leaves, of which a pixel can be read back.
 *
 * Returns: (transfer full): a context that is current in no thread
 */
ReelGlContext *reel_gl_context_new (ReelGlInfo *info, GError **error);

/**
 * reel_gl_context_free:
 * @self: (transfer full) (nullable): a context that is current in no thread
 */
void reel_gl_context_free (ReelGlContext *self);

/**
 * reel_gl_context_begin:
 * @self: a context that is current in no thread
 *
 * Makes it current in this thread.
 *
 * Returns: whether the driver did
 */
gboolean reel_gl_context_begin (ReelGlContext *self);

/**
 * reel_gl_context_end:
 * @self: the context of this thread
 */
void reel_gl_context_end (ReelGlContext *self);

/**
 * reel_gl_context_finish:
 * @self: a context
 *
 * From here on contexts are of its library alone, EGL or OSMesa: MuJoCo keeps the functions that it
 * found in the first one for all of the process.
 */
void reel_gl_context_finish (ReelGlContext *self);

G_END_DECLS
