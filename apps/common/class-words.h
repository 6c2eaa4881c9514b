/* Errors of a class in the words of the command line. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Sets the failure of the class that the text names, which is in TorchRL's words, in those of the
 * command line: `num_slices` becomes `num-slices`, `True` `true`, behind `--OPTION: `. Frees it. */
void class_words_propagate (GError **error, GError *failure, const char *option, GType type,
                            const char *text);

G_END_DECLS
