/* The loop of a run: rounds of frames and updates, evaluations, figures, and what is said of it. */
#include "export.h"
#include "run.h"

#include "../common/draft.h"
#include "../common/interrupt.h"
#include "../common/text-table.h"

#include <math.h>
#include <string.h>

static const char *const common_figures[N_COMMON_FIGURES] = {
  "time/fps",
  "time/collecting",
  "time/sampling",
  "time/updating",
  "time/evaluating",
  "rollout/ep_rew_mean",
  "rollout/ep_len_mean",
  "eval/mean_reward",
  "eval/mean_ep_length",
  "train/n_updates",
};

void
run_clear (Run *self)
{
  g_clear_object (&self->collector);
  g_clear_object (&self->buffer);
  videos_clear (&self->videos);
  g_clear_error (&self->unsavable);
  run_files_clear (&self->files);
}

/* ---- what it collects ---- */

static gboolean
draw_of_buffer (gpointer source, gint64 n, ReelTensordict **batch, GError **error)
{
  return reel_replay_buffer_sample (source, n, batch, error);
}

/* With the arguments that follow from others. */
static char *
dup_rows_text (const Run *self, gint64 capacity)
{
  g_autofree char *text = plan_dup_sampler (self->plan);
  g_autofree char *seed = g_strdup_printf ("%" G_GINT64_FORMAT, self->plan->seed);
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, capacity);
  g_autofree char *seeded = reel_object_text_with_default (text, "seed", seed);

  return plan_has_priorities (self->plan)
             ? reel_object_text_with_default (seeded, "max-capacity", most)
             : g_steal_pointer (&seeded);
}

static char *
dup_sampler_text (const Run *self, gint64 capacity)
{
  g_autofree char *rows = dup_rows_text (self, capacity);

  return self->plan->class->dup_sampler ? self->plan->class->dup_sampler (self->learner, rows)
                                        : g_steal_pointer (&rows);
}

static gboolean
add_n_step (Run *self, GError **error)
{
  gint64 n =
      self->plan->class->dup_sampler ? 1 : (gint64) learner_get_value (self->learner, "n-step", 1);
  g_autoptr (ReelTransform) transform =
      n > 1 ? learner_make_n_step (n, learner_get_value (self->learner, "gamma", 1), error) : NULL;

  return n == 1
         || (transform
             && reel_replay_buffer_append_transform (self->buffer, transform, FALSE, error));
}

static gboolean
make_buffer (Run *self, GError **error)
{
  gint64 lanes = self->learner->n_lanes;
  gint64 rows = (gint64) learner_get_value (self->learner, "capacity", 1);
  gint64 capacity = (MIN (rows, self->plan->total) + lanes - 1) / lanes * lanes;
  g_autofree char *storage = g_strdup_printf (
      "tensor:layout=records,capacity=%" G_GINT64_FORMAT ",ndim=%d", capacity, lanes > 1 ? 2 : 1);
  g_autofree char *sampler = dup_sampler_text (self, capacity);

  self->buffer = reel_replay_buffer_new_from_text (
      storage, sampler, (gint64) self->learner->values[BATCH_SIZE], error);
  if (!self->buffer)
    return FALSE;
  self->learner->source = self->learner->buffer = self->buffer;
  self->learner->draw = draw_of_buffer;
  return add_n_step (self, error);
}

static gboolean
make_collector (Run *self, GError **error)
{
  const Plan *plan = self->plan;
  g_autofree char *text =
      g_strdup_printf ("sync:frames-per-batch=%" G_GINT64_FORMAT ",total-frames=%" G_GINT64_FORMAT
                       ",threads=%" G_GINT64_FORMAT ",list-episodes=true",
                       learner_count_frames (self->learner), plan->total, plan->threads);
  g_autoptr (ReelPolicy) policy = acting_policy_new (self->learner, TRUE);

  if (plan->class->source == LEARN_FROM_STEPS && !make_buffer (self, error))
    return FALSE;
  self->collector = reel_collector_new (text, plan->env, policy, self->buffer, error);
  return self->collector != NULL;
}

static void
note_episodes (Run *self)
{
  gsize n;
  const ReelCollectorEpisode *episodes = reel_collector_get_episodes (self->collector, &n);

  for (gsize i = 0; i < n; i++)
    {
      gint64 place = self->n_episodes++ % RUN_RECENT;

      self->returns[place] = episodes[i].reward_sum;
      self->lengths[place] = (double) episodes[i].length;
    }
}

/* Counts the time since a moment. */
static void
add_seconds (Run *self, guint part, gint64 since)
{
  self->seconds[part] += (double) (g_get_monotonic_time () - since) / 1e6;
}

