#include "power-loss.h"

#include "../src/core/system/file-ops.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define SECTOR 512

/* The durable part of one inode. Its descriptor keeps the inode's number from being used again. */
typedef struct
{
  int fd;
  gboolean is_directory;
  GByteArray *disk;  /* of a file: what a power loss leaves */
  GByteArray *clean; /* as long: what the system believes to be there */
  GHashTable *names; /* of a directory: name → inode number, or NULL */
} Inode;

struct _PowerLoss
{
  const ReelFileOps *next;
  ReelFileOps ops;
  char *root;
  GHashTable *inodes; /* number → Inode */
  gint64 n_syncs;     /* of files */
  gint64 failing;     /* the one of them that fails, 0 for none */
};

/* Which changed sectors go to the disk. */
typedef enum
{
  WRITE_ALL,
  WRITE_SOME,
} Write;

static PowerLoss *recording;

static void
inode_free (gpointer data)
{
  Inode *inode = data;

  close (inode->fd);
  g_byte_array_unref (inode->disk);
  g_byte_array_unref (inode->clean);
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
      inode->disk = g_byte_array_new ();
      inode->clean = g_byte_array_new ();
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

static GByteArray *
read_content (const Inode *inode)
{
  GByteArray *bytes = g_byte_array_new ();
  int fd = reopen (inode->fd, O_RDONLY);
  guint8 part[65536];
  ssize_t got;
  off_t offset = 0;

  for (; (got = pread (fd, part, sizeof part, offset)) > 0; offset += got)
    g_byte_array_append (bytes, part, (guint) got);
  g_assert_cmpint (got, ==, 0);
  close (fd);
  return bytes;
}

static void
set_length (GByteArray *bytes, guint length)
{
  guint before = bytes->len;

  g_byte_array_set_size (bytes, length);
  if (length > before)
    memset (bytes->data + before, 0, length - before);
}

/* Sectors that the system believes to be on the disk are not written again. */
static void
write_content (Inode *inode, Write write)
{
  g_autoptr (GByteArray) now = read_content (inode);

  if (write == WRITE_ALL || g_test_rand_bit ())
    {
      set_length (inode->disk, now->len);
      set_length (inode->clean, now->len);
    }
  for (guint at = 0; at < MIN (now->len, inode->disk->len); at += SECTOR)
    {
      guint n = MIN (SECTOR, MIN (now->len, inode->disk->len) - at);

      if (memcmp (inode->clean->data + at, now->data + at, n) == 0
          || (write == WRITE_SOME && g_test_rand_bit ()))
        continue;
      memcpy (inode->disk->data + at, now->data + at, n);
      memcpy (inode->clean->data + at, now->data + at, n);
    }
}

/* Of what was not written the system says so once, and calls it clean from then on. */
static void
drop_content (Inode *inode)
{
  write_content (inode, WRITE_SOME);
  g_byte_array_unref (inode->clean);
  inode->clean = read_content (inode);
  set_length (inode->disk, inode->clean->len);
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

static Inode *
look_up (PowerLoss *loss, int fd)
{
  gint64 number = watch (loss, reopen (fd, O_PATH));

  return g_hash_table_lookup (loss->inodes, &number);
}

static void
write_names (PowerLoss *loss, Inode *inode)
{
  GHashTable *names = names_in (loss, inode->fd);

  g_clear_pointer (&inode->names, g_hash_table_unref);
  inode->names = names;
}

/* All that is below a directory goes to the disk, or some of it. */
static void
write_tree (PowerLoss *loss, int fd, Write write)
{
  Inode *inode = look_up (loss, fd);
  g_autoptr (GHashTable) names = NULL;
  GHashTableIter iter;
  gpointer name;

  if (!inode->is_directory)
    {
      write_content (inode, write);
      return;
    }
  if (write == WRITE_ALL || g_test_rand_bit ())
    write_names (loss, inode);
  names = names_in (loss, fd);
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      int below = openat (fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

      write_tree (loss, below, write);
      close (below);
    }
}

/* fsync and fdatasync alike. */
static int
record_sync (int fd, int (*sync) (int fd))
{
  Inode *inode = look_up (recording, fd);

  if (!inode->is_directory && ++recording->n_syncs == recording->failing)
    {
      drop_content (inode);
      errno = EIO;
      return -1;
    }
  if (sync (fd) != 0)
    return -1;
  if (inode->is_directory)
    write_names (recording, inode);
  else
    write_content (inode, WRITE_ALL);
  return 0;
}

static int
recorded_fsync (int fd)
{
  return record_sync (fd, recording->next->fsync);
}

static int
recorded_fdatasync (int fd)
{
  return record_sync (fd, recording->next->fdatasync);
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
  const GByteArray *disk = inode->disk;

  if (inode->is_directory)
    rebuild_directory (loss, names, inode, target);
  else
    g_assert_true (g_file_set_contents (target, disk->len ? (const char *) disk->data : "",
                                        (gssize) disk->len, NULL));
}

static void
write_root (PowerLoss *loss, Write write)
{
  int fd = open (loss->root, O_PATH | O_CLOEXEC);

  write_tree (loss, fd, write);
  close (fd);
}

PowerLoss *
power_loss_begin (const char *root)
{
  PowerLoss *loss = g_new0 (PowerLoss, 1);

  g_assert_null (recording);
  loss->root = g_strdup (root);
  loss->inodes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, inode_free);
  write_root (loss, WRITE_ALL);
  loss->next = reel_file_ops ();
  loss->ops = *loss->next;
  loss->ops.fsync = recorded_fsync;
  loss->ops.fdatasync = recorded_fdatasync;
  recording = loss;
  reel_file_ops_set (&loss->ops);
  return loss;
}

void
power_loss_fail_sync (PowerLoss *loss, gint64 nth)
{
  loss->failing = nth > 0 ? loss->n_syncs + nth : 0;
}

gboolean
power_loss_sync_failed (const PowerLoss *loss)
{
  return loss->failing > 0 && loss->n_syncs >= loss->failing;
}

void
power_loss_write_some (PowerLoss *loss)
{
  write_root (loss, WRITE_SOME);
}

void
power_loss_rebuild (PowerLoss *loss, PowerLossNames names, const char *target)
{
  gint64 number = watch (loss, open (loss->root, O_PATH | O_CLOEXEC));

  if (names == POWER_LOSS_TORN || names == POWER_LOSS_NONE)
    write_root (loss, names == POWER_LOSS_TORN ? WRITE_SOME : WRITE_ALL);
  rebuild_inode (loss, names, number, target);
}

void
power_loss_reboot (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, "reel.json", NULL);
  g_autofree char *text = NULL, *by = NULL;
  g_auto (GStrv) parts = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  parts = g_strsplit (text, "\"boot_id\":\"", -1);
  by = g_strjoinv ("\"boot_id\":\"another-", parts);
  g_assert_true (g_file_set_contents (path, by, -1, NULL));
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
