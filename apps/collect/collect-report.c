/* The messages of collect. */
#include "collect-share.h"
#include "../common/deadline.h"
#include "../common/escaped-text.h"
#include "../common/json-values.h"
#include "../common/text-table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char *
storage_shape (const Plan *plan)
{
  gint64 steps = plan->capacity / plan->n_lanes;

  if (plan->n_lanes == 1)
    return g_strdup_printf ("[%" G_GINT64_FORMAT "]", steps);
  return g_strdup_printf ("[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", steps, plan->n_lanes);
}

/* The end of a run without a number of frames. */
static char *
describe_end (const Plan *plan)
{
  g_autofree char *episodes = format_count (plan->episodes);

  if (plan->episodes == 0)
    return g_strdup (plan->max_time > 0 ? "the time is over" : "Ctrl-C");
  return g_strdup_printf ("%s episode%s ended", episodes, plan->episodes == 1 ? " has" : "s have");
}

/* Where a run goes on, and how far. */
static void
say_place (const Plan *plan)
{
  g_autofree char *begun_at = format_count (plan->begun_at);
  g_autofree char *total = format_count (plan->begun_at + plan->frames);
  g_autofree char *end = describe_end (plan);

  if (plan->frames == 0)
    collect_say (plan, "%s frames are there already; --frames with a greater number continues\n",
                 begun_at);
  else if (plan->frames < 0)
    collect_say (plan, "continue after %s frames, until %s\n", begun_at, end);
  else
    collect_say (plan, "continue after %s frames, up to %s\n", begun_at, total);
}

static void
say_endless (const Plan *plan)
{
  g_autofree char *rows = format_count (plan->capacity);
  g_autofree char *end = describe_end (plan);

  collect_say (plan, "frames   until %s; the newest %s rows are kept\n", end, rows);
}

/* The fewest steps of a ring that keeps an episode whole while its writer overwrites a block, which
 * is an eighth of the ring. */
static gint64
steps_for_episode (gint64 longest)
{
  gint64 steps = MAX (longest + 1, longest + longest / 7 - 1);

  while (steps - MAX (1, steps / 8) < longest)
    steps++;
  return steps;
}

/* A run resumes from its last episodes, which a ring may have overwritten in part. */
static void
warn_of_short_ring (const Plan *plan)
{
  gint64 longest, kept = plan->capacity / plan->n_envs;

  if (!plan->memmap || (plan->frames >= 0 && plan->frames <= plan->capacity)
      || plan_rows_of_episodes (plan) <= plan->capacity
      || reel_env_outlasts_episodes (plan->env)) /* its state is kept */
    return;
  g_object_get (plan->env, "max-episode-steps", &longest, NULL);
  if (longest == 0 || longest > G_MAXINT64 / 2 / plan->n_envs)
    collect_say (plan,
                 "note     an episode longer than the ring, %" G_GINT64_FORMAT
                 " steps of each environment, cannot be resumed by --resume\n",
                 kept);
  else if (kept < steps_for_episode (longest))
    collect_say (plan,
                 "note     the ring keeps %" G_GINT64_FORMAT
                 " step%s of each environment, and an episode can have %" G_GINT64_FORMAT
                 ": --resume may be refused. --capacity %" G_GINT64_FORMAT " is enough\n",
                 kept, kept == 1 ? "" : "s", longest, steps_for_episode (longest) * plan->n_envs);
}

void
collect_say_plan (const Plan *plan)
{
  g_autofree char *env = reel_object_to_text (REEL_OBJECT (plan->env));
  g_autofree char *policy = reel_object_to_text (REEL_OBJECT (plan->policy));
  g_autofree char *shape = storage_shape (plan);
  g_autofree char *bytes = format_bytes (plan_bytes (plan));

  collect_say (plan, "env      %s, %" G_GINT64_FORMAT " at once\n", env, plan->n_envs);
  collect_say (plan, "policy   %s\n", policy);
  collect_say (plan, "seed     %" G_GINT64_FORMAT "\n", plan->seed);
  if (plan->rows == ROWS_STEPS)
    collect_say (plan, "storage  %s %s, %s, %s\n", plan->storage, shape, bytes, plan->path);
  else
    collect_say (plan, "storage  %s of %" G_GINT64_FORMAT " rows, %s\n", plan->storage,
                 plan->capacity, plan->path);
  if (plan->options->resume)
    say_place (plan);
  else if (plan->frames < 0)
    say_endless (plan);
  warn_of_short_ring (plan);
}

