#include "parallel-env.h"

#include <string.h>

#include "../../core/system/cpus.h"
#include "../../core/system/workers.h"
#include "../env-lanes.h"
#include "../env-private.h"
#include "async-lanes.h"
#include "process-lanes.h"

/* Pieces per thread where lanes may take unequal time. */
#define PIECES_PER_WORKER 8

struct _ReelParallelEnv
{
  ReelEnv parent_instance;

  char *text;
  gint64 n_workers;
  int kind;
  int on_error;
  gint64 timeout;

  ReelEnv *env;
  GPtrArray *parts;            /* of ReelEnv: where lanes of @env are unlike; else NULL */
  ReelWorkers *workers;        /* threads, or NULL */
  ReelProcessLanes *processes; /* or NULL */
  ReelAsyncLanes *async;       /* NULL until lanes are sent */
};

G_DEFINE_FINAL_TYPE (ReelParallelEnv, reel_parallel_env, REEL_TYPE_ENV)

/* ---- setup ---- */

static gboolean
check_forkable (const ReelParallelEnv *self, GError **error)
{
  const char *obstacle = reel_env_find_fork_obstacle (self->env, TRUE);

  if (obstacle)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "cannot step \"%s\" in worker processes: %s; use kind=threads", self->text,
                 obstacle);
  return obstacle == NULL;
}

static gboolean
start_processes (ReelParallelEnv *self, GError **error)
{
  const ReelProcessOptions options = {
    .n_workers = self->n_workers > 0 ? (gint) self->n_workers : reel_cpu_count (),
    .on_error = (ReelOnError) self->on_error,
    .seconds = self->timeout,
  };
  ReelEnv *env = REEL_ENV (self);

  if (!check_forkable (self, error))
    return FALSE;
  self->processes = reel_process_lanes_new (self->env, env, &options, error);
  if (self->processes == NULL)
    return FALSE;
  reel_env_get_private (env)->elapsed = reel_process_lanes_get_elapsed (self->processes);
  return TRUE;
}

static gboolean
check_options (const ReelParallelEnv *self, GError **error)
{
  if (self->kind == REEL_PARALLEL_PROCESSES || self->on_error == REEL_ON_ERROR_FAIL)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "on-error is for worker processes, as threads end with the program: set "
                       "kind=processes");
  return FALSE;
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (env);

  if (!check_options (self, error))
    return FALSE;
  if (!reel_env_take_part_specs (env, self->env, error))
    return FALSE;
  if (self->kind == REEL_PARALLEL_THREADS)
    {
      self->workers = reel_workers_new ((gint) self->n_workers, error);
      return self->workers != NULL;
    }
  if (!start_processes (self, error))
    return FALSE;
  reel_env_take_lane_multiple (env, reel_process_lanes_get_share (self->processes));
  return TRUE;
}

/* ---- threads: they share the work where all lanes are at work ---- */

typedef struct
{
  ReelParallelEnv *self;
  const ReelEnvIO *io;
  gint64 multiple;
  ReelWorkersClaim claim;
} Step;

static void
step_share (gpointer data, gint worker, gint n_workers)
{
  Step *step = data;
  ReelEnv *env = step->self->env;
  gint64 begin, end;

  if (step->multiple == 1)
    while (reel_workers_claim (&step->claim, &begin, &end))
      reel_env_step_lanes (env, begin, end, step->io);
  else
    {
      reel_workers_partition (reel_env_get_num_envs (env), step->multiple, worker, n_workers,
                              &begin, &end);
      if (begin < end)
        reel_env_step_lanes (env, begin, end, step->io);
    }
}

static void
step_on_threads (ReelParallelEnv *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  gint64 n = reel_env_get_num_envs (self->env);
  gint64 pieces = (gint64) reel_workers_count (self->workers) * PIECES_PER_WORKER;
  Step step = { .self = self, .io = io, .multiple = reel_env_get_lane_multiple (self->env) };

  if (end - begin < n)
    {
      reel_env_step_lanes (self->env, begin, end, io);
      return;
    }
  reel_workers_claim_init (&step.claim, n, MAX (n / pieces, 1));
  reel_workers_run (self->workers, step_share, &step);
}

typedef struct
{
  ReelParallelEnv *self;
  const gint64 *lanes;
  gsize n;
  guint8 *const *observation;
} Reset;

