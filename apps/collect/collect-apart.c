#include "collect-apart.h"

#include "../common/text-table.h"

#define LOOK_EVERY (G_TIME_SPAN_SECOND / 10)

static GError *other; /* the failure of another rank that ends this run */
static gboolean lost_first;

gboolean
apart_check_all (const CollectOptions *options, GError *failure, GError **error)
{
  g_autoptr (GError) own = failure;

  if (apart_is_on (options) && !options->dry_run)
    return reel_ranks_agree (own, NULL, error);
  if (own == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&own));
  return FALSE;
}

gboolean
apart_lost_first (void)
{
  return lost_first;
}

/* The environments of a rank that failed, in words. */
static char *
describe_share (const Plan *plan, gint rank)
{
  gint64 begin, end;

  if (plan->all_envs == 0)
    return g_strdup ("its environments");
  reel_ranks_cut (plan->all_envs, rank, reel_ranks_count_launched (NULL), &begin, &end);
  return g_strdup_printf ("environments %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, begin, end - 1);
}

static void
note_failure (const Plan *plan, ReelCollector *collector, gint rank, GError *failure)
{
  g_autofree char *share = rank >= 0 ? describe_share (plan, rank) : NULL;

  lost_first = lost_first || rank == 0;
  if (g_strcmp0 (plan->options->on_rank_error, "drop") == 0)
    {
      g_printerr ("collect: %s; %s end there, and the other ranks continue\n", failure->message,
                  share);
      g_error_free (failure);
      return;
    }
  other = g_error_new (failure->domain, failure->code,
                       "%s; %s end there, and all committed rows are kept", failure->message,
                       share ? share : "all environments");
  g_error_free (failure);
  reel_ranks_stop_others (other->message);
  reel_collector_stop (collector);
}

void
apart_continue (const Plan *plan, ReelCollector *collector)
{
  static gint64 next;
  gint64 now = g_get_monotonic_time ();
  GError *failure = NULL;
  gint rank;

  if (!apart_is_on (plan->options) || now < next)
    return;
  next = now + LOOK_EVERY;
  while (other == NULL && reel_ranks_find_failure (&rank, &failure))
    note_failure (plan, collector, rank, g_steal_pointer (&failure));
}

/* The first rank that failed ends all others, or none of them. */
int
apart_end (const Plan *plan, int status, GError *failure, GError **error)
{
  gboolean drops = g_strcmp0 (plan->options->on_rank_error, "drop") == 0;
  g_autoptr (GError) own = failure ? failure : g_steal_pointer (&other);
  g_autoptr (GError) theirs = NULL;
  gint64 rows = plan->collected;
  gint rank, n = reel_ranks_count_launched (&rank);

  if (own && !drops)
    reel_ranks_stop_others (own->message);

  gboolean agreed = reel_ranks_agree (own, &rows, &theirs);

  if (rank == 0 && !own)
    {
      g_autofree char *count = format_count (rows);

      collect_say (plan, "%d ranks collected %s frames\n", n, count);
    }
  if (agreed || (drops && !own))
    {
      if (!agreed)
        g_printerr ("collect: %s\n", theirs->message);
      return status;
    }
  g_propagate_error (error, own ? g_steal_pointer (&own) : g_steal_pointer (&theirs));
  return EXIT_FAILED;
}

void
apart_say (const Plan *plan)
{
  gint n = reel_ranks_count_launched (NULL);

  if (plan->options->resume)
    collect_say (plan, "ranks    %d, each continues its own directory in %s\n", n,
                 apart_get_directory ());
  else
    collect_say (plan,
                 "ranks    %d, which share %" G_GINT64_FORMAT
                 " environments; this is rank 0, and the others do likewise in %s\n",
                 n, plan->all_envs, apart_get_directory ());
}
