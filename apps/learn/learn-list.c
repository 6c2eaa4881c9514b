#include "learn-list.h"

#include "../common/json-values.h"
#include "../common/text-table.h"
#include "run-facts.h"

#include <math.h>
#include <string.h>

/* Directories in each other that are searched. */
#define DEPTH 4

static gboolean json;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, "print a JSON object on each line", NULL },
  { NULL },
};

/* ---- runs ---- */

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Directories, in the order of their names. Links are not followed. */
static GPtrArray *
list_directories (const char *path)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory && (name = g_dir_read_name (directory)))
    {
      g_autofree char *below =
          strcmp (path, ".") == 0 ? g_strdup (name) : g_build_filename (path, name, NULL);

      if (*name != '.' && g_file_test (below, G_FILE_TEST_IS_DIR)
          && !g_file_test (below, G_FILE_TEST_IS_SYMLINK))
        g_ptr_array_add (list, g_steal_pointer (&below));
    }
  g_ptr_array_sort (list, compare_names);
  return list;
}

static void
find_runs (const char *path, gint depth, GPtrArray *runs)
{
  g_autoptr (GPtrArray) below = NULL;
  SavedRun *run = saved_run_read (path, NULL);

  if (run)
    {
      g_ptr_array_add (runs, run);
      return;
    }
  below = depth > 0 ? list_directories (path) : NULL;
  for (guint i = 0; below && i < below->len; i++)
    find_runs (below->pdata[i], depth - 1, runs);
}

/* ---- lines ---- */

static void
print_json (const GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    {
      const SavedRun *run = runs->pdata[i];
      RunFacts facts;

      run_facts_init (&facts, run);
      json_print (run_facts_describe (&facts, run));
    }
}

/* `CartPole-v1:num-envs=8|(observation-norm:loc=0)|step-counter` without the arguments. */
static char *
shorten_env (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text ? text : "-", "|", -1);

  for (char **part = parts; *part; part++)
    {
      const gboolean is_grouped = **part == '(';

      (*part)[strcspn (*part, ":)")] = '\0';
      memmove (*part, *part + is_grouped, strlen (*part + is_grouped) + 1);
    }
  return g_strjoinv ("|", parts);
}

static void
add_run (TextTable *table, const SavedRun *run)
{
  RunFacts facts;

  run_facts_init (&facts, run);
  text_table_add (table, g_filename_display_name (run->path),
                  g_strdup (facts.learner ? facts.learner : "-"), shorten_env (facts.env),
                  facts.seed < 0 ? g_strdup ("-")
                                 : g_strdup_printf ("%" G_GINT64_FORMAT, facts.seed),
                  run_facts_dup_progress (&facts),
                  isnan (facts.best) ? g_strdup ("-") : g_strdup_printf ("%.4g", facts.best),
                  g_strdup (run_facts_get_state_word (&facts)));
}

static void
print_table (const GPtrArray *runs)
{
  g_autoptr (TextTable) table = text_table_new ("lllrrrl");

  text_table_add (table, g_strdup ("path"), g_strdup ("learner"), g_strdup ("env"),
                  g_strdup ("seed"), g_strdup ("progress"), g_strdup ("best return"),
                  g_strdup ("state"));
  for (guint i = 0; i < runs->len; i++)
    add_run (table, runs->pdata[i]);
  g_autofree char *text = text_table_render (table, 0);
  g_print ("%s", text);
}

static void
say_faults (const GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    {
      const SavedRun *run = runs->pdata[i];

      if (run->fault)
        g_printerr ("learn: %s\n", run->fault->message);
    }
}

static gboolean
check_directory (const char *path, GError **error)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s: there is no such directory", path);
  return FALSE;
}

int
learn_list (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("[DIR] - list runs");
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify) saved_run_free);

  g_option_context_set_summary (
      context, "Lists the runs of learn below DIR, or below runs: learner, environment, seed, "
               "progress, best mean return, and whether they are running, complete, interrupted, "
               "which learn --resume continues, lost or damaged.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error))
    return EXIT_USAGE;
  const char *directory = (*argv)[1] ? (*argv)[1] : "runs";
  if (!check_directory (directory, error))
    return EXIT_FAILED;
  find_runs (directory, DEPTH, runs);
  if (runs->len == 0)
    g_printerr ("learn: %s contains no runs of learn\n", directory);
  else if (json)
    print_json (runs);
  else
    print_table (runs);
  if (!json)
    say_faults (runs);
  return EXIT_OK;
}
