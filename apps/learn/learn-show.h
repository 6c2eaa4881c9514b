/* learn show: one run. */
#pragma once

#include "../common/options.h"

G_BEGIN_DECLS

/* A command: argv[0] is its name. Gives an exit status. */
int learn_show (char ***argv, GError **error);

G_END_DECLS
