/* Updates of priorities: by the caller, and by the rows of themselves, by a key that is stored with
 * them. */
#include "priorities-private.h"

#include "../../core/tensordict/tree-private.h"
#include "../../specs/element.h"
#include "../storages/racy-copy.h"
#include "../storages/storage-look.h"
#include "../storages/storage-private.h"
#include "../storages/item-storage.h"
#include "reduction.h"

#include <string.h>

#define SMALL 1e30 /* twice that, and no power of it up to 1, is infinite as a float */

/* ---- by the caller ---- */

static void
make_room (ReelPriorities *self, gint64 n)
{
  if (n <= self->room)
    return;
  self->room = n;
  self->slots = g_renew (gint64, self->slots, n);
  self->weights = g_renew (double, self->weights, n);
}

static gboolean
check_slot (gint64 slot, gint64 n, GError **error)
{
  if (G_LIKELY (slot >= 0 && slot < n))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "row slot %" G_GINT64_FORMAT " never contained a row: the first %" G_GINT64_FORMAT
               " did",
               slot, n);
  return FALSE;
}

static gboolean
check_priority (gint64 slot, double priority, double weight, GError **error)
{
  if (G_LIKELY (priority >= 0 && priority <= G_MAXDOUBLE && weight <= G_MAXDOUBLE))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the priority of row slot %" G_GINT64_FORMAT " is %g, %s", slot, priority,
               priority >= 0 && priority <= G_MAXDOUBLE
                   ? "whose power is too large: scale priorities down, or choose a smaller alpha"
                   : "but priorities are finite and not negative");
  return FALSE;
}

/* All at once first: who is wrong is looked for where somebody is. */
static gboolean
check_updates (const ReelPriorities *self, const gint64 *slots, const double *priorities,
               const double *rounded, gint64 n, GError **error)
{
  gint64 n_held = MIN (self->seen.capacity, self->seen.end_row);

  if (self->loops->are_fine (slots, priorities, rounded, n, n_held))
    return TRUE;
  for (gint64 i = 0; i < n; i++)
    if (!check_slot (slots[i], n_held, error)
        || !check_priority (slots[i], priorities[i], rounded[i], error))
      return FALSE;
  return TRUE;
}

/* Keeps those whose row can be read, and returns how many. */
static gint64
keep_readable (const ReelPriorities *self, gint64 *slots, double *priorities, gint64 n)
{
  const ReelStorageView seen = self->seen;
  gint64 oldest = reel_view_find_oldest_slot (&seen), found = 0;

  if (seen.end_row - seen.first_row == seen.capacity)
    return n;
  for (gint64 i = 0; i < n; i++)
    {
      slots[found] = slots[i];
      priorities[found] = priorities[i];
      found += reel_view_row_of_slot (seen, oldest, slots[i]) < seen.end_row;
    }
  return found;
}

/* Takes slots and rounded priorities of those rows that can be read, and returns how many; −1 on
 * failure. */
static gint64
pick (ReelPriorities *self, const gint64 *slots, gint64 n, const double *priorities, GError **error)
{
  double *rounded = self->weights;

  memcpy (self->slots, slots, (gsize) n * sizeof *slots);
  if (priorities)
    memcpy (rounded, priorities, (gsize) n * sizeof *priorities);
  for (gint64 i = 0; i < n && !priorities; i++)
    rounded[i] = reel_priorities_default (self);
  reel_priorities_round_all (self, rounded, n);
  if (!check_updates (self, slots, priorities ? priorities : rounded, rounded, n, error))
    return -1;
  return keep_readable (self, self->slots, rounded, n);
}

/* The slot of the first that has this priority, of an update of which some has. */
static gint64
find_slot (const ReelPriorities *self, double priority)
{
  gint64 i = 0;

  while (self->weights[i] != priority)
    i++;
  return self->slots[i];
}

/* Whether the greatest priority of an update has a finite weight; then all have. */
static gboolean
check_greatest (const ReelPriorities *self, double priority, GError **error)
{
  double weight = priority;

  if (self->applied_alpha <= 1 && priority <= SMALL && self->eps <= SMALL)
    return TRUE;
  reel_priorities_weigh (self, &weight, 1);
  return weight <= G_MAXDOUBLE
         || check_priority (find_slot (self, priority), priority, weight, error);
}

/* Chunk by chunk: while priorities are raised to their power, the tree comes into the cache. */
static void
set_priorities (ReelPriorities *self, const gint64 *slots, double *priorities, gint64 n)
{
  for (gint64 first = 0, count; first < n; first += count)
    {
      count = MIN (REEL_PRIORITIES_CHUNK, n - first);
      reel_priority_tree_fetch (self->tree, slots + first, count);
      reel_priorities_weigh (self, priorities + first, count);
      reel_priority_tree_set (self->tree, slots + first, priorities + first, count);
    }
}

gboolean
reel_priorities_update (ReelPriorities *self, const gint64 *slots, gint64 n,
                        const double *priorities, GError **error)
{
  gboolean has_greatest_row = FALSE;
  double greatest;
  gint64 found;

  if (n == 0)
    return TRUE;
  make_room (self, n);
  found = pick (self, slots, n, priorities, error);
  if (found <= 0)
    return found == 0;
  greatest = self->loops->greatest (self->weights, found);
  if (!check_greatest (self, greatest, error))
    return FALSE;
  if (!self->has_greatest || greatest > self->greatest)
    reel_priorities_offer_greatest (self, greatest, find_slot (self, greatest));
  set_priorities (self, self->slots, self->weights, found);
  for (gint64 i = 0; i < found && self->within_buffer; i++)
    has_greatest_row = has_greatest_row || self->slots[i] == self->greatest_slot;
  if (has_greatest_row)
    reel_priorities_find_greatest (self);
  return TRUE;
}

