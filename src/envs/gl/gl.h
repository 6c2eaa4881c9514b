/* Pictures of MuJoCo's scenes: which OpenGL there is to draw them with, without a display. */
#pragma once

#include "../../core/object/macros.h"

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelGlBackend:
 * @REEL_GL_EGL_DEVICE: EGL on a device, such as a graphics card; `egl-device`
 * @REEL_GL_EGL_SURFACELESS: EGL of Mesa without a device; `egl-surfaceless`
 * @REEL_GL_OSMESA: Mesa's drawing in memory; `osmesa`
 *
 * Ways to OpenGL that need no display, in the order in which they are tried.
 */
typedef enum
{
  REEL_GL_EGL_DEVICE,
  REEL_GL_EGL_SURFACELESS,
  REEL_GL_OSMESA,
} ReelGlBackend;

/**
 * REEL_GL_N_BACKENDS:
 *
 * How many there are.
 */
#define REEL_GL_N_BACKENDS 3

/**
 * ReelGlInfo:
 * @renderer: what draws, in its own words
 * @version: of OpenGL, likewise
 * @most: pixels of a side of a picture that it draws at most
 *
 * The description of a backend that works.
 */
typedef struct
{
  char renderer[128];
  char version[128];
  gint64 most;
} ReelGlInfo;

/**
 * reel_gl_get_name:
 * @backend: a backend
 *
 * Returns: (transfer none): its name, as `MUJOCO_GL` takes it
 */
REEL_API
const char *reel_gl_get_name (ReelGlBackend backend);

/**
 * reel_gl_get_packages:
 * @backend: a backend
 *
 * Returns: (transfer none): the packages of Debian that it is in, separated by spaces
 */
REEL_API
const char *reel_gl_get_packages (ReelGlBackend backend);

/**
 * reel_gl_get_wanted:
 * @wanted: (out) (array fixed-size=3): which ones may be tried
 * @error: VALUE where `MUJOCO_GL` names none of them
 *
 * The backends that the environment variable `MUJOCO_GL` permits: all where it is not set, both of
 * EGL for `egl`, otherwise the one of that name.
 *
 * Returns: whether there is one
 */
REEL_API
gboolean reel_gl_get_wanted (gboolean *wanted, GError **error);

/**
 * reel_gl_probe:
 * @backend: a backend
 * @info: (out caller-allocates): what it is
 * @error: RUNTIME, saying what is missing or fails
 *
 * Opens it, fills some pixels with a colour and reads them back. Looks at no environment variable
 * but `MUJOCO_EGL_DEVICE_ID`, the number of the one device that EGL may use. A broken driver may do
 * anything, end the process included: a program that goes on afterwards asks in a child. Any
 * thread.
 *
 * Returns: whether it works
 */
REEL_API
gboolean reel_gl_probe (ReelGlBackend backend, ReelGlInfo *info, GError **error);

G_END_DECLS
