/* The message for a file that was cut while it was mapped. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on a page of a file that is not there any more ends the program with the file's name on
   stderr and EXIT_DAMAGED. */
void bus_error_watch (void);

/* Before it ends it calls @function, which may do only what a signal handler may. */
void bus_error_set_clean_up (void (*function) (void));

G_END_DECLS
