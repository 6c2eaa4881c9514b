#include "parallel.h"

#include "cpus.h"
#include "workers.h"

/* The error of a worker, and where it was. */
typedef struct
{
  gint64 item;
  GError *error;
} Fault;

typedef struct
{
  ReelWorkersClaim claim;
  ReelParallelFunc func;
  gpointer data;
  atomic_bool failed;
  Fault *faults; /* of each worker */
} Run;

static void
work (gpointer data, gint worker, gint n_workers)
{
  Run *run = data;
  Fault *fault = &run->faults[worker];
  gint64 end;

  while (!atomic_load_explicit (&run->failed, memory_order_relaxed)
         && reel_workers_claim (&run->claim, &fault->item, &end))
    if (!run->func (run->data, fault->item, &fault->error))
      {
        atomic_store_explicit (&run->failed, TRUE, memory_order_relaxed);
        return;
      }
}

/* Items before one that failed have been begun: which error it is does not depend on threads. */
static gboolean
end (const Fault *faults, gint n, GError **error)
{
  const Fault *first = NULL;

  for (gint i = 0; i < n; i++)
    if (faults[i].error && (!first || faults[i].item < first->item))
      first = &faults[i];
  for (gint i = 0; i < n; i++)
    if (faults[i].error && &faults[i] != first)
      g_error_free (faults[i].error);
  if (first)
    g_propagate_error (error, first->error);
  return !first;
}

gboolean
reel_parallel_run (gint64 n_threads, gint64 n_items, ReelParallelFunc func, gpointer data,
                   GError **error)
{
  gint64 wanted = MIN (MIN (n_threads, n_items), reel_cpu_count ());
  Run run = { .func = func, .data = data };
  g_autoptr (ReelWorkers) workers = wanted > 1 ? reel_workers_new ((gint) wanted, NULL) : NULL;
  const gint n_workers = workers ? reel_workers_count (workers) : 1;
  g_autofree Fault *faults = g_new0 (Fault, n_workers);

  run.faults = faults;
  reel_workers_claim_init (&run.claim, n_items, 1);
  if (workers)
    reel_workers_run (workers, work, &run);
  else
    work (&run, 0, 1);
  return end (faults, n_workers, error);
}
