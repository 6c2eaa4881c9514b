#include "remote-buffer.h"

#include "buffer-call.h"

#include <string.h>

struct _ReelRemoteBuffer
{
  gint owner; /* the rank that has it */
};

/* find_place: whether this process is where remote buffers are, or where the one they show is. */
static gboolean
find_place (gboolean owns, GError **error)
{
  const ReelRanks *ranks = reel_ranks_get (error);

  if (ranks == NULL)
    return FALSE;
  if ((ranks->rank == 0) == owns)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               owns ? "rank %d cannot serve a buffer: rank 0 does"
                    : "rank %d has the buffer itself: the other ranks have remote ones",
               ranks->rank);
  return FALSE;
}

ReelRemoteBuffer *
reel_remote_buffer_new (GError **error)
{
  return find_place (FALSE, error) ? g_new0 (ReelRemoteBuffer, 1) : NULL;
}

/* call: asks, and waits for the answer. */
static gboolean
call (ReelRemoteBuffer *self, ReelBufferCall what, gint64 number, const ReelTensordict *data,
      ReelTensordict **answer, GError **error)
{
  ReelRankMessage message = { .kind = REEL_RANK_BUFFER, .numbers = { what, number } };

  return reel_rank_send_tensordict (self->owner, &message, data, error)
         && reel_rank_receive_tensordict (self->owner, &message, answer, error);
}

void
reel_remote_buffer_free (ReelRemoteBuffer *self)
{
  ReelRankMessage message = { .kind = REEL_RANK_BUFFER, .numbers = { REEL_BUFFER_PART } };

  if (self == NULL)
    return;
  reel_rank_send (self->owner, &message, NULL, 0, NULL);
  g_free (self);
}

gboolean
reel_remote_buffer_extend (ReelRemoteBuffer *self, const ReelTensordict *data, ReelTensor **index,
                           GError **error)
{
  g_autoptr (ReelTensordict) answer = NULL;

  g_return_val_if_fail (self != NULL && data != NULL, FALSE);
  if (!call (self, REEL_BUFFER_EXTEND, 0, data, &answer, error))
    return FALSE;
  if (index != NULL)
    *index = reel_tensordict_ref_tensor (answer, "index", NULL);
  return TRUE;
}

ReelTensordict *
reel_remote_buffer_sample (ReelRemoteBuffer *self, gint64 batch_size, GError **error)
{
  ReelTensordict *batch = NULL;

  g_return_val_if_fail (self != NULL && batch_size >= 0, NULL);
  return call (self, REEL_BUFFER_SAMPLE, batch_size, NULL, &batch, error) ? batch : NULL;
}

gboolean
reel_remote_buffer_update_priority (ReelRemoteBuffer *self, ReelTensor *index, ReelTensor *priority,
                                    GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) answer = NULL;

  g_return_val_if_fail (self != NULL && index != NULL && priority != NULL, FALSE);
  return reel_tensordict_set_tensor (rows, "index", index, error)
         && reel_tensordict_set_tensor (rows, "priority", priority, error)
         && call (self, REEL_BUFFER_PRIORITY, 0, rows, &answer, error);
}

gboolean
reel_remote_buffer_get_stats (ReelRemoteBuffer *self, ReelReplayBufferStats *stats, GError **error)
{
  g_autoptr (ReelTensordict) answer = NULL;

  g_return_val_if_fail (self != NULL && stats != NULL, FALSE);
  if (!call (self, REEL_BUFFER_STATS, 0, NULL, &answer, error))
    return FALSE;
  memcpy (stats, reel_tensordict_get_tensor (answer, REEL_BUFFER_STATS_KEY, NULL)->data,
          sizeof *stats);
  return TRUE;
}

/* ---- rank 0 ---- */

