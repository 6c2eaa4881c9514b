#include "buffer-episodes.h"

static void
free_one (gpointer data)
{
  BufferEpisodes *self = data;

  g_clear_pointer (&self->index, reel_trajectory_index_free);
  g_free (self->place);
  g_free (self);
}

gboolean
buffer_episodes_follow (BufferEpisodes *self, GError **error)
{
  reel_storage_get_view (reel_replay_buffer_get_storage (self->buffer), &self->view);
  return !self->index || reel_trajectory_index_follow (self->index, &self->view, 1, error);
}

gint64
buffer_episodes_count (const BufferEpisodes *self)
{
  if (self->index)
    return reel_trajectory_index_get_n (self->index);
  return self->view.end_row > self->view.first_row ? self->view.lanes : 0;
}

void
buffer_episodes_get (const BufferEpisodes *self, gint64 k, ReelTrajectory *episode)
{
  const ReelStorageView *view = &self->view;

  if (self->index)
    reel_trajectory_index_get (self->index, k, episode);
  else
    *episode = (ReelTrajectory){ view->first_row + k,
                                 (view->end_row - view->first_row) / MAX (view->lanes, 1) };
}

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
