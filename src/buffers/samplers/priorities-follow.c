/* Priorities of rows that are new, and of rows that went. */
#include "priorities-private.h"

#include "../storages/storage-private.h"

/* ---- binding ---- */

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

/* ---- rows and slots ---- */

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

/* ---- new rows ---- */

/* New rows count as one extension: they get the default priority; then the greatest, where it was
 * that of a row that they overwrite, is forgotten. */
static void
add_rows (ReelPriorities *self, gint64 first_row, gint64 end_row)
{
  double weight = reel_priorities_round (self, reel_priorities_default (self));

  reel_priorities_offer_greatest (self, weight, first_row % self->seen.capacity);
  reel_priorities_weigh (self, &weight, 1);
  fill_rows (self, first_row, end_row, weight);
  if (!self->within_buffer || !is_slot_among (self, self->greatest_slot, first_row, end_row))
    return;
  reel_priorities_find_greatest (self);
  self->has_greatest = !is_slot_among (self, self->greatest_slot, first_row, end_row);
}

static gboolean
add_stored (ReelPriorities *self, ReelStorage *storage, gint64 first_row, gint64 end_row,
            GError **error)
{
  for (gint64 n; first_row < end_row; first_row += n)
    {
      gint64 slots[REEL_PRIORITIES_CHUNK];

      n = MIN (REEL_PRIORITIES_CHUNK, end_row - first_row);
      for (gint64 i = 0; i < n; i++)
        slots[i] = (first_row + i) % self->seen.capacity;
      if (!reel_priorities_add_told (self, storage, slots, n, error))
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
  gint64 slots[REEL_PRIORITIES_CHUNK], n;

  while ((n = reel_storage_list_replaced (storage, &self->n_replaced, slots, REEL_PRIORITIES_CHUNK))
         > 0)
    if (!add_slots (self, slots, n, error)
        || !reel_priorities_add_told (self, storage, slots, n, error))
      return FALSE;
  if (n == 0)
    return TRUE;
  /* More were replaced than the list keeps, so any row may be another: all count as new. */
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
  if (self->alpha != self->applied_alpha && !reel_priorities_apply_alpha (self, error))
    return FALSE;
  if (first_new < view->end_row && !reel_priorities_check_default (self, error))
    return FALSE;
  if (view->first_row == first_old && view->end_row == self->seen.end_row
      && view->capacity == self->seen.capacity)
    return follow_replaced (self, storage, error);
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
