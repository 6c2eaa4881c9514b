#include "interrupt.h"

#include <signal.h>

static volatile sig_atomic_t came;
static void (*volatile on_first) (void);
static void (*volatile on_second) (void);

static void
on_signal (int number)
{
  gboolean first = came == 0;

  if (first)
    came = number;
  if (first && on_first)
    on_first ();
  if (first || !on_second)
    return;
  on_second ();
  signal (number, SIG_DFL);
  raise (number);
}

void
interrupt_watch (void (*first) (void), void (*second) (void))
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;

  on_first = first;
  on_second = second;
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      sigaction (numbers[i], &action, &before);
      if (before.sa_handler == SIG_IGN && numbers[i] == SIGHUP) /* nohup */
        signal (numbers[i], SIG_IGN);
    }
}

void
interrupt_end (void)
{
}

gboolean
interrupt_came (void)
{
  return came != 0;
}

int
interrupt_status (void)
{
  return came ? 128 + came : 0;
}
