/* Values of composite specs: tensordicts that are random, zero or inside. */
#include "composite-spec.h"

typedef struct
{
  gint ndim;
  const gint64 *shape;
  gboolean random;
  guint64 seed;
  gint64 step;
  gint64 n_leaves;
} Filling;

static ReelTensor *
fill_leaf (const ReelSpec *spec, Filling *filling, GError **error)
{
  guint64 seed = reel_spec_leaf_seed (filling->seed, filling->n_leaves++);

  if (!filling->random)
    return reel_spec_zero (spec, filling->ndim, filling->shape, error);
  return reel_spec_rand (spec, seed, filling->step, filling->ndim, filling->shape, error);
}

static ReelTensordict *fill (const ReelSpec *spec, Filling *filling, GError **error);

static gboolean
fill_entry (const ReelSpecEntry *entry, Filling *filling, ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensordict) child = NULL;
  g_autoptr (ReelTensor) leaf = NULL;

  if (reel_spec_is_composite (entry->spec))
    {
      child = fill (entry->spec, filling, error);
      return child && reel_tensordict_set_tensordict (td, entry->path, child, error);
    }
  leaf = fill_leaf (entry->spec, filling, error);
  return leaf && reel_tensordict_set_tensor (td, entry->path, leaf, error);
}

static ReelTensordict *
fill (const ReelSpec *spec, Filling *filling, GError **error)
{
  gint64 batch_size[2 * REEL_MAX_NDIM];
  gint n_dims = reel_spec_batch_shape (spec, filling->ndim, filling->shape, batch_size);
  g_autoptr (ReelTensordict) td = NULL;
  gsize n;
  const ReelSpecEntry *entries = reel_composite_spec_get_entries (spec, &n);

  if (n_dims > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a batch cannot have %d dimensions: it must have 0 to %d", n_dims,
                   REEL_MAX_NDIM);
      return NULL;
    }
  td = reel_tensordict_new (n_dims, batch_size);
  for (gsize i = 0; i < n; i++)
    if (!fill_entry (&entries[i], filling, td, error))
      return NULL;
  return g_steal_pointer (&td);
}

ReelTensordict *
reel_spec_rand_tensordict (const ReelSpec *spec, guint64 seed, gint64 step, gint ndim,
                           const gint64 *shape, GError **error)
{
  Filling filling = { .ndim = ndim, .shape = shape, .random = TRUE, .seed = seed, .step = step };

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  return fill (spec, &filling, error);
}

ReelTensordict *
reel_spec_zero_tensordict (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  Filling filling = { .ndim = ndim, .shape = shape };

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  return fill (spec, &filling, error);
}

static gboolean
has_leaves (const ReelSpec *spec)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);

  return leaves[0] != NULL;
}

static gboolean
is_entry_in (const ReelSpecEntry *entry, const ReelTensordict *value, GError **error)
{
  ReelTensordict *child;
  ReelTensor *leaf;
  g_autoptr (GError) reason = NULL;

  if (!reel_spec_is_composite (entry->spec))
    {
      leaf = reel_tensordict_get_tensor (value, entry->path, &reason);
      if (leaf && reel_spec_is_in (entry->spec, leaf, &reason))
        return TRUE;
    }
  else
    {
      if (!has_leaves (entry->spec))
        return TRUE;
      child = reel_tensordict_get_tensordict (value, entry->path, &reason);
      if (child && reel_spec_is_in_tensordict (entry->spec, child, &reason))
        return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "%s: %s", entry->path, reason->message);
  return FALSE;
}

gboolean
reel_spec_is_in_tensordict (const ReelSpec *spec, const ReelTensordict *value, GError **error)
{
  gsize n;
  const ReelSpecEntry *entries;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), FALSE);
  g_return_val_if_fail (value, FALSE);

  entries = reel_composite_spec_get_entries (spec, &n);
  for (gsize i = 0; i < n; i++)
    if (!is_entry_in (&entries[i], value, error))
      return FALSE;
  return TRUE;
}
