/* All values of composite specs. */
#include <string.h>

#include "../../core/tensordict/lazy-stack.h"
#include "composite-values.h"
#include "../spec-change.h"
#include "../spec-classes.h"
#include "../spec-keys.h"
#include "stacked-spec.h"

/* The product of those of the entries; 0 where there are none. Infinitely many stay that. */
gboolean
reel_composite_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error)
{
  gsize n_entries, n_specified = 0;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n_entries);

  *n = 1;
  for (gsize i = 0; i < n_entries; i++)
    {
      gint64 factor;

      if (!entries[i].spec)
        continue;
      n_specified++;
      if (!reel_spec_cardinality (entries[i].spec, &factor, error))
        {
          g_prefix_error (error, "%s: ", entries[i].path);
          return FALSE;
        }
      if (__builtin_mul_overflow (*n, factor, n))
        *n = G_MAXINT64;
    }
  if (n_specified == 0)
    *n = 0;
  return TRUE;
}

/* @spec at index 0 of all batch dimensions. */
static ReelSpec *
strip_batch (const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) rest = reel_spec_ref (spec);

  for (gint i = 0; rest && i < spec->ndim; i++)
    {
      ReelSpecChange select;
      ReelSpec *next;

      reel_spec_change_init_select (&select, rest, 0, 0);
      next = reel_spec_change (rest, &select, error);
      reel_spec_unref (rest);
      rest = next;
    }
  return g_steal_pointer (&rest);
}

/* ---- leaves ---- */

/* The values of each leaf, and how many combinations there are of them. */
static GPtrArray *
enumerate_leaves (const ReelSpec *spec, char *const *paths, gboolean use_mask, gint64 *n_all,
                  GError **error)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  *n_all = paths[0] ? 1 : 0;
  for (gsize i = 0; paths[i]; i++)
    {
      ReelTensor *all = reel_spec_enumerate (reel_spec_get (spec, paths[i], NULL), use_mask, error);

      if (!all)
        {
          g_prefix_error (error, "%s: ", paths[i]);
          return NULL;
        }
      g_ptr_array_add (values, all);
      if (__builtin_mul_overflow (*n_all, all->shape[0], n_all))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                       "the values of the Composite are more than memory holds");
          return NULL;
        }
    }
  return g_steal_pointer (&values);
}

/* Each value @n_after times in turn, over and over. */
static ReelTensor *
repeat (const ReelTensor *values, gint64 n_all, gint64 n_after, GError **error)
{
  gint64 *rows = g_try_new (gint64, n_all);
  ReelTensor *repeated;

  if (!rows && n_all > 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "no memory for %" G_GINT64_FORMAT " values of the Composite", n_all);
      return NULL;
    }
  for (gint64 i = 0; i < n_all; i++)
    rows[i] = i / n_after % values->shape[0];
  repeated = reel_tensor_gather_rows (values, rows, (gsize) n_all, error);
  g_free (rows);
  return repeated;
}

/* `[n, …]` as `[n, *batch, …]`, a view. */
static ReelTensor *
spread (ReelTensor *given, const ReelSpec *batch, GError **error)
{
  g_autoptr (ReelTensor) tensor = given;
  gint64 shape[2 * REEL_MAX_NDIM];

  for (gint i = 0; tensor && i < batch->ndim; i++)
    {
      ReelTensor *more = reel_tensor_unsqueeze (tensor, 1, error);

      reel_tensor_unref (tensor);
      tensor = more;
    }
  if (!tensor)
    return NULL;
  for (gint i = 0; i < tensor->ndim; i++)
    shape[i] = i > 0 && i <= batch->ndim ? ABS (batch->shape[i - 1]) : tensor->shape[i];
  return reel_tensor_expand (tensor, tensor->ndim, shape, error);
}

static ReelTensordict *
combine (const ReelSpec *spec, char *const *paths, const GPtrArray *values, gint64 n_all,
         GError **error)
{
  gint64 batch_size[REEL_MAX_NDIM + 1];
  gint64 n_after = n_all;
  g_autoptr (ReelTensordict) td = NULL;

  batch_size[0] = n_all;
  reel_spec_safe_shape (spec, batch_size + 1);
  td = reel_tensordict_new (spec->ndim + 1, batch_size);
  reel_tensordict_set_device (td, reel_spec_get_device (spec), NULL);
  for (guint i = 0; i < values->len; i++)
    {
      const ReelTensor *all = values->pdata[i];
      g_autoptr (ReelTensor) leaf = NULL;
      ReelTensor *repeated;

      n_after = all->shape[0] > 0 ? n_after / all->shape[0] : 1;
      repeated = repeat (all, n_all, MAX (n_after, 1), error);
      leaf = repeated ? spread (repeated, spec, error) : NULL;
      if (!leaf || !reel_tensordict_set_tensor (td, paths[i], leaf, error))
        return NULL;
    }
  return g_steal_pointer (&td);
}

/* ---- the whole ---- */

static gboolean
has_stacked_composites (const ReelSpec *spec)
{
  gsize n = 0;
  const ReelSpecEntry *entries = NULL;

  if (!reel_spec_is_composite (spec))
    return FALSE;
  if (reel_spec_is_lazy (spec))
    return TRUE;
  entries = reel_spec_get_entries (spec, &n);
  for (gsize i = 0; i < n; i++)
    if (entries[i].spec && has_stacked_composites (entries[i].spec))
      return TRUE;
  return FALSE;
}

static ReelTensordict *
enumerate_members (const ReelSpec *spec, gboolean use_mask, GError **error)
{
  g_autoptr (GPtrArray) tds =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  for (gsize i = 0; i < n; i++)
    {
      ReelTensordict *td = reel_spec_enumerate_tensordict (members[i], use_mask, error);

      if (!td)
        return NULL;
      g_ptr_array_add (tds, td);
    }
  return reel_tensordict_maybe_dense_stack ((ReelTensordict *const *) tds->pdata, n,
                                            reel_spec_get_stack_dim (spec) + 1, error);
}

ReelTensordict *
reel_spec_enumerate_tensordict (const ReelSpec *spec, gboolean use_mask, GError **error)
{
  g_autoptr (ReelSpec) stripped = NULL;
  g_autoptr (GPtrArray) values = NULL;
  g_auto (GStrv) paths = NULL;
  gint64 n_all;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  if (reel_spec_is_lazy (spec))
    return enumerate_members (spec, use_mask, error);
  if (has_stacked_composites (spec) || spec->ndim == REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "Cannot enumerate a Composite with a StackedComposite or %d dimensions",
                   REEL_MAX_NDIM);
      return NULL;
    }
  stripped = strip_batch (spec, error);
  if (!stripped)
    return NULL;
  paths = reel_spec_list_leaves (stripped);
  values = enumerate_leaves (stripped, paths, use_mask, &n_all, error);
  return values ? combine (spec, paths, values, n_all, error) : NULL;
}
