#include "sampling.h"

#include "../core/tensordict/tree-private.h"
#include "samplers/sampler-private.h"
#include "storages/storage-private.h"
#include "storages/storage-state.h"
#include "storages/item-rows.h"
#include "storages/item-storage.h"

#include <string.h>

/* Rows that follow one another are copied as one piece where they are at least so many on average.
 */
#define LEAST_RUN 4
#define MOST_FETCHED 8192 /* cache lines, as rows are drawn: half of a second cache */

static void
free_room (ReelSampling *self)
{
  g_clear_pointer (&self->draw.rows, g_free);
  g_clear_pointer (&self->slots, g_free);
  g_clear_pointer (&self->runs, g_free);
  for (guint i = 0; self->info && i < self->n_info; i++)
    g_free (self->info[i]);
  g_clear_pointer (&self->info, g_free);
  self->draw.info = NULL;
  self->room = 0;
}

void
reel_sampling_clear (ReelSampling *self)
{
  free_room (self);
  g_free (self->columns);
  g_clear_pointer (&self->raw, reel_tensordict_unref);
  g_clear_pointer (&self->given, reel_tensordict_unref);
  g_clear_pointer (&self->layout, reel_batch_layout_free);
  reel_cold_rows_clear (&self->cold);
  *self = (ReelSampling){ 0 };
}

static void
free_sampling (gpointer data)
{
  reel_sampling_clear (data);
  g_free (data);
}

ReelSampling *
reel_sampling_of (ReelSampler *sampler)
{
  ReelSamplerMemory *memory = reel_sampler_get_memory (sampler);

  if (G_UNLIKELY (!memory->data))
    *memory = (ReelSamplerMemory){ g_new0 (ReelSampling, 1), free_sampling };
  return memory->data;
}

/* ---- drawing ---- */

/* The info columns of the sampler, then the generations of the slots. Notes of them outlive the
 * sampler, and so do the paths. */
static void
list_columns (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler)
{
  static const ReelInfoColumn generation = {
    "index_generation", REEL_DTYPE_INT64, 0, { 0 }, REEL_INFO_SET
  };
  const ReelInfoColumn *said = reel_sampler_list_info (sampler, &self->n_said);

  self->n_info = self->n_said;
  self->columns = g_new (ReelInfoColumn, self->n_said + 1);
  for (guint i = 0; i < self->n_said; i++)
    {
      self->columns[i] = said[i];
      self->columns[i].path = g_intern_string (said[i].path);
    }
  if (reel_storage_has_generations (storage))
    self->columns[self->n_info++] = generation;
}

static gboolean
make_room (ReelSampling *self, gint64 n, GError **error)
{
  gboolean all;

  if (n <= self->room)
    return TRUE;
  free_room (self);
  self->draw.rows = g_try_new (gint64, n);
  self->slots = g_try_new (gint64, n);
  self->runs = g_try_new (ReelRun, n / LEAST_RUN + 1);
  all = self->draw.rows && self->slots && self->runs;
  self->info = g_new0 (guint8 *, self->n_info);
  for (guint i = 0; all && i < self->n_info; i++)
    {
      self->info[i] = g_try_malloc_n ((gsize) n, reel_info_row_bytes (&self->columns[i]));
      all = self->info[i] != NULL;
    }
  self->draw.info = self->info;
  if (all)
    self->room = n;
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                 "no memory for the numbers of %" G_GINT64_FORMAT " rows", n);
  return all;
}

gboolean
reel_sampling_note (const ReelSampling *self, ReelSampling *note, GError **error)
{
  gsize size = self->n_info * sizeof *self->columns;
  gint64 n = self->draw.n;

  if (note->n_info != self->n_info
      || (size > 0 && memcmp (note->columns, self->columns, size) != 0))
    {
      reel_sampling_clear (note);
      note->columns = g_memdup2 (self->columns, size);
      note->n_info = self->n_info;
    }
  if (!make_room (note, n, error))
    return FALSE;
  note->draw.n = n;
  note->look = self->look;
  note->shape = self->shape;
  note->told = self->told;
  memcpy (note->draw.rows, self->draw.rows, (gsize) n * sizeof *note->draw.rows);
  for (guint i = 0; i < self->n_info; i++)
    memcpy (note->info[i], self->info[i], (gsize) n * reel_info_row_bytes (&self->columns[i]));
  return TRUE;
}

