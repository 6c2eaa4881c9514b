#include "files.h"
#include "directories.h"
#include "../object/error.h"
#include "file-ops.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYNC_GROUP 64 /* files open at once while they are synced by path */

gboolean
reel_path_check_inside (const char *path, const char *directory, GError **error)
{
  char *inner = realpath (path, NULL), *outer = realpath (directory, NULL);
  gsize length = outer ? strlen (outer) : 0;
  gboolean inside = !inner || !outer
                    || (strncmp (inner, outer, length) == 0
                        && (length == 1 || inner[length] == '/' || inner[length] == '\0'));

  if (!inside)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s: leads to %s, outside of %s, which must not be written; put a copy in the "
                 "place of the link",
                 path, inner, directory);
  free (inner);
  free (outer);
  return inside;
}

/* For what has failed already: the first error is the one to tell. */
static void
close_quietly (int fd)
{
  reel_file_ops ()->close (fd);
}

int
reel_file_open_sized (const char *path, gboolean writable, gint64 *size, GError **error)
{
  int flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int fd = TEMP_FAILURE_RETRY (reel_file_ops ()->openat (AT_FDCWD, path, flags, 0));
  struct stat status;

  if (fd < 0)
    {
      reel_set_error_errno (error, errno, "%s: could not be opened", path);
      return -1;
    }
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->fstat (fd, &status)) != 0)
    reel_set_error_errno (error, errno, "%s: could not be examined", path);
  else if (!S_ISREG (status.st_mode))
    reel_set_error_errno (error, S_ISDIR (status.st_mode) ? EISDIR : EINVAL,
                          "%s: is not a regular file", path);
  else
    {
      *size = status.st_size;
      return fd;
    }
  close_quietly (fd);
  return -1;
}

int
reel_file_open (const char *path, gboolean writable, GError **error)
{
  gint64 size;

  return reel_file_open_sized (path, writable, &size, error);
}

gboolean
reel_file_close (int fd, const char *path, GError **error)
{
  /* Linux closes the descriptor even when interrupted; repeating could close another thread's. */
  if (reel_file_ops ()->close (fd) == 0 || errno == EINTR)
    return TRUE;
  reel_set_error_errno (error, errno, "%s: cannot be closed; bytes written to it may be lost",
                        path);
  return FALSE;
}

gint64
reel_file_size (int fd, const char *path, GError **error)
{
  struct stat status;

  if (TEMP_FAILURE_RETRY (reel_file_ops ()->fstat (fd, &status)) == 0)
    return status.st_size;
  reel_set_error_errno (error, errno, "%s: could not be examined", path);
  return -1;
}

/* Reads on to the end, because the sizes of files under /proc are zero. */
static gboolean
read_to_end (int fd, const char *path, gsize limit, GByteArray *bytes, GError **error)
{
  guint8 part[16384];
  ssize_t got;

  while ((got = TEMP_FAILURE_RETRY (reel_file_ops ()->read (fd, part, sizeof part))) > 0)
    {
      if (bytes->len + (gsize) got > limit)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "%s: larger than the %" G_GSIZE_FORMAT " bytes that such a file may hold",
                       path, limit);
          return FALSE;
        }
      g_byte_array_append (bytes, part, (guint) got);
    }
  if (got == 0)
    return TRUE;
  reel_set_error_errno (error, errno, "%s: could not be read", path);
  return FALSE;
}

char *
reel_file_read (const char *path, gsize limit, gsize *length, GError **error)
{
  int fd = reel_file_open (path, FALSE, error);
  GByteArray *bytes;

  if (fd < 0)
    return NULL;
  bytes = g_byte_array_new ();
  if (!read_to_end (fd, path, MIN (limit, G_MAXUINT - 1), bytes, error))
    {
      close_quietly (fd);
      g_byte_array_unref (bytes);
      return NULL;
    }
  close_quietly (fd);
  if (length)
    *length = bytes->len;
  g_byte_array_append (bytes, (const guint8 *) "", 1);
  return (char *) g_byte_array_free (bytes, FALSE);
}

