#include "lasting-thread.h"

#include "gate.h"
#include "thread.h"
#include "turns.h"

static ReelTurns turns;
static gboolean started;
static ReelGate asked, done;
static void (*work) (gpointer);
static gpointer work_data;

static void *
serve (void *unused)
{
  (void) unused;
  for (guint seen = 0;; seen++)
    {
      reel_gate_wait (&asked, seen, -1);
      work (work_data);
      reel_gate_advance (&done);
    }
  return NULL;
}

/* forget: in a fork of the process, where the thread is not, and nobody waits for it. */
static void
forget (void)
{
  turns = (ReelTurns){ 0 };
  asked = done = (ReelGate){ 0 };
  started = FALSE;
}

/* start: whether there is a thread. */
static gboolean
start (void)
{
  static gboolean forgets;
  pthread_t thread;

  if (started)
    return TRUE;
  if (!forgets && pthread_atfork (NULL, NULL, forget) != 0)
    return FALSE;
  forgets = TRUE;
  if (reel_thread_start (&thread, "reel-forks", serve, NULL) != 0)
    return FALSE;
  pthread_detach (thread);
  started = TRUE;
  return TRUE;
}

void
reel_lasting_thread_run (void (*run) (gpointer data), gpointer data)
{
  reel_turns_take (&turns);
  if (start ())
    {
      guint seen = reel_gate_value (&done);

      work = run;
      work_data = data;
      reel_gate_advance (&asked);
      reel_gate_wait (&done, seen, -1);
    }
  else
    run (data);
  reel_turns_pass (&turns);
}
