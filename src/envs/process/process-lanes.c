#include "process-lanes.h"

#include <stdatomic.h>
#include <string.h>

#include "../../core/object/error.h"
#include "../../core/system/cpus.h"
#include "../../core/system/forked-worker.h"
#include "../../core/system/turns.h"
#include "../env-lanes.h"
#include "../env-private.h"
#include "shared-lanes.h"

#define MOST_WORDS 64     /* of a seed */
#define MOST_MESSAGE 2000 /* bytes of what a lane reports */

/* Lanes that a reset works on at a time; the list of them is on the stack. */
#define RESET_CHUNK 1024

typedef enum
{
  RESET,   /* the lanes that are listed */
  STEP,    /* [begin, end) */
  SEED,    /* begin */
  GET,     /* the state of begin */
  SET,     /* likewise */
  RESTORE, /* the newest states of [begin, end), which another process kept */
} RequestKind;

/* A request to a worker, and the report of its lanes: in shared memory. */
typedef struct
{
  ReelForkedLine line;
  RequestKind kind;
  gint64 begin, end;
  gsize n; /* listed */
  guint32 words[MOST_WORDS];
  gsize n_words;
  gboolean failed;
  char message[MOST_MESSAGE];
} Request;

typedef struct
{
  ReelProcessLanes *lanes;
  gint64 first, after;
  ReelTurns turns; /* from a request to its answer */
  Request *request;
  ReelForkedWorker *process; /* NULL before the first request, and after the last failure */
  char *failure;             /* the reason why nothing is asked any more */
} Worker;

struct _ReelProcessLanes
{
  ReelEnv *env, *shown;
  ReelProcessOptions options;
  ReelSharedLanes shared;
  ReelMapping requests;
  gboolean spins;
  gint64 share;
  guint64 *seeds;  /* by lane: the lowest words of the last one */
  guint8 *is_lost; /* by lane: whether its episode was, and no step has said so yet */
  Worker *workers;
  gint n_workers;
};

/* ---- the child ---- */

static void
keep_state (ReelProcessLanes *self, gint64 lane)
{
  guint copy = !self->shared.newest[lane];

  reel_env_get_state (self->env, lane, reel_shared_lanes_state (&self->shared, lane, copy));
}

/* look_at: after a request that changed @lane. */
static void
look_at (ReelProcessLanes *self, gint64 lane)
{
  self->shared.elapsed[lane] = reel_env_get_elapsed (self->env, lane);
  if (self->options.on_error == REEL_ON_ERROR_RESTART)
    keep_state (self, lane);
}

static void
serve_reset (const Worker *worker, const Request *request)
{
  const ReelSharedLanes *shared = &worker->lanes->shared;
  const gint64 *lanes = shared->listed + worker->first;
  gint64 listed[RESET_CHUNK];

  for (gsize at = 0; at < request->n; at += RESET_CHUNK)
    {
      gsize n = MIN (request->n - at, RESET_CHUNK);

      memcpy (listed, lanes + at, n * sizeof *listed);
      reel_env_reset_listed (worker->lanes->env, listed, n, shared->observation);
    }
  for (gsize i = 0; i < request->n; i++)
    look_at (worker->lanes, lanes[i]);
}

static void
serve_step (const Worker *worker, const Request *request)
{
  ReelProcessLanes *self = worker->lanes;
  const ReelEnvIO io = reel_shared_lanes_io (&self->shared);

  reel_env_step_lanes (self->env, request->begin, request->end, &io);
  for (gint64 lane = request->begin; lane < request->end; lane++)
    look_at (self, lane);
}

static void
serve_state (const Worker *worker, const Request *request)
{
  ReelProcessLanes *self = worker->lanes;
  ReelSharedLanes *shared = &self->shared;

  for (gint64 lane = request->begin; lane < request->end; lane++)
    {
      guint copy = request->kind == RESTORE ? shared->newest[lane] : !shared->newest[lane];

      if (request->kind == RESTORE && !shared->is_kept[lane])
        continue;
      reel_env_set_state (self->env, lane, reel_shared_lanes_state (shared, lane, copy));
      shared->elapsed[lane] = reel_env_get_elapsed (self->env, lane);
    }
}