static gboolean
extend (ReelReplayBuffer *buffer, ReelTensordict *data, ReelTensordict *answer, GError **error)
{
  g_autoptr (ReelTensor) index = NULL;

  return reel_replay_buffer_extend (buffer, data, &index, error)
         && (index == NULL || reel_tensordict_set_tensor (answer, "index", index, error));
}

static gboolean
update_priority (ReelReplayBuffer *buffer, ReelTensordict *rows, GError **error)
{
  return reel_replay_buffer_update_priority (
      buffer, reel_tensordict_get_tensor (rows, "index", NULL),
      reel_tensordict_get_tensor (rows, "priority", NULL), error);
}

static gboolean
get_stats (ReelReplayBuffer *buffer, ReelTensordict *answer, GError **error)
{
  ReelReplayBufferStats stats;
  const gint64 size = sizeof stats;
  g_autoptr (ReelTensor) bytes = reel_tensor_new (REEL_DTYPE_UINT8, 1, &size, error);

  if (bytes == NULL)
    return FALSE;
  reel_replay_buffer_get_stats (buffer, &stats);
  memcpy (bytes->data, &stats, sizeof stats);
  return reel_tensordict_set_tensor (answer, REEL_BUFFER_STATS_KEY, bytes, error);
}

/* perform: a call. A batch takes the place of @answer. */
static gboolean
perform (ReelReplayBuffer *buffer, const ReelRankMessage *message, ReelTensordict *data,
         ReelTensordict **answer, GError **error)
{
  ReelTensordict *batch = NULL;

  switch ((ReelBufferCall) message->numbers[0])
    {
    case REEL_BUFFER_EXTEND: return extend (buffer, data, *answer, error);
    case REEL_BUFFER_PRIORITY: return update_priority (buffer, data, error);
    case REEL_BUFFER_STATS: return get_stats (buffer, *answer, error);
    case REEL_BUFFER_SAMPLE:
      if (!reel_replay_buffer_sample (buffer, message->numbers[1], &batch, error))
        return FALSE;
      reel_tensordict_unref (*answer);
      *answer = batch;
      return TRUE;
    case REEL_BUFFER_PART: break;
    }
  return TRUE;
}

/* serve_call: one call of a rank. Returns whether more may come of it. */
static gboolean
serve_call (ReelReplayBuffer *buffer, gint rank, GError **error)
{
  ReelRankMessage message;
  g_autoptr (ReelTensordict) data = NULL;
  g_autoptr (ReelTensordict) answer = reel_tensordict_new (0, NULL);
  g_autoptr (GError) failure = NULL;

  if (!reel_rank_receive_tensordict (rank, &message, &data, error))
    return FALSE;
  if (message.numbers[0] == REEL_BUFFER_PART)
    return FALSE;
  if (perform (buffer, &message, data, &answer, &failure)
      && reel_rank_send_tensordict (rank, &message, answer, &failure))
    return TRUE;
  if (!reel_ranks_has_lost (rank))
    reel_rank_send_failure (rank, failure);
  return TRUE;
}

gboolean
reel_ranks_serve_buffer (ReelReplayBuffer *buffer, GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (buffer), FALSE);

  if (!find_place (TRUE, error))
    return FALSE;

  g_autoptr (GArray) clients = g_array_new (FALSE, FALSE, sizeof (gint));

  for (gint rank = 1; rank < reel_ranks_get (NULL)->n_ranks; rank++)
    g_array_append_val (clients, rank);
  while (clients->len > 0)
    {
      g_autoptr (GError) failure = NULL;
      guint i = reel_rank_wait_for_any ((const gint *) clients->data, clients->len);
      gint rank = g_array_index (clients, gint, i);
      gboolean stays = serve_call (buffer, rank, &failure);

      g_array_remove_index (clients, i);
      if (stays)
        g_array_append_val (clients, rank); /* behind the others, who come next */
      else if (failure)
        reel_ranks_warn (g_strdup_printf ("%s; the rows that it sent stay", failure->message));
    }
  return TRUE;
}
