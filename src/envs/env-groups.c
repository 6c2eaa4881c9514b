/* Groups of agents: their specs, and their flags where the lane is truncated. */
#include "env-groups.h"

#include <string.h>

#include "../specs/spec-keys.h"

void
reel_env_groups_add (ReelEnvGroups *groups, const char *key, gint64 n_agents)
{
  groups->list = g_renew (ReelEnvGroup, groups->list, groups->n + 1);
  groups->list[groups->n++] = (ReelEnvGroup){ g_strdup (key), n_agents };
}

void
reel_env_groups_clear (ReelEnvGroups *groups)
{
  for (gsize i = 0; i < groups->n; i++)
    g_free (groups->list[i].key);
  g_free (groups->list);
  *groups = (ReelEnvGroups){ NULL, 0 };
}

static gboolean
put (ReelSpec **specs, const char *group, const char *key, const ReelSpec *spec, GError **error)
{
  g_autofree char *path = g_strconcat (group, "/", key, NULL);
  g_autoptr (ReelSpec) changed = NULL;

  if (reel_spec_contains (*specs, path))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "two groups of agents are at \"%s\"", group);
  else
    changed = reel_spec_set (*specs, path, spec, error);
  if (changed == NULL)
    return FALSE;
  reel_spec_unref (*specs);
  *specs = g_steal_pointer (&changed);
  return TRUE;
}

static gboolean
extend (const ReelEnvGroup *group, ReelSpec **rewards, ReelSpec **flags, GError **error)
{
  const gint64 shape[] = { group->n_agents, 1 };
  g_autoptr (ReelSpec) reward = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 2, shape, error);
  g_autoptr (ReelSpec) flag = reel_categorical_spec_new (2, REEL_DTYPE_BOOL, 2, shape, error);

  return reward != NULL && flag != NULL && put (rewards, group->key, "reward", reward, error)
         && put (flags, group->key, "done", flag, error)
         && put (flags, group->key, "terminated", flag, error)
         && put (flags, group->key, "truncated", flag, error);
}

gboolean
reel_env_groups_extend_specs (const ReelEnvGroups *groups, ReelSpec **reward, ReelSpec **done,
                              GError **error)
{
  for (gsize i = 0; i < groups->n; i++)
    if (!extend (&groups->list[i], reward, done, error))
      return FALSE;
  return TRUE;
}

void
reel_env_groups_finish (const ReelEnvGroups *groups, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gsize g = 0; g < groups->n; g++)
    {
      const ReelEnvGroupStep *step = &io->groups[g];
      gint64 n = groups->list[g].n_agents;

      for (gint64 lane = begin; lane < end; lane++)
        memset (step->truncated + lane * n, io->truncated[lane], (gsize) n);
      for (gint64 i = begin * n; i < end * n; i++)
        step->done[i] = step->terminated[i] | step->truncated[i];
    }
}
