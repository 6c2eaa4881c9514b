/* replay convert: a checkpoint of the same rows in another ring. */
#include "escaped-text.h"
#include "class-words.h"
#include "interrupt.h"
#include "json-values.h"
#include "replay.h"
#include "text-table.h"

#include <stdio.h>

#define MOST_ROWS (G_MAXINT64 / 2)

static struct
{
  char *capacity;
  char *ndim;
  char *checkpointer;
  gboolean chronological;
  gboolean force;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "capacity", 0, 0, G_OPTION_ARG_STRING, &options.capacity,
    "rows that it has room for; the newest are kept", "N" },
  { "ndim", 0, 0, G_OPTION_ARG_STRING, &options.ndim,
    "storage dimensions, 1 to 3; 1 puts one lane after the other", "N" },
  { "chronological", 0, 0, G_OPTION_ARG_NONE, &options.chronological,
    "the oldest row first; the other two do so as well", NULL },
  { "checkpointer", 0, 0, G_OPTION_ARG_STRING, &options.checkpointer,
    "how rows lie in the files: tensor as in memory, or each trajectory once: flat, nested, h5",
    "ID" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force,
    "replace the checkpoint at DST; not a run by its own rows", NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in SRC", NULL },
  { NULL },
};

static gboolean
check_words (char **words, GError **error)
{
  if (!options_check_words (words, 2, error))
    return FALSE;
  if (words[0] && words[1])
    return TRUE;
  set_usage_error (error, words[0] ? "convert %s into which directory?" : "which directory%s?",
                   words[0] ? words[0] : "");
  return FALSE;
}

/* What is there of a path: all of it, or what is above it. */
static char *
find_there (const char *path)
{
  char *there = g_strdup (path);

  while (!g_file_test (there, G_FILE_TEST_EXISTS))
    {
      char *above = g_path_get_dirname (there);

      g_free (there);
      there = above;
    }
  return there;
}

/* A checkpoint takes its own place, and that of none that is above it or in it. */
static gboolean
check_places (const char *from, const char *to, GError **error)
{
  g_autofree char *there = find_there (to);
  gboolean within = replay_lies_in (there, from), around = replay_lies_in (from, to);

  if (within == around)
    return TRUE;
  set_usage_error (error, "%s %s %s; choose another directory", to,
                   within ? "lies in" : "would replace what holds", from);
  return FALSE;
}

/* A copy has no ring, which collect --resume goes on from. */
static gboolean
check_run_stays (ReelReplayBuffer *buffer, const char *from, const char *to, GError **error)
{
  ReelRingInfo info;

  if (!options.force || !replay_lies_in (to, from))
    return TRUE;
  if (!reel_replay_buffer_get_ring (buffer, &info, error))
    return FALSE;
  if (!info.live)
    return TRUE;
  set_usage_error (error,
                   "%s is a run, and its converted rows could not be resumed; choose another "
                   "directory",
                   from);
  return FALSE;
}

/* How the copy is to be written, without regard to how the source is. */
static gboolean
choose_checkpointer (ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (ReelCheckpointer) checkpointer = NULL;
  GError *failure = NULL;

  if (!options.checkpointer)
    return TRUE;
  checkpointer =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, options.checkpointer, &failure, NULL);
  if (!checkpointer)
    {
      class_words_propagate (error, failure, "checkpointer", REEL_TYPE_CHECKPOINTER,
                             options.checkpointer);
      return FALSE;
    }
  reel_replay_buffer_set_checkpointer (buffer, checkpointer);
  return TRUE;
}

/* What is half made goes away with the error that an interrupt makes. */
static gboolean
dump (ReelReplayBuffer *buffer, const char *path, ReelOrderedDump *dumped, GError **error)
{
  ReelCheckpointFlags flags = options.force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT;

  interrupt_watch (reel_cancel_writes, NULL);
  if (options.chronological || dumped->capacity > 0 || dumped->ndim > 0)
    return reel_replay_buffer_dumps_in_order (buffer, path, dumped, flags, error);
  dumped->capacity = reel_replay_buffer_get_capacity (buffer);
  dumped->length = reel_replay_buffer_get_length (buffer);
  dumped->ndim = reel_storage_get_ndim (reel_replay_buffer_get_storage (buffer));
  return reel_replay_buffer_dumps (buffer, path, flags, error);
}

static void
say (const ReelOrderedDump *dumped)
{
  if (dumped->n_dropped > 0)
    g_printerr ("replay: the oldest %" G_GINT64_FORMAT " rows have no room in %" G_GINT64_FORMAT
                "\n",
                dumped->n_dropped, dumped->capacity);
  if (dumped->n_cut > 0)
    g_printerr ("replay: the last rows of %" G_GINT64_FORMAT
                " lanes are marked as truncated: their trajectories went on\n",
                dumped->n_cut);
}

static void
print (const char *path, const ReelOrderedDump *dumped)
{
  g_autofree char *name = g_filename_display_name (path); /* JSON is UTF-8, names need not be */

  if (!options.json)
    escaped_text_print_path (path);
  else
    json_print (json_pack ("{s:s, s:I, s:I, s:i, s:I, s:I}", "path", name, "length",
                           (json_int_t) dumped->length, "capacity", (json_int_t) dumped->capacity,
                           "ndim", dumped->ndim, "dropped", (json_int_t) dumped->n_dropped,
                           "truncated", (json_int_t) dumped->n_cut));
}

int
replay_convert (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("SRC DST - write a checkpoint of the same rows");
  ReelOrderedDump dumped = { 0 };
  gint64 ndim;

  g_option_context_set_summary (
      context, "Without options DST is a ring like SRC. TorchRL forgets where a ring that went "
               "round begins\nwhen it loads one: --chronological writes the oldest row first, and "
               "leaves a step spare.");
  if (!options_parse (context, entries, NULL, argv, error) || !check_words (*argv + 1, error)
      || !options_parse_number ("capacity", options.capacity, 1, MOST_ROWS, 0, &dumped.capacity,
                                error)
      || !options_parse_number ("ndim", options.ndim, 1, 3, 0, &ndim, error))
    return EXIT_USAGE;
  dumped.ndim = (gint) ndim;
  const char *from = (*argv)[1], *to = (*argv)[2];
  if (!replay_check_directory_name (to, error))
    return EXIT_USAGE;
  g_autoptr (ReelReplayBuffer) buffer = replay_open (*argv + 1, options.read_only, error);
  if (!buffer || !replay_check_ended (buffer, from, error))
    return EXIT_FAILED;
  if (!check_places (from, to, error) || !check_run_stays (buffer, from, to, error)
      || !choose_checkpointer (buffer, error))
    return EXIT_USAGE;
  g_auto (GStrv) said = reel_replay_buffer_get_warnings (buffer);
  guint n_said = g_strv_length (said);
  if (!dump (buffer, to, &dumped, error))
    return replay_end_interrupted (to, error);
  say (&dumped);
  replay_say_warnings (buffer, n_said);
  print (to, &dumped);
  return EXIT_OK;
}
