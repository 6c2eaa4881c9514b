/* Checkpoints of a run: the states of learner, buffer, collector and environments in one file,
 * which is written beside its place and renamed into it. */
#include "../common/free-memory.h"
#include "run.h"

#include <glib/gstdio.h>

/* Of the keys and their meaning. */
#define FORMAT 2

/* ---- lists ---- */

static StateList *
list_learner (Learner *learner)
{
  StateList *list = state_list_new ();

  learner_list_state (learner, list);
  return list;
}

/* Numbers of the run itself, and where its figures end. */
typedef struct
{
  gint64 format;
  double seconds;
  RunFilesEnd end;
} Mark;

static StateList *
list_run (Run *self, Mark *mark)
{
  StateList *list = state_list_new ();
  const struct
  {
    const char *name;
    gint64 *value;
  } integers[] = { { "format", &mark->format },
                   { "csv-bytes", &mark->end.csv },
                   { "ndjson-bytes", &mark->end.ndjson },
                   { "events-bytes", &mark->end.events },
                   { "done", &self->done },
                   { "next-eval", &self->next_eval },
                   { "next-log", &self->next_log },
                   { "n-episodes", &self->n_episodes },
                   { "n-sparks", &self->n_sparks },
                   { "evaluation-n", &self->newest.n } };
  const struct
  {
    const char *name;
    double *value;
  } reals[] = { { "seconds", &mark->seconds },
                { "loss", &self->loss },
                { "best", &self->best },
                { "evaluation-mean", &self->newest.mean },
                { "evaluation-length", &self->newest.length },
                { "evaluation-least", &self->newest.least },
                { "evaluation-most", &self->newest.most } };

  for (guint i = 0; i < G_N_ELEMENTS (integers); i++)
    state_list_add_integer (list, integers[i].name, integers[i].value);
  for (guint i = 0; i < G_N_ELEMENTS (reals); i++)
    state_list_add_real (list, reals[i].name, reals[i].value);
  state_list_add (list, "returns", REEL_DTYPE_FLOAT64, self->returns, RUN_RECENT);
  state_list_add (list, "lengths", REEL_DTYPE_FLOAT64, self->lengths, RUN_RECENT);
  state_list_add (list, "parts", REEL_DTYPE_FLOAT64, self->seconds, N_PARTS);
  state_list_add (list, "sparks", REEL_DTYPE_FLOAT64, self->sparks, RUN_SPARKS);
  state_list_add (list, "events-name", REEL_DTYPE_UINT8, mark->end.events_name,
                  sizeof mark->end.events_name);
  return list;
}

/* ---- saved data ---- */

static gint64
count_rows (gpointer object)
{
  gint64 n = 0;

  if (REEL_IS_REPLAY_BUFFER (object))
    return reel_replay_buffer_get_length (object);
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (object); i++)
    n += count_rows (reel_replay_buffer_ensemble_get (object, i, NULL));
  return n;
}

/* The draws of a batch. */
static ReelTensordict *
dup_draws (gpointer source, GError **error)
{
  return REEL_IS_REPLAY_BUFFER (source)
             ? reel_sampler_dup_state (reel_replay_buffer_get_sampler (source),
                                       reel_replay_buffer_get_storage (source), error)
             : reel_replay_buffer_ensemble_dup_sampler_state (source, error);
}

static gboolean
set_draws (gpointer source, const ReelTensordict *state, GError **error)
{
  return REEL_IS_REPLAY_BUFFER (source)
             ? reel_sampler_set_state (reel_replay_buffer_get_sampler (source),
                                       reel_replay_buffer_get_storage (source), state, error)
             : reel_replay_buffer_ensemble_set_sampler_state (source, state, error);
}

static gboolean
check_rows (const Run *self, gint64 before, GError **error)
{
  gint64 now = count_rows (self->learner->source);

  if (now == before)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the saved data have %" G_GINT64_FORMAT " rows, and had %" G_GINT64_FORMAT, now,
               before);
  return FALSE;
}

/* ---- lanes of evaluations ---- */

