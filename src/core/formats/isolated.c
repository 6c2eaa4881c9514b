/* Runs a function in a forked child, which sends its result through a socket. The parent believes
 * no number of it: a crash may have followed any write. */
#include "isolated.h"

#include "../object/error.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_TEXT (1 << 20) /* bytes of a path or message */

/* The kinds of messages. Each is this number, then its contents. */
enum
{
  FAILED,  /* a code, a text */
  TENSOR,  /* a path, dtype, ndim, shape, the elements */
  FLAG,    /* a path, 0 or 1 */
  NUMBER,  /* a path, a number */
  NUMBERS, /* a path, how many, the numbers */
  TOLD,    /* how many, the numbers: no part of the result */
  DONE
};

/* ---- the child ---- */

/* A parent that is gone needs nothing more. */
static void
send_bytes (int fd, gconstpointer data, gsize n)
{
  const char *at = data;

  while (n > 0)
    {
      ssize_t sent = send (fd, at, n, MSG_NOSIGNAL);

      if (sent < 0 && errno == EINTR)
        continue;
      if (sent <= 0)
        return;
      at += sent;
      n -= (gsize) sent;
    }
}

static void
send_number (int fd, gint64 number)
{
  send_bytes (fd, &number, sizeof number);
}

static void
send_text (int fd, const char *text)
{
  gsize n = MIN (strlen (text), MOST_TEXT);

  send_number (fd, (gint64) n);
  send_bytes (fd, text, n);
}

static void
send_failure (int fd, const GError *failure)
{
  send_number (fd, FAILED);
  send_number (fd, failure && failure->domain == REEL_ERROR ? failure->code : REEL_ERROR_RUNTIME);
  send_text (fd, failure ? failure->message : "nothing was made, without a reason");
}

static void
send_tensor (int fd, const char *path, const ReelTensor *tensor)
{
  send_number (fd, TENSOR);
  send_text (fd, path);
  send_number (fd, tensor->dtype);
  send_number (fd, tensor->ndim);
  send_bytes (fd, tensor->shape, (gsize) tensor->ndim * sizeof *tensor->shape);
  send_bytes (fd, tensor->data, reel_tensor_nbytes (tensor));
}

static void
send_list (int fd, GVariant *list)
{
  gsize n = g_variant_n_children (list);

  send_number (fd, (gint64) n);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (list, i);
      g_autoptr (GVariant) number = g_variant_get_variant (item);

      send_number (fd, g_variant_get_int64 (number));
    }
}

static void
send_value (int fd, const char *path, GVariant *value)
{
  gboolean is_flag = g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN);
  gboolean is_list = g_variant_is_of_type (value, G_VARIANT_TYPE ("av"));

  send_number (fd, is_flag ? FLAG : is_list ? NUMBERS : NUMBER);
  send_text (fd, path);
  if (is_list)
    send_list (fd, value);
  else
    send_number (fd, is_flag ? g_variant_get_boolean (value) : g_variant_get_int64 (value));
}

static void
send_all (int fd, const ReelTensordict *td)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  g_auto (GStrv) others = reel_tensordict_list_non_tensors (td);

  for (gsize i = 0; leaves[i]; i++)
    {
      g_autoptr (ReelTensor) dense =
          reel_tensor_contiguous (reel_tensordict_get_tensor (td, leaves[i], NULL), NULL);

      if (!dense)
        return; /* as after a crash */
      send_tensor (fd, leaves[i], dense);
    }
  for (gsize i = 0; others[i]; i++)
    {
      g_autoptr (GVariant) value = reel_tensordict_dup_value (td, others[i], NULL);

      send_value (fd, others[i], value);
    }
  send_number (fd, DONE);
}

void
reel_isolated_tell (int line, const gint64 *numbers, gint64 n)
{
  send_number (line, TOLD);
  send_number (line, n);
  send_bytes (line, numbers, (gsize) n * sizeof *numbers);
}

/* A crash is quiet, and Ctrl-C is for the parent to answer. */
static void
be_quiet (int fd)
{
  const struct rlimit no_core = { 0, 0 };

  for (int number = 1; number < NSIG; number++)
    signal (number, number == SIGINT || number == SIGXFSZ ? SIG_IGN : SIG_DFL);
  setrlimit (RLIMIT_CORE, &no_core);
  if (fd != STDERR_FILENO)
    close (STDERR_FILENO);
}

