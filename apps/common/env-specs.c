#include "env-specs.h"

ReelSpec *
env_specs_from_text (const char *text, gint64 *lanes, GError **error)
{
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, text, error, NULL);

  if (!env)
    return NULL;
  *lanes = reel_env_is_mixed (env) ? 1 : reel_env_get_num_envs (env);
  return reel_env_spec_new (reel_env_get_observation_spec (env), reel_env_get_action_spec (env),
                            reel_env_get_reward_spec (env), reel_env_get_done_spec (env), error);
}