gboolean
reel_file_write_at (int fd, const char *path, gconstpointer data, gsize length, gint64 offset,
                    GError **error)
{
  const guint8 *at = data;

  while (length > 0)
    {
      ssize_t put = TEMP_FAILURE_RETRY (reel_file_ops ()->pwrite (fd, at, length, offset));

      if (put <= 0)
        {
          reel_set_error_errno (error, put < 0 ? errno : EIO, "%s: could not be written", path);
          return FALSE;
        }
      at += put;
      length -= (gsize) put;
      offset += put;
    }
  return TRUE;
}

/* Where nothing may be yet. Errors name the file that is wanted. */
static int
create_exclusively (const char *path, const char *wanted, GError **error)
{
  int fd = TEMP_FAILURE_RETRY (
      reel_file_ops ()->openat (AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));

  if (fd < 0)
    reel_set_error_errno (error, errno, "%s: could not be created", wanted);
  return fd;
}

/* Unlinks what this process has just made, where the first error is the one to tell. */
static void
remove_quietly (const char *path)
{
  reel_file_ops ()->unlinkat (AT_FDCWD, path, 0);
}

/* Only a head start: a failure here comes back from fdatasync. */
void
reel_file_write_back (int fd, gint64 offset, gint64 length)
{
  reel_file_ops ()->sync_file_range (fd, offset, length, SYNC_FILE_RANGE_WRITE);
}

int
reel_file_begin_temporary (const char *path, char **temporary, GError **error)
{
  g_autofree char *beside = reel_path_temporary (path, error);
  int fd = beside ? create_exclusively (beside, path, error) : -1;

  *temporary = fd >= 0 ? g_steal_pointer (&beside) : NULL;
  return fd;
}

gboolean
reel_file_end_temporary (int fd, const char *path, gboolean written, GError **error)
{
  if (written)
    reel_file_write_back (fd, 0, 0);
  return reel_file_close (fd, path, written ? error : NULL) && written;
}

static gboolean
write_beside (const ReelFileContent *file, ReelFileHandle *temporary, GError **error)
{
  temporary->fd = reel_file_begin_temporary (file->path, (char **) &temporary->path, error);
  return temporary->fd >= 0
         && reel_file_write_at (temporary->fd, file->path, file->data, file->length, 0, error);
}

/* Whether a file may take the place of what has the name: a device would be lost to all. */
static gboolean
is_replaceable (const char *path)
{
  struct stat status;

  return TEMP_FAILURE_RETRY (
             reel_file_ops ()->fstatat (AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW))
             != 0
         || S_ISREG (status.st_mode) || S_ISDIR (status.st_mode);
}

/* write() of all; errno says why not. */
static gboolean
write_whole (int fd, const guint8 *data, gsize length)
{
  for (ssize_t put; length > 0; data += put, length -= (gsize) put)
    {
      put = TEMP_FAILURE_RETRY (reel_file_ops ()->write (fd, data, length));
      if (put == 0)
        errno = EIO;
      if (put <= 0)
        return FALSE;
    }
  return TRUE;
}

/* A pipe whose reader has gone is an error as others, and no signal that ends whoever writes. One
 * that waited before is not ours to take. */
static gboolean
write_unsignalled (int fd, const guint8 *data, gsize length)
{
  static const struct timespec at_once;
  sigset_t pipe, before, waiting;

  sigemptyset (&pipe);
  sigaddset (&pipe, SIGPIPE);
  sigpending (&waiting);
  pthread_sigmask (SIG_BLOCK, &pipe, &before);

  gboolean written = write_whole (fd, data, length);
  int reason = errno;

  if (!written && reason == EPIPE && !sigismember (&waiting, SIGPIPE))
    TEMP_FAILURE_RETRY (sigtimedwait (&pipe, NULL, &at_once));
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  errno = reason;
  return written;
}

/* Byte after byte, for what has no places. */
static gboolean
write_into (const ReelFileContent *file, ReelFileHandle *handle, GError **error)
{
  handle->fd = TEMP_FAILURE_RETRY (reel_file_ops ()->openat (
      AT_FDCWD, file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (handle->fd >= 0 && write_unsignalled (handle->fd, file->data, file->length))
    return TRUE;
  reel_set_error_errno (error, errno, "%s: could not be written", file->path);
  return FALSE;
}

gboolean
reel_file_rename (const char *from, const char *to, GError **error)
{
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->renameat2 (AT_FDCWD, from, AT_FDCWD, to, 0)) == 0)
    return TRUE;
  reel_set_error_errno (error, errno, "%s: could not be put in place", to);
  return FALSE;
}

