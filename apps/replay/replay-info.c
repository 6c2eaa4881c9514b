/* replay info: what a directory holds. */
#include "info.h"
#include "../common/json-values.h"
#include "../common/saved-batches.h"
#include "replay-directories.h"
#include "replay.h"

#include <stdio.h>

static struct
{
  gboolean json;
  gboolean digest;
  gboolean python;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { "digest", 0, 0, G_OPTION_ARG_NONE, &options.digest,
    "add the SHA-256 of each key's valid rows, in file order", NULL },
  { "python", 0, 0, G_OPTION_ARG_NONE, &options.python,
    "print the lines of Python that load DIR with TorchRL", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in DIR", NULL },
  { NULL },
};

/* ---- Python ---- */

/* Batches are TensorDicts, and no buffer. */
static void
print_python_batches (const char *path)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  g_autofree char *first = g_build_filename (whole, "0", NULL);
  gboolean several = g_file_test (first, G_FILE_TEST_IS_DIR);
  g_autofree char *directory = info_python_path (several ? first : whole);

  printf ("from tensordict import TensorDict\n\nbatch = TensorDict.load_memmap(%s)\n", directory);
}

/* The lines of --python have no place for what the others add. */
static gboolean
check_options (GError **error)
{
  if (!options.python || !(options.json || options.digest))
    return TRUE;
  set_usage_error (error, "--python and --%s cannot be used together",
                   options.json ? "json" : "digest");
  return FALSE;
}

int
replay_info (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR - show the contents of a directory");
  json_t *json;

  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error)
      || !check_options (error))
    return EXIT_USAGE;
  g_autoptr (GObject) opened = replay_open_any ((*argv)[1], options.read_only, error);
  if (opened && REEL_IS_REPLAY_BUFFER_ENSEMBLE (opened))
    return info_show_ensemble ((*argv)[1], REEL_REPLAY_BUFFER_ENSEMBLE (opened),
                               options.python ? INFO_PYTHON
                               : options.json ? INFO_JSON
                                              : INFO_TABLE,
                               options.digest, error)
               ? EXIT_OK
               : EXIT_FAILED;
  ReelReplayBuffer *buffer = (ReelReplayBuffer *) opened;
  if (!buffer)
    return EXIT_FAILED;
  if (options.python && saved_batches_are_at ((*argv)[1]))
    print_python_batches ((*argv)[1]);
  else if (options.python)
    return info_print_python ((*argv)[1], buffer, error) ? EXIT_OK : EXIT_FAILED;
  else if (!options.json)
    return info_print ((*argv)[1], buffer, options.digest, error) ? EXIT_OK : EXIT_FAILED;
  else
    {
      json = info_to_json ((*argv)[1], buffer, options.digest, error);
      if (!json)
        return EXIT_FAILED;
      json_print (json);
    }
  return EXIT_OK;
}
