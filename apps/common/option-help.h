/* The text of --help, 80 columns wide. */
#pragma once

#include "options.h"

G_BEGIN_DECLS

/* A spelling of another project, and ours. */
typedef struct
{
  const char *theirs;
  const char *ours;
} OptionAlias;

/* Prints usage, summary, options, description and the spellings of other projects. */
void option_help_print (GOptionContext *context, const GOptionEntry *entries,
                        const OptionAlias *aliases);

G_END_DECLS