static gboolean
sync_parents (const ReelFileContent *files, gsize n_files, GError **error)
{
  g_autoptr (GPtrArray) parents = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < n_files; i++)
    {
      char *parent = g_path_get_dirname (files[i].path);

      if (g_ptr_array_find_with_equal_func (parents, parent, g_str_equal, NULL))
        g_free (parent);
      else
        g_ptr_array_add (parents, parent);
    }
  return reel_files_sync (NULL, 0, (const char *const *) parents->pdata, parents->len, error);
}

/* Errors name the files that are wanted. */
static gboolean
sync_temporaries (const ReelFileContent *files, const ReelFileHandle *temporaries, gsize n_files,
                  GError **error)
{
  g_autofree ReelFileHandle *handles = g_new (ReelFileHandle, n_files);

  for (gsize i = 0; i < n_files; i++)
    handles[i] = (ReelFileHandle){ files[i].path, temporaries[i].fd };
  return reel_files_sync (handles, n_files, NULL, 0, error);
}

/* Puts the temporaries in place; those that stand there have no path any more, and what was written
 * as it stands never had one. */
static gboolean
write_all (const ReelFileContent *files, ReelFileHandle *temporaries, gsize n_files,
           gboolean durable, GError **error)
{
  for (gsize i = 0; i < n_files; i++)
    if (!(is_replaceable (files[i].path) ? write_beside : write_into) (&files[i], &temporaries[i],
                                                                       error))
      return FALSE;
  if (durable && !sync_temporaries (files, temporaries, n_files, error))
    return FALSE;
  for (gsize i = 0; i < n_files; i++)
    {
      int fd = temporaries[i].fd;

      temporaries[i].fd = -1;
      if (!reel_file_close (fd, files[i].path, error))
        return FALSE;
      if (!temporaries[i].path)
        continue;
      if (!reel_file_rename (temporaries[i].path, files[i].path, error))
        return FALSE;
      g_free ((char *) temporaries[i].path);
      temporaries[i].path = NULL;
    }
  return !durable || sync_parents (files, n_files, error);
}

static gboolean
is_of_type (const char *path, int flags, mode_t type)
{
  struct stat status;

  return TEMP_FAILURE_RETRY (reel_file_ops ()->fstatat (AT_FDCWD, path, &status, flags)) == 0
         && (status.st_mode & S_IFMT) == type;
}

/* The file that a link leads to, so that it is replaced and the link stays. Other
 * targets, such as a pipe, need not have a name. */
static char *
follow (const char *path)
{
  gboolean link = is_of_type (path, AT_SYMLINK_NOFOLLOW, S_IFLNK);
  char *target = link ? realpath (path, NULL) : NULL;

  if (target && is_of_type (target, 0, S_IFREG))
    return target;
  free (target);
  return g_strdup (path);
}

gboolean
reel_files_write_atomic (const ReelFileContent *files, gsize n_files, gboolean durable,
                         GError **error)
{
  g_autofree ReelFileHandle *temporaries = g_new0 (ReelFileHandle, n_files);
  g_autofree ReelFileContent *followed = g_memdup2 (files, n_files * sizeof *files);
  gboolean written;

  for (gsize i = 0; i < n_files; i++)
    {
      temporaries[i].fd = -1;
      followed[i].path = follow (files[i].path);
    }
  written = write_all (followed, temporaries, n_files, durable, error);
  for (gsize i = 0; i < n_files; i++)
    {
      g_free ((char *) followed[i].path);
      if (temporaries[i].fd >= 0)
        close_quietly (temporaries[i].fd);
      if (temporaries[i].path)
        remove_quietly (temporaries[i].path);
      g_free ((char *) temporaries[i].path);
    }
  return written;
}

gboolean
reel_file_write_atomic (const char *path, gconstpointer data, gsize length, gboolean durable,
                        GError **error)
{
  const ReelFileContent file = { path, data, length };

  return reel_files_write_atomic (&file, 1, durable, error);
}

/* Asks for the space first: a file system may hand out all that it has before it finds that it is
 * not enough. */
