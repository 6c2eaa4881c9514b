#include "priorities.h"

#include "../../core/tree-private.h"
#include "../../specs/element.h"
#include "../storages/racy-copy.h"
#include "reduction.h"
#include "../storages/storage-look.h"
#include "../storages/storage-private.h"
#include "../storages/value-storage.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CHUNK 256 /* rows on the stack */

static const char *const dtypes[] = { "float32", "float64", NULL };
static const char *const reductions[] = { "max", "min", "mean", "median", "sum", NULL };

void
reel_priorities_add_properties (ReelObjectClass *klass, gsize offset)
{
  reel_object_class_add_int64 (
      klass, "max-capacity", offset + G_STRUCT_OFFSET (ReelPriorities, max_capacity), 0,
      G_MAXINT64 / 2, 0, "rows", "how many priorities to keep at least; 0 for as many as rows",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_double (
      klass, "alpha", offset + G_STRUCT_OFFSET (ReelPriorities, alpha), 0, G_MAXDOUBLE, 0.6, NULL,
      "how much priorities matter, from 0 for not at all", REEL_PROPERTY_MUTABLE);
  reel_object_class_add_double (
      klass, "beta", offset + G_STRUCT_OFFSET (ReelPriorities, beta), 0, G_MAXDOUBLE, 0.4, NULL,
      "how much of that priority_weight takes back", REEL_PROPERTY_MUTABLE);
  reel_object_class_add_double (klass, "eps", offset + G_STRUCT_OFFSET (ReelPriorities, eps), 0,
                                G_MAXDOUBLE, 1e-8, NULL, "added to every priority",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (klass, "dtype", offset + G_STRUCT_OFFSET (ReelPriorities, dtype),
                              dtypes, REEL_PRIORITY_FLOAT32, "precision of powers and weights",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      klass, "reduction", offset + G_STRUCT_OFFSET (ReelPriorities, reduction), reductions, 0,
      "how several priorities of a row become one", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "max-priority-within-buffer",
                              offset + G_STRUCT_OFFSET (ReelPriorities, within_buffer), FALSE,
                              "new rows get the greatest priority of what is stored, not of all "
                              "that ever was",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

void
reel_priorities_clear (ReelPriorities *self)
{
  g_clear_pointer (&self->tree, reel_priority_tree_free);
  g_clear_pointer (&self->slots, g_free);
  g_clear_pointer (&self->weights, g_free);
  g_clear_pointer (&self->key, g_free);
  g_clear_pointer (&self->stored, g_free);
  g_clear_pointer (&self->reals, g_free);
  self->room = 0;
}

const char *
reel_priorities_reduction (const ReelPriorities *self)
{
  return reductions[self->reduction];
}

double
reel_priorities_default (const ReelPriorities *self)
{
  return self->has_greatest ? self->greatest : 1;
}

/* ---- binding ---- */

/* Finds the column that tells priorities, if there is one, and makes room for one row of it. Trees
 * tell none. */
static gboolean
find_key (ReelPriorities *self, ReelStorage *storage, const char *key, GError **error)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  self->key_column = -1;
  if (reel_storage_get_data (storage) && reel_tensordict_is_tree (reel_storage_get_data (storage)))
    return TRUE;
  self->key = REEL_IS_VALUE_STORAGE (storage) ? g_strdup (key) : NULL;
  for (guint i = 0; i < n && key; i++)
    if (g_str_equal (columns[i].path, key) && columns[i].row_bytes > 0)
      {
        if (reel_dtype_is_complex (columns[i].dtype))
          {
            g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                         "\"%s\" is to tell priorities, which are real numbers, not %s", key,
                         reel_dtype_name (columns[i].dtype));
            return FALSE;
          }
        self->key_column = (gint) i;
        self->stored = g_malloc (columns[i].row_bytes);
        self->reals = g_new (double, columns[i].row_bytes / reel_dtype_size (columns[i].dtype));
      }
  return TRUE;
}

void
reel_priorities_skip_replaced (ReelPriorities *self, ReelStorage *storage)
{
  self->n_replaced = -1;
  reel_storage_list_replaced (storage, &self->n_replaced, NULL, 0);
}

gboolean
reel_priorities_bind (ReelPriorities *self, ReelStorage *storage, const char *priority_key,
                      GError **error)
{
  gint64 capacity = reel_storage_get_capacity (storage);
  ReelIsa isa;

  reel_priorities_clear (self);
  self->has_greatest = FALSE;
  self->applied_alpha = self->alpha;
  self->seen = (ReelStorageView){ 0 };
  reel_priorities_skip_replaced (self, storage);
  if (self->max_capacity > 0 && self->max_capacity < capacity)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "max-capacity is %" G_GINT64_FORMAT ", but the storage holds %" G_GINT64_FORMAT
                   " rows: make it as large, or 0 for as many as there are",
                   self->max_capacity, capacity);
      return FALSE;
    }
  if (!reel_isa_choose (&isa, error))
    return FALSE;
  self->kernels = REEL_KERNEL_PICK (reel_power_kernels, isa);
  if (!reel_storage_is_allocated (storage))
    return TRUE;
  self->tree = reel_priority_tree_new (MAX (capacity, self->max_capacity), error);
  return self->tree && find_key (self, storage, priority_key, error);
}

