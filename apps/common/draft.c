#include "draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTEMPTS 100 /* names that killed processes of the same number may have left */

static gboolean
fail (GError **error, const char *path, const char *what)
{
  reel_set_error_errno (error, errno, "%s: %s", path, what);
  return FALSE;
}

/* ---- locks ---- */

/* Whether a path leads, without a link, to what is open. */
static gboolean
is_at (const char *path, int fd)
{
  struct stat named, open;

  return lstat (path, &named) == 0 && fstat (fd, &open) == 0 && named.st_dev == open.st_dev
         && named.st_ino == open.st_ino;
}

static void
remove_directory (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory && (name = g_dir_read_name (directory)))
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_unlink (file);
    }
  g_rmdir (path);
}

/* Where its writer is gone, its lock is free. It is held until the draft is gone too, so that
 * nobody takes it for one of their own meanwhile. */
static void
remove_if_abandoned (const char *path)
{
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0 && is_at (path, fd) && g_unlink (path) != 0
      && errno == EISDIR)
    remove_directory (path);
  if (fd >= 0)
    close (fd);
}

/* Those that killed writers of the same path left. */
static void
remove_abandoned (const char *folder, const char *name)
{
  g_autofree char *escaped = g_regex_escape_string (name, -1);
  g_autofree char *pattern = g_strdup_printf ("^\\.%s\\.[0-9]+-[0-9]+\\.tmp$", escaped);
  g_autoptr (GRegex) form = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *entry;

  while (directory && form && (entry = g_dir_read_name (directory)))
    if (g_regex_match (form, entry, 0, NULL))
      {
        g_autofree char *path = g_build_filename (folder, entry, NULL);

        remove_if_abandoned (path);
      }
}

/* Somebody who cleans up may have taken it for abandoned before it was locked. */
static gboolean
take_lock (const char *path, int fd)
{
  gboolean busy = flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

  return !busy && is_at (path, fd);
}

/* ---- how it begins ---- */

static gboolean
check_free (const char *path, GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  errno = EEXIST;
  return fail (error, path, "cannot make this directory");
}

/* A device that is replaced by a file is lost to the whole machine, and so is a link to what has no
 * name. */
static gboolean
check_plain (const char *path, GError **error)
{
  gboolean plain =
      g_file_test (path, G_FILE_TEST_IS_REGULAR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK);

  if (plain || !g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO,
               "%s: cannot create this file: the existing one is not a regular file", path);
  return FALSE;
}

static gboolean
make_locked (Draft *self, const char *path)
{
  int flags = self->is_directory ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL;

  if (self->is_directory && g_mkdir (path, 0777) != 0)
    return FALSE;

  int fd = g_open (path, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0)
    return FALSE;
  if (take_lock (path, fd))
    {
      self->temporary = g_strdup (path);
      self->fd = fd;
      return TRUE;
    }
  close (fd);
  errno = EEXIST;
  return FALSE;
}

/* ---- those there are, for a signal handler ---- */

#define MOST_DRAFTS 8

static Draft *volatile drafts[MOST_DRAFTS];

static void
enter (Draft *self)
{
  for (gsize i = 0; i < MOST_DRAFTS; i++)
    if (!drafts[i])
      {
        drafts[i] = self;
        return;
      }
}

static void
leave (const Draft *self)
{
  for (gsize i = 0; i < MOST_DRAFTS; i++)
    if (drafts[i] == self)
      drafts[i] = NULL;
}

/* There are files alone in it. The C library's way to read directories takes memory. */
static void
remove_directory_at_once (const char *path)
{
  _Alignas(struct dirent64) char names[4096];
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean gone = FALSE;

  for (int attempt = 0; fd >= 0 && attempt < 3 && !gone; attempt++)
    {
      gssize n;

      lseek (fd, 0, SEEK_SET);
      while ((n = getdents64 (fd, names, sizeof names)) > 0)
        for (gssize at = 0; at < n; at += ((struct dirent64 *) (names + at))->d_reclen)
          unlinkat (fd, ((struct dirent64 *) (names + at))->d_name, 0);
      gone = rmdir (path) == 0;
    }
}

/* It would make the file anew, that it has not opened yet. */
static void
end_writer (const Draft *self)
{
  if (self->writer <= 0)
    return;
  kill (self->writer, SIGKILL);
  TEMP_FAILURE_RETRY (waitpid (self->writer, NULL, 0));
}

