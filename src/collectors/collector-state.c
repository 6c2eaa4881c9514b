/* The state of a collector between two batches, and seeds and resets there. */
#include "collector-fields.h"

#include "../core/tensordict/state-values.h"

#include <string.h>

#define N_FRAMES 5 /* counts of a state */

/* ---- seeds and resets ---- */

gboolean
reel_collector_reset (ReelCollector *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), FALSE);

  ReelCollectorPrivate *priv = reel_collector_get_private (self);

  if (!reel_collector_check_free (self, error))
    return FALSE;
  if (priv->whole && priv->n_batches > 0 && REEL_COLLECTOR_GET_CLASS (self)->is_under_way)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "%s cannot be reset with trajs-per-batch: its workers are in the middle of "
                   "trajectories; use sync or multi-sync",
                   reel_object_get_id (REEL_OBJECT (self)));
      return FALSE;
    }
  priv->restarts = TRUE;
  if (priv->whole)
    reel_whole_trajectories_drop (priv->whole, TRUE);
  return TRUE;
}

/* keeps_lanes: whether whoever steps the lanes does not see the env of the caller. */
static gboolean
keeps_lanes (ReelCollector *self)
{
  const ReelCollectorClass *klass = REEL_COLLECTOR_GET_CLASS (self);

  if (klass->keeps_lanes)
    return klass->keeps_lanes (self);
  return klass->dup_state == NULL && reel_collector_get_private (self)->n_batches > 0;
}

gboolean
reel_collector_set_seed (ReelCollector *self, guint64 seed, ReelSeeding seeding, guint64 *next_seed,
                         GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), FALSE);

  guint64 next;

  if (!reel_collector_check_free (self, error))
    return FALSE;
  if (keeps_lanes (self))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "%s cannot seed lanes that its workers step: seed it before the first batch",
                   reel_object_get_id (REEL_OBJECT (self)));
      return FALSE;
    }
  next = reel_env_set_seed (reel_collector_get_private (self)->parts.env, seed, seeding);
  if (next_seed)
    *next_seed = next;
  return TRUE;
}

/* ---- state ---- */

static gboolean
set_text (ReelTensordict *state, const char *key, gpointer object, GError **error)
{
  g_autofree char *text = reel_object_to_text (object);

  return reel_state_set (state, key, REEL_DTYPE_UINT8, 1, (gint64) strlen (text), text, error);
}

static gboolean
check_text (const ReelTensordict *state, const char *key, gpointer object, GError **error)
{
  g_autofree char *ours = reel_object_to_text (object);
  const ReelTensor *text = reel_state_get (state, key, REEL_DTYPE_UINT8, 1, error);
  g_autofree char *theirs =
      text ? g_strndup ((const char *) text->data, (gsize) text->shape[0]) : NULL;

  if (text == NULL || g_str_equal (ours, theirs))
    return text != NULL;

  g_autofree char *shown = g_utf8_make_valid (theirs, -1);

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the state is of the %s %s, not of %s: make the collector as that of the state", key,
               shown, ours);
  return FALSE;
}

static gboolean
has_state (ReelCollector *self, GError **error)
{
  const ReelCollectorParts *parts = reel_collector_get_parts (self);

  if (REEL_COLLECTOR_GET_CLASS (self)->dup_state && reel_env_has_state (parts->env))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "the state of %s over %s cannot be copied: resume=true continues from rows",
               reel_object_get_id (REEL_OBJECT (self)),
               reel_object_get_id (REEL_OBJECT (parts->env)));
  return FALSE;
}

static gboolean
set_frames (ReelTensordict *state, const ReelCollectorPrivate *priv, GError **error)
{
  const gint64 frames[N_FRAMES] = { priv->first_step, priv->steps_left, priv->n_steps,
                                    priv->n_batches, priv->restarts };

  return reel_state_set (state, "frames", REEL_DTYPE_INT64, 1, N_FRAMES, frames, error);
}

