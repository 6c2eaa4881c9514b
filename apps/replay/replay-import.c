/* replay import: raw files of a published dataset become a directory of rows. */
#include "../common/escaped-text.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "../common/progress.h"
#include "replay-directories.h"
#include "replay.h"

#include <string.h>

static struct
{
  char *from;
  char *download;
  gboolean force;
  gboolean json;
} options;

static const GOptionEntry entries[] = {
  { "from", 0, 0, G_OPTION_ARG_FILENAME, &options.from,
    "the raw files, laid out as the publisher has them: a directory, or a file://, http://, "
    "https:// or hf:// URL",
    "SOURCE" },
  { "download", 0, 0, G_OPTION_ARG_STRING, &options.download,
    "whether to import: if-missing, never (DIR must be there), or force (replace it, and fetch "
    "files of a server again)",
    "WHEN" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force,
    "replace the dataset at DIR, and nothing else", NULL },
  OPTIONS_PLUGIN,
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
};

/* An option that is a property of the class. */
typedef struct
{
  char *name;
  char *text;    /* a value, or NULL */
  gboolean flag; /* the value true */
} ClassOption;

typedef struct
{
  GPtrArray *properties; /* of which the entries point to the texts */
  GArray *given;         /* of ClassOption, of a size that does not change */
  GArray *entries;
} ClassOptions;

/* Properties that the command sets itself, or that are of no use to it. */
static gboolean
is_class_option (const char *name)
{
  static const char *const others[] = { "dataset-id", "root",       "path",    "from",
                                        "download",   "batch-size", "sampler", "transform",
                                        "totensor",   "image-size", NULL };

  return !g_strv_contains (others, name);
}

static void
add_class_option (ClassOptions *self, const ReelPropertyInfo *info)
{
  gboolean is_flag = strcmp (info->kind, "bool") == 0 && strcmp (info->initial, "false") == 0;
  const ClassOption option = { info->name, NULL, FALSE };
  ClassOption *given;

  g_array_append_val (self->given, option);
  given = &g_array_index (self->given, ClassOption, self->given->len - 1);
  const GOptionEntry entry = { info->name,
                               0,
                               0,
                               is_flag ? G_OPTION_ARG_NONE : G_OPTION_ARG_STRING,
                               is_flag ? (gpointer) &given->flag : (gpointer) &given->text,
                               info->blurb,
                               is_flag ? NULL : "VALUE" };
  g_array_append_val (self->entries, entry);
}

/* The options of every dataset, and those of the class where one is named. */
static void
class_options_init (ClassOptions *self, const char *id)
{
  self->properties = id ? reel_object_list_properties (REEL_TYPE_DATASET, id, NULL) : NULL;
  guint n = self->properties ? self->properties->len : 0;
  self->given = g_array_sized_new (FALSE, TRUE, sizeof (ClassOption), n);
  self->entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  g_array_append_vals (self->entries, entries, G_N_ELEMENTS (entries));
  for (guint i = 0; i < n; i++)
    {
      const ReelPropertyInfo *info = self->properties->pdata[i];

      if (is_class_option (info->name))
        add_class_option (self, info);
    }
}