void
draft_remove_all (void)
{
  for (gsize i = 0; i < MOST_DRAFTS; i++)
    {
      const Draft *draft = drafts[i];

      if (draft)
        end_writer (draft);
      if (draft && draft->temporary && draft->is_directory)
        remove_directory_at_once (draft->temporary);
      else if (draft && draft->temporary)
        unlink (draft->temporary);
    }
}

/* ---- one of them ---- */

/* The file that a link leads to, such as /dev/stdout, is replaced, and the link stays. */
static char *
follow (const char *path)
{
  char *target = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? realpath (path, NULL) : NULL;

  return target ? target : g_strdup (path);
}

Draft *
draft_new (const char *path, gboolean is_directory, GError **error)
{
  g_autoptr (Draft) self = g_new0 (Draft, 1);
  g_autofree char *followed = follow (path);
  g_autofree char *folder = g_path_get_dirname (followed);
  g_autofree char *name = g_path_get_basename (followed);

  self->fd = -1;
  self->path = g_steal_pointer (&followed);
  self->is_directory = is_directory;
  self->replaces = !is_directory && g_file_test (self->path, G_FILE_TEST_EXISTS);
  if (!(is_directory ? check_free : check_plain) (self->path, error))
    return NULL;
  remove_abandoned (folder, name);
  enter (self);
  for (int attempt = 0; attempt < ATTEMPTS; attempt++)
    {
      g_autofree char *hidden = g_strdup_printf (".%s.%d-%d.tmp", name, (int) getpid (), attempt);
      g_autofree char *temporary = g_build_filename (folder, hidden, NULL);

      if (make_locked (self, temporary))
        return g_steal_pointer (&self);
      if (errno != EEXIST)
        break;
    }
  fail (error, self->path,
        is_directory ? "cannot make this directory" : "this file could not be created");
  return NULL;
}

/* A directory takes the place of an empty one at most; a file gets its name by a link where the
 * system cannot refuse to replace. */
static int
rename_to_free_name (const Draft *self)
{
  if (renameat2 (AT_FDCWD, self->temporary, AT_FDCWD, self->path, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
  if (self->is_directory)
    return rename (self->temporary, self->path);
  return link (self->temporary, self->path) == 0 ? unlink (self->temporary) : -1;
}

static gboolean
write_bytes (int fd, const char *path, gconstpointer bytes, gsize n, GError **error)
{
  const guint8 *from = bytes;

  while (n > 0)
    {
      gssize written = write (fd, from, n);

      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return fail (error, path, "cannot be written");
      from += written;
      n -= (gsize) written;
    }
  return TRUE;
}

gboolean
draft_write (const Draft *self, gconstpointer bytes, gsize n, GError **error)
{
  return write_bytes (self->fd, self->path, bytes, n, error);
}

gboolean
draft_write_png (const Draft *self, ReelTensor *image, GError **error)
{
  g_autoptr (GBytes) bytes = reel_image_encode_png (image, error);

  return bytes
         && draft_write (self, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error);
}

gboolean
draft_add_png (const Draft *self, const char *name, ReelTensor *image, GError **error)
{
  g_autofree char *path = g_build_filename (self->path, name, NULL);
  g_autoptr (GBytes) bytes = reel_image_encode_png (image, error);
  gboolean written;
  int fd;

  if (!bytes)
    return FALSE;
  fd = openat (self->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0)
    return fail (error, path, "this file could not be created");
  written = write_bytes (fd, path, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error);
  if (close (fd) != 0 && written)
    return fail (error, path, "cannot be written");
  return written;
}

gboolean
draft_keep (Draft *self, GError **error)
{
  if ((self->replaces ? rename (self->temporary, self->path) : rename_to_free_name (self)) != 0)
    return fail (error, self->path, "cannot be put in its place");
  g_clear_pointer (&self->temporary, g_free);
  return TRUE;
}

void
draft_free (Draft *self)
{
  if (!self)
    return;
  if (self->temporary && self->is_directory)
    remove_directory (self->temporary);
  else if (self->temporary)
    g_unlink (self->temporary);
  leave (self);
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->temporary);
  g_free (self->path);
  g_free (self);
}
