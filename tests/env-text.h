/* The arguments that an environment needs, so that contracts run over all listed ones. */
#pragma once

#include <glib.h>

/* The text of an env of @id with the @arguments, `a=1,b=2`, and what it needs besides. */
char *env_text (const char *id, const char *arguments);

/* Whether the state of its lanes can be saved. */
gboolean env_text_has_state (const char *id);
