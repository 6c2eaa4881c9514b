/* Episodes of a directory: of a buffer, or of the members of an ensemble one after the other. */
#include "stored-frames.h"

#include <string.h>

/* A buffer, and where its episodes are. */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelTrajectoryIndex *index; /* NULL where nothing tells episodes apart: lanes are taken whole */
  char *name;
} Member;

typedef struct
{
  Episodes base;
  EpisodesLook look;
  char *env, *camera;
  char *path;
  GObject *opened;
  GPtrArray *members;
} StoredEpisodes;

static void
member_free (Member *member)
{
  g_clear_pointer (&member->index, reel_trajectory_index_free);
  g_free (member->name);
  g_free (member);
}

static void
get_view (const Member *member, ReelStorageView *view)
{
  reel_storage_get_view (reel_replay_buffer_get_storage (member->buffer), view);
}

static gint64
count_episodes (const Member *member)
{
  ReelStorageView view;

  if (member->index)
    return reel_trajectory_index_get_n (member->index);
  get_view (member, &view);
  return view.end_row > view.first_row ? view.lanes : 0;
}

static gboolean
follow (const Member *member, GError **error)
{
  ReelStorageView view;

  get_view (member, &view);
  return !member->index || reel_trajectory_index_follow (member->index, &view, 1, error);
}

static void
get_episode (const Member *member, gint64 k, ReelTrajectory *episode)
{
  ReelStorageView view;

  if (member->index)
    {
      reel_trajectory_index_get (member->index, k, episode);
      return;
    }
  get_view (member, &view);
  episode->first_row = view.first_row + k;
  episode->n_steps = (view.end_row - view.first_row) / MAX (view.lanes, 1);
}

/* ---- members ---- */

static gboolean
add_buffer (StoredEpisodes *self, ReelReplayBuffer *buffer, const char *name, GError **error)
{
  g_autoptr (GError) local = NULL;
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  Member *member = g_new0 (Member, 1);

  member->buffer = buffer;
  member->name = g_strdup (name);
  g_ptr_array_add (self->members, member);
  if (reel_storage_get_length (storage) == 0)
    return TRUE;
  member->index = reel_trajectory_index_new (storage, NULL, &local);
  if (member->index || g_error_matches (local, REEL_ERROR, REEL_ERROR_KEY)
      || g_error_matches (local, REEL_ERROR, REEL_ERROR_TYPE)
      || g_error_matches (local, REEL_ERROR, REEL_ERROR_RUNTIME))
    return follow (member, error);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static gboolean
add_members (StoredEpisodes *self, gpointer opened, const char *name, GError **error)
{
  if (REEL_IS_REPLAY_BUFFER (opened))
    return add_buffer (self, opened, name, error);
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (opened); i++)
    {
      g_autofree char *below = g_strdup_printf ("%s/storage/%" G_GINT64_FORMAT, name, i);
      if (!add_members (self, reel_replay_buffer_ensemble_get (opened, i, NULL), below, error))
        return FALSE;
    }
  return TRUE;
}

static void
count_all (StoredEpisodes *self)
{
  self->base.n = 0;
  for (guint i = 0; i < self->members->len; i++)
    self->base.n += count_episodes (g_ptr_array_index (self->members, i));
}

/* ---- episodes ---- */

static void
look (Episodes *episodes)
{
  StoredEpisodes *self = (StoredEpisodes *) episodes;

  for (guint i = 0; i < self->members->len; i++)
    follow (g_ptr_array_index (self->members, i), NULL);
  count_all (self);
}

static Frames *
open_episode (Episodes *episodes, gint64 number, GError **error)
{
  StoredEpisodes *self = (StoredEpisodes *) episodes;
  gint64 k = number;

  for (guint i = 0; i < self->members->len && k >= 0; i++)
    {
      const Member *member = g_ptr_array_index (self->members, i);
      ReelTrajectory episode;

      if (k < count_episodes (member))
        {
          get_episode (member, k, &episode);
          return stored_frames_new (member->buffer, &episode, member->name, &self->look, error);
        }
      k -= count_episodes (member);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "%s has no episode %" G_GINT64_FORMAT ": it holds %" G_GINT64_FORMAT, self->path,
               number < 0 ? number - self->base.n : number, self->base.n); /* as it was asked for */
  return NULL;
}

static void
free_episodes (Episodes *episodes)
{
  StoredEpisodes *self = (StoredEpisodes *) episodes;

  g_clear_pointer (&self->members, g_ptr_array_unref);
  g_clear_object (&self->opened);
  g_free (self->env);
  g_free (self->camera);
  g_free (self->path);
  g_free (self);
}

static const EpisodesClass episodes_class = { open_episode, look, free_episodes };

static GObject *
open_directory (const char *path, GError **error)
{
  if (reel_checkpoint_is_ensemble (path))
    return (GObject *) reel_replay_buffer_ensemble_open (path, REEL_OPEN_READ_ONLY, error);
  return (GObject *) reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, error);
}

Episodes *
episodes_new_stored (const EpisodesLook *how, const char *path, GError **error)
{
  StoredEpisodes *self = g_new0 (StoredEpisodes, 1);
  g_autoptr (Episodes) owned = &self->base;

  self->base.klass = &episodes_class;
  self->look = *how;
  self->look.env = self->env = g_strdup (how->env);
  self->look.camera = self->camera = g_strdup (how->camera);
  self->path = g_strdup (path);
  self->members = g_ptr_array_new_with_free_func ((GDestroyNotify) member_free);
  self->opened = open_directory (path, error);
  if (!self->opened || !add_members (self, self->opened, path, error))
    return NULL;
  count_all (self);
  return g_steal_pointer (&owned);
}
