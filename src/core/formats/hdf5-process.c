/* The process that HDF5 works in. */
#include "hdf5-private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 60            /* that anything may take */
#define BYTES_A_SECOND 131072 /* as slow as it may be beyond them, with many small datasets */

#define FORKS 10
#define MOST_SILENCE 5000 /* milliseconds of a child before its first calls of HDF5 return */

typedef struct
{
  pid_t child;
  int fault;
  int line; /* of the child, to say that its calls return */
} Fork;

static gboolean
hears_child (int line)
{
  struct pollfd wanted = { line, POLLIN, 0 };

  return poll (&wanted, 1, MOST_SILENCE) > 0;
}

static pid_t
fork_once (int ends[2])
{
  pid_t child = fork ();

  if (child <= 0 || hears_child (ends[0]))
    return child;
  kill (child, SIGKILL);
  while (waitpid (child, NULL, 0) < 0 && errno == EINTR)
    ;
  errno = EAGAIN;
  return -1;
}

/* Another thread that takes or leaves the lock of HDF5 holds locks of that lock for a moment: a
 * child of that moment waits for ever. By the next fork the thread is asleep. */
static herr_t
fork_here (unsigned n, const H5E_error2_t *complaint, void *data)
{
  Fork *made = data;
  int ends[2];

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    {
      made->fault = errno;
      return 0;
    }
  for (gint i = 0; i < FORKS && made->child < 0; i++)
    made->child = fork_once (ends);
  made->fault = errno;
  close (ends[0]);
  if (made->child == 0)
    made->line = ends[1];
  else
    close (ends[1]);
  return 0;
}

/* In the child, where the call that it was made in has returned: so will the others. */
static void
say_it_works (int line)
{
  unsigned major, minor, release;

  H5get_libversion (&major, &minor, &release);
  send (line, "", 1, MSG_NOSIGNAL);
  close (line);
}

/* Where the program uses HDF5 in another thread, a child could find it in the middle of something,
 * and its lock taken for ever. It holds the lock while it calls back, here to show a complaint. */
static pid_t
fork_between_calls (void)
{
  hid_t stack = H5Ecreate_stack ();
  Fork made = { -1, ENOMEM, -1 };

  if (stack >= 0
      && H5Epush2 (stack, "hdf5-process.c", "fork", 0, H5E_ERR_CLS, H5E_NONE_MAJOR, H5E_NONE_MINOR,
                   "none")
             >= 0)
    H5Ewalk2 (stack, H5E_WALK_UPWARD, fork_here, &made);
  reel_hdf5_close (&stack);
  if (made.child == 0)
    say_it_works (made.line);
  errno = made.fault;
  return made.child;
}

/* How long the child may work on so many bytes before it says something. */
static gint
find_patience (gsize bytes)
{
  return SECONDS + (gint) MIN (bytes / BYTES_A_SECOND, G_MAXINT / 2);
}

ReelTensordict *
reel_hdf5_run_telling (ReelIsolatedFunc run, gconstpointer data, gsize bytes,
                       ReelIsolatedTakeFunc take, gpointer taker, GError **error)
{
  return reel_isolated_run_telling (run, data, take, taker, fork_between_calls,
                                    find_patience (bytes), error);
}

ReelTensordict *
reel_hdf5_run (ReelIsolatedFunc run, gconstpointer data, gsize bytes, GError **error)
{
  return reel_hdf5_run_telling (run, data, bytes, NULL, NULL, error);
}
