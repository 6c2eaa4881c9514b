/* Options of a command that are in a file: --config. */
#pragma once

#include "usage-error.h"

G_BEGIN_DECLS

/* The group of a file that contains options. */
#define OPTION_FILE_GROUP "collect"

/* The options of a run in its sidecar: an object of names and texts. */
#define OPTION_FILE_RECORD "options"

/* Sets the options that the command line does not: those of a file of the form of GKeyFile, whose
   keys are the long names, or those that the run in a directory was made with. An error names the
   file and the line, or the key. */
gboolean option_file_read (const char *path, const GOptionEntry *entries, GError **error);

/* Whether the file set the option of this long name. */
gboolean option_file_has (const char *name);

/* Whether that file is the record of a run: data, which start no programs. */
gboolean option_file_is_record (void);

G_END_DECLS
