/* replay convert: a checkpoint of the same rows in another ring. */
#include "../common/escaped-text.h"
#include "../common/class-words.h"
#include "convert-ensemble.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"
#include "../common/row-transform.h"
#include "../common/text-table.h"

#include <stdio.h>

#define MOST_ROWS (G_MAXINT64 / 2)

static struct
{
  char *capacity;
  char *ndim;
  char *checkpointer;
  char *transform;
  gboolean chronological;
  gboolean flatten;
  gboolean force;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "capacity", 0, 0, G_OPTION_ARG_STRING, &options.capacity,
    "rows that DST has room for; the newest are kept", "N" },
  { "ndim", 0, 0, G_OPTION_ARG_STRING, &options.ndim,
    "storage dimensions, 1 to 3; 1 writes lane after lane", "N" },
  { "chronological", 0, 0, G_OPTION_ARG_NONE, &options.chronological,
    "write the oldest row first, as --capacity and --ndim do too", NULL },
  { "flatten", 0, 0, G_OPTION_ARG_NONE, &options.flatten,
    "write the rows of all members of an ensemble to one buffer of one dimension", NULL },
  { "checkpointer", 0, 0, G_OPTION_ARG_STRING, &options.checkpointer,
    "layout of the files: tensor as in memory, or flat, nested or h5, which store each observation "
    "once",
    "ID[:NAME=VALUE,...]" },
  { "transform", 0, 0, G_OPTION_ARG_STRING, &options.transform,
    "write all rows, in order of time, as transforms show them: reward-to-go|cat-frames:n=4",
    "CHAIN" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force,
    "replace the checkpoint at DST; not a run by its own rows", NULL },
  OPTIONS_PLUGIN,
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
  set_usage_error (error,
                   words[0] ? "cannot convert %s: name the directory to make"
                            : "cannot convert: the directory is missing%s",
                   words[0] ? words[0] : "");
  return FALSE;
}

/* The existing part of a path: all of it, or a folder above it. */
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
                   within ? "is inside" : "would replace the parent of", from);
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
choose_checkpointer (Conversion *conversion, GError **error)
{
  GError *failure = NULL;

  if (!options.checkpointer)
    return TRUE;
  conversion->checkpointer =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, options.checkpointer, &failure, NULL);
  if (!conversion->checkpointer)
    class_words_propagate (error, failure, "checkpointer", REEL_TYPE_CHECKPOINTER,
                           options.checkpointer);
  return conversion->checkpointer != NULL;
}

static gboolean
choose_transform (Conversion *conversion, GError **error)
{
  if (options.transform)
    conversion->transform = row_transform_new (options.transform, error);
  return !options.transform || conversion->transform != NULL;
}

static ReelCheckpointFlags
get_flags (void)
{
  return options.force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT;
}

static gboolean
dump_transformed (ReelReplayBuffer *buffer, const char *path, const Conversion *conversion,
                  ReelOrderedDump *dumped, GError **error)
{
  ReelOrderedDump read = conversion->ring;
  g_autoptr (ReelReplayBuffer) made =
      row_transform_all (conversion->transform, buffer, &read, error);

  if (!made)
    {
      g_prefix_error (error, "--transform %s: ", options.transform);
      return FALSE;
    }
  if (conversion->checkpointer)
    reel_replay_buffer_set_checkpointer (made, conversion->checkpointer);
  *dumped = (ReelOrderedDump){ .capacity = conversion->ring.capacity };
  if (!reel_replay_buffer_dumps_in_order (made, path, dumped, get_flags (), error))
    return FALSE;
  dumped->n_dropped += read.n_dropped;
  dumped->n_cut += read.n_cut;
  return TRUE;
}

