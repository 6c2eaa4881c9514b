/* The abilities of the terminal, if there is one. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Columns for lines that must not wrap: COLUMNS, else those of the terminal that the file
 * descriptor is, or 0. */
gint64 terminal_get_width (int fd);

/* Columns for text that is wrapped: COLUMNS within reason, or 80. */
glong terminal_get_text_width (void);

G_END_DECLS
