/* A storage of data that are there already. */
#include "storage-state.h"

/* Rows in the first @ndim dimensions; −1 where there are too few. */
static gint64
count_rows (const ReelTensordict *data, gint ndim, GError **error)
{
  gint n;
  const gint64 *size = reel_tensordict_get_batch_size (data, &n);
  gint64 rows = 1;

  for (gint dim = 0; dim < MIN (n, ndim); dim++)
    rows *= size[dim];
  if (n >= ndim && rows > 0)
    return rows;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a storage with ndim=%d takes data with at least %d batch dimensions, none of them "
               "empty; these have %d",
               ndim, ndim, n);
  return -1;
}

ReelStorage *
reel_storage_new_from_data (ReelTensordict *data, gint64 capacity, gint ndim, GError **error)
{
  gint64 rows = data ? count_rows (data, ndim, error) : -1;
  g_autoptr (ReelTensordict) shared = NULL;
  g_autoptr (ReelStorage) storage = NULL;
  g_autofree char *text = NULL;

  if (!data)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "Expected storage to be non-null.");
  if (rows < 0)
    return NULL;
  text = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=%d",
                          capacity < 0 ? rows : capacity, ndim);
  storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);
  shared = storage ? reel_tensordict_clone (data, FALSE, error) : NULL;
  if (!shared || !reel_storage_adopt (storage, shared, error))
    return NULL;
  reel_storage_restore (storage, 0, rows / reel_storage_get_lanes (storage));
  reel_storage_state (storage)->given = TRUE;
  return g_steal_pointer (&storage);
}
