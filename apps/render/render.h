/* The outputs of render. */
#pragma once

#include "show.h"

G_BEGIN_DECLS

/* The options that write files, in words. */
#ifdef REEL_WITH_GIF
#define RENDER_FILES "--png, --sheet, --gif and --mp4"
#else
#define RENDER_FILES "--png, --sheet and --mp4"
#endif

#define RENDER_NO_WINDOW                                                                           \
  "this render was built without SDL and opens no window: " RENDER_FILES " write files; for a "    \
  "window, install libsdl2-dev and configure without --without-sdl"

/* Files to write; NULL where they are not asked for. */
typedef struct
{
  const char *png;
  const char *sheet;
  const char *gif;
  const char *mp4;
  gboolean overlay;
  gint64 tile_columns, tile_rows; /* of the sheet; 0 leaves them to it */
  gint64 tile_width, tile_height; /* 0 leaves their size to it */
} RenderFiles;

/* Writes all files of an episode that is whole, and counts the pictures that a GIF has no time for.
 * An interrupt leaves whole files alone. */
gboolean render_to_files (Frames *frames, const RenderFiles *files, gint64 *n_left_out,
                          GError **error);

typedef struct _RenderWindow RenderWindow;

/* Opens a window that says that it prepares @name. */
RenderWindow *render_window_open (const char *name, GError **error);
void render_window_free (RenderWindow *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RenderWindow, render_window_free)

/* Plays in a window until it is closed, from an episode on. */
gboolean render_in_window (RenderWindow *window, const Show *show, gint64 number, gboolean overlay,
                           GError **error);

/* Whether there are windows at all in this build. */
gboolean render_has_windows (void);

/* Tries what MuJoCo's scenes can be drawn with, says what works, how fast, and what is missing.
 * Returns an exit status. Before the program has threads. */
int render_doctor (GError **error);

G_END_DECLS