static guint8 *
make_lanes (const Run *self, gsize *n)
{
  ReelEnv *env = self->plan->eval_env;

  *n = env ? reel_env_get_state_size (env) * (gsize) reel_env_get_num_envs (env) : 0;
  return g_malloc0 (*n);
}

static void
get_lanes (const Run *self, guint8 *states)
{
  ReelEnv *env = self->plan->eval_env;

  for (gint64 lane = 0; env && lane < reel_env_get_num_envs (env); lane++)
    reel_env_get_state (env, lane, states + (gsize) lane * reel_env_get_state_size (env));
}

static void
set_lanes (const Run *self, const guint8 *states)
{
  ReelEnv *env = self->plan->eval_env;

  for (gint64 lane = 0; env && lane < reel_env_get_num_envs (env); lane++)
    reel_env_set_state (env, lane, states + (gsize) lane * reel_env_get_state_size (env));
}

/* ---- saving ---- */

gboolean
run_check_savable (const Run *self, GError **error)
{
  const Plan *plan = self->plan;
  ReelEnv *envs[] = { self->collector ? plan->env : NULL, plan->eval_env };

  if (!plan->class->list_state)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "the state of %s cannot be saved",
                   plan->class->name);
      return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (envs); i++)
    if (envs[i] && !reel_env_has_state (envs[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                     "the state of %s cannot be saved", reel_object_get_id (REEL_OBJECT (envs[i])));
        return FALSE;
      }
  return TRUE;
}

/* Takes the part. */
static gboolean
add (ReelTensordict *state, const char *name, ReelTensordict *part, GError **error)
{
  g_autoptr (ReelTensordict) owned = part;

  return owned && reel_tensordict_set_tensordict (state, name, owned, error);
}

static gboolean
add_list (ReelTensordict *state, const char *name, StateList *list, GError **error)
{
  g_autoptr (StateList) owned = list;

  return add (state, name, state_list_save (owned, error), error);
}

/* The copy of the rows is the greater part. */
static gboolean
check_memory (const Run *self, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self->buffer);
  gint64 bytes = 0;
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    bytes += columns[i].row_bytes;
  return free_memory_check ("the copy of the buffer for a checkpoint",
                            bytes * reel_storage_get_length (storage), error);
}

static gboolean
add_buffer (const Run *self, ReelTensordict *state, GError **error)
{
  return check_memory (self, error)
         && add (state, "buffer", reel_replay_buffer_dup_state (self->buffer, error), error);
}

static gboolean
add_data (const Run *self, ReelTensordict *state, GError **error)
{
  gint64 rows = count_rows (self->learner->source);
  StateList *list = state_list_new ();

  state_list_add_integer (list, "rows", &rows);
  return add_list (state, "data", list, error)
         && add (state, "draws", dup_draws (self->learner->source, error), error);
}

static gboolean
add_lanes (const Run *self, ReelTensordict *state, GError **error)
{
  gsize n;
  g_autofree guint8 *lanes = make_lanes (self, &n);
  StateList *list = state_list_new ();

  get_lanes (self, lanes);
  state_list_add (list, "lanes", REEL_DTYPE_UINT8, lanes, n);
  return add_list (state, "evaluation", list, error);
}

static ReelTensordict *
dup_state (Run *self, Mark *mark, GError **error)
{
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);

  if (!add_list (state, "run", list_run (self, mark), error)
      || !add_list (state, "learner", list_learner (self->learner), error)
      || (self->plan->eval_env && !add_lanes (self, state, error))
      || (self->buffer && !add_buffer (self, state, error))
      || !(self->collector
               ? add (state, "collector", reel_collector_dup_state (self->collector, error), error)
               : add_data (self, state, error)))
    return NULL;
  return g_steal_pointer (&state);
}

gboolean
run_save (Run *self, GError **error)
{
  g_autofree char *path = run_files_dup_path (&self->files, RUN_CHECKPOINT);
  Mark mark = { .format = FORMAT, .seconds = run_get_seconds (self) };
  g_autoptr (ReelTensordict) state = NULL;

  return run_files_sync (&self->files, &mark.end, error) && (state = dup_state (self, &mark, error))
         && reel_tensordict_save (state, path, REEL_SAVE_DEFAULT, error);
}

