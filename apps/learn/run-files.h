/* The directory of a run: its configuration, and its figures as CSV, NDJSON and events. */
#pragma once

#include "../common/options.h"

#include <jansson.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;
  const char *const *names; /* of the figures */
  guint n_names;
  FILE *csv, *ndjson, *events;
  char *events_name;
} RunFiles;

/* Makes the directory, where nothing may be, and writes config.json, to which it adds versions, the
 * command line and the machine. Takes the configuration. */
gboolean run_files_open (RunFiles *self, const char *path, const char *const *names, json_t *config,
                         GError **error);

/* Writes a row of figures; those that are NaN are left out. NO_SPACE, IO name the file. */
gboolean run_files_write (RunFiles *self, gint64 step, double seconds, const double *figures,
                          GError **error);
void run_files_clear (RunFiles *self);

/* Removes its files, and the directory where nothing else is in it: of a run that learned nothing.
 */
void run_files_discard (RunFiles *self);

/* A path of a file in it. */
char *run_files_dup_path (const RunFiles *self, const char *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunFiles, run_files_clear)

G_END_DECLS
