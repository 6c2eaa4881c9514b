/* Checks whether stored rows fit a storage, makes all memory that they need, then moves them
 * without any way to fail. */
#include "storage-load.h"

#include "row-copy.h"
#include "storage-private.h"
#include "item-storage.h"

/* ---- whether they fit ---- */

gint64
reel_stored_rows_count_lanes (const ReelStoredRows *self, gint ndim)
{
  gint n;
  const gint64 *shape = reel_tensordict_get_batch_size (self->data, &n);
  gint64 lanes = 1;

  for (gint d = 1; d < MIN (n, ndim); d++)
    lanes *= shape[d];
  return n >= ndim ? lanes : -1;
}

void
reel_stored_rows_clear (ReelStoredRows *self)
{
  g_clear_pointer (&self->data, reel_tensordict_unref);
  g_clear_pointer (&self->values, g_ptr_array_unref);
}

static gint64
count_slots (const ReelStoredRows *self)
{
  gint n;

  return reel_tensordict_get_batch_size (self->data, &n)[0];
}

/* Slots that the storage has, or is going to have. */
static gint64
count_target_slots (ReelStorage *storage, gint64 lanes)
{
  return (reel_storage_get_capacity (storage) - 1) / lanes + 1;
}

void
reel_stored_rows_get_view (const ReelStoredRows *self, ReelStorage *storage, ReelStorageView *view)
{
  gint64 lanes = reel_stored_rows_count_lanes (self, reel_storage_get_ndim (storage));
  gint64 n_slots = count_target_slots (storage, lanes);
  /* In a ring of the same size steps keep their numbers, and so their
   * slots; else they count from 0. */
  gint64 first = n_slots == count_slots (self) ? self->begin : 0;

  *view = (ReelStorageView){ first * lanes, (first + self->end - self->begin) * lanes,
                             n_slots * lanes, lanes };
}

gboolean
reel_stored_rows_move (const ReelStoredRows *self, ReelStorage *storage)
{
  gint64 lanes = reel_stored_rows_count_lanes (self, reel_storage_get_ndim (storage));

  return count_target_slots (storage, lanes) != count_slots (self)
         && self->begin % count_slots (self) != 0;
}

static gboolean
check_room (const ReelStoredRows *self, ReelStorage *storage, GError **error)
{
  gint ndim = reel_storage_get_ndim (storage);
  gint64 lanes = reel_stored_rows_count_lanes (self, ndim), n = self->end - self->begin;

  if (lanes <= 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: has fewer dimensions than the storage, which has %d", self->name, ndim);
  else if (reel_storage_is_allocated (storage) && reel_storage_get_lanes (storage) != lanes)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: has %" G_GINT64_FORMAT " lanes, the storage %" G_GINT64_FORMAT, self->name,
                 lanes, reel_storage_get_lanes (storage));
  else if (count_target_slots (storage, lanes) < n)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: holds %" G_GINT64_FORMAT " rows, the storage has room for %" G_GINT64_FORMAT
                 "; load it into one with capacity=%" G_GINT64_FORMAT,
                 self->name, n * lanes, reel_storage_get_capacity (storage), n * lanes);
  else
    return TRUE;
  return FALSE;
}

/* 1 where there is a leaf for a column, 0 where there is none, −1 where it does not fit. */
static gint
check_column (const ReelStoredRows *self, const ReelColumn *column, GError **error)
{
  gint64 n_slots = count_slots (self);
  const ReelTensor *leaf;

  if (!reel_tensordict_contains (self->data, column->path))
    return 0;
  leaf = reel_tensordict_get_tensor (self->data, column->path, error);
  if (!leaf)
    return -1;
  if (leaf->dtype == column->dtype && (self->unpack || reel_tensor_is_contiguous (leaf))
      && reel_tensor_nbytes (leaf) == column->step_bytes * (gsize) n_slots)
    return 1;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: \"%s\" is %s of %" G_GSIZE_FORMAT
               " bytes a step, in the storage it is %s of %" G_GSIZE_FORMAT,
               self->name, column->path, reel_dtype_name (leaf->dtype),
               reel_tensor_nbytes (leaf) / (gsize) n_slots, reel_dtype_name (column->dtype),
               column->step_bytes);
  return -1;
}

static gboolean
is_packed (const ReelStoredRows *self)
{
  return self->values && self->values->len > 0
         && ((const ReelStoredValue *) self->values->pdata[0])->packed;
}

