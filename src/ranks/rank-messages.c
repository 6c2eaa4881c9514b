/* Messages between rank 0 and another, and waiting for them without waiting for the dead. */
#include "mpi-library.h"
#include "ranks-private.h"

#include <sched.h>
#include <string.h>

#define HEAD_TAG 1
#define BODY_TAG 2

/* Looks without a pause, some 100 µs, before a process gives its processor away for 1 ms at a time:
 * what is on its way comes within, and ranks may be more than processors. */
#define EAGER_TURNS 200

static void
pause_for (guint turn)
{
  if (turn < EAGER_TURNS)
    sched_yield ();
  else
    reel_ranks_look (1);
}

static void
set_error_of (gint peer, GError **error)
{
  const ReelRanks *ranks = reel_ranks_state ();
  g_autofree char *number = g_strdup_printf ("rank %d", peer);
  const char *name = ranks->names && ranks->names[peer] ? ranks->names[peer] : number;

  if (reel_ranks_has_lost (peer))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s ended in the middle of the work", name);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "MPI cannot transfer a message with %s", name);
}

/* wait_for: until all requests are done, which are of messages with @peer. */
static gboolean
wait_for (gint peer, gpointer *requests, guint n, GError **error)
{
  ReelMpiState state;

  for (guint turn = 0; (state = reel_mpi_test (requests, n)) == REEL_MPI_UNDER_WAY; turn++)
    {
      if (turn >= EAGER_TURNS && reel_ranks_has_lost (peer))
        {
          state = reel_mpi_test (requests, n); /* what it sent last may have come meanwhile */
          break;
        }
      pause_for (turn);
    }
  if (state == REEL_MPI_DONE)
    return TRUE;
  reel_mpi_drop (requests, n);
  set_error_of (peer, error);
  return FALSE;
}

gboolean
reel_rank_has_sent (gint from)
{
  return reel_mpi_probe (from, HEAD_TAG);
}

guint
reel_rank_wait_for_any (const gint *ranks, guint n)
{
  for (guint turn = 0;; turn++)
    {
      for (guint i = 0; i < n; i++)
        if (reel_mpi_probe (ranks[i], HEAD_TAG)
            || (turn >= EAGER_TURNS && reel_ranks_has_lost (ranks[i])))
          return i;
      pause_for (turn);
    }
}

/* ---- bytes ---- */

/* post: the requests of all parts, each cut into what MPI can count. */
static GPtrArray *
post (gint peer, gboolean sends, const ReelRankPart *parts, guint n)
{
  GPtrArray *requests = g_ptr_array_sized_new (n);

  for (guint i = 0; i < n; i++)
    for (gsize at = 0; at < parts[i].n_bytes; at += REEL_MPI_MOST_BYTES)
      {
        guint8 *data = (guint8 *) parts[i].data + at;
        gsize size = MIN (parts[i].n_bytes - at, REEL_MPI_MOST_BYTES);

        g_ptr_array_add (requests, sends ? reel_mpi_send (data, size, peer, BODY_TAG)
                                         : reel_mpi_receive (data, size, peer, BODY_TAG));
      }
  return requests;
}

static gboolean
exchange (gint peer, gboolean sends, const ReelRankPart *parts, guint n, GError **error)
{
  g_autoptr (GPtrArray) requests = post (peer, sends, parts, n);

  return wait_for (peer, requests->pdata, requests->len, error);
}

gboolean
reel_rank_send_parts (gint to, const ReelRankPart *parts, guint n, GError **error)
{
  return exchange (to, TRUE, parts, n, error);
}

gboolean
reel_rank_receive_parts (gint from, const ReelRankPart *parts, guint n, GError **error)
{
  return exchange (from, FALSE, parts, n, error);
}

/* ---- messages ---- */

gboolean
reel_rank_send (gint to, ReelRankMessage *message, gconstpointer body, gsize n_bytes,
                GError **error)
{
  const ReelRankPart part = { (gpointer) body, n_bytes };
  gpointer request;

  message->n_bytes = (gint64) n_bytes;
  request = reel_mpi_send (message, sizeof *message, to, HEAD_TAG);
  return wait_for (to, &request, 1, error) && exchange (to, TRUE, &part, 1, error);
}

void
reel_rank_send_failure (gint to, const GError *failure)
{
  ReelRankMessage message = {
    .kind = REEL_RANK_FAILED,
    .numbers = { failure->domain == REEL_ERROR ? failure->code : REEL_ERROR_RUNTIME },
  };

  reel_rank_send (to, &message, failure->message, strlen (failure->message), NULL);
}

gboolean
reel_rank_receive (gint from, ReelRankMessage *message, guint8 **body, GError **error)
{
  gpointer request = reel_mpi_receive (message, sizeof *message, from, HEAD_TAG);

  *body = NULL;
  if (!wait_for (from, &request, 1, error))
    return FALSE;

  g_autofree guint8 *bytes = g_malloc0 ((gsize) message->n_bytes + 1);
  const ReelRankPart part = { bytes, (gsize) message->n_bytes };

  if (!exchange (from, FALSE, &part, 1, error))
    return FALSE;
  if (message->kind == REEL_RANK_FAILED)
    {
      g_set_error_literal (error, REEL_ERROR, (gint) message->numbers[0], (const char *) bytes);
      return FALSE;
    }
  *body = g_steal_pointer (&bytes);
  return TRUE;
}
