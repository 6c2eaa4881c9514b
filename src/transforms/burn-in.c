#include "burn-in.h"

#include "../core/tensor/tensor-private.h"
#include "transform-private.h"

#include <string.h>

struct _ReelBurnIn
{
  ReelTransform parent_instance;

  ReelTransformFunc module;
  gpointer user_data;
  GDestroyNotify destroy;
  gint64 burn_in;
  GStrv out_keys;
};

G_DECLARE_FINAL_TYPE (ReelBurnIn, reel_burn_in, REEL, BURN_IN, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelBurnIn, reel_burn_in, REEL_TYPE_TRANSFORM)

/* ---- the module ---- */

static ReelTensordict *
run_module (ReelBurnIn *self, ReelTensordict *steps, GError **error)
{
  GError *reason = NULL;
  ReelTensordict *result = self->module (steps, self->user_data, &reason);

  if (result)
    return result;
  if (!reason)
    g_set_error_literal (&reason, REEL_ERROR, REEL_ERROR_RUNTIME, "the module of burn-in failed");
  g_propagate_error (error, reason);
  return NULL;
}

/* The state behind the last step that the module saw, `[*B, …]`. */
static ReelTensor *
take_state (const ReelTensordict *burnt, const char *key, gint time, GError **error)
{
  g_autofree char *path = g_strconcat ("next/", key, NULL);
  g_autoptr (ReelTensor) states = NULL;

  if (!reel_tensordict_contains (burnt, path))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "burn-in: the result of the module lacks \"%s\"", path);
      return NULL;
    }
  states = reel_tensordict_ref_tensor (burnt, path, error);
  return states ? reel_tensor_select (states, time, -1, error) : NULL;
}

/* ---- the steps that are left ---- */

/* The values of a key in all of them, a copy: those that are stored, or zeros like @state. */
static ReelTensor *
copy_values (const ReelTensordict *left, const char *key, const ReelTensor *state, gint time,
             GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];
  gint n_batch;
  const gint64 *size = reel_tensordict_get_batch_size (left, &n_batch);
  g_autoptr (ReelTensor) stored = NULL;

  if (reel_tensordict_contains (left, key))
    {
      stored = reel_tensordict_ref_tensor (left, key, error);
      return stored ? reel_tensor_clone (stored, error) : NULL;
    }
  memcpy (shape, size, (gsize) n_batch * sizeof *shape);
  memcpy (shape + n_batch, state->shape + time, (gsize) (state->ndim - time) * sizeof *shape);
  return reel_tensor_new (state->dtype, state->ndim + 1, shape, error);
}

static gboolean
check_fit (const char *key, const ReelTensor *state, const ReelTensor *first, GError **error)
{
  if (state->dtype != first->dtype)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "burn-in: the module gives \"%s\" as %s, and %s is stored", key,
                 reel_dtype_name (state->dtype), reel_dtype_name (first->dtype));
  else if (state->ndim != first->ndim
           || memcmp (state->shape, first->shape, (gsize) state->ndim * sizeof (gint64)) != 0)
    {
      g_autofree char *given = reel_shape_to_string (state->ndim, state->shape);
      g_autofree char *wanted = reel_shape_to_string (first->ndim, first->shape);

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "burn-in: the module gives \"%s\" the shape %s in a step, not %s", key, given,
                   wanted);
    }
  else
    return TRUE;
  return FALSE;
}

static gboolean
set_state_of (ReelTensordict *left, const ReelTensordict *burnt, const char *key, gint time,
              GError **error)
{
  g_autoptr (ReelTensor) state = take_state (burnt, key, time, error);
  g_autoptr (ReelTensor) values = state ? copy_values (left, key, state, time, error) : NULL;
  g_autoptr (ReelTensor) first = values ? reel_tensor_select (values, time, 0, error) : NULL;

  return first && check_fit (key, state, first, error) && reel_tensor_copy (first, state, error)
         && reel_tensordict_set_tensor (left, key, values, error);
}

static gboolean
check_batch (const ReelBurnIn *self, const ReelTensordict *td, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  g_autofree char *shape = reel_shape_to_string (ndim, size);

  if (ndim < 2)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "burn-in takes sequences [batch, time], not steps of shape %s", shape);
  else if (size[ndim - 1] <= self->burn_in)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "burn-in of %" G_GINT64_FORMAT " steps leaves none of sequences of shape %s: "
                 "sample longer ones",
                 self->burn_in, shape);
  else
    return TRUE;
  return FALSE;
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelBurnIn *self = REEL_BURN_IN (transform);
  g_autoptr (ReelTensordict) begin = NULL, left = NULL, burnt = NULL;
  gint ndim;
  gint64 n_steps;

  if (!check_batch (self, td, error))
    return NULL;
  n_steps = reel_tensordict_get_batch_size (td, &ndim)[ndim - 1];
  begin = reel_tensordict_slice (td, ndim - 1, 0, self->burn_in, 1, error);
  left = begin ? reel_tensordict_slice (td, ndim - 1, self->burn_in, n_steps, 1, error) : NULL;
  burnt = left ? run_module (self, begin, error) : NULL;
  for (char **key = self->out_keys; burnt && *key; key++)
    if (!set_state_of (left, burnt, *key, ndim - 1, error))
      return NULL;
  return burnt ? g_steal_pointer (&left) : NULL;
}

/* ---- the class ---- */

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "BurnInTransform can only be appended to a ReplayBuffer.");
  return NULL;
}

static ReelTransform *
make_clone (ReelTransform *self, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "burn-in has a module in a function and cannot be cloned: make another one");
  return NULL;
}

static char *
to_string (ReelTransform *transform)
{
  ReelBurnIn *self = REEL_BURN_IN (transform);
  g_autofree char *keys = reel_key_format_list ((const char *const *) self->out_keys);

  return g_strdup_printf ("BurnInTransform(burn_in=%" G_GINT64_FORMAT ", out_keys=%s)",
                          self->burn_in, keys);
}

static void
finalize (GObject *object)
{
  ReelBurnIn *self = REEL_BURN_IN (object);

  if (self->destroy)
    self->destroy (self->user_data);
  g_strfreev (self->out_keys);
  G_OBJECT_CLASS (reel_burn_in_parent_class)->finalize (object);
}

static void
reel_burn_in_class_init (ReelBurnInClass *klass)
{
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  transform_class->peer_name = "BurnInTransform";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->clone = make_clone;
  transform_class->to_string = to_string;
}

static void
reel_burn_in_init (ReelBurnIn *self)
{
}

ReelTransform *
reel_burn_in_transform_new (ReelTransformFunc module, gpointer user_data, GDestroyNotify destroy,
                            gint64 burn_in, const char *const *out_keys, GError **error)
{
  ReelBurnIn *self;

  g_return_val_if_fail (module, NULL);

  if (burn_in < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "burn-in cannot have %" G_GINT64_FORMAT " steps: at least 1", burn_in);
      return NULL;
    }
  if (!out_keys || !out_keys[0])
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "burn-in needs out-keys: those of the state of its module");
      return NULL;
    }
  if (!reel_key_check_all (out_keys, error))
    return NULL;
  self = g_initable_new (reel_burn_in_get_type (), NULL, NULL, "id", "burn-in", NULL);
  self->module = module;
  self->user_data = user_data;
  self->destroy = destroy;
  self->burn_in = burn_in;
  self->out_keys = g_strdupv ((char **) out_keys);
  return REEL_TRANSFORM (self);
}
