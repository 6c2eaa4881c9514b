#include "bare-columns.h"

#include "bench.h"
#include "limits/memory-limits.h"

#include <string.h>
#include <sys/mman.h>

static gsize
count_bytes (const BareColumns *self, guint c)
{
  return (gsize) self->rows * self->row_bytes[c];
}

/* One after another in one piece of memory, as a storage's. */
static void
map_columns (BareColumns *self)
{
  gsize bytes = 0;
  guint8 *at;

  for (guint c = 0; c < self->n; c++)
    bytes += count_bytes (self, c);
  at = bench_map_pages (bytes);
  for (guint c = 0; c < self->n; c++)
    {
      self->from[c] = at;
      at += count_bytes (self, c);
    }
}

void
bare_columns_open (BareColumns *self, ReelStorage *storage, gsize row_bytes, gint64 batch)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  *self = (BareColumns){ .rows = reel_storage_get_capacity (storage) };
  g_assert (n <= BARE_COLUMNS_MOST);
  self->n = row_bytes > 0 ? 1 : n;
  self->row_bytes[0] = row_bytes;
  for (guint c = 0; c < n && row_bytes == 0; c++)
    self->row_bytes[c] = columns[c].row_bytes;
  map_columns (self);
  for (guint c = 0; c < self->n; c++)
    self->to[c] = g_malloc ((gsize) batch * self->row_bytes[c]);
}

void
bare_columns_close (BareColumns *self)
{
  gsize bytes = 0;

  for (guint c = 0; c < self->n; c++)
    {
      bytes += count_bytes (self, c);
      g_free (self->to[c]);
    }
  munmap (self->from[0], bytes);
}

void
bare_columns_copy (const BareColumns *self, const gint64 *rows, gint64 n)
{
  for (guint c = 0; c < self->n; c++)
    limit_gather (self->to[c], self->from[c], self->row_bytes[c], rows, n);
}