static gboolean
prepare (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler, gint64 n, GError **error)
{
  if (!reel_sampler_bind (sampler, storage, error))
    return FALSE;
  if (self->binding != reel_sampler_get_binding (sampler))
    {
      reel_sampling_clear (self);
      list_columns (self, storage, sampler);
    }
  if (!make_room (self, n, error))
    return FALSE;
  if (!self->layout && reel_storage_get_data (storage))
    {
      self->layout = reel_batch_layout_new (storage, TRUE, self->columns, self->n_info, error);
      if (!self->layout)
        return FALSE;
    }
  self->binding = reel_sampler_get_binding (sampler);
  self->draw.n = self->wanted = n;
  self->told = FALSE;
  self->draw.lines = NULL;
  if (self->layout)
    {
      reel_storage_get_index_shape (storage, &self->shape);
      reel_columns_list_lines (&reel_storage_state (storage)->columns, MOST_FETCHED / n,
                               &self->lines);
      self->draw.lines = &self->lines;
    }
  return TRUE;
}

/* A preparation before there was memory is of no use for rows that came meanwhile. */
static gboolean
prepare_and_look (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler, gint64 n,
                  GError **error)
{
  gboolean allocated;

  do
    {
      allocated = reel_storage_is_allocated (storage);
      if (!prepare (self, storage, sampler, n, error)
          || !reel_storage_look (storage, &self->look, error))
        return FALSE;
    }
  while (allocated != reel_storage_is_allocated (storage));
  return TRUE;
}

gboolean
reel_sampling_draw (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler, gint64 n,
                    GError **error)
{
  return prepare_and_look (self, storage, sampler, n, error)
         && reel_sampler_sample (sampler, storage, &self->look.view, &self->draw, error);
}

/* ---- copying ---- */

/* Rows of one view lie within two periods of the base; a division a row would cost as much as a
 * miss. */
static void
find_slots (const ReelStorageView *view, const gint64 *rows, gint64 n, gint64 *slots)
{
  gint64 period = view->capacity, base = view->first_row - view->first_row % period;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 slot = rows[i] - base;

      slots[i] = slot < period ? slot : slot - period;
    }
}

/* Of the slots of a batch; 0 where they are too many. */
static gint64
find_runs (const ReelSampling *self, const gint64 *slots)
{
  gint64 most = self->draw.n / LEAST_RUN, n = 0;

  for (gint64 i = 0, begin = 0; i < self->draw.n; begin = i)
    {
      if (n == most)
        return 0;
      for (i++; i < self->draw.n && slots[i] == slots[i - 1] + 1;)
        i++;
      self->runs[n++] = (ReelRun){ slots[begin], i - begin };
    }
  return n;
}

/* As rows, they are right where nobody wrote meanwhile. */
static void
find_generations (const ReelSampling *self, ReelStorage *storage, const gint64 *slots)
{
  gint64 *generations = (gint64 *) self->info[self->n_said];

  for (gint64 i = 0; i < self->draw.n; i++)
    generations[i] = reel_storage_get_generation (storage, slots[i] / self->look.view.lanes);
}

static gboolean
is_whole (const ReelSampling *self, ReelStorage *storage)
{
  gint64 intact = reel_storage_look_again (storage, &self->look);

  if (G_LIKELY (intact <= self->look.view.first_row))
    return TRUE;
  for (gint64 i = 0; i < self->draw.n; i++)
    if (self->draw.rows[i] < intact)
      return FALSE;
  return TRUE;
}

/* Flags that are merged change a stored one where they are set; those that only mark what is stored
 * are left out where it is not. */
static gboolean
is_said (const ReelInfoColumn *info, const ReelTensordict *row, const ReelTensor *element)
{
  if (info->merge == REEL_INFO_SET)
    return TRUE;
  return reel_tensordict_contains (row, info->path) ? element->data[0] != 0
                                                    : info->merge == REEL_INFO_OR;
}

