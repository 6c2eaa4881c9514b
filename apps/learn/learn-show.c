#include "learn-show.h"

#include "../common/json-values.h"
#include "../common/option-file.h"
#include "../common/text-table.h"
#include "run-facts.h"

#include <math.h>

static gboolean json;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, "print one JSON object", NULL },
  { NULL },
};

/* ---- figures ---- */

/* Of each the value in the last row that has one. */
static json_t *
list_figures (const SavedRun *run)
{
  json_t *figures = json_object ();

  for (guint i = 0; i < run->n_names; i++)
    {
      double newest = saved_run_get_newest (run, (gint) i);

      if (!isnan (newest))
        json_object_set_new (figures, run->names[i], json_from_double (newest));
    }
  return figures;
}

/* ---- JSON ---- */

static void
print_json (const SavedRun *run, const RunFacts *facts)
{
  json_t *all = run_facts_describe (facts, run);

  json_object_set_new (all, "figures", list_figures (run));
  json_object_set (all, "config", run->config ? run->config : json_null ());
  json_print (all);
}

/* ---- text ---- */

static void
add_line (TextTable *table, const char *name, char *value)
{
  text_table_add (table, g_strdup (name), value);
}

static void
add_fact (TextTable *table, const char *name, const char *value)
{
  add_line (table, name, g_strdup (value ? value : "-"));
}

static char *
dup_progress (const RunFacts *facts)
{
  g_autofree char *progress = run_facts_dup_progress (facts);
  g_autofree char *time = format_duration (facts->seconds);

  return g_strdup_printf ("%s in %s", progress, time);
}

static void
print_head (const SavedRun *run, const RunFacts *facts)
{
  g_autoptr (TextTable) table = text_table_new ("ll");
  const json_t *versions = json_object_get (run->config, "versions");

  add_fact (table, "state", run_facts_get_state_word (facts));
  if (run->fault)
    add_fact (table, "fault", run->fault->message);
  add_fact (table, "learner", facts->learner);
  add_fact (table, "env", facts->env);
  if (facts->seed >= 0)
    add_line (table, "seed", g_strdup_printf ("%" G_GINT64_FORMAT, facts->seed));
  add_line (table, "progress", dup_progress (facts));
  if (!isnan (facts->best))
    add_line (table, "best return", g_strdup_printf ("%.6g", facts->best));
  add_fact (table, "begun", json_string_value (json_object_get (run->config, "began")));
  add_fact (table, "version", json_string_value (json_object_get (versions, "reel")));
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
print_commands (const SavedRun *run, const RunFacts *facts)
{
  g_autofree char *word = g_shell_quote (run->path);

  if (facts->state == RUN_IS_DAMAGED)
    return;
  g_print ("the same again: learn --config %s\n", word);
  if (facts->state == RUN_IS_INTERRUPTED)
    g_print ("continue it by: learn --resume %s\n", word);
}

static void
print_text (const SavedRun *run, const RunFacts *facts)
{
  json_t *figures = list_figures (run);

  print_head (run, facts);
  print_object ("options", json_object_get (run->config, OPTION_FILE_RECORD));
  print_object ("figures", figures);
  print_commands (run, facts);
  json_decref (figures);
}

int
learn_show (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("RUN - show a run");
  g_autoptr (SavedRun) run = NULL;
  RunFacts facts;

  g_option_context_set_summary (
      context, "Prints the state of a run, its options with their values, and its newest figures. "
               "The exit status is 3 if the run is damaged.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error))
    return EXIT_USAGE;
  if (!(*argv)[1])
    {
      set_usage_error (error, "cannot show a run: name its directory");
      return EXIT_USAGE;
    }
  if (!(run = saved_run_read ((*argv)[1], error)))
    return EXIT_FAILED;
  run_facts_init (&facts, run);
  (json ? print_json : print_text) (run, &facts);
  return run->fault ? EXIT_DAMAGED : EXIT_OK;
}
