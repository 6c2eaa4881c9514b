#include "buffer-episodes.h"

static void
free_one (gpointer data)
{
  BufferEpisodes *self = data;

  g_clear_pointer (&self->index, reel_trajectory_index_free);
  g_clear_pointer (&self->step_rows, step_rows_free);
  g_free (self->place);
  g_free (self);
}

static void
follow_step_rows (BufferEpisodes *self)
{
  gint64 n = step_rows_count (self->step_rows);

  step_rows_follow (self->step_rows, &self->view);
  self->view.first_row *= n;
  self->view.end_row *= n;
  self->view.capacity *= n;
}

gboolean
buffer_episodes_follow (BufferEpisodes *self, GError **error)
{
  reel_storage_get_view (reel_replay_buffer_get_storage (self->buffer), &self->view);
  if (self->step_rows)
    follow_step_rows (self);
  return !self->index || reel_trajectory_index_follow (self->index, &self->view, 1, error);
}

gint64
buffer_episodes_count (const BufferEpisodes *self)
{
  if (self->step_rows)
    return step_rows_get_episodes (self->step_rows)->len;
  if (self->index)
    return reel_trajectory_index_get_n (self->index);
  return self->view.end_row > self->view.first_row ? self->view.lanes : 0;
}

void
buffer_episodes_get (const BufferEpisodes *self, gint64 k, ReelTrajectory *episode)
{
  const ReelStorageView *view = &self->view;

  if (self->step_rows)
    *episode = g_array_index (step_rows_get_episodes (self->step_rows), ReelTrajectory, (guint) k);
  else if (self->index)
    reel_trajectory_index_get (self->index, k, episode);
  else
    *episode = (ReelTrajectory){ view->first_row + k,
                                 (view->end_row - view->first_row) / MAX (view->lanes, 1) };
}

gint64
buffer_episodes_count_steps (const BufferEpisodes *self)
{
  return self->step_rows ? step_rows_count (self->step_rows) : 1;
}

gconstpointer
buffer_episodes_at (const BufferEpisodes *self, const ReelColumn *column, gint64 row)
{
  gint64 slot = row % self->view.capacity, n = buffer_episodes_count_steps (self);

  return column->data + (gsize) (slot / n) * column->row_stride
         + (gsize) (slot % n) * (column->row_bytes / (gsize) n);
}

/* ---- rows ---- */

static ReelTensordict *
read_steps_of_row (const BufferEpisodes *self, gint64 first, gint64 n, GError **error)
{
  gint64 of_row = step_rows_count (self->step_rows), begin = first % of_row;
  g_autoptr (ReelTensordict) rows =
      reel_replay_buffer_get_numbered_rows (self->buffer, first / of_row, 1, error);
  g_autoptr (ReelTensordict) row = rows ? reel_tensordict_select_index (rows, 0, 0, error) : NULL;
  g_autoptr (ReelTensordict) steps =
      row ? reel_tensordict_slice (row, 0, begin, begin + n, 1, error) : NULL;

  return steps ? reel_tensordict_clone (steps, TRUE, error) : NULL;
}

/* Of one of several lanes. */
static ReelTensordict *
read_lane (const BufferEpisodes *self, gint64 first, gint64 n, GError **error)
{
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (gint64 i = 0; i < n; i++)
    {
      ReelTensordict *row = reel_replay_buffer_get_numbered_rows (
          self->buffer, first + i * self->view.lanes, 1, error);

      if (!row)
        return NULL;
      g_ptr_array_add (rows, row);
    }
  return reel_tensordict_cat ((ReelTensordict *const *) rows->pdata, rows->len, 0, error);
}

ReelTensordict *
buffer_episodes_read (const BufferEpisodes *self, const ReelTrajectory *episode, gint64 step,
                      gint64 n, GError **error)
{
  gint64 first = episode->first_row + step * self->view.lanes;

  if (self->step_rows)
    return read_steps_of_row (self, first, n, error);
  if (n == 1 || self->view.lanes == 1)
    return reel_replay_buffer_get_numbered_rows (self->buffer, first, n, error);
  return read_lane (self, first, n, error);
}

/* ---- the list ---- */

static gboolean
add_buffer (GPtrArray *list, ReelReplayBuffer *buffer, const char *place, GError **error)
{
  g_autoptr (GError) local = NULL;
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  BufferEpisodes *self = g_new0 (BufferEpisodes, 1);

  self->buffer = buffer;
  self->place = g_strdup (place);
  g_ptr_array_add (list, self);
  if (reel_storage_get_length (storage) == 0)
    return TRUE;
  self->step_rows = step_rows_new (buffer);
  if (self->step_rows)
    return buffer_episodes_follow (self, error);
  self->index = reel_trajectory_index_new (storage, NULL, &local);
  if (self->index || g_error_matches (local, REEL_ERROR, REEL_ERROR_KEY)
      || g_error_matches (local, REEL_ERROR, REEL_ERROR_TYPE)
      || g_error_matches (local, REEL_ERROR, REEL_ERROR_RUNTIME))
    return buffer_episodes_follow (self, error);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static gboolean
add_any (GPtrArray *list, gpointer opened, const char *place, GError **error)
{
  if (REEL_IS_REPLAY_BUFFER (opened))
    return add_buffer (list, opened, place, error);
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (opened); i++)
    {
      g_autofree char *below =
          g_strdup_printf ("%s%s%" G_GINT64_FORMAT, place, *place ? "/" : "", i);
      if (!add_any (list, reel_replay_buffer_ensemble_get (opened, i, NULL), below, error))
        return FALSE;
    }
  return TRUE;
}

GPtrArray *
buffer_episodes_list (gpointer opened, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (free_one);

  return add_any (list, opened, "", error) ? g_steal_pointer (&list) : NULL;
}
