/* The specs of an environment, part by part. */
#include "transform-private.h"

#include "../specs/spec-keys.h"

static const char *const parts[2][4] = {
  { "output_spec/full_observation_spec", "output_spec/full_done_spec",
    "output_spec/full_reward_spec", NULL },
  { "input_spec/full_state_spec", "input_spec/full_action_spec", NULL },
};

static char *
join (const char *part, const char *key)
{
  return g_strconcat (part, "/", key, NULL);
}

char *
reel_spec_find_part (const ReelSpec *spec, ReelSpecSide side, const char *key)
{
  for (gint i = 0; parts[side][i]; i++)
    {
      g_autofree char *path = join (parts[side][i], key);

      if (reel_spec_contains (spec, path))
        return g_strdup (parts[side][i]);
    }
  return NULL;
}

char **
reel_spec_list_part (const ReelSpec *spec, const char *part)
{
  const ReelSpec *found = reel_spec_contains (spec, part) ? reel_spec_get (spec, part, NULL) : NULL;

  if (!found)
    return g_new0 (char *, 1);
  return reel_spec_list_keys (found, REEL_SPEC_KEYS_NESTED | REEL_SPEC_KEYS_LEAVES_ONLY);
}

const ReelSpec *
reel_spec_get_in_part (const ReelSpec *spec, const char *part, const char *key)
{
  g_autofree char *path = join (part, key);

  return reel_spec_get (spec, path, NULL);
}

gboolean
reel_spec_set_in_part (ReelSpec **spec, const char *part, const char *key, const ReelSpec *value,
                       GError **error)
{
  g_autofree char *path = join (part, key);
  ReelSpec *changed =
      value ? reel_spec_set (*spec, path, value, error) : reel_spec_remove (*spec, path, error);

  if (!changed)
    return FALSE;
  reel_spec_unref (*spec);
  *spec = changed;
  return TRUE;
}
