/* A run that goes on where it ended: its directory says what it was, its rows where it stood. */
#include "collect-share.h"
#include "collect-ranks.h"
#include "../common/json-values.h"
#include "../common/run-plugins.h"

#include <string.h>

/* ---- what the sidecar says of it ---- */

static json_t *
read_info (ReelReplayBuffer *buffer, const char *key)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, key);

  return text ? json_loads (text, JSON_DECODE_ANY, NULL) : NULL;
}

/* The env or the policy that the run was of. */
static gpointer
make_recorded (ReelReplayBuffer *buffer, const char *key, GType type, GError **error)
{
  json_t *record = read_info (buffer, key);
  g_autofree char *text = g_strdup (json_string_value (json_object_get (record, "text")));

  json_decref (record);
  if (!text)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "its %s is not recorded", key);
      return NULL;
    }

  GError *failure = NULL;
  reel_env_forbid_programs (TRUE);
  gpointer object = reel_object_new_from_text (type, text, &failure, NULL);
  reel_env_forbid_programs (FALSE);

  if (!object)
    run_plugins_propagate (buffer, failure, error);
  return object;
}

static gint64
read_seed (ReelReplayBuffer *buffer)
{
  json_t *record = read_info (buffer, "env");
  gint64 seed = json_integer_value (json_object_get (record, "seed"));

  json_decref (record);
  return seed;
}

/* An option that is a number, as the run was given it. */
static gboolean
read_option (ReelReplayBuffer *buffer, const char *name, gint64 initial, gint64 *value,
             GError **error)
{
  g_autofree char *text = config_dup_recorded (buffer, name);

  if (options_parse_number (name, text, 0, COLLECT_MOST_ROWS, initial, value, error))
    return TRUE;
  g_prefix_error (error, "its record is damaged: ");
  return FALSE;
}

/* The collector that the run was of. Runs of before have none in their record. */
static gboolean
read_collector (Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  g_autofree char *recorded = config_dup_recorded (buffer, "collector");
  g_autofree char *ranks = collect_ranks_text (plan->options);
  gboolean is_plain =
      recorded == NULL || strcmp (recorded, "sync") == 0 || g_str_has_prefix (recorded, "ranks");
  const char *text = ranks && is_plain ? ranks : recorded ? recorded : "sync";
  g_autoptr (ReelCollector) collector =
      reel_object_new_from_text (REEL_TYPE_COLLECTOR, text, error, NULL);

  if (collector)
    plan->collector = g_strdup (text);
  return collector != NULL;
}

/* ---- what is to be done ---- */

static gboolean
check_options (const CollectOptions *options, GError **error)
{
  const struct
  {
    const char *name;
    gboolean given;
  } others[] = {
    { "config", options_config != NULL },
    { "env", options->env != NULL },
    { "transform", options->transform != NULL },
    { "num-envs", options->num_envs != NULL },
    { "policy", options->policy != NULL },
    { "actions", options->actions != NULL },
    { "seed", options->seed != NULL },
    { "out", options->out != NULL },
    { "storage", options->storage != NULL },
    { "ndim", options->ndim != NULL },
    { "collector", options->collector != NULL },
    { collector_get_given (), collector_get_given () != NULL },
    { "checkpoint-every", options->checkpoint_every != NULL },
    { "max-episode-steps", options->max_episode_steps != NULL },
    { "force", options->force },
    { "dry-run", options->dry_run },
    { "check-env", options->check_env },
    { "print-config", options->print_config },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (others[i].given)
      {
        set_usage_error (error, "cannot use --%s with --resume: it would change the run",
                         others[i].name);
        return FALSE;
      }
  if (*options->resume)
    return TRUE;
  set_usage_error (error, "cannot resume: --resume is empty; name the directory of a run");
  return FALSE;
}

/* Whether the rows of the run were in memory: collect says so when it saves them. */
static gboolean
was_in_memory (ReelReplayBuffer *buffer)
{
  g_autofree char *storage = config_dup_recorded (buffer, "storage");

  return storage && !g_str_has_prefix (storage, "memmap");
}

static gboolean
check_live (ReelReplayBuffer *buffer, GError **error)
{
  ReelRingInfo ring;

  if (!reel_replay_buffer_get_ring (buffer, &ring, error))
    return FALSE;
  if (!ring.live && was_in_memory (buffer))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "its rows were in memory (--storage tensor), and the states of its "
                         "environments are not saved; collect a further run by another --seed. "
                         "--resume takes runs of --storage memmap");
  else if (!ring.live)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "it has no reel.ring, for a dump or a conversion wrote it: --resume takes "
                         "runs of --storage memmap");
  else if (ring.written)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, "another process writes it");
  else
    return TRUE;
  return FALSE;
}

/* The record of the run. */
static gboolean
plan_recorded (Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  ReelStorageView view;

  if (!check_live (buffer, error) || !read_collector (plan, buffer, error))
    return FALSE;
  plan->env = make_recorded (buffer, "env", REEL_TYPE_ENV, error);
  plan->policy = plan->env ? make_recorded (buffer, "policy", REEL_TYPE_POLICY, error) : NULL;
  if (plan->policy && !plan_check_specs (plan, buffer, error))
    return FALSE;
  if (!plan->policy || !plan_layout (plan, error))
    return FALSE;
  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  plan->n_envs = reel_env_get_num_envs (plan->env);
  plan->seed = read_seed (buffer);
  plan->begun_at = view.end_row;
  plan->capacity = view.capacity;
  apart_take_share (plan, collector_get_number (plan, "first-lane"),
                    collector_get_number (plan, "all-lanes"));
  return collect_ranks_check_plan (plan, error);
}

