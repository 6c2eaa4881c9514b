/* Ranks that work apart: what they say to each other at the beginning, at the end, and of failures
 * between. */
#include "ranks-private.h"

#include <string.h>

/* A rank as rank 0 knows it since the last agreement. */
typedef struct
{
  gboolean came; /* it has agreed, has failed or has ended */
  gboolean told; /* its failure was returned */
  gint64 number;
  GError *failure;
} Vote;

static Vote *votes; /* by rank; on another rank than 0 the one of rank 0 alone counts */

static Vote *
get_vote (const ReelRanks *ranks, gint rank)
{
  if (votes == NULL)
    votes = g_new0 (Vote, ranks->n_ranks);
  return &votes[rank];
}

static void
forget_votes (const ReelRanks *ranks)
{
  for (gint rank = 0; votes != NULL && rank < ranks->n_ranks; rank++)
    g_clear_error (&votes[rank].failure);
  g_clear_pointer (&votes, g_free);
}

static gboolean
send_vote (gint to, const GError *failure, gint64 number, GError **error)
{
  ReelRankMessage message = { .kind = failure ? REEL_RANK_FAILED : REEL_RANK_AGREED,
                              .numbers = { 0, number } };

  if (failure)
    message.numbers[0] = failure->domain == REEL_ERROR ? failure->code : REEL_ERROR_RUNTIME;
  return reel_rank_send (to, &message, failure ? failure->message : NULL,
                         failure ? strlen (failure->message) : 0, error);
}

/* ---- rank 0 ---- */

/* receive_vote: waits for it. A rank that ended has a failure, too. */
static void
receive_vote (const ReelRanks *ranks, gint rank)
{
  Vote *vote = get_vote (ranks, rank);
  ReelRankMessage message = { .kind = -1 };
  g_autofree guint8 *body = NULL;

  vote->came = TRUE;
  if (!reel_rank_receive (rank, &message, &body, &vote->failure)
      && message.kind == REEL_RANK_FAILED)
    g_prefix_error (&vote->failure, "%s: ", ranks->names[rank]);
  vote->number = message.kind == -1 ? 0 : message.numbers[1];
}

/* find_failure: the first that was not returned yet, of those whose votes came. */
static gboolean
find_failure (const ReelRanks *ranks, gint *rank, GError **error)
{
  for (gint i = 0; i < ranks->n_ranks; i++)
    {
      Vote *vote = get_vote (ranks, i);

      if (vote->failure == NULL || vote->told)
        continue;
      vote->told = TRUE;
      if (rank)
        *rank = i;
      g_propagate_error (error, g_error_copy (vote->failure));
      return TRUE;
    }
  return FALSE;
}

static void
look_at_all (const ReelRanks *ranks)
{
  for (gint rank = 1; rank < ranks->n_ranks; rank++)
    if (!get_vote (ranks, rank)->came && (reel_rank_has_sent (rank) || reel_ranks_has_lost (rank)))
      receive_vote (ranks, rank);
}

static gboolean
agree_first (const ReelRanks *ranks, const GError *failure, gint64 *sum, GError **error)
{
  g_autoptr (GError) first = NULL;

  get_vote (ranks, 0)->failure = failure ? g_error_copy (failure) : NULL;
  for (gint rank = 1; rank < ranks->n_ranks; rank++)
    {
      if (!get_vote (ranks, rank)->came)
        receive_vote (ranks, rank);
      if (sum)
        *sum += get_vote (ranks, rank)->number;
    }
  find_failure (ranks, NULL, &first);
  for (gint rank = 1; rank < ranks->n_ranks; rank++)
    if (!reel_ranks_has_lost (rank))
      send_vote (rank, first, 0, NULL);
  if (first)
    g_propagate_error (error, g_steal_pointer (&first));
  else
    return TRUE;
  return FALSE;
}

/* ---- the others ---- */

/* look_at_first: for an order to stop, and whether rank 0 is there. Either is a failure. */
static gboolean
look_at_first (const ReelRanks *ranks, gint *rank, GError **error)
{
  Vote *vote = get_vote (ranks, 0);
  ReelRankMessage message;
  g_autofree guint8 *body = NULL;

  if (vote->told || (!reel_rank_has_sent (0) && !reel_ranks_has_lost (0)))
    return FALSE;
  vote->told = TRUE;
  gboolean stops = reel_rank_receive (0, &message, &body, error);

  if (rank)
    *rank = stops ? -1 : 0;
  if (stops)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, (const char *) body);
  return TRUE;
}

/* wait_for_word: of rank 0, behind an order to stop that this rank did not see. */
static gboolean
wait_for_word (GError **error)
{
  ReelRankMessage message = { .kind = REEL_RANK_STOP };

  while (message.kind == REEL_RANK_STOP)
    {
      g_autofree guint8 *body = NULL;

      if (!reel_rank_receive (0, &message, &body, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
agree_other (const GError *failure, const gint64 *sum, GError **error)
{
  g_autoptr (GError) word = NULL;
  gboolean agreed = send_vote (0, failure, sum ? *sum : 0, &word) && wait_for_word (&word);

  if (failure != NULL)
    g_propagate_error (error, g_error_copy (failure));
  else if (!agreed)
    g_propagate_error (error, g_steal_pointer (&word));
  return agreed && failure == NULL;
}

/* ---- both ---- */

gboolean
reel_ranks_find_failure (gint *rank, GError **error)
{
  const ReelRanks *ranks = reel_ranks_state ();

  if (ranks->n_ranks == 0)
    return FALSE;
  if (ranks->rank > 0)
    return look_at_first (ranks, rank, error);
  look_at_all (ranks);
  return find_failure (ranks, rank, error);
}

void
reel_ranks_stop_others (const char *why)
{
  const ReelRanks *ranks = reel_ranks_state ();

  g_return_if_fail (why != NULL);
  for (gint rank = 1; ranks->rank == 0 && rank < ranks->n_ranks; rank++)
    {
      ReelRankMessage message = { .kind = REEL_RANK_STOP };

      if (!get_vote (ranks, rank)->came && !reel_ranks_has_lost (rank))
        reel_rank_send (rank, &message, why, strlen (why), NULL);
    }
}

gboolean
reel_ranks_agree (const GError *failure, gint64 *sum, GError **error)
{
  const ReelRanks *ranks = reel_ranks_get (error);

  if (ranks == NULL)
    return FALSE;

  gboolean agreed = ranks->rank == 0 ? agree_first (ranks, failure, sum, error)
                                     : agree_other (failure, sum, error);

  forget_votes (ranks);
  return agreed;
}
