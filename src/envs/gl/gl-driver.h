/* The functions of a driver of OpenGL. Private to gl-*.c. */
#pragma once

#include "gl.h"

G_BEGIN_DECLS

/**
 * ReelGlDriver:
 * @name: as `MUJOCO_GL` has it
 * @packages: of Debian
 * @library: whose functions it has: contexts of one library get along
 * @files: (array zero-terminated=1): where it may be
 * @open: makes a context, current in no thread, from which a pixel was read back
 * @begin: makes it current in this thread
 * @end: undoes that
 * @close: frees it
 *
 * One of them.
 */
typedef struct
{
  const char *name;
  const char *packages;
  const char *library;
  const char *files[3];
  gpointer (*open) (ReelGlInfo *info, GError **error);
  gboolean (*begin) (gpointer context);
  void (*end) (gpointer context);
  void (*close) (gpointer context);
} ReelGlDriver;

extern const ReelGlDriver reel_gl_egl_device, reel_gl_egl_surfaceless, reel_gl_osmesa;

/* Any function of a library; who calls it knows its type. */
typedef void (*ReelGlFunction) (void);

/**
 * reel_gl_open_library:
 * @driver: what it is of
 * @error: RUNTIME
 *
 * Returns: (nullable): the library, which is never closed
 */
gpointer reel_gl_open_library (const ReelGlDriver *driver, GError **error);

/**
 * reel_gl_find:
 * @library: a library
 * @name: a function
 *
 * Returns: (nullable): the function
 */
ReelGlFunction reel_gl_find (gpointer library, const char *name);

/**
 * reel_gl_read_back:
 * @look_up: finds functions of OpenGL, of which a context is current
 * @info: (out caller-allocates): what draws
 * @error: RUNTIME
 *
 * Fills a picture of its own with a colour and reads it back.
 *
 * Returns: whether it was there
 */
gboolean reel_gl_read_back (ReelGlFunction (*look_up) (const char *name), ReelGlInfo *info,
                            GError **error);

G_END_DECLS
