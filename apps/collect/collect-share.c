#include "collect-share.h"

#include "../common/json-values.h"

#include <string.h>

#define USUAL_ENVS 8

static char *directory; /* of all ranks */

static gint
get_rank (gint *n)
{
  gint rank;

  *n = reel_ranks_count_launched (&rank);
  return rank;
}

gboolean
apart_is_on (const CollectOptions *options)
{
  return g_strcmp0 (options->ranks, "apart") == 0 && !options->check_env && !options->print_config;
}

const char *
apart_get_directory (void)
{
  return directory;
}

/* ---- options ---- */

gboolean
apart_check (const CollectOptions *options, GError **error)
{
  if (!apart_is_on (options))
    return TRUE;
  if (!options->out && !options->resume)
    set_usage_error (error, "--ranks apart needs --out DIR: rank K writes DIR/rank-K");
  else if (options->episodes)
    set_usage_error (error, "cannot use --episodes with --ranks apart: the ranks do not know of "
                            "each other's episodes; use --frames or --max-time");
  else if (options->actions)
    set_usage_error (error, "cannot use --actions with --ranks apart: a run is repeated in one "
                            "process");
  else if (g_strcmp0 (options->log, "-") == 0)
    set_usage_error (error, "cannot use --log - with --ranks apart: several ranks would write "
                            "there; name a file, and each rank writes one of its own");
  else if (options->env && !options->num_envs
           && g_regex_match_simple ("[:,]num[-_](envs|workers)=", options->env, 0, 0))
    set_usage_error (error,
                     "--ranks apart shares the environments of --num-envs: name their number "
                     "there, not in %s",
                     options->env);
  else
    return TRUE;
  return FALSE;
}

/* Files that ranks write beside each other: `log.csv` becomes `log.rank-1.csv`. */
static char *
name_log (const char *path, gint rank)
{
  const char *dot = strrchr (path, '.');
  int length = dot ? (int) (dot - path) : (int) strlen (path);

  return g_strdup_printf ("%.*s.rank-%d%s", length, path, rank, dot ? dot : "");
}

static char *
name_directory (const char *all, gint rank)
{
  g_autofree char *name = g_strdup_printf ("rank-%d", rank);

  return g_build_filename (all, name, NULL);
}

gboolean
apart_begin (CollectOptions *options, GError **error)
{
  gint n, rank = get_rank (&n);

  if (!apart_is_on (options))
    return TRUE;
  if (!options->dry_run && !reel_ranks_open (NULL, NULL, error))
    return FALSE;
  directory = g_strdup (options->resume ? options->resume : options->out);
  if (options->resume && *options->resume)
    options->resume = name_directory (directory, rank);
  else if (options->out && *options->out)
    options->out = name_directory (directory, rank);
  if (options->log)
    options->log = name_log (options->log, rank);
  options->quiet = options->quiet || rank > 0;
  return TRUE;
}

/* ---- the share ---- */

/* The directory has none of a rank that there is not now: what reads all would read it, too. */
static gboolean
check_directory (gint n, GError **error)
{
  g_autofree char *file = g_build_filename (directory, "reel.json", NULL);
  g_autofree char *next = name_directory (directory, n);

  if (g_file_test (file, G_FILE_TEST_EXISTS))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s is a run of its own; choose another --out for --ranks apart", directory);
  else if (g_file_test (next, G_FILE_TEST_EXISTS))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s is of a run of more ranks, and %d work now; choose another --out, or remove "
                 "the directories of that run",
                 next, n);
  else
    return TRUE;
  return FALSE;
}

gboolean
apart_share (Plan *plan, GError **error)
{
  gint n, rank = get_rank (&n);
  gint64 all, end;

  if (!apart_is_on (plan->options))
    return TRUE;
  if (!options_parse_number ("num-envs", plan->options->num_envs, 1, G_MAXINT32, USUAL_ENVS, &all,
                             error)
      || !check_directory (n, error))
    return FALSE;
  if (all < n)
    {
      set_usage_error (error,
                       "%d ranks cannot share %" G_GINT64_FORMAT
                       " environments: --num-envs %d is the least",
                       n, all, n);
      return FALSE;
    }
  reel_ranks_cut (all, rank, n, &plan->first_env, &end);
  plan->all_envs = all;
  plan->own_envs = end - plan->first_env;
  return TRUE;
}

