#include "episode-log.h"

#include "episode-line.h"
#include "../common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lines that wait, in bytes and microseconds. */
#define BUFFER_BYTES 65536
#define WRITE_EVERY 100000
#define RATE_EVERY G_USEC_PER_SEC

struct _EpisodeLog
{
  char *path;
  EpisodeLogMode mode;
  int fd;
  gboolean csv;
  gboolean regular; /* it has a length */
  gboolean made;
  gboolean begun;
  gint64 length; /* of whole lines */
  int reason;    /* that it could not be written, an errno */

  gint64 start, written, rated; /* in microseconds: the clock, what was done last */
  gint64 frames, rated_frames;

  char *at;
  char buffer[BUFFER_BYTES];
};

static gboolean
is_standard_output (const char *path)
{
  return strcmp (path, "-") == 0;
}

gboolean
episode_log_check_name (const char *path, GError **error)
{
  if (is_standard_output (path) || g_str_has_suffix (path, ".ndjson")
      || g_str_has_suffix (path, ".csv"))
    return TRUE;
  set_usage_error (error,
                   "cannot find the format of --log \"%s\": name it FILE.ndjson or FILE.csv, or - "
                   "for NDJSON on standard output",
                   path);
  return FALSE;
}

/* ---- the file ---- */

static gboolean
set_error (const EpisodeLog *self, const char *action, GError **error)
{
  int reason = errno;

  g_set_error (error, REEL_ERROR,
               reason == ENOSPC || reason == EDQUOT || reason == EFBIG ? REEL_ERROR_NO_SPACE
                                                                       : REEL_ERROR_IO,
               "cannot %s the log %s: %s", action, self->path, g_strerror (reason));
  return FALSE;
}

/* A file of another kind keeps its contents. */
static gboolean
check_begin (const EpisodeLog *self, GError **error)
{
  char begin[EPISODE_LINE_ROOM] = "";

  if (pread (self->fd, begin, sizeof begin - 1, 0) < 0)
    return set_error (self, "read", error);
  if (*begin == '\0' || episode_line_is_first (begin, self->csv))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot %s %s: it does not begin as a log of collect; choose another --log",
               self->mode == EPISODE_LOG_APPEND ? "append to" : "replace", self->path);
  return FALSE;
}

