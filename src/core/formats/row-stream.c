/* Passes the rows of a stream on to a file, part by part. */
#include "row-stream.h"

#define PART_BYTES ((gsize) 1 << 18)

gint64
reel_row_stream_part (gsize row_bytes)
{
  return (gint64) MAX (PART_BYTES / MAX (row_bytes, 1), 1);
}

gboolean
reel_row_stream_write (const ReelRowStream *self, ReelFileStream *to, GError **error)
{
  gint64 part = MIN (reel_row_stream_part (self->row_bytes), self->n_rows);
  g_autofree guint8 *rows = g_malloc ((gsize) part * self->row_bytes + 1);

  for (gint64 begin = 0, n; begin < self->n_rows; begin += n)
    {
      n = MIN (part, self->n_rows - begin);
      self->read (self->data, rows, n);
      if (!reel_file_stream_write (to, rows, (gsize) n * self->row_bytes, error))
        return FALSE;
    }
  return TRUE;
}
