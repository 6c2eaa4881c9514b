#include "child-process.h"

#include "../object/error.h"
#include "child-end.h"
#include "file-ops.h"
#include "lasting-thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define SHOWN_BYTES 60 /* of a line that is too long */

struct _ReelChildProcess
{
  ReelChildEnd end; /* watched, for forks of the process may keep the socket open */
  int socket;
  int memory;
  gint seconds;
  GByteArray *received; /* and not yet read */
};

/* ---- the start ---- */

typedef struct
{
  int ends[2];
  int memory;
} Descriptors;

static void
close_all (Descriptors *descriptors)
{
  const int all[] = { descriptors->ends[0], descriptors->ends[1], descriptors->memory };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (all[i] >= 0)
      close (all[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Descriptors, close_all)

/* enter: in the child before the command, where only calls that are safe in signal handlers may be
 * made. */
static void
enter (gpointer parent)
{
  sigset_t none;

  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != GPOINTER_TO_INT (parent))
    kill (getpid (), SIGKILL);
  dup2 (STDERR_FILENO, STDOUT_FILENO);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  signal (SIGPIPE, SIG_DFL);
  signal (SIGINT, SIG_DFL);
}

typedef struct
{
  char **words;
  Descriptors *made;
  GPid pid;
  GError *reason;
} Start;

static void
spawn (gpointer data)
{
  Start *start = data;
  const int sources[] = { start->made->ends[1], start->made->memory };
  const int targets[] = { REEL_CHILD_SOCKET, REEL_CHILD_MEMORY };

  g_spawn_async_with_pipes_and_fds (
      NULL, (const char *const *) start->words, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, enter, GINT_TO_POINTER (getpid ()), -1, -1,
      -1, sources, targets, G_N_ELEMENTS (sources), &start->pid, NULL, NULL, NULL, &start->reason);
}

static gboolean
start (const char *command, Descriptors *made, ReelChildEnd *end, GError **error)
{
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) reason = NULL;

  if (!g_shell_parse_argv (command, NULL, &words, &reason))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "cannot read the command \"%s\": %s",
                   command, reason->message);
      return FALSE;
    }

  Start start = { .words = words, .made = made };

  reel_lasting_thread_run (spawn, &start);
  if (start.reason == NULL)
    {
      /* The child does the same: whichever is first. */
      setpgid (start.pid, start.pid);
      return reel_child_end_open (end, start.pid, error);
    }
  reason = start.reason;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "cannot run \"%s\": %s", words[0],
               reason->message);
  return FALSE;
}

ReelChildProcess *
reel_child_process_new (const char *command, gint seconds, GError **error)
{
  g_autofree ReelChildProcess *self = g_new0 (ReelChildProcess, 1);
  g_auto (Descriptors) made = { { -1, -1 }, -1 };

  made.memory = memfd_create ("reel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made.memory < 0 || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.ends) != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "cannot share memory with a process: %s",
                   g_strerror (errno));
      return NULL;
    }
  if (!start (command, &made, &self->end, error))
    return NULL;
  self->socket = made.ends[0];
  self->memory = made.memory;
  self->seconds = seconds;
  self->received = g_byte_array_new ();
  made.ends[0] = made.memory = -1;
  return g_steal_pointer (&self);
}

int
reel_child_process_share (ReelChildProcess *self, gsize bytes, GError **error)
{
  if (reel_file_ops ()->ftruncate (self->memory, (off_t) bytes) == 0
      && fcntl (self->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return self->memory;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "cannot share %" G_GSIZE_FORMAT " bytes of memory with a process: %s", bytes,
               g_strerror (errno));
  return -1;
}

/* ---- the end ---- */

void
reel_child_process_free (ReelChildProcess *self)
{
  close (self->socket);
  reel_child_end_has_come (&self->end, 1000);
  reel_child_end_close (&self->end);
  close (self->memory);
  g_byte_array_unref (self->received);
  g_free (self);
}

static gboolean
refuse_end (const ReelChildProcess *self, GError **error)
{
  g_autofree char *how = NULL;

  reel_child_end_has_come (&self->end, 1000);
  how = reel_child_end_describe (&self->end, "its process");
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       how ? how : "its process closed the socket and did not end");
  return FALSE;
}

