#include "episode-split.h"

#include "../core/object/error.h"
#include "../core/tensor/mapped-memory.h"
#include "../core/tensordict-files/tensordict-files.h"
#include "../core/trajectory/ted.h"
#include "dataset-leaves.h"

#include <string.h>

#define DONE "next/done"
#define IDS "traj_ids"
#define MASK "mask"

/* ---- the cut ---- */

static gint64
find_longest (const ReelTensor *bounds)
{
  const gint64 *at = (const gint64 *) bounds->data;
  gint64 longest = 0;

  for (gint64 i = 0; i + 1 < bounds->shape[0]; i++)
    longest = MAX (longest, at[i + 1] - at[i]);
  return longest;
}

static ReelTensor *
find_bounds (const ReelTensordict *rows, GError **error)
{
  ReelTensor *ids = reel_tensordict_get_tensor (rows, IDS, NULL);
  ReelTensor *done = ids ? NULL : reel_tensordict_get_tensor (rows, DONE, error);

  if (ids)
    return reel_episode_bounds_from_ids (ids, 0, error);
  return done ? reel_episode_bounds_from_flags (done, 0, error) : NULL;
}

/* ---- what is written ---- */

static gboolean
add_leaf (ReelTensordict *outline, const char *path, ReelDtype dtype, gint ndim,
          const gint64 *row_shape, GError **error)
{
  gint batch_ndim;
  const gint64 *size = reel_tensordict_get_batch_size (outline, &batch_ndim);
  gint64 shape[REEL_MAX_NDIM] = { size[0], size[1] };
  g_autoptr (ReelTensor) element = reel_tensor_new (dtype, 0, NULL, error), leaf = NULL;

  if (ndim + 2 > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"%s\" has too many dimensions to be split", path);
      return FALSE;
    }
  for (gint d = 0; d < ndim; d++)
    shape[2 + d] = row_shape[d];
  return element && (leaf = reel_tensor_expand (element, 2 + ndim, shape, error))
         && reel_tensordict_set_tensor (outline, path, leaf, error);
}

static ReelTensordict *
describe (const ReelTensordict *rows, gint64 n, gint64 longest, GError **error)
{
  const gint64 size[] = { n, longest };
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (2, size);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (rows);

  for (gsize i = 0; leaves[i]; i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (rows, leaves[i], NULL);

      if (!add_leaf (outline, leaves[i], leaf->dtype, leaf->ndim - 1, leaf->shape + 1, error))
        return NULL;
    }
  if (!add_leaf (outline, MASK, REEL_DTYPE_BOOL, 0, NULL, error)
      || (!reel_tensordict_contains (rows, IDS)
          && !add_leaf (outline, IDS, REEL_DTYPE_INT64, 0, NULL, error)))
    return NULL;
  return g_steal_pointer (&outline);
}

/* ---- writing ---- */

static void
copy_leaf (const ReelTensor *from, const ReelTensor *to, const ReelTensor *bounds)
{
  const gint64 *at = (const gint64 *) bounds->data;
  const gint64 n = bounds->shape[0] - 1, longest = to->shape[1];
  const gsize row_bytes = from->shape[0] ? reel_tensor_nbytes (from) / (gsize) from->shape[0] : 0;

  for (gint64 i = 0; row_bytes > 0 && i < n; i++)
    {
      const guint8 *rows = from->data + (gsize) at[i] * row_bytes;
      guint8 *place = to->data + (gsize) (i * longest) * row_bytes;
      gsize bytes = (gsize) (at[i + 1] - at[i]) * row_bytes;

      memcpy (place, rows, bytes);
      reel_leaf_let_go (to, place, bytes);
      reel_memory_forget (from->memory, rows, bytes);
    }
}

static void
write_mask (const ReelTensor *mask, const ReelTensor *bounds)
{
  const gint64 *at = (const gint64 *) bounds->data;

  for (gint64 i = 0; i + 1 < bounds->shape[0]; i++)
    memset (mask->data + i * mask->shape[1], 1, (gsize) (at[i + 1] - at[i]));
}

/* Padding has the id 0. */
static void
write_ids (const ReelTensor *ids, const ReelTensor *bounds)
{
  const gint64 *at = (const gint64 *) bounds->data;

  for (gint64 i = 0; i + 1 < bounds->shape[0]; i++)
    for (gint64 t = 0; t < at[i + 1] - at[i]; t++)
      ((gint64 *) ids->data)[i * ids->shape[1] + t] = i;
}

static void
write_end (const ReelTensor *done)
{
  const gsize bytes = reel_tensor_nbytes (done) / (gsize) (done->shape[0] * done->shape[1]);

  for (gint64 i = 1; i <= done->shape[0]; i++)
    memset (done->data + (gsize) (i * done->shape[1] - 1) * bytes, 1, bytes);
}

static void
copy_rows (const ReelTensordict *rows, const ReelTensordict *split, const ReelTensor *bounds)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (rows);

  for (gsize i = 0; leaves[i]; i++)
    copy_leaf (reel_tensordict_get_tensor (rows, leaves[i], NULL),
               reel_tensordict_get_tensor (split, leaves[i], NULL), bounds);
  write_mask (reel_tensordict_get_tensor (split, MASK, NULL), bounds);
  if (!reel_tensordict_contains (rows, IDS))
    write_ids (reel_tensordict_get_tensor (split, IDS, NULL), bounds);
}

gboolean
reel_episodes_split (const char *from, const char *directory, gboolean force_end, GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_tensordict_load (from, REEL_LOAD_READ_ONLY, error);
  g_autoptr (ReelTensor) bounds = rows ? find_bounds (rows, error) : NULL;
  g_autoptr (ReelTensordict) outline = NULL, split = NULL;

  if (!bounds || !(outline = describe (rows, bounds->shape[0] - 1, find_longest (bounds), error))
      || !(split = reel_leaves_make (outline, directory, error)))
    return FALSE;
  copy_rows (rows, split, bounds);
  if (force_end)
    write_end (reel_tensordict_get_tensor (split, DONE, NULL));
  return TRUE;
}