/* Environment l of all has the seed of the first one and l more. */
gboolean
apart_number_env (Plan *plan, GError **error)
{
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (plan->env));
  g_autofree char *seed = NULL;
  gint64 first;

  if (plan->all_envs == 0)
    return TRUE;
  if (reel_env_get_num_envs (plan->env) != plan->own_envs)
    {
      set_usage_error (error,
                       "ranks cannot share the environments of %s: it has %" G_GINT64_FORMAT
                       " where num-envs=%" G_GINT64_FORMAT " is asked for; collect in one process",
                       reel_object_get_id (REEL_OBJECT (plan->env)),
                       reel_env_get_num_envs (plan->env), plan->own_envs);
      return FALSE;
    }
  g_object_get (plan->env, "seed", &first, NULL);
  seed = g_strdup_printf ("%" G_GINT64_FORMAT, first + plan->first_env);
  g_object_unref (plan->env);
  plan->env = reel_object_new_from_text (REEL_TYPE_ENV, text, error, "seed", seed, NULL);
  return plan->env != NULL;
}

void
apart_take_share (Plan *plan, gint64 first, gint64 all)
{
  if (!apart_is_on (plan->options))
    return;
  plan->first_env = first;
  plan->all_envs = all;
  plan->own_envs = plan->n_envs;
}

gboolean
apart_number_policy (Plan *plan, GError **error)
{
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (plan->policy));
  g_autofree char *first = g_strdup_printf ("%" G_GINT64_FORMAT, plan->first_env);
  g_autofree char *all = g_strdup_printf ("%" G_GINT64_FORMAT, plan->all_envs);

  if (plan->all_envs == 0)
    return TRUE;
  g_object_unref (plan->policy);
  plan->policy = reel_object_new_from_text (REEL_TYPE_POLICY, "lane-range", error, "policy", text,
                                            "first-lane", first, "all-lanes", all, NULL);
  plan->seed += plan->first_env; /* that of the run of this rank */
  return plan->policy != NULL;
}

gint64
apart_rows (const Plan *plan, gint64 rows)
{
  return plan->all_envs > 0 && rows > 0
             ? collect_round_up (rows, plan->all_envs) / plan->all_envs * plan->own_envs
             : rows;
}

gint64
apart_all_rows (const Plan *plan, gint64 rows)
{
  return plan->all_envs > 0 ? rows / plan->own_envs * plan->all_envs : rows;
}

/* ---- the record ---- */

gboolean
apart_record (const Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  gint n, rank = get_rank (&n);
  g_autofree char *text = g_strdup_printf ("{\"of\":%d,\"rank\":%d}", n, rank);

  return plan->all_envs == 0 || reel_replay_buffer_set_info (buffer, "ranks", text, error);
}

/* The runs of several ranks, below one directory, are no run. */
gboolean
apart_check_whole (const char *path, GError **error)
{
  gint n = 0;

  for (;; n++)
    {
      g_autofree char *run = name_directory (path, n);

      if (!g_file_test (run, G_FILE_TEST_IS_DIR))
        break;
    }
  if (n == 0)
    return TRUE;
  set_usage_error (
      error,
      "cannot resume %s: it has the runs of %d ranks; mpirun -n %d collect --resume %s "
      "--ranks apart continues them, and --resume %s/rank-0 the first alone",
      path, n, n, path, path);
  return FALSE;
}

gboolean
apart_check_resume (const CollectOptions *options, const char *text, GError **error)
{
  gint n, rank = get_rank (&n);
  json_t *record = text ? json_loads (text, 0, NULL) : NULL;
  json_int_t of = json_integer_value (json_object_get (record, "of"));
  json_int_t its = json_integer_value (json_object_get (record, "rank"));

  json_decref (record);
  if (!apart_is_on (options))
    return TRUE;
  if (of == 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "a single run wrote it: leave --ranks apart out");
  else if (of != n)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "it is the run of one of %d ranks, and there are %d now: mpirun -n %d continues "
                 "all of them",
                 (int) of, n, (int) of);
  else if (its != rank)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "it is the run of rank %d, not of %d",
                 (int) its, rank);
  else
    return TRUE;
  return FALSE;
}
