/* Lists device, inode, size and time of all files of a checkpoint, to compare them with those of
 * later. Stores of a mapping change the time late, so they go unseen. */
#include "checkpoint-fingerprint.h"

#include "../../core/system/directories.h"
#include "../../core/object/error.h"
#include "../../core/system/file-ops.h"
#include "checkpoint-files.h"

#include <errno.h>

typedef struct
{
  char *path;
  guint64 device, inode;
  gint64 size, seconds, nanoseconds;
} File;

struct _ReelCheckpointFingerprint
{
  char *path;
  GArray *files;
};

static void
clear_file (gpointer file)
{
  g_free (((File *) file)->path);
}

/* Directories count by what is in them. */
static void
look_at (const char *path, GArray *files)
{
  struct stat status;
  g_auto (GStrv) names = NULL;

  if (TEMP_FAILURE_RETRY (reel_file_ops ()->fstatat (AT_FDCWD, path, &status, 0)) != 0)
    return;
  if (!S_ISDIR (status.st_mode))
    {
      File file = { g_strdup (path), status.st_dev,         status.st_ino,
                    status.st_size,  status.st_mtim.tv_sec, status.st_mtim.tv_nsec };

      g_array_append_val (files, file);
      return;
    }
  names = reel_directory_list (path, NULL);
  for (gsize i = 0; names && names[i]; i++)
    {
      g_autofree char *below = g_build_filename (path, names[i], NULL);

      look_at (below, files);
    }
}

/* A member of an ensemble lies in several places. */
ReelCheckpointFingerprint *
reel_checkpoint_fingerprint_new (const char *path)
{
  static const char *const parts[] = { "storage", "sampler", "writer", "prefetch" };
  ReelCheckpointFingerprint *self = g_new (ReelCheckpointFingerprint, 1);

  self->path = g_strdup (path);
  self->files = g_array_new (FALSE, FALSE, sizeof (File));
  g_array_set_clear_func (self->files, clear_file);
  if (!reel_checkpoint_is_member (path))
    {
      look_at (path, self->files);
      return self;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *part = reel_checkpoint_part (path, parts[i]);

      look_at (part, self->files);
    }
  return self;
}

void
reel_checkpoint_fingerprint_free (ReelCheckpointFingerprint *self)
{
  if (!self)
    return;
  g_array_unref (self->files);
  g_free (self->path);
  g_free (self);
}

static gboolean
is_same_file (const File *a, const File *b)
{
  return a->device == b->device && a->inode == b->inode;
}

static gboolean
is_unchanged (const File *a, const File *b)
{
  return a->size == b->size && a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

gboolean
reel_checkpoint_fingerprint_differs (const ReelCheckpointFingerprint *self)
{
  g_autoptr (ReelCheckpointFingerprint) now = reel_checkpoint_fingerprint_new (self->path);
  gboolean same = now->files->len == self->files->len;

  for (guint i = 0; same && i < now->files->len; i++)
    {
      const File *a = &g_array_index (self->files, File, i);
      const File *b = &g_array_index (now->files, File, i);

      same = g_str_equal (a->path, b->path) && is_same_file (a, b) && is_unchanged (a, b);
    }
  return !same;
}

char *
reel_checkpoint_fingerprint_find_rewritten (const ReelCheckpointFingerprint *self)
{
  g_autoptr (ReelCheckpointFingerprint) now = reel_checkpoint_fingerprint_new (self->path);
  g_autoptr (GHashTable) before = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->files->len; i++)
    {
      File *file = &g_array_index (self->files, File, i);

      g_hash_table_insert (before, file->path, file);
    }
  for (guint i = 0; i < now->files->len; i++)
    {
      const File *file = &g_array_index (now->files, File, i);
      const File *was = g_hash_table_lookup (before, file->path);

      if (was && is_same_file (was, file) && !is_unchanged (was, file))
        return g_strdup (file->path);
    }
  return NULL;
}

void
reel_checkpoint_set_unsteady (const char *path, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: another process changed its files each of the %d times that they were read; "
               "wait until it is done",
               path, REEL_CHECKPOINT_ATTEMPTS);
}
