#include "config.h"

#include "options.h"

#include "bus-error.h"
#include "class-list.h"
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

/* So does a spelling of another project. Those of one name follow each other. */
static const OptionAlias aliases[] = {
  { "env-id", "env" },
  { "env-name", "env" },
  { "total-frames", "frames" },
  { "total-timesteps", "frames" },
  { "n-envs", "num-envs" },
  { "nb-envs", "num-envs" },
  { "buffer-size", "capacity" },
  { "output", "out" },
  { "train-frequency", "update-every" },
  { "train-freq", "update-every" },
  { "gradient-steps", "updates" },
  { "target-network-frequency", "target-every" },
  { "target-update-interval", "target-every" },
  { "start-e", "epsilon-start" },
  { "exploration-initial-eps", "epsilon-start" },
  { "end-e", "epsilon-end" },
  { "exploration-final-eps", "epsilon-end" },
  { "num-steps", "rollout-steps" },
  { "n-steps", "rollout-steps" },
  { "update-epochs", "epochs" },
  { "n-epochs", "epochs" },
  { "anneal-lr", "anneal" },
  { "clip-coef", "clip" },
  { "clip-range", "clip" },
  { "ent-coef", "entropy-weight" },
  { "vf-coef", "value-weight" },
  { "eval-freq", "eval-every" },
  { "n-eval-episodes", "eval-episodes" },
  { NULL, NULL },
};

static char
find_letter (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (letters); i++)
    if (strcmp (letters[i].name, name) == 0)
      return letters[i].letter;
  return 0;
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

static gboolean
unknown_option (const GOptionEntry *entries, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (const GOptionEntry *entry = entries; entry->long_name; entry++)
    if (*entry->long_name)
      g_ptr_array_add (names, (char *) entry->long_name);
  g_ptr_array_add (names, (char *) "help");
  g_ptr_array_add (names, NULL);

  const char *closest = reel_closest_word (name, (const char *const *) names->pdata);
  if (closest)
    set_usage_error (error, "there is no option --%s; did you mean --%s?", name, closest);
  else
    set_usage_error (error, "there is no option --%s; --help lists them", name);
  return FALSE;
}

/* `--total_frames=1000` becomes `--frames=1000`. */
static gboolean
normalise (char **arg, const GOptionEntry *entries, GError **error)
{
  const char *value = strchr (*arg, '=');
  g_autofree char *name =
      value ? g_strndup (*arg + 2, (gsize) (value - *arg - 2)) : g_strdup (*arg + 2);
  g_strdelimit (name, "_", '-');

  const char *ours = name;
  const GOptionEntry *entry;

  for (const OptionAlias *alias = aliases; alias->theirs; alias++)
    if (strcmp (alias->theirs, name) == 0)
      ours = alias->ours;
  entry = options_find_entry (entries, ours);
  if (strcmp (ours, "help") != 0 && !entry)
    return unknown_option (entries, name, error);
  if (value && (!entry || entry->arg == G_OPTION_ARG_NONE))
    {
      set_usage_error (error, "--%s takes no value, and was given \"%s\"", ours, value + 1);
      return FALSE;
    }

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
        option_help_print (context, all, aliases);
        exit (EXIT_OK);
      }
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_add_main_entries (context, all, NULL);
  if (!g_option_context_parse_strv (context, argv, &local))
    {
      set_usage_error (error, "%s", local->message);
      return FALSE;
    }
  drop_separator (*argv);
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

gboolean
options_parse_double (const char *name, const char *text, double initial, double *value,
                      GError **error)
{
  char *end = NULL;

  *value = text ? g_ascii_strtod (text, &end) : initial;
  if (!text || (*text && !*end && isfinite (*value)))
    return TRUE;
  set_usage_error (error, "--%s cannot be \"%s\": it is not a number", name, text);
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