static void
reset_listed (const Reset *reset, gsize from, gsize to)
{
  gsize n = to - from;
  gint64 few[REEL_ENV_RESET_CHUNK];
  g_autofree gint64 *many = n > REEL_ENV_RESET_CHUNK ? g_new (gint64, n) : NULL;
  gint64 *listed = many ? many : few;

  memcpy (listed, reset->lanes + from, n * sizeof *listed);
  reel_env_reset_listed (reset->self->env, listed, n, reset->observation);
}

static void
reset_share (gpointer data, gint worker, gint n_workers)
{
  const Reset *reset = data;
  gint64 begin, end;

  reel_workers_partition ((gint64) reset->n, reel_env_get_lane_multiple (reset->self->env), worker,
                          n_workers, &begin, &end);
  reset_listed (reset, (gsize) begin, (gsize) end);
}

static void
reset_on_threads (ReelParallelEnv *self, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  Reset reset = { self, lanes, n, observation };

  if (n < (gsize) reel_env_get_num_envs (self->env))
    reset_listed (&reset, 0, n);
  else
    reel_workers_run (self->workers, reset_share, &reset);
}

/* ---- lanes ---- */

/* is_sent: whether @lane waits to be received, which is reported then: nothing else may be done to
 * it. */
static gboolean
is_sent (ReelParallelEnv *self, gint64 lane)
{
  if (self->async == NULL || self->async->states[lane] == REEL_ASYNC_IDLE)
    return FALSE;
  reel_async_lanes_settle (self->async);
  reel_env_report_fault (REEL_ENV (self), lane, "it was sent, and must be received first");
  return TRUE;
}

static gboolean
is_any_sent (ReelParallelEnv *self, gint64 begin, gint64 end)
{
  for (gint64 lane = begin; self->async != NULL && lane < end; lane++)
    if (is_sent (self, lane))
      return TRUE;
  return FALSE;
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (env);

  if (is_sent (self, lane))
    return;
  if (self->processes)
    reel_process_lanes_seed (self->processes, lane, words, n_words);
  else
    reel_env_seed_lane (self->env, lane, words, n_words);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (env);

  if (self->async != NULL)
    reel_async_lanes_forget (self->async, lanes, n);
  if (self->processes)
    reel_process_lanes_reset (self->processes, lanes, n, observation);
  else
    reset_on_threads (self, lanes, n, observation);
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (env);

  if (is_any_sent (self, begin, end))
    return;
  if (self->processes)
    reel_process_lanes_step (self->processes, begin, end, io);
  else
    step_on_threads (self, begin, end, io);
}

static gsize
state_size (ReelEnv *env)
{
  return reel_env_get_state_size (REEL_PARALLEL_ENV (env)->env);
}

static void
get_state (ReelEnv *env, gint64 lane, gpointer state)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (env);

  if (self->async != NULL)
    reel_async_lanes_settle (self->async);
  if (self->processes)
    reel_process_lanes_get_state (self->processes, lane, state);
  else
    reel_env_get_state (self->env, lane, state);
}

static void
set_state (ReelEnv *env, gint64 lane, gconstpointer state)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (env);

  if (is_sent (self, lane))
    return;
  if (self->processes)
    reel_process_lanes_set_state (self->processes, lane, state);
  else
    reel_env_set_state (self->env, lane, state);
}

/* ---- lanes that are sent and received ---- */

static void
step_sent (gpointer data, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelParallelEnv *self = data;

  if (self->processes)
    reel_process_lanes_step (self->processes, begin, end, io);
  else
    reel_env_step_lanes (self->env, begin, end, io);
}

static void
reset_sent (gpointer data, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelParallelEnv *self = data;
  const Reset reset = { self, lanes, n, observation };

  if (self->processes)
    reel_process_lanes_reset (self->processes, lanes, n, observation);
  else
    reset_listed (&reset, 0, n);
}

/* start_async: processes answer one request at a time, each to a thread that waits for it. */
static gboolean
start_async (ReelParallelEnv *self, GError **error)
{
  const ReelAsyncWork work = { step_sent, reset_sent, self };
  gint64 unit = 1;
  gint n_threads = 1024;

  if (self->async != NULL)
    return TRUE;
  if (self->processes)
    unit = reel_process_lanes_get_share (self->processes);
  else
    n_threads = reel_workers_count (self->workers);
  if (reel_env_joins_lanes (self->env))
    unit = MAX (unit, reel_env_get_lane_multiple (self->env));
  self->async = reel_async_lanes_new (REEL_ENV (self), unit, n_threads, &work, error);
  return self->async != NULL;
}