/* ---- loading ---- */

static gboolean
load_list (const ReelTensordict *state, const char *name, StateList *list, GError **error)
{
  g_autoptr (StateList) owned = list;
  const ReelTensordict *part = reel_tensordict_get_tensordict (state, name, error);

  return part && state_list_load (owned, part, error);
}

static gboolean
load_data (const Run *self, const ReelTensordict *state, GError **error)
{
  const ReelTensordict *draws;
  StateList *list = state_list_new ();
  gint64 rows;

  state_list_add_integer (list, "rows", &rows);
  return load_list (state, "data", list, error) && check_rows (self, rows, error)
         && (draws = reel_tensordict_get_tensordict (state, "draws", error))
         && set_draws (self->learner->source, draws, error);
}

static gboolean
load_collector (const Run *self, const ReelTensordict *state, GError **error)
{
  const ReelTensordict *part = reel_tensordict_get_tensordict (state, "collector", error);

  return part && reel_collector_set_state (self->collector, part, error);
}

static gboolean
load_buffer (const Run *self, const ReelTensordict *state, GError **error)
{
  const ReelTensordict *part = reel_tensordict_get_tensordict (state, "buffer", error);

  return part && reel_replay_buffer_set_state (self->buffer, part, error);
}

static gboolean
load_lanes (const Run *self, const ReelTensordict *state, GError **error)
{
  gsize n;
  g_autofree guint8 *lanes = make_lanes (self, &n);
  StateList *list = state_list_new ();

  state_list_add (list, "lanes", REEL_DTYPE_UINT8, lanes, n);
  if (!load_list (state, "evaluation", list, error))
    return FALSE;
  set_lanes (self, lanes);
  return TRUE;
}

static gboolean
check_format (const Mark *mark, GError **error)
{
  if (mark->format == FORMAT)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "its format is %" G_GINT64_FORMAT ", and %d is known", mark->format, FORMAT);
  return FALSE;
}

static gboolean
set_state (Run *self, const ReelTensordict *state, Mark *mark, GError **error)
{
  return load_list (state, "run", list_run (self, mark), error) && check_format (mark, error)
         && load_list (state, "learner", list_learner (self->learner), error)
         && (!self->plan->eval_env || load_lanes (self, state, error))
         && (!self->buffer || load_buffer (self, state, error))
         && (self->collector ? load_collector (self, state, error)
                             : load_data (self, state, error));
}

/* Files that a process was killed over, which nobody else writes. */
static void
remove_drafts (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory && (name = g_dir_read_name (directory)))
    if (g_str_has_prefix (name, "." RUN_CHECKPOINT ".") && g_str_has_suffix (name, ".tmp"))
      {
        g_autofree char *file = g_build_filename (path, name, NULL);

        g_unlink (file);
      }
}

/* Numbers that are places in memory. */
static gboolean
check_counts (const Run *self, GError **error)
{
  if (self->done >= 0 && self->n_episodes >= 0 && self->n_sparks >= 0
      && self->n_sparks <= RUN_SPARKS)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED, "its counts cannot be");
  return FALSE;
}

gboolean
run_load (Run *self, GError **error)
{
  g_autofree char *path = run_files_dup_path (&self->files, RUN_CHECKPOINT);
  g_autoptr (ReelTensordict) state = NULL;
  Mark mark = { 0 };

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "it has no checkpoint: it was killed before the first, which "
                   "--checkpoint-every makes");
      return FALSE;
    }
  state = reel_tensordict_load (path, REEL_LOAD_READ_ONLY | REEL_LOAD_VERIFY, error);
  if (!state || !set_state (self, state, &mark, error) || !check_counts (self, error))
    {
      g_prefix_error (error, "%s: ", path);
      return FALSE;
    }
  self->begin = g_get_monotonic_time () - (gint64) (mark.seconds * 1e6);
  remove_drafts (self->files.path);
  return run_files_cut (&self->files, &mark.end, error);
}