static void
report (ReelProcessLanes *self, Request *request)
{
  g_autoptr (GError) failure = NULL;

  request->failed = !reel_env_check_faults (self->env, &failure);
  if (request->failed)
    g_strlcpy (request->message, failure->message, sizeof request->message);
}

static void
serve (gpointer data)
{
  const Worker *worker = data;
  ReelProcessLanes *self = worker->lanes;
  Request *request = worker->request;

  switch (request->kind)
    {
    case RESET: serve_reset (worker, request); break;
    case STEP: serve_step (worker, request); break;
    case SEED:
      reel_env_seed_lane (self->env, request->begin, request->words, request->n_words);
      look_at (self, request->begin);
      break;
    case GET: keep_state (self, request->begin); break;
    case SET:
    case RESTORE: serve_state (worker, request); break;
    }
  report (self, request);
}

/* ---- requests ---- */

static gboolean
start (Worker *worker, GError **error)
{
  worker->process =
      reel_forked_worker_new (&worker->request->line, serve, worker, worker->lanes->spins, error);
  return worker->process != NULL;
}

static void
stop (Worker *worker)
{
  g_clear_pointer (&worker->process, reel_forked_worker_free);
}

/* try_ask: has the process begin @worker's request. */
static gboolean
try_ask (Worker *worker, GError **error)
{
  if (worker->process == NULL && !start (worker, error))
    return FALSE;
  reel_forked_worker_ask (worker->process);
  return TRUE;
}

static void
ask (Worker *worker)
{
  g_autoptr (GError) failure = NULL;

  if (worker->failure == NULL && !try_ask (worker, &failure))
    worker->failure = g_strdup (failure->message);
}

static gboolean
exchange (Worker *worker, GError **error)
{
  return try_ask (worker, error)
         && reel_forked_worker_await (worker->process, worker->lanes->options.seconds, error);
}

static gboolean
changes_lanes (RequestKind kind)
{
  return kind != GET && kind != RESTORE;
}

/* keep: the copies of states that the process wrote are complete. */
static void
keep (Worker *worker)
{
  ReelSharedLanes *shared = &worker->lanes->shared;
  const Request *request = worker->request;
  gsize n = request->kind == RESET ? request->n : (gsize) (request->end - request->begin);

  if (worker->lanes->options.on_error != REEL_ON_ERROR_RESTART || !changes_lanes (request->kind))
    return;
  for (gsize i = 0; i < n; i++)
    {
      gint64 lane = request->kind == RESET ? shared->listed[worker->first + (gint64) i]
                                           : request->begin + (gint64) i;

      shared->newest[lane] ^= 1;
      shared->is_kept[lane] = TRUE;
    }
}

/* ---- processes that ended ---- */

/* replace: another process, with the lanes as they are here. */
static gboolean
replace (Worker *worker, GError **error)
{
  stop (worker);
  atomic_fetch_add (&reel_env_get_private (worker->lanes->shown)->n_restarts, 1);
  return start (worker, error);
}

/* repeat: the request once more, from the states before it. */
static gboolean
repeat (Worker *worker, GError **error)
{
  RequestKind kind = worker->request->kind;
  gint64 begin = worker->request->begin, end = worker->request->end;

  if (!replace (worker, error))
    return FALSE;
  worker->request->kind = RESTORE;
  worker->request->begin = worker->first;
  worker->request->end = worker->after;
  if (!exchange (worker, error))
    return FALSE;
  worker->request->kind = kind;
  worker->request->begin = begin;
  worker->request->end = end;
  if (exchange (worker, error))
    return TRUE;
  g_prefix_error (error, "twice in the same place: ");
  return FALSE;
}

static void
write_seed (Request *request, gint64 lane, guint64 seed, guint64 n_restarts)
{
  request->kind = SEED;
  request->begin = lane;
  request->end = lane + 1;
  request->words[0] = (guint32) seed;
  request->words[1] = (guint32) (seed >> 32);
  request->words[2] = (guint32) n_restarts;
  request->n_words = 3;
}

