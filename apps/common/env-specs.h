/* The specs of an environment that is named on the command line. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* As reel_env_spec_new(), of one lane; and how many lanes the environment has. */
ReelSpec *env_specs_from_text (const char *text, gint64 *lanes, GError **error);

G_END_DECLS
