/* The reader of ARFF, given any bytes. A table that is read has a value for each column in every
 * row, and reads the same again. */
#include "../../src/core/formats/arff.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static gboolean
read_rows (ReelArff *arff, gsize *sum, GError **error)
{
  const guint n = reel_arff_get_columns (arff)->len;
  const char *const *cells;

  do
    {
      if (!reel_arff_next (arff, &cells, error))
        return FALSE;
      for (guint i = 0; cells && i < n; i++)
        *sum = *sum * 31 + (cells[i] ? strlen (cells[i]) + 1 : 0);
    }
  while (cells);
  return TRUE;
}

static gboolean
read_table (ReelMemory *memory, gsize *sum, GError **error)
{
  g_autoptr (ReelByteStream) stream = reel_byte_stream_new (memory);
  g_autoptr (ReelArff) arff = reel_arff_new (stream, error);

  *sum = 0;
  return arff && read_rows (arff, sum, error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, (gpointer) data, size, NULL, NULL);
  gsize sum, again;
  gboolean read = read_table (memory, &sum, &error);

  if (read != (error == NULL) || read != read_table (memory, &again, NULL) || sum != again
      || (error && !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  return 0;
}
