/* A batch of trajectories, padded or as a list. */
#include "../tensordict/lazy-stack-private.h"
#include "../tensordict/shape.h"
#include "ted.h"

#include <string.h>

/* Lanes cut into trajectories. */
typedef struct
{
  gint ndim;         /* batch dimensions, the last of which is time */
  gint64 steps;      /* of a lane */
  gint64 n;          /* trajectories */
  gint64 longest;    /* of them */
  gboolean is_whole; /* every lane is one */
  const gint64 *bounds;
} Cut;

typedef struct
{
  char *ids;
  char *mask;
  char *done;
} Paths;

/* ---- where things are ---- */

static char *
join_path (const char *prefix, const char *key)
{
  return prefix ? g_strconcat (prefix, "/", key, NULL) : g_strdup (key);
}

static Paths
find_paths (const ReelTensordict *td, const ReelSplitKeys *keys)
{
  const char *prefix = keys ? keys->prefix : NULL;
  const char *ids = keys ? keys->trajectory_key : NULL;
  const char *done = keys && keys->done_key ? keys->done_key : "done";
  g_autofree char *parent = NULL;

  if (ids && strrchr (ids, '/'))
    prefix = parent = g_strndup (ids, (gsize) (strrchr (ids, '/') - ids));
  else if (ids)
    prefix = NULL;
  else if (!prefix && reel_tensordict_contains (td, "collector"))
    prefix = "collector";
  return (Paths){
    .ids = ids ? g_strdup (ids) : join_path (prefix, "traj_ids"),
    .mask = join_path (prefix, "mask"),
    .done = g_strconcat ("next/", done, NULL),
  };
}

static void
paths_clear (Paths *paths)
{
  g_free (paths->ids);
  g_free (paths->mask);
  g_free (paths->done);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Paths, paths_clear)

/* ---- trajectories ---- */

/* Dimensions behind those of the batch are of extent 1. */
static gboolean
check_marks (const ReelTensordict *td, const ReelTensor *marks, const char *path, GError **error)
{
  if (reel_tensor_numel (marks) == reel_tensordict_numel (td))
    return TRUE;
  g_autofree char *shape = reel_shape_to_string (marks->ndim, marks->shape);
  g_autofree char *batch = reel_shape_to_string (td->ndim, td->batch_size);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" of shape %s does not have one element for each step of a batch %s", path,
               shape, batch);
  return FALSE;
}

/* Each step has the number of its trajectory. */
static gboolean
set_ids (ReelTensordict *td, const char *path, const ReelTensor *bounds, GError **error)
{
  const gint64 *bound = (const gint64 *) bounds->data;
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, td->ndim, td->batch_size, error);

  if (!ids)
    return FALSE;
  for (gint64 k = 0; k + 1 < bounds->shape[0]; k++)
    for (gint64 i = bound[k]; i < bound[k + 1]; i++)
      ((gint64 *) ids->data)[i] = k;
  return reel_tensordict_set_tensor (td, path, ids, error);
}

static ReelTensor *
find_bounds (ReelTensordict *td, const Paths *paths, GError **error)
{
  gint time_dim = td->ndim - 1;

  if (reel_tensordict_contains (td, paths->ids))
    {
      g_autoptr (ReelTensor) ids = reel_tensordict_ref_tensor (td, paths->ids, error);
      return ids && check_marks (td, ids, paths->ids, error)
                 ? reel_episode_bounds_from_ids (ids, time_dim, error)
                 : NULL;
    }
  g_autoptr (ReelTensor) done = reel_tensordict_ref_tensor (td, paths->done, error);
  if (!done || !check_marks (td, done, paths->done, error))
    return NULL;
  g_autoptr (ReelTensor) bounds = reel_episode_bounds_from_flags (done, time_dim, error);
  if (!bounds || !set_ids (td, paths->ids, bounds, error))
    return NULL;
  return g_steal_pointer (&bounds);
}

