/* replay export: the rows of a directory in a format of others. */
#include "../common/escaped-text.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"

static struct
{
  char *format;
  char *id;
  gboolean force;
  gboolean json;
  gboolean read_only;
} options;

/* The formats of this build are in the help. */
static void
fill_entries (GOptionEntry *entries, const char *about)
{
  const GOptionEntry all[] = {
    { "format", 0, 0, G_OPTION_ARG_STRING, &options.format, about, "FORMAT" },
    { "id", 0, 0, G_OPTION_ARG_STRING, &options.id,
      "id of a dataset of Minari, such as mine/cartpole-v0, with which OUT ends (the last "
      "component "
      "of OUT)",
      "ID" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options.force,
      "replace the file, or the dataset of Minari, at OUT", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
    { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in DIR", NULL },
    { NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    entries[i] = all[i];
}

/* The format that the name of a file promises, or NULL. */
static const char *
guess_format (const char *path)
{
  static const char *const endings[][2] = {
    { ".csv", "csv" }, { ".npz", "npz" }, { ".hdf5", "hdf5" }, { ".h5", "hdf5" }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (path, endings[i][0]))
      return endings[i][1];
  return NULL;
}

static gboolean
check_words (char **words, const char **format, GError **error)
{
  g_autofree char *formats = g_strjoinv (", ", (char **) reel_export_list_formats ());

  if (!options_check_words (words, 2, error))
    return FALSE;
  if (!words[0] || !words[1])
    {
      set_usage_error (error,
                       words[0] ? "cannot export %s: name the file or directory to make"
                                : "cannot export: the directory is missing%s",
                       words[0] ? words[0] : "");
      return FALSE;
    }
  *format = options.format ? options.format : guess_format (words[1]);
  if (!*format)
    set_usage_error (error, "cannot export to %s: say in which format by --format: %s", words[1],
                     formats);
  else if (options.id && !g_str_equal (*format, "minari"))
    set_usage_error (error, "--id is for the format minari; %s has none", *format);
  return *format && !(options.id && !g_str_equal (*format, "minari"));
}

/* The output must not take the place of what is read, nor be in it. */
static gboolean
check_place (const char *from, const char *to, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (to);

  if (!replay_lies_in (parent, from) && !replay_lies_in (from, to))
    return TRUE;
  set_usage_error (error, "%s is inside %s, or contains it; choose another place", to, from);
  return FALSE;
}

static void
print (const char *path, const char *format, const ReelExport *report)
{
  g_autofree char *name = g_filename_display_name (path);
  json_t *notes = json_array ();

  if (report->n_cut > 0)
    g_printerr ("replay: %" G_GINT64_FORMAT " episode%s no stored end: %s written as truncated\n",
                report->n_cut, report->n_cut == 1 ? " has" : "s have",
                report->n_cut == 1 ? "its last row is" : "their last rows are");
  for (gsize i = 0; report->notes[i]; i++)
    {
      g_printerr ("replay: %s\n", report->notes[i]);
      json_array_append_new (notes, json_string (report->notes[i]));
    }
  if (options.json)
    json_print (json_pack ("{s:s, s:s, s:I, s:I, s:I, s:O}", "path", name, "format", format, "rows",
                           (json_int_t) report->n_rows, "episodes", (json_int_t) report->n_episodes,
                           "truncated", (json_int_t) report->n_cut, "notes", notes));
  else
    escaped_text_print_path (path);
  json_decref (notes);
}

static int export(const char *from, const char *to, const char *format, GError **error)
{
  g_auto (ReelExport) report = { 0 };
  g_autoptr (GObject) opened = replay_open_any (from, options.read_only, error);

  if (!opened)
    return EXIT_FAILED;
  if (!REEL_IS_REPLAY_BUFFER (opened))
    {
      set_usage_error (error,
                       "%s is an ensemble: 'replay convert %s FLAT --flatten' makes one buffer of "
                       "it, or name a member, %s/storage/0",
                       from, from, from);
      return EXIT_USAGE;
    }
  if (!replay_check_ended (REEL_REPLAY_BUFFER (opened), from, error))
    return EXIT_FAILED;
  interrupt_watch (reel_cancel_writes, NULL);
  if (!reel_replay_buffer_export (REEL_REPLAY_BUFFER (opened), format, to, options.id,
                                  options.force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT,
                                  &report, error))
    {
      g_prefix_error (error, "cannot export %s: ", from);
      return replay_end_interrupted (to, error);
    }
  print (to, format, &report);
  return EXIT_OK;
}

int
replay_export (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR OUT - write the rows in a format of others");
  g_autofree char *formats = g_strjoinv (", ", (char **) reel_export_list_formats ());
  g_autofree char *about = g_strdup_printf ("%s (that of the ending of OUT)", formats);
  GOptionEntry entries[8];
  const char *format;

  fill_entries (entries, about);
  g_option_context_set_summary (
      context,
      "DIR is a run, a saved buffer or an imported dataset. All of its rows are written, episode\n"
      "after episode; the last row of an episode without a stored end is written as truncated.");
  if (!options_parse (context, entries, argv, error) || !check_words (*argv + 1, &format, error)
      || !check_place ((*argv)[1], (*argv)[2], error))
    return EXIT_USAGE;
  return export((*argv)[1], (*argv)[2], format, error);
}
