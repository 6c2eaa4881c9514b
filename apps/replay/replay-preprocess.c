/* replay preprocess: the rows of a dataset are changed by transforms, once. */
#include "../common/escaped-text.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "../common/progress.h"
#include "../common/row-transform.h"
#include "replay-directories.h"
#include "replay.h"

static struct
{
  char *transform;
  char *num_frames;
  char *chunk_size;
  char *num_workers;
  gboolean in_place;
  gboolean json;
} options;

static const GOptionEntry entries[] = {
  { "transform", 0, 0, G_OPTION_ARG_STRING, &options.transform,
    "write each row as a buffer with transforms would store and show it: "
    "reward-to-go|exclude:keys=[info]",
    "CHAIN" },
  { "in-place", 0, 0, G_OPTION_ARG_NONE, &options.in_place,
    "replace the rows of DIR; without it DEST gets the new ones", NULL },
  { "num-frames", 0, 0, G_OPTION_ARG_STRING, &options.num_frames,
    "write only the first N rows (all)", "N" },
  { "chunk-size", 0, 0, G_OPTION_ARG_STRING, &options.chunk_size,
    "rows that are changed at once, and whole episodes (about 1 MB of them)", "N" },
  { "num-workers", 0, 0, G_OPTION_ARG_STRING, &options.num_workers,
    "threads (as many as there are CPUs)", "N" },
  OPTIONS_PLUGIN,
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { NULL },
};

static gboolean
check_words (char **words, GError **error)
{
  if (!options_check_words (words, 2, error))
    return FALSE;
  if (words[0] && (words[1] == NULL) == (options.in_place != FALSE) && options.transform)
    return TRUE;
  if (!words[0])
    set_usage_error (error, "name the directory of a dataset");
  else if (!options.transform)
    set_usage_error (error, "cannot preprocess %s: --transform names no transform", words[0]);
  else
    set_usage_error (error,
                     words[1] ? "cannot preprocess %s: name a directory to make, or --in-place, "
                                "and not both"
                              : "cannot preprocess %s: name the directory to make, or --in-place",
                     words[0]);
  return FALSE;
}

static gboolean
parse_numbers (ReelPreprocessOptions *how, GError **error)
{
  gint64 n_workers;

  if (!options_parse_number ("num-frames", options.num_frames, 1, G_MAXINT64, 0, &how->num_frames,
                             error)
      || !options_parse_number ("chunk-size", options.chunk_size, 1, G_MAXINT64, 0,
                                &how->chunk_size, error)
      || !options_parse_number ("num-workers", options.num_workers, 1, 1024, 0, &n_workers, error))
    return FALSE;
  how->num_workers = (gint) n_workers;
  return TRUE;
}

/* The record beside the rows says of which class they are. */
static ReelDataset *
open_dataset (const char *path, GError **error)
{
  g_autofree char *record = g_build_filename (path, "dataset.json", NULL);
  json_t *said = json_load_file (record, 0, NULL);
  g_autofree char *class_name = g_strdup (json_string_value (json_object_get (said, "class")));
  g_autofree char *id = g_strdup (json_string_value (json_object_get (said, "dataset_id")));

  json_decref (said);
  if (class_name && id)
    return reel_object_new_from_text (REEL_TYPE_DATASET, class_name, error, "dataset-id", id,
                                      "path", path, "download", "never", NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO,
                   "cannot preprocess %s: there is no such directory", path);
      return NULL;
    }
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_VALUE,
      "cannot preprocess %s: only a dataset that was imported has the rows for it; replay convert "
      "--transform writes others",
      path);
  return NULL;
}

static gboolean
show (gint64 done, gint64 total, gpointer data)
{
  Progress *progress = data;

  progress->total = total;
  if (progress_is_due (progress))
    progress_show_parts (progress, done, "rows", (char *[]){ NULL });
  return !interrupt_came ();
}

static gboolean
preprocess (ReelDataset *dataset, ReelTransform *transform, ReelPreprocessOptions *how,
            GError **error)
{
  Progress progress;
  gboolean done;

  progress_start (&progress, -1, FALSE);
  how->progress = show;
  how->progress_data = &progress;
  done = reel_dataset_preprocess_by_transform (dataset, transform, how, error);
  progress_finish (&progress);
  return done;
}

static int
print (const char *path, GError **error)
{
  g_autoptr (ReelDataset) dataset = open_dataset (path, error);
  g_autofree char *name = g_filename_display_name (path);

  if (!dataset)
    return EXIT_FAILED;
  if (options.json)
    json_print (json_pack (
        "{s:s, s:s, s:I}", "path", name, "dataset", reel_dataset_get_dataset_id (dataset), "rows",
        (json_int_t) reel_replay_buffer_get_length (reel_dataset_get_buffer (dataset))));
  else
    escaped_text_print_path (path);
  return EXIT_OK;
}

int
replay_preprocess (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR [DEST] - change the rows of a dataset once");
  ReelPreprocessOptions how = { 0 };

  g_option_context_set_summary (
      context,
      "DIR is a dataset of 'replay import', DEST becomes another. DEST is whole or absent, and\n"
      "DIR has the old rows or the new ones, whenever the command is killed.");
  if (!options_parse (context, entries, argv, error) || !check_words (*argv + 1, error)
      || !parse_numbers (&how, error))
    return EXIT_USAGE;
  const char *path = (*argv)[1];
  g_autoptr (ReelTransform) transform = row_transform_new (options.transform, error);
  if (!transform)
    return EXIT_USAGE;
  how.dest = options.in_place ? NULL : (*argv)[2];
  if (how.dest && !replay_check_directory_name (how.dest, error))
    return EXIT_USAGE;
  interrupt_watch (reel_cancel_writes, NULL);
  g_autoptr (ReelDataset) dataset = open_dataset (path, error);
  if (!dataset)
    return EXIT_FAILED;
  if (!preprocess (dataset, transform, &how, error))
    return replay_end_interrupted (how.dest ? how.dest : path, error);
  return print (how.dest ? how.dest : path, error);
}