/* ---- by the rows ---- */

gboolean
reel_priorities_find_key (ReelPriorities *self, ReelStorage *storage, const char *key,
                          GError **error)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  g_clear_pointer (&self->key, g_free);
  g_clear_pointer (&self->stored, g_free);
  g_clear_pointer (&self->reals, g_free);
  self->key_column = -1;
  if (reel_storage_get_data (storage) && reel_tensordict_is_tree (reel_storage_get_data (storage)))
    return TRUE;
  self->key = REEL_IS_ITEM_STORAGE (storage) ? g_strdup (key) : NULL;
  for (guint i = 0; i < n && key; i++)
    if (g_str_equal (columns[i].path, key) && columns[i].row_bytes > 0)
      {
        if (reel_dtype_is_complex (columns[i].dtype))
          {
            g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                         "\"%s\" is the key of priorities, which are real numbers, not %s", key,
                         reel_dtype_name (columns[i].dtype));
            return FALSE;
          }
        self->key_column = (gint) i;
        self->stored = g_malloc (columns[i].row_bytes);
        self->reals = g_new (double, columns[i].row_bytes / reel_dtype_size (columns[i].dtype));
      }
  return TRUE;
}

static double
read_priority (ReelPriorities *self, const ReelColumn *column, ReelReduceFunc reduce, gint64 slot)
{
  gsize size = reel_dtype_size (column->dtype), n = column->row_bytes / size;

  racy_copy (self->stored, column->data + (gsize) slot * column->row_stride, column->row_bytes);
  for (gsize i = 0; i < n; i++)
    reel_element_cast (column->dtype, self->stored + i * size, REEL_DTYPE_FLOAT64, &self->reals[i]);
  return reduce (self->reals, (gint64) n);
}

/* The priorities that are stored in some slots, by what is left of them: those that the writer
 * reached are left out. Returns how many; −1 on failure. */
static gint64
read_rows (ReelPriorities *self, ReelStorage *storage, gint64 *slots, gint64 n, double *priorities,
           GError **error)
{
  ReelReduceFunc reduce = reel_find_reduction (reel_priorities_reduction (self), error);
  gint64 oldest = reel_view_find_oldest_slot (&self->seen), deadline = 0;
  guint n_columns;
  const ReelColumn *column =
      reel_storage_get_columns (storage, &n_columns) + (gsize) self->key_column;

  do
    {
      ReelStorageLook look;
      gint64 intact, n_read = 0;

      if (!reel_storage_look (storage, &look, error))
        return -1;
      for (gint64 i = 0; i < n; i++)
        priorities[i] = read_priority (self, column, reduce, slots[i]);
      intact = reel_storage_look_again (storage, &look);
      /* Rows were changed in their place during the copy: all are read again. */
      if (intact == G_MAXINT64)
        continue;
      for (gint64 i = 0; i < n; i++)
        {
          slots[n_read] = slots[i];
          priorities[n_read] = priorities[i];
          n_read += reel_view_row_of_slot (self->seen, oldest, slots[i]) >= intact;
        }
      return n_read;
    }
  while (reel_storage_may_retry (storage, &deadline, error));
  return -1;
}

/* The priority in one row: FALSE where it has no such key. */
static gboolean
read_leaf (const ReelPriorities *self, ReelStorage *storage, ReelReduceFunc reduce, gint64 slot,
           double *priority)
{
  g_autoptr (ReelTensor) leaf =
      reel_item_storage_ref_leaf (REEL_ITEM_STORAGE (storage), slot, self->key);
  g_autoptr (ReelTensor) dense = leaf ? reel_tensor_contiguous (leaf, NULL) : NULL;
  gint64 n = dense ? reel_tensor_numel (dense) : 0;
  g_autofree double *reals = NULL;

  if (n == 0 || reel_dtype_is_complex (dense->dtype))
    return FALSE;
  reals = g_new (double, n);
  for (gint64 i = 0; i < n; i++)
    reel_element_cast (dense->dtype, dense->data + (gsize) i * reel_dtype_size (dense->dtype),
                       REEL_DTYPE_FLOAT64, &reals[i]);
  *priority = reduce (reals, n);
  return TRUE;
}

/* Rows that the writer has just replaced tell that of their successors, which are met again. */
static gboolean
add_values (ReelPriorities *self, ReelStorage *storage, const gint64 *slots, gint64 n,
            GError **error)
{
  ReelReduceFunc reduce = reel_find_reduction (reel_priorities_reduction (self), error);

  for (gint64 i = 0; i < n; i++)
    {
      double priority;

      if (read_leaf (self, storage, reduce, slots[i], &priority)
          && !reel_priorities_update (self, &slots[i], 1, &priority, error))
        return FALSE;
    }
  return TRUE;
}

/* The rows in some slots, without those that the writer reached. */
static gboolean
add_columns (ReelPriorities *self, ReelStorage *storage, gint64 *slots, gint64 n, GError **error)
{
  double priorities[REEL_PRIORITIES_CHUNK];
  gint64 n_read = read_rows (self, storage, slots, n, priorities, error);

  return n_read >= 0 && reel_priorities_update (self, slots, n_read, priorities, error);
}

gboolean
reel_priorities_add_told (ReelPriorities *self, ReelStorage *storage, gint64 *slots, gint64 n,
                          GError **error)
{
  if (self->key)
    return add_values (self, storage, slots, n, error);
  return self->key_column < 0 || add_columns (self, storage, slots, n, error);
}