static gboolean
describe_row (const ReelSampling *self, ReelTensordict *row, gint64 i, GError **error)
{
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, error);

  if (!index)
    return FALSE;
  *(gint64 *) index->data = self->slots[i];
  if (!reel_row_set_for_all (row, "index", index, error))
    return FALSE;
  for (guint k = 0; k < self->n_info; k++)
    {
      const ReelInfoColumn *info = &self->columns[k];
      gsize bytes = reel_info_row_bytes (info);
      g_autoptr (ReelTensor) element =
          reel_tensor_new (info->dtype, info->ndim, info->shape, error);

      if (!element)
        return FALSE;
      memcpy (element->data, self->info[k] + (gsize) i * bytes, bytes);
      if (is_said (info, row, element) && !reel_row_set_for_all (row, info->path, element, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
describe_rows (const ReelSampling *self, const ReelTensordict *rows, GError **error)
{
  for (gint64 i = 0; i < self->draw.n; i++)
    {
      ReelTensordict *row = reel_rows_get (rows, i);

      if (reel_row_takes_keys (row) && !describe_row (self, row, i, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
copy_values (ReelSampling *self, ReelStorage *storage, ReelTensordict **batch, gboolean *whole,
             GError **error)
{
  ReelItemStorage *values = REEL_ITEM_STORAGE (storage);
  g_autoptr (ReelTensordict) rows = NULL;
  ReelTensordict *fresh;

  find_slots (&self->look.view, self->draw.rows, self->draw.n, self->slots);
  rows = reel_item_storage_get_rows (values, self->slots, self->draw.n, error);
  if (self->n_info > self->n_said)
    find_generations (self, storage, self->slots);
  *whole = self->told = is_whole (self, storage);
  if (!rows || !describe_rows (self, rows, error))
    return FALSE;
  fresh = reel_item_storage_collate (values, rows, error);
  if (!fresh)
    return FALSE;
  if (*batch)
    reel_tensordict_unref (*batch);
  *batch = fresh;
  return TRUE;
}

gboolean
reel_sampling_copy (ReelSampling *self, ReelStorage *storage, ReelTensordict **batch,
                    gboolean *whole, GError **error)
{
  gint64 n = self->draw.n, n_runs, *index, *slots;

  if (REEL_IS_ITEM_STORAGE (storage))
    return copy_values (self, storage, batch, whole, error);
  if (!*batch || !reel_batch_fits (self->layout, *batch, n))
    {
      ReelTensordict *fresh = reel_batch_new (self->layout, n, error);

      if (!fresh)
        return FALSE;
      if (*batch)
        reel_tensordict_unref (*batch);
      *batch = fresh;
    }
  index = reel_batch_index (self->layout, *batch);
  slots = index ? index : self->slots;
  find_slots (&self->look.view, self->draw.rows, n, slots);
  n_runs = find_runs (self, slots);
  reel_cold_rows_begin (&self->cold, storage);
  if (n_runs > 0)
    reel_batch_gather_runs (self->layout, *batch, self->runs, n_runs);
  else
    reel_batch_gather (self->layout, *batch, slots, n);
  reel_cold_rows_end (&self->cold);
  if (self->n_info > self->n_said)
    find_generations (self, storage, slots);
  *whole = self->told = is_whole (self, storage);
  if (index)
    reel_index_shape_split (&self->shape, index, n);
  reel_batch_set_info (self->layout, *batch, &self->draw);
  return TRUE;
}

gboolean
reel_sampling_repair (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler,
                      ReelTensordict **batch, GError **error)
{
  gint64 deadline = 0;
  gboolean whole;

  do
    {
      if (!reel_storage_look (storage, &self->look, error)
          || !reel_sampler_redraw (sampler, storage, &self->look.view, self->wanted, &self->draw,
                                   error)
          || !reel_sampling_copy (self, storage, batch, &whole, error))
        return FALSE;
    }
  while (!whole && reel_storage_may_retry (storage, &deadline, error));
  return whole;
}

/* The same leaves in any order. */
static gboolean
is_alike (const ReelTensordict *a, const ReelTensordict *b)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (a), others = reel_tensordict_list_leaves (b);

  if (g_strv_length (leaves) != g_strv_length (others))
    return FALSE;
  for (char **path = leaves; *path; path++)
    {
      const ReelTensor *one = reel_tensordict_get_tensor (a, *path, NULL);
      const ReelTensor *other =
          reel_tensordict_contains (b, *path) ? reel_tensordict_get_tensor (b, *path, NULL) : NULL;

      if (!one || !other || one->dtype != other->dtype || one->ndim != other->ndim
          || memcmp (one->shape, other->shape, (gsize) one->ndim * sizeof *one->shape) != 0)
        return FALSE;
    }
  return TRUE;
}

/* Rows of values have any keys and shapes. */
static gboolean
check_batch (const ReelSampling *self, const ReelTensordict *batch, gint64 n, GError **error)
{
  g_autoptr (ReelTensordict) fresh = NULL;

  if (!self->layout)
    return TRUE;
  fresh = reel_batch_new (self->layout, n, error);
  if (!fresh)
    return FALSE;
  if (is_alike (fresh, batch))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "a batch that was drawn ahead has other keys, shapes or dtypes than "
                       "the storage and the sampler give");
  return FALSE;
}

gboolean
reel_sampling_put (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler,
                   const ReelTensordict *batch, GError **error)
{
  gint64 n = reel_rows_count (batch);
  g_autoptr (ReelTensordict) copy = NULL;

  if (n == 0 || !reel_storage_is_allocated (storage))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "a batch that was drawn ahead has no rows, or there is no storage");
      return FALSE;
    }
  copy = reel_tensordict_clone (batch, TRUE, error);
  if (!copy || !prepare (self, storage, sampler, n, error) || !check_batch (self, copy, n, error))
    return FALSE;
  g_clear_pointer (&self->raw, reel_tensordict_unref);
  self->raw = g_steal_pointer (&copy);
  return TRUE;
}
