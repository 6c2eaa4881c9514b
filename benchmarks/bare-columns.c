#include "bare-columns.h"

#include "bench.h"

#include <string.h>
#include <sys/mman.h>

#define LINE 64

static gsize
count_row_bytes (const BareColumns *self)
{
  gsize bytes = 0;

  for (guint c = 0; c < self->n; c++)
    bytes += self->columns[c].row_bytes;
  return bytes;
}

static gsize
count_bytes (const BareColumns *self)
{
  gsize row = self->record_bytes > 0 ? (gsize) self->record_bytes : count_row_bytes (self);

  return (gsize) self->rows * row;
}

void
bare_columns_open (BareColumns *self, ReelStorage *storage, gint64 batch)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  const void *blocks[BARE_COLUMNS_MOST];
  guint8 *at;

  g_assert (n <= BARE_COLUMNS_MOST);
  *self = (BareColumns){ .rows = reel_storage_get_capacity (storage), .n = n, .batch = batch };
  if (columns->row_stride > columns->row_bytes)
    self->record_bytes = (gint64) columns->row_stride;
  for (guint c = 0; c < n; c++)
    self->columns[c].row_bytes = columns[c].row_bytes;
  at = self->memory = bench_map_pages (count_bytes (self));
  for (guint c = 0; c < n; c++)
    {
      gsize bytes = (gsize) batch * MAX (columns[c].row_bytes, (gsize) self->record_bytes);

      self->columns[c].data = at;
      self->columns[c].block = g_aligned_alloc0 (bytes, 1, LINE);
      self->paths[c] = columns[c].path;
      blocks[c] = self->columns[c].block;
      at += (gsize) self->rows * columns[c].row_bytes;
    }
  self->blocks = limit_hash_new (self->paths, blocks, n);
  self->storage = g_object_ref (storage);
  self->drawn = g_new0 (gint64, batch);
}

void
bare_columns_close (BareColumns *self)
{
  for (guint c = 0; c < self->n; c++)
    g_aligned_free (self->columns[c].block);
  munmap (self->memory, count_bytes (self));
  g_free (self->drawn);
  limit_hash_free (self->blocks);
  g_object_unref (self->storage);
}

void
bare_columns_put (BareColumns *self, gint64 n)
{
  if (self->cursor + n > self->rows)
    self->cursor = 0;
  for (guint c = 0; c < self->n; c++)
    self->columns[c].block = (guint8 *) limit_hash_get (self->blocks, self->paths[c]);
  if (self->record_bytes > 0)
    limit_copies ()->records (self->memory, self->record_bytes, self->columns, (int) self->n,
                              self->cursor, n);
  else
    limit_copies ()->rows (self->columns, (int) self->n, self->cursor, n);
  self->cursor += n;
}

void
bare_columns_pick (BareColumns *self, const gint64 *rows, gint64 n)
{
  if (self->record_bytes > 0)
    limit_gathers ()->records (self->columns[0].block, self->memory, self->record_bytes, rows, n);
  else
    limit_gathers ()->columns (self->columns, (int) self->n, rows, n);
}

void
bare_columns_sample (BareColumns *self, gint64 n)
{
  limit_gathers ()->draw (&self->random, self->rows, self->drawn, n);
  bare_columns_pick (self, self->drawn, n);
}
