/* learn plot: figures of several runs as one picture. */
#pragma once

#include "../common/options.h"

G_BEGIN_DECLS

/* Runs the command of these words. Gives an exit status. */
int learn_plot (char **words, GError **error);

G_END_DECLS
