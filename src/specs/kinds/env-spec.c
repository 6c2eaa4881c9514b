#include "env-spec.h"

#include <string.h>

#include "../spec-keys.h"
#include "composite-spec.h"

static ReelSpec *
new_composite (const ReelSpec *like, const char *const *keys, const ReelSpec *const *specs, gsize n,
               GError **error)
{
  return reel_composite_spec_new (like->ndim, like->shape, keys, (ReelSpec *const *) specs, n,
                                  error);
}

ReelSpec *
reel_env_spec_new (const ReelSpec *observation, const ReelSpec *action, const ReelSpec *reward,
                   const ReelSpec *done, GError **error)
{
  static const char *const output_keys[] = { "full_observation_spec", "full_done_spec",
                                             "full_reward_spec" };
  static const char *const input_keys[] = { "full_state_spec", "full_action_spec" };
  static const char *const keys[] = { "output_spec", "input_spec" };
  g_autoptr (ReelSpec) state = NULL;
  g_autoptr (ReelSpec) output = NULL;
  g_autoptr (ReelSpec) input = NULL;

  g_return_val_if_fail (observation && action && reward && done, NULL);

  state = new_composite (observation, NULL, NULL, 0, error);
  if (!state)
    return NULL;
  output = new_composite (observation, output_keys,
                          (const ReelSpec *[]){ observation, done, reward }, 3, error);
  if (!output)
    return NULL;
  input = new_composite (observation, input_keys, (const ReelSpec *[]){ state, action }, 2, error);
  if (!input)
    return NULL;
  return new_composite (observation, keys, (const ReelSpec *[]){ output, input }, 2, error);
}

ReelSpec *
reel_env_spec_set_state (const ReelSpec *spec, const ReelSpec *state, GError **error)
{
  g_return_val_if_fail (spec && state, NULL);

  return reel_spec_set (spec, "input_spec/full_state_spec", state, error);
}

/* A part of the policy, or where it is. */
static ReelSpec *
set_unless_empty (const ReelSpec *spec, const char *path, const ReelSpec *part, GError **error)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (part);

  return *leaves ? reel_spec_set (spec, path, part, error) : reel_spec_ref ((ReelSpec *) spec);
}

ReelSpec *
reel_env_spec_set_policy (const ReelSpec *spec, const ReelSpec *output, const ReelSpec *state,
                          GError **error)
{
  g_return_val_if_fail (spec && output && state, NULL);

  g_autoptr (ReelSpec) with_output =
      set_unless_empty (spec, "policy_spec/full_output_spec", output, error);

  return with_output ? set_unless_empty (with_output, "policy_spec/full_state_spec", state, error)
                     : NULL;
}

const ReelSpec *
reel_env_spec_get_part (const ReelSpec *spec, const char *name)
{
  gboolean is_policy = g_str_has_prefix (name, "policy_");
  const char *side = is_policy                      ? "policy_spec"
                     : g_str_equal (name, "action") ? "input_spec"
                                                    : "output_spec";
  g_autofree char *path =
      g_strdup_printf ("%s/full_%s_spec", side, is_policy ? name + strlen ("policy_") : name);

  g_return_val_if_fail (spec, NULL);

  return reel_spec_get (spec, path, NULL);
}

/* Adds what @part holds under the same keys. */
static gboolean
add_entries (ReelCompositeSpec *rows, const ReelSpec *part, GError **error)
{
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (part, &n);

  for (gsize i = 0; i < n; i++)
    {
      if (reel_spec_find_entry (&rows->head, entries[i].path, strlen (entries[i].path)))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "the key \"%s\" is in two of the env's specs", entries[i].key);
          return FALSE;
        }
      if (!reel_composite_spec_put (rows, entries[i].key, entries[i].spec, error))
        return FALSE;
    }
  return TRUE;
}

static ReelSpec *
join (const ReelSpec *spec, const char *const *parts, GError **error)
{
  ReelCompositeSpec *rows = reel_composite_spec_new_like (NULL, spec->ndim, spec->shape, error);
  g_autoptr (ReelSpec) made = (ReelSpec *) rows;

  for (; rows && *parts; parts++)
    if (!add_entries (rows, reel_env_spec_get_part (spec, *parts), error))
      return NULL;
  return g_steal_pointer (&made);
}

/* @rows and what @part adds, where there is one. */
static ReelSpec *
add_part (const ReelSpec *rows, const ReelSpec *spec, const char *part, GError **error)
{
  const ReelSpec *added = reel_env_spec_get_part (spec, part);

  return added ? reel_spec_update (rows, added, error) : reel_spec_ref ((ReelSpec *) rows);
}

ReelSpec *
reel_env_spec_to_rows (const ReelSpec *spec, GError **error)
{
  static const char *const before[] = { "observation", "action", "done", NULL };
  static const char *const after[] = { "observation", "reward", "done", NULL };

  g_return_val_if_fail (spec, NULL);

  g_autoptr (ReelSpec) seen = join (spec, before, error);
  g_autoptr (ReelSpec) written = seen ? add_part (seen, spec, "policy_output", error) : NULL;
  g_autoptr (ReelSpec) root = written ? add_part (written, spec, "policy_state", error) : NULL;
  g_autoptr (ReelSpec) came = root ? join (spec, after, error) : NULL;
  g_autoptr (ReelSpec) next = came ? add_part (came, spec, "policy_state", error) : NULL;

  return next ? reel_spec_set (root, "next", next, error) : NULL;
}