static gboolean
check_parallel (ReelEnv *env, GError **error)
{
  if (REEL_IS_PARALLEL_ENV (env))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s steps its lanes together: lanes are sent and received one by one where workers "
               "step them, as in parallel:'CartPole|step-counter'",
               reel_object_get_id (REEL_OBJECT (env)));
  return FALSE;
}

gboolean
reel_env_send (ReelEnv *self, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);
  g_return_val_if_fail (td != NULL, FALSE);

  return check_parallel (self, error) && reel_env_check_alike (self, error)
         && start_async (REEL_PARALLEL_ENV (self), error)
         && reel_async_lanes_send (REEL_PARALLEL_ENV (self)->async, td, error);
}

ReelTensordict *
reel_env_recv (ReelEnv *self, gint64 n, gint64 milliseconds, ReelTensordict **begin, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);

  if (!check_parallel (self, error) || !reel_env_check_alike (self, error)
      || !start_async (REEL_PARALLEL_ENV (self), error))
    return NULL;
  return reel_async_lanes_recv (REEL_PARALLEL_ENV (self)->async, n, milliseconds, begin, error);
}

/* ---- pictures: this process draws them, of states that it fetches ---- */

/* prepare_frames: states have other sizes from now on, and so has the memory that is shared. */
static gboolean
prepare_frames (ReelEnv *env, gint64 width, gint64 height, GError **error)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (env);

  (void) width;
  (void) height;
  if (self->processes == NULL)
    return TRUE;
  reel_env_get_private (env)->elapsed = NULL;
  g_clear_pointer (&self->async, reel_async_lanes_free);
  g_clear_pointer (&self->processes, reel_process_lanes_free);
  return start_processes (self, error);
}

static void
render (ReelEnv *env, gint64 lane, gint64 width, gint64 height, guint8 *pixels)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (env);

  if (self->async != NULL)
    reel_async_lanes_settle (self->async);
  if (self->processes)
    {
      g_autofree gpointer state = g_malloc (state_size (env));

      reel_process_lanes_get_state (self->processes, lane, state);
      reel_env_set_state (self->env, lane, state);
    }
  reel_env_render_lane (self->env, lane, width, height, pixels);
}

/* ---- the object ---- */

static gboolean
make_env (ReelParallelEnv *self, GError **error)
{
  g_autoptr (GPtrArray) pairs = reel_env_share_properties (REEL_ENV (self));

  if (self->text == NULL || *self->text == '\0')
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "parallel needs an environment, as in parallel:'HalfCheetah'");
      return FALSE;
    }
  self->env = reel_env_new_part (self->text, reel_env_get_num_envs (REEL_ENV (self)), pairs, error);
  if (self->env == NULL)
    g_prefix_error (error, "the environment of parallel: ");
  return self->env != NULL;
}

/* ---- unlike lanes: each part is on workers of its own, and threads wait for them side by side
 * ---- */

/* @part on processes, of which it has its share. */
static ReelEnv *
new_part (const ReelParallelEnv *self, ReelEnv *part, GError **error)
{
  gint n_workers = self->n_workers > 0 ? (gint) self->n_workers : reel_cpu_count ();
  gint64 lanes = reel_env_get_num_envs (part), all = reel_env_get_num_envs (self->env);
  gint share = (gint) MAX (lanes * n_workers / all, 1);
  g_autoptr (ReelParallelEnv) made = NULL;

  made = g_object_new (REEL_TYPE_PARALLEL_ENV, "id", "parallel", "timeout", self->timeout, NULL);
  made->env = g_object_ref (part);
  made->kind = self->kind;
  made->n_workers = share;
  made->on_error = self->on_error;
  if (!g_initable_init (G_INITABLE (made), NULL, error))
    return NULL;
  return REEL_ENV (g_steal_pointer (&made));
}

static gboolean
make_parts (ReelParallelEnv *self, GError **error)
{
  const ReelEnvPrivate *inner = reel_env_get_private (self->env);

  self->parts = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < inner->n_parts; i++)
    {
      ReelEnv *env = inner->parts[i].env;
      ReelEnv *part =
          self->kind == REEL_PARALLEL_PROCESSES ? new_part (self, env, error) : g_object_ref (env);

      if (part == NULL)
        {
          g_prefix_error (error, "environment %u of %u: ", i, inner->n_parts);
          return FALSE;
        }
      g_ptr_array_add (self->parts, part);
    }
  return TRUE;
}

