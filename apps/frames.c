#include "frames.h"

#include <jansson.h>
#include <string.h>

void
frames_clear (Frames *frames)
{
  g_clear_object (&frames->env);
  g_clear_object (&frames->buffer);
  g_clear_pointer (&frames->states, g_byte_array_unref);
}

/* One lane, which observes what it draws itself from. */
static gboolean
open_env (Frames *frames, const char *text, const char *seed, GError **error)
{
  frames->env = reel_object_new_from_text (REEL_TYPE_ENV, text, error, "num-envs", "1",
                                           "from-pixels", "false", "pixels-only", "false", "width",
                                           "0", "height", "0", seed ? "seed" : NULL, seed, NULL);
  if (!frames->env)
    return FALSE;
  if (reel_env_get_frame (frames->env, &frames->width, &frames->height, NULL))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "%s has no pictures",
               reel_object_get_id (REEL_OBJECT (frames->env)));
  return FALSE;
}

/* ---- an episode that is played ---- */

/* A value of each leaf of a spec, and pointers to them. */
typedef struct
{
  GPtrArray *values;
  guint8 *data[64];
} Leaves;

static gboolean
leaves_init (Leaves *leaves, const ReelSpec *spec, GError **error)
{
  g_auto (GStrv) names = reel_spec_list_leaves (spec);

  leaves->values = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  for (gsize i = 0; names[i] && i < G_N_ELEMENTS (leaves->data); i++)
    {
      const ReelSpec *leaf = reel_spec_get (spec, names[i], error);
      ReelTensor *value = leaf ? reel_spec_zero (leaf, 0, NULL, error) : NULL;
      if (!value)
        return FALSE;
      g_ptr_array_add (leaves->values, value);
      leaves->data[i] = value->data;
    }
  return TRUE;
}

static void
leaves_clear (Leaves *leaves)
{
  g_clear_pointer (&leaves->values, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Leaves, leaves_clear)

static void
keep_state (Frames *frames)
{
  gsize size = reel_env_get_state_size (frames->env);

  g_byte_array_set_size (frames->states, (guint) ((gsize) (frames->n + 1) * size));
  reel_env_get_state (frames->env, 0, frames->states->data + (gsize) frames->n * size);
  frames->n++;
}

/* Plays on until the episode ends. */
static gboolean
play (Frames *frames, ReelPolicy *policy, Leaves *observation, Leaves *action, gint64 most,
      GError **error)
{
  float reward;
  guint8 terminated, truncated, done = FALSE;
  const ReelEnvStep io = {
    .action = (const guint8 *const *) action->data,
    .observation = observation->data,
    .reward = &reward,
    .terminated = &terminated,
    .truncated = &truncated,
    .done = &done,
  };

  reel_env_reset_lanes (frames->env, 0, 1, NULL, observation->data);
  keep_state (frames);
  while (!done && frames->n <= most)
    {
      if (!reel_policy_act (policy, frames->n - 1, 0, 1, (const guint8 *const *) observation->data,
                            action->data, error))
        return FALSE;
      reel_env_step_lanes (frames->env, 0, 1, &io);
      keep_state (frames);
    }
  return TRUE;
}

gboolean
frames_play (Frames *frames, const char *env, const char *policy, gint64 seed, gint64 most,
             GError **error)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, seed);
  g_auto (Leaves) observation = { 0 }, action = { 0 };

  if (!open_env (frames, env, number, error))
    return FALSE;

  const ReelSpec *observed = reel_env_get_observation_spec (frames->env);
  const ReelSpec *acted = reel_env_get_action_spec (frames->env);
  gboolean seeded = g_str_has_prefix (policy, "random") && !strstr (policy, "seed=");
  g_autoptr (ReelPolicy) actor = reel_object_new_from_text (REEL_TYPE_POLICY, policy, error,
                                                            seeded ? "seed" : NULL, number, NULL);

  frames->states = g_byte_array_new ();
  return actor && leaves_init (&observation, observed, error) && leaves_init (&action, acted, error)
         && reel_policy_bind (actor, observed, acted, 1, error)
         && play (frames, actor, &observation, &action, most, error);
}

/* ---- an episode that is stored ---- */

static gboolean
find_episode (Frames *frames, const char *path, gint64 number, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (frames->buffer);
  g_autoptr (ReelTrajectoryIndex) index = reel_trajectory_index_new (storage, NULL, error);
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  if (!index || !reel_trajectory_index_follow (index, &view, 1, error))
    return FALSE;

  gint64 n = reel_trajectory_index_get_n (index), k = number < 0 ? n + number : number;

  if (k < 0 || k >= n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "%s has no episode %" G_GINT64_FORMAT ": it holds %" G_GINT64_FORMAT, path,
                   number, n);
      return FALSE;
    }
  reel_trajectory_index_get (index, k, &frames->episode);
  frames->lanes = view.lanes;
  frames->n = frames->episode.n_steps + 1;
  return TRUE;
}

