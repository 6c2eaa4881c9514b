#include "run-groups.h"

#include <math.h>
#include <string.h>

/* Greater values would leave a picture no room for the others. */
#define MOST_VALUE 1e100
/* Points of a curve; a picture shows no more. */
#define MOST_POINTS 1000

/* ---- groups ---- */

/* The text of an environment without its seed. */
static char *
dup_env (const SavedRun *run)
{
  const char *text = json_string_value (json_object_get (run->config, "env"));
  g_autoptr (GRegex) seed = g_regex_new ("\\bseed=-?[0-9]+,?", 0, 0, NULL);
  g_autofree char *rest = g_regex_replace_literal (seed, text ? text : "", -1, 0, "", 0, NULL);
  g_autoptr (GRegex) hanging = g_regex_new ("[:,](?=$|\\|)", 0, 0, NULL);

  return g_regex_replace_literal (hanging, rest, -1, 0, "", 0, NULL);
}

/* The options of a run, but for the seed and those that change nothing that is learned. */
static json_t *
pick_settings (const SavedRun *run)
{
  static const char *const others[] = { "env",
                                        "seed",
                                        "eval-every",
                                        "eval-episodes",
                                        "stop-at",
                                        "log-every",
                                        "checkpoint-every",
                                        "threads",
                                        "videos",
                                        "video-format",
                                        NULL };
  g_autofree char *env = dup_env (run);
  json_t *settings = json_pack ("{s:s}", "env", env);
  json_t *value;
  const char *name;

  json_object_set (settings, "learner", json_object_get (run->config, "learner"));
  json_object_foreach (json_object_get (run->config, "options"), name,
                       value) if (!g_strv_contains (others, name))
      json_object_set (settings, name, value);
  return settings;
}

static void
group_free (gpointer data)
{
  RunGroup *self = data;

  g_free (self->name);
  g_ptr_array_unref (self->runs);
  json_decref (self->settings);
  g_free (self);
}

static RunGroup *
find_group (GPtrArray *groups, json_t *settings)
{
  for (guint i = 0; i < groups->len; i++)
    {
      RunGroup *group = g_ptr_array_index (groups, i);

      if (json_equal (group->settings, settings))
        return group;
    }
  return NULL;
}

/* ---- names ---- */

static gboolean
same (const RunGroup *a, const RunGroup *b, const char *key)
{
  const json_t *of_a = json_object_get (a->settings, key);
  const json_t *of_b = json_object_get (b->settings, key);

  return of_a == of_b || (of_a && of_b && json_equal (of_a, of_b));
}

/* Whether other groups of the same learner have another value. */
static gboolean
differs (const GPtrArray *groups, const RunGroup *self, const char *key)
{
  for (guint i = 0; i < groups->len; i++)
    {
      const RunGroup *other = g_ptr_array_index (groups, i);

      if (same (self, other, "learner") && same (self, other, "env") && !same (self, other, key))
        return TRUE;
    }
  return FALSE;
}

static void
append_value (GString *name, const char *key, const json_t *value)
{
  g_autofree char *text = NULL;
  char *dumped;

  if (json_is_string (value))
    text = g_strdup (json_string_value (value));
  else if ((dumped = json_dumps (value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION (6))))
    {
      text = g_strdup (dumped);
      free (dumped);
    }
  if (text)
    g_string_append_printf (name, ", %s %s", key, text);
}

static char *
make_name (const GPtrArray *groups, const RunGroup *self, gboolean with_env)
{
  const char *learner = json_string_value (json_object_get (self->settings, "learner"));
  const char *env = json_string_value (json_object_get (self->settings, "env"));
  GString *name = g_string_new (learner);
  const char *key;
  json_t *value;

  if (with_env)
    g_string_append_printf (name, " %s", env);
  json_object_foreach (self->settings, key, value) if (differs (groups, self, key))
      append_value (name, key, value);
  if (self->runs->len > 1)
    g_string_append_printf (name, " (%u runs)", self->runs->len);
  return g_string_free (name, FALSE);
}

GPtrArray *
run_groups_new (GPtrArray *runs)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (group_free);
  g_autofree char *env = NULL;

  for (guint i = 0; i < runs->len; i++)
    {
      json_t *settings = pick_settings (g_ptr_array_index (runs, i));
      RunGroup *group = find_group (groups, settings);

      if (!group)
        {
          group = g_new0 (RunGroup, 1);
          group->settings = json_incref (settings);
          group->runs = g_ptr_array_new ();
          g_ptr_array_add (groups, group);
        }
      json_decref (settings);
      g_ptr_array_add (group->runs, g_ptr_array_index (runs, i));
    }
  env = run_groups_dup_env (groups);
  for (guint i = 0; i < groups->len; i++)
    {
      RunGroup *group = g_ptr_array_index (groups, i);

      group->name = make_name (groups, group, env == NULL);
    }
  return groups;
}

