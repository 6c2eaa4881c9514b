#include "child-end.h"

#include "../object/error.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void
kill_group (GPid pid)
{
  /* Before the child made its group, there is none of its number. */
  kill (pid, SIGKILL);
  kill (-pid, SIGKILL);
  while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
    ;
}

gboolean
reel_child_end_open (ReelChildEnd *self, GPid pid, GError **error)
{
  *self = (ReelChildEnd){ pid, pidfd_open (pid, 0) }; /* closed by exec, as all such descriptors */
  if (self->fd >= 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "cannot watch a process: %s",
               g_strerror (errno));
  kill_group (pid);
  return FALSE;
}

/* look: how the child ended, if it did. */
static gboolean
look (const ReelChildEnd *self, siginfo_t *how)
{
  *how = (siginfo_t){ 0 };
  return waitid (P_PID, (id_t) self->pid, how, WEXITED | WNOHANG | WNOWAIT) == 0
         && how->si_pid == self->pid;
}

gboolean
reel_child_end_has_come (const ReelChildEnd *self, int milliseconds)
{
  struct pollfd end = { self->fd, POLLIN, 0 };
  siginfo_t how;

  while (poll (&end, 1, milliseconds) < 0 && errno == EINTR)
    ;
  return look (self, &how);
}

char *
reel_child_end_describe (const ReelChildEnd *self, const char *name)
{
  siginfo_t how;

  if (!look (self, &how))
    return NULL;
  if (how.si_code == CLD_EXITED)
    return g_strdup_printf ("%s exited with status %d", name, how.si_status);
  return g_strdup_printf ("signal %d (%s) ended %s", how.si_status, g_strsignal (how.si_status),
                          name);
}

void
reel_child_end_close (ReelChildEnd *self)
{
  kill_group (self->pid);
  close (self->fd);
}
