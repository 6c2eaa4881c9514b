#include "interrupt.h"

#include <signal.h>

static volatile sig_atomic_t came;
static void (*volatile on_interrupt) (void);

static void
on_signal (int number)
{
  came = 1;
  if (on_interrupt)
    on_interrupt ();
  signal (number, SIG_DFL);
}

void
interrupt_watch (void (*then) (void))
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

  on_interrupt = then;
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

gboolean
interrupt_came (void)
{
  return came;
}
