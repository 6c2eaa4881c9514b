/* The classes that a command line can name, and the options that list and describe them. */
#pragma once

#include "options.h"

#include <jansson.h>

G_BEGIN_DECLS

/* The most options that are added for the classes. */
#define CLASS_LIST_MOST 9

/* The lists that the command line asks for, a flag a kind of class, and --describe. */
typedef struct
{
  gboolean lists[CLASS_LIST_MOST];
  gboolean describe;
} ClassListFlags;

/* The lists of this option contain these ids alone: a program may take some of a kind. */
void class_list_limit (const char *option, const char *const *ids);

/* Adds --list-samplers where the entries have --sampler, and so on, and --describe. */
void class_list_add_options (GArray *all, const GOptionEntry *entries, ClassListFlags *flags);

/* Prints what the flags ask for of the classes that the entries name, as JSON where they have
 * --json and it was given. A plain word, or NULL, may name the environment. Sets done unless
 * nothing was asked for. */
gboolean class_list_run (const ClassListFlags *flags, const GOptionEntry *entries, const char *word,
                         gboolean *done, GError **error);

G_END_DECLS