static void
list_all (Worker *worker)
{
  gint64 *listed = worker->lanes->shared.listed + worker->first;

  worker->request->kind = RESET;
  worker->request->n = (gsize) (worker->after - worker->first);
  for (gsize i = 0; i < worker->request->n; i++)
    listed[i] = worker->first + (gint64) i;
}

/* seed_anew: all lanes of the process, with streams that none of them had. */
static gboolean
seed_anew (Worker *worker, GError **error)
{
  ReelProcessLanes *self = worker->lanes;

  for (gint64 lane = worker->first; lane < worker->after; lane++)
    {
      write_seed (worker->request, lane, self->seeds[lane],
                  (guint64) reel_env_get_n_restarts (self->shown));
      if (!exchange (worker, error))
        return FALSE;
    }
  return TRUE;
}

/* drop: the episodes of the process. Its lanes begin anew; the step at work cuts their episodes,
 * and so does the next one of those that were not at work. */
static gboolean
drop (Worker *worker, GError **error)
{
  ReelProcessLanes *self = worker->lanes;
  ReelSharedLanes *shared = &self->shared;
  const Request asked = { .kind = worker->request->kind,
                          .begin = worker->request->begin,
                          .end = worker->request->end,
                          .n = worker->request->n };
  gint64 *listed = shared->listed + worker->first;
  gsize n_lanes = (gsize) (worker->after - worker->first);
  g_autofree gint64 *asked_lanes = g_memdup2 (listed, n_lanes * sizeof *listed);

  if (!replace (worker, error) || !seed_anew (worker, error))
    return FALSE;
  list_all (worker);
  if (!exchange (worker, error))
    return FALSE;
  memset (self->is_lost + worker->first, TRUE, n_lanes);
  for (gsize i = 0; asked.kind == RESET && i < asked.n; i++)
    self->is_lost[asked_lanes[i]] = FALSE;
  worker->request->kind = asked.kind;
  worker->request->begin = asked.begin;
  worker->request->end = asked.end;
  return TRUE;
}

