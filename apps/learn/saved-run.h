/* A run that was saved, as its directory has it: the configuration, and the rows of figures. */
#pragma once

#include "../common/usage-error.h"

#include <jansson.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;
  json_t *config; /* NULL where it is damaged */
  GStrv names;    /* of the columns, "step" first */
  guint n_names;
  GArray *values; /* of double, row after row; NaN where a row has none */
  guint n_rows;   /* each with a later step than the one before */
  GError *fault;  /* DAMAGED names file and line, IO what cannot be read; or NULL */
} SavedRun;

/* Reads config.json and metrics.csv of a run, also of one that is still written. A run
 * with a fault keeps the rows before it. Errors: IO where there is no directory, VALUE where it
 * contains no run.
 */
SavedRun *saved_run_read (const char *path, GError **error);

/* The same of a run without a fault; else the error is the fault. */
SavedRun *saved_run_open (const char *path, GError **error);
void saved_run_free (SavedRun *self);

/* Takes rows of figures, comma-separated under a line of names, as those of `file`. */
gboolean saved_run_parse (SavedRun *self, const char *text, gsize length, const char *file,
                          GError **error);

/* The column of a figure, or -1. */
gint saved_run_find (const SavedRun *self, const char *name);

/* The value of the last row that has the figure, and the greatest of all rows; NaN where none has
 * it, or for the column -1. */
double saved_run_get_newest (const SavedRun *self, gint column);
double saved_run_get_greatest (const SavedRun *self, gint column);

static inline double
saved_run_get (const SavedRun *self, guint row, guint column)
{
  return g_array_index (self->values, double, row * self->n_names + column);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SavedRun, saved_run_free)

G_END_DECLS
