/* Checks an environment by rollouts against its specs, and by the bytes that it writes. */
#include "env-check.h"

#include "../core/tensordict/tensordict-keys.h"
#include "env-policy.h"
#include "env-private.h"
#include "env-recording.h"
#include "env-rollout.h"

#include <string.h>

#define SEED 2147483629u
#define STEPS REEL_ENV_RECORDING_STEPS

/* ---- specs against a rollout ---- */

/* Keys that one has and the other has not. */
static gboolean
check_keys (ReelEnv *self, const ReelTensordict *a, const ReelTensordict *b, const char *what,
            GError **error)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (a);

  for (char **leaf = leaves; *leaf != NULL; leaf++)
    if (!reel_tensordict_contains (b, *leaf))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "%s: \"%s\" %s",
                     reel_object_get_id (REEL_OBJECT (self)), *leaf, what);
        return FALSE;
      }
  return TRUE;
}

/* Whether every value is inside its spec. */
static gboolean
check_values (ReelEnv *self, const ReelTensordict *td, const char *prefix, const ReelSpec *specs,
              GError **error)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (specs);

  for (char **leaf = leaves; *leaf != NULL; leaf++)
    {
      g_autofree char *path = g_strconcat (prefix, *leaf, NULL);
      g_autoptr (ReelTensor) values = reel_tensordict_ref_tensor (td, path, error);

      if (values == NULL)
        return FALSE;
      if (reel_spec_is_in (reel_spec_get (specs, *leaf, NULL), values, error))
        continue;
      g_prefix_error (error, "%s: \"%s\" is outside of its spec: ",
                      reel_object_get_id (REEL_OBJECT (self)), path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_rollout (ReelEnv *self, const ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensordict) fake = reel_env_make_fake (self, error);
  const ReelSpec *observation = reel_env_get_observation_spec (self);
  const ReelSpec *done = reel_env_get_done_spec (self);

  return fake != NULL && check_keys (self, fake, td, "is in the specs, and not in a rollout", error)
         && check_keys (self, td, fake, "is in a rollout, and not in the specs", error)
         && check_values (self, td, "", reel_env_get_action_spec (self), error)
         && check_values (self, td, "", observation, error)
         && check_values (self, td, "", done, error)
         && check_values (self, td, "next/", observation, error)
         && check_values (self, td, "next/", reel_env_get_reward_spec (self), error)
         && check_values (self, td, "next/", done, error);
}

static gboolean
check_rollouts (ReelEnv *self, GError **error)
{
  for (ReelRolloutEnd end = REEL_ROLLOUT_ANY_DONE; end <= REEL_ROLLOUT_MAX_STEPS; end++)
    {
      const ReelRolloutOptions options = { .end = end };
      g_autoptr (ReelTensordict) td = NULL;

      reel_env_set_seed (self, SEED, REEL_SEEDING_LANES);
      td = reel_env_rollout (self, STEPS, &options, error);
      if (td == NULL || !check_rollout (self, td, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- bytes ---- */

static guint8 *
dup_states (ReelEnv *self)
{
  gint64 lanes = reel_env_get_num_envs (self);
  gsize size = reel_env_get_state_size (self);
  guint8 *states = g_malloc ((gsize) lanes * size);

  for (gint64 lane = 0; lane < lanes; lane++)
    reel_env_get_state (self, lane, states + (gsize) lane * size);
  return states;
}

static void
set_states (ReelEnv *self, const guint8 *states)
{
  gsize size = reel_env_get_state_size (self);

  for (gint64 lane = 0; lane < reel_env_get_num_envs (self); lane++)
    reel_env_set_state (self, lane, states + (gsize) lane * size);
}

/* From the seed, and from @states where what lanes learned outlasts it. */
static ReelEnvRecording *
record (ReelEnv *self, ReelPolicy *policy, const guint8 *states, guint8 filler, gboolean apart,
        GError **error)
{
  g_autoptr (ReelEnvRecording) recording = reel_env_recording_new (self, filler, error);

  if (states)
    set_states (self, states);
  reel_env_set_seed (self, SEED, REEL_SEEDING_LANES);
  if (recording == NULL || !reel_env_recording_run (recording, policy, 0, STEPS, apart, error))
    return NULL;
  return g_steal_pointer (&recording);
}

/* Whether steps go on from saved states as they did. */
static gboolean
check_state (ReelEnv *self, ReelPolicy *policy, const guint8 *first,
             const ReelEnvRecording *expected, GError **error)
{
  g_autofree guint8 *states = NULL;
  g_autoptr (ReelEnvRecording) recording = reel_env_recording_new (self, 0xa5, error);

  if (first)
    set_states (self, first);
  reel_env_set_seed (self, SEED, REEL_SEEDING_LANES);
  if (recording == NULL || !reel_env_recording_run (recording, policy, 0, STEPS / 2, FALSE, error))
    return FALSE;
  states = dup_states (self);
  reel_env_set_seed (self, SEED + 1, REEL_SEEDING_LANES);

  g_autoptr (ReelEnvRecording) other = reel_env_recording_new (self, 0, error);

  if (other == NULL || !reel_env_recording_run (other, policy, 0, STEPS, FALSE, error))
    return FALSE;
  set_states (self, states);
  return reel_env_recording_run (recording, policy, STEPS / 2, STEPS, FALSE, error)
         && reel_env_recording_compare (expected, recording,
                                        "differs when the lane continues from its state: get_state "
                                        "and set_state leave something out",
                                        error);
}

static gboolean
check_bytes (ReelEnv *self, ReelPolicy *policy, GError **error)
{
  g_autofree guint8 *states = reel_env_outlasts_episodes (self) ? dup_states (self) : NULL;
  g_autoptr (ReelEnvRecording) first = record (self, policy, states, 0xa5, FALSE, error);
  g_autoptr (ReelEnvRecording) again =
      first ? record (self, policy, states, 0x3c, FALSE, error) : NULL;

  if (again == NULL
      || !reel_env_recording_compare (first, again,
                                      "differs between two runs of the same seed and actions: it "
                                      "is not written, or depends on something else",
                                      error)
      || !reel_env_recording_check_flags (first, error))
    return FALSE;

  /* Lanes that depend on one another, and those of one process, are not stepped apart. */
  g_autoptr (ReelEnvRecording) apart =
      record (self, policy, states, 0, !reel_env_joins_lanes (self), error);

  return apart != NULL
         && reel_env_recording_compare (
             first, apart, "depends on which lanes are stepped in the same call", error)
         && (!reel_env_has_state (self) || check_state (self, policy, states, first, error));
}

/* ---- lanes of unlike specs ---- */

/* A rollout of all lanes from the seed, and from @states where there are any. */
static ReelTensordict *
roll (ReelEnv *self, const guint8 *states, ReelRolloutEnd end, GError **error)
{
  const ReelRolloutOptions options = { .end = end };

  if (states != NULL)
    set_states (self, states);
  reel_env_set_seed (self, SEED, REEL_SEEDING_LANES);
  return reel_env_rollout (self, STEPS, &options, error);
}

/* Whether lanes of all parts, which were checked one by one, go together. */
static gboolean
check_together (ReelEnv *self, GError **error)
{
  g_autofree guint8 *states = reel_env_outlasts_episodes (self) ? dup_states (self) : NULL;

  for (ReelRolloutEnd end = REEL_ROLLOUT_ANY_DONE; end <= REEL_ROLLOUT_MAX_STEPS; end++)
    {
      g_autoptr (ReelTensordict) first = roll (self, states, end, error);
      g_autoptr (ReelTensordict) again = first ? roll (self, states, end, error) : NULL;

      if (again == NULL)
        return FALSE;
      if (!reel_tensordict_equal (first, again))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
                       "%s: two rollouts from the same seed differ",
                       reel_object_get_id (REEL_OBJECT (self)));
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
check_parts (ReelEnv *self, GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);

  for (guint i = 0; i < priv->n_parts; i++)
    if (!reel_env_check (priv->parts[i].env, error))
      {
        g_prefix_error (error, "environment %u of %u: ", i, priv->n_parts);
        return FALSE;
      }
  return TRUE;
}

gboolean
reel_env_check (ReelEnv *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  if (reel_env_is_mixed (self))
    return check_parts (self, error) && check_together (self, error);

  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", error, NULL);

  return policy != NULL && reel_env_bind_policy (self, policy, error)
         && check_rollouts (self, error) && check_bytes (self, policy, error);
}