static gboolean
is_regular (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

/* Makes the file where there is none, so that two runs cannot make the same. */
static gboolean
open_file (EpisodeLog *self, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (self->path);
  struct stat status;

  if (g_mkdir_with_parents (parent, 0777) != 0)
    return set_error (self, "make the directory of", error);
  self->fd = open (self->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  self->made = self->fd >= 0;
  if (!self->made && errno == EEXIST)
    self->fd = open (self->path, (is_regular (self->path) ? O_RDWR : O_WRONLY) | O_CLOEXEC);
  if (self->fd < 0 || fstat (self->fd, &status) != 0)
    return set_error (self, "open", error);
  self->regular = S_ISREG (status.st_mode);
  self->length = self->regular ? status.st_size : 0;
  if (self->made || !self->regular)
    return TRUE;
  if (self->mode != EPISODE_LOG_NEW)
    return check_begin (self, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "the log %s exists; choose another --log, or replace it by --force", self->path);
  return FALSE;
}

EpisodeLog *
episode_log_open (const char *path, EpisodeLogMode mode, GError **error)
{
  g_autoptr (EpisodeLog) self = g_new (EpisodeLog, 1);

  memset (self, 0, G_STRUCT_OFFSET (EpisodeLog, buffer));
  self->path = g_strdup (is_standard_output (path) ? "standard output" : path);
  self->mode = mode;
  self->csv = g_str_has_suffix (path, ".csv");
  self->at = self->buffer;
  if (is_standard_output (path))
    self->fd = STDOUT_FILENO;
  else if (!open_file (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
episode_log_free (EpisodeLog *self)
{
  if (self->made && !self->begun)
    unlink (self->path);
  if (self->fd > STDERR_FILENO)
    close (self->fd);
  g_free (self->path);
  g_free (self);
}

/* ---- writing ---- */

/* The run is worth more than its log: it goes on without. */
static void
give_up (EpisodeLog *self)
{
  self->reason = errno;
  if (self->regular && ftruncate (self->fd, self->length) != 0)
    g_printerr ("collect: the last line of %s is incomplete\n", self->path);
  if (self->reason != EPIPE)
    g_printerr ("collect: cannot write the log %s: %s; the run continues without it\n", self->path,
                g_strerror (self->reason));
}

static void
write_lines (EpisodeLog *self)
{
  const char *from = self->buffer;

  while (!self->reason && from < self->at)
    {
      ssize_t n = write (self->fd, from, (gsize) (self->at - from));

      if (n >= 0)
        from += n;
      else if (errno != EINTR)
        give_up (self);
    }
  self->length += self->at - self->buffer;
  self->at = self->buffer;
}

static void
make_room (EpisodeLog *self)
{
  if (self->buffer + BUFFER_BYTES - self->at < EPISODE_LINE_ROOM)
    write_lines (self);
}

/* ---- the end of a log that is there ---- */

/* The length of its whole lines: a kill may have torn the last. */
static gint64
find_end (const EpisodeLog *self)
{
  char block[4096];
  gint64 end = self->length;

  while (end > 0)
    {
      gint64 begin = MAX (end - (gint64) sizeof block, 0);
      ssize_t n = pread (self->fd, block, (gsize) (end - begin), begin);

      if (n != end - begin)
        return -1;
      for (; n > 0; n--, end--)
        if (block[n - 1] == '\n')
          return end;
    }
  return 0;
}

static gboolean
go_to_end (EpisodeLog *self, GError **error)
{
  gint64 end = find_end (self);

  if (end < 0 || ftruncate (self->fd, end) != 0 || lseek (self->fd, end, SEEK_SET) < 0)
    return set_error (self, "continue", error);
  self->length = end;
  return TRUE;
}

/* ---- the run ---- */

gboolean
episode_log_begin (EpisodeLog *self, gint64 frames, GError **error)
{
  if (self->regular && self->mode == EPISODE_LOG_APPEND)
    {
      if (!go_to_end (self, error))
        return FALSE;
    }
  else if (self->regular && ftruncate (self->fd, 0) != 0)
    return set_error (self, "replace", error);
  else
    self->length = 0;
  self->begun = TRUE;
  self->frames = self->rated_frames = frames;
  self->start = self->written = self->rated = g_get_monotonic_time ();
  if (self->csv && self->length == 0)
    {
      self->at = g_stpcpy (self->at, EPISODE_LINE_HEADER);
      write_lines (self);
    }
  return TRUE;
}

static void
add_rate (EpisodeLog *self, gint64 now)
{
  gint64 passed = MAX (now - self->rated, 1);
  double rate = (double) (self->frames - self->rated_frames) * G_USEC_PER_SEC / (double) passed;

  EpisodeLineTime time;

  episode_line_time_init (&time, now - self->start);
  make_room (self);
  self->at = episode_line_put_rate (self->at, self->csv, rate, &time, self->frames);
  self->rated = now;
  self->rated_frames = self->frames;
}

void
episode_log_add (EpisodeLog *self, const ReelCollectorEpisode *episodes, gsize n, gint64 rows,
                 gint64 n_lanes)
{
  gint64 now = g_get_monotonic_time ();
  EpisodeLineTime time;

  self->frames += rows;
  episode_line_time_init (&time, now - self->start);
  for (gsize i = 0; i < n && !self->reason; i++)
    {
      make_room (self);
      self->at = episode_line_put (self->at, self->csv, &episodes[i], &time,
                                   episodes[i].n_steps * n_lanes);
    }
  if (now - self->rated >= RATE_EVERY)
    add_rate (self, now);
  if (now - self->written < WRITE_EVERY)
    return;
  self->written = now;
  write_lines (self);
}

int
episode_log_finish (EpisodeLog *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->frames > self->rated_frames)
    add_rate (self, now);
  write_lines (self);
  if (!self->reason || self->reason == EPIPE)
    return EXIT_OK;
  return self->reason == ENOSPC || self->reason == EDQUOT || self->reason == EFBIG ? EXIT_NO_SPACE
                                                                                   : EXIT_FAILED;
}