/* The error of an interrupt removes half-made output. */
static gboolean
dump (ReelReplayBuffer *buffer, const char *path, const Conversion *conversion,
      ReelOrderedDump *dumped, GError **error)
{
  *dumped = conversion->ring;
  interrupt_watch (reel_cancel_writes, NULL);
  if (conversion->transform)
    return dump_transformed (buffer, path, conversion, dumped, error);
  if (conversion->checkpointer)
    reel_replay_buffer_set_checkpointer (buffer, conversion->checkpointer);
  if (conversion->in_order)
    return reel_replay_buffer_dumps_in_order (buffer, path, dumped, get_flags (), error);
  dumped->capacity = reel_replay_buffer_get_capacity (buffer);
  dumped->length = reel_replay_buffer_get_length (buffer);
  dumped->ndim = reel_storage_get_ndim (reel_replay_buffer_get_storage (buffer));
  return reel_replay_buffer_dumps (buffer, path, get_flags (), error);
}

/* @where begins the sentence: of a member its path. */
static void
say (const char *where, const ReelOrderedDump *dumped)
{
  if (dumped->n_dropped > 0)
    g_printerr ("replay: %sthe oldest %" G_GINT64_FORMAT " rows have no room in %" G_GINT64_FORMAT
                "\n",
                where, dumped->n_dropped, dumped->capacity);
  if (dumped->n_cut > 0)
    g_printerr ("replay: %sthe last rows of %" G_GINT64_FORMAT
                " lanes are marked as truncated: their trajectories went on\n",
                where, dumped->n_cut);
}

static json_t *
to_json (const char *path, const ReelOrderedDump *dumped)
{
  g_autofree char *name = g_filename_display_name (path); /* JSON is UTF-8, names need not be */

  return json_pack ("{s:s, s:I, s:I, s:i, s:I, s:I}", "path", name, "length",
                    (json_int_t) dumped->length, "capacity", (json_int_t) dumped->capacity, "ndim",
                    dumped->ndim, "dropped", (json_int_t) dumped->n_dropped, "truncated",
                    (json_int_t) dumped->n_cut);
}

static void
print_buffer (const char *to, const ReelOrderedDump *dumped)
{
  if (options.json)
    json_print (to_json (to, dumped));
  else
    escaped_text_print_path (to);
}

/* ---- a buffer ---- */

static int
convert_buffer_to (ReelReplayBuffer *buffer, const char *from, const char *to,
                   const Conversion *conversion, GError **error)
{
  ReelOrderedDump dumped;

  if (options.flatten)
    {
      set_usage_error (error, "--flatten is for ensembles; %s is one buffer", from);
      return EXIT_USAGE;
    }
  if (!replay_check_ended (buffer, from, error))
    return EXIT_FAILED;
  if (!check_places (from, to, error) || !check_run_stays (buffer, from, to, error))
    return EXIT_USAGE;
  g_auto (GStrv) said = reel_replay_buffer_dup_warnings (buffer);
  guint n_said = g_strv_length (said);
  if (!dump (buffer, to, conversion, &dumped, error))
    return replay_end_interrupted (to, error);
  say ("", &dumped);
  replay_say_warnings (buffer, n_said);
  print_buffer (to, &dumped);
  return EXIT_OK;
}

/* ---- an ensemble ---- */

static void
say_members (const GArray *members)
{
  for (guint i = 0; i < members->len; i++)
    {
      const ConvertedMember *member = &g_array_index (members, ConvertedMember, i);
      g_autofree char *where = g_strconcat (member->path, ": ", NULL);
      say (where, &member->ring);
    }
}

static void
print_members (const char *to, const GArray *members)
{
  g_autofree char *name = g_filename_display_name (to);
  json_t *list = json_array ();

  for (guint i = 0; i < members->len; i++)
    {
      const ConvertedMember *member = &g_array_index (members, ConvertedMember, i);
      json_array_append_new (list, to_json (member->path, &member->ring));
    }
  json_print (json_pack ("{s:s, s:o}", "path", name, "members", list));
}

/* The members themselves decide how often their rows are drawn no longer. */
static void
say_weights (ReelReplayBufferEnsemble *ensemble, const char *to)
{
  ReelEnsembleOptions how;

  reel_replay_buffer_ensemble_get_options (ensemble, &how);
  if (how.p || how.sampleable)
    g_printerr ("replay: weights of members are not kept: all rows of %s are drawn alike\n", to);
}

