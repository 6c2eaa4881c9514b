/* The readers of NumPy's arrays and of gzip, given any bytes: an array, or behind a `g` one under
 * gzip. The rows of an array that is read have all bytes that its shape claims. */
#include "../../src/core/formats/npy.h"
#include "fuzz.h"

#include <stdlib.h>

typedef struct
{
  gint64 next;
  guint sum; /* so that every byte is looked at */
  gsize row_bytes;
} Rows;

static void
take (gpointer data, gint64 first, gint64 n, const guint8 *rows)
{
  Rows *self = data;

  if (first != self->next)
    abort ();
  self->next += n;
  for (gsize i = 0; i < (gsize) n * self->row_bytes; i++)
    self->sum += rows[i];
}

static gboolean
read_array (ReelMemory *memory, gboolean is_packed, GError **error)
{
  g_autoptr (ReelByteStream) stream =
      is_packed ? reel_byte_stream_new_gzip (memory) : reel_byte_stream_new (memory);
  ReelArrayInfo array;
  Rows rows = { 0 };

  if (!reel_npy_read_header (stream, &array, NULL, error))
    return FALSE;
  if (array.dtype < 0 || array.ndim < 1)
    return TRUE;
  rows.row_bytes = reel_dtype_size ((ReelDtype) array.dtype);
  for (gint d = 1; d < array.ndim; d++)
    rows.row_bytes *= (gsize) array.shape[d];
  if (!reel_npy_read_rows (stream, &array, take, &rows, error))
    return FALSE;
  if (rows.row_bytes > 0 && rows.next != array.shape[0])
    abort ();
  return TRUE;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const gboolean is_packed = size > 0 && *data == 'g';
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelMemory) memory = reel_memory_new_wrapped (
      REEL_MEMORY_HEAP, (gpointer) (data + is_packed), size - is_packed, NULL, NULL);
  gboolean read = read_array (memory, is_packed, &error);

  if (read != (error == NULL) || read != read_array (memory, is_packed, NULL))
    abort ();
  return 0;
}