/* ---- bytes ---- */

static gint64
choose_deadline (const ReelChildProcess *self)
{
  return g_get_monotonic_time () + self->seconds * G_TIME_SPAN_SECOND;
}

/* wait_until: FALSE for a process that ended with nothing left to read, too. */
static gboolean
wait_until (ReelChildProcess *self, short events, gint64 deadline, GError **error)
{
  gint64 left;

  while ((left = deadline - g_get_monotonic_time ()) > 0)
    {
      struct pollfd wanted[] = { { self->socket, events, 0 }, { self->end.fd, POLLIN, 0 } };

      if (poll (wanted, 2, (int) MIN (left / 1000 + 1, G_MAXINT)) <= 0)
        continue;
      return wanted[0].revents != 0 || refuse_end (self, error);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT, "its process sent nothing for %d s",
               self->seconds);
  return FALSE;
}

/* receive: more bytes, at least one. */
static gboolean
receive (ReelChildProcess *self, gint64 deadline, GError **error)
{
  guint8 more[4096];
  ssize_t n;

  do
    {
      n = recv (self->socket, more, sizeof more, MSG_DONTWAIT);
      if (n < 0 && errno == EAGAIN && !wait_until (self, POLLIN, deadline, error))
        return FALSE;
    }
  while (n < 0 && (errno == EAGAIN || errno == EINTR));
  if (n <= 0)
    return refuse_end (self, error);
  g_byte_array_append (self->received, more, (guint) n);
  return TRUE;
}

static gboolean
check_quiet (ReelChildProcess *self, GError **error)
{
  char byte;
  gboolean quiet =
      self->received->len == 0 && recv (self->socket, &byte, 1, MSG_DONTWAIT | MSG_PEEK) <= 0;

  if (!quiet)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "its process sent more than was asked for");
  return quiet;
}

gboolean
reel_child_process_send (ReelChildProcess *self, gconstpointer data, gsize n, GError **error)
{
  gint64 deadline = choose_deadline (self);

  if (!check_quiet (self, error))
    return FALSE;
  for (gsize at = 0; at < n;)
    {
      ssize_t sent =
          send (self->socket, (const guint8 *) data + at, n - at, MSG_NOSIGNAL | MSG_DONTWAIT);

      if (sent > 0)
        at += (gsize) sent;
      else if (errno == EPIPE || errno == ECONNRESET)
        return refuse_end (self, error);
      else if (errno != EINTR && !wait_until (self, POLLOUT, deadline, error))
        return FALSE;
    }
  return TRUE;
}

int
reel_child_process_read_byte (ReelChildProcess *self, GError **error)
{
  int byte;

  if (self->received->len == 0 && !receive (self, choose_deadline (self), error))
    return -1;
  byte = self->received->data[0];
  g_byte_array_remove_index (self->received, 0);
  return byte;
}

static void
refuse_line (const ReelChildProcess *self, GError **error)
{
  g_autofree char *start = g_utf8_make_valid ((char *) self->received->data, SHOWN_BYTES);
  g_autofree char *shown = g_strescape (start, NULL);

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "its process sent a line of more than %d bytes: \"%s…\"", REEL_CHILD_LINE_BYTES,
               shown);
}

char *
reel_child_process_read_line (ReelChildProcess *self, GError **error)
{
  gint64 deadline = choose_deadline (self);
  GByteArray *bytes = self->received;
  const guint8 *newline = NULL;

  for (guint looked = 0;;)
    {
      if (bytes->len > looked)
        newline = memchr (bytes->data + looked, '\n', bytes->len - looked);
      if (newline)
        break;
      looked = bytes->len;
      if (looked > REEL_CHILD_LINE_BYTES)
        refuse_line (self, error);
      if (looked > REEL_CHILD_LINE_BYTES || !receive (self, deadline, error))
        return NULL;
    }

  guint length = (guint) (newline - bytes->data);
  char *line = g_utf8_make_valid ((char *) bytes->data, length);

  g_byte_array_remove_range (bytes, 0, length + 1);
  return line;
}
