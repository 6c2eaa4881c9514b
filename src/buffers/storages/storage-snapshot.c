/* The contents of a storage, in a tensordict. */
#include "storage-load.h"
#include "row-copy.h"
#include "../../core/tensordict/state-values.h"
#include "storage-private.h"
#include "item-rows.h"
#include "item-storage.h"

#include "../../core/object/error.h"

/* ---- into a state ---- */

/* In memory of its own, of which only what is written is touched. */
static ReelStorage *
copy_storage (ReelStorage *self, GError **error)
{
  ReelTensordict *data = reel_storage_get_data (self);
  g_autoptr (ReelTensordict) step = reel_tensordict_select_index (data, 0, 0, error);
  g_autofree char *text =
      g_strdup_printf ("tensor:ndim=%d,capacity=%" G_GINT64_FORMAT, reel_storage_get_ndim (self),
                       reel_storage_get_capacity (self));
  g_autoptr (ReelStorage) copy =
      step ? reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL) : NULL;
  ReelRowCopy rows = { .from = self, .to = copy };
  gint64 end;

  if (!copy || !reel_storage_allocate (copy, step, error))
    return NULL;
  reel_ring_get_view (reel_storage_get_ring (self), &rows.first_step, &end);
  rows.to_step = rows.first_step;
  rows.n_steps = end - rows.first_step;
  reel_row_copy_run (&rows);
  reel_storage_restore (copy, rows.first_step, end);
  return g_steal_pointer (&copy);
}

static gboolean
copy_names (const ReelTensordict *from, ReelTensordict *to, GError **error)
{
  const char *names[REEL_MAX_NDIM] = { NULL };
  gint n;

  reel_tensordict_get_batch_size (from, &n);
  for (gint d = 0; d < n; d++)
    names[d] = reel_tensordict_get_name (from, d);
  return reel_tensordict_set_names (to, names, error);
}

static gboolean
add_rows (ReelStorage *self, ReelTensordict *state, GError **error)
{
  g_autoptr (ReelStorage) copy = copy_storage (self, error);
  g_autoptr (ReelTensordict) data = NULL;
  gint64 begin, end;

  if (!copy)
    return FALSE;
  reel_ring_get_view (reel_storage_get_ring (copy), &begin, &end);
  data = reel_tensordict_clone (reel_storage_get_data (copy), FALSE, error);
  return data && copy_names (reel_storage_get_data (self), data, error)
         && reel_tensordict_set_tensordict (state, "_storage", data, error)
         && reel_state_set (state, "_begin", REEL_DTYPE_INT64, 0, 1, &begin, error)
         && reel_state_set (state, "_end", REEL_DTYPE_INT64, 0, 1, &end, error);
}

/* Of values the rows by their slots, each with elements of its own. */
static gboolean
add_values (ReelStorage *self, ReelTensordict *state, GError **error)
{
  gint64 capacity = reel_storage_get_capacity (self), begin, end;
  g_autoptr (ReelTensor) slots = reel_item_storage_list_slots (REEL_ITEM_STORAGE (self), error);
  g_autoptr (ReelTensordict) rows =
      slots ? reel_item_storage_get_rows (REEL_ITEM_STORAGE (self), (const gint64 *) slots->data,
                                          slots->shape[0], error)
            : NULL;
  g_autoptr (ReelTensordict) copy = rows ? reel_tensordict_clone (rows, TRUE, error) : NULL;

  reel_ring_get_view (reel_storage_get_ring (self), &begin, &end);
  return copy && reel_tensordict_set_tensordict (state, "_storage", copy, error)
         && reel_state_set (state, "_capacity", REEL_DTYPE_INT64, 0, 1, &capacity, error)
         && reel_state_set (state, "_begin", REEL_DTYPE_INT64, 0, 1, &begin, error)
         && reel_state_set (state, "_end", REEL_DTYPE_INT64, 0, 1, &end, error);
}

ReelTensordict *
reel_storage_dup_state (ReelStorage *self, GError **error)
{
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  guint8 initialized = reel_storage_is_allocated (self);
  ReelStorageView view;
  gint64 length;

  reel_storage_get_view (self, &view);
  length = reel_storage_count_filled (self, &view);
  if (reel_state_set (state, "_len", REEL_DTYPE_INT64, 0, 1, &length, error)
      && reel_state_set (state, "initialized", REEL_DTYPE_BOOL, 0, 1, &initialized, error)
      && (!initialized
          || (REEL_IS_ITEM_STORAGE (self) ? add_values : add_rows) (self, state, error)))
    return g_steal_pointer (&state);
  return NULL;
}

/* ---- and from it ---- */

static gboolean
get_number (const ReelTensordict *state, const char *key, gint64 *number, GError **error)
{
  const ReelTensor *tensor = reel_state_get (state, key, REEL_DTYPE_INT64, 0, error);

  if (tensor)
    *number = *(const gint64 *) tensor->data;
  return tensor != NULL;
}

