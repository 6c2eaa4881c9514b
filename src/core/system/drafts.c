#include "drafts.h"
#include "directories.h"
#include "../object/error.h"
#include "file-ops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define ATTEMPTS 100

/* ---- locks of directories ---- */

typedef enum
{
  LOCK_TAKEN,
  LOCK_BUSY,
  LOCK_UNKNOWN, /* the file system has no such locks */
} Lock;

static int
open_directory (const char *path)
{
  return TEMP_FAILURE_RETRY (reel_file_ops ()->openat (
      AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
}

static void
close_directory (int *fd)
{
  if (*fd >= 0)
    reel_file_ops ()->close (*fd);
  *fd = -1;
}

static Lock
lock_directory (int fd)
{
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->flock (fd, LOCK_EX | LOCK_NB)) == 0)
    return LOCK_TAKEN;
  return errno == EWOULDBLOCK ? LOCK_BUSY : LOCK_UNKNOWN;
}

/* Whether a path leads, without a link, to the directory that is open. */
static gboolean
is_at (const char *path, int fd)
{
  struct stat named, open;

  return TEMP_FAILURE_RETRY (
             reel_file_ops ()->fstatat (AT_FDCWD, path, &named, AT_SYMLINK_NOFOLLOW))
             == 0
         && TEMP_FAILURE_RETRY (reel_file_ops ()->fstat (fd, &open)) == 0
         && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* ---- leftovers ---- */

/* Whether an entry has the form `.NAME.PID-N.tmp`. */
static gboolean
is_draft_name (const char *entry, const char *name)
{
  g_autofree char *prefix = g_strdup_printf (".%s.", name);
  gsize length = strlen (prefix);

  if (!g_str_has_prefix (entry, prefix))
    return FALSE;
  entry += length;
  for (int part = 0; part < 2; part++)
    {
      gsize digits = strspn (entry, "0123456789");

      if (digits == 0 || (part == 0 && entry[digits] != '-'))
        return FALSE;
      entry += digits + (part == 0);
    }
  return g_str_equal (entry, REEL_TEMPORARY_SUFFIX);
}

/* The lock is kept until the directory is gone, so that nobody takes it for a draft of their own
 * meanwhile. */
static void
remove_if_abandoned (const char *path)
{
  int fd = open_directory (path);

  if (fd >= 0 && lock_directory (fd) == LOCK_TAKEN && is_at (path, fd))
    reel_directory_remove (path, NULL);
  close_directory (&fd);
}

static void
remove_abandoned (const char *target)
{
  g_autofree char *parent = g_path_get_dirname (target), *name = g_path_get_basename (target);
  g_auto (GStrv) entries = reel_directory_list (parent, NULL);

  for (gsize i = 0; entries && entries[i]; i++)
    if (is_draft_name (entries[i], name))
      {
        g_autofree char *path = g_build_filename (parent, entries[i], NULL);

        remove_if_abandoned (path);
      }
}

/* ---- one of them ---- */

/* The directory that a link leads to is replaced, and the link stays. */
static char *
resolve (const char *target)
{
  g_autofree char *clean = reel_path_without_end_slashes (target);
  struct stat status;
  gboolean link =
      TEMP_FAILURE_RETRY (reel_file_ops ()->fstatat (AT_FDCWD, clean, &status, AT_SYMLINK_NOFOLLOW))
          == 0
      && S_ISLNK (status.st_mode);
  char *resolved = link ? realpath (clean, NULL) : NULL;
  char *copy = g_strdup (resolved ? resolved : clean);

  free (resolved);
  return copy;
}

static void
remove_empty (const char *path)
{
  int saved_errno = errno;

  reel_file_ops ()->unlinkat (AT_FDCWD, path, AT_REMOVEDIR);
  errno = saved_errno;
}

/* Between making and locking a directory somebody who cleans up may take it for abandoned: then
 * errno is EEXIST, and another name is to be tried. */
static gboolean
make_locked (ReelDraft *self, const char *path)
{
  Lock lock;
  int fd;

  if (TEMP_FAILURE_RETRY (reel_file_ops ()->mkdirat (AT_FDCWD, path, 0777)) != 0)
    return FALSE;
  fd = open_directory (path);
  if (fd < 0)
    {
      remove_empty (path);
      errno = errno == ENOENT ? EEXIST : errno;
      return FALSE;
    }
  lock = lock_directory (fd);
  if (lock != LOCK_BUSY && is_at (path, fd))
    {
      self->path = g_strdup (path);
      self->fd = fd;
      return TRUE;
    }
  if (lock != LOCK_BUSY)
    remove_empty (path);
  close_directory (&fd);
  errno = EEXIST;
  return FALSE;
}

gboolean
reel_draft_begin (ReelDraft *self, const char *target, GError **error)
{
  const ReelDraft none = REEL_DRAFT_NONE;
  int saved_errno = EEXIST;

  *self = none;
  self->target = resolve (target);
  remove_abandoned (self->target);
  /* A killed process of the same number can have left the name. */
  for (int attempt = 0; attempt < ATTEMPTS && saved_errno == EEXIST; attempt++)
    {
      g_autofree char *path = reel_path_temporary (self->target, error);

      if (path && make_locked (self, path))
        return TRUE;
      saved_errno = errno;
      if (!path)
        break;
      if (saved_errno != EEXIST || attempt + 1 == ATTEMPTS)
        reel_set_error_errno (error, saved_errno, "%s: cannot make a directory next to it", target);
    }
  reel_draft_clear (self);
  return FALSE;
}

void
reel_draft_clear (ReelDraft *self)
{
  if (self->path)
    reel_directory_remove (self->path, NULL);
  close_directory (&self->held);
  close_directory (&self->fd);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->target, g_free);
}

