#include "worker-crew.h"

#include "../core/system/cpus.h"
#include "../core/system/errands.h"
#include "../core/system/forked-worker.h"
#include "../core/system/mapping.h"
#include "../core/system/workers.h"

#include <stdatomic.h>

#define LINE 64
#define MOST_MESSAGE 2000 /* bytes of what a worker reports */

/* The part of the memory that is everybody's. */
typedef struct
{
  _Alignas(LINE) atomic_int stopped;
  atomic_int n_finished;
} Board;

/* A worker's part of the shared memory; its desk follows. */
typedef struct
{
  ReelForkedLine line;
  _Alignas(LINE) atomic_uint beats;
  gboolean failed;
  gint code;
  char message[MOST_MESSAGE];
} Place;

struct _ReelWorkerCrew
{
  ReelCrewOptions options;
  ReelMapping shared;
  gsize place_bytes;
  Board *board;
  ReelWorkers *threads;         /* for work of all at once, or NULL */
  ReelErrands *errands;         /* for work of each, or NULL */
  ReelForkedWorker **processes; /* by worker, NULL until they are forked */
  gpointer *members;            /* by worker: what a fork is told */
  gboolean is_started;          /* workers may have begun */
  GError *failure;              /* after which nothing is done any more */
};

/* A worker, as its fork knows it. */
typedef struct
{
  ReelWorkerCrew *crew;
  gint worker;
} Member;

static Place *
get_place (const ReelWorkerCrew *self, gint worker)
{
  return (Place *) (gpointer) (self->shared.data + sizeof (Board)
                               + (gsize) worker * self->place_bytes);
}

gpointer
reel_worker_crew_get_desk (const ReelWorkerCrew *self, gint worker)
{
  return get_place (self, worker) + 1;
}

ReelWorkerCrew *
reel_worker_crew_new (const ReelCrewOptions *options, GError **error)
{
  g_autoptr (ReelWorkerCrew) self = g_new0 (ReelWorkerCrew, 1);
  gsize n = (gsize) options->n_workers;

  self->options = *options;
  self->place_bytes = (sizeof (Place) + options->desk_bytes + LINE - 1) / LINE * LINE;
  if (!reel_mapping_new_shared (sizeof (Board) + n * self->place_bytes, &self->shared))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "cannot share memory with %d workers",
                   options->n_workers);
      return NULL;
    }
  self->board = (Board *) (gpointer) self->shared.data;
  self->processes = g_new0 (ReelForkedWorker *, n);
  self->members = g_new0 (gpointer, n);
  for (gint worker = 0; worker < options->n_workers; worker++)
    {
      const Member member = { self, worker };

      self->members[worker] = g_memdup2 (&member, sizeof member);
    }
  return g_steal_pointer (&self);
}

void
reel_worker_crew_free (ReelWorkerCrew *self)
{
  if (self == NULL)
    return;
  if (self->board)
    atomic_store (&self->board->stopped, TRUE);
  for (gint worker = 0; self->processes && worker < self->options.n_workers; worker++)
    if (self->processes[worker])
      reel_forked_worker_kill (self->processes[worker]);
  reel_errands_free (self->errands);
  reel_workers_free (self->threads);
  for (gint worker = 0; self->processes && worker < self->options.n_workers; worker++)
    {
      g_clear_pointer (&self->processes[worker], reel_forked_worker_free);
      g_free (self->members[worker]);
    }
  g_free (self->processes);
  g_free (self->members);
  g_clear_error (&self->failure);
  reel_mapping_unmap (&self->shared);
  g_free (self);
}

/* ---- workers ---- */

void
reel_worker_crew_beat (ReelWorkerCrew *self, gint worker)
{
  atomic_fetch_add_explicit (&get_place (self, worker)->beats, 1, memory_order_relaxed);
}

void
reel_worker_crew_fail (ReelWorkerCrew *self, gint worker, const GError *reason)
{
  Place *place = get_place (self, worker);

  place->failed = TRUE;
  place->code = reason->domain == REEL_ERROR ? reason->code : (gint) REEL_ERROR_RUNTIME;
  g_strlcpy (place->message, reason->message, sizeof place->message);
}

void
reel_worker_crew_finish (ReelWorkerCrew *self, gint enough)
{
  if (atomic_fetch_add (&self->board->n_finished, 1) + 1 >= enough)
    atomic_store (&self->board->stopped, TRUE);
}

gboolean
reel_worker_crew_is_stopped (const ReelWorkerCrew *self)
{
  return atomic_load_explicit (&self->board->stopped, memory_order_relaxed);
}

static void
serve (gpointer data)
{
  const Member *member = data;

  member->crew->options.work (member->crew->options.data, member->worker);
}

/* ---- processes ---- */

static gboolean
fork_all (ReelWorkerCrew *self, GError **error)
{
  gint n = self->options.n_workers;
  gboolean spins = n < reel_cpu_count ();

  for (gint worker = 0; worker < n; worker++)
    if (self->processes[worker] == NULL)
      {
        self->processes[worker] = reel_forked_worker_new (&get_place (self, worker)->line, serve,
                                                          self->members[worker], spins, error);
        if (self->processes[worker] == NULL)
          return FALSE;
      }
  return TRUE;
}

