/* The work of collect, from its command line. */
#include "collect-share.h"
#include "collect-ranks.h"
#include "../common/option-file.h"
#include "../episodes/episode-log.h"

#include <stdlib.h>
#include <string.h>

#define ENDLESS_ROWS 1000000
#define ENDLESS_BYTES ((gint64) 1 << 30)

void
plan_clear (Plan *plan)
{
  g_clear_object (&plan->env);
  g_clear_object (&plan->policy);
  g_clear_pointer (&plan->env_text, g_free);
  g_clear_pointer (&plan->collector, g_free);
  g_clear_pointer (&plan->layout, reel_tensordict_unref);
  g_clear_pointer (&plan->actions, g_free);
  g_clear_pointer (&plan->path, g_free);
  g_clear_pointer (&plan->replay, g_free);
}

static char *
with_default (const char *text, const char *name, gint64 value)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  return reel_object_text_with_default (text, name, number);
}

/* As reel_object_new_from_text(), with the other ways where the name is unknown. */
static gpointer
make_object (GType base, const char *text, char **pairs, const char *ways, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gpointer object = reel_object_new_from_text (base, text, &failure, pairs[0], pairs[1], pairs[2],
                                               pairs[3], pairs[4], pairs[5], NULL);
  const char *unknown = base == REEL_TYPE_ENV ? "there is no environment" : "there is no policy";

  if (object)
    return object;
  if (g_str_has_prefix (failure->message, unknown) && !g_str_has_suffix (failure->message, "?"))
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "%s; %s", failure->message, ways);
  else
    g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

static gboolean
make_env (Plan *plan, GError **error)
{
  if (!plan->options->env)
    {
      set_usage_error (
          error,
          "cannot collect: name an environment, as in collect CartPole; --list-envs lists them");
      return FALSE;
    }

  g_autofree char *several =
      with_default (plan->options->env, "num-envs", plan->actions ? plan->n_action_lanes : 8);
  g_autofree char *text = with_default (several, "seed", plan->seed);
  g_autoptr (GPtrArray) given = g_ptr_array_new ();
  g_autofree char *own = g_strdup_printf ("%" G_GINT64_FORMAT, plan->own_envs);
  const char *const overrides[][2] = { { "num-envs",
                                         plan->all_envs > 0 ? own : plan->options->num_envs },
                                       { "seed", plan->options->seed },
                                       { "max-episode-steps", plan->options->max_episode_steps } };
  for (guint i = 0; i < G_N_ELEMENTS (overrides); i++)
    if (overrides[i][1])
      {
        g_ptr_array_add (given, (char *) overrides[i][0]);
        g_ptr_array_add (given, (char *) overrides[i][1]);
      }
  g_ptr_array_set_size (given, 7);

  reel_env_forbid_programs (option_file_is_record () && option_file_has ("env"));
  plan->env = make_object (
      REEL_TYPE_ENV, text, (char **) given->pdata,
      "one of your own is MuJoCo:xml-file=MODEL.xml, or a class in C (--plugin FILE.so, "
      "docs/your-own-env.md)",
      error);
  if (plan->env)
    g_object_get (plan->env, "seed", &plan->seed, NULL); /* its text may say another */

  gboolean made = plan->env && apart_number_env (plan, error);

  reel_env_forbid_programs (FALSE);
  if (!made)
    return FALSE;
  plan->n_envs = reel_env_get_num_envs (plan->env);
  plan->env_text = reel_object_to_text (REEL_OBJECT (plan->env));
  return TRUE;
}

static gboolean
make_policy (Plan *plan, GError **error)
{
  const char *text = plan->actions           ? "recorded"
                     : plan->options->policy ? plan->options->policy
                                             : "random";
  gboolean draws = g_str_has_prefix (text, "random") || g_str_has_prefix (text, "mlp")
                   || g_str_has_prefix (text, "exec");
  g_autofree char *seeded = draws ? with_default (text, "seed", plan->seed) : g_strdup (text);

  reel_env_forbid_programs (option_file_is_record () && option_file_has ("policy"));
  plan->policy = make_object (REEL_TYPE_POLICY, seeded,
                              (char *[6]){ plan->actions ? "directory" : NULL, plan->actions },
                              "one that learns calls the library (examples/dqn.c)", error);

  gboolean made = plan->policy != NULL && collect_ranks_check_policy (plan, error)
                  && apart_number_policy (plan, error) && plan_layout (plan, error);

  reel_env_forbid_programs (FALSE);
  return made;
}

