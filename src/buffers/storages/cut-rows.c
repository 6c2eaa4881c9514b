/* Marks the last row before a cut as truncated, where no flag ends its trajectory. */
#include "cut-rows.h"

/* NULL where the key is not stored, or is no flag. */
static guint8 *
find_flag (ReelStorage *storage, const char *path, gint64 row)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint i = reel_storage_find_column (storage, path, NULL);

  if (i < 0 || columns[i].dtype != REEL_DTYPE_BOOL || columns[i].row_bytes != 1)
    return NULL;
  return columns[i].data + (gsize) row * columns[i].row_stride;
}

gboolean
reel_storage_mark_cut (ReelStorage *self, gint64 row)
{
  guint8 *const done = find_flag (self, "next/done", row);
  guint8 *const truncated = find_flag (self, "next/truncated", row);
  const guint8 *const terminated = find_flag (self, "next/terminated", row);

  if ((done && *done) || (truncated && *truncated) || (terminated && *terminated)
      || !(done || truncated))
    return FALSE;
  if (done)
    *done = TRUE;
  if (truncated)
    *truncated = TRUE;
  return TRUE;
}
