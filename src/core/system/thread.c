#include "thread.h"

#include <signal.h>

int
reel_thread_start (pthread_t *thread, const char *name, void *(*run) (void *), void *data)
{
  sigset_t all, before;
  int result;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
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