/* Work at the end of the process is the parent's. */
static void __attribute__ ((noreturn)) live (int fd, ReelIsolatedFunc run, gconstpointer data)
{
  GError *failure = NULL;
  ReelTensordict *td;

  be_quiet (fd);
  /* A child whose parent is gone has nobody to send to. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  td = run (data, fd, &failure);
  if (td)
    send_all (fd, td);
  else
    send_failure (fd, failure);
  for (;;)
    kill (getpid (), SIGKILL);
}

/* ---- the parent ---- */

typedef struct
{
  int fd;
  gboolean *heard; /* set once the child said something */
  gint seconds;
  ReelIsolatedTakeFunc take;
  gpointer taker;
  GError **error;
} Line;

static gboolean
wait_for_bytes (const Line *line)
{
  gint64 deadline = g_get_monotonic_time () + line->seconds * G_TIME_SPAN_SECOND, left;

  while ((left = deadline - g_get_monotonic_time ()) > 0)
    {
      struct pollfd wanted = { line->fd, POLLIN, 0 };

      if (poll (&wanted, 1, (int) (left / 1000) + 1) > 0)
        return TRUE;
    }
  g_set_error (line->error, REEL_ERROR, REEL_ERROR_TIMEOUT,
               "the process that works on it said nothing for %d seconds", line->seconds);
  return FALSE;
}

static gboolean
receive (const Line *line, gpointer data, gsize n)
{
  char *at = data;

  while (n > 0)
    {
      ssize_t received;

      if (!wait_for_bytes (line))
        return FALSE;
      received = recv (line->fd, at, n, 0);
      if (received < 0 && errno == EINTR)
        continue;
      if (received <= 0)
        {
          g_set_error_literal (line->error, REEL_ERROR, REEL_ERROR_DAMAGED,
                               "the process that works on it crashed: it is damaged in a way that "
                               "its library does not notice");
          return FALSE;
        }
      *line->heard = TRUE;
      at += received;
      n -= (gsize) received;
    }
  return TRUE;
}

/* A process that crashed may have written anything before. */
static gboolean
receive_number (const Line *line, gint64 low, gint64 high, gint64 *number)
{
  if (!receive (line, number, sizeof *number))
    return FALSE;
  if (*number < low || *number > high)
    g_set_error_literal (line->error, REEL_ERROR, REEL_ERROR_DAMAGED,
                         "the process that works on it talks nonsense");
  return *number >= low && *number <= high;
}

static char *
receive_text (const Line *line)
{
  g_autofree char *text = NULL;
  gint64 n;

  if (!receive_number (line, 0, MOST_TEXT, &n))
    return NULL;
  text = g_malloc0 ((gsize) n + 1);
  return receive (line, text, (gsize) n) ? g_steal_pointer (&text) : NULL;
}

static gboolean
receive_failure (const Line *line)
{
  g_autofree char *text = NULL, *shown = NULL;
  gint64 code;

  if (!receive_number (line, 0, G_MAXINT32, &code) || !(text = receive_text (line)))
    return FALSE;
  shown = g_utf8_make_valid (text, -1);
  g_set_error_literal (line->error, REEL_ERROR, (gint) code, shown);
  return FALSE;
}

static gboolean
receive_tensor (const Line *line, const char *path, ReelTensordict *td)
{
  gint64 dtype, ndim, shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) tensor = NULL;

  if (!receive_number (line, 0, REEL_DTYPE_COMPLEX128, &dtype)
      || !receive_number (line, 0, REEL_MAX_NDIM, &ndim)
      || !receive (line, shape, (gsize) ndim * sizeof *shape))
    return FALSE;
  tensor = reel_tensor_new ((ReelDtype) dtype, (gint) ndim, shape, line->error);
  return tensor && receive (line, tensor->data, reel_tensor_nbytes (tensor))
         && reel_tensordict_set_tensor (td, path, tensor, line->error);
}

static gint64 *
receive_list (const Line *line, gint64 *n)
{
  g_autofree gint64 *numbers = NULL;

  if (!receive_number (line, 0, REEL_ISOLATED_MOST, n))
    return NULL;
  numbers = g_new (gint64, *n + 1);
  return receive (line, numbers, (gsize) *n * sizeof *numbers) ? g_steal_pointer (&numbers) : NULL;
}

static gboolean
receive_told (const Line *line)
{
  gint64 n;
  g_autofree gint64 *numbers = receive_list (line, &n);

  return numbers && (!line->take || line->take (line->taker, numbers, n, line->error));
}

