#include "saved-run.h"

#include "../common/option-file.h"
#include "run-files.h"

#include <math.h>
#include <string.h>

#define MOST_COLUMNS 1000
#define STEP 0

static gboolean
fail (GError **error, const char *file, guint line, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: line %u %s", file, line, what);
  return FALSE;
}

/* ---- rows ---- */

static gboolean
read_names (SavedRun *self, const char *line, const char *file, GError **error)
{
  self->names = g_strsplit (line, ",", MOST_COLUMNS + 1);
  self->n_names = g_strv_length (self->names);
  if (self->n_names <= MOST_COLUMNS && g_strcmp0 (self->names[STEP], "step") == 0)
    return TRUE;
  return fail (error, file, 1, "does not begin with \"step\" and the names of figures");
}

/* A run that was resumed from an earlier step has written the rows behind it again. */
static void
drop_later_rows (SavedRun *self, double step)
{
  while (self->n_rows > 0 && !(saved_run_get (self, self->n_rows - 1, STEP) < step))
    self->n_rows--;
  g_array_set_size (self->values, self->n_rows * self->n_names);
}

static gboolean
read_row (SavedRun *self, const char *text, const char *file, guint line, GError **error)
{
  g_auto (GStrv) cells = g_strsplit (text, ",", MOST_COLUMNS + 1);
  g_autofree double *row = g_new (double, self->n_names);

  if (g_strv_length (cells) != self->n_names)
    return fail (error, file, line, "has %u cells, and line 1 has %u", g_strv_length (cells),
                 self->n_names);
  for (guint i = 0; i < self->n_names; i++)
    {
      char *end;

      row[i] = *cells[i] ? g_ascii_strtod (cells[i], &end) : NAN;
      if (*cells[i] && *end)
        return fail (error, file, line, "has \"%s\", which is not a number", cells[i]);
    }
  if (!(row[STEP] >= 0 && row[STEP] <= 1e18))
    return fail (error, file, line, "has no step from 0 to 1e18");
  drop_later_rows (self, row[STEP]);
  g_array_append_vals (self->values, row, self->n_names);
  self->n_rows++;
  return TRUE;
}

/* A last line without an end is still written. */
gboolean
saved_run_parse (SavedRun *self, const char *text, gsize length, const char *file, GError **error)
{
  const char *end;
  guint line = 0;

  self->values = g_array_new (FALSE, FALSE, sizeof (double));
  if (!g_utf8_validate (text, (gssize) length, &end))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: byte %zu is not UTF-8", file,
                   (gsize) (end - text));
      return FALSE;
    }
  for (const char *at = text; (end = memchr (at, '\n', length - (gsize) (at - text))); at = end + 1)
    {
      g_autofree char *row = g_strndup (at, (gsize) (end - at));

      line++;
      if (!(line == 1 ? read_names (self, row, file, error)
                      : read_row (self, row, file, line, error)))
        return FALSE;
    }
  return line > 0 || fail (error, file, 1, "is missing: there are no figures");
}

/* ---- files ---- */

/* One that is no JSON is that of a run where figures are beside it. */
static gboolean
is_run (const SavedRun *self)
{
  g_autofree char *figures = g_build_filename (self->path, RUN_FILES_CSV, NULL);

  if (self->config)
    return json_is_string (json_object_get (self->config, "learner"));
  return g_file_test (figures, G_FILE_TEST_IS_REGULAR);
}

static void
check_total (SavedRun *self, const char *file)
{
  const json_t *total = json_object_get (self->config, "total");

  if (total && !(json_is_integer (total) && json_integer_value (total) > 0))
    g_set_error (&self->fault, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s: \"total\" must be a whole number above 0", file);
}

static void
read_config (SavedRun *self, const char *file)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) local = NULL;
  json_error_t reason;
  gsize length;

  if (!g_file_get_contents (file, &text, &length, &local))
    g_set_error (&self->fault, REEL_ERROR, REEL_ERROR_IO, "cannot read the options of %s: %s",
                 self->path, local->message);
  else if (!(self->config = json_loadb (text, length, JSON_REJECT_DUPLICATES, &reason)))
    g_set_error (&self->fault, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: line %d: %s", file, reason.line,
                 reason.text);
  else
    check_total (self, file);
}

static void
read_figures (SavedRun *self)
{
  g_autofree char *file = g_build_filename (self->path, RUN_FILES_CSV, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) local = NULL;
  gsize length;

  if (g_file_get_contents (file, &text, &length, &local))
    saved_run_parse (self, text, length, file, &self->fault);
  else
    g_set_error (&self->fault, REEL_ERROR, REEL_ERROR_IO, "cannot read the figures of %s: %s",
                 self->path, local->message);
}

SavedRun *
saved_run_read (const char *path, GError **error)
{
  g_autoptr (SavedRun) self = g_new0 (SavedRun, 1);
  g_autofree char *file = g_build_filename (path, OPTION_FILE_CONFIG, NULL);

  self->path = g_strdup (path);
  if (g_file_test (file, G_FILE_TEST_IS_REGULAR))
    read_config (self, file);
  if ((self->config || self->fault) && is_run (self))
    {
      if (!self->fault)
        read_figures (self);
      return g_steal_pointer (&self);
    }
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s contains no run of learn: it lacks a " OPTION_FILE_CONFIG
                 " that names a learner",
                 path);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s: there is no such directory", path);
  return NULL;
}

SavedRun *
saved_run_open (const char *path, GError **error)
{
  g_autoptr (SavedRun) self = saved_run_read (path, error);

  if (!self || !self->fault)
    return g_steal_pointer (&self);
  g_propagate_error (error, g_steal_pointer (&self->fault));
  return NULL;
}

void
saved_run_free (SavedRun *self)
{
  if (!self)
    return;
  g_free (self->path);
  g_clear_error (&self->fault);
  json_decref (self->config);
  g_strfreev (self->names);
  if (self->values)
    g_array_unref (self->values);
  g_free (self);
}

gint
saved_run_find (const SavedRun *self, const char *name)
{
  for (guint i = 0; i < self->n_names; i++)
    if (strcmp (self->names[i], name) == 0)
      return (gint) i;
  return -1;
}

double
saved_run_get_newest (const SavedRun *self, gint column)
{
  for (guint row = self->n_rows; column >= 0 && row-- > 0;)
    if (!isnan (saved_run_get (self, row, (guint) column)))
      return saved_run_get (self, row, (guint) column);
  return NAN;
}

double
saved_run_get_greatest (const SavedRun *self, gint column)
{
  double greatest = NAN;

  for (guint row = 0; column >= 0 && row < self->n_rows; row++)
    greatest = fmax (greatest, saved_run_get (self, row, (guint) column));
  return greatest;
}
