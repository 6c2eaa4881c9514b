/* What render makes of an episode. */
#pragma once

#include "frames.h"

G_BEGIN_DECLS

/* Makes a directory with a PNG for each picture, `frame-0000.png` and on. */
gboolean render_to_files (Frames *frames, gint64 width, gint64 height, const char *path,
                          GError **error);

/* Writes a PNG with as many as fit into columns × rows of small pictures, evenly over the episode;
 * a width of 0 leaves their size to it. */
gboolean render_to_sheet (Frames *frames, gint64 width, gint64 height, gint64 columns, gint64 rows,
                          const char *path, GError **error);

G_END_DECLS
