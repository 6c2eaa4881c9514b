#include "config.h"

#include "options.h"

#include "bus-error.h"
#include "class-list.h"
#include "option-file.h"
#include "option-help.h"
#include "escaped-text.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One letter means the same in every program. */
static const struct
{
  char letter;
  const char *name;
} letters[] = {
  { 'V', "version" }, { 'b', "batch-size" }, { 'c', "capacity" }, { 'e', "env" },
  { 'f', "frames" },  { 'k', "keys" },       { 'n', "num-envs" }, { 'o', "out" },
  { 'p', "policy" },  { 'q', "quiet" },      { 's', "seed" },     { 't', "threads" },
};

static char
find_letter (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (letters); i++)
    if (strcmp (letters[i].name, name) == 0)
      return letters[i].letter;
  return 0;
}

/* The entries without those that begin a group, for GOption. */
static GOptionEntry *
drop_groups (const GOptionEntry *entries)
{
  GArray *kept = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  for (; entries->long_name; entries++)
    if (*entries->long_name)
      g_array_append_val (kept, *entries);
  return (GOptionEntry *) g_array_free (kept, FALSE);
}

/* A copy of the entries with the letters of their names, and the options of the classes that they
   name. */
static GOptionEntry *
complete_entries (const GOptionEntry *entries, ClassListFlags *flags)
{
  GArray *lettered = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  const GOptionEntry *given = entries;

  for (; entries->long_name; entries++)
    {
      GOptionEntry entry = *entries;
      entry.short_name = find_letter (entry.long_name);
      g_array_append_val (lettered, entry);
    }
  class_list_add_options (lettered, given, flags);
  return (GOptionEntry *) g_array_free (lettered, FALSE);
}

/* `collect help` asks for the same as `collect --help`, unless a file has that name. */
static void
replace_help (char **argv)
{
  if (!argv[1] || argv[2] || strcmp (argv[1], "help") != 0
      || g_file_test ("help", G_FILE_TEST_EXISTS))
    return;
  g_free (argv[1]);
  argv[1] = g_strdup ("--help");
}

/* `--total_frames=1000` becomes `--frames=1000`. */
static gboolean
normalise (char **arg, const GOptionEntry *entries, GError **error)
{
  const char *value = strchr (*arg, '=');
  g_autofree char *name =
      value ? g_strndup (*arg + 2, (gsize) (value - *arg - 2)) : g_strdup (*arg + 2);
  g_autofree char *ours = option_names_ours (name);
  const GOptionEntry *entry = *ours ? options_find_entry (entries, ours) : NULL;

  if (strcmp (ours, "help") != 0 && !entry)
    {
      option_names_refuse (entries, "help", ours, "there is no option --", error);
      return FALSE;
    }
  if (value && (!entry || entry->arg == G_OPTION_ARG_NONE))
    {
      set_usage_error (error, "--%s takes no value, and was given \"%s\"", ours, value + 1);
      return FALSE;
    }
  if (!value && OPTIONS_IS_SWITCH (entry))
    value = "=true";

  char *written = g_strconcat ("--", ours, value, NULL);
  g_free (*arg);
  *arg = written;
  return TRUE;
}

/* The first `--` has done its work: GOption leaves it where words that begin with `-` follow. */
static void
drop_separator (char **argv)
{
  char **arg = argv;

  while (*arg && strcmp (*arg, "--") != 0)
    arg++;
  if (!*arg)
    return;
  g_free (*arg);
  for (; *arg; arg++)
    *arg = arg[1];
}

char **options_plugins;
char *options_config;

static gboolean
load_plugins (GError **error)
{
  for (char **file = options_plugins; file && *file; file++)
    if (!reel_plugin_load (*file, error))
      return FALSE;
  return TRUE;
}

/* A list ends the program, as --help does. */
static gboolean
list_classes (const ClassListFlags *flags, const GOptionEntry *entries, const char *word,
              GError **error)
{
  gboolean done;

  if (!class_list_run (flags, entries, word, &done, error))
    return FALSE;
  if (done)
    exit (EXIT_OK);
  return TRUE;
}

/* GOption's errors end with the option. */
static void
explain_option (const GError *failure, GError **error)
{
  const char *option = strrchr (failure->message, ' ');

  if (!option || option[1] != '-')
    set_usage_error (error, "%s", failure->message);
  else if (g_error_matches (failure, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE))
    set_usage_error (error, "%s lacks its value; --help shows it", option + 1);
  else if (g_ascii_isdigit (option[2]))
    set_usage_error (error, "there is no option %s; a word that begins with - follows a --",
                     option + 1);
  else
    set_usage_error (error, "there is no option %s; --help lists them", option + 1);
}