/* By its name alone: the number of environments is a setting of the learner. */
char *
run_groups_dup_env (const GPtrArray *groups)
{
  char *common = NULL;

  for (guint i = 0; i < groups->len; i++)
    {
      const RunGroup *group = g_ptr_array_index (groups, i);
      const char *env = json_string_value (json_object_get (group->settings, "env"));
      g_autofree char *name = g_strndup (env, strcspn (env, ":|"));

      if (!common)
        common = g_steal_pointer (&name);
      else if (strcmp (common, name) != 0)
        g_clear_pointer (&common, g_free);
      if (!common)
        break;
    }
  return common;
}

/* ---- curves ---- */

void
curve_clear (Curve *self)
{
  g_free (self->x);
  g_free (self->mean);
  g_free (self->low);
  g_free (self->high);
  *self = (Curve){ 0 };
}

/* The rows of a run that have a figure. */
typedef struct
{
  const SavedRun *run;
  guint column;
  GArray *rows; /* of guint */
  guint next;   /* the first of them that is not before the step at work */
} Points;

static double
get_step (const Points *self, guint i)
{
  return saved_run_get (self->run, g_array_index (self->rows, guint, i), 0);
}

static double
get_value (const Points *self, guint i)
{
  return saved_run_get (self->run, g_array_index (self->rows, guint, i), self->column);
}

static void
find_points (Points *self, const SavedRun *run, const char *figure)
{
  gint column = saved_run_find (run, figure);

  *self = (Points){ run, (guint) MAX (column, 0), g_array_new (FALSE, FALSE, sizeof (guint)), 0 };
  for (guint row = 0; column >= 0 && row < run->n_rows; row++)
    if (fabs (saved_run_get (run, row, self->column)) <= MOST_VALUE)
      g_array_append_val (self->rows, row);
}

/* The value at a step, of steps in rising order; NaN before the first row and behind the last. */
static double
read_at (Points *self, double step)
{
  while (self->next < self->rows->len && get_step (self, self->next) < step)
    self->next++;
  if (self->next == self->rows->len)
    return NAN;

  double after = get_step (self, self->next), value = get_value (self, self->next);

  if (after == step)
    return value;
  if (self->next == 0)
    return NAN;

  double before = get_step (self, self->next - 1), old = get_value (self, self->next - 1);

  return old + (value - old) * (step - before) / (after - before);
}

static gint
compare_steps (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* The steps of all runs, each once. */
static GArray *
list_steps (const Points *points, guint n)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (double));
  guint n_kept = 0;

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < points[i].rows->len; k++)
      {
        double step = get_step (&points[i], k);

        g_array_append_val (steps, step);
      }
  g_array_sort (steps, compare_steps);
  for (guint i = 0; i < steps->len; i++)
    {
      double step = g_array_index (steps, double, i);

      if (n_kept == 0 || g_array_index (steps, double, n_kept - 1) != step)
        g_array_index (steps, double, n_kept++) = step;
    }
  g_array_set_size (steps, n_kept);
  return steps;
}

static void
average_at (Curve *self, guint i, Points *points, guint n)
{
  double sum = 0;
  guint count = 0;

  self->low[i] = INFINITY;
  self->high[i] = -INFINITY;
  for (guint k = 0; k < n; k++)
    {
      double value = read_at (&points[k], self->x[i]);

      if (isnan (value))
        continue;
      sum += value;
      count++;
      self->low[i] = MIN (self->low[i], value);
      self->high[i] = MAX (self->high[i], value);
    }
  self->mean[i] = sum / count;
}

/* Makes one point of so many neighbours. */
static void
thin (Curve *self)
{
  guint each = (self->n + MOST_POINTS - 1) / MOST_POINTS, n = 0;

  for (guint begin = 0; begin < self->n; begin += each, n++)
    {
      guint end = MIN (begin + each, self->n);
      double x = 0, mean = 0, low = INFINITY, high = -INFINITY;

      for (guint i = begin; i < end; i++)
        {
          x += self->x[i] / (end - begin);
          mean += self->mean[i] / (end - begin);
          low = MIN (low, self->low[i]);
          high = MAX (high, self->high[i]);
        }
      self->x[n] = x;
      self->mean[n] = mean;
      self->low[n] = low;
      self->high[n] = high;
    }
  self->n = n;
}

void
run_group_average (const RunGroup *self, const char *figure, Curve *curve)
{
  guint n = self->runs->len;
  g_autofree Points *points = g_new (Points, n);
  g_autoptr (GArray) steps = NULL;

  for (guint i = 0; i < n; i++)
    find_points (&points[i], g_ptr_array_index (self->runs, i), figure);
  steps = list_steps (points, n);
  curve->n = steps->len;
  curve->mean = g_new (double, steps->len);
  curve->low = g_new (double, steps->len);
  curve->high = g_new (double, steps->len);
  curve->x = (double *) (gpointer) g_array_free (g_steal_pointer (&steps), FALSE);
  for (guint i = 0; i < curve->n; i++)
    average_at (curve, i, points, n);
  for (guint i = 0; i < n; i++)
    g_array_unref (points[i].rows);
  if (curve->n > MOST_POINTS)
    thin (curve);
}
