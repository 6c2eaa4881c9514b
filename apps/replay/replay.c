/* replay: look into saved experience, draw from it, write it anew. */
#include "../common/class-words.h"
#include "../common/interrupt.h"
#include "replay.h"
#include "saved-batches.h"
#include "../common/text-table.h"

#include <stdlib.h>
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
  { "info", replay_info, "DIR", "shape, keys and episodes of a directory" },
  { "ls", replay_ls, "[DIR]", "runs and saved buffers below a directory" },
  { "episodes", replay_episodes, "DIR", "lengths, returns and ends of episodes" },
  { "rows", replay_rows, "DIR [FIRST:END]", "rows in order of time" },
  { "sample", replay_sample, "DIR", "batches, printed or saved" },
  { "convert", replay_convert, "SRC DST", "a checkpoint in another ring or form" },
  { "diff", replay_diff, "A B", "whether two directories hold the same rows" },
  { "merge", replay_merge, "A B...", "several directories as one ensemble" },
  { "audit", replay_audit, "DIR", "whether a sampler draws as defined" },
  { "spec", replay_spec, "ENV-OR-DIR", "specs of an environment or of a run" },
  { "check", replay_check, "DIR", "whether all rows are inside their specs" },
  { "classes", replay_classes, "--list-samplers ...", "samplers, storages and their like" },
  { "fsck", replay_fsck, "DIR", "whether the files of a directory are intact" },
};

static int
help (void)
{
  g_autoptr (TextTable) table = text_table_new ("ll");

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    text_table_add (table, g_strconcat (commands[i].name, " ", commands[i].words, NULL),
                    g_strdup (commands[i].blurb));
  text_table_add (table, g_strdup ("help COMMAND"), g_strdup ("options of a command"));
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
  if (saved_batches_are_at (arguments[0]))
    return saved_batches_open (arguments[0], error);
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

static gboolean
has_dimensions (gpointer member)
{
  gboolean found = FALSE;

  if (REEL_IS_REPLAY_BUFFER (member))
    return reel_storage_get_ndim (reel_replay_buffer_get_storage (member)) > 1;
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (member) && !found; i++)
    found = has_dimensions (reel_replay_buffer_ensemble_get (member, i, NULL));
  return found;
}

void
replay_say_unsampleable (ReelReplayBufferEnsemble *ensemble, const char *path)
{
  if (has_dimensions (ensemble))
    g_printerr ("replay: TorchRL loads %s, but cannot sample members of several storage "
                "dimensions: --ndim 1 makes some that it can\n",
                path);
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

/* The kind of file that a suffix promises, and the command that makes it. */
static const struct
{
  const char *suffix;
  const char *way;
} formats[] = {
  { ".csv", "'replay rows DIR --json' prints rows as JSON" },
  { ".tsv", "'replay rows DIR --json' prints rows as JSON" },
  { ".json", "'replay rows DIR --json' prints rows as JSON" },
  { ".jsonl", "'replay rows DIR --json' prints rows as JSON" },
  { ".ndjson", "'replay rows DIR --json' prints rows as JSON" },
  { ".h5", "'replay convert DIR OUT --checkpointer h5' writes HDF5 into a directory" },
  { ".hdf5", "'replay convert DIR OUT --checkpointer h5' writes HDF5 into a directory" },
  { ".npz", "Python writes it from the lines of 'replay info --python DIR'" },
  { ".npy", "Python writes it from the lines of 'replay info --python DIR'" },
  { ".pt", "Python writes it from the lines of 'replay info --python DIR'" },
  { ".pkl", "Python writes it from the lines of 'replay info --python DIR'" },
  { ".parquet", "Python writes it from the lines of 'replay info --python DIR'" },
};

gboolean
replay_check_directory_name (const char *path, GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  if (!*path)
    {
      set_usage_error (error, "cannot make a directory without a name: the path is empty");
      return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (lower, formats[i].suffix) && !g_file_test (path, G_FILE_TEST_IS_DIR))
      {
        set_usage_error (error, "cannot write %s: it would be a directory, not a %s file; %s", path,
                         formats[i].suffix, formats[i].way);
        return FALSE;
      }
  return TRUE;
}

ReelSampler *
sampler_from_text (const char *text, const char *seed, GError **error)
{
  const char *named = text ? text : "random";
  GError *failure = NULL;
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, named, &failure,
                                                    seed ? "seed" : NULL, seed, NULL);

  if (!sampler)
    class_words_propagate (error, failure, "sampler", REEL_TYPE_SAMPLER, named);
  return sampler;
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

  if (!name)
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
  gboolean lists = g_str_has_prefix (word, "--list-") || strcmp (word, "--describe") == 0;
  if (lists)
    return run_command (find_command ("classes"), argv, error);
  const Command *command = find_command (word);
  if (!command && !check_word (word, argv[2], error))
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
