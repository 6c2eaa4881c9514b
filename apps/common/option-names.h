/* The long names of options, and the spellings of other projects. */
#pragma once

#include "usage-error.h"

G_BEGIN_DECLS

/* A spelling of another project, and ours. */
typedef struct
{
  const char *theirs;
  const char *ours;
} OptionAlias;

/* Those of all programs, ended by NULL. Those of one name follow each other. */
extern const OptionAlias option_aliases[];

/* Our name of an option: `total_frames` becomes `frames`. Free it. */
char *option_names_ours (const char *name);

/* Sets the USAGE_ERROR that there is no option of this name, behind `prefix`, with the closest one
   of the entries. `more` (nullable) is a name beside them. */
void option_names_refuse (const GOptionEntry *entries, const char *more, const char *name,
                          const char *prefix, GError **error);

G_END_DECLS
