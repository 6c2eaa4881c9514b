#include "env-states.h"

#include "../specs/spec-keys.h"
#include "../specs/spec-kind.h"

static gboolean
find_one (ReelEnvStates *self, char *const *paths, const char *key, const ReelSpec *observation,
          GError **error)
{
  const ReelSpec *leaf;
  ReelSpec *more;
  guint i = 0;

  while (paths[i] && !g_str_equal (paths[i], key))
    i++;
  if (!paths[i])
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "the state \"%s\" is not observed: what a step reads is an observation", key);
      return FALSE;
    }
  leaf = reel_spec_get (observation, key, NULL);
  more = reel_spec_set (self->spec, key, leaf, error);
  if (!more)
    return FALSE;
  reel_spec_unref (self->spec);
  self->spec = more;
  self->leaves[self->n] = i;
  self->row_bytes[self->n++] = reel_spec_row_bytes (leaf);
  return TRUE;
}

gboolean
reel_env_states_find (ReelEnvStates *self, const ReelSpec *observation, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (observation);
  gsize n = self->keys ? g_strv_length (self->keys) : 0;

  self->spec = reel_composite_spec_new (0, NULL, NULL, NULL, 0, error);
  if (!self->spec)
    return FALSE;
  self->leaves = g_new (guint, n + 1);
  self->row_bytes = g_new (gsize, n + 1);
  for (gsize i = 0; i < n; i++)
    if (!find_one (self, paths, self->keys[i], observation, error))
      return FALSE;
  return TRUE;
}

void
reel_env_states_clear (ReelEnvStates *self)
{
  g_strfreev (self->keys);
  g_free (self->leaves);
  g_free (self->row_bytes);
  g_clear_pointer (&self->spec, reel_spec_unref);
  *self = (ReelEnvStates){ 0 };
}

const guint8 *const *
reel_env_states_point (const ReelEnvStates *self, guint8 *const *root, const guint8 **state)
{
  for (gsize i = 0; i < self->n; i++)
    state[i] = root[self->leaves[i]];
  return state;
}