void
reel_priorities_empty (ReelPriorities *self)
{
  if (self->tree)
    reel_priority_tree_fill (self->tree, 0, reel_priority_tree_size (self->tree), 0);
  self->has_greatest = FALSE;
  self->seen.first_row = self->seen.end_row;
}

/* ---- from priorities to weights and back ---- */

/* What a priority is before it counts: rounded as the peer's tensors round it. */
static double
round_priority (const ReelPriorities *self, double priority)
{
  return self->dtype == REEL_PRIORITY_FLOAT32 ? (double) (float) priority : priority;
}

static void
round_all (const ReelPriorities *self, double *values, gint64 n)
{
  if (self->dtype == REEL_PRIORITY_FLOAT32)
    for (gint64 i = 0; i < n; i++)
      values[i] = (float) values[i];
}

/* @weights[i] ^ @exponent, in the precision that was chosen. */
static void
raise_to (const ReelPriorities *self, double *weights, gint64 n, double exponent)
{
  self->kernels->power (weights, n, exponent, weights);
  round_all (self, weights, n);
}

/* In place: rounded priorities become weights. */
static void
weigh (const ReelPriorities *self, double *priorities, gint64 n)
{
  if (self->dtype == REEL_PRIORITY_FLOAT32)
    for (gint64 i = 0; i < n; i++)
      priorities[i] = (float) priorities[i] + (float) self->eps;
  else
    for (gint64 i = 0; i < n; i++)
      priorities[i] += self->eps;
  raise_to (self, priorities, n, self->applied_alpha);
}

/* What takes the power of @alpha back, which may be next to nothing. */
static double
invert (double alpha)
{
  return MIN (1 / alpha, G_MAXDOUBLE);
}

static double
weigh_back (const ReelPriorities *self, double weight)
{
  raise_to (self, &weight, 1, invert (self->applied_alpha));
  weight = self->dtype == REEL_PRIORITY_FLOAT32 ? (double) ((float) weight - (float) self->eps)
                                                : weight - self->eps;
  return MAX (weight, 0);
}

static gboolean
check_weight (const ReelPriorities *self, double priority, double weight, GError **error)
{
  if (G_LIKELY (weight <= G_MAXDOUBLE))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a priority of %g with eps=%g has no finite weight with alpha=%g: choose a smaller "
               "alpha or eps",
               priority, self->eps, self->alpha);
  return FALSE;
}

/* New rows will weigh this. */
static gboolean
check_default (const ReelPriorities *self, GError **error)
{
  double priority = reel_priorities_default (self);
  double weight = round_priority (self, priority);

  weigh (self, &weight, 1);
  return check_weight (self, priority, weight, error);
}

static double
find_greatest_weight (const ReelPriorities *self, gint64 *slot)
{
  const double *weights = reel_priority_tree_weights (self->tree);
  gint64 size = reel_priority_tree_size (self->tree);

  *slot = 0;
  for (gint64 i = 1; i < size; i++)
    if (weights[i] > weights[*slot])
      *slot = i;
  return weights[*slot];
}

/* In place: weights that were made with another alpha. */
static void
weigh_anew (const ReelPriorities *self, double *weights, gint64 n, double old)
{
  self->kernels->power (weights, n, invert (old), weights);
  for (gint64 i = 0; i < n; i++)
    weights[i] = MAX (weights[i] - self->eps, 0) + self->eps;
  self->kernels->power (weights, n, self->alpha, weights);
  round_all (self, weights, n);
}

static gboolean
check_alpha (const ReelPriorities *self, double old, GError **error)
{
  gint64 slot;
  double greatest = find_greatest_weight (self, &slot), weight = greatest;

  weigh_anew (self, &weight, 1, old);
  return greatest == 0 || check_weight (self, weigh_back (self, greatest), weight, error);
}

/* Of alpha 0 all weights are 1, and stay so until they are updated: nothing tells what they were
 * made of. */
