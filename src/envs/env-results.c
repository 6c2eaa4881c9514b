#include "env-results.h"

#include <string.h>

#include "../specs/spec-kind.h"

const char *const reel_env_flag_names[REEL_ENV_N_FLAGS] = { "done", "terminated", "truncated" };

/* ---- the usual ones ---- */

static const gint64 one[] = { 1 };

static ReelSpec *
make_reward (GError **error)
{
  static const char *const keys[] = { "reward" };
  g_autoptr (ReelSpec) reward = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, one, error);

  return reward ? reel_composite_spec_new (0, NULL, keys, &reward, 1, error) : NULL;
}

static ReelSpec *
make_done (GError **error)
{
  g_autoptr (ReelSpec) flag = reel_categorical_spec_new (2, REEL_DTYPE_BOOL, 1, one, error);
  ReelSpec *const flags[] = { flag, flag, flag };

  return flag ? reel_composite_spec_new (0, NULL, reel_env_flag_names, flags, REEL_ENV_N_FLAGS,
                                         error)
              : NULL;
}

/* ---- places ---- */

static gboolean
is_single (const ReelSpec *leaf, ReelDtype dtype)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);

  return reel_spec_get_dtype (leaf) == dtype && ndim == 1 && shape[0] == 1;
}

static void
add (ReelEnvResults *self, const char *path, const ReelSpec *leaf)
{
  self->list[self->n_rewards + self->n_flags] =
      (ReelEnvResult){ g_strdup (path), reel_spec_get_dtype (leaf), reel_spec_row_bytes (leaf) };
}

static void
place_rewards (ReelEnvResults *self, char *const *paths)
{
  for (; *paths; paths++)
    {
      const ReelSpec *leaf = reel_spec_get (self->reward, *paths, NULL);

      if (g_str_equal (*paths, "reward") && is_single (leaf, REEL_DTYPE_FLOAT32))
        {
          self->shows_reward = TRUE;
          continue;
        }
      add (self, *paths, leaf);
      self->n_rewards++;
    }
}

static gboolean
place_flag (ReelEnvResults *self, const char *path, const ReelSpec *leaf, GError **error)
{
  for (gsize i = 0; i < REEL_ENV_N_FLAGS; i++)
    if (g_str_equal (path, reel_env_flag_names[i]) && is_single (leaf, REEL_DTYPE_BOOL))
      {
        self->shows_flag[i] = TRUE;
        return TRUE;
      }
  if (reel_spec_get_dtype (leaf) != REEL_DTYPE_BOOL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "the flag \"%s\" is %s, and must be bool",
                   path, reel_dtype_name (reel_spec_get_dtype (leaf)));
      return FALSE;
    }
  add (self, path, leaf);
  self->n_flags++;
  return TRUE;
}

gboolean
reel_env_results_init (ReelEnvResults *self, ReelSpec *reward, ReelSpec *done, GError **error)
{
  g_auto (GStrv) rewards = NULL, flags = NULL;

  *self = (ReelEnvResults){ .reward = reward, .done = done };
  if (self->reward == NULL)
    self->reward = make_reward (error);
  if (self->reward != NULL && self->done == NULL)
    self->done = make_done (error);
  if (self->done == NULL)
    return FALSE;
  rewards = reel_spec_list_leaves (self->reward);
  flags = reel_spec_list_leaves (self->done);
  self->list = g_new0 (ReelEnvResult, g_strv_length (rewards) + g_strv_length (flags) + 1);
  place_rewards (self, rewards);
  for (char **path = flags; *path; path++)
    if (!place_flag (self, *path, reel_spec_get (self->done, *path, NULL), error))
      return FALSE;
  return TRUE;
}

void
reel_env_results_clear (ReelEnvResults *self)
{
  for (gsize i = 0; i < self->n_rewards + self->n_flags; i++)
    g_free (self->list[i].path);
  g_free (self->list);
  g_clear_pointer (&self->reward, reel_spec_unref);
  g_clear_pointer (&self->done, reel_spec_unref);
  *self = (ReelEnvResults){ 0 };
}

gboolean
reel_env_flag_is_of_cuts (const char *path)
{
  const char *slash = strrchr (path, '/'), *name = slash ? slash + 1 : path;

  return g_str_equal (name, "done") || g_str_equal (name, "truncated");
}

void
reel_env_results_cut (const ReelEnvResults *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gsize i = self->n_rewards; i < self->n_rewards + self->n_flags; i++)
    {
      gsize bytes = self->list[i].row_bytes;

      for (gint64 lane = begin; lane < end && reel_env_flag_is_of_cuts (self->list[i].path); lane++)
        if (io->truncated[lane])
          memset (io->results[i] + (gsize) lane * bytes, TRUE, bytes);
    }
}

const char *
reel_env_results_find_done (const ReelEnvResults *self)
{
  if (self->shows_flag[0])
    return reel_env_flag_names[0];
  for (gsize i = self->n_rewards; i < self->n_rewards + self->n_flags; i++)
    if (g_str_has_suffix (self->list[i].path, "/done") && self->list[i].row_bytes == 1)
      return self->list[i].path;
  return NULL;
}
