/* A run that was saved, as its directory has it: the configuration, and the rows of figures. */
#pragma once

#include "../common/usage-error.h"

#include <jansson.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;
  json_t *config;
  GStrv names; /* of the columns, "step" first */
  guint n_names;
  GArray *values; /* of double, row after row; NaN where a row has none */
  guint n_rows;   /* each with a later step than the one before */
} SavedRun;

/* Reads config.json and metrics.csv of a run, also of one that is still written. DAMAGED names file
 * and line; IO names a directory that contains no run. */
SavedRun *saved_run_open (const char *path, GError **error);
void saved_run_free (SavedRun *self);

/* Takes rows of figures, comma-separated under a line of names, as those of `file`. */
gboolean saved_run_parse (SavedRun *self, const char *text, gsize length, const char *file,
                          GError **error);

/* The column of a figure, or -1. */
gint saved_run_find (const SavedRun *self, const char *name);

static inline double
saved_run_get (const SavedRun *self, guint row, guint column)
{
  return g_array_index (self->values, double, row * self->n_names + column);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SavedRun, saved_run_free)

G_END_DECLS