static gboolean
apply_alpha (ReelPriorities *self, GError **error)
{
  const double *weights = reel_priority_tree_weights (self->tree);
  gint64 size = reel_priority_tree_size (self->tree);
  double old = self->applied_alpha, chunk[CHUNK];

  if (old != 0 && !check_alpha (self, old, error))
    return FALSE;
  self->applied_alpha = self->alpha;
  for (gint64 begin = 0, n; begin < size && old != 0; begin += n)
    {
      n = MIN (CHUNK, size - begin);
      memcpy (chunk, weights + begin, (gsize) n * sizeof *chunk);
      weigh_anew (self, chunk, n, old);
      for (gint64 i = 0; i < n; i++)
        chunk[i] = weights[begin + i] == 0 ? 0 : chunk[i];
      reel_priority_tree_assign (self->tree, begin, begin + n, chunk);
    }
  return TRUE;
}

/* ---- the greatest priority ---- */

/* The first of the greatest weights tells it. With alpha 0 none does, and it stays as it is. */
static void
find_greatest (ReelPriorities *self)
{
  if (self->applied_alpha == 0)
    return;
  self->greatest = weigh_back (self, find_greatest_weight (self, &self->greatest_slot));
}

static void
offer_greatest (ReelPriorities *self, double priority, gint64 slot)
{
  if (self->has_greatest && !(priority > self->greatest))
    return;
  self->has_greatest = TRUE;
  self->greatest = priority;
  self->greatest_slot = slot;
}

/* ---- rows and slots ---- */

/* Where the oldest row of a view is. */
static gint64
find_oldest_slot (const ReelStorageView *view)
{
  return view->capacity > 0 ? view->first_row % view->capacity : 0;
}

/* The row in a slot. Takes the slot of the oldest, for a division a row would cost as much as a
 * draw. */
static inline gint64
row_of_slot (ReelStorageView view, gint64 oldest, gint64 slot)
{
  return view.first_row - oldest + slot + (slot < oldest ? view.capacity : 0);
}

static gboolean
is_slot_among (const ReelPriorities *self, gint64 slot, gint64 first_row, gint64 end_row)
{
  gint64 behind = (slot - first_row) % self->seen.capacity;

  return (behind < 0 ? behind + self->seen.capacity : behind) < end_row - first_row;
}

static void
fill_rows (ReelPriorities *self, gint64 first_row, gint64 end_row, double weight)
{
  gint64 slot = first_row % self->seen.capacity, n = MAX (end_row - first_row, 0);
  gint64 before_seam = MIN (n, self->seen.capacity - slot);

  reel_priority_tree_fill (self->tree, slot, slot + before_seam, weight);
  reel_priority_tree_fill (self->tree, 0, n - before_seam, weight);
}

