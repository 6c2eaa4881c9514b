/* Workers of a collector: threads, or forks of this process, that do their work when they are asked
 * to. Private. */
#pragma once

#include "../core/object/error.h"

G_BEGIN_DECLS

/**
 * ReelWorkerCrew:
 *
 * Workers that share memory. It belongs to one thread at a time.
 */
typedef struct _ReelWorkerCrew ReelWorkerCrew;

/**
 * ReelCrewKind:
 * @REEL_CREW_THREADS: threads of this process
 * @REEL_CREW_PROCESSES: forks of it
 */
typedef enum
{
  REEL_CREW_THREADS,
  REEL_CREW_PROCESSES,
} ReelCrewKind;

/**
 * ReelCrewOptions:
 * @n_workers: how many
 * @kind: of what
 * @seconds: how long a process may be silent, see reel_worker_crew_beat()
 * @desk_bytes: memory of each worker that it shares with the owner, for requests and answers
 * @work: does the work of a worker, which is on its desk
 * @describe: (transfer full): names a worker in errors, such as `worker 1 (lanes 4 to 7)`
 * @data: for both
 */
typedef struct
{
  gint n_workers;
  ReelCrewKind kind;
  gint64 seconds;
  gsize desk_bytes;
  void (*work) (gpointer data, gint worker);
  char *(*describe) (gpointer data, gint worker);
  gpointer data;
} ReelCrewOptions;

/**
 * reel_worker_crew_new:
 * @options: a copy is made
 * @error: NO_SPACE
 *
 * Nothing is started before the first work: a fork has the memory of the program as it is then.
 *
 * Returns: (transfer full): a crew
 */
ReelWorkerCrew *reel_worker_crew_new (const ReelCrewOptions *options, GError **error);

/**
 * reel_worker_crew_free:
 * @self: (transfer full) (nullable): a crew
 *
 * Ends it: threads once they see reel_worker_crew_is_stopped(), processes at once.
 */
void reel_worker_crew_free (ReelWorkerCrew *self);

/**
 * reel_worker_crew_get_desk:
 * @self: a crew
 * @worker: a worker
 *
 * Returns: (transfer none): its desk, zeros at first: the owner's while the worker does nothing,
 *   the worker's else
 */
gpointer reel_worker_crew_get_desk (const ReelWorkerCrew *self, gint worker);

/* ---- the owner ---- */

/**
 * reel_worker_crew_is_started:
 * @self: a crew
 *
 * Returns: whether workers may have begun: from then on processes have memory of their own
 */
gboolean reel_worker_crew_is_started (const ReelWorkerCrew *self);

/**
 * reel_worker_crew_check:
 * @self: a crew
 * @error: as reel_worker_crew_run(), for a worker that failed earlier
 *
 * Returns: whether none has failed
 */
gboolean reel_worker_crew_check (const ReelWorkerCrew *self, GError **error);

/**
 * reel_worker_crew_run:
 * @self: a crew that does nothing
 * @error: RUNTIME naming the first worker that ended, or was silent for too long; what a worker
 * said by reel_worker_crew_fail(). Every later call fails likewise
 *
 * Has all do their work, and waits until they have.
 *
 * Returns: whether all did it
 */
gboolean reel_worker_crew_run (ReelWorkerCrew *self, GError **error);

/**
 * reel_worker_crew_send:
 * @self: a crew
 * @worker: one that does nothing
 * @error: as reel_worker_crew_run(), of this worker
 *
 * Has one begin its work, for reel_worker_crew_take().
 *
 * Returns: whether it did
 */
gboolean reel_worker_crew_send (ReelWorkerCrew *self, gint worker, GError **error);

/**
 * reel_worker_crew_take:
 * @self: a crew, some of which were sent
 * @milliseconds: how long to wait
 * @worker: (out): the worker that was ready first, −1 where none was: also after a failure
 * @error: as reel_worker_crew_run(), of this worker
 *
 * Returns: whether none failed
 */
gboolean reel_worker_crew_take (ReelWorkerCrew *self, gint64 milliseconds, gint *worker,
                                GError **error);

/**
 * reel_worker_crew_has_failed:
 * @self: a crew
 * @worker: one that was taken
 *
 * Returns: whether this one failed
 */
gboolean reel_worker_crew_has_failed (const ReelWorkerCrew *self, gint worker);

/* ---- workers ---- */

/**
 * reel_worker_crew_beat:
 * @self: a crew
 * @worker: the calling one
 *
 * Says that it is at work.
 */
void reel_worker_crew_beat (ReelWorkerCrew *self, gint worker);

/**
 * reel_worker_crew_fail:
 * @self: a crew
 * @worker: the calling one
 * @reason: why it cannot do its work
 */
void reel_worker_crew_fail (ReelWorkerCrew *self, gint worker, const GError *reason);

/**
 * reel_worker_crew_finish:
 * @self: a crew that runs
 * @enough: workers
 *
 * Says that the calling worker has done all of its work. Once so many have, the rest is stopped.
 */
void reel_worker_crew_finish (ReelWorkerCrew *self, gint enough);

/**
 * reel_worker_crew_is_stopped:
 * @self: a crew
 *
 * Returns: whether workers leave the rest of their work undone. Any of them
 */
gboolean reel_worker_crew_is_stopped (const ReelWorkerCrew *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelWorkerCrew, reel_worker_crew_free)

G_END_DECLS
