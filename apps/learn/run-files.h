/* The directory of a run: its configuration, and its figures as CSV, NDJSON and events. */
#pragma once

#include "../common/options.h"

#include <jansson.h>
#include <stdio.h>

G_BEGIN_DECLS

/* The figures that are read again: comma-separated, under a line of names. */
#define RUN_FILES_CSV "metrics.csv"

typedef struct
{
  char *path;
  const char *const *names; /* of the figures */
  guint n_names;
  FILE *csv, *ndjson, *events;
  char *events_name;
} RunFiles;

/* The end of the figures at some time: bytes of each file, and the name of that of the events. */
typedef struct
{
  gint64 csv, ndjson, events;
  char events_name[256];
} RunFilesEnd;

/* Makes the directory, where nothing may be, begins the figures and writes config.json, to which it
 * adds versions, the command line and the machine. Takes the configuration. A directory that cannot
 * be filled is removed. */
gboolean run_files_open (RunFiles *self, const char *path, const char *const *names, json_t *config,
                         GError **error);

/* Opens the directory of a run that ended, whose figures are continued; nothing changes before
 * run_files_cut(). RUNTIME where a process writes it. */
gboolean run_files_reopen (RunFiles *self, const char *path, const char *const *names,
                           GError **error);

/* Has the figures on the disk, and notes where they end. */
gboolean run_files_sync (RunFiles *self, RunFilesEnd *end, GError **error);

/* Drops the figures behind such an end, of files that were reopened. DAMAGED where they do not
 * reach it. */
gboolean run_files_cut (RunFiles *self, const RunFilesEnd *end, GError **error);

/* Whether a process writes the run in a directory. */
gboolean run_files_are_written (const char *path);

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