static Cut
make_cut (const ReelTensordict *td, const ReelTensor *bounds)
{
  Cut cut = {
    .ndim = td->ndim,
    .steps = td->batch_size[td->ndim - 1],
    .n = bounds->shape[0] - 1,
    .bounds = (const gint64 *) bounds->data,
  };

  for (gint64 k = 0; k < cut.n; k++)
    cut.longest = MAX (cut.longest, cut.bounds[k + 1] - cut.bounds[k]);
  cut.is_whole = cut.n * cut.steps == reel_tensordict_numel (td);
  return cut;
}

/* ---- rows ---- */

/* Trajectory k where it lies in @leaf, time its first dimension. Holds no reference. */
static ReelTensor
find_trajectory (const ReelTensor *leaf, const Cut *cut, gint64 k)
{
  gint64 lane = cut->bounds[k] / cut->steps;
  ReelTensor view = *leaf;
  gint time = cut->ndim - 1;

  view.data += cut->bounds[k] % cut->steps * leaf->strides[time];
  for (gint i = time - 1; i >= 0; i--)
    {
      view.data += lane % leaf->shape[i] * leaf->strides[i];
      lane /= leaf->shape[i];
    }
  view.ndim = leaf->ndim - time;
  for (gint i = 0; i < view.ndim; i++)
    {
      view.shape[i] = leaf->shape[time + i];
      view.strides[i] = leaf->strides[time + i];
    }
  view.shape[0] = cut->bounds[k + 1] - cut->bounds[k];
  return view;
}

/* The first steps of row k. */
static ReelTensor
find_row (const ReelTensor *padded, gint64 k, gint64 steps)
{
  ReelTensor view = *padded;

  view.data += k * padded->strides[0];
  view.ndim--;
  for (gint i = 0; i < view.ndim; i++)
    {
      view.shape[i] = padded->shape[i + 1];
      view.strides[i] = padded->strides[i + 1];
    }
  view.shape[0] = steps;
  return view;
}

/* The extents [n, longest] in place of the batch's. */
static gint
padded_shape (const Cut *cut, gint ndim, const gint64 *shape, gint64 *padded)
{
  padded[0] = cut->n;
  padded[1] = cut->longest;
  for (gint i = cut->ndim; i < ndim; i++)
    padded[i - cut->ndim + 2] = shape[i];
  return ndim - cut->ndim + 2;
}

/* Padding is made of bytes @fill. A single lane that is a trajectory needs none: a view. */
static ReelTensor *
pad_leaf (ReelTensor *leaf, const Cut *cut, guint8 fill, GError **error)
{
  if (cut->is_whole && cut->n == 1)
    return reel_tensor_unsqueeze (leaf, 0, error);

  gint64 shape[REEL_MAX_NDIM + 1];
  gint ndim = padded_shape (cut, leaf->ndim, leaf->shape, shape);
  ReelTensor *padded = reel_tensor_new (leaf->dtype, ndim, shape, error);

  if (!padded)
    return NULL;
  if (fill != 0)
    memset (padded->data, fill, reel_tensor_nbytes (padded));
  for (gint64 k = 0; k < cut->n; k++)
    {
      ReelTensor from = find_trajectory (leaf, cut, k);
      ReelTensor to = find_row (padded, k, from.shape[0]);
      reel_tensor_copy_unchecked (&to, &from);
    }
  return padded;
}

/* Which value is −1, and so None, in the padding. */
static ReelNonTensor *
pad_non_tensor (ReelNonTensor *values, const Cut *cut, GError **error)
{
  gint64 n;
  GVariant *const *list = reel_non_tensor_get_values (values, &n);
  g_autoptr (ReelTensor) which = pad_leaf (reel_non_tensor_get_which (values), cut, 0xff, error);

  return which ? reel_non_tensor_new_from_which (list, n, which, error) : NULL;
}

static ReelTensordict *pad (const ReelTensordict *td, const Cut *cut, GError **error);

static ReelTensordict *
pad_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  return pad (element, data, error);
}

/* Lazy stacks behind the batch's dimensions stay what they are, those along them do not. */
static ReelTensordict *
pad_stack (const ReelTensordict *td, const Cut *cut, GError **error)
{
  if (td->stack_dim >= cut->ndim)
    return reel_lazy_stack_map (td, td->stack_dim - cut->ndim + 2, pad_element, cut, error);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous ((ReelTensordict *) td, error);
  return dense ? pad (dense, cut, error) : NULL;
}

