#include "state-values.h"

#include "../object/error.h"

#include <string.h>

gboolean
reel_state_set (ReelTensordict *state, const char *key, ReelDtype dtype, gint ndim, gint64 n,
                gconstpointer data, GError **error)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, &n, error);

  if (!tensor)
    return FALSE;
  if (n > 0)
    memcpy (tensor->data, data, (gsize) n * reel_dtype_size (dtype));
  return reel_tensordict_set_tensor (state, key, tensor, error);
}

const ReelTensor *
reel_state_get (const ReelTensordict *state, const char *key, ReelDtype dtype, gint ndim,
                GError **error)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (state, key, error);

  if (!tensor)
    return NULL;
  if (tensor->dtype != dtype)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is %s, %s expected", key,
                 reel_dtype_name (tensor->dtype), reel_dtype_name (dtype));
  else if (tensor->ndim != ndim || !reel_tensor_is_contiguous (tensor))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "\"%s\" has %d dimensions, %d and one element after the other expected", key,
                 tensor->ndim, ndim);
  else
    return tensor;
  return NULL;
}
