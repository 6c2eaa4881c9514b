#include "export-rows.h"

#include "../buffers/samplers/trajectory-index.h"
#include "../buffers/storages/strided-copy.h"
#include "../core/object/error.h"
#include "../core/tensor/mapped-memory.h"

#include <string.h>

#define DONE "next/done"
#define TERMINATED "next/terminated"
#define TRUNCATED "next/truncated"

/* ---- episodes ---- */

static gboolean
is_flag (const ReelColumn *column)
{
  return column && column->row_bytes == 1
         && (column->dtype == REEL_DTYPE_BOOL || column->dtype == REEL_DTYPE_UINT8);
}

static gboolean
is_set_at_end (const ReelExportRows *self, const char *path, const ReelExportEpisode *episode)
{
  const ReelColumn *column = reel_export_rows_find (self, path);
  guint8 flag = 0;

  if (is_flag (column))
    reel_export_rows_copy (self, column, episode, episode->n_steps - 1, 1, &flag);
  return flag != 0;
}

/* An end that other keys say, such as ids, is no flag of the row. */
static gboolean
is_ended (const ReelExportRows *self, const ReelExportEpisode *episode)
{
  if (is_flag (reel_export_rows_find (self, DONE)))
    return is_set_at_end (self, DONE, episode);
  return is_set_at_end (self, TERMINATED, episode) || is_set_at_end (self, TRUNCATED, episode);
}

gboolean
reel_export_rows_store_ends (const ReelExportRows *self)
{
  return is_flag (reel_export_rows_find (self, DONE))
         || is_flag (reel_export_rows_find (self, TRUNCATED));
}

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const ReelExportEpisode *x = a, *y = b;
  const gint64 lanes = *(const gint64 *) data;
  const gint64 lane_x = x->first_row % lanes, lane_y = y->first_row % lanes;

  if (lane_x != lane_y)
    return lane_x < lane_y ? -1 : 1;
  return x->first_row < y->first_row ? -1 : x->first_row > y->first_row;
}

static void
add_episode (ReelExportRows *self, gint64 first_row, gint64 n_steps)
{
  ReelExportEpisode episode = { first_row, n_steps, FALSE };

  episode.cut = !is_ended (self, &episode);
  g_array_append_val (self->episodes, episode);
  self->n_rows += n_steps;
  self->n_cut += episode.cut;
}

static void
add_lanes (ReelExportRows *self)
{
  const ReelStorageView *view = &self->view;

  for (gint64 lane = 0; lane < view->lanes; lane++)
    add_episode (self, view->first_row + lane, (view->end_row - view->first_row) / view->lanes);
}

static gboolean
add_trajectories (ReelExportRows *self, ReelTrajectoryIndex *index, GError **error)
{
  ReelTrajectory trajectory;

  if (!reel_trajectory_index_follow (index, &self->view, 1, error))
    return FALSE;
  for (gint64 k = 0; k < reel_trajectory_index_get_n (index); k++)
    {
      reel_trajectory_index_get (index, k, &trajectory);
      add_episode (self, trajectory.first_row, trajectory.n_steps);
    }
  g_array_sort_with_data (self->episodes, compare, &self->view.lanes);
  return TRUE;
}

/* Rows without such a key, or with another than one a row, are no episodes. */
static gboolean
find_episodes (ReelExportRows *self, GError **error)
{
  GError *failure = NULL;
  g_autoptr (ReelTrajectoryIndex) index = reel_trajectory_index_new (self->storage, NULL, &failure);

  if (index)
    return add_trajectories (self, index, error);
  if (g_error_matches (failure, REEL_ERROR, REEL_ERROR_NO_SPACE))
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  g_error_free (failure);
  add_lanes (self);
  return TRUE;
}

