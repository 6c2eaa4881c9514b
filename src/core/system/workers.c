#include "workers.h"
#include "cpus.h"
#include "../object/error.h"
#include "gate.h"
#include "thread.h"

#include <stdbool.h>

#define MAX_WORKERS 1024
#define CACHE_LINE 64
#define SPIN_MICROSECONDS                                                                          \
  50 /* what waking a sleeper costs: spinning so long at most doubles any wait */

/* A thread and the share of the work that is meant for it. */
typedef struct
{
  _Alignas(CACHE_LINE) atomic_uint taken; /* the last run whose share was begun by anybody */
  ReelWorkers *workers;
  gint index;
  pthread_t id;
} Thread;

struct _ReelWorkers
{
  Thread *threads; /* of workers 1 … n - 1 */
  gint n_workers, n_cpus;
  gboolean fits; /* a CPU for each worker */
  ReelWorkersFunc fn;
  gpointer data;
  atomic_bool running, ending;
  _Alignas(CACHE_LINE) ReelGate begun;    /* advanced by the caller, once a run */
  _Alignas(CACHE_LINE) ReelGate finished; /* by the worker that finishes last */
  atomic_int unfinished;
};

/* Threads of all sets that are not asleep. */
static atomic_int n_awake;

/* Spinning helps nobody where a thread that has work waits for this CPU. One more is for the
 * caller. */
static gboolean
may_spin (const ReelWorkers *workers)
{
  return workers->fits && atomic_load_explicit (&n_awake, memory_order_relaxed) < workers->n_cpus;
}

static void
wait_begun (ReelWorkers *workers, guint seen)
{
  if (may_spin (workers) && reel_gate_spin (&workers->begun, seen, SPIN_MICROSECONDS))
    return;
  atomic_fetch_sub_explicit (&n_awake, 1, memory_order_relaxed);
  reel_gate_wait (&workers->begun, seen, -1);
  atomic_fetch_add_explicit (&n_awake, 1, memory_order_relaxed);
}

/* A share belongs to the first that takes it: its thread, or the caller where that comes late. No
 * run ends before all its shares were taken, so the one before is what a share still to be had
 * shows. */
static gboolean
take_share (Thread *thread, guint run)
{
  guint before = run - 1;

  return atomic_compare_exchange_strong_explicit (&thread->taken, &before, run,
                                                  memory_order_acq_rel, memory_order_relaxed);
}

/* Returns whether it was the last. */
static gboolean
do_share (ReelWorkers *workers, gint index)
{
  workers->fn (workers->data, index, workers->n_workers);
  return atomic_fetch_sub_explicit (&workers->unfinished, 1, memory_order_acq_rel) == 1;
}

static void *
work (void *data)
{
  Thread *thread = data;
  ReelWorkers *workers = thread->workers;

  atomic_fetch_add_explicit (&n_awake, 1, memory_order_relaxed);
  for (guint run = 0;;)
    {
      wait_begun (workers, run);
      run = reel_gate_value (&workers->begun);
      if (atomic_load_explicit (&workers->ending, memory_order_relaxed))
        break;
      if (take_share (thread, run) && do_share (workers, thread->index))
        reel_gate_advance (&workers->finished);
    }
  atomic_fetch_sub_explicit (&n_awake, 1, memory_order_relaxed);
  return NULL;
}

/* Starts threads until n_workers are there; returns 0 or why the system refused the next. */
static int
start (ReelWorkers *workers, gint n_workers)
{
  while (workers->n_workers < n_workers)
    {
      Thread *thread = &workers->threads[workers->n_workers];
      char name[16];
      int result;

      thread->workers = workers;
      thread->index = workers->n_workers;
      g_snprintf (name, sizeof name, "reel-worker-%d", thread->index);
      result = reel_thread_start (&thread->id, name, work, thread);
      if (result != 0)
        return result;
      workers->n_workers++;
    }
  return 0;
}

