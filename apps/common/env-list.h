/* The list of environments, and the description of one. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Prints a table of them, or a list of JSON objects. */
void env_list_print (gboolean json);

/* Prints the specs, the arguments and the source of the environment that the text names. */
gboolean env_list_describe (const char *text, gboolean json, GError **error);

G_END_DECLS
