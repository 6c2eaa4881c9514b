#include "held-directory.h"
#include "directories.h"
#include "../object/error.h"
#include "file-ops.h"

#include <errno.h>
#include <unistd.h>

#define SYNC_GROUP 64 /* files open at once while they are synced */

struct _ReelHeldDirectory
{
  char *path;  /* for messages */
  char *place; /* the same, wherever the process changes its directory to */
  char *link;  /* leads to it wherever it is moved, NULL where the system has no such paths */
  int fd;
};

/* For what has failed already, and for what was only read. */
static void
close_quietly (int fd)
{
  reel_file_ops ()->close (fd);
}

static int
open_at (int directory, const char *name, int flags)
{
  return TEMP_FAILURE_RETRY (reel_file_ops ()->openat (directory, name, flags | O_CLOEXEC, 0666));
}

static void
set_error (const ReelHeldDirectory *self, const char *name, const char *what, GError **error)
{
  reel_set_error_errno (error, errno, "%s/%s: could not be %s", self->path, name, what);
}

/* Of errors that begin with a name in it. */
static gboolean
name_error (const ReelHeldDirectory *self, gboolean done, GError **error)
{
  if (!done)
    g_prefix_error (error, "%s/", self->path);
  return done;
}

/* ---- the directory ---- */

static char *
find_link (int fd)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d/.", fd);
  ReelPathKind kind;

  return reel_path_query (link, &kind, NULL, NULL) && kind == REEL_PATH_DIRECTORY
             ? g_steal_pointer (&link)
             : NULL;
}

const char *
reel_held_directory_get_path (const ReelHeldDirectory *self)
{
  return self->link ? self->link : self->path;
}

