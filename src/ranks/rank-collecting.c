#include "rank-collecting.h"

#include "../collectors/collector-private.h"
#include "../collectors/lane-state.h"

#include <string.h>

/* ---- what rank 0 sends and receives ---- */

gboolean
reel_rank_begin (gint to, const ReelRankTask *task, GError **error)
{
  ReelRankMessage message = { .kind = REEL_RANK_COLLECT };
  g_autoptr (GVariant) variant = reel_rank_task_to_variant (task);

  return reel_rank_send (to, &message, g_variant_get_data (variant), g_variant_get_size (variant),
                         error);
}

gboolean
reel_rank_has_begun (gint from, const ReelRankLanes *like, GError **error)
{
  ReelRankMessage message;
  g_autofree guint8 *sizes = NULL;

  if (!reel_rank_receive (from, &message, &sizes, error))
    return FALSE;
  if (message.n_bytes == (gint64) (like->n_columns * sizeof (gsize))
      && memcmp (sizes, like->row_bytes, message.n_bytes) == 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "its rows are of other sizes than those of rank 0: it runs another version");
  return FALSE;
}

gboolean
reel_rank_give_weights (gint to, const ReelPolicyWeights *weights, GError **error)
{
  ReelRankMessage message = { .kind = REEL_RANK_WEIGHTS, .numbers = { weights->version } };

  return reel_rank_send (to, &message, weights->bytes, weights->n_bytes, error);
}

gboolean
reel_rank_step (gint to, const ReelCollectorTask *task, gint64 first_step, const guint8 *state,
                gsize state_bytes, GError **error)
{
  ReelRankMessage message = { .kind = REEL_RANK_STEP,
                              .numbers = { task->n_steps, first_step, task->restarts,
                                           task->truncates } };

  return reel_rank_send (to, &message, state, state ? state_bytes : 0, error);
}

/* A batch says: steps, episodes, whether to stop; then stats and episodes. */
gboolean
reel_rank_receive_counts (gint from, ReelRankBatch *batch, GError **error)
{
  ReelRankMessage message;
  g_autofree guint8 *body = NULL;

  if (!reel_rank_receive (from, &message, &body, error))
    return FALSE;

  const guint8 *episodes = body + sizeof batch->stats;

  batch->n_steps = message.numbers[0];
  memcpy (&batch->stats, body, sizeof batch->stats);
  g_array_set_size (batch->episodes, 0);
  g_array_append_vals (batch->episodes, episodes, (guint) message.numbers[1]);
  if (message.numbers[2])
    reel_ranks_ask_to_stop ();
  return TRUE;
}

/* ---- what the others do ---- */

static gboolean
send_batch (const ReelRankLanes *lanes, GError **error)
{
  const ReelRankBatch *batch = &lanes->batch;
  ReelRankMessage message = {
    .kind = REEL_RANK_BATCH,
    .numbers = { batch->n_steps, batch->episodes->len, reel_ranks_is_asked_to_stop () },
  };
  g_autoptr (GByteArray) body = g_byte_array_new ();
  g_autofree ReelRankPart *parts = g_new (ReelRankPart, lanes->n_columns + 1);

  g_byte_array_append (body, (const guint8 *) &batch->stats, sizeof batch->stats);
  g_byte_array_append (body, (const guint8 *) batch->episodes->data,
                       batch->episodes->len * (guint) sizeof (ReelCollectorEpisode));
  for (guint c = 0; c < lanes->n_columns; c++)
    parts[c] = (ReelRankPart){ batch->columns[c],
                               (gsize) (batch->n_steps * lanes->task.n) * lanes->row_bytes[c] };
  parts[lanes->n_columns] = (ReelRankPart){ batch->state, batch->state ? lanes->state_bytes : 0 };
  return reel_rank_send (0, &message, body->data, body->len, error)
         && reel_rank_send_parts (0, parts, lanes->n_columns + 1, error);
}

static gboolean
put_weights (ReelRankLanes *lanes, const ReelRankMessage *message, const guint8 *body,
             GError **error)
{
  const ReelPolicyWeights weights = { body, (gsize) message->n_bytes, message->numbers[0] };

  return reel_rank_lanes_put_weights (lanes, &weights, error);
}

/* step: a batch, or why there is none: @refused, the cause why weights do not fit, if it is set. */
static gboolean
step (ReelRankLanes *lanes, const ReelRankMessage *message, const guint8 *state, GError *refused,
      GError **error)
{
  const ReelCollectorTask task = {
    .n_steps = message->numbers[0],
    .restarts = message->numbers[2] != 0,
    .truncates = message->numbers[3] != 0,
  };
  GError *failure = refused ? g_error_copy (refused) : NULL;

  if (message->n_bytes > 0)
    reel_lane_state_set (lanes->collector, message->numbers[1], state);
  if (failure == NULL && reel_rank_lanes_collect (lanes, &task, &failure))
    return send_batch (lanes, error);
  reel_rank_send_failure (0, failure);
  g_error_free (failure);
  return TRUE;
}

static gboolean
serve_steps (ReelRankLanes *lanes, GError **error)
{
  g_autoptr (GError) refused = NULL;

  for (;;)
    {
      ReelRankMessage message;
      g_autofree guint8 *body = NULL;

      if (!reel_rank_receive (0, &message, &body, error))
        return FALSE;
      if (message.kind == REEL_RANK_END)
        return TRUE;
      if (message.kind == REEL_RANK_WEIGHTS)
        {
          g_clear_error (&refused);
          put_weights (lanes, &message, body, &refused);
        }
      else if (!step (lanes, &message, body, refused, error))
        return FALSE;
    }
}

gboolean
reel_rank_collect_for_first (GVariant *variant, GError **error)
{
  ReelRankTask task;
  GError *failure = NULL;

  reel_rank_task_from_variant (&task, variant);

  g_autoptr (ReelRankLanes) lanes = reel_rank_lanes_new (&task, &failure);
  ReelRankMessage ready = { .kind = REEL_RANK_COLLECT };

  if (lanes == NULL)
    {
      reel_rank_send_failure (0, failure);
      g_error_free (failure);
      return TRUE; /* rank 0 begins nothing */
    }
  return reel_rank_send (0, &ready, lanes->row_bytes, lanes->n_columns * sizeof (gsize), error)
         && serve_steps (lanes, error);
}
