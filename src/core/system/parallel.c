#include "parallel.h"

#include "cpus.h"
#include "workers.h"

typedef struct
{
  ReelWorkersClaim claim;
  ReelParallelFunc func;
  gpointer data;
  _Atomic (GError *) fault; /* the first */
} Run;

static void
work (gpointer data, gint worker, gint n_workers)
{
  Run *run = data;
  gint64 item, end;

  while (!atomic_load_explicit (&run->fault, memory_order_relaxed)
         && reel_workers_claim (&run->claim, &item, &end))
    {
      GError *fault = NULL, *none = NULL;
      if (!run->func (run->data, item, &fault)
          && !atomic_compare_exchange_strong (&run->fault, &none, fault))
        g_error_free (fault);
    }
}

gboolean
reel_parallel_run (gint64 n_threads, gint64 n_items, ReelParallelFunc func, gpointer data,
                   GError **error)
{
  gint64 wanted = MIN (MIN (n_threads, n_items), reel_cpu_count ());
  Run run = { .func = func, .data = data };
  g_autoptr (ReelWorkers) workers = wanted > 1 ? reel_workers_new ((gint) wanted, NULL) : NULL;

  atomic_init (&run.fault, NULL);
  reel_workers_claim_init (&run.claim, n_items, 1);
  if (workers)
    reel_workers_run (workers, work, &run);
  else
    work (&run, 0, 1);
  GError *fault = atomic_load (&run.fault);
  if (fault)
    g_propagate_error (error, fault);
  return !fault;
}
