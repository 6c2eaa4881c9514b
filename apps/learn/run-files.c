#include "config.h"

#include "run-files.h"

#include "../common/draft.h"
#include "../common/option-file.h"
#include "event-file.h"
#include "parameters.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NDJSON "metrics.ndjson"

char *
run_files_dup_path (const RunFiles *self, const char *name)
{
  return g_build_filename (self->path, name, NULL);
}

static gboolean
fail (GError **error, const char *what, const char *path)
{
  reel_set_error_errno (error, errno, "cannot %s %s", what, path);
  return FALSE;
}

static FILE *
open_as (const RunFiles *self, const char *name, const char *mode, const char *what, GError **error)
{
  g_autofree char *path = run_files_dup_path (self, name);
  FILE *file = fopen (path, mode);

  if (!file)
    fail (error, what, path);
  return file;
}

static FILE *
open_file (const RunFiles *self, const char *name, GError **error)
{
  return open_as (self, name, "wxe", "make", error);
}

/* ---- the writer's lock ---- */

/* Of the open file, so that it ends with the process, and asking leaves it alone. */
static gboolean
lock (const RunFiles *self, GError **error)
{
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  if (fcntl (fileno (self->csv), F_OFD_SETLK, &whole) == 0)
    return TRUE;
  if (errno != EAGAIN && errno != EACCES)
    return fail (error, "lock the figures in", self->path);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "another process writes %s", self->path);
  return FALSE;
}

gboolean
run_files_are_written (const char *path)
{
  g_autofree char *csv = g_build_filename (path, RUN_FILES_CSV, NULL);
  struct flock whole = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
  int fd = g_open (csv, O_RDONLY | O_CLOEXEC, 0);
  gboolean written = fd >= 0 && fcntl (fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;

  if (fd >= 0)
    close (fd);
  return written;
}

/* ---- the configuration ---- */

static char *
dup_processor (void)
{
  g_autofree char *text = NULL;
  g_autoptr (GRegex) line = g_regex_new ("^model name\\s*: (.*)$", G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL)
      || !g_regex_match (line, text, 0, &match))
    return NULL;
  return g_match_info_fetch (match, 1);
}

static json_t *
describe_machine (void)
{
  g_autofree char *processor = dup_processor ();
  struct utsname system;

  uname (&system);
  return json_pack ("{s:s, s:s, s:s, s:s*, s:i}", "system", system.sysname, "release",
                    system.release, "architecture", system.machine, "processor", processor,
                    "processors", (int) g_get_num_processors ());
}

/* As the process was started. */
static json_t *
list_arguments (void)
{
  g_autofree char *bytes = NULL;
  gsize n = 0;
  json_t *list = json_array ();

  if (g_file_get_contents ("/proc/self/cmdline", &bytes, &n, NULL))
    for (const char *at = bytes; at < bytes + n; at += strlen (at) + 1)
      json_array_append_new (list, json_string (at));
  return list;
}

/* Adds what is known of the process and the machine. */
static void
complete_config (json_t *config)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *began = g_date_time_format_iso8601 (now);

  json_object_set_new (config, "began", json_string (began));
  json_object_set_new (config, "command", list_arguments ());
  json_object_set_new (
      config, "versions",
      json_pack ("{s:s, s:s}", "reel", PACKAGE_VERSION, "jansson", jansson_version_str ()));
  json_object_set_new (config, "machine", describe_machine ());
}

/* The last file of a new run: whoever lists runs finds whole ones. */
static gboolean
write_config (const RunFiles *self, const json_t *config, GError **error)
{
  g_autofree char *path = run_files_dup_path (self, OPTION_FILE_CONFIG);
  g_autoptr (Draft) draft = draft_new (path, FALSE, error);
  gboolean written;
  char *text;

  if (!draft)
    return FALSE;
  text = json_dumps (config, JSON_INDENT (2));
  written = draft_write (draft, text, strlen (text), error) && draft_write (draft, "\n", 1, error);
  free (text);
  if (!written || fsync (draft->fd) != 0)
    return written && fail (error, "write", path);
  return draft_keep (draft, error);
}

/* ---- figures ---- */

static gboolean
flush (const RunFiles *self, GError **error)
{
  FILE *const files[] = { self->csv, self->ndjson, self->events };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    if (fflush (files[i]) != 0 || ferror (files[i]))
      return fail (error, "write the figures in", self->path);
  return TRUE;
}

static gboolean
begin_figures (RunFiles *self, const json_t *config, GError **error)
{
  g_autoptr (GByteArray) first = g_byte_array_new ();
  double now = (double) g_get_real_time () / 1e6;
  const char *events = self->events_name = event_file_dup_name ();

  if (!(self->csv = open_file (self, RUN_FILES_CSV, error))
      || !(self->ndjson = open_file (self, NDJSON, error))
      || !(self->events = open_file (self, events, error)) || !lock (self, error))
    return FALSE;
  event_file_append_version (first, now);
  parameters_append (first, now, config);
  fwrite (first->data, 1, first->len, self->events);
  fputs ("step,time", self->csv);
  for (guint i = 0; i < self->n_names; i++)
    fprintf (self->csv, ",%s", self->names[i]);
  fputc ('\n', self->csv);
  return flush (self, error);
}