static gboolean
receive_numbers (const Line *line, const char *path, ReelTensordict *td)
{
  gint64 n;
  g_autofree gint64 *numbers = receive_list (line, &n);

  return numbers
         && reel_tensordict_set_value (
             td, path,
             g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, numbers, (gsize) n, sizeof *numbers),
             line->error);
}

static gboolean
receive_value (const Line *line, gint64 kind, const char *path, ReelTensordict *td)
{
  gint64 number;

  if (!receive_number (line, kind == FLAG ? 0 : G_MININT64, kind == FLAG ? 1 : G_MAXINT64, &number))
    return FALSE;
  return reel_tensordict_set_value (td, path,
                                    kind == FLAG ? g_variant_new_boolean ((gboolean) number)
                                                 : g_variant_new_int64 (number),
                                    line->error);
}

static gboolean
receive_all (const Line *line, ReelTensordict *td)
{
  gint64 kind;

  while (receive_number (line, FAILED, DONE, &kind))
    {
      g_autofree char *path = NULL;

      if (kind == DONE)
        return TRUE;
      if (kind == FAILED)
        return receive_failure (line);
      if (kind == TOLD)
        {
          if (!receive_told (line))
            return FALSE;
          continue;
        }
      path = receive_text (line);
      if (!path
          || !(kind == TENSOR    ? receive_tensor (line, path, td)
               : kind == NUMBERS ? receive_numbers (line, path, td)
                                 : receive_value (line, kind, path, td)))
        return FALSE;
    }
  return FALSE;
}

/* Waits for the end of the child. */
static int
get_status (pid_t child)
{
  int status = 0;

  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

/* A page of a mapped file that is not there any more is no fault of the library that reads it. */
static GError *
explain_failure (GError *failure, int status)
{
  if (!g_error_matches (failure, REEL_ERROR, REEL_ERROR_DAMAGED) || !WIFSIGNALED (status)
      || WTERMSIG (status) != SIGBUS)
    return failure;
  g_error_free (failure);
  return g_error_new_literal (REEL_ERROR, REEL_ERROR_DAMAGED,
                              "a part is not there: the file was cut after it was opened, or its "
                              "disk is full or failed");
}

/* The work of a child. */
typedef struct
{
  ReelIsolatedFunc run;
  gconstpointer data;
  ReelIsolatedTakeFunc take;
  gpointer taker;
  ReelForkFunc fork_func;
  gint seconds;
  gboolean heard; /* whether it said anything */
} Work;

static ReelTensordict *
run_once (Work *work, GError **error)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (GError) failure = NULL;
  int ends[2] = { -1, -1 };
  pid_t child = -1;
  gboolean whole;

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
    child = work->fork_func ? work->fork_func () : fork ();
  if (child == 0)
    {
      close (ends[0]);
      live (ends[1], work->run, work->data);
    }
  if (child < 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "no process can be made for it: %s",
                   g_strerror (errno));
      if (ends[0] >= 0)
        close (ends[0]), close (ends[1]);
      return NULL;
    }
  close (ends[1]);
  whole = receive_all (
      &(Line){ ends[0], &work->heard, work->seconds, work->take, work->taker, &failure }, td);
  close (ends[0]);
  /* One that still runs is still ours. */
  if (!whole)
    kill (child, SIGKILL);
  failure = explain_failure (g_steal_pointer (&failure), get_status (child));
  if (whole)
    return g_steal_pointer (&td);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

/* A child of the moment in which another thread holds a lock, such as that of a sanitizer's memory,
 * waits for it for ever. One that never said anything is made a second time. */
ReelTensordict *
reel_isolated_run_telling (ReelIsolatedFunc run, gconstpointer data, ReelIsolatedTakeFunc take,
                           gpointer taker, ReelForkFunc fork_func, gint seconds, GError **error)
{
  Work work = { run, data, take, taker, fork_func, seconds, FALSE };
  g_autoptr (GError) failure = NULL;
  ReelTensordict *td = run_once (&work, &failure);

  if (!td && !work.heard && g_error_matches (failure, REEL_ERROR, REEL_ERROR_TIMEOUT))
    {
      g_clear_error (&failure);
      td = run_once (&work, &failure);
    }
  if (!td)
    g_propagate_error (error, g_steal_pointer (&failure));
  return td;
}

ReelTensordict *
reel_isolated_run (ReelIsolatedFunc run, gconstpointer data, ReelForkFunc fork_func, gint seconds,
                   GError **error)
{
  return reel_isolated_run_telling (run, data, NULL, NULL, fork_func, seconds, error);
}
