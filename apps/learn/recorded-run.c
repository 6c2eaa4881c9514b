#include "recorded-run.h"

#include "../common/option-file.h"
#include "run.h"

#include <math.h>
#include <string.h>

void
recorded_run_free (RecordedRun *self)
{
  if (!self)
    return;
  json_decref (self->config);
  json_decref (self->newest);
  g_free (self->path);
  g_free (self);
}

/* ---- the configuration ---- */

static json_t *
load_config (const char *path)
{
  g_autofree char *file = g_build_filename (path, OPTION_FILE_CONFIG, NULL);
  json_t *config = json_load_file (file, 0, NULL);

  if (json_is_string (json_object_get (config, "learner")))
    return config;
  json_decref (config);
  return NULL;
}

gboolean
recorded_run_is_at (const char *path)
{
  json_t *config = load_config (path);
  gboolean found = config != NULL;

  json_decref (config);
  return found;
}

static void
read_config (RecordedRun *self)
{
  self->learner = json_string_value (json_object_get (self->config, "learner"));
  self->env = json_string_value (json_object_get (self->config, "env"));
  self->seed = json_integer_value (json_object_get (self->config, "seed"));
  self->total = json_integer_value (json_object_get (self->config, "total"));
}

/* ---- figures ---- */

static double
get_number (const json_t *row, const char *name)
{
  const json_t *number = json_object_get (row, name);

  return json_is_number (number) ? json_number_value (number) : NAN;
}

/* A row that is being written is no JSON yet. */
static void
read_row (RecordedRun *self, const char *line, double *evaluated, double *played)
{
  json_t *row = json_loads (line, 0, NULL);

  *evaluated = fmax (*evaluated, get_number (row, "eval/mean_reward"));
  *played = fmax (*played, get_number (row, "rollout/ep_rew_mean"));
  if (json_is_object (row))
    json_object_update (self->newest, row);
  json_decref (row);
}

static void
read_figures (RecordedRun *self)
{
  g_autofree char *path = g_build_filename (self->path, "metrics.ndjson", NULL);
  g_autofree char *line = NULL;
  double evaluated = NAN, played = NAN, seconds;
  FILE *file = fopen (path, "re");
  gsize room = 0;

  self->newest = json_object ();
  while (file && getline (&line, &room, file) > 0)
    read_row (self, line, &evaluated, &played);
  if (file)
    fclose (file);
  self->best = isnan (evaluated) ? played : evaluated;
  self->done = json_integer_value (json_object_get (self->newest, "step"));
  seconds = get_number (self->newest, "time");
  self->seconds = isnan (seconds) ? 0 : seconds;
}

/* ---- the state ---- */

/* The return that ends it, INFINITY for none. */
static double
get_stop (const RecordedRun *self)
{
  const json_t *options = json_object_get (self->config, OPTION_FILE_RECORD);
  const char *text = json_string_value (json_object_get (options, "stop-at"));

  return text ? g_ascii_strtod (text, NULL) : INFINITY;
}

static RunState
find_state (const RecordedRun *self)
{
  g_autofree char *checkpoint = g_build_filename (self->path, RUN_CHECKPOINT, NULL);

  if (run_files_are_written (self->path))
    return RUN_IS_WRITTEN;
  if (self->done >= self->total || get_number (self->newest, "eval/mean_reward") >= get_stop (self))
    return RUN_IS_COMPLETE;
  return g_file_test (checkpoint, G_FILE_TEST_EXISTS) ? RUN_IS_INTERRUPTED : RUN_IS_LOST;
}

const char *
recorded_run_get_state_word (const RecordedRun *self)
{
  static const char *const words[] = { "running", "complete", "interrupted", "lost" };

  return words[self->state];
}

RecordedRun *
recorded_run_new (const char *path, GError **error)
{
  json_t *config = load_config (path);
  RecordedRun *self;

  if (!config)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%s contains no run of learn: it lacks a " OPTION_FILE_CONFIG, path);
      return NULL;
    }
  self = g_new0 (RecordedRun, 1);
  self->path = g_strdup (path);
  self->config = config;
  read_config (self);
  read_figures (self);
  self->state = find_state (self);
  return self;
}