static double
mean (double sum, gint64 n)
{
  return n > 0 ? sum / (double) n : NAN;
}

static void
say_frames (const Plan *plan, const ReelCollectorStats *stats, double seconds)
{
  g_autofree char *frames = format_count (stats->frames);
  g_autofree char *episodes = format_count (stats->episodes);
  g_autofree char *rate = format_rate ((double) stats->frames / seconds);
  g_autofree char *time = format_duration (seconds);

  collect_say (plan, "%s frames in %s, %s frames/s\n", frames, time, rate);
  if (stats->episodes > 0)
    collect_say (plan, "%s episode%s, mean length %.1f, mean return %.1f (%g to %g)\n", episodes,
                 stats->episodes == 1 ? "" : "s",
                 mean ((double) stats->length_sum, stats->episodes),
                 mean (stats->return_sum, stats->episodes), stats->return_min, stats->return_max);
  else
    collect_say (plan, "no episode has ended yet\n");
}

/* The difference between the frames and the rows that became of them. */
static char *
describe_rows (const Plan *plan, const ReelCollectorStats *stats, gint64 written)
{
  g_autofree char *missing = format_count (stats->frames - written);

  if (plan->rows == ROWS_LONG)
    return g_strdup (collector_splits (plan) ? ", each a trajectory of a batch"
                                             : ", each the part of one environment in a batch");
  if (written >= stats->frames)
    return g_strdup ("");
  if (plan->rows == ROWS_PROCESSED)
    return g_strdup_printf (": the postproc left %s out", missing);
  return g_strdup_printf (": %s%s are left out", missing,
                          written == stats->length_sum ? " of trajectories that have not ended"
                                                       : "");
}

/* Rows are frames but where the collector makes others of them. */
static void
say_rows (const Plan *plan, ReelReplayBuffer *buffer, const ReelCollectorStats *stats)
{
  ReelStorageView view;

  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  if (plan->rows == ROWS_STEPS || view.end_row == stats->frames)
    return;
  g_autofree char *written = format_count (view.end_row);
  g_autofree char *kept = format_count (view.end_row - view.first_row);
  g_autofree char *reason = describe_rows (plan, stats, view.end_row);

  collect_say (plan, "%s row%s stored%s", written, view.end_row == 1 ? "" : "s", reason);
  if (view.first_row > 0)
    collect_say (plan, "; the newest %s are kept", kept);
  collect_say (plan, "\n");
}

/* As a shell reads it; plain names stay as they are. */
static char *
shell_word (const char *path)
{
  gboolean plain = path[strspn (path, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "/._-+,:=@%")] == 0;

  return plain ? g_strdup (path) : g_shell_quote (path);
}

/* The command that continues the run, or those of all ranks. */
static char *
resume_command (const char *program, const char *path)
{
  const char *directory = apart_get_directory ();
  g_autofree char *all = directory ? shell_word (directory) : NULL;

  return all ? g_strdup_printf ("mpirun -n %d %s --resume %s --ranks apart",
                                reel_ranks_count_launched (NULL), program, all)
             : g_strdup_printf ("%s --resume %s", program, path);
}

/* Commands for the new run. */
static void
say_commands (const Plan *plan, CollectEnd end)
{
  g_autofree char *program = shell_word (plan->program);
  g_autofree char *replay = shell_word (plan->replay);
  g_autofree char *path = shell_word (plan->path);

  collect_say (plan, "look at it:      %s %s\n", replay, path);
  collect_say (plan, "load in Python:  %s info --python %s   prints the lines\n", replay, path);
  if (end == END_COMPLETE || !plan->memmap || !reel_env_has_state (plan->env)
      || strcmp (reel_object_get_id (REEL_OBJECT (plan->policy)), "exec") == 0)
    return;
  g_autofree char *resume = resume_command (program, path);

  collect_say (plan, "continue it:     %s", resume);
  for (char **file = options_plugins; file && *file; file++)
    {
      g_autofree char *plugin = shell_word (*file);

      collect_say (plan, " --plugin %s", plugin);
    }
  collect_say (plan, "\n");
}

