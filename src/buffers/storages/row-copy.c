/* Copies rows between the columns of two storages, step by step in order of time, and renumbers
 * those that hold their own slot. */
#include "row-copy.h"

#include "columns.h"
#include "storage-private.h"
#include "strided-copy.h"

#include <string.h>

#define INDEX "index"
#define PART_ROWS 4096

static gint64
count_slots (ReelStorage *storage)
{
  return reel_storage_get_capacity (storage) / reel_storage_get_lanes (storage);
}

/* NULL where the storage has no such key. */
static const ReelColumn *
find_column (ReelStorage *storage, const char *path)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint i = reel_storage_find_column (storage, path, NULL);

  return i >= 0 ? &columns[i] : NULL;
}

static guint8 *
row_at (const ReelColumn *column, gint64 slot)
{
  return column->data + (gsize) slot * column->row_stride;
}

static void
copy_rows (const ReelColumn *from, gint64 slot, const ReelColumn *to, gint64 to_slot, gint64 n)
{
  if (reel_column_is_dense (from) && reel_column_is_dense (to))
    memcpy (row_at (to, to_slot), row_at (from, slot), (gsize) n * from->row_bytes);
  else
    strided_copy (row_at (to, to_slot), (gint64) to->row_stride, row_at (from, slot),
                  (gint64) from->row_stride, from->row_bytes, n);
}

/* Steps [begin, end) of the copy, in pieces that go round neither ring's end. */
static void
copy_steps (const ReelRowCopy *self, const ReelColumn *from, const ReelColumn *to, gint64 begin,
            gint64 end)
{
  gint64 from_slots = count_slots (self->from), to_slots = count_slots (self->to);
  gint64 lanes = reel_storage_get_lanes (self->from);

  for (gint64 i = begin, n; i < end; i += n)
    {
      gint64 slot = (self->first_step + i) % from_slots, to_slot = (self->to_step + i) % to_slots;

      n = MIN (MIN (from_slots - slot, to_slots - to_slot), end - i);
      copy_rows (from, slot * lanes, to, to_slot * lanes, n * lanes);
    }
}

static void
copy_lanes (const ReelRowCopy *self, const ReelColumn *from, const ReelColumn *to, gint64 begin,
            gint64 end)
{
  gint64 from_slots = count_slots (self->from), lanes = reel_storage_get_lanes (self->from);

  for (gint64 i = begin; i < end; i++)
    for (gint64 lane = 0; lane < lanes; lane++)
      memcpy (row_at (to, lane * self->n_steps + i),
              row_at (from, (self->first_step + i) % from_slots * lanes + lane), from->row_bytes);
}

/* ---- rows that hold their own slot ---- */

/* Element @i of the index of a step. */
static gint64 *
index_at (const ReelColumn *column, gint64 slot, gsize i)
{
  gint64 lanes = (gint64) (column->step_bytes / column->row_bytes);
  gsize n = column->row_bytes / sizeof (gint64);

  return (gint64 *) row_at (column, slot * lanes + (gint64) (i / n)) + i % n;
}

/* NULL where steps hold no slots. */
static const ReelColumn *
find_index (ReelStorage *storage, gsize *n_elements)
{
  const ReelColumn *column = find_column (storage, INDEX);

  if (!column || column->dtype != REEL_DTYPE_INT64 || column->step_bytes == 0)
    return NULL;
  *n_elements = column->step_bytes / sizeof (gint64);
  return column;
}

/* A key of that name by a writer other than TensorDictRoundRobinWriter is no index. @step: the
 * number of the first in @index, which has @n_slots. */
static gboolean
holds_slots (const ReelRowCopy *self, gint64 from_slots, const ReelColumn *index, gsize n,
             gint64 step, gint64 n_slots)
{
  for (gint64 i = 0; i < self->n_steps; i++)
    for (gsize k = 0; k < n; k++)
      if (*index_at (index, (step + i) % n_slots, k) != (self->first_step + i) % from_slots)
        return FALSE;
  return TRUE;
}

static void
write_slots (const ReelRowCopy *self, const ReelColumn *index, gsize n, gint64 n_steps)
{
  gint64 n_slots = count_slots (self->to);

  for (gint64 i = 0; i < n_steps; i++)
    {
      gint64 slot = (self->to_step + i) % n_slots;

      for (gsize k = 0; k < n; k++)
        *index_at (index, slot, k) = slot;
    }
}

static void
renumber (const ReelRowCopy *self)
{
  gint64 n_steps = self->n_steps * (self->apart ? reel_storage_get_lanes (self->from) : 1);
  gint64 from_slots = count_slots (self->from);
  gsize n_old, n;
  const ReelColumn *old = find_index (self->from, &n_old);
  const ReelColumn *index = old ? find_index (self->to, &n) : NULL;

  if (index && holds_slots (self, from_slots, old, n_old, self->first_step, from_slots))
    write_slots (self, index, n, n_steps);
}

void
reel_row_copy_renumber (const ReelRowCopy *self, gint64 from_slots)
{
  gsize n;
  const ReelColumn *index = find_index (self->to, &n);

  if (index && holds_slots (self, from_slots, index, n, self->to_step, count_slots (self->to)))
    write_slots (self, index, n, self->n_steps);
}

/* All columns of some rows before the next rows: where either storage has records these are in the
 * cache. */
static void
copy_columns (const ReelRowCopy *self)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (self->to, &n);
  gint64 part = MAX (1, PART_ROWS / reel_storage_get_lanes (self->from)), end;
  g_autofree const ReelColumn **from = g_new (const ReelColumn *, n);

  for (guint i = 0; i < n; i++)
    from[i] = find_column (self->from, columns[i].path);
  for (gint64 begin = 0; begin < self->n_steps; begin = end)
    {
      end = MIN (begin + part, self->n_steps);
      for (guint i = 0; i < n; i++)
        if (from[i] && from[i]->step_bytes > 0)
          (self->apart ? copy_lanes : copy_steps) (self, from[i], &columns[i], begin, end);
    }
}

gint64
reel_row_copy_run (const ReelRowCopy *self)
{
  gint64 intact;

  copy_columns (self);
  renumber (self);
  /* Another process may have overwritten the oldest steps meanwhile: the
   * copy counts from here on. */
  intact = reel_storage_first_intact_row (self->from) / reel_storage_get_lanes (self->from);
  return MAX (intact, self->first_step);
}
