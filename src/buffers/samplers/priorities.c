#include "priorities-private.h"

#include "../storages/storage-private.h"

#include <math.h>
#include <string.h>

#define SMALL 1e30 /* twice that, and no power of it up to 1, is infinite as a float */

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
  self->has_greatest = self->is_restored;
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
  self->loops = REEL_KERNEL_PICK (reel_priority_kernels, isa);
  if (!reel_storage_is_allocated (storage))
    return TRUE;
  self->is_restored = FALSE;
  self->tree = reel_priority_tree_new (MAX (capacity, self->max_capacity), error);
  return self->tree && reel_priorities_find_key (self, storage, priority_key, error);
}

void
reel_priorities_empty (ReelPriorities *self)
{
  if (self->tree)
    reel_priority_tree_fill (self->tree, 0, reel_priority_tree_size (self->tree), 0);
  self->has_greatest = self->is_restored = FALSE;
  self->seen.first_row = self->seen.end_row;
}

/* ---- the greatest priority ---- */

void
reel_priorities_find_greatest (ReelPriorities *self)
{
  if (self->applied_alpha == 0)
    return;
  self->greatest = reel_priorities_weigh_back (
      self, reel_priorities_find_greatest_weight (self, &self->greatest_slot));
}

void
reel_priorities_offer_greatest (ReelPriorities *self, double priority, gint64 slot)
{
  if (self->has_greatest && !(priority > self->greatest))
    return;
  self->has_greatest = TRUE;
  self->greatest = priority;
  self->greatest_slot = slot;
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
  double total = reel_priority_tree_total (self->tree), masses[REEL_PRIORITIES_CHUNK];
  const ReelStorageView seen = self->seen;
  gint64 oldest = reel_view_find_oldest_slot (&seen);

  if (!check_total (total, error))
    return FALSE;
  for (gint64 first = 0, count; first < n; first += count)
    {
      count = MIN (REEL_PRIORITIES_CHUNK, n - first);
      reel_random_fill_doubles (key, first, count, masses);
      self->loops->scale (masses, count, total);
      reel_priority_tree_find (self->tree, masses, count, rows + first, weights + first, lines);
    }
  self->loops->wrap (rows, n, seen.first_row - oldest, oldest, seen.capacity);
  return TRUE;
}

void
reel_priorities_correct (const ReelPriorities *self, double *weights, gint64 n, guint8 *corrections)
{
  self->loops->divide (weights, n, reel_priority_tree_least (self->tree));
  if (self->dtype == REEL_PRIORITY_FLOAT64)
    {
      self->kernels->power (weights, n, -self->beta, (double *) corrections);
      return;
    }
  reel_priorities_round_all (self, weights, n);
  reel_priorities_raise (self, weights, n, -self->beta);
  for (gint64 i = 0; i < n; i++)
    ((float *) corrections)[i] = (float) weights[i];
}
