#include "run-facts.h"

#include "../common/json-values.h"
#include "../common/option-file.h"
#include "../common/text-table.h"
#include "run-files.h"
#include "run.h"

#include <math.h>

/* ---- the state ---- */

/* The return that ends it, INFINITY for none. */
static double
get_stop (const SavedRun *run)
{
  const json_t *options = json_object_get (run->config, OPTION_FILE_RECORD);
  const char *text = json_string_value (json_object_get (options, "stop-at"));

  return text ? g_ascii_strtod (text, NULL) : INFINITY;
}

static RunState
find_state (const RunFacts *self, const SavedRun *run, double evaluated)
{
  g_autofree char *checkpoint = g_build_filename (run->path, RUN_CHECKPOINT, NULL);

  if (run->fault)
    return RUN_IS_DAMAGED;
  if (run_files_are_written (run->path))
    return RUN_IS_WRITTEN;
  if (self->done >= self->total || evaluated >= get_stop (run))
    return RUN_IS_COMPLETE;
  return g_file_test (checkpoint, G_FILE_TEST_EXISTS) ? RUN_IS_INTERRUPTED : RUN_IS_LOST;
}

const char *
run_facts_get_state_word (const RunFacts *self)
{
  static const char *const words[] = { "running", "complete", "interrupted", "lost", "damaged" };

  return words[self->state];
}

/* ---- facts ---- */

static const char *
get_text (const SavedRun *run, const char *name)
{
  return json_string_value (json_object_get (run->config, name));
}

void
run_facts_init (RunFacts *self, const SavedRun *run)
{
  const json_t *seed = json_object_get (run->config, "seed");
  gint evaluated = saved_run_find (run, "eval/mean_reward");
  double done = saved_run_get_newest (run, saved_run_find (run, "step"));
  double seconds = saved_run_get_newest (run, saved_run_find (run, "time"));

  *self = (RunFacts){ .learner = get_text (run, "learner"),
                      .env = get_text (run, "env"),
                      .unit = get_text (run, "unit"),
                      .seed = json_is_integer (seed) ? json_integer_value (seed) : -1,
                      .done = isnan (done) ? 0 : (gint64) done,
                      .total = json_integer_value (json_object_get (run->config, "total")),
                      .seconds = isnan (seconds) ? 0 : seconds,
                      .best = saved_run_get_greatest (run, evaluated) };
  if (isnan (self->best))
    self->best = saved_run_get_greatest (run, saved_run_find (run, "rollout/ep_rew_mean"));
  if (!self->unit)
    self->unit = "steps";
  self->state = find_state (self, run, saved_run_get_newest (run, evaluated));
}

char *
run_facts_dup_progress (const RunFacts *self)
{
  g_autofree char *done = format_count (self->done), *total = format_count (self->total);

  if (self->total == 0)
    return g_strdup ("-");
  return g_strdup_printf ("%s of %s %s", done, total, self->unit);
}

json_t *
run_facts_describe (const RunFacts *self, const SavedRun *run)
{
  g_autofree char *path = g_filename_display_name (run->path);

  return json_pack ("{s:s, s:o, s:o, s:o, s:{s:I, s:I, s:s}, s:f, s:o, s:s, s:o}", "path", path,
                    "learner", json_string_or_null (self->learner), "env",
                    json_string_or_null (self->env), "seed", json_count_or_null (self->seed),
                    "progress", "done", (json_int_t) self->done, "total", (json_int_t) self->total,
                    "unit", self->unit, "seconds", self->seconds, "best_return",
                    isnan (self->best) ? json_null () : json_from_double (self->best), "state",
                    run_facts_get_state_word (self), "fault",
                    json_string_or_null (run->fault ? run->fault->message : NULL));
}
