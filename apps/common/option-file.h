/* Options of a command that are in a file: --config. */
#pragma once

#include "usage-error.h"

G_BEGIN_DECLS

/* The program whose options are read, which is the group of a file: collect, or `learn dqn`. A main
   function of another program sets it. */
extern const char *option_file_program;

/* The options of a run in its sidecar, or in its configuration: an object of names and texts, or of
   lists of texts where an option may be repeated. */
#define OPTION_FILE_RECORD "options"

/* The configuration in the directory of a run of learn: an object with these options, and the
   program that they are of. */
#define OPTION_FILE_CONFIG "config.json"

/* Sets the options that the command line does not: those of a file of the form of GKeyFile, whose
   keys are the long names, or those that the run in a directory was made with, or that are in such
   a configuration. An error names the file and the line, or the key. */
gboolean option_file_read (const char *path, const GOptionEntry *entries, GError **error);

/* The program that the options of such a file are of, or NULL. */
char *option_file_dup_program (const char *path);

/* Whether the file set the option of this long name. */
gboolean option_file_has (const char *name);

/* Where in the file the option is that an error of its use names, or whose value it does:
   "run.conf, line 3: "; the file alone where that is not known. */
char *option_file_dup_place (const char *message);

/* Whether that file is the record of a run: data, which start no programs. */
gboolean option_file_is_record (void);

G_END_DECLS
