/* The run of collect: environments stepped into a buffer until all is there or a signal comes. */
#include "collect-apart.h"
#include "collect-parents.h"
#include "collect-ranks.h"
#include "../episodes/episode-log.h"
#include "../common/deadline.h"
#include "../common/free-memory.h"
#include "../common/interrupt.h"
#include "../common/progress.h"

#include <signal.h>
#include <string.h>

static ReelCollector *volatile running;

/* The first signal ends the run after the steps that are complete, the second at once. */
static void
stop_running (void)
{
  if (running)
    reel_collector_stop (running);
}

/* Asked before, because what the system cannot keep it takes away by killing. */
static gboolean
check_memory (const Plan *plan, ReelStorage *storage, GError **error)
{
  g_autofree char *what =
      g_strdup_printf ("--storage %s, capacity %" G_GINT64_FORMAT, plan->storage, plan->capacity);

  gint64 bytes = reel_storage_count_bytes (storage, plan->layout, error);

  return bytes >= 0 && free_memory_check (what, bytes, error);
}

/* Memory for steps, which is asked for before the first. Other rows take theirs as they come. */
static gboolean
make_memory (const Plan *plan, ReelStorage *storage, GError **error)
{
  const char *names[] = { "time", NULL };

  return check_memory (plan, storage, error) && reel_storage_allocate (storage, plan->layout, error)
         && reel_tensordict_set_names (reel_storage_get_data (storage), names, error);
}

static ReelReplayBuffer *
try_buffer (const Plan *plan, GError **error)
{
  ReelCheckpointFlags flags =
      plan->options->force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT;

  if (plan->options->resume)
    return resume_buffer (plan, error);

  g_autofree char *capacity = g_strdup_printf ("%" G_GINT64_FORMAT, plan->capacity);
  g_autofree char *ndim = g_strdup_printf ("%" G_GINT64_FORMAT, plan->ndim);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, plan->storage, error, "capacity", capacity, "ndim", ndim, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      storage ? reel_replay_buffer_new (storage, NULL, NULL, 0, error) : NULL;
  if (!buffer || !plan_record (plan, buffer, error) || !collect_ranks_record (plan, buffer, error))
    return NULL;
  if (plan->memmap)
    return reel_replay_buffer_make_live (buffer, plan->path, plan->layout, flags, error)
               ? g_steal_pointer (&buffer)
               : NULL;

  if (plan->rows == ROWS_STEPS
      && (!make_memory (plan, storage, error)
          || !reel_replay_buffer_check_dumps (buffer, plan->path, flags, error)))
    return NULL;
  return g_steal_pointer (&buffer);
}

/* Several runs that begin in the same second choose the same automatic name. */
static ReelReplayBuffer *
make_buffer (Plan *plan, GError **error)
{
  g_autoptr (GError) failure = NULL;
  ReelReplayBuffer *buffer;

  while (!(buffer = try_buffer (plan, &failure)) && plan_rename (plan))
    g_clear_error (&failure);
  if (!buffer)
    g_propagate_error (error, g_steal_pointer (&failure));
  return buffer;
}

/* Warnings of the buffer while it is written, such as a disk that is full for its JSON files. They
 * are read once a second. */
typedef struct
{
  ReelReplayBuffer *buffer;
  guint n_said;
  gint64 next;
} Warnings;

static void
say_warnings (Warnings *self)
{
  gint64 now = g_get_monotonic_time ();

  collect_ranks_say_warnings ();
  if (now < self->next)
    return;
  g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (self->buffer);
  guint n = g_strv_length (warnings);
  for (guint i = self->n_said; i < n; i++)
    g_printerr ("collect: %s\n", warnings[i]);
  self->n_said = n;
  self->next = now + G_TIME_SPAN_SECOND;
}

static void
log_batch (EpisodeLog *log, const Plan *plan, ReelCollector *collector, gint64 rows)
{
  gsize n;
  const ReelCollectorEpisode *episodes = reel_collector_get_episodes (collector, &n);

  episode_log_add (log, episodes, n, rows, plan->n_envs);
}

static void
show_progress (Progress *progress, ReelCollector *collector)
{
  ReelCollectorStats stats;

  if (!progress_is_due (progress))
    return;
  reel_collector_get_stats (collector, &stats);
  progress_show (progress, stats.frames, stats.episodes,
                 stats.return_sum / (double) MAX (stats.episodes, 1));
}

/* Signals and the time that is over stop it from now on. */
static void
watch (const Plan *plan, ReelCollector *collector)
{
  running = collector;
  if (interrupt_came ()) /* before there was anything to stop */
    reel_collector_stop (collector);
  if (plan->max_time > 0)
    deadline_watch (plan->max_time, stop_running);
}

/* records_late: rows alone know whether so many episodes have ended already. The record of such a
 * run stays as it is. */
static gboolean
records_late (const Plan *plan)
{
  return plan->options->resume && plan->episodes > 0;
}

