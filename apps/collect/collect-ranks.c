#include "collect-apart.h"
#include "collect-ranks.h"

#include "../common/interrupt.h"

#include <stdio.h>
#include <string.h>

static gboolean expected; /* whether the other ranks wait for rank 0 */
static gboolean followed; /* whether this rank worked for rank 0 */

static gint
own_rank (void)
{
  gint rank;

  reel_ranks_count_launched (&rank);
  return rank;
}

static void
silence (FILE *stream)
{
  if (freopen ("/dev/null", "w", stream) == NULL)
    setvbuf (stream, NULL, _IOFBF, BUFSIZ);
}

void
collect_ranks_begin (void)
{
  if (own_rank () > 0)
    silence (stdout);
}

/* Rank 0 does it alone. */
static gboolean
prints_only (const CollectOptions *options)
{
  return options->check_env || options->dry_run || options->print_config;
}

gboolean
collect_ranks_follow (const CollectOptions *options, int *status, GError **error)
{
  *status = EXIT_OK;
  expected = !prints_only (options) && !apart_is_on (options);
  if (own_rank () == 0)
    return FALSE;
  if (!expected)
    return prints_only (options);
  interrupt_watch (reel_ranks_ask_to_stop, interrupt_end);
  if (reel_ranks_open (NULL, NULL, error))
    {
      followed = TRUE;
      reel_ranks_serve (error);
    }
  return TRUE;
}

static gboolean
is_word (const char *name, const char *text, const char *const *words, GError **error)
{
  g_autofree char *list = NULL;
  char *last;

  if (!text || g_strv_contains (words, text))
    return TRUE;
  list = g_strjoinv (", ", (char **) words);
  last = strrchr (list, ',');
  set_usage_error (error, "--%s cannot be \"%s\": it must be %.*s or%s", name, text,
                   (int) (last - list), list, last + 1);
  return FALSE;
}

gboolean
collect_ranks_check (const CollectOptions *options, GError **error)
{
  static const char *const modes[] = { "sync", "async", "apart", NULL };
  static const char *const answers[] = { "fail", "drop", NULL };
  const char *given = options->ranks ? "ranks" : options->on_rank_error ? "on-rank-error" : NULL;

  if (!is_word ("ranks", options->ranks, modes, error)
      || !is_word ("on-rank-error", options->on_rank_error, answers, error))
    return FALSE;
  if (given && reel_ranks_count_launched (NULL) == 1)
    set_usage_error (error, "--%s needs several ranks: mpirun -n 4 collect …", given);
  else if (given && options->collector && !apart_is_on (options))
    set_usage_error (error, "cannot use both --%s and --collector: choose one", given);
  else if (options->resume && g_strcmp0 (options->ranks, "async") == 0)
    set_usage_error (error, "cannot use both --resume and --ranks async: rows of several ranks "
                            "contain no order to continue");
  else
    return apart_check (options, error);
  return FALSE;
}

char *
collect_ranks_text (const CollectOptions *options)
{
  if (reel_ranks_count_launched (NULL) == 1 || prints_only (options) || apart_is_on (options))
    return NULL;
  return g_strdup_printf ("ranks:mode=%s,on-rank-error=%s",
                          options->ranks ? options->ranks : "sync",
                          options->on_rank_error ? options->on_rank_error : "fail");
}

static gboolean
is_async (const Plan *plan)
{
  return strstr (plan->collector, "mode=async") != NULL;
}

gboolean
collect_ranks_check_policy (const Plan *plan, GError **error)
{
  if (reel_ranks_count_launched (NULL) == 1 || (prints_only (plan->options) && !plan->all_envs)
      || reel_policy_is_lanewise (plan->policy))
    return TRUE;
  set_usage_error (error,
                   "the policy %s acts on all environments at once, and ranks have only some of "
                   "them: collect without mpirun",
                   reel_object_get_id (REEL_OBJECT (plan->policy)));
  return FALSE;
}

gboolean
collect_ranks_check_plan (const Plan *plan, GError **error)
{
  gint n = reel_ranks_count_launched (NULL);

  if (n == 1 || prints_only (plan->options) || apart_is_on (plan->options))
    return TRUE;
  if (!g_str_has_prefix (plan->collector, "ranks") && !g_str_has_prefix (plan->collector, "Dist"))
    set_usage_error (error,
                     "--collector %s works in one process, and mpirun started %d: leave one "
                     "of them out",
                     plan->collector, n);
  else if (plan->n_envs < n && !is_async (plan))
    set_usage_error (error,
                     "%d ranks cannot share %" G_GINT64_FORMAT
                     " environments: --num-envs %d is the least",
                     n, plan->n_envs, n);
  else
    return collect_ranks_check_policy (plan, error);
  return FALSE;
}

gboolean
collect_ranks_record (const Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  return apart_record (plan, buffer, error)
         && (!is_async (plan) || reel_replay_buffer_set_info (buffer, "ranks", "\"async\"", error));
}

gboolean
collect_ranks_check_resume (const CollectOptions *options, ReelReplayBuffer *buffer, GError **error)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, "ranks");

  if (g_strcmp0 (text, "\"async\"") != 0)
    return apart_check_resume (options, text, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "its rows are of several ranks as they came (--ranks async), and "
                       "contain no order to continue");
  return FALSE;
}

void
collect_ranks_say (const Plan *plan)
{
  gint n = reel_ranks_count_launched (NULL);

  if (apart_is_on (plan->options))
    apart_say (plan);
  else if (n > 1 && is_async (plan))
    collect_say (plan, "ranks    %d that collect and one that writes; batches as they come\n",
                 n - 1);
  else if (n > 1)
    collect_say (plan, "ranks    %d, which share the environments\n", n);
}

void
collect_ranks_say_warnings (void)
{
  static guint n_said;
  g_auto (GStrv) warnings = reel_ranks_dup_warnings ();
  guint n = g_strv_length (warnings);

  for (; n_said < n; n_said++)
    g_printerr ("collect: %s\n", warnings[n_said]);
}

int
collect_ranks_end (const char *program, int status, const GError *error)
{
  gint rank;

  if (reel_ranks_count_launched (&rank) > 1 && rank == 0 && expected)
    reel_ranks_open (NULL, NULL, NULL); /* they wait, also where nothing came of it */
  reel_ranks_close ();
  if (rank > 0 && !(rank == 1 && (followed || apart_lost_first ())))
    silence (stderr);
  return program_end (program, status, error);
}
