/* Values of composite specs: tensordicts of zeros, ones, or drawn. */
#include "composite-values.h"

#include "../../core/tensordict/lazy-stack.h"
#include "non-tensor-spec.h"
#include "../spec-shape.h"
#include "stacked-spec.h"

typedef struct
{
  ReelSpecContent content;
  gint ndim;
  const gint64 *shape;
  guint64 seed;
  gint64 step;
  gint64 n_leaves;
} Filling;

static ReelTensor *
fill_leaf (const ReelSpec *spec, Filling *filling, GError **error)
{
  guint64 seed = reel_spec_leaf_seed (filling->seed, filling->n_leaves++);

  return reel_spec_make (spec, filling->content, seed, filling->step, filling->ndim, filling->shape,
                         error);
}

static ReelNonTensor *
fill_non_tensor (const ReelSpec *spec, Filling *filling, GError **error)
{
  guint64 seed = reel_spec_leaf_seed (filling->seed, filling->n_leaves++);

  if (filling->content != REEL_SPEC_RANDOM)
    return reel_spec_zero_non_tensor (spec, filling->ndim, filling->shape, error);
  return reel_spec_rand_non_tensor (spec, seed, filling->step, filling->ndim, filling->shape,
                                    error);
}

static ReelTensordict *fill (const ReelSpec *spec, Filling *filling, GError **error);

static gboolean
fill_entry (const ReelSpecEntry *entry, Filling *filling, ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensordict) child = NULL;
  g_autoptr (ReelNonTensor) value = NULL;
  g_autoptr (ReelTensor) leaf = NULL;

  if (!entry->spec)
    return TRUE;
  if (reel_spec_is_composite (entry->spec))
    {
      child = fill (entry->spec, filling, error);
      return child && reel_tensordict_set_tensordict (td, entry->path, child, error);
    }
  if (reel_spec_is_non_tensor (entry->spec))
    {
      value = fill_non_tensor (entry->spec, filling, error);
      return value && reel_tensordict_set_non_tensor (td, entry->path, value, error);
    }
  leaf = fill_leaf (entry->spec, filling, error);
  return leaf && reel_tensordict_set_tensor (td, entry->path, leaf, error);
}

/* Dimensions in front of a spec's have no names. */
static gboolean
name_dims (const ReelSpec *spec, gint ahead, ReelTensordict *td, GError **error)
{
  const char *names[2 * REEL_MAX_NDIM] = { NULL };
  gboolean named = FALSE;

  for (gint i = 0; i < spec->ndim; i++)
    {
      names[ahead + i] = reel_spec_get_name (spec, i);
      named |= names[ahead + i] != NULL;
    }
  return !named || reel_tensordict_set_names (td, names, error);
}

static ReelTensordict *
new_batch (const ReelSpec *spec, const Filling *filling, GError **error)
{
  gint64 batch_size[2 * REEL_MAX_NDIM];
  gint n_dims = reel_spec_batch_shape (spec, filling->ndim, filling->shape, batch_size);
  ReelTensordict *td;

  if (n_dims > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a batch cannot have %d dimensions: it must have 0 to %d", n_dims,
                   REEL_MAX_NDIM);
      return NULL;
    }
  td = reel_tensordict_new (n_dims, batch_size);
  reel_tensordict_set_device (td, reel_spec_get_device (spec), NULL);
  return td;
}

static ReelTensordict *
fill_entries (const ReelSpec *spec, Filling *filling, GError **error)
{
  g_autoptr (ReelTensordict) td = new_batch (spec, filling, error);
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  for (gsize i = 0; td && i < n; i++)
    if (!fill_entry (&entries[i], filling, td, error))
      return NULL;
  if (!td || !name_dims (spec, filling->ndim, td, error))
    return NULL;
  return g_steal_pointer (&td);
}

/* ---- stacks ---- */

/* The stack of what each of @parts gives, as dense as can be. */
static ReelTensordict *
fill_parts (const GPtrArray *parts, gint dim, Filling *filling, GError **error)
{
  g_autoptr (GPtrArray) tds =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (guint i = 0; i < parts->len; i++)
    {
      ReelTensordict *td = fill (parts->pdata[i], filling, error);

      if (!td)
        return NULL;
      g_ptr_array_add (tds, td);
    }
  return reel_tensordict_maybe_dense_stack ((ReelTensordict *const *) tds->pdata, tds->len,
                                            dim + filling->ndim, error);
}

gint
reel_spec_find_part_dim (const ReelSpec *spec)
{
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  if (reel_spec_is_lazy (spec))
    return reel_spec_get_stack_dim (spec);
  for (gsize i = 0; i < n; i++)
    {
      gint dim = entries[i].spec ? reel_spec_get_stack_dim (entries[i].spec) : -1;

      if (dim >= 0 && dim < spec->ndim && !reel_spec_is_composite (entries[i].spec)
          && !reel_stacked_spec_has_one_shape (entries[i].spec))
        return dim;
    }
  return -1;
}

static ReelTensordict *
fill (const ReelSpec *spec, Filling *filling, GError **error)
{
  gint dim = reel_spec_find_part_dim (spec);
  g_autoptr (GPtrArray) parts = dim < 0 ? NULL : reel_spec_unbind (spec, dim, error);

  if (dim < 0)
    return fill_entries (spec, filling, error);
  return parts ? fill_parts (parts, dim, filling, error) : NULL;
}

ReelTensordict *
reel_spec_rand_tensordict (const ReelSpec *spec, guint64 seed, gint64 step, gint ndim,
                           const gint64 *shape, GError **error)
{
  Filling filling = {
    .content = REEL_SPEC_RANDOM, .ndim = ndim, .shape = shape, .seed = seed, .step = step
  };

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  return fill (spec, &filling, error);
}

ReelTensordict *
reel_spec_zero_tensordict (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  Filling filling = { .content = REEL_SPEC_ZEROS, .ndim = ndim, .shape = shape };

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  return fill (spec, &filling, error);
}

ReelTensordict *
reel_spec_one_tensordict (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  Filling filling = { .content = REEL_SPEC_ONES, .ndim = ndim, .shape = shape };

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  return fill (spec, &filling, error);
}
