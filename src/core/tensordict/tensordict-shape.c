/* Changes of shape of tensordicts. */
#include "tensordict-private.h"
#include "shape.h"
#include "shape-operation.h"

#include <string.h>

static ReelTensordict *
change (const ReelTensordict *td, const ReelShapeOperation *operation, ReelShapeArgs args,
        GError **error)
{
  reel_tensordict_get_batch_size (td, &args.n_dims);
  return reel_tensordict_change (td, operation, &args, error);
}

/* ---- views ---- */

ReelTensordict *
reel_tensordict_select_index (ReelTensordict *td, gint dim, gint64 index, GError **error)
{
  return change (td, &reel_shape_select, (ReelShapeArgs){ .dim = dim, .begin = index }, error);
}

ReelTensordict *
reel_tensordict_slice (ReelTensordict *td, gint dim, gint64 begin, gint64 end, gint64 step,
                       GError **error)
{
  const ReelShapeArgs args = { .dim = dim, .begin = begin, .end = end, .step = step };

  return change (td, &reel_shape_slice, args, error);
}

ReelTensordict *
reel_tensordict_permute (ReelTensordict *td, const gint *dims, GError **error)
{
  return change (td, &reel_shape_permute, (ReelShapeArgs){ .order = dims }, error);
}

ReelTensordict *
reel_tensordict_transpose (ReelTensordict *td, gint dim0, gint dim1, GError **error)
{
  return change (td, &reel_shape_transpose, (ReelShapeArgs){ .dim = dim0, .dim1 = dim1 }, error);
}

ReelTensordict *
reel_tensordict_unsqueeze (ReelTensordict *td, gint dim, GError **error)
{
  return change (td, &reel_shape_unsqueeze, (ReelShapeArgs){ .dim = dim }, error);
}

ReelTensordict *
reel_tensordict_squeeze (ReelTensordict *td, gint dim, GError **error)
{
  return change (td, &reel_shape_squeeze, (ReelShapeArgs){ .dim = dim }, error);
}

ReelTensordict *
reel_tensordict_squeeze_all (ReelTensordict *td, GError **error)
{
  return change (td, &reel_shape_squeeze_all, (ReelShapeArgs){ 0 }, error);
}

ReelTensordict *
reel_tensordict_expand (ReelTensordict *td, gint ndim, const gint64 *shape, GError **error)
{
  return change (td, &reel_shape_expand, (ReelShapeArgs){ .n_shape = ndim, .shape = shape }, error);
}

/* A tensordict that has the shape is returned itself, as TensorDict does. */
static ReelTensordict *
change_shape (ReelTensordict *td, const ReelShapeOperation *operation, gint ndim,
              const gint64 *shape, GError **error)
{
  gint old_ndim;
  const gint64 *old = reel_tensordict_get_batch_size (td, &old_ndim);

  if (ndim == old_ndim && memcmp (shape, old, ndim * sizeof *shape) == 0)
    return reel_tensordict_ref (td);
  return change (td, operation, (ReelShapeArgs){ .n_shape = ndim, .shape = shape }, error);
}

ReelTensordict *
reel_tensordict_view (ReelTensordict *td, gint ndim, const gint64 *shape, GError **error)
{
  return change_shape (td, &reel_shape_view, ndim, shape, error);
}

ReelTensordict *
reel_tensordict_reshape (ReelTensordict *td, gint ndim, const gint64 *shape, GError **error)
{
  return change_shape (td, &reel_shape_reshape, ndim, shape, error);
}

ReelTensordict *
reel_tensordict_flatten (ReelTensordict *td, gint first, gint last, GError **error)
{
  return change (td, &reel_shape_flatten, (ReelShapeArgs){ .dim = first, .dim1 = last }, error);
}

ReelTensordict *
reel_tensordict_unflatten (ReelTensordict *td, gint dim, gint ndim, const gint64 *shape,
                           GError **error)
{
  const ReelShapeArgs args = { .dim = dim, .n_shape = ndim, .shape = shape };

  return change (td, &reel_shape_unflatten, args, error);
}

/* ---- copies ---- */

