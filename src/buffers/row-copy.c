#include "row-copy.h"

#include "storage-private.h"

#include <string.h>

#define INDEX "index"

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

/* Pieces that go round neither ring's end. */
static void
copy_steps (const ReelRowCopy *self, const ReelColumn *from, const ReelColumn *to)
{
  gint64 from_slots = count_slots (self->from), to_slots = count_slots (self->to);

  for (gint64 i = 0, n; i < self->n_steps; i += n)
    {
      gint64 slot = (self->first_step + i) % from_slots, to_slot = (self->to_step + i) % to_slots;

      n = MIN (MIN (from_slots - slot, to_slots - to_slot), self->n_steps - i);
      memcpy (to->data + (gsize) to_slot * to->step_bytes,
              from->data + (gsize) slot * from->step_bytes, (gsize) n * from->step_bytes);
    }
}

static void
copy_lanes (const ReelRowCopy *self, const ReelColumn *from, const ReelColumn *to)
{
  gint64 from_slots = count_slots (self->from), lanes = reel_storage_get_lanes (self->from);
  gsize size = from->row_bytes;

  for (gint64 i = 0; i < self->n_steps; i++)
    {
      const guint8 *step =
          from->data + (gsize) ((self->first_step + i) % from_slots) * from->step_bytes;

      for (gint64 lane = 0; lane < lanes; lane++)
        memcpy (to->data + (gsize) (lane * self->n_steps + i) * size, step + (gsize) lane * size,
                size);
    }
}

/* ---- rows that hold their own slot
 * ------------------------------------------------------------------ */

/* The first element of each step; NULL where steps hold no slots. */
static gint64 *
find_index (ReelStorage *storage, gsize *n_elements)
{
  const ReelColumn *column = find_column (storage, INDEX);

  if (!column || column->dtype != REEL_DTYPE_INT64 || column->step_bytes == 0)
    return NULL;
  *n_elements = column->step_bytes / sizeof (gint64);
  return (gint64 *) column->data;
}

/* What another than TorchRL's TensorDictRoundRobinWriter wrote under that name is none. */
static gboolean
holds_slots (const ReelRowCopy *self, const gint64 *index, gsize n)
{
  gint64 n_slots = count_slots (self->from);

  for (gint64 i = 0; i < self->n_steps; i++)
    {
      gint64 slot = (self->first_step + i) % n_slots;

      for (gsize k = 0; k < n; k++)
        if (index[(gsize) slot * n + k] != slot)
          return FALSE;
    }
  return TRUE;
}

static void
renumber (const ReelRowCopy *self)
{
  gint64 n_slots = count_slots (self->to);
  gint64 n_steps = self->n_steps * (self->apart ? reel_storage_get_lanes (self->from) : 1);
  gsize n_old, n;
  const gint64 *old = find_index (self->from, &n_old);
  gint64 *index = old ? find_index (self->to, &n) : NULL;

  if (!index || !holds_slots (self, old, n_old))
    return;
  for (gint64 i = 0; i < n_steps; i++)
    {
      gint64 slot = (self->to_step + i) % n_slots;

      for (gsize k = 0; k < n; k++)
        index[(gsize) slot * n + k] = slot;
    }
}

gint64
reel_row_copy_run (const ReelRowCopy *self)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (self->to, &n);
  gint64 intact;

  for (guint i = 0; i < n; i++)
    {
      const ReelColumn *from = find_column (self->from, columns[i].path);

      if (from && from->step_bytes > 0)
        (self->apart ? copy_lanes : copy_steps) (self, from, &columns[i]);
    }
  renumber (self);
  intact = reel_storage_first_intact_row (self->from) / reel_storage_get_lanes (self->from);
  return MAX (intact, self->first_step);
}
