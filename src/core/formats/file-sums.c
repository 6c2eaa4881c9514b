/* A table from the paths of files to the checksums of their blocks. */
#include "file-sums.h"

ReelFileSums *
reel_file_sums_new (gsize block)
{
  ReelFileSums *self;

  g_return_val_if_fail (block > 0, NULL);
  self = g_new (ReelFileSums, 1);
  self->block = block;
  self->files =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  return self;
}

void
reel_file_sums_free (ReelFileSums *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->files);
  g_free (self);
}

void
reel_file_sums_set (ReelFileSums *self, const char *path, GArray *sums)
{
  g_hash_table_replace (self->files, g_strdup (path), sums);
}

const GArray *
reel_file_sums_get (const ReelFileSums *self, const char *path)
{
  return self ? g_hash_table_lookup (self->files, path) : NULL;
}