static gboolean
reserve (int fd, const char *path, gint64 size, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);

  if (size == 0)
    return TRUE;
  if (!reel_directory_check_space (parent, size, error))
    return FALSE;
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->fallocate (fd, 0, 0, size)) == 0)
    return TRUE;
  if ((errno == EOPNOTSUPP || errno == ENOSYS)
      && TEMP_FAILURE_RETRY (reel_file_ops ()->ftruncate (fd, size)) == 0)
    return TRUE;
  reel_set_error_errno (error, errno, "%s: could not reserve %" G_GINT64_FORMAT " bytes", path,
                        size);
  return FALSE;
}

gboolean
reel_file_cut (int fd, const char *path, gint64 size, GError **error)
{
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->ftruncate (fd, size)) == 0)
    return TRUE;
  reel_set_error_errno (error, errno, "%s: could not be cut to %" G_GINT64_FORMAT " bytes", path,
                        size);
  return FALSE;
}

int
reel_file_create (const char *path, gint64 size, GError **error)
{
  int fd;

  g_return_val_if_fail (size >= 0, -1);
  fd = create_exclusively (path, path, error);
  if (fd < 0 || reserve (fd, path, size, error))
    return fd;
  close_quietly (fd);
  remove_quietly (path);
  return -1;
}

gboolean
reel_file_remove (const char *path, GError **error)
{
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->unlinkat (AT_FDCWD, path, 0)) == 0 || errno == ENOENT)
    return TRUE;
  reel_set_error_errno (error, errno, "%s: could not be removed", path);
  return FALSE;
}

/* Whether there may be nothing to wait for, as with a pipe. */
static gboolean
keeps_nothing (int fd)
{
  struct stat status;

  return reel_file_ops ()->fstat (fd, &status) == 0 && !S_ISREG (status.st_mode);
}

static gboolean
wait_durable (const ReelFileHandle *file, int fd, GError **error)
{
  int reason = TEMP_FAILURE_RETRY (reel_file_ops ()->fdatasync (fd)) == 0 ? 0 : errno;

  if (reason == 0 || (reason == EINVAL && keeps_nothing (fd)))
    return TRUE;
  errno = reason;
  reel_set_error_errno (error, errno, "%s: cannot be made durable; bytes written to it may be lost",
                        file->path);
  return FALSE;
}

static gboolean
sync_group (const ReelFileHandle *files, gsize n_files, GError **error)
{
  int fds[SYNC_GROUP];
  gsize n_open = 0;
  gboolean synced;

  for (; n_open < n_files; n_open++)
    {
      fds[n_open] = files[n_open].fd >= 0 ? files[n_open].fd
                                          : reel_file_open (files[n_open].path, FALSE, error);
      if (fds[n_open] < 0)
        break;
      reel_file_write_back (fds[n_open], 0, 0);
    }
  synced = n_open == n_files;
  for (gsize i = 0; i < n_open; i++)
    {
      synced = synced && wait_durable (&files[i], fds[i], error);
      if (files[i].fd < 0)
        close_quietly (fds[i]);
    }
  return synced;
}

gboolean
reel_files_sync (const ReelFileHandle *files, gsize n_files, const char *const *directories,
                 gsize n_directories, GError **error)
{
  for (gsize i = 0; i < n_files; i += SYNC_GROUP)
    if (!sync_group (files + i, MIN (n_files - i, SYNC_GROUP), error))
      return FALSE;
  for (gsize i = 0; i < n_directories; i++)
    if (!reel_directory_sync (directories[i], error))
      return FALSE;
  return TRUE;
}

gboolean
reel_file_lock (int fd, const char *path, gboolean *taken, GError **error)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int result = TEMP_FAILURE_RETRY (reel_file_ops ()->lock (fd, F_OFD_SETLK, &lock));

  *taken = result == 0;
  if (result == 0 || errno == EAGAIN || errno == EACCES)
    return TRUE;
  reel_set_error_errno (error, errno, "%s: could not be locked", path);
  return FALSE;
}

void
reel_file_unlock (int fd)
{
  struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

  TEMP_FAILURE_RETRY (
      reel_file_ops ()->lock (fd, F_OFD_SETLK, &lock)); /* nothing to be done else */
}

gboolean
reel_file_is_locked (int fd, const char *path, gboolean *locked, GError **error)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  *locked = FALSE;
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->lock (fd, F_OFD_GETLK, &lock)) == 0)
    {
      *locked = lock.l_type != F_UNLCK;
      return TRUE;
    }
  reel_set_error_errno (error, errno, "%s: could not be asked for its lock", path);
  return FALSE;
}