static ReelTensordict *
pad (const ReelTensordict *td, const Cut *cut, GError **error)
{
  if (reel_tensordict_is_lazy (td))
    return pad_stack (td, cut, error);

  const ReelTensordictEntry *entry;
  gint64 shape[REEL_MAX_NDIM + 1];
  gint ndim = padded_shape (cut, td->ndim, td->batch_size, shape);

  if (!reel_shape_check (ndim, shape, 1, error))
    return NULL;
  g_autoptr (ReelTensordict) result = reel_tensordict_new_like (td, ndim, shape);
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      ReelTensordictValue value = { NULL };
      if (entry->child)
        value.child = pad (entry->child, cut, error);
      else if (entry->tensor)
        value.tensor = pad_leaf (entry->tensor, cut, 0, error);
      else
        value.non_tensor = pad_non_tensor (entry->non_tensor, cut, error);
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}

/* ---- mask ---- */

static gboolean
set_mask (ReelTensordict *td, const char *path, const Cut *cut, GError **error)
{
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, td->ndim, td->batch_size, error);

  if (!mask)
    return FALSE;
  for (gint64 k = 0; k < cut->n; k++)
    memset (mask->data + k * cut->longest, TRUE, cut->bounds[k + 1] - cut->bounds[k]);
  return reel_tensordict_set_tensor (td, path, mask, error);
}

/* ---- views ---- */

/* Lane @lane of the batch, `[T]`. */
static ReelTensordict *
select_lane (ReelTensordict *td, gint64 lane, GError **error)
{
  g_autoptr (ReelTensordict) view = reel_tensordict_ref (td);

  for (gint i = td->ndim - 2; view && i >= 0; i--)
    {
      ReelTensordict *narrower =
          reel_tensordict_select_index (view, i, lane % td->batch_size[i], error);
      lane /= td->batch_size[i];
      reel_tensordict_unref (view);
      view = narrower;
    }
  return g_steal_pointer (&view);
}

/* A lazy stack of the trajectories where they lie. */
static ReelTensordict *
nest (ReelTensordict *td, const Cut *cut, GError **error)
{
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (ReelTensordict) lane = NULL;

  for (gint64 k = 0; k < cut->n; k++)
    {
      gint64 begin = cut->bounds[k] % cut->steps;
      if (begin == 0)
        {
          g_clear_pointer (&lane, reel_tensordict_unref);
          lane = select_lane (td, cut->bounds[k] / cut->steps, error);
        }
      gint64 end = begin + cut->bounds[k + 1] - cut->bounds[k];
      ReelTensordict *row = lane ? reel_tensordict_slice (lane, 0, begin, end, 1, error) : NULL;
      if (!row)
        return NULL;
      g_ptr_array_add (rows, row);
    }
  return reel_lazy_stack_new ((ReelTensordict *const *) rows->pdata, rows->len, 0, error);
}

ReelTensordict *
reel_split_trajectories (ReelTensordict *td, const ReelSplitKeys *keys, gboolean as_nested,
                         GError **error)
{
  g_auto (Paths) paths = find_paths (td, keys);

  if (td->ndim == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "a tensordict without batch dimensions has no time to split");
      return NULL;
    }
  g_autoptr (ReelTensordict) shared = reel_tensordict_is_lazy (td)
                                          ? reel_tensordict_contiguous (td, error)
                                          : reel_tensordict_clone (td, FALSE, error);
  g_autoptr (ReelTensor) bounds = shared ? find_bounds (shared, &paths, error) : NULL;
  if (!bounds)
    return NULL;
  Cut cut = make_cut (shared, bounds);
  if (as_nested && !cut.is_whole)
    return nest (shared, &cut, error);
  g_autoptr (ReelTensordict) result = !cut.is_whole   ? pad (shared, &cut, error)
                                      : td->ndim == 1 ? reel_tensordict_unsqueeze (shared, 0, error)
                                                      : g_steal_pointer (&shared);
  return result && set_mask (result, paths.mask, &cut, error) ? g_steal_pointer (&result) : NULL;
}
