/* replay: look into saved experience, draw from it, write it anew. */
#include "replay.h"
#include "../common/text-table.h"

#include <string.h>

#define PROGRAM "replay"

typedef struct
{
  const char *name;
  int (*run) (char ***argv, GError **error);
  const char *words;
  const char *blurb;
} Command;

static const Command commands[] = {
  { "info", replay_info, "DIR", "show shape, keys and episodes" },
  { "ls", replay_ls, "[DIR]", "list runs and saved buffers" },
  { "episodes", replay_episodes, "DIR", "list episodes with length, return and end" },
  { "rows", replay_rows, "DIR [FIRST:END]", "print rows in order of time" },
  { "sample", replay_sample, "DIR", "draw batches, and print or save them" },
  { "convert", replay_convert, "SRC DST", "write the rows to a checkpoint of another form" },
  { "diff", replay_diff, "A B", "compare the rows of two directories" },
  { "merge", replay_merge, "A B...", "merge directories into an ensemble" },
  { "import", replay_import, "NAME:ID DIR", "import a published dataset" },
  { "export", replay_export, "DIR OUT", "write the rows as CSV, NumPy, HDF5 or Minari" },
  { "preprocess", replay_preprocess, "DIR [DEST]", "change the rows of a dataset once" },
  { "datasets", replay_datasets, "[NAME]", "list datasets that can be imported" },
  { "tokenize", replay_tokenize, "FILE DIR", "write texts as ids of tokens" },
  { "rollout", replay_rollout, "PROMPTS DIR", "let a model answer prompts" },
  { "audit", replay_audit, "DIR", "test a sampler against its definition" },
  { "spec", replay_spec, "ENV-OR-DIR", "print the specs of an environment or a run" },
  { "check", replay_check, "DIR", "compare every row with its spec" },
  { "classes", replay_classes, "--list-samplers ...", "list samplers, storages and other classes" },
  { "fsck", replay_fsck, "DIR", "check that files are intact" },
};

static int
help (void)
{
  g_autoptr (TextTable) table = text_table_new ("ll");

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    text_table_add (table, g_strconcat (commands[i].name, " ", commands[i].words, NULL),
                    g_strdup (commands[i].blurb));
  text_table_add (table, g_strdup ("help COMMAND"), g_strdup ("print the options of a command"));
  g_autofree char *text = text_table_render (table, 2);
  g_print ("Usage:\n  replay COMMAND [OPTION...]\n  replay DIR    the same as replay info DIR\n\n"
           "Commands:\n%s\n"
           "Options:\n  -h, --help     print this text\n  -V, --version  print name and version\n\n"
           "DIR is a directory that collect or TorchRL's ReplayBuffer.dumps wrote, finished\n"
           "or not. With --read-only a command changes nothing in it.\n",
           text);
  return EXIT_OK;
}

static const Command *
find_command (const char *name)
{
  for (guint i = 0; name && i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

/* A word that is no path was probably meant as a command, as any is before another word. */
static gboolean
check_word (const char *word, const char *next, GError **error)
{
  const char *names[G_N_ELEMENTS (commands) + 1] = { NULL };

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  const char *closest = reel_closest_word (word, names);
  gboolean followed = next && *next && *next != '-';
  gboolean other = strcmp (word, "collect") == 0 || strcmp (word, "render") == 0;
  if (*word == '-' || *word == '\0' || g_file_test (word, G_FILE_TEST_EXISTS)
      || (strchr (word, '/') && !followed))
    return TRUE;
  if (closest)
    set_usage_error (error, "there is no command and no directory \"%s\"; did you mean \"%s\"?",
                     word, closest);
  else if (other)
    set_usage_error (error, "there is no command and no directory \"%s\"; %s is another program",
                     word, word);
  else if (followed)
    set_usage_error (error, "there is no command and no directory \"%s\"", word);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "there is no command and no directory \"%s\"",
                 word);
  return FALSE;
}

/* Runs a command; argv[0] is no argument of it. */
static int
run_command (const Command *command, char **argv, GError **error)
{
  g_autofree char *name = g_strconcat (PROGRAM " ", command->name, NULL);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_strv_builder_add (builder, name);
  g_strv_builder_addv (builder, (const char **) argv + 1);
  g_auto (GStrv) arguments = g_strv_builder_end (builder);
  g_set_prgname (name);
  return command->run (&arguments, error);
}

/* `help COMMAND` becomes `COMMAND --help`. */
static int
help_with (const char *name, GError **error)
{
  const Command *command = find_command (name);
  const char *names[G_N_ELEMENTS (commands) + 1] = { NULL };

  if (!name || strcmp (name, "--help") == 0 || strcmp (name, "-h") == 0)
    return help ();
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  const char *closest = reel_closest_word (name, names);
  if (!command)
    set_usage_error (error,
                     closest ? "there is no command \"%s\"; did you mean \"%s\"?"
                             : "there is no command \"%s\"; --help lists them",
                     name, closest);
  return command ? run_command (command, (char *[]){ NULL, (char *) "--help", NULL }, error)
                 : EXIT_USAGE;
}

/* Lists of classes need no command, also behind --plugin. */
static gboolean
asks_for_lists (char **words)
{
  gboolean lists = FALSE;

  for (char **word = words; *word; word++)
    lists |= g_str_has_prefix (*word, "--list-") || strcmp (*word, "--describe") == 0;
  return lists && **words == '-';
}

static int
run_program (char **argv, GError **error)
{
  const char *word = argv[1];

  if (!word || strcmp (word, "--help") == 0 || strcmp (word, "-h") == 0)
    {
      int status = help ();
      return word ? status : EXIT_USAGE;
    }
  if (strcmp (word, "--version") == 0 || strcmp (word, "-V") == 0)
    return program_print_version (PROGRAM);
  if (strcmp (word, "help") == 0)
    return help_with (argv[2], error);
  if (asks_for_lists (argv + 1))
    return run_command (find_command ("classes"), argv, error);
  const Command *command = find_command (word);
  if (g_str_has_prefix (word, "--plugin"))
    set_usage_error (error, "--plugin follows the command: replay sample DIR --plugin FILE.so");
  if (g_str_has_prefix (word, "--plugin") || (!command && !check_word (word, argv[2], error)))
    return EXIT_USAGE;

  return command ? run_command (command, argv + 1, error) : run_command (&commands[0], argv, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  program_begin ();
  int status = run_program (argv, &error);
  return program_end (PROGRAM, status, error);
}