/* recover: answers the request in the place of a process that did not. */
static gboolean
recover (Worker *worker, GError **error)
{
  ReelOnError on_error = worker->lanes->options.on_error;
  RequestKind kind = worker->request->kind;
  g_autoptr (GError) failure = NULL;

  if (on_error == REEL_ON_ERROR_FAIL || (on_error == REEL_ON_ERROR_DROP && kind > STEP))
    return FALSE;
  if (on_error == REEL_ON_ERROR_RESTART ? repeat (worker, &failure) : drop (worker, &failure))
    {
      g_clear_error (error);
      return TRUE;
    }
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* ---- answers ---- */

/* finish: whether @worker's request was answered. */
static gboolean
finish (Worker *worker)
{
  ReelProcessLanes *self = worker->lanes;
  GError *failure = NULL;

  if (worker->failure != NULL)
    return FALSE;
  if (!reel_forked_worker_await (worker->process, self->options.seconds, &failure)
      && !recover (worker, &failure))
    {
      worker->failure = g_strdup (failure->message);
      g_error_free (failure);
      stop (worker);
      return FALSE;
    }
  keep (worker);
  if (worker->request->failed)
    reel_env_repeat_fault (self->env, worker->request->begin, worker->request->message);
  return TRUE;
}

static void
report_lane (const Worker *worker, gint64 lane)
{
  g_autofree char *what = g_strdup_printf ("%s; the seed of the lane was %" G_GUINT64_FORMAT,
                                           worker->failure, worker->lanes->seeds[lane]);

  reel_env_report_fault (worker->lanes->shown, lane, what);
}

static Worker *
find_worker (ReelProcessLanes *self, gint64 lane)
{
  return &self->workers[lane / self->share];
}

/* ---- lanes ---- */

/* ask_one: a request about one lane; it is the caller's turn. */
static gboolean
ask_one (Worker *worker, RequestKind kind, gint64 lane)
{
  worker->request->kind = kind;
  worker->request->begin = lane;
  worker->request->end = lane + 1;
  ask (worker);
  if (finish (worker))
    return TRUE;
  report_lane (worker, lane);
  return FALSE;
}

void
reel_process_lanes_seed (ReelProcessLanes *self, gint64 lane, const guint32 *words, gsize n_words)
{
  Worker *worker = find_worker (self, lane);

  self->seeds[lane] = words[0] | (n_words > 1 ? (guint64) words[1] << 32 : 0);
  if (worker->process == NULL && worker->failure == NULL)
    {
      reel_env_seed_lane (self->env, lane, words, n_words);
      self->shared.elapsed[lane] = -1;
      return;
    }
  if (n_words > MOST_WORDS)
    {
      reel_env_report_fault (self->shown, lane, "worker processes take seeds of at most 2048 bits");
      return;
    }
  reel_turns_take (&worker->turns);
  memcpy (worker->request->words, words, n_words * sizeof *words);
  worker->request->n_words = n_words;
  ask_one (worker, SEED, lane);
  reel_turns_pass (&worker->turns);
}

void
reel_process_lanes_get_state (ReelProcessLanes *self, gint64 lane, gpointer state)
{
  Worker *worker = find_worker (self, lane);
  const ReelSharedLanes *shared = &self->shared;

  reel_turns_take (&worker->turns);
  if (ask_one (worker, GET, lane))
    memcpy (state, reel_shared_lanes_state (shared, lane, !shared->newest[lane]),
            shared->state_bytes);
  else
    memset (state, 0, shared->state_bytes);
  reel_turns_pass (&worker->turns);
}

void
reel_process_lanes_set_state (ReelProcessLanes *self, gint64 lane, gconstpointer state)
{
  Worker *worker = find_worker (self, lane);
  const ReelSharedLanes *shared = &self->shared;

  reel_turns_take (&worker->turns);
  memcpy (reel_shared_lanes_state (shared, lane, !shared->newest[lane]), state,
          shared->state_bytes);
  ask_one (worker, SET, lane);
  self->is_lost[lane] = FALSE;
  reel_turns_pass (&worker->turns);
}

/* ---- resets ---- */

/* A run of lanes of one worker. */
typedef struct
{
  Worker *worker;
  gsize from, to;
} Run;

/* next_run: of the lanes from @from on. */
static Run
next_run (ReelProcessLanes *self, const gint64 *lanes, gsize n, gsize from)
{
  Run run = { find_worker (self, lanes[from]), from, from + 1 };

  while (run.to < n && lanes[run.to] < run.worker->after)
    run.to++;
  return run;
}

static void
ask_reset (const Run *run, const gint64 *lanes)
{
  Worker *worker = run->worker;

  reel_turns_take (&worker->turns);
  worker->request->kind = RESET;
  worker->request->begin = lanes[run->from];
  worker->request->n = run->to - run->from;
  memcpy (worker->lanes->shared.listed + worker->first, lanes + run->from,
          worker->request->n * sizeof *lanes);
  ask (worker);
}

static void
finish_reset (const Run *run, const gint64 *lanes, guint8 *const *observation)
{
  Worker *worker = run->worker;
  gboolean answered = finish (worker);

  for (gsize i = run->from; i < run->to; i++)
    {
      worker->lanes->is_lost[lanes[i]] = FALSE;
      reel_shared_lanes_give_reset (&worker->lanes->shared, lanes[i], observation);
      if (!answered)
        report_lane (worker, lanes[i]);
    }
  reel_turns_pass (&worker->turns);
}

void
reel_process_lanes_reset (ReelProcessLanes *self, const gint64 *lanes, gsize n,
                          guint8 *const *observation)
{
  for (gsize from = 0; from < n;)
    {
      Run run = next_run (self, lanes, n, from);

      ask_reset (&run, lanes);
      from = run.to;
    }
  for (gsize from = 0; from < n;)
    {
      Run run = next_run (self, lanes, n, from);

      finish_reset (&run, lanes, observation);
      from = run.to;
    }
}

/* ---- steps ---- */

static void
ask_step (Worker *worker, gint64 begin, gint64 end)
{
  reel_turns_take (&worker->turns);
  worker->request->kind = STEP;
  worker->request->begin = MAX (begin, worker->first);
  worker->request->end = MIN (end, worker->after);
  ask (worker);
}

static void
finish_step (Worker *worker, gint64 begin, gint64 end)
{
  ReelProcessLanes *self = worker->lanes;
  gboolean answered = finish (worker);

  for (gint64 lane = MAX (begin, worker->first); lane < MIN (end, worker->after); lane++)
    {
      if (!answered)
        report_lane (worker, lane);
      if (self->is_lost[lane])
        reel_shared_lanes_lose_step (&self->shared, lane, lane + 1);
      self->is_lost[lane] = FALSE;
    }
  reel_turns_pass (&worker->turns);
}

void
reel_process_lanes_step (ReelProcessLanes *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  Worker *first = find_worker (self, begin), *last = find_worker (self, end - 1);

  if (begin == end)
    return;
  reel_shared_lanes_take_inputs (&self->shared, begin, end, io);
  for (Worker *worker = first; worker <= last; worker++)
    ask_step (worker, begin, end);
  for (Worker *worker = first; worker <= last; worker++)
    finish_step (worker, begin, end);
  reel_shared_lanes_give_step (&self->shared, begin, end, io);
}

/* ---- the whole ---- */

gint64
reel_process_lanes_get_share (const ReelProcessLanes *self)
{
  return self->share;
}

const gint64 *
reel_process_lanes_get_elapsed (const ReelProcessLanes *self)
{
  return self->shared.elapsed;
}

static void
deal_out (ReelProcessLanes *self)
{
  gint64 n_lanes = self->shared.n_lanes;
  gint wanted = (gint) CLAMP (self->options.n_workers, 1, n_lanes);

  self->share = (n_lanes + wanted - 1) / wanted;
  self->n_workers = (gint) ((n_lanes + self->share - 1) / self->share);
  /* One more CPU is for the thread that waits. */
  self->spins = self->n_workers < reel_cpu_count ();
  self->workers = g_new0 (Worker, self->n_workers);
  for (gint i = 0; i < self->n_workers; i++)
    {
      Worker *worker = &self->workers[i];

      worker->lanes = self;
      worker->first = i * self->share;
      worker->after = MIN (worker->first + self->share, n_lanes);
      worker->request = (Request *) (gpointer) self->requests.data + i;
    }
}

ReelProcessLanes *
reel_process_lanes_new (ReelEnv *env, ReelEnv *shown, const ReelProcessOptions *options,
                        GError **error)
{
  g_autofree ReelProcessLanes *self = g_new0 (ReelProcessLanes, 1);

  self->env = env;
  self->shown = shown;
  self->options = *options;
  if (!reel_shared_lanes_init (&self->shared, env, error))
    {
      reel_shared_lanes_clear (&self->shared);
      return NULL;
    }
  if (!reel_mapping_new_shared ((gsize) options->n_workers * sizeof (Request), &self->requests))
    {
      reel_shared_lanes_clear (&self->shared);
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "cannot share memory with %d processes",
                   options->n_workers);
      return NULL;
    }
  self->seeds = g_new0 (guint64, self->shared.n_lanes);
  self->is_lost = g_new0 (guint8, self->shared.n_lanes);
  deal_out (self);
  return g_steal_pointer (&self);
}

void
reel_process_lanes_free (ReelProcessLanes *self)
{
  for (gint i = 0; i < self->n_workers; i++)
    {
      stop (&self->workers[i]);
      g_free (self->workers[i].failure);
    }
  reel_mapping_unmap (&self->requests);
  reel_shared_lanes_clear (&self->shared);
  g_free (self->workers);
  g_free (self->is_lost);
  g_free (self->seeds);
  g_free (self);
}