/* ---- put in place ---- */

static int
rename_with (const char *from, const char *to, unsigned flags)
{
  return TEMP_FAILURE_RETRY (reel_file_ops ()->renameat2 (AT_FDCWD, from, AT_FDCWD, to, flags));
}

/* A file system or kernel that knows no flags of renameat2. */
static gboolean
is_unsupported (int saved_errno)
{
  return saved_errno == EINVAL || saved_errno == ENOSYS || saved_errno == EOPNOTSUPP;
}

static gboolean
sync_parent (const ReelDraft *self, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (self->target);

  return reel_directory_sync (parent, error);
}

static void
settle (ReelDraft *self)
{
  g_clear_pointer (&self->path, g_free);
}

static gboolean
is_taken (int saved_errno)
{
  return saved_errno == EEXIST || saved_errno == ENOTEMPTY || saved_errno == ENOTDIR;
}

/* A rename without flags replaces an empty directory and nothing else, on every file system. */
static int
rename_to_free_name (const char *from, const char *to)
{
  int result = rename_with (from, to, RENAME_NOREPLACE);

  return result == 0 || !(errno == EEXIST || is_unsupported (errno)) ? result
                                                                     : rename_with (from, to, 0);
}

gboolean
reel_draft_install (ReelDraft *self, gboolean durable, GError **error)
{
  if (rename_to_free_name (self->path, self->target) != 0)
    {
      if (is_taken (errno))
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "%s: exists by now, for another process made it; choose another path",
                     self->target);
      else
        reel_set_error_errno (error, errno, "%s: could not put the directory in place",
                              self->target);
      return FALSE;
    }
  if (durable && !sync_parent (self, error))
    {
      rename_to_free_name (self->target, self->path);
      return FALSE;
    }
  settle (self);
  return TRUE;
}

gboolean
reel_draft_install_file (ReelDraft *self, const char *file, gboolean replace, GError **error)
{
  int result =
      replace ? rename_with (file, self->target, 0) : rename_to_free_name (file, self->target);

  if (result == 0)
    return sync_parent (self, error);
  if (is_taken (errno) || errno == EISDIR)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 replace ? "%s: is a directory; choose another path"
                         : "%s: exists by now, for another process made it; choose another path",
                 self->target);
  else
    reel_set_error_errno (error, errno, "%s: could not put the file in place", self->target);
  return FALSE;
}

gboolean
reel_draft_hold (ReelDraft *self, GError **error)
{
  close_directory (&self->held);
  self->held = open_directory (self->target);
  if (self->held < 0 && errno == ENOENT)
    return TRUE;
  if (self->held < 0)
    {
      reel_set_error_errno (error, errno, "%s: could not be replaced", self->target);
      return FALSE;
    }
  if (lock_directory (self->held) != LOCK_BUSY && is_at (self->target, self->held))
    return TRUE;
  close_directory (&self->held);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: another process is putting a directory there; try again", self->target);
  return FALSE;
}

/* ---- the exchange ---- */

/* Puts the old directory to @old and the new one to its place by two renames; undoes the first
 * where the second fails. A kill between them leaves the old one under a name that nobody removes.
 */
static gboolean
swap_in_two_steps (ReelDraft *self, char **old, GError **error)
{
  g_autofree char *aside = reel_path_beside (self->target, ".old", error);
  int saved_errno;

  if (!aside)
    return FALSE;
  if (rename_with (self->target, aside, 0) == 0)
    {
      if (rename_with (self->path, self->target, 0) == 0)
        {
          *old = g_steal_pointer (&aside);
          return TRUE;
        }
      saved_errno = errno;
      if (rename_with (aside, self->target, 0) != 0)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "%s: another directory is there by now; the one before it is %s",
                       self->target, aside);
          return FALSE;
        }
      errno = saved_errno;
    }
  reel_set_error_errno (error, errno, "%s: could not be replaced", self->target);
  return FALSE;
}

/* @old becomes the path at which the old directory is then. */
static gboolean
swap (ReelDraft *self, char **old, GError **error)
{
  if (rename_with (self->path, self->target, RENAME_EXCHANGE) == 0)
    {
      *old = g_strdup (self->path);
      return TRUE;
    }
  if (is_unsupported (errno))
    return swap_in_two_steps (self, old, error);
  reel_set_error_errno (error, errno, "%s: could not be replaced", self->target);
  return FALSE;
}

/* So that whoever clears the draft removes the new directory, not the one that the disk knows. */
static void
swap_back (ReelDraft *self, const char *old)
{
  if (g_str_equal (self->path, old))
    rename_with (self->path, self->target, RENAME_EXCHANGE);
  else if (rename_with (self->target, self->path, 0) == 0)
    rename_with (old, self->target, 0);
}

/* Somebody else may rename what no lock binds: a directory that was not looked at is not removed.
 */
static gboolean
check_swapped (const ReelDraft *self, const char *old, GError **error)
{
  if (is_at (old, self->held))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: another directory is there by now; try again", self->target);
  return FALSE;
}

gboolean
reel_draft_replace (ReelDraft *self, gboolean (*check) (const char *old, GError **error),
                    gboolean durable, char **leftover, GError **error)
{
  g_autofree char *old = NULL;

  g_return_val_if_fail (self->path && self->held >= 0, FALSE);
  if (leftover)
    *leftover = NULL;
  if (!swap (self, &old, error))
    return FALSE;
  if (!check_swapped (self, old, error) || (check && !check (old, error))
      || (durable && !sync_parent (self, error)))
    {
      swap_back (self, old);
      return FALSE;
    }
  settle (self);
  if (!reel_directory_remove (old, NULL) && leftover)
    *leftover = g_steal_pointer (&old);
  return TRUE;
}
