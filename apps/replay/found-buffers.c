#include "found-buffers.h"

#include "../episodes/episode-stats.h"
#include "../common/options.h"

#include <dirent.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static void
free_found (gpointer data)
{
  FoundBuffer *found = data;

  g_free (found->path);
  g_free (found->fault);
  g_free (found->env);
  g_free (found->policy);
  g_free (found);
}

/* ---- files ---- */

/* Adds the bytes of all files, and looks for the newest. */
static void
measure (const char *path, FoundBuffer *found)
{
  GStatBuf status;
  g_autoptr (GDir) directory = NULL;
  const char *name;

  if (g_lstat (path, &status) != 0)
    return;
  if (!S_ISDIR (status.st_mode))
    found->bytes += status.st_blocks * 512;
  found->modified = MAX (found->modified, status.st_mtime);
  directory = S_ISDIR (status.st_mode) ? g_dir_open (path, 0, NULL) : NULL;
  while (directory && (name = g_dir_read_name (directory)))
    {
      g_autofree char *below = g_build_filename (path, name, NULL);
      measure (below, found);
    }
}

/* ---- what a buffer says of itself ---- */

/* The member of an entry, such as the text of `env`. */
static json_t *
get_info (ReelReplayBuffer *buffer, const char *entry, const char *member)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, entry);
  json_t *object = text ? json_loads (text, 0, NULL) : NULL;
  json_t *value = object ? json_incref (json_object_get (object, member)) : NULL;

  json_decref (object);
  return value;
}

static char *
get_text (ReelReplayBuffer *buffer, const char *entry)
{
  json_t *value = get_info (buffer, entry, "id");
  char *text = g_strdup (json_string_value (value));

  json_decref (value);
  return text;
}

static gint64
get_seed (ReelReplayBuffer *buffer)
{
  json_t *value = get_info (buffer, "env", "seed");
  gint64 seed = json_is_integer (value) ? json_integer_value (value) : -1;

  json_decref (value);
  return seed;
}

static gboolean
describe_buffer (FoundBuffer *found, ReelReplayBuffer *buffer, GError **error)
{
  ReelRingInfo ring;

  if (!reel_replay_buffer_get_ring (buffer, &ring, error))
    return FALSE;
  found->state = ring.written ? "live" : ring.live && !ring.clean ? "killed" : "";
  found->env = get_text (buffer, "env");
  found->policy = get_text (buffer, "policy");
  found->seed = get_seed (buffer);
  found->rows = reel_replay_buffer_get_length (buffer);
  found->capacity = reel_replay_buffer_get_capacity (buffer);
  return TRUE;
}

/* The ensemble gets the values that all its members share. */
static void
describe_ensemble (FoundBuffer *found, ReelReplayBufferEnsemble *ensemble)
{
  ReelReplayBufferStats stats;

  reel_replay_buffer_ensemble_get_stats (ensemble, &stats);
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (ensemble); i++)
    {
      gpointer member = reel_replay_buffer_ensemble_get (ensemble, i, NULL);
      g_autofree char *env = REEL_IS_REPLAY_BUFFER (member) ? get_text (member, "env") : NULL;
      g_autofree char *policy = REEL_IS_REPLAY_BUFFER (member) ? get_text (member, "policy") : NULL;

      if (i == 0)
        {
          found->env = g_steal_pointer (&env);
          found->policy = g_steal_pointer (&policy);
          continue;
        }
      if (g_strcmp0 (found->env, env) != 0)
        g_clear_pointer (&found->env, g_free);
      if (g_strcmp0 (found->policy, policy) != 0)
        g_clear_pointer (&found->policy, g_free);
    }
  found->rows = stats.size;
  found->capacity = stats.capacity;
}

static void
describe_episodes (FoundBuffer *found, gpointer opened)
{
  EpisodeStats stats;

  if (!episode_stats_init (&stats, opened))
    return;
  found->episodes = stats.whole;
  found->mean_return = stats.reward_sum.mean;
}

static gboolean
describe (FoundBuffer *found, GError **error)
{
  if (reel_checkpoint_is_ensemble (found->path))
    {
      g_autoptr (ReelReplayBufferEnsemble) ensemble =
          reel_replay_buffer_ensemble_open (found->path, REEL_OPEN_READ_ONLY, error);
      if (!ensemble)
        return FALSE;
      describe_ensemble (found, ensemble);
      describe_episodes (found, ensemble);
      return TRUE;
    }
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_open (found->path, REEL_OPEN_READ_ONLY, error);
  if (!buffer || !describe_buffer (found, buffer, error))
    return FALSE;
  describe_episodes (found, buffer);
  return TRUE;
}

static void
add_found (GPtrArray *list, const char *path)
{
  g_autoptr (GError) local = NULL;
  FoundBuffer *found = g_new (FoundBuffer, 1);

  *found = (FoundBuffer){ .path = g_strdup (path),
                          .state = "",
                          .seed = -1,
                          .rows = -1,
                          .capacity = -1,
                          .episodes = -1,
                          .mean_return = NAN };
  g_ptr_array_add (list, found);
  measure (path, found);
  if (describe (found, &local))
    return;
  found->state = "damaged";
  found->fault = g_strdup (local->message);
}

/* ---- the search ---- */

/* A run that was killed at once has its ring alone. */
static gboolean
is_buffer (const char *path)
{
  static const char *const marks[] = { "buffer_metadata.json", "reel.ring" };

  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      g_autofree char *mark = g_build_filename (path, marks[i], NULL);
      if (g_file_test (mark, G_FILE_TEST_IS_REGULAR))
        return TRUE;
    }
  return FALSE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* GLib tells of a failure in words of its own. */
static gboolean
check_readable (const char *path, GError **error)
{
  DIR *directory = opendir (path);
  int reason = errno;

  if (directory)
    closedir (directory);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "cannot open the directory %s: %s", path,
                 g_strerror (reason));
  return directory != NULL;
}

/* The directories in it that are neither hidden nor links, in the order of their names. */
static GPtrArray *
list_directories (const char *path, GError **error)
{
  g_autoptr (GDir) directory = check_readable (path, error) ? g_dir_open (path, 0, error) : NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (!directory)
    return NULL;
  while ((name = g_dir_read_name (directory)))
    {
      g_autofree char *below =
          strcmp (path, ".") == 0 ? g_strdup (name) : g_build_filename (path, name, NULL);
      if (*name != '.' && g_file_test (below, G_FILE_TEST_IS_DIR)
          && !g_file_test (below, G_FILE_TEST_IS_SYMLINK))
        g_ptr_array_add (names, g_steal_pointer (&below));
    }
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

static gboolean
search (GPtrArray *list, const char *path, gint64 depth, GError **error)
{
  if (is_buffer (path))
    {
      add_found (list, path);
      return TRUE;
    }
  if (depth == 0)
    return TRUE;

  g_autoptr (GPtrArray) below = list_directories (path, error);

  if (!below)
    return FALSE;
  for (guint i = 0; i < below->len; i++)
    {
      g_autoptr (GError) local = NULL;
      if (!search (list, g_ptr_array_index (below, i), depth - 1, &local))
        g_printerr ("replay: %s\n", local->message);
    }
  return TRUE;
}

GPtrArray *
found_buffers_list (const char *directory, gint64 depth, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (free_found);

  return search (list, directory, depth, error) ? g_steal_pointer (&list) : NULL;
}
