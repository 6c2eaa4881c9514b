/* replay: look into saved experience, draw from it, write it anew. */
#include "interrupt.h"
#include "replay.h"
#include "text-table.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAM "replay"

typedef struct
{
  const char *name;
  int (*run) (char ***argv, GError **error);
  const char *synopsis;
  const char *blurb;
} Command;

static const Command commands[] = {
  { "info", replay_info, "[info] DIR [[--json] [--digest] | --python]", "what is inside" },
  { "sample", replay_sample, "sample DIR [--sampler ID] [--batch-size N] [--batches N] [--out OUT]",
    "draw batches" },
  { "rows", replay_rows, "rows DIR [FIRST:END] [--keys K,...] [--json]", "rows in order of time" },
  { "convert", replay_convert,
    "convert SRC DST [--capacity N] [--ndim N] [--chronological] [--checkpointer ID] [--force]",
    "a checkpoint in another ring or form" },
  { "merge", replay_merge, "merge A B... [--weights W,...] [--out OUT] [--force] [--json]",
    "several directories as one ensemble" },
  { "audit", replay_audit, "audit DIR [--sampler ID] [--draws N] [--json]",
    "whether a sampler draws as defined" },
  { "spec", replay_spec, "spec ENV-OR-DIR [--text | --json] [--rows]", "what values may be" },
  { "check", replay_check, "check DIR [--env ID | --spec TEXT] [--json]",
    "whether all rows are inside their specs" },
  { "fsck", replay_fsck, "fsck DIR [--json]", "whether a directory holds what it says" },
};

static int
help (void)
{
  g_autoptr (TextTable) table = text_table_new ("ll");

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    text_table_add (table, g_strconcat (PROGRAM " ", commands[i].synopsis, NULL),
                    g_strdup (commands[i].blurb));
  text_table_add (table, g_strdup (PROGRAM " --version"), g_strdup ("its name and version"));
  g_autofree char *text = text_table_render (table, 2);
  g_print (
      "Usage:\n%s\nDIR is a directory that collect or TorchRL's ReplayBuffer.dumps wrote, finished "
      "or not.\n--read-only changes nothing in it, whatever happened to its writer. 'replay "
      "COMMAND --help' tells more.\n",
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

/* A word that is no directory was probably meant as a command, above all before another word. */
static gboolean
check_word (const char *word, const char *next, GError **error)
{
  const char *names[G_N_ELEMENTS (commands) + 1] = { NULL };

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  const char *closest = reel_closest_word (word, names);
  gboolean followed = next && *next && *next != '-';
  if (*word == '-' || !(closest || followed) || g_file_test (word, G_FILE_TEST_EXISTS))
    return TRUE;
  if (closest)
    set_usage_error (error, "there is no command and no directory \"%s\"; did you mean \"%s\"?",
                     word, closest);
  else
    set_usage_error (error, "there is no command and no directory \"%s\"", word);
  return FALSE;
}

static void
say (char **warnings, guint from)
{
  for (char **warning = warnings + from; *warning; warning++)
    g_printerr (PROGRAM ": %s\n", *warning);
  g_strfreev (warnings);
}

void
replay_say_warnings (ReelReplayBuffer *buffer, guint from)
{
  say (reel_replay_buffer_get_warnings (buffer), from);
}

ReelReplayBuffer *
replay_open (char **arguments, gboolean read_only, GError **error)
{
  if (!arguments[0] || !*arguments[0])
    {
      set_usage_error (error, "which directory?");
      return NULL;
    }
  ReelReplayBuffer *buffer = reel_replay_buffer_open (
      arguments[0], read_only ? REEL_OPEN_READ_ONLY : REEL_OPEN_DEFAULT, error);
  if (buffer)
    replay_say_warnings (buffer, 0);
  return buffer;
}

GObject *
replay_open_any (const char *path, gboolean read_only, GError **error)
{
  if (!path || !reel_checkpoint_is_ensemble (path))
    return (GObject *) replay_open ((char *[]){ (char *) path, NULL }, read_only, error);
  ReelReplayBufferEnsemble *ensemble = reel_replay_buffer_ensemble_open (
      path, read_only ? REEL_OPEN_READ_ONLY : REEL_OPEN_DEFAULT, error);
  if (ensemble)
    say (reel_replay_buffer_ensemble_get_warnings (ensemble), 0);
  return (GObject *) ensemble;
}

gboolean
replay_check_ended (ReelReplayBuffer *buffer, const char *path, GError **error)
{
  ReelRingInfo ring;

  if (!reel_replay_buffer_get_ring (buffer, &ring, error))
    return FALSE;
  if (!ring.written)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s is still being written; wait until its writer has ended", path);
  return FALSE;
}

gboolean
replay_lies_in (const char *path, const char *directory)
{
  char *real_inner = realpath (path, NULL), *real_outer = realpath (directory, NULL);
  gsize length = real_outer ? strlen (real_outer) : 0;
  gboolean inside = real_inner && real_outer && strncmp (real_inner, real_outer, length) == 0
                    && (real_inner[length] == '/' || real_inner[length] == '\0');

  free (real_inner);
  free (real_outer);
  return inside;
}

int
replay_end_interrupted (const char *path, GError **error)
{
  if (!interrupt_came ())
    return EXIT_FAILED;
  g_clear_error (error);
  g_printerr (PROGRAM ": interrupted; %s is as it was\n", path);
  return interrupt_status ();
}

ReelSampler *
sampler_from_text (const char *text, const char *seed, GError **error)
{
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text ? text : "random",
                                                    error, seed ? "seed" : NULL, seed, NULL);

  if (!sampler && text)
    g_prefix_error (error, "--sampler: ");
  return sampler;
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
  if (strcmp (word, "--version") == 0)
    return program_print_version (PROGRAM);
  const Command *command = find_command (word);
  if (!command && !check_word (word, argv[2], error))
    return EXIT_USAGE;

  g_auto (GStrv) arguments = g_strdupv (command ? argv + 1 : argv);
  g_free (arguments[0]);
  arguments[0] = g_strconcat (PROGRAM " ", command ? command->name : "info", NULL);
  g_set_prgname (arguments[0]);
  return (command ? command : &commands[0])->run (&arguments, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  program_begin ();
  int status = run_program (argv, &error);
  return program_end (PROGRAM, status, error);
}
