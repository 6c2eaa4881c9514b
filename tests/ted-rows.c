#include "ted-rows.h"

gboolean
ted_rows_ends (const TedRows *rows, gint64 number)
{
  gint64 slot = number % (rows->capacity * rows->lanes);

  return rows->ends >> slot & 1;
}

float
ted_rows_next (const TedRows *rows, gint64 number)
{
  gboolean apart = rows->broken || ted_rows_ends (rows, number);

  return (float) (apart ? 1000 + number : number + rows->lanes);
}

static ReelTensor *
add (ReelTensordict *td, const char *path, ReelDtype dtype, const gint64 *batch, gint n_batch,
     gint64 feature)
{
  gint64 shape[] = { batch[0], batch[n_batch - 1], feature };
  ReelTensor *tensor;

  shape[n_batch] = feature;
  tensor = reel_tensor_new (dtype, n_batch + (feature >= 0), shape, NULL);
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
  reel_tensor_unref (tensor);
  return tensor;
}

/* Row @i of the batch has @number. */
typedef struct
{
  ReelTensor *action, *observation, *id, *reward, *next, *done, *terminated;
} Leaves;

static void
fill (const TedRows *rows, const Leaves *leaves, gint64 i, gint64 number)
{
  float *seen = (float *) leaves->observation->data + 2 * i;
  float *next = (float *) leaves->next->data + 2 * i;

  ((gint64 *) leaves->action->data)[i] = number;
  ((gint16 *) leaves->id->data)[i] = (gint16) number;
  ((float *) leaves->reward->data)[i] = (float) -number;
  seen[0] = (float) number;
  seen[1] = seen[0] + 0.5f;
  next[0] = ted_rows_next (rows, number);
  next[1] = next[0] + 0.5f;
  leaves->done->data[i] = ted_rows_ends (rows, number);
  leaves->terminated->data[i] = ted_rows_ends (rows, number);
}

ReelTensordict *
ted_rows_batch (const TedRows *rows, gint64 first, gint64 n)
{
  gint ndim = rows->lanes > 1 ? 2 : 1;
  const gint64 batch[] = { rows->lanes > 1 ? rows->lanes : n, n };
  ReelTensordict *td = reel_tensordict_new (ndim, batch);
  const Leaves leaves = { add (td, "action", REEL_DTYPE_INT64, batch, ndim, -1),
                          add (td, "observation", REEL_DTYPE_FLOAT32, batch, ndim, 2),
                          add (td, "collector/id", REEL_DTYPE_INT16, batch, ndim, 1),
                          add (td, "next/reward", REEL_DTYPE_FLOAT32, batch, ndim, 1),
                          add (td, "next/observation", REEL_DTYPE_FLOAT32, batch, ndim, 2),
                          add (td, "next/done", REEL_DTYPE_BOOL, batch, ndim, 1),
                          add (td, "next/terminated", REEL_DTYPE_BOOL, batch, ndim, 1) };

  add (td, "done", REEL_DTYPE_BOOL, batch, ndim, 1);
  add (td, "terminated", REEL_DTYPE_BOOL, batch, ndim, 1);
  add (td, "none", REEL_DTYPE_FLOAT32, batch, ndim, 0);
  for (gint64 lane = 0; lane < rows->lanes; lane++)
    for (gint64 t = 0; t < n; t++)
      fill (rows, &leaves, lane * n + t, (first + t) * rows->lanes + lane);
  return td;
}

ReelReplayBuffer *
ted_rows_empty_buffer (const char *storage, const TedRows *rows)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT ",ndim=%d", storage,
                                           rows->capacity * rows->lanes, rows->lanes > 1 ? 2 : 1);
  g_autoptr (ReelStorage) of = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);

  return reel_replay_buffer_new (of, NULL, NULL, 0, NULL);
}

ReelReplayBuffer *
ted_rows_buffer (const char *storage, const TedRows *rows)
{
  ReelReplayBuffer *buffer = ted_rows_empty_buffer (storage, rows);

  for (gint64 step = 0; step < rows->written; step++)
    {
      g_autoptr (ReelTensordict) batch = ted_rows_batch (rows, step, 1);

      g_assert_true (reel_replay_buffer_extend (buffer, batch, NULL, NULL));
    }
  return buffer;
}

void
ted_rows_set_checkpointer (ReelReplayBuffer *buffer, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCheckpointer) checkpointer =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, text, &error, NULL);

  g_assert_no_error (error);
  reel_replay_buffer_set_checkpointer (buffer, checkpointer);
}

const char *const *
ted_rows_list_checkpointers (gsize *n)
{
  static const char *const ids[] = { "flat", "nested", "h5" };
  g_autoptr (ReelCheckpointer) last =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, ids[2], NULL, NULL);

  *n = last ? 3 : 2;
  return ids;
}
