/* The work of a rank for rank 0. */
#include "rank-collecting.h"
#include "ranks-private.h"

/* collect: by the task in the body of a message. */
static gboolean
collect (const guint8 *body, gsize n_bytes, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (body, n_bytes); /* aligned */
  g_autoptr (GVariant) task =
      g_variant_ref_sink (g_variant_new_from_bytes (REEL_RANK_TASK_TYPE, bytes, FALSE));

  return reel_rank_collect_for_first (task, error);
}

gboolean
reel_ranks_serve (GError **error)
{
  const ReelRanks *ranks = reel_ranks_get (error);

  if (ranks == NULL)
    return FALSE;
  if (ranks->rank == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "rank 0 cannot serve itself: it asks the other ranks");
      return FALSE;
    }

  for (;;)
    {
      ReelRankMessage message;
      g_autofree guint8 *body = NULL;

      if (!reel_rank_receive (0, &message, &body, error))
        return FALSE;
      if (message.kind == REEL_RANK_CLOSE)
        {
          reel_ranks_note_close (&message);
          return TRUE;
        }
      if (message.kind == REEL_RANK_COLLECT && !collect (body, (gsize) message.n_bytes, error))
        return FALSE;
    }
}
