/* The text of --help, 80 columns wide. */
#pragma once

#include "option-names.h"

G_BEGIN_DECLS

/* Prints usage, summary, options by groups, description and the spellings of other projects. */
void option_help_print (GOptionContext *context, const GOptionEntry *entries,
                        const OptionAlias *aliases);

G_END_DECLS