/* Of a state that does not number its steps, those from slot 0 on. */
static gboolean
find_range (const ReelTensordict *state, ReelStoredRows *rows, gint64 lanes, GError **error)
{
  gint ndim;
  gint64 n_slots = reel_tensordict_get_batch_size (rows->data, &ndim)[0], length;

  if (reel_tensordict_contains (state, "_begin"))
    {
      if (!get_number (state, "_begin", &rows->begin, error)
          || !get_number (state, "_end", &rows->end, error))
        return FALSE;
    }
  else if (!get_number (state, "_len", &length, error))
    return FALSE;
  else
    rows->end = length / lanes;
  if (rows->begin >= 0 && rows->end >= rows->begin && rows->end - rows->begin <= n_slots
      && rows->end <= G_MAXINT64 / 4 / lanes)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the state: steps %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
               " are not those of a ring of %" G_GINT64_FORMAT,
               rows->begin, rows->end, n_slots);
  return FALSE;
}

static gboolean
check_shape (const ReelStoredRows *rows, ReelStorage *storage, gint64 *lanes, GError **error)
{
  gint ndim;

  *lanes = reel_stored_rows_count_lanes (rows, reel_storage_get_ndim (storage));
  if (*lanes > 0 && reel_tensordict_get_batch_size (rows->data, &ndim)[0] > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the state: has no steps and lanes of a storage with ndim=%d",
               reel_storage_get_ndim (storage));
  return FALSE;
}

/* How many slots its rows were of; where it does not say, there are no others. */
static gboolean
find_capacity (const ReelTensordict *state, gint64 n, gint64 *capacity, GError **error)
{
  *capacity = MAX (n, 1);
  if (reel_tensordict_contains (state, "_capacity")
      && !get_number (state, "_capacity", capacity, error))
    return FALSE;
  if (*capacity >= MAX (n, 1) && *capacity <= G_MAXINT64 / 4)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the state: has %" G_GINT64_FORMAT " rows of a capacity of %" G_GINT64_FORMAT, n,
               *capacity);
  return FALSE;
}

/* Rows that the state has are by their slots, from 0 on. */
static gboolean
check_slots (const ReelStoredRows *rows, gint64 n, gint64 capacity, GError **error)
{
  gint64 first = rows->begin % capacity, length = rows->end - rows->begin;

  if (length == 0 || (first + length > capacity ? capacity : first + length) <= n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the state: steps %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
               " are not among its %" G_GINT64_FORMAT " rows",
               rows->begin, rows->end, n);
  return FALSE;
}

/* They are packed as @self does, and have elements of their own. */
static gboolean
read_values (ReelStorage *self, const ReelTensordict *state, ReelStoredRows *rows, GError **error)
{
  ReelTensordict *listed = reel_tensordict_get_tensordict (state, "_storage", error);
  g_autoptr (ReelTensordict) copy = NULL, items = NULL;
  gint64 n, capacity;

  if (!listed)
    return FALSE;
  if (!reel_rows_are_listed (listed))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "the state: is of columns, the storage holds values");
      return FALSE;
    }
  n = reel_rows_count (listed);
  copy = reel_tensordict_clone (listed, TRUE, error);
  items = copy ? reel_rows_list (copy, error) : NULL;
  if (!items || !find_capacity (state, n, &capacity, error))
    return FALSE;
  rows->values = reel_item_storage_pack (REEL_ITEM_STORAGE (self), items, error);
  rows->data = reel_tensordict_new (1, &capacity);
  return rows->values && find_range (state, rows, 1, error)
         && check_slots (rows, n, capacity, error) && reel_stored_rows_check (rows, self, error);
}

static gboolean
read_columns (ReelStorage *self, const ReelTensordict *state, ReelStoredRows *rows, GError **error)
{
  ReelTensordict *data = reel_tensordict_get_tensordict (state, "_storage", error);
  gint64 lanes;

  if (!data)
    return FALSE;
  rows->data = reel_tensordict_ref (data);
  return check_shape (rows, self, &lanes, error) && find_range (state, rows, lanes, error)
         && reel_stored_rows_check (rows, self, error);
}

gboolean
reel_storage_read_state (ReelStorage *self, const ReelTensordict *state, ReelStoredRows *rows,
                         GError **error)
{
  const ReelTensor *initialized = reel_state_get (state, "initialized", REEL_DTYPE_BOOL, 0, error);

  *rows = (ReelStoredRows){ .name = "the state" };
  if (!initialized)
    return FALSE;
  if (!*initialized->data)
    return TRUE;
  if ((REEL_IS_ITEM_STORAGE (self) ? read_values : read_columns) (self, state, rows, error))
    return TRUE;
  reel_stored_rows_clear (rows);
  return FALSE;
}

gboolean
reel_storage_set_state (ReelStorage *self, const ReelTensordict *state, GError **error)
{
  ReelStoredRows rows;
  gboolean done = TRUE;

  if (!reel_storage_read_state (self, state, &rows, error))
    return FALSE;
  if (rows.data)
    done = reel_stored_rows_load (&rows, self, error);
  else
    reel_storage_empty (self);
  reel_stored_rows_clear (&rows);
  return done;
}
