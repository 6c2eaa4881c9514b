#include "power-loss.h"

#include "../src/core/file-ops.h"

#include <string.h>
#include <unistd.h>

/* What was durable of one inode. Its descriptor keeps the inode's number from being used again. */
typedef struct
{
  int fd;
  gboolean is_directory;
  GBytes *content;   /* of a file: as last synced, or NULL */
  GHashTable *names; /* of a directory: name → inode number, as last synced, or NULL */
} Inode;

struct _PowerLoss
{
  const ReelFileOps *next;
  ReelFileOps ops;
  char *root;
  GHashTable *inodes; /* number → Inode */
};

static PowerLoss *recording;

static void
inode_free (gpointer data)
{
  Inode *inode = data;

  close (inode->fd);
  g_clear_pointer (&inode->content, g_bytes_unref);
  g_clear_pointer (&inode->names, g_hash_table_unref);
  g_free (inode);
}

static gint64 *
key_of (gint64 number)
{
  return g_memdup2 (&number, sizeof number);
}

/* Takes fd, which may be an O_PATH one. */
static gint64
watch (PowerLoss *loss, int fd)
{
  struct stat status;
  gint64 number;

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (fstat (fd, &status), ==, 0);
  number = (gint64) status.st_ino;
  if (g_hash_table_contains (loss->inodes, &number))
    close (fd);
  else
    {
      Inode *inode = g_new0 (Inode, 1);

      inode->fd = fd;
      inode->is_directory = S_ISDIR (status.st_mode);
      g_hash_table_insert (loss->inodes, key_of (number), inode);
    }
  return number;
}

static int
reopen (int fd, int flags)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);

  return open (path, flags | O_CLOEXEC);
}

static void
keep_content (Inode *inode, int fd)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 part[65536];
  ssize_t got;
  off_t offset = 0;

  for (; (got = pread (fd, part, sizeof part, offset)) > 0; offset += got)
    g_byte_array_append (bytes, part, (guint) got);
  g_assert_cmpint (got, ==, 0);
  g_clear_pointer (&inode->content, g_bytes_unref);
  inode->content = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

static GHashTable *
names_in (PowerLoss *loss, int fd)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  DIR *directory = fdopendir (reopen (fd, O_RDONLY | O_DIRECTORY));
  struct dirent *entry;

  g_assert_nonnull (directory);
  while ((entry = readdir (directory)))
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      g_hash_table_insert (
          names, g_strdup (entry->d_name),
          key_of (watch (loss, openat (fd, entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC))));
  closedir (directory);
  return names;
}

/* Notes an inode as durable, and with deep all that a directory holds. */
static void
keep (PowerLoss *loss, int fd, gboolean deep)
{
  gint64 number = watch (loss, reopen (fd, O_PATH));
  Inode *inode = g_hash_table_lookup (loss->inodes, &number);
  GHashTableIter names;
  gpointer name;

  if (!inode->is_directory)
    {
      int readable = reopen (fd, O_RDONLY);

      keep_content (inode, readable);
      close (readable);
      return;
    }
  g_clear_pointer (&inode->names, g_hash_table_unref);
  inode->names = names_in (loss, fd);
  g_hash_table_iter_init (&names, inode->names);
  while (deep && g_hash_table_iter_next (&names, &name, NULL))
    {
      int below = openat (fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

      keep (loss, below, TRUE);
      close (below);
    }
}

static int
recorded_fsync (int fd)
{
  int result = recording->next->fsync (fd);

  if (result == 0)
    keep (recording, fd, FALSE);
  return result;
}

static int
recorded_fdatasync (int fd)
{
  int result = recording->next->fdatasync (fd);

  if (result == 0)
    keep (recording, fd, FALSE);
  return result;
}

static void rebuild_inode (PowerLoss *loss, PowerLossNames names, gint64 number,
                           const char *target);

static void
rebuild_directory (PowerLoss *loss, PowerLossNames names, const Inode *inode, const char *target)
{
  g_autoptr (GHashTable) entries = NULL;
  GHashTableIter iter;
  gpointer name, number;

  g_assert_cmpint (mkdir (target, 0777), ==, 0);
  if (names == POWER_LOSS_ALL_NAMES)
    entries = names_in (loss, inode->fd);
  else if (inode->names)
    entries = g_hash_table_ref (inode->names);
  else
    return;
  g_hash_table_iter_init (&iter, entries);
  while (g_hash_table_iter_next (&iter, &name, &number))
    {
      g_autofree char *below = g_build_filename (target, name, NULL);

      rebuild_inode (loss, names, *(gint64 *) number, below);
    }
}

static void
rebuild_inode (PowerLoss *loss, PowerLossNames names, gint64 number, const char *target)
{
  const Inode *inode = g_hash_table_lookup (loss->inodes, &number);
  gsize length = 0;
  const char *data = inode->content ? g_bytes_get_data (inode->content, &length) : "";

  if (inode->is_directory)
    rebuild_directory (loss, names, inode, target);
  else
    g_assert_true (g_file_set_contents (target, data ? data : "", (gssize) length, NULL));
}

PowerLoss *
power_loss_begin (const char *root)
{
  PowerLoss *loss = g_new0 (PowerLoss, 1);
  int fd = open (root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  g_assert_null (recording);
  g_assert_cmpint (fd, >=, 0);
  loss->root = g_strdup (root);
  loss->inodes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, inode_free);
  keep (loss, fd, TRUE);
  close (fd);
  loss->next = reel_file_ops ();
  loss->ops = *loss->next;
  loss->ops.fsync = recorded_fsync;
  loss->ops.fdatasync = recorded_fdatasync;
  recording = loss;
  reel_file_ops_set (&loss->ops);
  return loss;
}

void
power_loss_rebuild (PowerLoss *loss, PowerLossNames names, const char *target)
{
  gint64 number = watch (loss, open (loss->root, O_PATH | O_CLOEXEC));

  rebuild_inode (loss, names, number, target);
}

void
power_loss_end (PowerLoss *loss)
{
  reel_file_ops_set (loss->next);
  recording = NULL;
  g_hash_table_unref (loss->inodes);
  g_free (loss->root);
  g_free (loss);
}
