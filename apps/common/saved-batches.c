#include "saved-batches.h"

static gboolean
has_file (const char *path, const char *name)
{
  g_autofree char *file = g_build_filename (path, name, NULL);

  return g_file_test (file, G_FILE_TEST_IS_REGULAR);
}

static char *
batch_path (const char *path, gint64 i)
{
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, i);

  return g_build_filename (path, name, NULL);
}

gboolean
saved_batches_are_at (const char *path)
{
  g_autofree char *first = batch_path (path, 0);

  return !has_file (path, "buffer_metadata.json") && !has_file (path, "reel.ring")
         && !has_file (path, "storage_metadata.json")
         && (has_file (path, "meta.json") || has_file (first, "meta.json"));
}

static gboolean
add_batch (GPtrArray *batches, const char *path, GError **error)
{
  g_autoptr (ReelTensordict) batch = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, error);
  gint ndim = 0;

  if (!batch)
    return FALSE;
  reel_tensordict_get_batch_size (batch, &ndim);
  if (ndim == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot read %s: it is a TensorDict without rows", path);
      return FALSE;
    }
  g_ptr_array_add (batches, g_steal_pointer (&batch));
  return TRUE;
}

static gboolean
add_batches (GPtrArray *batches, const char *path, GError **error)
{
  if (has_file (path, "meta.json"))
    return add_batch (batches, path, error);
  for (gint64 i = 0;; i++)
    {
      g_autofree char *below = batch_path (path, i);

      if (!g_file_test (below, G_FILE_TEST_IS_DIR))
        return TRUE;
      if (!add_batch (batches, below, error))
        return FALSE;
    }
}

/* One is taken as it is mapped: a dataset may be larger than memory. */
static ReelTensordict *
join (const GPtrArray *batches, GError **error)
{
  if (batches->len == 1)
    return reel_tensordict_ref (batches->pdata[0]);
  return reel_tensordict_cat ((ReelTensordict *const *) batches->pdata, batches->len, 0, error);
}

ReelReplayBuffer *
saved_batches_open (const char *path, GError **error)
{
  g_autoptr (GPtrArray) batches =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  if (!add_batches (batches, path, error))
    return NULL;
  g_autoptr (ReelTensordict) rows = join (batches, error);
  g_autoptr (ReelStorage) storage = rows ? reel_storage_new_from_data (rows, -1, 1, error) : NULL;
  return storage ? reel_replay_buffer_new (storage, NULL, NULL, 0, error) : NULL;
}