static gint64
collect (Run *self, ReelTensordict **rollout, GError **error)
{
  gint64 begin = g_get_monotonic_time (), n;

  if (!self->collector)
    return 1;
  n = reel_collector_next (self->collector, rollout, error);
  add_seconds (self, COLLECTING, begin);
  if (n < 0)
    return n;
  note_episodes (self);
  self->learner->frames += n;
  return n;
}

static gboolean
update (Run *self, ReelTensordict *rollout, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  gboolean updated = learner_update (self->learner, rollout, error);
  double sampling = (double) self->learner->sampling / 1e6;

  add_seconds (self, UPDATING, begin);
  self->seconds[UPDATING] -= sampling;
  self->seconds[SAMPLING] += sampling;
  self->learner->sampling = 0;
  return updated;
}

/* Sets more to FALSE at the end. */
static gboolean
run_round (Run *self, gboolean *more, GError **error)
{
  ReelTensordict *rollout = NULL;
  gint64 n = collect (self, &rollout, error);

  if (n < 0)
    return FALSE;
  self->done += n;
  self->learner->done = MIN ((double) self->done / (double) self->plan->total, 1);
  *more = n > 0 && self->done < self->plan->total;
  return n == 0 || update (self, rollout, error);
}

/* ---- figures ---- */

static double
mean_of_recent (const double *values, gint64 n_values)
{
  gint64 n = MIN (n_values, RUN_RECENT);
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += values[i];
  return n > 0 ? sum / (double) n : NAN;
}

static void
add_spark (Run *self, double value)
{
  if (self->n_sparks == RUN_SPARKS)
    memmove (self->sparks, self->sparks + 1, (gsize) --self->n_sparks * sizeof (double));
  self->sparks[self->n_sparks++] = value;
}

static gboolean
write_figures (Run *self, const Evaluation *evaluation, GError **error)
{
  double figures[RUN_MOST_FIGURES];

  figures[FPS] = (double) self->done / run_get_seconds (self);
  memcpy (figures + SECONDS, self->seconds, sizeof self->seconds);
  if (!self->collector)
    figures[SECONDS + COLLECTING] = NAN;
  if (!self->plan->eval_env)
    figures[SECONDS + EVALUATING] = NAN;
  figures[EPISODE_RETURN] = mean_of_recent (self->returns, self->n_episodes);
  figures[EPISODE_LENGTH] = mean_of_recent (self->lengths, self->n_episodes);
  figures[EVAL_RETURN] = evaluation ? evaluation->mean : NAN;
  figures[EVAL_LENGTH] = evaluation ? evaluation->length : NAN;
  figures[N_UPDATES] = (double) self->learner->n_updates;
  for (guint i = 0; self->plan->class->scalars[i]; i++)
    figures[N_COMMON_FIGURES + i] = learner_take_scalar (self->learner, i);
  if (isfinite (figures[N_COMMON_FIGURES]))
    self->loss = figures[N_COMMON_FIGURES];
  return run_files_write (&self->files, self->done, run_get_seconds (self), figures, error);
}

/* ---- what is said ---- */

/* Bars of the newest returns, where the terminal shows them. */
static char *
draw_sparks (const Run *self)
{
  static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  double least = INFINITY, most = -INFINITY;
  GString *text = g_string_new (NULL);

  for (gint64 i = 0; i < self->n_sparks; i++)
    {
      least = MIN (least, self->sparks[i]);
      most = MAX (most, self->sparks[i]);
    }
  for (gint64 i = 0; g_get_charset (NULL) && i < self->n_sparks; i++)
    {
      double share = most > least ? (self->sparks[i] - least) / (most - least) : 1;

      g_string_append (text, bars[(int) (share * 7 + 0.5)]);
    }
  return g_string_free (text, FALSE);
}

static void
show_progress (Run *self)
{
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  double recent = mean_of_recent (self->returns, self->n_episodes);

  if (self->newest.n > 0)
    recent = self->newest.mean;
  if (isfinite (recent))
    {
      g_autofree char *sparks = self->progress.terminal ? draw_sparks (self) : g_strdup ("");
      progress_add_part (parts, "return %.1f%s%s", recent, *sparks ? " " : "", sparks);
    }
  if (isfinite (self->loss))
    progress_add_part (parts, "loss %.3g", self->loss);
  if (self->buffer)
    progress_add_part (parts, "buffer %.0f %%",
                       100.0 * (double) reel_replay_buffer_get_length (self->buffer)
                           / (double) reel_replay_buffer_get_capacity (self->buffer));
  g_auto (GStrv) list = g_strv_builder_end (parts);
  progress_show_parts (&self->progress, self->done, self->collector ? "frames" : "updates", list);
}

