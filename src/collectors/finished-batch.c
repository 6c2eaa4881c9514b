#include "finished-batch.h"

#include "../core/tensordict/shape.h"
#include "../core/tensordict/tensordict-keys.h"
#include "../core/tensor/tensor-private.h"
#include "../core/trajectory/ted.h"

static ReelTensordict *
split (ReelTensordict *steps, GError **error)
{
  const ReelSplitKeys keys = { .prefix = "collector" };

  return reel_split_trajectories (steps, &keys, FALSE, error);
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

/* explain: that @transform failed, and how it finds its keys. */
static void
explain (ReelTransform *transform, GError *failure, GError **error)
{
  gboolean lacks_key = g_error_matches (failure, REEL_ERROR, REEL_ERROR_KEY);

  g_set_error (error, failure->domain, failure->code, "cannot process a batch by %s: %s%s",
               reel_object_get_id (REEL_OBJECT (transform)), failure->message,
               lacks_key ? "; results of a step are below \"next\" in a batch: name such a key, or "
                           "put the transform behind the environment"
                         : "");
}

/* finish: @rows, processed where that is asked for. */
static gboolean
finish (const ReelCollectorParts *parts, ReelTensordict *rows, ReelTensordict **result,
        GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (parts->postproc == NULL)
    *result = reel_tensordict_ref (rows);
  else if (!process (parts->postproc, rows, result, &failure))
    {
      explain (parts->postproc, failure, error);
      return FALSE;
    }
  return TRUE;
}

gboolean
reel_collector_finish_batch (const ReelCollectorParts *parts, ReelTensordict *steps,
                             gint64 n_missing, ReelTensordict **result, GError **error)
{
  g_autoptr (ReelTensordict) rows = NULL;

  if (parts->split_trajs)
    rows = split (steps, error);
  else if (n_missing > 0 && parts->postproc == NULL)
    rows = reel_collector_pad_steps (steps, n_missing, error);
  else
    rows = reel_tensordict_ref (steps);
  return rows && finish (parts, rows, result, error);
}

gboolean
reel_collector_finish_trajectories (const ReelCollectorParts *parts, ReelTensordict *steps,
                                    ReelTensordict **result, GError **error)
{
  gboolean cat = parts->buffer || parts->traj_format == REEL_TRAJ_CAT;
  g_autoptr (ReelTensordict) rows = cat ? reel_tensordict_ref (steps) : split (steps, error);

  return rows && finish (parts, rows, result, error);
}

/* ---- padding ---- */

/* The ids of the padding, which are zeros as all of it. */
static gboolean
mark_padding (ReelTensordict *padded, gint64 n, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (padded, &ndim);
  g_autoptr (ReelTensordict) rest = NULL;
  g_autoptr (ReelTensor) none = NULL;

  if (!reel_tensordict_contains (padded, "collector/traj_ids"))
    return TRUE;
  rest = reel_tensordict_slice (padded, -1, size[ndim - 1] - n, size[ndim - 1], 1, error);
  if (rest)
    reel_tensor_fill_unchecked (reel_tensordict_get_tensor (rest, "collector/traj_ids", NULL), -1);
  return rest != NULL;
}

ReelTensordict *
reel_collector_pad_steps (ReelTensordict *steps, gint64 n, GError **error)
{
  gint ndim;
  gint64 pads[2 * REEL_MAX_NDIM] = { 0 };
  const char *names[REEL_MAX_NDIM];
  g_autoptr (ReelTensordict) padded = NULL;

  reel_tensordict_get_batch_size (steps, &ndim);
  for (gint i = 0; i < ndim; i++)
    names[i] = reel_tensordict_get_name (steps, i);
  pads[2 * ndim - 1] = n;
  padded = reel_tensordict_pad (steps, 2 * ndim, pads, 0, error);
  if (padded == NULL || !reel_tensordict_set_names (padded, names, error)
      || !mark_padding (padded, n, error))
    return NULL;
  return g_steal_pointer (&padded);
}