/* ---- updates ---- */

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
               "row slot %" G_GINT64_FORMAT
               " never held a row whose priority could be set: the first %" G_GINT64_FORMAT " did",
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
check_updates (const gint64 *slots, const double *priorities, const double *rounded, gint64 n,
               gint64 n_held, GError **error)
{
  gboolean fine = TRUE;

  for (gint64 i = 0; i < n; i++)
    fine &=
        (guint64) slots[i] < (guint64) n_held && priorities[i] >= 0 && rounded[i] <= G_MAXDOUBLE;
  for (gint64 i = 0; i < n && !fine; i++)
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
  gint64 oldest = find_oldest_slot (&seen), found = 0;

  if (seen.end_row - seen.first_row == seen.capacity)
    return n;
  for (gint64 i = 0; i < n; i++)
    {
      slots[found] = slots[i];
      priorities[found] = priorities[i];
      found += row_of_slot (seen, oldest, slots[i]) < seen.end_row;
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
  round_all (self, rounded, n);
  if (!check_updates (slots, priorities ? priorities : rounded, rounded, n,
                      MIN (self->seen.capacity, self->seen.end_row), error))
    return -1;
  return keep_readable (self, self->slots, rounded, n);
}

static gint64
find_first_greatest (const double *values, gint64 n)
{
  gint64 greatest = 0;

  for (gint64 i = 1; i < n; i++)
    if (G_UNLIKELY (values[i] > values[greatest]))
      greatest = i;
  return greatest;
}

/* Chunk by chunk: while priorities are raised to their power, the tree comes into the cache. */
static void
set_priorities (ReelPriorities *self, const gint64 *slots, double *priorities, gint64 n)
{
  for (gint64 first = 0, count; first < n; first += count)
    {
      count = MIN (CHUNK, n - first);
      reel_priority_tree_fetch (self->tree, slots + first, count);
      weigh (self, priorities + first, count);
      reel_priority_tree_set (self->tree, slots + first, priorities + first, count);
    }
}

gboolean
reel_priorities_update (ReelPriorities *self, const gint64 *slots, gint64 n,
                        const double *priorities, GError **error)
{
  gboolean has_greatest_row = FALSE;
  gint64 found, greatest;
  double priority, weight;

  if (n == 0)
    return TRUE;
  make_room (self, n);
  found = pick (self, slots, n, priorities, error);
  if (found <= 0)
    return found == 0;
  greatest = find_first_greatest (self->weights, found);
  priority = weight = self->weights[greatest];
  weigh (self, &weight, 1);
  if (!check_priority (self->slots[greatest], priority, weight, error))
    return FALSE;
  offer_greatest (self, priority, self->slots[greatest]);
  set_priorities (self, self->slots, self->weights, found);
  for (gint64 i = 0; i < found && self->within_buffer; i++)
    has_greatest_row = has_greatest_row || self->slots[i] == self->greatest_slot;
  if (has_greatest_row)
    find_greatest (self);
  return TRUE;
}

/* ---- following ---- */

/* New rows count as one extension: they get the default priority; then the greatest, where it was
 * that of a row that they overwrite, is forgotten. */
static void
add_rows (ReelPriorities *self, gint64 first_row, gint64 end_row)
{
  double weight = round_priority (self, reel_priorities_default (self));

  offer_greatest (self, weight, first_row % self->seen.capacity);
  weigh (self, &weight, 1);
  fill_rows (self, first_row, end_row, weight);
  if (!self->within_buffer || !is_slot_among (self, self->greatest_slot, first_row, end_row))
    return;
  find_greatest (self);
  self->has_greatest = !is_slot_among (self, self->greatest_slot, first_row, end_row);
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
  ReelReduceFunc reduce = reel_find_reduction (reductions[self->reduction], error);
  gint64 oldest = find_oldest_slot (&self->seen), deadline = 0;
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
      if (intact == G_MAXINT64)
        continue;
      for (gint64 i = 0; i < n; i++)
        {
          slots[n_read] = slots[i];
          priorities[n_read] = priorities[i];
          n_read += row_of_slot (self->seen, oldest, slots[i]) >= intact;
        }
      return n_read;
    }
  while (reel_storage_may_retry (storage, &deadline, error));
  return -1;
}

/* What one row tells: FALSE where it has no such key. */
static gboolean
read_leaf (const ReelPriorities *self, ReelStorage *storage, ReelReduceFunc reduce, gint64 slot,
           double *priority)
{
  g_autoptr (ReelTensor) leaf =
      reel_value_storage_ref_leaf (REEL_VALUE_STORAGE (storage), slot, self->key);
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
  ReelReduceFunc reduce = reel_find_reduction (reductions[self->reduction], error);

  for (gint64 i = 0; i < n; i++)
    {
      double priority;

      if (read_leaf (self, storage, reduce, slots[i], &priority)
          && !reel_priorities_update (self, &slots[i], 1, &priority, error))
        return FALSE;
    }
  return TRUE;
}

/* What is stored in some slots, of which those that the writer reached are left out. */
static gboolean
add_columns (ReelPriorities *self, ReelStorage *storage, gint64 *slots, gint64 n, GError **error)
{
  double priorities[CHUNK];
  gint64 n_read = read_rows (self, storage, slots, n, priorities, error);

  return n_read >= 0 && reel_priorities_update (self, slots, n_read, priorities, error);
}

/* At most a chunk of them. */
static gboolean
add_told (ReelPriorities *self, ReelStorage *storage, gint64 *slots, gint64 n, GError **error)
{
  if (self->key)
    return add_values (self, storage, slots, n, error);
  return self->key_column < 0 || add_columns (self, storage, slots, n, error);
}

static gboolean
add_stored (ReelPriorities *self, ReelStorage *storage, gint64 first_row, gint64 end_row,
            GError **error)
{
  for (gint64 n; first_row < end_row; first_row += n)
    {
      gint64 slots[CHUNK];

      n = MIN (CHUNK, end_row - first_row);
      for (gint64 i = 0; i < n; i++)
        slots[i] = (first_row + i) % self->seen.capacity;
      if (!add_told (self, storage, slots, n, error))
        return FALSE;
    }
  return TRUE;
}

