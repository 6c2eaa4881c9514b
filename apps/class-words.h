/* Errors of a class in the words of the command line. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* Rewrites what the class that the text names said of its arguments, as TorchRL says it:
 * `num_slices` becomes `num-slices`, `True` `true`. `--OPTION: ` comes before it; without an error
 * nothing happens. */
void class_words_explain (GError **error, const char *option, GType type, const char *text);

G_END_DECLS