static void
say_evaluation (const Run *self)
{
  g_autofree char *count = format_count (self->done);

  if (self->plan->options->quiet)
    return;
  if (self->progress.terminal)
    fputs ("\r\033[K", stderr); /* the line of the progress */
  g_printerr ("%s %s: return %.1f of %" G_GINT64_FORMAT " episodes (%.1f to %.1f), %.1f s\n", count,
              self->collector ? "frames" : "updates", self->newest.mean, self->newest.n,
              self->newest.least, self->newest.most, run_get_seconds (self));
}

/* ---- evaluations ---- */

static gboolean
export_as (const Run *self, const char *name, GError **error)
{
  g_autofree char *path = run_files_dup_path (&self->files, name);

  return export_policy (self->learner, path, error);
}

/* The best policy so far stays in the run. */
static gboolean
run_evaluation (Run *self, GError **error)
{
  gint64 begin = g_get_monotonic_time ();

  if (!evaluate (self->learner, self->plan->eval_env, self->plan->n_eval_episodes, &self->newest,
                 error))
    return FALSE;
  add_seconds (self, EVALUATING, begin);
  add_spark (self, self->newest.mean);
  say_evaluation (self);
  if (!write_figures (self, &self->newest, error)
      || !videos_film (&self->videos, self->done, error))
    return FALSE;
  if (!(self->newest.mean > self->best))
    return TRUE;
  self->best = self->newest.mean;
  return export_as (self, "policy.safetensors", error);
}

static gboolean
has_reached (const Run *self)
{
  return self->newest.n > 0 && self->newest.mean >= self->plan->stop_at;
}

/* Figures and evaluations, where they are due after a round, and after the last. */
static gboolean
run_due (Run *self, gboolean last, GError **error)
{
  const Plan *plan = self->plan;
  gboolean evaluates = plan->eval_every > 0 && (last || self->done >= self->next_eval);

  if (progress_is_due (&self->progress))
    show_progress (self);
  if (!evaluates && self->done < self->next_log && !last)
    return TRUE;
  self->next_log = self->done + plan->log_every;
  if (plan->eval_every == 0 && self->n_episodes > 0)
    add_spark (self, mean_of_recent (self->returns, self->n_episodes));
  if (!evaluates)
    return write_figures (self, NULL, error);
  self->next_eval = self->done + plan->eval_every;
  return run_evaluation (self, error);
}

/* ---- the whole ---- */

static void
name_figures (Run *self)
{
  const char *const *scalars = self->plan->class->scalars;

  memcpy (self->names, common_figures, sizeof common_figures);
  for (guint i = 0; scalars[i]; i++)
    self->names[N_COMMON_FIGURES + i] = scalars[i];
}

static gboolean
begin_files (Run *self, GError **error)
{
  const Plan *plan = self->plan;
  g_autofree char *weights = g_build_filename (plan->path, "policy.safetensors", NULL);
  g_autofree char *policy = export_dup_text (self->learner, weights);
  json_t *config = plan_describe (plan);

  if (policy)
    json_object_set_new (config, "policy", json_string (policy));
  return run_files_open (&self->files, plan->path, self->names, config, error);
}

static gboolean
continue_files (Run *self, GError **error)
{
  if (run_files_reopen (&self->files, self->plan->path, self->names, error)
      && (!self->unsavable || run_check_savable (self, error)) && run_load (self, error))
    {
      self->ended = self->done >= self->plan->total || has_reached (self);
      return TRUE;
    }
  g_prefix_error (error, "cannot resume %s: ", self->plan->path);
  return FALSE;
}

static gboolean
open_videos (Run *self, GError **error)
{
  const Plan *plan = self->plan;

  return plan->videos == VIDEO_NONE
         || videos_open (&self->videos, self->learner, plan->env_text, plan_get_eval_seed (plan),
                         plan->path, plan->videos, error);
}

/* A run whose state cannot be saved is learned all the same, unless it is to be saved. */
static gboolean
check_savable (Run *self, GError **error)
{
  if (run_check_savable (self, &self->unsavable))
    return TRUE;
  if (self->plan->checkpoint_every == 0)
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&self->unsavable),
                              "cannot use --checkpoint-every: ");
  return FALSE;
}

