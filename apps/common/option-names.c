#include "option-names.h"

#include <string.h>

const OptionAlias option_aliases[] = {
  { "env-id", "env" },
  { "env-name", "env" },
  { "total-frames", "frames" },
  { "total-timesteps", "frames" },
  { "n-envs", "num-envs" },
  { "nb-envs", "num-envs" },
  { "buffer-size", "capacity" },
  { "output", "out" },
  { "train-frequency", "update-every" },
  { "train-freq", "update-every" },
  { "gradient-steps", "updates" },
  { "target-network-frequency", "target-every" },
  { "target-update-interval", "target-every" },
  { "start-e", "epsilon-start" },
  { "exploration-initial-eps", "epsilon-start" },
  { "end-e", "epsilon-end" },
  { "exploration-final-eps", "epsilon-end" },
  { "policy-frequency", "policy-delay" },
  { "policy-noise", "target-noise" },
  { "target-policy-noise", "target-noise" },
  { "noise-clip", "target-noise-clip" },
  { "num-steps", "rollout-steps" },
  { "n-steps", "rollout-steps" },
  { "update-epochs", "epochs" },
  { "n-epochs", "epochs" },
  { "anneal-lr", "anneal" },
  { "clip-coef", "clip" },
  { "clip-range", "clip" },
  { "ent-coef", "entropy-weight" },
  { "vf-coef", "value-weight" },
  { "eval-freq", "eval-every" },
  { "n-eval-episodes", "eval-episodes" },
  { "capture-video", "videos" },
  { NULL, NULL },
};

char *
option_names_ours (const char *name)
{
  g_autofree char *ours = g_strdelimit (g_strdup (name), "_", '-');

  for (const OptionAlias *alias = option_aliases; alias->theirs; alias++)
    if (strcmp (alias->theirs, ours) == 0)
      return g_strdup (alias->ours);
  return g_steal_pointer (&ours);
}

void
option_names_refuse (const GOptionEntry *entries, const char *more, const char *name,
                     const char *prefix, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (const GOptionEntry *entry = entries; entry->long_name; entry++)
    if (*entry->long_name)
      g_ptr_array_add (names, (char *) entry->long_name);
  if (more)
    g_ptr_array_add (names, (char *) more);
  g_ptr_array_add (names, NULL);

  const char *closest = reel_closest_word (name, (const char *const *) names->pdata);
  if (closest)
    set_usage_error (error, "%s%s; did you mean %s%s?", prefix, name,
                     g_str_has_suffix (prefix, "--") ? "--" : "", closest);
  else
    set_usage_error (error, "%s%s; --help lists them", prefix, name);
}