gboolean
run_files_open (RunFiles *self, const char *path, const char *const *names, json_t *config,
                GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);
  gboolean opened = FALSE;

  self->path = g_strdup (path);
  self->names = names;
  self->n_names = g_strv_length ((char **) names);
  if (g_mkdir_with_parents (parent, 0777) != 0 || g_mkdir (path, 0777) != 0)
    fail (error, "make the directory", path);
  else
    {
      complete_config (config);
      opened = begin_figures (self, config, error) && write_config (self, config, error);
      if (!opened)
        run_files_discard (self);
    }
  json_decref (config);
  return opened;
}

/* ---- figures that are continued ---- */

gboolean
run_files_reopen (RunFiles *self, const char *path, const char *const *names, GError **error)
{
  self->path = g_strdup (path);
  self->names = names;
  self->n_names = g_strv_length ((char **) names);
  self->csv = open_as (self, RUN_FILES_CSV, "r+e", "continue", error);
  self->ndjson = self->csv ? open_as (self, NDJSON, "r+e", "continue", error) : NULL;
  return self->ndjson && lock (self, error);
}

gboolean
run_files_sync (RunFiles *self, RunFilesEnd *end, GError **error)
{
  FILE *const files[] = { self->csv, self->ndjson, self->events };
  gint64 *const ends[] = { &end->csv, &end->ndjson, &end->events };

  if (!flush (self, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    if (fsync (fileno (files[i])) != 0 || (*ends[i] = ftello (files[i])) < 0)
      return fail (error, "write the figures in", self->path);
  g_strlcpy (end->events_name, self->events_name, sizeof end->events_name);
  return TRUE;
}

static gboolean
check_end (const RunFiles *self, FILE *file, const char *name, gint64 end, GError **error)
{
  struct stat status;

  if (fstat (fileno (file), &status) != 0)
    return fail (error, "read the figures in", self->path);
  if (end >= 0 && status.st_size >= end)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s/%s has %" G_GINT64_FORMAT " bytes, and had %" G_GINT64_FORMAT
               " when the checkpoint was made",
               self->path, name, (gint64) status.st_size, end);
  return FALSE;
}

static gboolean
cut (const RunFiles *self, FILE *file, gint64 end, GError **error)
{
  if (ftruncate (fileno (file), end) == 0 && fseeko (file, end, SEEK_SET) == 0)
    return TRUE;
  return fail (error, "continue the figures in", self->path);
}

/* The name is of a file in the directory alone. */
static gboolean
reopen_events (RunFiles *self, const char *name, GError **error)
{
  self->events_name = g_path_get_basename (name);
  self->events = open_as (self, self->events_name, "r+e", "continue", error);
  return self->events != NULL;
}

gboolean
run_files_cut (RunFiles *self, const RunFilesEnd *end, GError **error)
{
  g_autofree char *events = g_strndup (end->events_name, sizeof end->events_name);

  return reopen_events (self, events, error)
         && check_end (self, self->csv, RUN_FILES_CSV, end->csv, error)
         && check_end (self, self->ndjson, NDJSON, end->ndjson, error)
         && check_end (self, self->events, self->events_name, end->events, error)
         && cut (self, self->csv, end->csv, error) && cut (self, self->ndjson, end->ndjson, error)
         && cut (self, self->events, end->events, error);
}

/* ---- rows ---- */

gboolean
run_files_write (RunFiles *self, gint64 step, double seconds, const double *figures, GError **error)
{
  g_autoptr (GByteArray) events = g_byte_array_new ();
  double now = (double) g_get_real_time () / 1e6;

  fprintf (self->csv, "%" G_GINT64_FORMAT ",%.3f", step, seconds);
  fprintf (self->ndjson, "{\"step\":%" G_GINT64_FORMAT ",\"time\":%.3f", step, seconds);
  for (guint i = 0; i < self->n_names; i++)
    {
      fputc (',', self->csv);
      if (!isfinite (figures[i]))
        continue;
      fprintf (self->csv, "%.9g", figures[i]);
      fprintf (self->ndjson, ",\"%s\":%.9g", self->names[i], figures[i]);
      event_file_append_scalar (events, now, step, self->names[i], (float) figures[i]);
    }
  fputc ('\n', self->csv);
  fputs ("}\n", self->ndjson);
  fwrite (events->data, 1, events->len, self->events);
  return flush (self, error);
}

void
run_files_discard (RunFiles *self)
{
  const char *const names[] = { OPTION_FILE_CONFIG, RUN_FILES_CSV, NDJSON, self->events_name };

  for (guint i = 0; i < G_N_ELEMENTS (names) && names[i]; i++)
    {
      g_autofree char *path = run_files_dup_path (self, names[i]);

      g_unlink (path);
    }
  g_rmdir (self->path);
}

void
run_files_clear (RunFiles *self)
{
  FILE *const files[] = { self->csv, self->ndjson, self->events };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    if (files[i])
      fclose (files[i]);
  g_free (self->events_name);
  g_free (self->path);
  *self = (RunFiles){ 0 };
}