/* As add_rows(), of slots. */
static gboolean
add_slots (ReelPriorities *self, const gint64 *slots, gint64 n, GError **error)
{
  if (!reel_priorities_update (self, slots, n, NULL, error))
    return FALSE;
  for (gint64 i = 0; i < n && self->within_buffer; i++)
    self->has_greatest = self->has_greatest && slots[i] != self->greatest_slot;
  return TRUE;
}

/* Rows that took the place of others are as new as those at the cursor. */
static gboolean
follow_replaced (ReelPriorities *self, ReelStorage *storage, GError **error)
{
  gint64 slots[CHUNK], n;

  while ((n = reel_storage_list_replaced (storage, &self->n_replaced, slots, CHUNK)) > 0)
    if (!add_slots (self, slots, n, error) || !add_told (self, storage, slots, n, error))
      return FALSE;
  if (n == 0)
    return TRUE;
  add_rows (self, self->seen.first_row, self->seen.end_row);
  return add_stored (self, storage, self->seen.first_row, self->seen.end_row, error);
}

gboolean
reel_priorities_follow (ReelPriorities *self, ReelStorage *storage, const ReelStorageView *view,
                        GError **error)
{
  gint64 first_new = MAX (self->seen.end_row, view->first_row);
  gint64 first_old = self->seen.first_row, end_old = MIN (view->first_row, self->seen.end_row);

  if (!self->tree)
    return TRUE;
  if (self->alpha != self->applied_alpha && !apply_alpha (self, error))
    return FALSE;
  if (first_new < view->end_row && !check_default (self, error))
    return FALSE;
  self->seen = *view;
  /* Of the rows that left, those whose successors in the same slots cannot be read either. */
  fill_rows (self, first_old, MIN (end_old, first_new - view->capacity), 0);
  fill_rows (self, MAX (first_old, view->end_row - view->capacity), end_old, 0);
  if (first_new < view->end_row)
    {
      add_rows (self, first_new, view->end_row);
      if (!add_stored (self, storage, first_new, view->end_row, error))
        return FALSE;
    }
  return follow_replaced (self, storage, error);
}

void
reel_priorities_restore (ReelPriorities *self, const ReelStorageView *view, const double *weights,
                         gint64 n)
{
  gint64 length = view->end_row - view->first_row, slot, before_seam;

  reel_priorities_empty (self);
  self->seen = *view;
  if (length == 0)
    return;
  add_rows (self, view->first_row, view->end_row);
  slot = view->first_row % view->capacity;
  before_seam = MIN (length, view->capacity - slot);
  if (slot < n)
    reel_priority_tree_assign (self->tree, slot, MIN (slot + before_seam, n), weights + slot);
  reel_priority_tree_assign (self->tree, 0, MIN (length - before_seam, n), weights);
}

/* ---- drawing ---- */

static gboolean
check_total (double total, GError **error)
{
  if (total > 0 && total <= G_MAXDOUBLE)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       total > 0 ? "the priorities add up to infinity: scale them down, or choose "
                                   "a smaller alpha"
                                 : "non-positive p_sum: every row has weight 0, for its priority "
                                   "and eps are 0, or too small for a power of alpha");
  return FALSE;
}

gboolean
reel_priorities_draw (const ReelPriorities *self, ReelRandomKey key, gint64 n, gint64 *rows,
                      double *weights, const ReelRowLines *lines, GError **error)
{
  double total = reel_priority_tree_total (self->tree), masses[CHUNK];
  const ReelStorageView seen = self->seen;
  gint64 oldest = find_oldest_slot (&seen);

  if (!check_total (total, error))
    return FALSE;
  for (gint64 first = 0, count; first < n; first += count)
    {
      count = MIN (CHUNK, n - first);
      reel_random_fill_doubles (key, first, count, masses);
      for (gint64 i = 0; i < count; i++)
        masses[i] = MAX ((1 - masses[i]) * total, DBL_TRUE_MIN);
      reel_priority_tree_find (self->tree, masses, count, rows + first, weights + first, lines);
    }
  for (gint64 i = 0; i < n; i++)
    rows[i] = row_of_slot (seen, oldest, rows[i]);
  return TRUE;
}

void
reel_priorities_correct (const ReelPriorities *self, double *weights, gint64 n, guint8 *corrections)
{
  double least = reel_priority_tree_least (self->tree);

  for (gint64 i = 0; i < n; i++)
    weights[i] /= least;
  round_all (self, weights, n);
  raise_to (self, weights, n, -self->beta);
  if (self->dtype == REEL_PRIORITY_FLOAT64)
    memcpy (corrections, weights, (gsize) n * sizeof *weights);
  else
    for (gint64 i = 0; i < n; i++)
      ((float *) corrections)[i] = (float) weights[i];
}
