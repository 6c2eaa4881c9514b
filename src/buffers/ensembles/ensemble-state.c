/* How far an ensemble is with its draws: its own choice, and the samplers of its members. */
#include "../replay-buffer-private.h"
#include "../../core/tensordict/state-values.h"
#include "ensemble-private.h"

#include "../../core/object/error.h"

/* ---- into a state ---- */

static ReelTensordict *
dup_member_state (gpointer member, GError **error)
{
  if (!REEL_IS_REPLAY_BUFFER (member))
    return reel_replay_buffer_ensemble_dup_sampler_state (member, error);
  reel_buffer_flush (member);
  return reel_sampler_dup_state (reel_replay_buffer_get_sampler (member),
                                 reel_replay_buffer_get_storage (member), error);
}

ReelTensordict *
reel_replay_buffer_ensemble_dup_sampler_state (ReelReplayBufferEnsemble *self, GError **error)
{
  g_autoptr (ReelTensordict) state = NULL;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self), NULL);
  state = reel_tensordict_new (0, NULL);
  if (!reel_state_set (state, "_stream", REEL_DTYPE_INT64, 0, 1, &self->n_calls, error))
    return NULL;
  for (guint i = 0; i < self->members->len; i++)
    {
      g_autofree char *key = g_strdup_printf ("%u", i);
      g_autoptr (ReelTensordict) part = dup_member_state (self->members->pdata[i], error);

      if (!part || !reel_tensordict_set_tensordict (state, key, part, error))
        return NULL;
    }
  return g_steal_pointer (&state);
}

/* ---- and from it ---- */

static gboolean
set_member_state (gpointer member, const ReelTensordict *state, GError **error)
{
  return REEL_IS_REPLAY_BUFFER (member)
             ? reel_sampler_set_state (reel_replay_buffer_get_sampler (member),
                                       reel_replay_buffer_get_storage (member), state, error)
             : reel_replay_buffer_ensemble_set_sampler_state (member, state, error);
}

/* set_members: as many members as @state allows: how many. */
static guint
set_members (ReelReplayBufferEnsemble *self, const ReelTensordict *state, GError **error)
{
  for (guint i = 0; i < self->members->len; i++)
    {
      g_autofree char *key = g_strdup_printf ("%u", i);
      const ReelTensordict *part = reel_tensordict_get_tensordict (state, key, error);

      if (!part || !set_member_state (self->members->pdata[i], part, error))
        return i;
    }
  return self->members->len;
}

static gboolean
check_members (const ReelReplayBufferEnsemble *self, const ReelTensordict *state, GError **error)
{
  g_autofree char *beyond = g_strdup_printf ("%u", self->members->len);

  if (!reel_tensordict_contains (state, beyond))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the state is of more than the %u members of the ensemble", self->members->len);
  return FALSE;
}

gboolean
reel_replay_buffer_ensemble_set_sampler_state (ReelReplayBufferEnsemble *self,
                                               const ReelTensordict *state, GError **error)
{
  g_autoptr (ReelTensordict) before = NULL;
  const ReelTensor *stream;
  gint64 n_calls;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self) && state, FALSE);
  stream = reel_state_get (state, "_stream", REEL_DTYPE_INT64, 0, error);
  if (!stream || !check_members (self, state, error)
      || !(before = reel_replay_buffer_ensemble_dup_sampler_state (self, error)))
    return FALSE;
  n_calls = *(const gint64 *) (gconstpointer) stream->data;
  if (n_calls < 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"_stream\" is %" G_GINT64_FORMAT ", 0 or more expected", n_calls);
      return FALSE;
    }
  if (set_members (self, state, error) < self->members->len)
    {
      set_members (self, before, NULL);
      return FALSE;
    }
  reel_ensemble_forget_ahead (self);
  self->n_calls = n_calls;
  return TRUE;
}