/* await_beats: the answer of a process, for as long as it shows that it is at work; looks at that
 * once a second. */
static gboolean
await_beats (ReelWorkerCrew *self, gint worker, GError **error)
{
  Place *place = get_place (self, worker);
  guint beats = atomic_load (&place->beats);
  gint64 silent = 0;

  while (silent < self->options.seconds)
    {
      g_autoptr (GError) reason = NULL;
      guint before = beats;

      if (reel_forked_worker_await (self->processes[worker], 1, &reason))
        return TRUE;
      if (!g_error_matches (reason, REEL_ERROR, REEL_ERROR_TIMEOUT))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      beats = atomic_load (&place->beats);
      silent = beats == before ? silent + 1 : 0;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "its worker process did not answer for %" G_GINT64_FORMAT " s", silent);
  return FALSE;
}

static void
await (ReelWorkerCrew *self, gint worker)
{
  g_autoptr (GError) reason = NULL;

  if (await_beats (self, worker, &reason))
    return;
  reel_forked_worker_kill (self->processes[worker]); /* it must not write later */
  reel_worker_crew_fail (self, worker, reason);
}

/* ---- the owner ---- */

gboolean
reel_worker_crew_is_started (const ReelWorkerCrew *self)
{
  return self->is_started;
}

gboolean
reel_worker_crew_check (const ReelWorkerCrew *self, GError **error)
{
  if (self->failure)
    g_propagate_error (error, g_error_copy (self->failure));
  return self->failure == NULL;
}

/* keep_failure: of a worker, the first one. */
static void
keep_failure (ReelWorkerCrew *self, gint worker)
{
  const Place *place = get_place (self, worker);

  if (!place->failed || self->failure)
    return;

  g_autofree char *who = self->options.describe (self->options.data, worker);

  self->failure = g_error_new (REEL_ERROR, place->code, "%s: %s", who, place->message);
}

static gboolean
start (ReelWorkerCrew *self, GError **error)
{
  if (!reel_worker_crew_check (self, error))
    return FALSE;
  self->is_started = TRUE;
  return self->options.kind == REEL_CREW_THREADS || fork_all (self, error);
}

static void
run_thread (gpointer data, gint worker, gint n_workers)
{
  ReelWorkerCrew *self = data;

  self->options.work (self->options.data, worker);
}

static gboolean
run_threads (ReelWorkerCrew *self, GError **error)
{
  if (self->threads == NULL)
    self->threads = reel_workers_new (self->options.n_workers, error);
  if (self->threads)
    reel_workers_run (self->threads, run_thread, self);
  return self->threads != NULL;
}

static void
run_processes (ReelWorkerCrew *self)
{
  for (gint worker = 0; worker < self->options.n_workers; worker++)
    reel_forked_worker_ask (self->processes[worker]);
  for (gint worker = 0; worker < self->options.n_workers; worker++)
    {
      await (self, worker);
      /* The others' work is given back. */
      if (get_place (self, worker)->failed)
        atomic_store (&self->board->stopped, TRUE);
    }
}

gboolean
reel_worker_crew_run (ReelWorkerCrew *self, GError **error)
{
  if (!start (self, error))
    return FALSE;
  atomic_store (&self->board->stopped, FALSE);
  atomic_store (&self->board->n_finished, 0);
  if (self->options.kind == REEL_CREW_PROCESSES)
    run_processes (self);
  else if (!run_threads (self, error))
    return FALSE;
  for (gint worker = 0; worker < self->options.n_workers; worker++)
    keep_failure (self, worker);
  return reel_worker_crew_check (self, error);
}

/* do_errand: in a thread, which waits for a process where that does the work. */
static void
do_errand (gpointer data, gint64 number)
{
  ReelWorkerCrew *self = data;
  gint worker = (gint) number;

  if (self->options.kind == REEL_CREW_THREADS)
    {
      self->options.work (self->options.data, worker);
      return;
    }
  reel_forked_worker_ask (self->processes[worker]);
  await (self, worker);
}

static gboolean
start_errands (ReelWorkerCrew *self, GError **error)
{
  gint n = self->options.n_workers;

  if (!start (self, error))
    return FALSE;
  if (self->errands == NULL)
    self->errands = reel_errands_new (n, n, do_errand, self, error);
  return self->errands != NULL;
}

gboolean
reel_worker_crew_send (ReelWorkerCrew *self, gint worker, GError **error)
{
  if (self->failure == NULL && start_errands (self, &self->failure))
    reel_errands_send (self->errands, worker);
  return reel_worker_crew_check (self, error);
}

gboolean
reel_worker_crew_take (ReelWorkerCrew *self, gint64 milliseconds, gint *worker, GError **error)
{
  gint64 deadline = milliseconds > 0 ? g_get_monotonic_time () + milliseconds * 1000 : 0;

  *worker = self->errands ? (gint) reel_errands_take (self->errands, deadline) : -1;
  if (*worker >= 0)
    keep_failure (self, *worker);
  return reel_worker_crew_check (self, error);
}

gboolean
reel_worker_crew_has_failed (const ReelWorkerCrew *self, gint worker)
{
  return get_place (self, worker)->failed;
}
