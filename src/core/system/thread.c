#include "thread.h"

#include <signal.h>

/* Signals that an instruction of the thread itself raises: a blocked one ends the process, whatever
 * handler it has. */
static const int own_signals[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };

int
reel_thread_start (pthread_t *thread, const char *name, void *(*run) (void *), void *data)
{
  sigset_t blocked, before;
  int result;

  sigfillset (&blocked);
  for (gsize i = 0; i < G_N_ELEMENTS (own_signals); i++)
    sigdelset (&blocked, own_signals[i]);
  pthread_sigmask (SIG_SETMASK, &blocked, &before);
  result = pthread_create (thread, NULL, run, data);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
#ifdef __linux__
  if (result == 0)
    {
      char cut[16];

      g_strlcpy (cut, name, sizeof cut);
      pthread_setname_np (*thread, cut);
    }
#endif
  return result;
}
