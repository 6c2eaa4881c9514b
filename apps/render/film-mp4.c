/* Films as MP4, by ffmpeg. */
#include "film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/draft.h"

/* Bytes kept of ffmpeg's messages. */
#define WORDS 2000

typedef struct
{
  Film base;
  Draft *draft;
  GPid child;  /* 0 once it ended */
  int pipe;    /* to it, -1 once closed */
  int words;   /* a file without a name, what it says goes there */
  gsize bytes; /* of a picture */
} Mp4Film;

/* ---- the program ---- */

static gboolean
start (Mp4Film *self, const char *program, gint64 width, gint64 height, double rate, GError **error)
{
  g_autofree char *size = g_strdup_printf ("%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT, width, height);
  g_autofree char *speed = g_strdup_printf ("%.6g", rate);
  g_autofree char *file = g_strconcat ("file:", self->draft->temporary, NULL);
  const char *const argv[] = { program, "-loglevel", "error", "-nostdin", "-y",
                               /* what comes in */
                               "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", size,
                               "-framerate", speed, "-i", "pipe:0",
                               /* even sides, and colours that players know */
                               "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
                               "-movflags", "+faststart", "-f", "mp4", file, NULL };
  g_autoptr (GError) local = NULL;
  int ends[2];

  self->words = memfd_create ("ffmpeg", MFD_CLOEXEC);
  if (self->words < 0 || pipe2 (ends, O_CLOEXEC) != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "--mp4: no pipe to ffmpeg: %s",
                   g_strerror (errno));
      return FALSE;
    }
  self->pipe = ends[1];

  gboolean started = g_spawn_async_with_fds (
      NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL,
      NULL, &self->child, ends[0], -1, self->words, &local);

  close (ends[0]);
  self->draft->writer = started ? self->child : 0;
  if (!started)
    g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "--mp4: ffmpeg does not start: %s",
                 local->message);
  return started;
}

/* The messages before its failure, on one line. */
static char *
read_words (const Mp4Film *self)
{
  char text[WORDS + 1];
  gssize n = pread (self->words, text, WORDS, 0);

  text[MAX (n, 0)] = '\0';
  return g_strdelimit (g_strstrip (g_utf8_make_valid (text, -1)), "\n\r\t", ' ');
}

static gboolean
fail (const Mp4Film *self, int status, GError **error)
{
  g_autofree char *words = read_words (self);
  g_autofree char *how = WIFSIGNALED (status)
                             ? g_strdup_printf ("was ended by signal %d", WTERMSIG (status))
                             : g_strdup_printf ("failed with status %d", WEXITSTATUS (status));

  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s was not written, ffmpeg %s%s%s",
               self->draft->path, how, *words ? ": " : "", words);
  return FALSE;
}

/* Waits for its end; its status. */
static int
end (Mp4Film *self)
{
  int status = 0;

  if (self->pipe >= 0)
    close (self->pipe);
  self->pipe = -1;
  while (self->child && waitpid (self->child, &status, 0) < 0 && errno == EINTR)
    ;
  self->draft->writer = 0;
  g_spawn_close_pid (self->child);
  self->child = 0;
  return status;
}

/* ---- pictures ---- */

static gboolean
add (Film *film, ReelTensor *picture, GError **error)
{
  Mp4Film *self = (Mp4Film *) film;
  const guint8 *data = picture->data;

  for (gsize done = 0; done < self->bytes;)
    {
      gssize n = write (self->pipe, data + done, self->bytes - done);
      if (n < 0 && errno != EINTR)
        return fail (self, end (self), error);
      done += (gsize) MAX (n, 0);
    }
  return TRUE;
}

static gboolean
finish (Film *film, GError **error)
{
  Mp4Film *self = (Mp4Film *) film;
  int status = end (self);

  return status == 0 ? draft_keep (self->draft, error) : fail (self, status, error);
}

static void
free_film (Film *film)
{
  Mp4Film *self = (Mp4Film *) film;

  if (self->child)
    kill (self->child, SIGKILL);
  end (self);
  if (self->words >= 0)
    close (self->words);
  draft_free (self->draft);
  g_free (self);
}

Film *
film_new_mp4 (const char *path, gint64 width, gint64 height, double rate, GError **error)
{
  g_autofree char *program = g_find_program_in_path ("ffmpeg");
  Mp4Film *self;

  if (!program)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                           "--mp4 takes the program ffmpeg, which is not installed (on Debian: apt "
                           "install ffmpeg); --sheet and --png do without");
      return NULL;
    }

  Draft *draft = draft_new (path, FALSE, error);

  if (!draft)
    return NULL;
  self = g_new0 (Mp4Film, 1);

  g_autoptr (Film) owned = &self->base;

  self->base = (Film){ .add = add, .finish = finish, .free = free_film };
  self->draft = draft;
  self->pipe = self->words = -1;
  self->bytes = (gsize) (width * height * 3);
  signal (SIGPIPE, SIG_IGN); /* a write to it fails instead, and it can be asked why */
  return start (self, program, width, height, rate, error) ? g_steal_pointer (&owned) : NULL;
}
