/* A mask of lanes from a tensordict, one bool a lane. */
#include "env-lane-mask.h"

#include <string.h>

#include "../specs/spec-kind.h"
#include "mixed-env.h"

gboolean
reel_env_lane_mask (ReelEnv *env, const ReelTensordict *td, const char *key, ReelTensor **mask,
                    GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (env);
  const gint64 shape[] = { leaves->n_lanes, 1 }, *expected = shape + !leaves->ndim;
  g_autoptr (ReelTensor) given = NULL;

  *mask = NULL;
  if (!reel_tensordict_contains (td, key))
    return TRUE;
  given = reel_tensordict_ref_tensor (td, key, error);
  if (given == NULL)
    return FALSE;

  gboolean fits = (given->ndim == leaves->ndim || given->ndim == leaves->ndim + 1)
                  && memcmp (given->shape, expected, (gsize) given->ndim * sizeof (gint64)) == 0;

  if (given->dtype != REEL_DTYPE_BOOL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is %s, and must be bool", key,
                 reel_dtype_name (given->dtype));
  else if (!fits)
    {
      g_autofree char *found = reel_spec_format_shape (given->ndim, given->shape, ", ");
      g_autofree char *wanted = reel_spec_format_shape (leaves->ndim + 1, expected, ", ");

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "\"%s\" has shape %s, and must be one a lane, %s", key, found, wanted);
    }
  else
    {
      g_autoptr (ReelTensor) whole = reel_tensor_contiguous (given, error);

      if (whole != NULL)
        *mask = reel_tensor_view (whole, leaves->ndim, expected, error);
    }
  return *mask != NULL;
}

gboolean
reel_env_done_mask (ReelEnv *env, const ReelTensordict *td, ReelTensor **mask, GError **error)
{
  if (reel_env_is_mixed (env))
    return reel_env_mixed_done_mask (env, td, mask, error);

  const char *key = reel_env_results_find_done (reel_env_get_leaves (env)->results);

  *mask = NULL;
  return key == NULL || reel_env_lane_mask (env, td, key, mask, error);
}

gboolean
reel_env_lane_mask_any (const ReelTensor *mask)
{
  return mask != NULL && memchr (mask->data, TRUE, (gsize) reel_tensor_numel (mask)) != NULL;
}
