/* A mask of lanes from a tensordict, one bool a lane. */
#include "env-lane-mask.h"

#include <string.h>

#include "../specs/spec-kind.h"

gboolean
reel_env_lane_mask (ReelEnv *env, const ReelTensordict *td, const char *key, ReelTensor **mask,
                    GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (env);
  const ReelEnvLeaf *done = &leaves->flags.list[0];
  g_autoptr (ReelTensor) given = NULL;

  *mask = NULL;
  if (!reel_tensordict_contains (td, key))
    return TRUE;
  given = reel_tensordict_ref_tensor (td, key, error);
  if (given == NULL)
    return FALSE;

  gboolean fits = (given->ndim == leaves->ndim || given->ndim == done->ndim)
                  && memcmp (given->shape, done->shape, (gsize) given->ndim * sizeof (gint64)) == 0;

  if (given->dtype != REEL_DTYPE_BOOL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is %s, and must be bool", key,
                 reel_dtype_name (given->dtype));
  else if (!fits)
    {
      g_autofree char *shape = reel_spec_format_shape (given->ndim, given->shape, ", ");
      g_autofree char *expected = reel_spec_format_shape (done->ndim, done->shape, ", ");

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "\"%s\" has shape %s, and must be one a lane, %s", key, shape, expected);
    }
  else
    {
      g_autoptr (ReelTensor) whole = reel_tensor_contiguous (given, error);

      if (whole != NULL)
        *mask = reel_tensor_view (whole, leaves->ndim, done->shape, error);
    }
  return *mask != NULL;
}

gboolean
reel_env_lane_mask_any (const ReelTensor *mask)
{
  return memchr (mask->data, TRUE, (gsize) reel_tensor_numel (mask)) != NULL;
}