ReelHeldDirectory *
reel_held_directory_new (const char *path, GError **error)
{
  int fd = TEMP_FAILURE_RETRY (
      reel_file_ops ()->openat (AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  ReelHeldDirectory *self;

  if (fd < 0)
    {
      reel_set_error_errno (error, errno, "%s: could not be opened", path);
      return NULL;
    }
  self = g_new0 (ReelHeldDirectory, 1);
  self->fd = fd;
  self->link = find_link (fd);
  reel_held_directory_set_path (self, path);
  return self;
}

void
reel_held_directory_free (ReelHeldDirectory *self)
{
  if (!self)
    return;
  close_quietly (self->fd);
  g_free (self->path);
  g_free (self->place);
  g_free (self->link);
  g_free (self);
}

void
reel_held_directory_set_path (ReelHeldDirectory *self, const char *path)
{
  g_autofree char *current = g_path_is_absolute (path) ? NULL : g_get_current_dir ();

  g_free (self->path);
  g_free (self->place);
  self->path = g_strdup (path);
  self->place = current ? g_build_filename (current, path, NULL) : g_strdup (path);
}

/* Whether a name leads to an open file. */
static gboolean
is_same (int directory, const char *name, int fd)
{
  struct stat named, open;

  return TEMP_FAILURE_RETRY (reel_file_ops ()->fstatat (directory, name, &named, 0)) == 0
         && TEMP_FAILURE_RETRY (reel_file_ops ()->fstat (fd, &open)) == 0
         && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

gboolean
reel_held_directory_check_place (const ReelHeldDirectory *self, GError **error)
{
  if (is_same (AT_FDCWD, self->place, self->fd))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: was moved or removed while this process wrote it; nothing more is written, and "
               "the rows are where the directory is now",
               self->path);
  return FALSE;
}

gboolean
reel_held_directory_contains (const ReelHeldDirectory *self, const char *name, int fd)
{
  return is_same (self->fd, name, fd);
}

/* ---- files in it ---- */

/* The directories of names, each once. */
static GPtrArray *
list_parents (const ReelFileContent *files, gsize n_files)
{
  GPtrArray *parents = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < n_files; i++)
    {
      char *parent = g_path_get_dirname (files[i].path);

      if (g_ptr_array_find_with_equal_func (parents, parent, g_str_equal, NULL))
        g_free (parent);
      else
        g_ptr_array_add (parents, parent);
    }
  return parents;
}

static gboolean
sync_parents (const ReelHeldDirectory *self, const ReelFileContent *files, gsize n_files,
              GError **error)
{
  g_autoptr (GPtrArray) parents = list_parents (files, n_files);
  gboolean synced = TRUE;

  for (guint i = 0; synced && i < parents->len; i++)
    {
      const char *name = parents->pdata[i];
      int fd = open_at (self->fd, name, O_RDONLY | O_DIRECTORY);

      synced = fd >= 0 && TEMP_FAILURE_RETRY (reel_file_ops ()->fsync (fd)) == 0;
      if (!synced)
        set_error (self, name, "made durable", error);
      if (fd >= 0)
        close_quietly (fd);
    }
  return synced;
}

static gboolean
write_temporary (const ReelHeldDirectory *self, const ReelFileContent *file,
                 ReelFileHandle *temporary, GError **error)
{
  g_autofree char *name = reel_path_temporary (file->path, error);

  if (!name)
    return FALSE;
  temporary->fd = open_at (self->fd, name, O_RDWR | O_CREAT | O_EXCL);
  if (temporary->fd < 0)
    {
      set_error (self, name, "created", error);
      return FALSE;
    }
  temporary->path = g_steal_pointer (&name);
  return name_error (
      self, reel_file_write_at (temporary->fd, file->path, file->data, file->length, 0, error),
      error);
}

static gboolean
put_in_place (const ReelHeldDirectory *self, const ReelFileContent *file, ReelFileHandle *temporary,
              GError **error)
{
  int fd = temporary->fd;

  temporary->fd = -1;
  if (!name_error (self, reel_file_close (fd, file->path, error), error))
    return FALSE;
  if (TEMP_FAILURE_RETRY (
          reel_file_ops ()->renameat2 (self->fd, temporary->path, self->fd, file->path, 0))
      != 0)
    {
      set_error (self, file->path, "put in place", error);
      return FALSE;
    }
  g_clear_pointer ((char **) &temporary->path, g_free);
  return TRUE;
}

static gboolean
write_all (const ReelHeldDirectory *self, const ReelFileContent *files, ReelFileHandle *temporaries,
           gsize n_files, GError **error)
{
  for (gsize i = 0; i < n_files; i++)
    if (!write_temporary (self, &files[i], &temporaries[i], error))
      return FALSE;
  if (!name_error (self, reel_files_sync (temporaries, n_files, NULL, 0, error), error))
    return FALSE;
  for (gsize i = 0; i < n_files; i++)
    if (!put_in_place (self, &files[i], &temporaries[i], error))
      return FALSE;
  return sync_parents (self, files, n_files, error);
}

gboolean
reel_held_directory_write (const ReelHeldDirectory *self, const ReelFileContent *files,
                           gsize n_files, GError **error)
{
  g_autofree ReelFileHandle *temporaries = g_new0 (ReelFileHandle, n_files);
  gboolean written;

  for (gsize i = 0; i < n_files; i++)
    temporaries[i].fd = -1;
  written = write_all (self, files, temporaries, n_files, error);
  for (gsize i = 0; i < n_files; i++)
    {
      if (temporaries[i].fd >= 0)
        close_quietly (temporaries[i].fd);
      if (temporaries[i].path)
        reel_file_ops ()->unlinkat (self->fd, temporaries[i].path, 0);
      g_free ((char *) temporaries[i].path);
    }
  return written;
}

/* At most SYNC_GROUP of them. */
static gboolean
sync_group (const ReelHeldDirectory *self, const char *const *names, gsize n, GError **error)
{
  ReelFileHandle files[SYNC_GROUP];
  gsize n_open = 0;
  gboolean synced;

  for (; n_open < n; n_open++)
    {
      files[n_open] =
          (ReelFileHandle){ names[n_open], open_at (self->fd, names[n_open], O_RDONLY) };
      if (files[n_open].fd < 0)
        break;
    }
  if (n_open < n)
    set_error (self, names[n_open], "opened", error);
  synced = n_open == n && name_error (self, reel_files_sync (files, n, NULL, 0, error), error);
  for (gsize i = 0; i < n_open; i++)
    close_quietly (files[i].fd);
  return synced;
}

gboolean
reel_held_directory_sync (const ReelHeldDirectory *self, const char *const *names, gsize n,
                          GError **error)
{
  for (gsize i = 0; i < n; i += SYNC_GROUP)
    if (!sync_group (self, names + i, MIN (n - i, SYNC_GROUP), error))
      return FALSE;
  return TRUE;
}

static gboolean
is_temporary (const char *name)
{
  return name[0] == '.' && g_str_has_suffix (name, ".tmp");
}

static gboolean
remove_listed (DIR *directory, int fd)
{
  struct dirent *entry;

  while (errno = 0, (entry = reel_file_ops ()->readdir (directory)) || errno == EINTR)
    if (entry && is_temporary (entry->d_name)
        && TEMP_FAILURE_RETRY (reel_file_ops ()->unlinkat (fd, entry->d_name, 0)) != 0
        && errno != ENOENT)
      return FALSE;
  return errno == 0;
}

gboolean
reel_held_directory_remove_temporaries (const ReelHeldDirectory *self, const char *name,
                                        GError **error)
{
  int fd = open_at (self->fd, name, O_RDONLY | O_DIRECTORY);
  DIR *directory = fd >= 0 ? reel_file_ops ()->fdopendir (fd) : NULL;
  gboolean removed = directory && remove_listed (directory, fd);

  if (!removed)
    set_error (self, name, "cleared of temporary files", error);
  if (directory)
    reel_file_ops ()->closedir (directory);
  else if (fd >= 0)
    close_quietly (fd);
  return removed;
}
