/* What the terminal can show, if there is one. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Columns of the terminal that the file descriptor is, or 0. */
gint64 terminal_get_width (int fd);

G_END_DECLS