/* A run whose files were made for all of its frames loses none of them unless --capacity says that
 * it is a ring from now on. */
static gboolean
check_room (const Plan *plan, gint64 total, gint64 recorded, GError **error)
{
  const char *path = apart_get_directory () ? apart_get_directory () : plan->path;
  gint64 room, capacity = apart_all_rows (plan, plan->capacity);

  if (!options_parse_number ("capacity", plan->options->capacity, 1, G_MAXINT64 / 2, -1, &room,
                             error))
    return FALSE;
  if (room >= 0 && apart_rows (plan, room) != plan->capacity)
    set_usage_error (error,
                     "--capacity %" G_GINT64_FORMAT ": %s has files for %" G_GINT64_FORMAT
                     " rows, and --resume cannot change that",
                     room, path, capacity);
  else if (room < 0 && total > plan->capacity && recorded >= 0 && recorded <= plan->capacity)
    set_usage_error (error,
                     "%s has files for %" G_GINT64_FORMAT " rows: --frames %" G_GINT64_FORMAT
                     " would overwrite the oldest. --capacity %" G_GINT64_FORMAT
                     " permits it; a run that keeps all its rows needs --capacity %" G_GINT64_FORMAT
                     " from its start",
                     path, capacity, apart_all_rows (plan, total), capacity,
                     apart_all_rows (plan, total + plan->n_envs));
  else
    return TRUE;
  return FALSE;
}

/* Likewise for a run whose files were made for all of its episodes. */
static gboolean
check_episodes (const Plan *plan, gint64 recorded, GError **error)
{
  Plan before = *plan;

  before.episodes = recorded;
  if (plan->options->capacity || recorded == 0 || plan->episodes <= recorded
      || plan_rows_of_episodes (&before) > plan->capacity
      || plan_rows_of_episodes (plan) <= plan->capacity)
    return TRUE;
  set_usage_error (error,
                   "%s has files for %" G_GINT64_FORMAT " rows: --episodes %" G_GINT64_FORMAT
                   " may overwrite the oldest. --capacity %" G_GINT64_FORMAT
                   " permits it; a run that keeps all its rows needs a greater --capacity from its "
                   "start",
                   plan->path, plan->capacity, plan->episodes, plan->capacity);
  return FALSE;
}

/* The end of the run: what is said of it now takes the place of what was said before. */
static gboolean
plan_end (Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  gint64 total, recorded, episodes, batch;

  if (!read_option (buffer, "frames", -1, &recorded, error)
      || !read_option (buffer, "episodes", 0, &episodes, error)
      || !read_option (buffer, "frames-per-batch", 0, &batch, error)
      || !plan_pace (plan, &total, error) || !plan_check_episodes (plan, error)
      || !check_room (plan, total, recorded, error) || !check_episodes (plan, episodes, error))
    return FALSE;
  if (plan->options->frames_per_batch && batch != plan->frames_per_batch
      && collector_decides_by_batch (plan))
    {
      set_usage_error (error,
                       "cannot use --frames-per-batch with --resume: the batches of %s are of "
                       "%" G_GINT64_FORMAT " frames, and %s decides by batch",
                       plan->path, batch, plan->collector);
      return FALSE;
    }
  if (!plan->options->frames_per_batch && batch > 0)
    plan->frames_per_batch = batch;
  if (total < 0 && plan->episodes == 0)
    {
      total = recorded;
      plan->episodes = episodes;
    }
  plan->frames = total < 0 ? -1 : MAX (total - plan->begun_at, 0);
  return TRUE;
}

gboolean
plan_resume (Plan *plan, GError **error)
{
  const char *path = plan->options->resume;

  if (!check_options (plan->options, error) || !apart_check_whole (path, error))
    return FALSE;
  if (reel_checkpoint_is_ensemble (path))
    {
      set_usage_error (error,
                       "cannot resume %s: it is an ensemble of buffers; --resume takes the "
                       "directory of one run",
                       path);
      return FALSE;
    }
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, error);
  if (!buffer)
    return FALSE;
  plan->storage = "memmap";
  plan->memmap = TRUE;
  plan->path = g_strdup (path);
  if (!collect_ranks_check_resume (plan->options, buffer, error)
      || !plan_recorded (plan, buffer, error))
    {
      g_prefix_error (error, "cannot resume %s: ", path);
      return FALSE;
    }
  return plan_end (plan, buffer, error);
}

/* ---- its files ---- */

ReelReplayBuffer *
resume_buffer (const Plan *plan, GError **error)
{
  g_autofree char *directory = g_build_filename (plan->path, "storage", NULL);
  g_autofree char *capacity = g_strdup_printf ("%" G_GINT64_FORMAT, plan->capacity);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:existsok=true", error, "scratch-dir", directory, "capacity",
      capacity, "ndim", plan->n_lanes == 1 ? "1" : "2", NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      storage ? reel_replay_buffer_new (storage, NULL, NULL, 0, error) : NULL;

  return buffer && reel_replay_buffer_loads (buffer, plan->path, error) ? g_steal_pointer (&buffer)
                                                                        : NULL;
}