/* Rows of columns go to columns; those that were compressed to where they are decompressed. */
static gboolean
check_kind (const ReelStoredRows *self, ReelStorage *storage, GError **error)
{
  gboolean holds_values = REEL_IS_ITEM_STORAGE (storage);
  gboolean unpacks = holds_values && REEL_ITEM_STORAGE_GET_CLASS (storage)->unpack;

  if (self->values ? holds_values && (unpacks || !is_packed (self)) : !holds_values)
    return TRUE;
  if (holds_values && !unpacks)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "%s doesn't support serialization via `dumps` - `loads` API.",
                 REEL_STORAGE_GET_CLASS (storage)->peer_name);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: holds %s, the storage %s; load it into a %s storage", self->name,
                 self->values ? "a compressed list" : "columns",
                 self->values ? "columns" : "a compressed list",
                 self->values ? "compressed-list" : "tensor or memmap");
  return FALSE;
}

gboolean
reel_stored_rows_check (const ReelStoredRows *self, ReelStorage *storage, GError **error)
{
  guint n, n_found = 0;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  if (!check_kind (self, storage, error) || !check_room (self, storage, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      gint found = check_column (self, &columns[i], error);

      if (found < 0)
        return FALSE;
      n_found += (guint) found;
    }
  if (n == 0 || n_found > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s: has none of the storage's keys",
               self->name);
  return FALSE;
}

/* ---- copying ---- */

/* The number that the first step is going to have. */
static gint64
find_target (const ReelStoredRows *self, ReelStorage *storage)
{
  ReelStorageView view;

  reel_stored_rows_get_view (self, storage, &view);
  return view.first_row / view.lanes;
}

static gboolean
reserve_slots (const ReelStoredRows *self, ReelStorage *storage, GError **error)
{
  gint64 n = self->end - self->begin, n_slots = reel_storage_get_capacity (storage);
  gint64 first = find_target (self, storage) % n_slots;
  gboolean round = first + n > n_slots;

  return n == 0
         || reel_item_table_reserve (reel_item_storage_get_table (REEL_ITEM_STORAGE (storage)),
                                     round ? 0 : first, round ? n_slots : n, error);
}

/* Memory, of which the storage is as much the owner as of what the first write makes. */
static gboolean
make_room (ReelRowMove *self, GError **error)
{
  const ReelStoredRows *rows = &self->rows;
  g_autoptr (ReelTensordict) step = NULL, data = NULL;
  const char *names[REEL_MAX_NDIM] = { NULL };
  gint64 capacity = reel_storage_get_capacity (self->storage);
  gint n;

  if (rows->values)
    return reserve_slots (rows, self->storage, error);
  if (reel_storage_is_allocated (self->storage))
    return TRUE;
  self->capacity = capacity;
  step = reel_tensordict_select_index (rows->data, 0, 0, error);
  data = step ? reel_storage_make_data (self->storage, step, error) : NULL;
  if (!data)
    return FALSE;
  reel_tensordict_get_batch_size (rows->data, &n);
  for (gint d = 0; d < n; d++)
    names[d] = reel_tensordict_get_name (rows->data, d);
  return reel_tensordict_set_names (data, names, error)
         && reel_storage_adopt (self->storage, data, error);
}

/* The rows where they lie, as a storage. */
static ReelStorage *
open_rows (const ReelStoredRows *self, gint ndim, GError **error)
{
  gint64 rows = count_slots (self) * reel_stored_rows_count_lanes (self, ndim);
  g_autofree char *text = g_strdup_printf ("tensor:ndim=%d,capacity=%" G_GINT64_FORMAT, ndim, rows);
  g_autoptr (ReelTensordict) data = reel_tensordict_clone (self->data, FALSE, error);
  g_autoptr (ReelStorage) storage =
      data ? reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL) : NULL;

  if (!storage || !reel_storage_adopt (storage, data, error))
    return NULL;
  reel_storage_restore (storage, self->begin, self->end);
  return g_steal_pointer (&storage);
}

/* Mapped files are copied, for they may be replaced. */
static ReelStoredValue *
copy_value (const ReelStoredValue *value, GError **error)
{
  g_autoptr (GPtrArray) packed =
      value->packed ? g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref) : NULL;

  for (guint i = 0; packed && i < value->packed->len; i++)
    {
      ReelTensor *copy = reel_tensor_clone (value->packed->pdata[i], error);

      if (!copy)
        return NULL;
      g_ptr_array_add (packed, copy);
    }
  return reel_stored_value_new (reel_tensordict_ref (value->td), g_steal_pointer (&packed));
}