ReelWorkers *
reel_workers_new (gint n_workers, GError **error)
{
  gint n_cpus = reel_cpu_count ();
  gint wanted = n_workers == 0 ? MIN (n_cpus, MAX_WORKERS) : n_workers;
  ReelWorkers *workers;
  int result;

  if (wanted < 0 || wanted > MAX_WORKERS)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%d workers: must be 1 to %d, or 0 for one a CPU", n_workers, MAX_WORKERS);
      return NULL;
    }
  workers = g_aligned_alloc0 (1, sizeof *workers, CACHE_LINE);
  workers->threads = g_aligned_alloc0 ((gsize) wanted, sizeof (Thread), CACHE_LINE);
  workers->n_cpus = n_cpus;
  workers->fits = wanted <= n_cpus;
  workers->n_workers = 1;
  result = start (workers, wanted);
  if (result == 0 || n_workers == 0)
    return workers;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%d workers: the system refused thread %d: %s; ask for fewer", n_workers,
               workers->n_workers, g_strerror (result));
  reel_workers_free (workers);
  return NULL;
}

void
reel_workers_free (ReelWorkers *workers)
{
  if (!workers)
    return;
  g_return_if_fail (!atomic_load (&workers->running));
  atomic_store_explicit (&workers->ending, true, memory_order_relaxed);
  reel_gate_advance (&workers->begun);
  for (gint i = 1; i < workers->n_workers; i++)
    pthread_join (workers->threads[i].id, NULL);
  g_aligned_free (workers->threads);
  g_aligned_free (workers);
}

gint
reel_workers_count (const ReelWorkers *workers)
{
  return workers->n_workers;
}

/* Shares of late threads: waiting for a thread that has no CPU costs a slice of the scheduler's
 * time. Returns whether that finished the run. */
static gboolean
do_shares_left (ReelWorkers *workers, guint run)
{
  gboolean last = FALSE;

  for (gint i = 1; i < workers->n_workers; i++)
    if (take_share (&workers->threads[i], run))
      last = do_share (workers, i);
  return last;
}

void
reel_workers_run (ReelWorkers *workers, ReelWorkersFunc fn, gpointer data)
{
  guint seen, run;

  g_return_if_fail (fn != NULL);
  if (workers->n_workers == 1)
    {
      fn (data, 0, 1);
      return;
    }
  g_return_if_fail (!atomic_exchange_explicit (&workers->running, true, memory_order_acquire));
  seen = reel_gate_value (&workers->finished);
  workers->fn = fn;
  workers->data = data;
  atomic_store_explicit (&workers->unfinished, workers->n_workers - 1, memory_order_relaxed);
  run = reel_gate_value (&workers->begun) + 1;
  reel_gate_advance (&workers->begun);
  fn (data, 0, workers->n_workers);
  if (!do_shares_left (workers, run)
      && (!may_spin (workers) || !reel_gate_spin (&workers->finished, seen, SPIN_MICROSECONDS)))
    reel_gate_wait (&workers->finished, seen, -1);
  atomic_store_explicit (&workers->running, false, memory_order_release);
}

void
reel_workers_partition (gint64 n_items, gint64 multiple, gint worker, gint n_workers, gint64 *begin,
                        gint64 *end)
{
  gint64 units = MAX (n_items / multiple, 1);
  gint64 each = units / n_workers, odd = units % n_workers;
  gint64 first = worker * each + MIN (worker, odd), after = first + each + (worker < odd);

  *begin = first == units ? n_items : first * multiple;
  *end = after == units ? n_items : after * multiple;
}

void
reel_workers_claim_init (ReelWorkersClaim *claim, gint64 n_items, gint64 chunk)
{
  atomic_init (&claim->next, 0);
  claim->n_items = n_items;
  claim->chunk = chunk;
}

/* Order comes from the run around it: a relaxed addition is enough. The look before keeps the
 * counter from growing. */
gboolean
reel_workers_claim (ReelWorkersClaim *claim, gint64 *begin, gint64 *end)
{
  if (atomic_load_explicit (&claim->next, memory_order_relaxed) >= claim->n_items)
    return FALSE;
  *begin = atomic_fetch_add_explicit (&claim->next, claim->chunk, memory_order_relaxed);
  if (*begin >= claim->n_items)
    return FALSE;
  *end = claim->n_items - *begin > claim->chunk ? *begin + claim->chunk : claim->n_items;
  return TRUE;
}
