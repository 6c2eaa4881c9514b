/* Episodes of a directory: of a buffer, or of the members of an ensemble one after the other. */
#include "../common/saved-batches.h"
#include "../episodes/episode-list.h"
#include "stored-frames.h"

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
count_all (StoredEpisodes *self)
{
  self->base.n = 0;
  for (guint i = 0; i < self->members->len; i++)
    self->base.n += buffer_episodes_count (g_ptr_array_index (self->members, i));
}

/* ---- episodes ---- */

static void
look (Episodes *episodes)
{
  StoredEpisodes *self = (StoredEpisodes *) episodes;

  for (guint i = 0; i < self->members->len; i++)
    buffer_episodes_follow (g_ptr_array_index (self->members, i), NULL);
  count_all (self);
}

static char *
name_member (const StoredEpisodes *self, const BufferEpisodes *member)
{
  return *member->place ? g_build_filename (self->path, "storage", member->place, NULL)
                        : g_strdup (self->path);
}

static Frames *
open_episode (Episodes *episodes, gint64 number, GError **error)
{
  StoredEpisodes *self = (StoredEpisodes *) episodes;
  gint64 k = number;

  for (guint i = 0; i < self->members->len && k >= 0; i++)
    {
      const BufferEpisodes *member = g_ptr_array_index (self->members, i);
      ReelTrajectory episode;

      if (k < buffer_episodes_count (member))
        {
          buffer_episodes_get (member, k, &episode);
          g_autofree char *name = name_member (self, member);
          return stored_frames_new (member, &episode, name, &self->look, error);
        }
      k -= buffer_episodes_count (member);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "%s has no episode %" G_GINT64_FORMAT ": it holds %" G_GINT64_FORMAT, self->path,
               number < 0 ? number - self->base.n : number, self->base.n); /* as it was asked for */
  return NULL;
}

static gboolean
find_episode (Episodes *episodes, const char *word, gint64 *number, GError **error)
{
  g_autoptr (GArray) list = episode_list_new (((StoredEpisodes *) episodes)->members);
  const Episode *episode = episode_list_find (list, word, error);

  if (episode)
    *number = episode->number;
  return episode != NULL;
}

static void
free_episodes (Episodes *episodes)
{
  StoredEpisodes *self = (StoredEpisodes *) episodes;

  g_clear_pointer (&self->members, g_ptr_array_unref);
  g_clear_object (&self->opened);
  g_clear_object (&self->look.transform);
  g_free (self->env);
  g_free (self->camera);
  g_free (self->path);
  g_free (self);
}

static const EpisodesClass episodes_class = { open_episode, find_episode, look, free_episodes };

static GObject *
open_directory (const char *path, GError **error)
{
  if (reel_checkpoint_is_ensemble (path))
    return (GObject *) reel_replay_buffer_ensemble_open (path, REEL_OPEN_READ_ONLY, error);
  if (saved_batches_are_at (path))
    return (GObject *) saved_batches_open (path, error);
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
  if (how->transform)
    g_object_ref (how->transform);
  self->path = g_strdup (path);
  self->opened = open_directory (path, error);
  self->members = self->opened ? buffer_episodes_list (self->opened, error) : NULL;
  if (!self->members)
    return NULL;
  count_all (self);
  return g_steal_pointer (&owned);
}