gint64
plan_row_bytes (const Plan *plan)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (plan->layout);
  gsize step = 0;

  for (char **leaf = leaves; *leaf; leaf++)
    step += reel_tensor_nbytes (reel_tensordict_get_tensor (plan->layout, *leaf, NULL));
  return (gint64) step / plan->n_lanes;
}

gint64
plan_bytes (const Plan *plan)
{
  return plan_row_bytes (plan) * plan->capacity;
}

/* The default capacity of a run without a number of rows. */
static gint64
endless_rows (const Plan *plan)
{
  gint64 rows = MIN (ENDLESS_ROWS, ENDLESS_BYTES / plan_row_bytes (plan));

  rows = MIN (rows, plan_rows_of_episodes (plan));
  return MAX (rows - rows % plan->n_envs, plan->n_envs);
}

/* The last batch of workers that add batches of their own is whole. */
static gint64
default_rows (const Plan *plan)
{
  gint64 rows = plan->frames < 0 ? endless_rows (plan) : plan->frames + plan->n_envs;

  if (plan->n_lanes < plan->n_envs)
    rows = collect_round_up (rows, plan->frames_per_batch);
  return MAX (rows, plan_least_rows (plan));
}

/* How often rows in memory are saved: after so many rows, or so much time. */
static gboolean
plan_checkpoints (Plan *plan, GError **error)
{
  const char *every = plan->options->checkpoint_every;

  if (!every)
    return TRUE;
  if (plan->memmap)
    {
      set_usage_error (error,
                       "--checkpoint-every is for --storage tensor: the rows of memmap are in "
                       "files from the start");
      return FALSE;
    }
  if (options_parse_number ("checkpoint-every", every, 1, COLLECT_MOST_ROWS, 0,
                            &plan->checkpoint_rows, NULL)
      || options_parse_duration ("checkpoint-every", every, &plan->checkpoint_seconds, NULL))
    {
      plan->checkpoint_rows = apart_rows (plan, plan->checkpoint_rows);
      return TRUE;
    }
  set_usage_error (
      error,
      "--checkpoint-every cannot be \"%s\": it must be a number of rows, such as 100k, "
      "or a time, such as 90s, 10m or 1.5h",
      every);
  return FALSE;
}

static gboolean
plan_sizes (Plan *plan, GError **error)
{
  if (!options_parse_number ("capacity", plan->options->capacity, 1, COLLECT_MOST_ROWS, -1,
                             &plan->capacity, error)
      || !plan_pace (plan, &plan->frames, error) || !plan_check_episodes (plan, error))
    return FALSE;
  if (plan->frames < 0 && plan->actions)
    plan->frames = plan->n_action_rows;
  plan->capacity = plan->capacity < 0 ? default_rows (plan) : apart_rows (plan, plan->capacity);
  if (plan->rows < ROWS_SORTED)
    plan->capacity = collect_round_up (plan->capacity, plan->n_envs);
  if (plan->rows == ROWS_LONG && plan->ndim == 1 && !plan->options->frames_per_batch
      && plan->frames > 0)
    plan->frames_per_batch = MIN (plan->frames, G_MAXINT32); /* rows are as long as the longest */
  if (plan->capacity > G_MAXINT64 / plan_row_bytes (plan))
    {
      set_usage_error (error,
                       "%" G_GINT64_FORMAT " rows of %" G_GINT64_FORMAT
                       " bytes are more than any file holds; --capacity says how many to keep",
                       plan->capacity, plan_row_bytes (plan));
      return FALSE;
    }
  return TRUE;
}