static GPtrArray *
copy_values (const ReelStoredRows *self, GError **error)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_stored_value_unref);

  for (gint64 step = self->begin; step < self->end; step++)
    {
      ReelStoredValue *value = copy_value (self->values->pdata[step % count_slots (self)], error);

      if (!value)
        return NULL;
      g_ptr_array_add (values, value);
    }
  return g_steal_pointer (&values);
}

/* ---- moving ---- */

static gint64
count_steps (const ReelStoredRows *self)
{
  return self->end - self->begin;
}

gboolean
reel_row_move_prepare (ReelRowMove *self, const ReelStoredRows *rows, ReelStorage *storage,
                       GError **error)
{
  *self = (ReelRowMove){ .rows = *rows,
                         .storage = storage,
                         .identity = reel_storage_get_identity (storage) };
  if (rows->values)
    self->values = copy_values (rows, error);
  else if (!rows->unpack)
    self->from = open_rows (rows, reel_storage_get_ndim (storage), error);
  return (rows->values ? self->values != NULL : rows->unpack || self->from)
         && make_room (self, error);
}

gboolean
reel_row_move_adopt (ReelRowMove *self, const ReelStoredRows *rows, ReelStorage *storage,
                     GError **error)
{
  gint64 capacity = reel_storage_get_capacity (storage);

  *self = (ReelRowMove){ .rows = *rows,
                         .storage = storage,
                         .identity = reel_storage_get_identity (storage) };
  if (!reel_storage_adopt (storage, rows->data, error))
    return FALSE;
  self->capacity = capacity;
  return TRUE;
}

static void
run_values (ReelRowMove *self, gint64 first)
{
  ReelItemTable *table = reel_item_storage_get_table (REEL_ITEM_STORAGE (self->storage));
  gint64 n_slots = reel_storage_get_capacity (self->storage);

  reel_storage_begin_change (self->storage);
  /* Slots that get no value here must not keep an old one. */
  reel_item_table_clear (table);
  for (guint i = 0; i < self->values->len; i++)
    reel_item_table_put (table, (first + i) % n_slots,
                         reel_stored_value_ref (self->values->pdata[i]));
  reel_storage_end_change (self->storage);
  reel_storage_restore (self->storage, first, first + self->values->len);
}

static void
run_columns (ReelRowMove *self, gint64 first)
{
  const ReelStoredRows *rows = &self->rows;
  ReelRowCopy copy = { self->from, rows->begin, count_steps (rows), self->storage, first, FALSE };
  gint64 whole = rows->begin;

  reel_storage_begin_change (self->storage);
  if (rows->unpack)
    rows->unpack (rows->packed, &copy);
  else
    whole = reel_row_copy_run (&copy);
  reel_storage_end_change (self->storage);
  /* The source may be a run that is being written: what it claimed during the copy may be torn. */
  if (rows->ring)
    whole = CLAMP (reel_ring_first_intact (rows->ring), whole, rows->end);
  reel_storage_restore (self->storage, first + whole - rows->begin, first + copy.n_steps);
}

void
reel_row_move_run (ReelRowMove *self)
{
  gint64 first = find_target (&self->rows, self->storage);

  if (self->values)
    run_values (self, first);
  else if (self->from || self->rows.unpack)
    run_columns (self, first);
  else
    reel_storage_restore (self->storage, self->rows.begin, self->rows.end);
  self->storage = NULL;
}

void
reel_row_move_clear (ReelRowMove *self)
{
  /* The move did not run, and the memory was made for it: the storage
   * returns to its state before. */
  if (self->storage && self->capacity > 0)
    reel_storage_disown (self->storage, self->capacity, self->identity);
  g_clear_object (&self->from);
  g_clear_pointer (&self->values, g_ptr_array_unref);
  *self = (ReelRowMove){ 0 };
}

gboolean
reel_stored_rows_load (const ReelStoredRows *self, ReelStorage *storage, GError **error)
{
  g_auto (ReelRowMove) move = { 0 };

  if (!reel_row_move_prepare (&move, self, storage, error))
    return FALSE;
  reel_row_move_run (&move);
  return TRUE;
}