gboolean
options_parse (GOptionContext *context, const GOptionEntry *entries, char ***argv, GError **error)
{
  g_autoptr (GError) local = NULL;
  ClassListFlags flags = { 0 };
  g_autofree GOptionEntry *all = complete_entries (entries, &flags);

  replace_help (*argv);
  for (char **arg = *argv + 1; *arg && strcmp (*arg, "--") != 0; arg++)
    if (g_str_has_prefix (*arg, "--") && !normalise (arg, all, error))
      return FALSE;
  for (char **arg = *argv + 1; *arg && strcmp (*arg, "--") != 0; arg++)
    if (strcmp (*arg, "--help") == 0 || strcmp (*arg, "-h") == 0)
      {
        option_help_print (context, all, option_aliases);
        exit (EXIT_OK);
      }
  g_option_context_set_help_enabled (context, FALSE);
  g_autofree GOptionEntry *parsed = drop_groups (all);
  g_option_context_add_main_entries (context, parsed, NULL);
  if (!g_option_context_parse_strv (context, argv, &local))
    {
      explain_option (local, error);
      return FALSE;
    }
  drop_separator (*argv);
  if (options_config && !option_file_read (options_config, all, error))
    return FALSE;
  return load_plugins (error) && list_classes (&flags, entries, (*argv)[1], error);
}

gboolean
options_check_words (char **words, guint n, GError **error)
{
  if (g_strv_length (words) <= n)
    return TRUE;
  set_usage_error (error, "cannot use \"%s\": it belongs to no option", words[n]);
  return FALSE;
}

gboolean
options_parse_number (const char *name, const char *text, gint64 low, gint64 high, gint64 initial,
                      gint64 *value, GError **error)
{
  *value = initial;
  if (!text || reel_parse_int64 (text, low, high, value, error))
    return TRUE;
  g_prefix_error (error, "--%s ", name);
  return FALSE;
}

/* The seconds of a unit of time, 0 for none. */
static double
seconds_of (const char *unit)
{
  static const char units[] = "smh";
  static const double seconds[] = { 1, 60, 3600 };
  const char *found = *unit && !unit[1] ? strchr (units, *unit) : NULL;

  return found ? seconds[found - units] : 0;
}

#define MOST_SECONDS (100.0 * 366 * 86400)

gboolean
options_parse_duration (const char *name, const char *text, double *seconds, GError **error)
{
  char *end = NULL;
  double number = text ? g_ascii_strtod (text, &end) : 0;

  *seconds = text ? number * seconds_of (end) : 0;
  if (!text || (*seconds > 0 && *seconds <= MOST_SECONDS))
    return TRUE;
  set_usage_error (error, "--%s cannot be \"%s\": it must be a time such as 90s, 10m or 1.5h", name,
                   text);
  return FALSE;
}

gboolean
options_parse_double (const char *name, const char *text, double initial, double *value,
                      GError **error)
{
  char *end = NULL;

  *value = text ? g_ascii_strtod (text, &end) : initial;
  if (!text || (*text && !*end && isfinite (*value)))
    return TRUE;
  set_usage_error (error, "--%s cannot be \"%s\": it must be a number", name, text);
  return FALSE;
}

static int
exit_status (const GError *error)
{
  if (error->domain == USAGE_ERROR)
    return EXIT_USAGE;
  if (error->domain != REEL_ERROR)
    return EXIT_FAILED;
  switch (error->code)
    {
    case REEL_ERROR_VALUE:
    case REEL_ERROR_TYPE:
    case REEL_ERROR_KEY:
    case REEL_ERROR_INDEX: return EXIT_USAGE;
    case REEL_ERROR_DAMAGED: return EXIT_DAMAGED;
    case REEL_ERROR_NO_SPACE: return EXIT_NO_SPACE;
    case REEL_ERROR_TIMEOUT: return EXIT_TIMEOUT;
    default: return EXIT_FAILED;
    }
}

/* A file that is opened in the place of a closed stream would get what is said to that stream. */
static void
open_closed_streams (void)
{
  int fd;

  do
    fd = open ("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close (fd);
}

static gboolean
is_full (int reason)
{
  return reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
}

/* EXIT_OK where all went out, or the reader has gone. A fault is told once. */
static int
flush_output (const char *program)
{
  static int told = EXIT_OK;
  gboolean failed = ferror (stdout) != 0;

  errno = 0;
  failed |= fflush (stdout) != 0;
  /* A second write finds the reason that stdio has lost. */
  if (failed && errno == 0 && write (STDOUT_FILENO, "\n", 1) == 1)
    errno = EIO;
  if (!failed || told != EXIT_OK || errno == EPIPE)
    return EXIT_OK;
  told = is_full (errno) ? EXIT_NO_SPACE : EXIT_FAILED;
  g_printerr ("%s: cannot write to standard output: %s\n", program, g_strerror (errno));
  return told;
}

/* GOption prints the help and ends the program. */
static void
flush_at_exit (void)
{
  int status = flush_output (program_invocation_short_name);

  if (status != EXIT_OK)
    _exit (status);
}

void
program_begin (void)
{
  open_closed_streams ();
  signal (SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error as a full disk is */
  bus_error_watch ();
  escaped_text_begin ();
  atexit (flush_at_exit);
  g_set_prgname (program_invocation_short_name);
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  reel_init ();
}

int
program_print_version (const char *program)
{
  printf ("%s (Reel) %s\n", program, PACKAGE_VERSION);
  return EXIT_OK;
}

int
program_end (const char *program, int status, const GError *error)
{
  if (error)
    {
      g_printerr ("%s: %s\n", program, error->message);
      if (error->domain == USAGE_ERROR)
        g_printerr ("Try '%s --help'.\n", g_get_prgname ());
      status = exit_status (error);
    }
  int flushed = flush_output (program);
  return status != EXIT_OK ? status : flushed;
}