/* runs/CartPole-v1__random__0__20261120-203000, with a counter where that stands already. */
static char *
name_run (const Plan *plan)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%Y%m%d-%H%M%S");
  g_autofree char *name = g_strdup_printf (
      "%s__%s__%" G_GINT64_FORMAT "__%s", reel_object_get_id (REEL_OBJECT (plan->env)),
      reel_object_get_id (REEL_OBJECT (plan->policy)), plan->seed, time);
  char *path = g_build_filename ("runs", name, NULL);

  for (guint i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_free (path);
      path = g_strdup_printf ("runs/%s-%u", name, i);
    }
  return path;
}

gboolean
plan_rename (Plan *plan)
{
  if (plan->options->out || plan->options->resume || !g_file_test (plan->path, G_FILE_TEST_EXISTS))
    return FALSE;
  g_free (plan->path);
  plan->path = name_run (plan);
  return TRUE;
}

/* The target of a link is replaced, not the link. */
static void
follow_link (Plan *plan)
{
  char *target = realpath (plan->path, NULL);

  if (!target)
    return;
  g_free (plan->path);
  plan->path = g_strdup (target);
  free (target);
}

static gboolean
has_run (const char *path)
{
  g_autofree char *file = g_build_filename (path, "reel.json", NULL);

  return g_file_test (file, G_FILE_TEST_EXISTS);
}

static gboolean
plan_path (Plan *plan, GError **error)
{
  if (plan->options->out && !*plan->options->out)
    {
      set_usage_error (error, "--out is empty: it must be the name of a directory");
      return FALSE;
    }
  plan->path = plan->options->out ? g_strdup (plan->options->out) : name_run (plan);
  gsize length = strlen (plan->path);
  while (length > 1 && plan->path[length - 1] == '/')
    plan->path[--length] = '\0';
  if (g_file_test (plan->path, G_FILE_TEST_IS_SYMLINK))
    follow_link (plan);
  if (!g_file_test (plan->path, G_FILE_TEST_EXISTS))
    return TRUE;
  gboolean replaceable = g_file_test (plan->path, G_FILE_TEST_IS_DIR);
  if (replaceable && plan->options->force)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s exists%s; choose another --out%s",
               plan->path, replaceable ? "" : ", and is not a directory",
               !replaceable           ? ""
               : has_run (plan->path) ? ", replace it by --force, or continue it by --resume"
                                      : ", or replace it by --force if a checkpoint is all it has");
  return FALSE;
}

/* The directory of a run holds nothing but the run. */
static gboolean
check_log (const Plan *plan, GError **error)
{
  const char *log = plan->options->log;

  if (!log)
    return TRUE;
  if (!episode_log_check_name (log, error))
    return FALSE;
  g_autofree char *file = g_canonicalize_filename (log, NULL);
  g_autofree char *directory = g_canonicalize_filename (plan->path, NULL);
  gsize length = strlen (directory);
  if (strncmp (file, directory, length) != 0 || (file[length] != '/' && file[length] != '\0'))
    return TRUE;
  set_usage_error (error, "cannot write --log %s inside the run %s: choose a path outside it", log,
                   plan->path);
  return FALSE;
}

static gboolean
plan_begin (Plan *plan, GError **error)
{
  const CollectOptions *options = plan->options;

  if (!options_parse_number ("seed", options->seed, 0, G_MAXINT64 / 2, 0, &plan->seed, error)
      || !apart_share (plan, error) || !plan_actions (plan, error) || !plan_collector (plan, error)
      || !make_env (plan, error))
    return FALSE;
  if (options->check_env && reel_env_is_mixed (plan->env))
    return TRUE; /* nothing is collected from lanes of unlike specs, which are checked alone */
  return plan_limit_episodes (plan, error) && make_policy (plan, error)
         && plan_storage (plan, error) && plan_sizes (plan, error) && plan_checkpoints (plan, error)
         && collect_ranks_check_plan (plan, error) && plan_try_collector (plan, error)
         && plan_path (plan, error);
}

gboolean
plan_init (Plan *plan, const CollectOptions *options, GError **error)
{
  plan->options = options;
  return (options->resume ? plan_resume (plan, error) : plan_begin (plan, error))
         && check_log (plan, error);
}