gboolean
run_begin (Run *self, Plan *plan, GError **error)
{
  gboolean from_data = plan->class->source == LEARN_FROM_DATA;

  *self = (Run){ .plan = plan,
                 .learner = plan->learner,
                 .begin = g_get_monotonic_time (),
                 .next_eval = plan->eval_every,
                 .next_log = plan->log_every,
                 .loss = NAN,
                 .best = -INFINITY };
  name_figures (self);
  self->learner->directory = plan->path;
  if (!(from_data ? plan_open_data (plan, error) : make_collector (self, error))
      || !check_savable (self, error)
      || !(plan->options->resume ? continue_files : begin_files) (self, error)
      || !open_videos (self, error))
    return FALSE;
  self->next_checkpoint = self->done + plan->checkpoint_every;
  progress_start (&self->progress, plan->total, plan->options->quiet);
  self->progress.start = self->begin;
  return TRUE;
}

/* One that fails does not end the run, and is said once. */
static void
run_checkpoint (Run *self)
{
  g_autoptr (GError) failure = NULL;

  self->next_checkpoint = self->done + self->plan->checkpoint_every;
  if (!run_save (self, &failure) && !self->failed)
    g_printerr ("learn: cannot save a checkpoint; the run continues: %s\n", failure->message);
  self->failed = failure != NULL;
}

gboolean
run_advance (Run *self, GError **error)
{
  gboolean more;

  if (!run_round (self, &more, error) || !run_due (self, !more, error))
    return FALSE;
  self->ended = !more || has_reached (self);
  if (!self->ended && self->plan->checkpoint_every > 0 && self->done >= self->next_checkpoint)
    run_checkpoint (self);
  return TRUE;
}

gboolean
run_finish (Run *self, GError **error)
{
  gboolean judged = isfinite (self->best);

  progress_finish (&self->progress);
  if (!export_as (self, "last.safetensors", error)
      || (!judged && !export_as (self, "policy.safetensors", error)))
    return FALSE;
  if (self->unsavable || run_save (self, error))
    return TRUE;
  g_prefix_error (error, "the policies are saved, but not the last checkpoint: ");
  return FALSE;
}

static void
say_continuation (const Run *self)
{
  g_autofree char *word = g_shell_quote (self->files.path);

  if (self->unsavable)
    g_printerr ("it cannot be resumed: %s\n", self->unsavable->message);
  else if (!self->ended)
    g_printerr ("continue it by: learn --resume %s\n", word);
}

static void
say_end (const Run *self)
{
  g_autofree char *weights = run_files_dup_path (&self->files, "policy.safetensors");
  g_autofree char *policy = export_dup_text (self->learner, weights);
  g_autofree char *env_word = g_shell_quote (self->plan->env_text);
  g_autofree char *policy_word = policy ? g_shell_quote (policy) : NULL;
  g_autofree char *count = format_count (self->done);
  g_autofree char *time = format_duration (run_get_seconds (self));

  if (!self->plan->options->quiet)
    {
      if (self->collector)
        g_printerr ("%s frames, ", count);
      g_printerr ("%" G_GINT64_FORMAT " updates in %s%s", self->learner->n_updates, time,
                  interrupt_came () ? ", interrupted" : "");
      if (self->newest.n > 0)
        g_printerr (", best return %.1f", self->best);
      if (policy)
        g_printerr ("\nplay the policy by: collect %s --policy %s\n", env_word, policy_word);
      else
        g_printerr ("\nits weights are in %s\n", weights);
      say_continuation (self);
    }
  g_print ("%s\n", self->files.path);
}

static int
say_complete (const Run *self)
{
  g_autofree char *count = format_count (self->done);

  if (!self->plan->options->quiet)
    g_printerr ("%s is complete: %s %s; nothing is left to be done\n", self->files.path, count,
                self->collector ? "frames" : "updates");
  g_print ("%s\n", self->files.path);
  return EXIT_OK;
}

/* A run that failed in its first round leaves nothing, unless it learned meanwhile. */
static void
discard (Run *self)
{
  if (!self->plan->options->resume && self->learner->n_updates == 0)
    run_files_discard (&self->files);
}

int
learn_run (Plan *plan, GError **error)
{
  g_auto (Run) self = { 0 };
  gboolean first = TRUE;

  interrupt_watch (NULL, draft_remove_all);
  if (!run_begin (&self, plan, error))
    return EXIT_FAILED;
  if (self.ended)
    return say_complete (&self);
  for (; !self.ended && (first || !interrupt_came ()); first = FALSE)
    if (!run_advance (&self, error))
      {
        if (first)
          discard (&self);
        return EXIT_FAILED;
      }
  if (!run_finish (&self, error))
    return EXIT_FAILED;
  say_end (&self);
  return interrupt_came () ? interrupt_status () : EXIT_OK;
}