static void
class_options_clear (ClassOptions *self)
{
  for (guint i = 0; i < self->given->len; i++)
    g_free (g_array_index (self->given, ClassOption, i).text);
  g_array_unref (self->given);
  g_array_unref (self->entries);
  g_clear_pointer (&self->properties, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ClassOptions, class_options_clear)

/* ---- which dataset ---- */

/* The class of the first word that is `NAME:ID`, before options can be parsed. */
static char *
find_class (char **words)
{
  for (char **word = words; *word; word++)
    if (**word != '-' && strchr (*word, ':') && !strstr (*word, "://"))
      return g_strndup (*word, strcspn (*word, ":"));
  return NULL;
}

static gboolean
has_source (void)
{
  return options.from || g_getenv ("REEL_DATASETS_URL")
         || g_strcmp0 (options.download, "never") == 0;
}

static gboolean
check_words (char **words, GError **error)
{
  if (!options_check_words (words, 2, error))
    return FALSE;
  if (options.force && options.download && strcmp (options.download, "force") != 0)
    {
      set_usage_error (error, "--force and --download=%s contradict each other", options.download);
      return FALSE;
    }
  if (words[0] && words[1] && strchr (words[0], ':') && has_source ())
    return TRUE;
  if (!words[0] || !strchr (words[0], ':'))
    set_usage_error (error,
                     "cannot import%s%s: name a dataset as NAME:ID, such as "
                     "d4rl:hopper-medium-v2; 'replay datasets' lists them",
                     words[0] ? " " : "", words[0] ? words[0] : "");
  else
    set_usage_error (error,
                     words[1] ? "cannot import %s: name the directory of its raw files by --from"
                              : "cannot import %s: name the directory to make",
                     words[0]);
  return FALSE;
}

/* A property of the class as text of the grammar. */
static char *
describe (const char *name, const ClassOptions *given)
{
  g_autoptr (GString) text = g_string_new (name);

  for (guint i = 0; i < given->given->len; i++)
    {
      const ClassOption *option = &g_array_index (given->given, ClassOption, i);

      if (option->flag || option->text)
        g_string_append_printf (text, "%c%s=%s", strchr (text->str, ':') ? ',' : ':', option->name,
                                option->flag ? "true" : option->text);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
check_place (const char *path, GError **error)
{
  if (options.force || options.download || !g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s exists; choose another directory, or replace it by --force", path);
  return FALSE;
}

/* ---- all of it ---- */

static void
print (ReelDataset *dataset, const char *path)
{
  g_autofree char *name = g_filename_display_name (path);

  if (options.json)
    json_print (json_pack (
        "{s:s, s:s, s:I}", "path", name, "dataset", reel_dataset_get_dataset_id (dataset), "rows",
        (json_int_t) reel_replay_buffer_get_length (reel_dataset_get_buffer (dataset))));
  else
    escaped_text_print_path (path);
}

/* The line that says how much of a file is there; a file of a moment has none. */
typedef struct
{
  Progress progress;
  char *url;
} Downloads;

static gboolean
show_download (const char *url, gint64 done, gint64 total, gpointer data)
{
  Downloads *self = data;

  if (g_strcmp0 (self->url, url) != 0)
    {
      progress_start (&self->progress, total, FALSE);
      g_free (self->url);
      self->url = g_strdup (url);
    }
  self->progress.total = total;
  if (done > 0 && progress_is_due (&self->progress))
    progress_show_parts (&self->progress, done, "bytes", (char *[]){ (char *) url, NULL });
  return !interrupt_came ();
}

static void
clear_downloads (Downloads *self)
{
  reel_dataset_watch_downloads (NULL, NULL);
  if (self->url)
    progress_finish (&self->progress);
  g_free (self->url);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Downloads, clear_downloads)

static const char *
get_download (void)
{
  return options.download ? options.download : options.force ? "force" : "if-missing";
}

static ReelDataset *
open_dataset (const char *text, const char *id, const char *path, GError **error)
{
  g_auto (Downloads) downloads = { 0 };

  reel_dataset_watch_downloads (show_download, &downloads);
  return options.from ? reel_object_new_from_text (REEL_TYPE_DATASET, text, error, "dataset-id", id,
                                                   "from", options.from, "path", path, "download",
                                                   get_download (), NULL)
                      : reel_object_new_from_text (REEL_TYPE_DATASET, text, error, "dataset-id", id,
                                                   "path", path, "download", get_download (), NULL);
}

static int
import (const char *name, const char *id, const char *path, const ClassOptions *given,
        GError **error)
{
  g_autofree char *text = describe (name, given);

  if (!replay_check_directory_name (path, error))
    return EXIT_USAGE;
  if (!check_place (path, error))
    return EXIT_FAILED;
  interrupt_watch (reel_cancel_writes, NULL);
  g_autoptr (ReelDataset) dataset = open_dataset (text, id, path, error);
  if (!dataset)
    return replay_end_interrupted (path, error);
  print (dataset, path);
  return EXIT_OK;
}

int
replay_import (char ***argv, GError **error)
{
  g_autofree char *name = find_class (*argv + 1);
  g_auto (ClassOptions) given = { 0 };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("NAME:ID DIR - import a published dataset");

  class_options_init (&given, name);
  g_option_context_set_summary (
      context, "DIR is made as TorchRL's class would make it, whole or not at all.\n"
               "'replay datasets' lists each NAME, 'replay datasets NAME' its IDs, and\n"
               "'replay import NAME: --help' the options of one.");
  if (!options_parse (context, (const GOptionEntry *) given.entries->data, argv, error)
      || !check_words (*argv + 1, error))
    return EXIT_USAGE;
  const char *word = (*argv)[1];
  return import (name, strchr (word, ':') + 1, (*argv)[2], &given, error);
}
