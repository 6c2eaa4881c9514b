#include "gate.h"

#include <sched.h>
#include <time.h>

#define PAUSES_PER_LOOK 32 /* at the clock, which costs as much as a few pauses */

#if defined(__linux__) && !defined(REEL_GATE_PORTABLE)

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sleeps while the gate has the value seen; may return early for no reason. */
static void
sleep_while (ReelGate *gate, guint seen, gint64 microseconds)
{
  struct timespec limit = { microseconds / G_USEC_PER_SEC, microseconds % G_USEC_PER_SEC * 1000 };
  int operation = gate->shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE;

  syscall (SYS_futex, &gate->value, operation, seen, microseconds < 0 ? NULL : &limit, NULL, 0);
}

static void
wake_all (ReelGate *gate)
{
  syscall (SYS_futex, &gate->value, gate->shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, G_MAXINT, NULL,
           NULL, 0);
}

#else

#include <pthread.h>

/* One for all gates: few threads sleep at a time, and a needless wake-up only costs a look. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

#define SHARED_LOOK 500 /* µs between two looks at a gate that another process may advance */

static void
sleep_while (ReelGate *gate, guint seen, gint64 microseconds)
{
  if (gate->shared)
    microseconds = microseconds < 0 ? SHARED_LOOK : MIN (microseconds, SHARED_LOOK);
  pthread_mutex_lock (&mutex);
  if (atomic_load (&gate->value) == seen)
    {
      if (microseconds < 0)
        pthread_cond_wait (&changed, &mutex);
      else
        {
          gint64 until = g_get_real_time () + microseconds;
          struct timespec limit = { until / G_USEC_PER_SEC, until % G_USEC_PER_SEC * 1000 };

          pthread_cond_timedwait (&changed, &mutex, &limit);
        }
    }
  pthread_mutex_unlock (&mutex);
}

static void
wake_all (ReelGate *gate)
{
  (void) gate;
  pthread_mutex_lock (&mutex);
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&mutex);
}

#endif

static void
pause_briefly (void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

guint
reel_gate_value (ReelGate *gate)
{
  return atomic_load_explicit (&gate->value, memory_order_acquire);
}

/* Sequentially consistent on both sides: either the sleeper sees the new value, or this sees the
 * sleeper. */
void
reel_gate_advance (ReelGate *gate)
{
  atomic_fetch_add (&gate->value, 1);
  if (atomic_load (&gate->sleepers) > 0)
    wake_all (gate);
}

gboolean
reel_gate_spin (ReelGate *gate, guint seen, gint64 microseconds)
{
  gint64 deadline = -1;

  for (;;)
    {
      for (int i = 0; i < PAUSES_PER_LOOK; i++)
        {
          if (atomic_load_explicit (&gate->value, memory_order_acquire) != seen)
            return TRUE;
          pause_briefly ();
        }
      if (deadline < 0)
        deadline = g_get_monotonic_time () + microseconds;
      else if (g_get_monotonic_time () >= deadline)
        return FALSE;
    }
}

gboolean
reel_gate_linger (ReelGate *gate, guint seen, gint64 microseconds)
{
  gint64 deadline = g_get_monotonic_time () + microseconds;

  while (reel_gate_value (gate) == seen)
    {
      if (g_get_monotonic_time () >= deadline)
        return FALSE;
      sched_yield ();
    }
  return TRUE;
}

gboolean
reel_gate_wait (ReelGate *gate, guint seen, gint64 deadline)
{
  gboolean passed;

  atomic_fetch_add (&gate->sleepers, 1);
  while (!(passed = atomic_load (&gate->value) != seen))
    {
      gint64 left = deadline < 0 ? -1 : deadline - g_get_monotonic_time ();

      if (deadline >= 0 && left <= 0)
        break;
      sleep_while (gate, seen, left);
    }
  atomic_fetch_sub (&gate->sleepers, 1);
  return passed;
}
