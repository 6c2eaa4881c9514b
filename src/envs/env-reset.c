/* Resets by tensordicts, of some lanes or all. */
#include "../core/tensordict/tensordict-index.h"
#include "../core/tensordict/tensordict-keys.h"
#include "../core/tensordict/tensordict-update.h"
#include "env-lane-mask.h"
#include "env-private.h"
#include "env-step.h"

#include <string.h>

/* New leaves of all lanes; those that are not reset have what @td has. */
static gboolean
fill (const ReelEnvLeafList *list, const ReelTensordict *td, gboolean all, ReelTensordict *result,
      GError **error)
{
  for (gsize i = 0; i < list->n; i++)
    {
      const ReelEnvLeaf *leaf = &list->list[i];
      g_autoptr (ReelTensor) known = all ? NULL : reel_env_ref_leaf (td, leaf, error);
      g_autoptr (ReelTensor) made = NULL;

      if (!all && known == NULL)
        {
          g_prefix_error (error, "lanes that are not reset keep their values: ");
          return FALSE;
        }
      made = all ? reel_env_new_leaf (leaf, error) : reel_tensor_clone (known, error);
      if (made == NULL || !reel_tensordict_set_tensor (result, leaf->path, made, error))
        return FALSE;
    }
  return TRUE;
}

static void
clear_flags (const ReelEnvLeaves *leaves, const guint8 *mask, ReelTensordict *result)
{
  for (gsize i = 0; i < leaves->flags.n; i++)
    {
      const ReelEnvLeaf *leaf = &leaves->flags.list[i];
      ReelTensor *flag = reel_tensordict_get_tensor (result, leaf->path, NULL);

      for (gint64 lane = 0; lane < leaves->n_lanes; lane++)
        if (mask == NULL || mask[lane])
          memset (flag->data + (gsize) lane * leaf->row_bytes, 0, leaf->row_bytes);
    }
}

static gboolean
run (ReelEnv *self, const guint8 *mask, ReelTensordict *result, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  g_autofree guint8 **observation = g_new (guint8 *, leaves->observations.n + 1);

  for (gsize i = 0; i < leaves->observations.n; i++)
    observation[i] = reel_tensordict_get_tensor (result, leaves->observations.paths[i], NULL)->data;
  reel_env_reset_lanes (self, 0, leaves->n_lanes, mask, observation);
  clear_flags (leaves, mask, result);
  return reel_env_check_faults (self, error);
}

/* Other root values, of the lanes that are reset no more. */
static gboolean
forget (ReelTensordict *td, ReelTensor *mask, const ReelTensordict *ours, GError **error)
{
  g_auto (GStrv) known = reel_tensordict_list_leaves (ours);
  g_autoptr (ReelTensordict) root =
      reel_tensordict_exclude_keys (td, (const char *const[]){ "next", NULL });
  g_autoptr (ReelTensordict) others =
      reel_tensordict_exclude_keys (root, (const char *const *) known);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (others);

  if (leaves[0] == NULL)
    return TRUE;

  g_autoptr (ReelTensordict) forgotten = reel_tensordict_masked_fill (others, mask, 0, error);

  return forgotten != NULL
         && reel_tensordict_update (td, forgotten, (const char *const *) leaves, FALSE, error);
}

gboolean
reel_env_merge_reset (ReelTensordict *td, ReelTensor *mask, const ReelTensordict *reset,
                      GError **error)
{
  if (mask != NULL)
    {
      reel_tensordict_remove (td, "_reset", NULL);
      if (reel_env_lane_mask_any (mask) && !forget (td, mask, reset, error))
        return FALSE;
    }
  return reel_tensordict_update (td, reset, NULL, FALSE, error);
}

ReelTensordict *
reel_env_reset (ReelEnv *self, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);

  if (reel_env_is_mixed (self))
    return reel_env_mixed_reset (self, td, error);

  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  g_autoptr (ReelTensordict) result = reel_tensordict_new (leaves->ndim, &leaves->n_lanes);
  g_autoptr (ReelTensor) mask = NULL;

  if (td != NULL
      && (!reel_env_check_batch (self, td, error)
          || !reel_env_lane_mask (self, td, "_reset", &mask, error)))
    return NULL;

  gboolean all = mask == NULL || memchr (mask->data, FALSE, (gsize) leaves->n_lanes) == NULL;

  if (!fill (&leaves->observations, td, all, result, error)
      || !fill (&leaves->flags, td, all, result, error)
      || !run (self, mask != NULL ? mask->data : NULL, result, error))
    return NULL;
  if (td == NULL)
    return g_steal_pointer (&result);
  return reel_env_merge_reset (td, mask, result, error) ? reel_tensordict_ref (td) : NULL;
}

gboolean
reel_env_maybe_reset (ReelEnv *self, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);
  g_return_val_if_fail (td != NULL, FALSE);

  g_autoptr (ReelTensor) done = NULL;

  if (!reel_env_check_batch (self, td, error) || !reel_env_done_mask (self, td, &done, error))
    return FALSE;
  if (done == NULL || !reel_env_lane_mask_any (done))
    return TRUE;
  if (!reel_tensordict_set_tensor (td, "_reset", done, error))
    return FALSE;

  g_autoptr (ReelTensordict) reset = reel_env_reset (self, td, error);

  if (reset == NULL)
    reel_tensordict_remove (td, "_reset", NULL);
  return reset != NULL;
}