static int
flatten_ensemble_to (ReelReplayBufferEnsemble *ensemble, const char *from, const char *to,
                     const Conversion *conversion, GError **error)
{
  g_autoptr (ReelReplayBuffer) flat = NULL;
  ReelOrderedDump dumped;
  gint64 n_cut = 0;

  if (!check_places (from, to, error))
    return EXIT_USAGE;
  if (!convert_check_ended (ensemble, from, error))
    return EXIT_FAILED;
  flat = reel_replay_buffer_ensemble_flatten (ensemble, &n_cut, error);
  if (!flat)
    g_prefix_error (error, "%s: ", from);
  if (!flat || !dump (flat, to, conversion, &dumped, error))
    return replay_end_interrupted (to, error);
  dumped.n_cut += n_cut;
  say ("", &dumped);
  say_weights (ensemble, to);
  print_buffer (to, &dumped);
  return EXIT_OK;
}

static int
convert_ensemble_to (ReelReplayBufferEnsemble *ensemble, const char *from, const char *to,
                     const Conversion *conversion, GError **error)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (ConvertedMember));

  g_array_set_clear_func (members, (GDestroyNotify) converted_member_clear);
  if (!check_places (from, to, error))
    return EXIT_USAGE;
  interrupt_watch (reel_cancel_writes, NULL);
  g_autoptr (ReelReplayBufferEnsemble) converted =
      convert_ensemble (ensemble, from, conversion, members, error);
  if (!converted || !reel_replay_buffer_ensemble_dumps (converted, to, get_flags (), error))
    return replay_end_interrupted (to, error);
  say_members (members);
  if (!conversion->checkpointer)
    replay_say_unsampleable (converted, to);
  if (options.json)
    print_members (to, members);
  else
    escaped_text_print_path (to);
  return EXIT_OK;
}

/* ---- all of it ---- */

static gboolean
parse_conversion (Conversion *conversion, GError **error)
{
  gint64 ndim;

  if (!options_parse_number ("capacity", options.capacity, 1, MOST_ROWS, 0,
                             &conversion->ring.capacity, error)
      || !options_parse_number ("ndim", options.ndim, 1, 3, 0, &ndim, error)
      || !choose_checkpointer (conversion, error) || !choose_transform (conversion, error))
    return FALSE;
  if (options.flatten && ndim > 1)
    {
      set_usage_error (error, "--flatten makes one dimension, not %" G_GINT64_FORMAT, ndim);
      return FALSE;
    }
  conversion->ring.ndim = (gint) ndim;
  conversion->in_order = options.chronological || options.capacity || options.ndim;
  return TRUE;
}

int
replay_convert (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("SRC DST - write a checkpoint of the same rows");
  Conversion conversion = { 0 };

  g_option_context_set_summary (
      context, "Without options DST is a ring like SRC. TorchRL forgets the start of a full ring "
               "when it loads one: --chronological writes the oldest row first, and leaves a step "
               "spare.\nAn ensemble becomes an ensemble of the same weights, or with --flatten one "
               "buffer of the rows of all members. ENSEMBLE/storage/I as SRC is member I alone.");
  if (!options_parse (context, entries, argv, error) || !check_words (*argv + 1, error))
    return EXIT_USAGE;
  const char *from = (*argv)[1], *to = (*argv)[2];
  if (!replay_check_directory_name (to, error))
    return EXIT_USAGE;
  gboolean parsed = parse_conversion (&conversion, error);
  g_autoptr (ReelCheckpointer) checkpointer = conversion.checkpointer;
  g_autoptr (ReelTransform) transform = conversion.transform;
  if (!parsed)
    return EXIT_USAGE;
  g_autoptr (GObject) source = replay_open_any (from, options.read_only, error);
  if (!source)
    return EXIT_FAILED;
  if (REEL_IS_REPLAY_BUFFER (source))
    return convert_buffer_to (REEL_REPLAY_BUFFER (source), from, to, &conversion, error);
  if (transform && !options.flatten)
    {
      set_usage_error (error,
                       "--transform is for the rows of one buffer, and %s is an ensemble: add "
                       "--flatten",
                       from);
      return EXIT_USAGE;
    }
  return (options.flatten ? flatten_ensemble_to : convert_ensemble_to) (
      REEL_REPLAY_BUFFER_ENSEMBLE (source), from, to, &conversion, error);
}
