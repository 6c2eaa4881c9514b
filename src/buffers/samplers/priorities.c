/* The priorities of rows as a sampler holds them: properties, the
 * greatest one, and draws from the tree. */
#include "priorities-private.h"

#include "../storages/storage-private.h"

#include <math.h>
#include <string.h>

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
  reel_object_class_add_bool (
      klass, "max-priority-within-buffer", offset + G_STRUCT_OFFSET (ReelPriorities, within_buffer),
      FALSE, "new rows get the greatest priority of stored rows, not of all that were ever stored",
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

/* ---- rows that were replaced ---- */

void
reel_priorities_skip_replaced (ReelPriorities *self, ReelStorage *storage)
{
  self->n_replaced = -1;
  reel_storage_list_replaced (storage, &self->n_replaced, NULL, 0);
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
reel_priorities_offer_greatest (ReelPriorities *self, double priority, gint64 slot)
{
  if (self->has_greatest && !(priority > self->greatest))
    return;
  self->has_greatest = TRUE;
  self->greatest = priority;
  self->greatest_slot = slot;
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
