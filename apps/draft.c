#include "draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/reel.h"

static gboolean
fail (GError **error, const char *path, const char *what)
{
  reel_set_error_errno (error, errno, "%s: %s", path, what);
  return FALSE;
}

static gboolean
make_directory (Draft *self, GError **error)
{
  if (g_file_test (self->path, G_FILE_TEST_EXISTS))
    {
      errno = EEXIST;
      return fail (error, self->path, "cannot make this directory");
    }
  return g_mkdir (self->temporary, 0777) == 0
         || fail (error, self->path, "cannot make this directory");
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
               "%s: this file could not be created: what stands there is no plain file", path);
  return FALSE;
}

static gboolean
make_file (Draft *self, GError **error)
{
  if (!check_plain (self->path, error))
    return FALSE;

  int fd = g_open (self->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return fail (error, self->path, "this file could not be created");
  close (fd);
  return TRUE;
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
  g_autofree char *hidden = g_strdup_printf (".%s.%d.tmp", name, (int) getpid ());

  self->path = g_steal_pointer (&followed);
  self->is_directory = is_directory;
  self->replaces = !is_directory && g_file_test (self->path, G_FILE_TEST_EXISTS);
  self->temporary = g_build_filename (folder, hidden, NULL);
  enter (self);
  if (is_directory ? make_directory (self, error) : make_file (self, error))
    return g_steal_pointer (&self);
  g_clear_pointer (&self->temporary, g_free);
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

gboolean
draft_keep (Draft *self, GError **error)
{
  if ((self->replaces ? rename (self->temporary, self->path) : rename_to_free_name (self)) != 0)
    return fail (error, self->path, "cannot be put in its place");
  g_clear_pointer (&self->temporary, g_free);
  return TRUE;
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
  g_free (self->temporary);
  g_free (self->path);
  g_free (self);
}