/* add_parts: what the base holds back: trajectories, and steps of a transform. */
static gboolean
add_parts (const ReelCollectorPrivate *priv, ReelTensordict *state, GError **error)
{
  if (priv->whole)
    {
      g_autoptr (ReelTensordict) whole = reel_tensordict_new (0, NULL);

      if (!reel_whole_trajectories_dup_state (priv->whole, whole, error)
          || !reel_tensordict_set_tensordict (state, "trajectories", whole, error))
        return FALSE;
    }
  if (priv->parts.postproc)
    {
      g_autoptr (ReelTensordict) held = reel_transform_dup_state (priv->parts.postproc, error);

      return held && reel_tensordict_set_tensordict (state, "postproc", held, error);
    }
  return TRUE;
}

ReelTensordict *
reel_collector_dup_state (ReelCollector *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), NULL);

  const ReelCollectorPrivate *priv = reel_collector_get_private (self);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);

  if (!reel_collector_check_free (self, error) || !has_state (self, error)
      || !set_text (state, "env", priv->parts.env, error)
      || !set_text (state, "policy", priv->parts.policy, error) || !set_frames (state, priv, error)
      || !add_parts (priv, state, error)
      || !REEL_COLLECTOR_GET_CLASS (self)->dup_state (self, state, error))
    return NULL;
  return g_steal_pointer (&state);
}

static const gint64 *
find_frames (const ReelTensordict *state, GError **error)
{
  const ReelTensor *frames = reel_state_get (state, "frames", REEL_DTYPE_INT64, 1, error);
  const gint64 *numbers = frames ? (const gint64 *) (gconstpointer) frames->data : NULL;
  gboolean valid = numbers == NULL || frames->shape[0] == N_FRAMES;

  for (gint i = 0; valid && numbers && i < N_FRAMES; i++)
    valid = numbers[i] >= 0 && numbers[i] < G_MAXINT64 / 4;
  if (valid)
    return numbers;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "\"frames\" of the state must be five counts");
  return NULL;
}

static ReelWholeTrajectories *
read_whole (const ReelCollectorPrivate *priv, const ReelTensordict *state, GError **error)
{
  ReelWholeTrajectories *whole = reel_whole_trajectories_new_like (priv->whole);
  const ReelTensordict *from = reel_tensordict_get_tensordict (state, "trajectories", error);

  if (from && reel_whole_trajectories_set_state (whole, from, error))
    return whole;
  reel_whole_trajectories_free (whole);
  return NULL;
}

/* set_rest: the transform, then the kind; either as it was where the other fails. */
static gboolean
set_rest (ReelCollector *self, const ReelTensordict *state, GError **error)
{
  const ReelCollectorClass *klass = REEL_COLLECTOR_GET_CLASS (self);
  ReelTransform *postproc = reel_collector_get_parts (self)->postproc;
  g_autoptr (ReelTensordict) before = NULL;
  const ReelTensordict *held;

  if (postproc == NULL)
    return klass->set_state (self, state, error);
  before = reel_transform_dup_state (postproc, error);
  held = before ? reel_tensordict_get_tensordict (state, "postproc", error) : NULL;
  if (held == NULL)
    return FALSE;
  if (reel_transform_set_state (postproc, held, error) && klass->set_state (self, state, error))
    return TRUE;
  reel_transform_set_state (postproc, before, NULL);
  return FALSE;
}

gboolean
reel_collector_set_state (ReelCollector *self, const ReelTensordict *state, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), FALSE);

  ReelCollectorPrivate *priv = reel_collector_get_private (self);
  const gint64 *frames;
  ReelWholeTrajectories *whole = NULL;

  if (!reel_collector_check_free (self, error) || !has_state (self, error)
      || !check_text (state, "env", priv->parts.env, error)
      || !check_text (state, "policy", priv->parts.policy, error))
    return FALSE;
  frames = find_frames (state, error);
  if (frames == NULL || (priv->whole && !(whole = read_whole (priv, state, error))))
    return FALSE;
  if (!set_rest (self, state, error))
    {
      reel_whole_trajectories_free (whole);
      return FALSE;
    }
  g_clear_pointer (&priv->whole, reel_whole_trajectories_free);
  priv->whole = whole;
  priv->first_step = frames[0];
  priv->steps_left = CLAMP (frames[1], 0, priv->batch_steps - 1);
  priv->n_steps = frames[2];
  priv->n_batches = frames[3];
  priv->restarts = frames[4] != 0;
  return TRUE;
}
