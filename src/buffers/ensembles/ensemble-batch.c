#include "ensemble-batch.h"

#include "../../core/tensordict/lazy-stack.h"
#include "../storages/item-rows.h"

#define INDEX "index"
#define INDEX_INDEX "index/index"
#define INDEX_IDS "index/buffer_ids"

static void
free_note (gpointer note)
{
  reel_sampling_clear (note);
  g_free (note);
}

ReelEnsembleBatch *
reel_ensemble_batch_new (gint64 n_parts)
{
  ReelEnsembleBatch *self = g_new0 (ReelEnsembleBatch, 1);

  self->n_parts = n_parts;
  self->ids = g_new0 (gint64, n_parts);
  self->parts = g_new0 (ReelTensordict *, n_parts);
  self->n_draws = g_new0 (guint, n_parts);
  self->inner = g_new0 (ReelEnsembleBatch *, n_parts);
  self->notes = g_new (GPtrArray *, n_parts);
  for (gint64 i = 0; i < n_parts; i++)
    self->notes[i] = g_ptr_array_new_with_free_func (free_note);
  self->n_notes = g_new0 (guint, n_parts);
  return self;
}

void
reel_ensemble_batch_free (ReelEnsembleBatch *self)
{
  if (!self)
    return;
  reel_ensemble_batch_forget (self);
  for (gint64 i = 0; i < self->n_parts; i++)
    {
      reel_ensemble_batch_free (self->inner[i]);
      g_ptr_array_unref (self->notes[i]);
    }
  g_free (self->n_notes);
  g_free (self->notes);
  g_free (self->inner);
  g_free (self->n_draws);
  g_free (self->parts);
  g_free (self->ids);
  g_free (self);
}

void
reel_ensemble_batch_forget (ReelEnsembleBatch *self)
{
  for (gint64 i = 0; i < self->n_parts; i++)
    g_clear_pointer (&self->parts[i], reel_tensordict_unref);
  g_clear_pointer (&self->raw, reel_tensordict_unref);
  g_clear_pointer (&self->given, reel_tensordict_unref);
}

void
reel_ensemble_batch_put (ReelEnsembleBatch *self, gint64 i, ReelTensordict *part)
{
  self->changed |= part != self->parts[i];
  g_clear_pointer (&self->parts[i], reel_tensordict_unref);
  self->parts[i] = part;
}

/* ---- parts that are a batch ---- */

/* The value at @from, if there is one. */
static gboolean
copy_entry (ReelTensordict *source, const char *from, ReelTensordict *td, const char *to,
            GError **error)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (source, from, NULL);
  ReelTensordict *below = tensor ? NULL : reel_tensordict_get_tensordict (source, from, NULL);

  if (below)
    return reel_tensordict_set_tensordict (td, to, below, error);
  return !tensor || reel_tensordict_set_tensor (td, to, tensor, error);
}

ReelTensordict *
reel_ensemble_batch_name_rows (ReelTensordict *part, gint64 id, GError **error)
{
  g_autoptr (ReelTensordict) named = reel_tensordict_clone (part, FALSE, error);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (part, &ndim);
  g_autoptr (ReelTensordict) both = reel_tensordict_new (ndim, size);
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, ndim, size, error);

  if (!named || !ids)
    return NULL;
  if (!reel_row_takes_keys (part))
    return g_steal_pointer (&named);
  for (gint64 i = 0; i < reel_tensor_numel (ids); i++)
    ((gint64 *) ids->data)[i] = id;
  if (!copy_entry (part, INDEX, both, INDEX, error)
      || !reel_tensordict_set_tensor (both, "buffer_ids", ids, error)
      || !reel_tensordict_set_tensordict (named, INDEX, both, error))
    return NULL;
  return g_steal_pointer (&named);
}

/* Views of the parts of a dense batch, in the form in which the buffers fill them. */
static gboolean
make_views (ReelEnsembleBatch *self, GError **error)
{
  for (gint64 i = 0; i < self->n_parts; i++)
    {
      g_autoptr (ReelTensordict) named = reel_tensordict_select_index (self->raw, 0, i, error);
      g_autoptr (ReelTensordict) view = named ? reel_tensordict_clone (named, FALSE, error) : NULL;

      if (!view || !copy_entry (named, INDEX_INDEX, view, INDEX, error))
        return FALSE;
      reel_tensordict_unref (self->parts[i]);
      self->parts[i] = g_steal_pointer (&view);
    }
  return TRUE;
}

static void
free_all (ReelTensordict **tds, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (tds[i])
      reel_tensordict_unref (tds[i]);
  g_free (tds);
}

static gboolean
stack (ReelEnsembleBatch *self, GError **error)
{
  ReelTensordict **named = g_new0 (ReelTensordict *, self->n_parts);
  gint64 i = 0;

  g_clear_pointer (&self->raw, reel_tensordict_unref);
  while (i < self->n_parts
         && (named[i] = reel_ensemble_batch_name_rows (self->parts[i], self->ids[i], error)))
    i++;
  if (i == self->n_parts)
    self->raw = reel_tensordict_maybe_dense_stack (named, (gsize) self->n_parts, 0, error);
  free_all (named, self->n_parts);
  if (!self->raw)
    return FALSE;
  return reel_tensordict_get_kind (self->raw) == REEL_TENSORDICT_LAZY_STACK
         || make_views (self, error);
}

/* The batch was filled through its views: what is left is whose the parts are. */
static void
rename_rows (ReelEnsembleBatch *self)
{
  ReelTensor *ids = reel_tensordict_get_tensor (self->raw, INDEX_IDS, NULL);
  gint64 n = ids ? reel_tensor_numel (ids) / self->n_parts : 0;

  for (gint64 i = 0; i < self->n_parts; i++)
    for (gint64 j = 0; j < n; j++)
      ((gint64 *) ids->data)[i * n + j] = self->ids[i];
}

gboolean
reel_ensemble_batch_join (ReelEnsembleBatch *self, GError **error)
{
  gboolean changed = self->changed || !self->raw
                     || reel_tensordict_get_kind (self->raw) == REEL_TENSORDICT_LAZY_STACK;

  self->changed = FALSE;
  if (changed)
    return stack (self, error);
  rename_rows (self);
  return TRUE;
}

void
reel_ensemble_batch_give (ReelEnsembleBatch *self, ReelTensordict *result, ReelTensordict **batch)
{
  if (result == *batch)
    {
      reel_tensordict_unref (result);
      return;
    }
  g_clear_pointer (&self->given, reel_tensordict_unref);
  self->given = reel_tensordict_ref (result);
  if (*batch)
    reel_tensordict_unref (*batch);
  *batch = result;
}
