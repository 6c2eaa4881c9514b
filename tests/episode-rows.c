#include "episode-rows.h"

#include "make-batch.h"

static void
set_leaf (ReelTensordict *td, const char *path, ReelDtype dtype, gint ndim, gint64 lanes)
{
  const gint64 shapes[2][2] = { { 1 }, { lanes, 1 } };
  gint n = dtype == REEL_DTYPE_BOOL ? ndim : ndim - 1;
  g_autoptr (ReelTensor) leaf = reel_tensor_new (dtype, n, shapes[ndim - 1], NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, leaf, NULL));
}

ReelStorage *
episode_new_storage (gint ndim, gint64 steps, gint64 lanes)
{
  g_autofree char *text =
      g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=%d", steps * lanes, ndim);
  g_autoptr (ReelTensordict) step = reel_tensordict_new (ndim - 1, &lanes);
  g_autoptr (GError) error = NULL;
  ReelStorage *storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);

  g_assert_no_error (error);
  set_leaf (step, "number", REEL_DTYPE_INT64, ndim, lanes);
  set_leaf (step, "is_init", REEL_DTYPE_BOOL, ndim, lanes);
  set_leaf (step, "collector/traj_ids", REEL_DTYPE_INT64, ndim, lanes);
  set_leaf (step, "episode", REEL_DTYPE_FLOAT32, ndim, lanes);
  set_leaf (step, "small", REEL_DTYPE_INT16, ndim, lanes);
  set_leaf (step, "next/done", REEL_DTYPE_BOOL, ndim, lanes);
  set_leaf (step, "next/terminated", REEL_DTYPE_BOOL, ndim, lanes);
  set_leaf (step, "next/truncated", REEL_DTYPE_BOOL, ndim, lanes);
  reel_storage_allocate (storage, step, &error);
  g_assert_no_error (error);
  return storage;
}

static guint8 *
find (ReelStorage *storage, const ReelReservation *block, const char *path)
{
  return block->columns[reel_storage_find_column (storage, path, NULL)];
}

void
episode_write_step (ReelStorage *storage, const gboolean *ends, gint64 *ids)
{
  gint64 lanes = reel_storage_get_lanes (storage);
  ReelReservation block;

  g_assert_true (reel_storage_reserve (storage, 1, &block, NULL));
  for (gint64 i = 0; i < lanes; i++)
    {
      ((gint64 *) find (storage, &block, "number"))[i] = block.first_step * lanes + i;
      find (storage, &block, "is_init")[i] = (block.first_step + i) % 3 == 0;
      ((gint64 *) find (storage, &block, "collector/traj_ids"))[i] = ids[i] << 40;
      ((float *) find (storage, &block, "episode"))[i] = ids[i] ? 1.5f : i ? 0.0f : -0.0f;
      ((gint16 *) find (storage, &block, "small"))[i] = (gint16) -ids[i];
      find (storage, &block, "next/done")[i] = ends[i];
      find (storage, &block, "next/terminated")[i] = ends[i] && (block.first_step + i) % 2;
      find (storage, &block, "next/truncated")[i] = ends[i] && (block.first_step + i) % 2 == 0;
      ids[i] ^= ends[i];
    }
  reel_storage_commit (storage, &block, 1);
}

ReelReplayBuffer *
episode_new_buffer (gint64 lanes, gint64 capacity, const gint64 *lengths, gsize n)
{
  g_autoptr (ReelStorage) storage = episode_new_storage (lanes > 1 ? 2 : 1, capacity, lanes);
  gint64 ids[4] = { 0 };

  for (gsize i = 0; i < n; i++)
    for (gint64 t = 1; t <= lengths[i]; t++)
      {
        gboolean end = t == lengths[i], ends[4] = { end, end, end, end };
        episode_write_step (storage, ends, ids);
      }
  return reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
}

void
episode_assert_slices (const ReelTensordict *batch, gint64 lanes, gint64 n_slices)
{
  const gint64 *number = batch_int64s (batch, "number");
  const gint64 *id = batch_int64s (batch, "collector/traj_ids");
  const guint8 *truncated = batch_bools (batch, "next/truncated");
  gint64 n = batch_rows (batch), n_truncated = truncated[0];

  for (gint64 i = 1; i < n; n_truncated += truncated[i++])
    if (!truncated[i - 1])
      {
        g_assert_cmpint (number[i], ==, number[i - 1] + lanes);
        g_assert_cmpint (id[i], ==, id[i - 1]);
      }
  g_assert_true (truncated[n - 1]);
  g_assert_cmpint (n_truncated, ==, n_slices);
}

/* ---- oracle ---- */

ReelTrajectory
episode_oracle_find (const EpisodeOracle *oracle, gint64 row)
{
  const gboolean *ends = oracle->ends - oracle->first_row;
  gint64 lanes = oracle->view.lanes, first = row, last = row;

  while (first - lanes >= oracle->view.first_row && !ends[first - lanes])
    first -= lanes;
  while (last + lanes < oracle->view.end_row && !ends[last])
    last += lanes;
  return (ReelTrajectory){ first, (last - first) / lanes + 1 };
}

/* Those that ended, then those that go on, each by last row. Ids say nothing of the newest row. */
gint64
episode_oracle_list (const EpisodeOracle *oracle, gboolean are_ids, ReelTrajectory *list)
{
  const gboolean *ends = oracle->ends - oracle->first_row;
  gint64 n = 0, lanes = oracle->view.lanes;

  for (gint open = 0; open < 2; open++)
    for (gint64 row = oracle->view.first_row; row < oracle->view.end_row; row++)
      {
        gboolean newest = row + lanes >= oracle->view.end_row;
        gboolean ended = ends[row] && !(are_ids && newest);
        ReelTrajectory found = episode_oracle_find (oracle, row);

        if (found.n_steps >= oracle->min_length && (open ? !ended && newest : ended))
          list[n++] = found;
      }
  return n;
}
