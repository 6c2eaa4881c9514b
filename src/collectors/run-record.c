/* The record of a run in the sidecar of its buffer. */
#include "collector-private.h"

#include "../buffers/checkpoints/buffer-specs.h"
#include "../buffers/checkpoints/checkpoint.h"
#include "../core/formats/json.h"
#include "../core/object/registry.h"

static void
take_int64 (json_t *record, const char *key, ReelObject *object, const char *property)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (object), property) == NULL)
    return;

  gint64 value;

  g_object_get (object, property, &value, NULL);
  json_object_set_new (record, key, json_integer (value));
}

static json_t *
record_object (ReelObject *object)
{
  g_autofree char *text = reel_object_to_text (object);
  json_t *record = json_pack ("{s:s, s:s}", "id", reel_object_get_id (object), "text", text);

  if (record != NULL)
    {
      take_int64 (record, "num_envs", object, "num-envs");
      take_int64 (record, "seed", object, "seed");
    }
  return record;
}

static gboolean
keep_specs (ReelReplayBuffer *buffer, ReelEnv *env, ReelPolicy *policy, GError **error)
{
  g_autoptr (ReelSpec) spec =
      reel_env_spec_new (reel_env_get_observation_spec (env), reel_env_get_action_spec (env),
                         reel_env_get_reward_spec (env), reel_env_get_done_spec (env), error);
  g_autoptr (ReelSpec) all =
      spec ? reel_env_spec_set_policy (spec, reel_policy_get_output_spec (policy),
                                       reel_policy_get_state_spec (policy), error)
           : NULL;

  return all && reel_replay_buffer_set_specs (buffer, all, error);
}

static gboolean
keep (ReelReplayBuffer *buffer, const char *key, json_t *record, GError **error)
{
  if (record == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the description of the run's %s is not UTF-8: a sidecar cannot contain it",
                   key);
      return FALSE;
    }

  g_autofree char *text = reel_json_to_string (record, REEL_JSON_COMPACT);

  json_decref (record);
  return reel_replay_buffer_set_info (buffer, key, text, error);
}

/* The classes of the run may come from them. Nothing where there are none. */
static gboolean
keep_plugins (ReelReplayBuffer *buffer, GError **error)
{
  gsize n;
  const char *const *names = reel_registry_get_plugins (&n);
  json_t *record = n > 0 ? json_array () : NULL;

  if (n == 0)
    return TRUE;
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = g_filename_display_name (names[i]);

      json_array_append_new (record, json_string (name));
    }
  return keep (buffer, "plugins", record, error);
}

gboolean
reel_collector_check_run (ReelReplayBuffer *buffer, ReelEnv *env, GError **error)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, "env");
  g_autofree char *ours = reel_object_to_text (REEL_OBJECT (env));
  json_t *record = text ? json_loads (text, 0, NULL) : NULL;
  const char *theirs = json_string_value (json_object_get (record, "text"));
  gboolean same = g_strcmp0 (theirs, ours) == 0;

  if (!same)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "the run cannot be resumed: it is of the environment %s, not of %s",
                 theirs ? theirs : "that nothing names", ours);
  json_decref (record);
  return same;
}

gboolean
reel_collector_record_run (ReelReplayBuffer *buffer, ReelEnv *env, ReelPolicy *policy,
                           GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (buffer), FALSE);
  g_return_val_if_fail (REEL_IS_ENV (env) && REEL_IS_POLICY (policy), FALSE);

  return keep (buffer, "env", record_object (REEL_OBJECT (env)), error)
         && keep (buffer, "policy", record_object (REEL_OBJECT (policy)), error)
         && keep_plugins (buffer, error) && keep_specs (buffer, env, policy, error);
}
