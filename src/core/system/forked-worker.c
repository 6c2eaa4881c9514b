#include "forked-worker.h"

#include "../object/error.h"
#include "child-end.h"
#include "lasting-thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SPIN 50 /* µs, as of ReelWorkers */

/* µs for which a child without a CPU to spare watches the line: the time between the answers of
 * workers that began together, and a caller's own part of a step. */
#define LINGER 200

/* µs between two looks whether the other side lives. */
#define LOOK_AT_CHILD 20000
#define LOOK_AT_PARENT G_USEC_PER_SEC

struct _ReelForkedWorker
{
  ReelForkedLine *line;
  ReelChildEnd end;
  guint answered; /* the value of the gate before the answer to come */
  gboolean spins;
};

/* ---- the child ---- */

typedef struct
{
  ReelForkedLine *line;
  void (*serve) (gpointer data);
  gpointer data;
  gboolean spins;
  pid_t parent, child;
  int error;
} Start;

/* Signals are the parent's to answer, but for those that say that this process fails. */
static void
take_defaults (void)
{
  sigset_t none;

  for (int number = 1; number < NSIG; number++)
    signal (number, number == SIGINT ? SIG_IGN : SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

static void
await_request (const Start *start, guint seen)
{
  ReelGate *asked = &start->line->asked;

  if (start->spins ? reel_gate_spin (asked, seen, SPIN) : reel_gate_linger (asked, seen, LINGER))
    return;
  while (!reel_gate_wait (asked, seen, g_get_monotonic_time () + LOOK_AT_PARENT))
    if (getppid () != start->parent)
      kill (getpid (), SIGKILL);
}

/* Work at the end of the process is the parent's: only a signal ends this one. */
static void __attribute__ ((noreturn)) live (const Start *start)
{
  setpgid (0, 0);
  take_defaults ();
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  for (guint seen = 0;; seen++)
    {
      await_request (start, seen);
      start->serve (start->data);
      reel_gate_advance (&start->line->answered);
    }
}

static void
fork_child (gpointer data)
{
  Start *start = data;

  start->parent = getpid ();
  start->child = fork ();
  start->error = errno;
  if (start->child == 0)
    live (start);
}

/* ---- the parent ---- */

ReelForkedWorker *
reel_forked_worker_new (ReelForkedLine *line, void (*serve) (gpointer data), gpointer data,
                        gboolean spins, GError **error)
{
  Start start = { .line = line, .serve = serve, .data = data, .spins = spins };
  g_autofree ReelForkedWorker *self = g_new0 (ReelForkedWorker, 1);

  *line = (ReelForkedLine){ .asked.shared = TRUE, .answered.shared = TRUE };
  reel_lasting_thread_run (fork_child, &start);
  if (start.child < 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "cannot fork a worker process: %s",
                   g_strerror (start.error));
      return NULL;
    }
  /* The child does the same: whichever is first. */
  setpgid (start.child, start.child);
  self->line = line;
  self->spins = spins;
  return reel_child_end_open (&self->end, start.child, error) ? g_steal_pointer (&self) : NULL;
}

void
reel_forked_worker_ask (ReelForkedWorker *self)
{
  self->answered = reel_gate_value (&self->line->answered);
  reel_gate_advance (&self->line->asked);
}

gboolean
reel_forked_worker_has_answered (ReelForkedWorker *self)
{
  return reel_gate_value (&self->line->answered) != self->answered;
}

gboolean
reel_forked_worker_await (ReelForkedWorker *self, gint64 seconds, GError **error)
{
  ReelGate *answered = &self->line->answered;
  gint64 deadline;
  g_autofree char *how = NULL;

  if (self->spins && reel_gate_spin (answered, self->answered, SPIN))
    return TRUE;
  deadline = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;
  while (!reel_gate_wait (answered, self->answered, g_get_monotonic_time () + LOOK_AT_CHILD))
    {
      if (reel_child_end_has_come (&self->end, 0))
        {
          if (reel_forked_worker_has_answered (self))
            return TRUE;
          how = reel_child_end_describe (&self->end, "its worker process");
          g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, how);
          return FALSE;
        }
      if (g_get_monotonic_time () >= deadline)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT,
                       "its worker process did not answer for %" G_GINT64_FORMAT " s", seconds);
          return FALSE;
        }
    }
  return TRUE;
}

void
reel_forked_worker_kill (ReelForkedWorker *self)
{
  kill (self->end.pid, SIGKILL); /* not waited for yet, so the number is still its own */
}

void
reel_forked_worker_free (ReelForkedWorker *self)
{
  reel_child_end_close (&self->end);
  g_free (self);
}
