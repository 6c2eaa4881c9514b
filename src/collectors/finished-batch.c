#include "finished-batch.h"

#include "../core/tensordict/tensordict-keys.h"
#include "../core/trajectory/ted.h"

gboolean
reel_collector_changes_batches (const ReelCollectorParts *parts)
{
  return parts->split_trajs || parts->postproc != NULL;
}

static ReelTensordict *
split (const ReelCollectorParts *parts, ReelTensordict *steps, GError **error)
{
  const ReelSplitKeys keys = { .prefix = "collector" };

  return parts->split_trajs ? reel_split_trajectories (steps, &keys, FALSE, error)
                            : reel_tensordict_ref (steps);
}

/* process: as a buffer with the transforms would store the batch and show it. */
static gboolean
process (ReelTransform *transform, ReelTensordict *steps, ReelTensordict **result, GError **error)
{
  g_autoptr (ReelTensordict) own = reel_tensordict_clone (steps, FALSE, error);
  g_autoptr (ReelTensordict) written = NULL;

  *result = NULL;
  if (own == NULL)
    return FALSE;
  if (!reel_transform_changes_writes (transform))
    written = g_steal_pointer (&own);
  else if (!reel_transform_inverse (transform, own, &written, error))
    return FALSE;
  if (written == NULL)
    return TRUE;
  *result = reel_transform_forward (transform, written, error);
  return *result != NULL;
}

gboolean
reel_collector_finish_batch (const ReelCollectorParts *parts, ReelTensordict *steps,
                             ReelTensordict **result, GError **error)
{
  g_autoptr (ReelTensordict) rows = split (parts, steps, error);

  if (rows == NULL)
    return FALSE;
  if (parts->postproc != NULL)
    return process (parts->postproc, rows, result, error);
  *result = g_steal_pointer (&rows);
  return TRUE;
}