static void
say_nothing (const Plan *plan)
{
  g_autofree char *episodes = format_count (plan->episodes);

  if (plan->options->resume && plan->episodes > 0 && !deadline_passed ())
    collect_say (plan,
                 "nothing was left to collect: %s episode%s ended already; --episodes with a "
                 "greater number continues\n",
                 episodes, plan->episodes == 1 ? " has" : "s have");
  else
    collect_say (plan, "nothing was left to collect\n");
}

static void
say_summary (const Plan *plan, ReelReplayBuffer *buffer, const ReelCollectorStats *stats,
             double seconds)
{
  g_autofree char *bytes = format_bytes (plan_bytes (plan));
  gint64 n_restarts = reel_env_get_n_restarts (plan->env);

  if (stats->frames > 0)
    {
      say_frames (plan, stats, seconds);
      say_rows (plan, buffer, stats);
    }
  else if (plan->frames != 0)
    say_nothing (plan);
  if (n_restarts > 0)
    collect_say (plan, "%" G_GINT64_FORMAT " worker process%s ended and %s replaced\n", n_restarts,
                 n_restarts == 1 ? "" : "es", n_restarts == 1 ? "was" : "were");
  if (plan->rows == ROWS_STEPS)
    collect_say (plan, "%s in %s\n", bytes, plan->path);
}

/* null where the shapes are those of the batches. */
static json_t *
json_bytes (const Plan *plan)
{
  return plan->rows == ROWS_STEPS ? json_integer (plan_bytes (plan)) : json_null ();
}

static json_t *
json_mean (double sum, gint64 n)
{
  return n > 0 ? json_real (sum / (double) n) : json_null ();
}

static void
print_json (const Plan *plan, ReelReplayBuffer *buffer, const ReelCollectorStats *stats,
            double seconds, CollectEnd end)
{
  static const char *const ends[] = { "complete", "time", "signal" };
  g_autofree char *env = reel_object_to_text (REEL_OBJECT (plan->env));
  g_autofree char *policy = reel_object_to_text (REEL_OBJECT (plan->policy));
  g_autofree char *path =
      g_filename_display_name (plan->path); /* JSON is UTF-8, names need not be */
  json_t *object = json_pack (
      "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:f, s:o, s:I, s:b, s:s}",
      "path", path, "env", env, "policy", policy, "num_envs", (json_int_t) plan->n_envs, "seed",
      (json_int_t) plan->seed, "frames", (json_int_t) stats->frames, "capacity",
      (json_int_t) plan->capacity, "rows", (json_int_t) reel_replay_buffer_get_length (buffer),
      "episodes", (json_int_t) stats->episodes, "mean_length",
      json_mean ((double) stats->length_sum, stats->episodes), "mean_return",
      json_mean (stats->return_sum, stats->episodes), "seconds", seconds, "frames_per_second",
      (double) stats->frames / seconds, "bytes", json_bytes (plan), "begun_at",
      (json_int_t) plan->begun_at, "interrupted", end == END_SIGNAL, "end", ends[end]);
  json_print (object);
}

void
collect_report (const Plan *plan, ReelReplayBuffer *buffer, const ReelCollectorStats *stats,
                double seconds, CollectEnd end)
{
  if (end != END_COMPLETE)
    collect_say (plan, "%s; all collected rows are kept\n",
                 end == END_TIME ? "the time is over" : "interrupted");
  say_summary (plan, buffer, stats, seconds);
  say_commands (plan, end);
  if (plan->options->json)
    print_json (plan, buffer, stats, seconds, end);
  else if (g_strcmp0 (plan->options->log, "-") != 0)
    escaped_text_print_path (apart_get_directory () ? apart_get_directory () : plan->path);
}