/* The text of the env that a directory says it is of. */
static char *
find_env (const Frames *frames, const char *path, GError **error)
{
  g_autofree char *info = reel_replay_buffer_get_info (frames->buffer, "env");
  json_t *record = info ? json_loads (info, 0, NULL) : NULL;
  const char *said = json_string_value (json_object_get (record, "text"));
  char *text = g_strdup (said);

  json_decref (record);
  if (!text)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "%s has no pixels and does not say its environment; --env ID says it", path);
  return text;
}

/* Whether stored pictures are there; takes their size. */
static gboolean
find_pixels (Frames *frames)
{
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (frames->buffer));
  const ReelTensor *root = data ? reel_tensordict_get_tensor (data, "pixels", NULL) : NULL;
  const ReelTensor *next = data ? reel_tensordict_get_tensor (data, "next/pixels", NULL) : NULL;

  if (!root || !next || root->dtype != REEL_DTYPE_UINT8 || next->dtype != REEL_DTYPE_UINT8
      || root->ndim < 4 || next->ndim != root->ndim || root->shape[root->ndim - 1] != 3
      || memcmp (root->shape, next->shape, (gsize) root->ndim * sizeof *root->shape) != 0)
    return FALSE;
  frames->height = root->shape[root->ndim - 3];
  frames->width = root->shape[root->ndim - 2];
  return TRUE;
}

/* Whether what is stored of a leaf is what the env observes. */
static gboolean
check_leaf (const Frames *frames, const char *prefix, const char *name, GError **error)
{
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (frames->buffer));
  const ReelSpec *leaf = reel_spec_get (reel_env_get_observation_spec (frames->env), name, error);
  g_autofree char *path = g_strconcat (prefix, name, NULL);
  const ReelTensor *stored = data ? reel_tensordict_get_tensor (data, path, NULL) : NULL;
  gint ndim;

  if (!leaf)
    return FALSE;

  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);

  if (stored && stored->dtype == reel_spec_get_dtype (leaf) && stored->ndim > ndim
      && memcmp (stored->shape + stored->ndim - ndim, shape, (gsize) ndim * sizeof *shape) == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "neither pixels nor what %s observes is stored: no \"%s\" of its type and shape",
               reel_object_get_id (REEL_OBJECT (frames->env)), path);
  return FALSE;
}

static gboolean
check_leaves (const Frames *frames, GError **error)
{
  g_auto (GStrv) names = reel_spec_list_leaves (reel_env_get_observation_spec (frames->env));

  for (char **name = names; *name; name++)
    if (!check_leaf (frames, "", *name, error) || !check_leaf (frames, "next/", *name, error))
      return FALSE;
  return TRUE;
}

gboolean
frames_open (Frames *frames, const char *path, const char *env, gint64 number, gboolean draw,
             GError **error)
{
  frames->buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, error);
  if (!frames->buffer || !find_episode (frames, path, number, error))
    return FALSE;
  if (!draw && find_pixels (frames))
    return TRUE;

  g_autofree char *found = env ? g_strdup (env) : find_env (frames, path, error);

  return found && open_env (frames, found, NULL, error) && check_leaves (frames, error);
}

/* ---- pictures ---- */

static const guint8 *
row_data (ReelTensordict *row, const char *prefix, const char *name)
{
  g_autofree char *path = g_strconcat (prefix, name, NULL);

  return reel_tensordict_get_tensor (row, path, NULL)->data;
}

static gboolean
show_row (Frames *frames, ReelTensordict *row, const char *prefix, GError **error)
{
  g_auto (GStrv) names = reel_spec_list_leaves (reel_env_get_observation_spec (frames->env));
  const guint8 *leaves[64];

  for (gsize i = 0; names[i] && i < G_N_ELEMENTS (leaves); i++)
    leaves[i] = row_data (row, prefix, names[i]);
  return reel_env_show_observation (frames->env, 0, leaves, error);
}

gboolean
frames_draw (Frames *frames, gint64 i, gint64 width, gint64 height, guint8 *pixels, GError **error)
{
  if (frames->states)
    {
      gsize size = reel_env_get_state_size (frames->env);
      reel_env_set_state (frames->env, 0, frames->states->data + (gsize) i * size);
    }
  else
    {
      gint64 step = MIN (i, frames->n - 2);
      const char *prefix = step < i ? "next/" : "";
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_numbered_rows (
          frames->buffer, frames->episode.first_row + step * frames->lanes, 1, error);
      if (!row)
        return FALSE;
      if (!frames->env)
        memcpy (pixels, row_data (row, prefix, "pixels"), (gsize) (width * height * 3));
      else if (!show_row (frames, row, prefix, error))
        return FALSE;
    }
  if (frames->env)
    reel_env_render_lane (frames->env, 0, width, height, pixels);
  return TRUE;
}