static gboolean
open_storage (ReelExportRows *self, GError **error)
{
  self->columns = reel_storage_is_allocated (self->storage)
                      ? reel_storage_get_columns (self->storage, &self->n_columns)
                      : NULL;
  if (!self->columns && reel_storage_is_allocated (self->storage))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                           "its rows have shapes and keys of their own, and a file of columns "
                           "cannot contain them");
      return FALSE;
    }
  if (self->columns)
    reel_storage_get_view (self->storage, &self->view);
  if (self->view.end_row > self->view.first_row)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, "it has no rows");
  return FALSE;
}

ReelExportRows *
reel_export_rows_new (ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (ReelExportRows) self = g_new0 (ReelExportRows, 1);

  self->storage = g_object_ref (reel_replay_buffer_get_storage (buffer));
  self->episodes = g_array_new (FALSE, FALSE, sizeof (ReelExportEpisode));
  return open_storage (self, error) && find_episodes (self, error) ? g_steal_pointer (&self) : NULL;
}

void
reel_export_rows_free (ReelExportRows *self)
{
  if (!self)
    return;
  g_clear_object (&self->storage);
  g_array_unref (self->episodes);
  g_free (self);
}

/* ---- columns ---- */

const ReelTensor *
reel_export_rows_get_leaf (const ReelExportRows *self, const ReelColumn *column)
{
  return reel_tensordict_get_tensor (reel_storage_get_data (self->storage), column->path, NULL);
}

const gint64 *
reel_export_rows_get_shape (const ReelExportRows *self, const ReelColumn *column, gint *ndim)
{
  const ReelTensor *leaf = reel_export_rows_get_leaf (self, column);
  const gint n = reel_storage_get_ndim (self->storage);

  *ndim = leaf->ndim - n;
  return leaf->shape + n;
}

const ReelColumn *
reel_export_rows_find (const ReelExportRows *self, const char *path)
{
  for (guint i = 0; i < self->n_columns; i++)
    if (g_str_equal (self->columns[i].path, path))
      return &self->columns[i];
  return NULL;
}

/* The steps of a lane between two ends of the ring. */
static void
copy_run (const ReelExportRows *self, const ReelColumn *column, gint64 row, gint64 n, guint8 *to)
{
  const gint64 stride = self->view.lanes * (gint64) column->row_stride;
  const guint8 *from = column->data + row % self->view.capacity * (gint64) column->row_stride;

  strided_copy (to, (gint64) column->row_bytes, from, stride, column->row_bytes, n);
  reel_memory_forget (reel_export_rows_get_leaf (self, column)->memory, from,
                      (gsize) ((n - 1) * stride) + column->row_bytes);
}

void
reel_export_rows_copy (const ReelExportRows *self, const ReelColumn *column,
                       const ReelExportEpisode *episode, gint64 step, gint64 n, guint8 *to)
{
  const gint64 lanes = self->view.lanes, n_steps = self->view.capacity / lanes;

  for (gint64 some; n > 0 && column->row_bytes > 0; n -= some, step += some)
    {
      const gint64 row = episode->first_row + step * lanes;

      some = MIN (n, n_steps - row / lanes % n_steps);
      copy_run (self, column, row, some, to);
      to += (gsize) some * column->row_bytes;
    }
}

void
reel_export_column_init (ReelExportColumn *self, const ReelExportRows *rows,
                         const ReelColumn *column)
{
  const gboolean of_end = g_str_equal (column->path, DONE) || g_str_equal (column->path, TRUNCATED);

  *self = (ReelExportColumn){ rows, column, of_end && is_flag (column), 0, 0 };
}

void
reel_export_column_read (gpointer data, guint8 *to, gint64 n)
{
  ReelExportColumn *self = data;

  for (gint64 some; n > 0; n -= some)
    {
      const ReelExportEpisode *episode =
          &g_array_index (self->rows->episodes, ReelExportEpisode, self->episode);

      some = MIN (n, episode->n_steps - self->step);
      reel_export_rows_copy (self->rows, self->column, episode, self->step, some, to);
      self->step += some;
      to += (gsize) some * self->column->row_bytes;
      if (self->step < episode->n_steps)
        continue;
      if (self->marks && episode->cut)
        to[-1] = 1;
      self->episode++;
      self->step = 0;
    }
}
