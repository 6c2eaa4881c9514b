#include "learn-show.h"

#include "../common/json-values.h"
#include "../common/option-file.h"
#include "../common/text-table.h"
#include "recorded-run.h"

#include <math.h>

static gboolean json;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, "print one JSON object", NULL },
  { NULL },
};

/* ---- JSON ---- */

static void
print_json (const RecordedRun *run)
{
  g_autofree char *path = g_filename_display_name (run->path);

  json_print (json_pack ("{s:s, s:s, s:I, s:f, s:o, s:O, s:O}", "path", path, "state",
                         recorded_run_get_state_word (run), "done", (json_int_t) run->done,
                         "seconds", run->seconds, "best_return",
                         isnan (run->best) ? json_null () : json_from_double (run->best), "figures",
                         run->newest, "config", run->config));
}

/* ---- text ---- */

static const char *
get_text (const RecordedRun *run, const char *name)
{
  const char *text = json_string_value (json_object_get (run->config, name));

  return text ? text : "-";
}

static void
add_line (TextTable *table, const char *name, char *value)
{
  text_table_add (table, g_strdup (name), value);
}

static char *
describe_progress (const RecordedRun *run)
{
  g_autofree char *done = format_count (run->done), *total = format_count (run->total);
  g_autofree char *time = format_duration (run->seconds);
  const json_t *options = json_object_get (run->config, OPTION_FILE_RECORD);

  return g_strdup_printf ("%s of %s %s in %s", done, total,
                          json_object_get (options, "max-updates") ? "updates" : "frames", time);
}

static void
print_head (const RecordedRun *run)
{
  g_autoptr (TextTable) table = text_table_new ("ll");
  const json_t *versions = json_object_get (run->config, "versions");

  add_line (table, "state", g_strdup (recorded_run_get_state_word (run)));
  add_line (table, "learner", g_strdup (run->learner));
  add_line (table, "environment", g_strdup (get_text (run, "env")));
  add_line (table, "seed", g_strdup_printf ("%" G_GINT64_FORMAT, run->seed));
  add_line (table, "progress", describe_progress (run));
  if (!isnan (run->best))
    add_line (table, "best return", g_strdup_printf ("%.6g", run->best));
  add_line (table, "begun", g_strdup (get_text (run, "began")));
  add_line (table, "version", g_strdup (json_string_value (json_object_get (versions, "reel"))));
  g_autofree char *text = text_table_render (table, 0);
  g_print ("%s", text);
}

static char *
dup_value (const json_t *value)
{
  GString *text = g_string_new (json_string_value (value));

  for (gsize i = 0; i < json_array_size (value); i++)
    g_string_append_printf (text, "%s%s", i ? "\n" : "",
                            json_string_value (json_array_get (value, i)));
  if (json_is_number (value))
    g_string_append_printf (text, "%.9g", json_number_value (value));
  return g_string_free (text, FALSE);
}

static void
print_object (const char *title, json_t *object)
{
  g_autoptr (TextTable) table = text_table_new ("ll");

  if (json_object_size (object) == 0)
    return;
  for (void *at = json_object_iter (object); at; at = json_object_iter_next (object, at))
    add_line (table, json_object_iter_key (at), dup_value (json_object_iter_value (at)));
  g_autofree char *text = text_table_render (table, 2);
  g_print ("%s:\n%s", title, text);
}

static void
print_commands (const RecordedRun *run)
{
  g_autofree char *word = g_shell_quote (run->path);

  g_print ("the same again: learn --config %s\n", word);
  if (run->state == RUN_IS_INTERRUPTED)
    g_print ("continue it by: learn --resume %s\n", word);
}

int
learn_show (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("RUN - show a run");
  g_autoptr (RecordedRun) run = NULL;

  g_option_context_set_summary (
      context, "Prints the state of a run, its options with their values, and its newest figures.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error))
    return EXIT_USAGE;
  if (!(*argv)[1])
    {
      set_usage_error (error, "name the directory of a run");
      return EXIT_USAGE;
    }
  if (!(run = recorded_run_new ((*argv)[1], error)))
    return EXIT_FAILED;
  if (json)
    {
      print_json (run);
      return EXIT_OK;
    }
  print_head (run);
  print_object ("options", json_object_get (run->config, OPTION_FILE_RECORD));
  print_object ("figures", run->newest);
  print_commands (run);
  return EXIT_OK;
}