static gboolean
collect (const Plan *plan, ReelCollector *collector, Checkpoints *checkpoints, EpisodeLog *log,
         double *seconds, GError **error)
{
  g_auto (GStrv) before = reel_replay_buffer_dup_warnings (checkpoints->buffer);
  Warnings warnings = { checkpoints->buffer, g_strv_length (before), 0 };
  Progress progress;
  gint64 n, rows = 0;

  watch (plan, collector);
  progress_start (&progress, plan->frames, plan->options->quiet);
  while ((n = reel_collector_next (collector, NULL, error)) > 0)
    {
      if (rows == 0 && records_late (plan) && !plan_record_end (plan, checkpoints->buffer, error))
        {
          n = -1;
          break;
        }
      apart_continue (plan, collector);
      say_warnings (&warnings);
      if (log)
        log_batch (log, plan, collector, n);
      rows += n;
      checkpoints_continue (checkpoints, rows);
      show_progress (&progress, collector);
    }
  if (log && n < 0)
    log_batch (log, plan, collector, 0);
  *seconds = progress_finish (&progress);
  running = NULL;
  return n == 0;
}

static EpisodeLog *
open_log (const CollectOptions *options, GError **error)
{
  return episode_log_open (options->log,
                           options->resume  ? EPISODE_LOG_APPEND
                           : options->force ? EPISODE_LOG_REPLACE
                                            : EPISODE_LOG_NEW,
                           error);
}

static CollectEnd
find_end (const Plan *plan, const ReelCollectorStats *stats)
{
  if (interrupt_came () || reel_ranks_is_asked_to_stop ())
    return END_SIGNAL;
  return deadline_passed () && (plan->frames < 0 || stats->frames < plan->frames) ? END_TIME
                                                                                  : END_COMPLETE;
}

/* Trajectories of a batch are padded to the longest of it. */
static void
explain_lengths (const Plan *plan, GError *failure, GError **error)
{
  gboolean unlike =
      plan->rows == ROWS_LONG && strstr (failure->message, "a step, the storage holds") != NULL;

  g_set_error (error, failure->domain, failure->code, "%s%s", failure->message,
               unlike ? ": a row is as long as the longest of its batch, and all rows of a storage "
                        "have one length; collect one batch (--frames N, without "
                        "--frames-per-batch), or whole trajectories (--trajs-per-batch)"
                      : "");
  g_error_free (failure);
}

/* Collects, and saves the rows even where a policy or an env fails. */
static gboolean
run (Plan *plan, ReelCollector *collector, ReelReplayBuffer *buffer, EpisodeLog *log,
     double *seconds, GError **error)
{
  Checkpoints checkpoints;
  GError *failure = NULL;
  gboolean collected;

  checkpoints_begin (&checkpoints, plan, buffer);
  collected = collect (plan, collector, &checkpoints, log, seconds, &failure);
  if (failure)
    explain_lengths (plan, failure, error);
  if (plan->memmap)
    return collected && reel_replay_buffer_close (buffer, error);
  if (collected)
    return checkpoints_end (&checkpoints, error);
  if (checkpoints_end (&checkpoints, NULL))
    collect_say (plan, "the rows before the failure are saved in %s\n", plan->path);
  return FALSE;
}

static ReelCollector *
make_collector (const Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  g_autofree char *text = plan_dup_collector (plan, error);

  return text ? reel_collector_new (text, plan->env, plan->policy, buffer, error) : NULL;
}

int
collect_run (Plan *plan, GError **error)
{
  interrupt_watch (stop_running, interrupt_end);
  if (!parents_make (plan->path, error))
    return EXIT_FAILED;
  g_autoptr (EpisodeLog) log = NULL;
  if (plan->options->log && !(log = open_log (plan->options, error)))
    return EXIT_FAILED;
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (plan, error);
  if (!buffer)
    return EXIT_FAILED;
  g_autoptr (ReelCollector) collector = make_collector (plan, buffer, error);
  if (!collector)
    return EXIT_FAILED;
  if (plan->frames != 0 && !records_late (plan) && !plan_record_end (plan, buffer, error))
    return EXIT_FAILED;
  if (log && !episode_log_begin (log, plan->begun_at, error))
    return EXIT_FAILED;
  collect_say_plan (plan);
  collect_ranks_say (plan);

  double seconds;
  ReelCollectorStats stats;
  gboolean done = run (plan, collector, buffer, log, &seconds, error);
  int logged = log ? episode_log_finish (log) : EXIT_OK;
  if (!done)
    return EXIT_FAILED;

  reel_collector_get_stats (collector, &stats);
  plan->collected = stats.frames;
  collect_report (plan, buffer, &stats, seconds, find_end (plan, &stats));
  if (reel_ranks_is_asked_to_stop () && !interrupt_came ())
    return 128 + SIGTERM; /* another rank */
  return interrupt_came () ? interrupt_status () : logged;
}
