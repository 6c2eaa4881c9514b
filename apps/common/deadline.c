#include "deadline.h"

#include <math.h>
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t over;
static void (*volatile on_passed) (void);

static void
on_alarm (int number)
{
  (void) number;
  over = 1;
  if (on_passed)
    on_passed ();
}

void
deadline_watch (double seconds, void (*passed) (void))
{
  struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
  double whole = floor (seconds);
  struct itimerval timer = { .it_value = { (time_t) whole,
                                           (suseconds_t) ((seconds - whole) * 1e6) } };

  if (seconds < 1e-6)
    timer.it_value.tv_usec = 1; /* a timer of 0 never fires */
  on_passed = passed;
  sigaction (SIGALRM, &action, NULL);
  setitimer (ITIMER_REAL, &timer, NULL);
}

gboolean
deadline_passed (void)
{
  return over != 0;
}