/* How many threads step parts: they compute, or each waits for processes of one part. */
static gint
count_threads (const ReelParallelEnv *self)
{
  if (self->kind == REEL_PARALLEL_PROCESSES)
    return (gint) MIN (self->parts->len, 1024);
  return (gint) self->n_workers;
}

static gboolean
mix_parts (ReelParallelEnv *self, GError **error)
{
  const ReelMixed *inner = reel_env_get_private (self->env)->mixed;

  if (!check_options (self, error) || !make_parts (self, error))
    return FALSE;
  self->workers = reel_workers_new (count_threads (self), error);
  return self->workers != NULL
         && reel_env_mix (REEL_ENV (self), (ReelEnv *const *) self->parts->pdata, self->parts->len,
                          inner->difference, self->workers, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (object);

  if (self->env == NULL && !make_env (self, error))
    return FALSE;
  g_free (self->text);
  self->text = reel_object_to_text (REEL_OBJECT (self->env));
  if (!reel_env_is_mixed (self->env))
    reel_env_take_parts (REEL_ENV (self), &self->env, 1);
  else if (!mix_parts (self, error))
    return FALSE;
  return REEL_OBJECT_CLASS (reel_parallel_env_parent_class)->build (object, error);
}

static void
finalize (GObject *object)
{
  ReelParallelEnv *self = REEL_PARALLEL_ENV (object);

  g_clear_pointer (&self->async, reel_async_lanes_free);
  g_clear_pointer (&self->processes, reel_process_lanes_free);
  g_clear_pointer (&self->workers, reel_workers_free);
  g_clear_pointer (&self->parts, g_ptr_array_unref);
  g_clear_object (&self->env);
  G_OBJECT_CLASS (reel_parallel_env_parent_class)->finalize (object);
}

static const char *const kinds[] = { "threads", "processes", NULL };
static const char *const on_errors[] = { "fail", "restart", "drop", NULL };

static void
add_properties (ReelObjectClass *klass)
{
  klass->positional = "env";
  reel_object_class_add_string (klass, "env", G_STRUCT_OFFSET (ReelParallelEnv, text), NULL,
                                "text of the environment", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (klass, "kind", G_STRUCT_OFFSET (ReelParallelEnv, kind), kinds,
                              REEL_PARALLEL_THREADS, "kind of the workers",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "workers", G_STRUCT_OFFSET (ReelParallelEnv, n_workers), 0,
                               1024, 0, NULL, "number of workers, 0 for one a CPU",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      klass, "on-error", G_STRUCT_OFFSET (ReelParallelEnv, on_error), on_errors, REEL_ON_ERROR_FAIL,
      "reaction to a worker process that ends or hangs", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "timeout", G_STRUCT_OFFSET (ReelParallelEnv, timeout), 1,
                               86400, 60, "seconds", "the longest wait for a worker process",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_parallel_env_class_init (ReelParallelEnvClass *klass)
{
  static const ReelId ids[] = {
    { "parallel", NULL, "an environment on worker threads or processes" },
    { "ParallelEnv", NULL, "an environment on workers, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  add_properties (object_class);
  env_class->source = "the environment that its workers step";
  env_class->writes_carry = TRUE;
  env_class->writes_flags = TRUE;
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
  env_class->state_size = state_size;
  env_class->get_state = get_state;
  env_class->set_state = set_state;
  env_class->prepare_frames = prepare_frames;
  env_class->render = render;
}

static void
reel_parallel_env_init (ReelParallelEnv *self)
{
}

ReelEnv *
reel_parallel_env_new (ReelEnv *env, ReelParallelKind kind, gint n_workers, ReelOnError on_error,
                       GError **error)
{
  g_autoptr (ReelParallelEnv) self = NULL;

  g_return_val_if_fail (REEL_IS_ENV (env), NULL);

  if (n_workers < 0 || n_workers > 1024)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%d workers: must be 1 to 1024, or 0 for one a CPU", n_workers);
      return NULL;
    }
  self = g_object_new (REEL_TYPE_PARALLEL_ENV, "id", "parallel", NULL);
  self->env = g_object_ref (env);
  self->kind = kind;
  self->n_workers = n_workers;
  self->on_error = on_error;
  if (!g_initable_init (G_INITABLE (self), NULL, error))
    return NULL;
  return REEL_ENV (g_steal_pointer (&self));
}

ReelEnv *
reel_parallel_env_get_env (ReelParallelEnv *self)
{
  g_return_val_if_fail (REEL_IS_PARALLEL_ENV (self), NULL);
  return self->env;
}
