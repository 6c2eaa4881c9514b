#include "learn-plot.h"

#include "../common/escaped-text.h"
#include "chart.h"

#include <string.h>

#define RETURN_OF_EVALUATIONS "eval/mean_reward"
#define RETURN_OF_EPISODES "rollout/ep_rew_mean"

static struct
{
  char *out;
  char *figures;
  char *title;
  gboolean force;
} options;

static const GOptionEntry entries[] = {
  { "figures", 0, 0, G_OPTION_ARG_STRING, &options.figures,
    "figures of metrics.csv, a panel for each (the return, and the first loss of each learner)",
    "NAME,..." },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &options.out, "picture to write (plot.svg)",
    "FILE.png|FILE.svg" },
  { "title", 0, 0, G_OPTION_ARG_STRING, &options.title,
    "line above the picture (the environment that all runs have)", "TEXT" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, "replace a file that exists", NULL },
  { NULL },
};

/* ---- figures ---- */

static gboolean
any_has (const GPtrArray *runs, const char *figure)
{
  for (guint i = 0; i < runs->len; i++)
    if (saved_run_find (g_ptr_array_index (runs, i), figure) >= 0)
      return TRUE;
  return FALSE;
}

/* Whether a row has a number of it. */
static gboolean
any_shows (const GPtrArray *runs, const char *figure)
{
  for (guint i = 0; i < runs->len; i++)
    {
      const SavedRun *run = g_ptr_array_index (runs, i);
      gint column = saved_run_find (run, figure);

      for (guint row = 0; column >= 0 && row < run->n_rows; row++)
        if (saved_run_get (run, row, (guint) column) == saved_run_get (run, row, (guint) column))
          return TRUE;
    }
  return FALSE;
}

static void
add_once (GPtrArray *figures, const char *name)
{
  if (!g_ptr_array_find_with_equal_func (figures, name, g_str_equal, NULL))
    g_ptr_array_add (figures, g_strdup (name));
}

static void
choose_figures (const GPtrArray *runs, GPtrArray *figures)
{
  add_once (figures,
            any_shows (runs, RETURN_OF_EVALUATIONS) ? RETURN_OF_EVALUATIONS : RETURN_OF_EPISODES);
  for (guint i = 0; i < runs->len; i++)
    {
      const SavedRun *run = g_ptr_array_index (runs, i);
      guint k = 0;

      while (k < run->n_names && !strstr (run->names[k], "loss"))
        k++;
      if (k < run->n_names && any_shows (runs, run->names[k]))
        add_once (figures, run->names[k]);
    }
}

static gboolean
refuse_figure (const GPtrArray *runs, const char *name, GError **error)
{
  const SavedRun *run = g_ptr_array_index (runs, 0);
  const char *closest = reel_closest_word (name, (const char *const *) run->names);
  g_autofree char *list = g_strjoinv (", ", run->names);

  if (closest)
    set_usage_error (error, "cannot plot \"%s\": no run has it; did you mean \"%s\"?", name,
                     closest);
  else
    set_usage_error (error, "cannot plot \"%s\": no run has it; %s has %s", name, run->path, list);
  return FALSE;
}

static gboolean
list_figures (const GPtrArray *runs, GPtrArray *figures, GError **error)
{
  g_auto (GStrv) words = options.figures ? g_strsplit (options.figures, ",", -1) : NULL;

  if (!words)
    choose_figures (runs, figures);
  for (char **word = words; word && *word; word++)
    {
      if (!any_has (runs, *word))
        return refuse_figure (runs, *word, error);
      add_once (figures, *word);
    }
  g_ptr_array_add (figures, NULL);
  return TRUE;
}

/* ---- the picture ---- */

/* Frames, or the updates from saved data, where all runs say the same. */
static const char *
get_x_name (const GPtrArray *runs)
{
  const char *common = NULL;

  for (guint i = 0; i < runs->len; i++)
    {
      const SavedRun *run = g_ptr_array_index (runs, i);
      const char *unit = json_string_value (json_object_get (run->config, "unit"));

      if (!unit || (common && strcmp (common, unit) != 0))
        return "steps";
      common = unit;
    }
  return common;
}

static gboolean
write_chart (const Chart *chart, const char *path, GError **error)
{
  gboolean svg = g_str_has_suffix (path, ".svg");
  double width, height;

  chart_measure (chart, &width, &height);

  g_autoptr (Pen) pen = svg ? pen_new_svg (width, height) : pen_new_png (width, height, error);
  g_autoptr (Draft) draft = pen ? draft_new (path, FALSE, error) : NULL;

  if (!draft)
    return FALSE;
  chart_draw (chart, pen);
  return pen->write (pen, draft, error) && draft_keep (draft, error);
}

static gboolean
draw_runs (const GPtrArray *runs, const GPtrArray *groups, const char *path, GError **error)
{
  g_autoptr (GPtrArray) figures = g_ptr_array_new_with_free_func (g_free);
  g_autofree const char **names = g_new (const char *, groups->len);
  g_autofree char *env = run_groups_dup_env (groups);
  gboolean written;

  if (!list_figures (runs, figures, error))
    return FALSE;

  guint n_panels = figures->len - 1;
  g_autofree Curve *curves = g_new0 (Curve, n_panels * groups->len);
  const Chart chart = {
    options.title ? options.title : env ? env : "", get_x_name (runs), names, groups->len,
    (const char *const *) figures->pdata,           n_panels,          curves
  };

  for (guint i = 0; i < groups->len; i++)
    {
      const RunGroup *group = g_ptr_array_index (groups, i);

      names[i] = group->name;
      for (guint panel = 0; panel < n_panels; panel++)
        run_group_average (group, figures->pdata[panel], &curves[panel * groups->len + i]);
    }
  written = write_chart (&chart, path, error);
  for (guint i = 0; i < n_panels * groups->len; i++)
    curve_clear (&curves[i]);
  return written;
}

/* ---- the command ---- */

static gboolean
check_path (const char *path, GError **error)
{
  if (!g_str_has_suffix (path, ".png") && !g_str_has_suffix (path, ".svg"))
    set_usage_error (error, "--out %s: choose a name that ends in .png or .svg", path);
  else if (!options.force && g_file_test (path, G_FILE_TEST_IS_REGULAR))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s exists; choose another --out, or replace it by --force", path);
  else
    return TRUE;
  return FALSE;
}

static gboolean
open_runs (char **paths, GPtrArray *runs, GError **error)
{
  for (; *paths; paths++)
    {
      SavedRun *run = saved_run_open (*paths, error);

      if (!run)
        return FALSE;
      g_ptr_array_add (runs, run);
    }
  return TRUE;
}

int
learn_plot (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("RUN...");
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify) saved_run_free);

  g_option_context_set_summary (
      context,
      "Draws figures of runs over their frames or updates. Runs that differ in the seed alone\n"
      "are one line, their mean, in a band from the least to the greatest of them.");
  if (!options_parse (context, entries, argv, error))
    return EXIT_FAILED;
  if (!(*argv)[1])
    {
      set_usage_error (error, "cannot plot: name the directories of runs");
      return EXIT_USAGE;
    }

  const char *path = options.out ? options.out : "plot.svg";

  if (!check_path (path, error) || !open_runs (*argv + 1, runs, error))
    return EXIT_FAILED;

  g_autoptr (GPtrArray) groups = run_groups_new (runs);

  if (!draw_runs (runs, groups, path, error))
    return EXIT_FAILED;
  escaped_text_print_path (path);
  return EXIT_OK;
}
