/* The common part of the programs' command lines. */
#pragma once

#include "usage-error.h"

G_BEGIN_DECLS

/* Exit statuses; README.md lists them. */
enum
{
  EXIT_OK = 0,
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_DAMAGED = 3,
  EXIT_NO_SPACE = 4,
  EXIT_TIMEOUT = 5,
};

/* The entry of a command that names classes: options_parse() loads the plugins. */
#define OPTIONS_PLUGIN                                                                             \
  {                                                                                                \
    "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options_plugins,                                 \
        "load classes of your own from FILE.so; may be repeated", "FILE.so"                        \
  }
extern char **options_plugins;

/* The entry of a command whose options may be in a file: options_parse() reads it. */
#define OPTIONS_CONFIG                                                                             \
  {                                                                                                \
    "config", 0, 0, G_OPTION_ARG_FILENAME, &options_config,                                        \
        "take the options that are not given here from FILE, or those of the run in DIR",          \
        "FILE|DIR"                                                                                 \
  }
extern char *options_config;

/* The title of a group of options in --help, as an entry among them. */
#define OPTIONS_GROUP(title)                                                                       \
  {                                                                                                \
    "", 0, 0, G_OPTION_ARG_NONE, NULL, title, NULL                                                 \
  }

/* Whether an entry takes true or false and may lack it: `--split-trajs`. Such an entry is a text
   without a description of it. */
#define OPTIONS_IS_SWITCH(entry)                                                                   \
  ((entry) && (entry)->arg == G_OPTION_ARG_STRING && !(entry)->arg_description)

/* Parses argv by GOption after it replaced `_` by `-` and the spellings of other projects by ours.
   An error of an unknown option names the closest one. The plain arguments remain in argv. Entries
   have no letter: a table in options.c contains that of each name. Loads --plugin. Ends the program
   after it printed help, or lists of the classes that --sampler and the like name. */
gboolean options_parse (GOptionContext *context, const GOptionEntry *entries, char ***argv,
                        GError **error);

/* Sets a USAGE_ERROR if there are more than n plain arguments. */
gboolean options_check_words (char **words, guint n, GError **error);

/* Reads the number that --NAME was given, `initial` where it was not. Out of range is an error that
   names the option. */
gboolean options_parse_number (const char *name, const char *text, gint64 low, gint64 high,
                               gint64 initial, gint64 *value, GError **error);

/* Reads the time that --NAME was given, such as 90s, 10m or 1.5h: above 0, in seconds; 0 where it
   was not given. */
gboolean options_parse_duration (const char *name, const char *text, double *seconds,
                                 GError **error);

/* The same for a real number, which is finite. */
gboolean options_parse_double (const char *name, const char *text, double initial, double *value,
                               GError **error);

/* First thing in main: locale, the library, file descriptors 0 to 2 that are open, and what is said
   of a mapped file that was cut. */
void program_begin (void);

/* Prints the name of the program and the version, for --version. Gives EXIT_OK. */
int program_print_version (const char *program);

/* Last thing in main: prints "program: message" to stderr if there is an error, and gives the exit
   status: that of the error, or of a standard output that could not be written, or status. */
int program_end (const char *program, int status, const GError *error);

G_END_DECLS
