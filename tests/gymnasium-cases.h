/* Trajectories that Gymnasium recorded: a file NAME.bin of arrays, which cases.tsv lists. */
#pragma once

#include <glib.h>

/* The cases of one folder below tests/data/gymnasium, or of that itself, `.`; one is loaded. */
typedef struct
{
  char *table;
  char *name;
  char *bytes;
} GymnasiumCase;

/* Loads a case; gymnasium_case_clear() frees it. */
void gymnasium_case_load (GymnasiumCase *self, const char *folder, const char *name);
void gymnasium_case_clear (GymnasiumCase *self);

/* The cases that a folder's arguments.tsv lists, a string each: a name, a tab, the text of the env.
 */
char **gymnasium_cases_list (const char *folder);

/* Where an array of the case begins; sets how many rows it has and how many elements a row. */
gconstpointer gymnasium_case_array (const GymnasiumCase *self, const char *array, gint64 *n_rows,
                                    gint64 *width);