ReelTensordict *
reel_tensordict_clone (const ReelTensordict *td, gboolean recurse, GError **error)
{
  return change (td, recurse ? &reel_shape_clone : &reel_shape_share, (ReelShapeArgs){ 0 }, error);
}

ReelTensordict *
reel_tensordict_pad (ReelTensordict *td, gint n_pads, const gint64 *pads, double value,
                     GError **error)
{
  const ReelShapeArgs args = { .n_shape = n_pads, .shape = pads, .value = value };

  return change (td, &reel_shape_pad, args, error);
}

/* ---- pieces ---- */

static gboolean
resolve_dim (ReelTensordict *td, gint *dim, gint64 *extent, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);

  if (!reel_dim_resolve (dim, ndim, error))
    return FALSE;
  *extent = shape[*dim];
  return TRUE;
}

static gboolean
add_piece (GPtrArray *pieces, ReelTensordict *piece)
{
  if (piece)
    g_ptr_array_add (pieces, piece);
  return piece != NULL;
}

static GPtrArray *
new_pieces (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
}

GPtrArray *
reel_tensordict_split (ReelTensordict *td, gint64 size, gint dim, GError **error)
{
  g_autoptr (GPtrArray) pieces = new_pieces ();
  gint64 extent;

  if (!resolve_dim (td, &dim, &extent, error))
    return NULL;
  if (size <= 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "split: the size of a piece must be positive, not %" G_GINT64_FORMAT, size);
      return NULL;
    }
  /* As in PyTorch, nothing is one piece. */
  gint64 n = extent == 0 ? 1 : (extent - 1) / size + 1;
  for (gint64 i = 0; i < n; i++)
    {
      gint64 begin = i * size, end = extent - begin > size ? begin + size : extent;
      if (!add_piece (pieces, reel_tensordict_slice (td, dim, begin, end, 1, error)))
        return NULL;
    }
  return g_steal_pointer (&pieces);
}

static gboolean
check_sizes (gsize n, const gint64 *sizes, gint dim, gint64 extent, GError **error)
{
  gint64 sum = 0;
  gboolean fits = TRUE;

  for (gsize i = 0; i < n && fits; i++)
    fits = sizes[i] >= 0 && !__builtin_add_overflow (sum, sizes[i], &sum);
  if (!fits || sum != extent)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "split expects sizes that are not negative and sum exactly to %" G_GINT64_FORMAT
                 " (the size at dimension %d)",
                 extent, dim);
  return fits && sum == extent;
}

GPtrArray *
reel_tensordict_split_sizes (ReelTensordict *td, gsize n, const gint64 *sizes, gint dim,
                             GError **error)
{
  g_autoptr (GPtrArray) pieces = new_pieces ();
  gint64 extent, begin = 0;

  if (!resolve_dim (td, &dim, &extent, error) || !check_sizes (n, sizes, dim, extent, error))
    return NULL;
  for (gsize i = 0; i < n; begin += sizes[i++])
    if (!add_piece (pieces, reel_tensordict_slice (td, dim, begin, begin + sizes[i], 1, error)))
      return NULL;
  return g_steal_pointer (&pieces);
}

GPtrArray *
reel_tensordict_chunk (ReelTensordict *td, gint64 n, gint dim, GError **error)
{
  gint64 extent;

  if (n <= 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "chunks must be a strictly positive integer, got %" G_GINT64_FORMAT, n);
      return NULL;
    }
  if (!resolve_dim (td, &dim, &extent, error))
    return NULL;
  return reel_tensordict_split (td, extent == 0 ? 1 : (extent - 1) / n + 1, dim, error);
}

GPtrArray *
reel_tensordict_unbind (ReelTensordict *td, gint dim, GError **error)
{
  g_autoptr (GPtrArray) pieces = new_pieces ();
  gint64 extent;

  if (!resolve_dim (td, &dim, &extent, error))
    return NULL;
  for (gint64 i = 0; i < extent; i++)
    if (!add_piece (pieces, reel_tensordict_select_index (td, dim, i, error)))
      return NULL;
  return g_steal_pointer (&pieces);
}
