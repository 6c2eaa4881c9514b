/* Files by path and descriptor: whole reads, atomic writes, reserved space, durability, locks.
 * Interrupted calls are repeated; messages begin with the path. Errors are REEL_ERROR_NO_SPACE
 * where the disk or quota is full, else REEL_ERROR_IO, unless said otherwise. Every call may be
 * made from any thread. Private to the library. */
#pragma once

#include "paths.h"

G_BEGIN_DECLS

/**
 * ReelFileContent:
 * @path: where
 * @data: what
 * @length: how many bytes of it
 *
 * A small file to be written by reel_files_write_atomic().
 */
typedef struct
{
  const char *path;
  gconstpointer data;
  gsize length;
} ReelFileContent;

/**
 * ReelFileHandle:
 * @path: the file's path, for messages and, where @fd is -1, to open it
 * @fd: an open descriptor, or -1
 *
 * A file to be made durable by reel_files_sync().
 */
typedef struct
{
  const char *path;
  int fd;
} ReelFileHandle;

/**
 * reel_path_check_inside:
 * @path: a file or directory below @directory that is to be written, or that is missing
 * @directory: a directory
 * @error: return location; REEL_ERROR_RUNTIME where links lead elsewhere, and where to
 *
 * Returns: whether what is written at @path comes to lie in @directory
 */
gboolean reel_path_check_inside (const char *path, const char *directory, GError **error);

/**
 * reel_file_open:
 * @path: an existing file
 * @writable: whether to open it for writing too
 * @error: return location
 *
 * Opens a regular file; anything else is refused without blocking on it.
 *
 * Returns: a descriptor for reel_file_close(), or -1
 */
int reel_file_open (const char *path, gboolean writable, GError **error);

/**
 * reel_file_open_sized:
 * @path: an existing file
 * @writable: whether to open it for writing too
 * @size: (out): its bytes, where it was opened
 * @error: return location
 *
 * Returns: as reel_file_open()
 */
int reel_file_open_sized (const char *path, gboolean writable, gint64 *size, GError **error);

/**
 * reel_file_write_back:
 * @fd: a file
 * @offset: the first byte
 * @length: how many, 0 for all from there
 *
 * Has the system begin to write these bytes to the disk, so that a later sync has less to wait for.
 * Waits where the disk has too much to do. A hint: nothing fails.
 */
void reel_file_write_back (int fd, gint64 offset, gint64 length);

/**
 * reel_file_close:
 * @fd: a descriptor
 * @path: its path, for the message
 * @error: return location
 *
 * Closes a descriptor, which is gone afterwards even where this fails. A failure can mean that
 * written data was lost.
 *
 * Returns: whether the system reported no fault
 */
gboolean reel_file_close (int fd, const char *path, GError **error);

/**
 * reel_file_size:
 * @fd: a descriptor
 * @path: its path, for the message
 * @error: return location
 *
 * Returns: the file's size in bytes, or -1
 */
gint64 reel_file_size (int fd, const char *path, GError **error);

/**
 * reel_file_read:
 * @path: a regular file
 * @limit: the most bytes that it may hold
 * @length: (out) (optional): how many it held
 * @error: return location; REEL_ERROR_DAMAGED where the file is larger than @limit
 *
 * Reads a whole file. A NUL byte follows the contents.
 *
 * Returns: (transfer full): the bytes, to be freed with g_free(), or NULL
 */
char *reel_file_read (const char *path, gsize limit, gsize *length, GError **error);

/**
 * reel_file_write_at:
 * @fd: a descriptor
 * @path: its path, for the message
 * @data: the bytes
 * @length: how many
 * @offset: where in the file they go
 * @error: return location
 *
 * Writes all of @data, in as many calls as it takes. After a failure any part may have been
 * written.
 *
 * Returns: whether it did
 */
gboolean reel_file_write_at (int fd, const char *path, gconstpointer data, gsize length,
                             gint64 offset, GError **error);

/**
 * reel_file_cut:
 * @fd: a descriptor open for writing
 * @path: its path, for the message
 * @size: bytes
 * @error: return location
 *
 * Makes a file as long as @size.
 *
 * Returns: whether it is
 */
gboolean reel_file_cut (int fd, const char *path, gint64 size, GError **error);

/**
 * reel_file_begin_temporary:
 * @path: where the file is to stand in the end
 * @temporary: (out) (transfer full) (nullable): where it is meanwhile (`.NAME.*.tmp`), also after
 *   reel_file_end_temporary() failed
 * @error: return location
 *
 * Makes an empty file beside its place, for who writes it in parts.
 *
 * Returns: a descriptor for reading and writing, to be given to reel_file_end_temporary(), or -1
 */
int reel_file_begin_temporary (const char *path, char **temporary, GError **error);

/**
 * reel_file_end_temporary:
 * @fd: from reel_file_begin_temporary(), which is closed in any case
 * @path: as there, for the message
 * @written: whether all was written; else the reason is known, and nothing is told
 * @error: return location
 *
 * Closes a file, for reel_files_sync() and reel_file_rename(). Its way to the disk has begun then.
 *
 * Returns: whether it was written
 */
gboolean reel_file_end_temporary (int fd, const char *path, gboolean written, GError **error);

/**
 * reel_file_rename:
 * @from: a file
 * @to: its new name, in the same file system; what is there is replaced
 * @error: return location
 *
 * Puts a file in place in one step.
 *
 * Returns: whether it stands there
 */
gboolean reel_file_rename (const char *from, const char *to, GError **error);

/**
 * reel_files_write_atomic:
 * @files: the files
 * @n_files: how many
 * @durable: whether they must survive a power loss from the moment that this returns
 * @error: return location
 *
 * Writes small files so that each, at every moment, holds its old content or its new one: all are
 * written beside their places (as `.NAME.*.tmp`), and renamed in the order given once the last is
 * written. A kill can leave a `.tmp` file and the earlier names of the list renewed. With @durable
 * all are synced in one go before the first rename, and the directories after the last. After a
 * failure no `.tmp` file is left, and names before the faulty one may be new. Of a symbolic link
 * the file that it leads to is replaced. Another kind of file (a device, a pipe) is not replaced
 * but written into, as a shell does: a pipe waits for its reader, and one whose reader leaves is an
 * error (EPIPE), without the signal that would end the process.
 *
 * Returns: whether all were written
 */
gboolean reel_files_write_atomic (const ReelFileContent *files, gsize n_files, gboolean durable,
                                  GError **error);

/**
 * reel_file_write_atomic:
 * @path: where
 * @data: what
 * @length: how many bytes
 * @durable: as in reel_files_write_atomic()
 * @error: return location
 *
 * reel_files_write_atomic() for one file.
 *
 * Returns: whether it was written
 */
gboolean reel_file_write_atomic (const char *path, gconstpointer data, gsize length,
                                 gboolean durable, GError **error);

/**
 * reel_file_create:
 * @path: where nothing may be yet
 * @size: the file's size in bytes
 * @error: return location; REEL_ERROR_NO_SPACE says how much is needed and available
 *
 * Makes a file of zeros with its disk space reserved, so that writing through a mapping cannot run
 * out of it. The free space is compared first. Where the file system cannot reserve, the file is
 * left sparse: then only reel_mapping_populate() ahead of each write finds a full disk in time.
 * After a failure the file is removed.
 *
 * Returns: a descriptor open for reading and writing, or -1
 */
int reel_file_create (const char *path, gint64 size, GError **error);

/**
 * reel_file_remove:
 * @path: a file, or a symbolic link, which is removed itself
 * @error: return location
 *
 * Removes a name. That nothing is there is no error.
 *
 * Returns: whether nothing is there now
 */
gboolean reel_file_remove (const char *path, GError **error);

/**
 * reel_files_sync:
 * @files: files whose content is to become durable; written through a descriptor or a shared
 *   mapping
 * @n_files: how many
 * @directories: (nullable): directories whose names are to become durable after that
 * @n_directories: how many
 * @error: return location
 *
 * Makes files survive a power loss. Write-back of all is started before the first is waited for, so
 * that the first journal commit serves them all: 20 new files of 1 KB took 2.2 ms so, 3.9 ms one by
 * one and 5.9 ms synced as written (ext4 on a virtual disk). After a failure the data must be taken
 * as lost: calling again proves nothing.
 *
 * Returns: whether all is durable
 */
gboolean reel_files_sync (const ReelFileHandle *files, gsize n_files,
                          const char *const *directories, gsize n_directories, GError **error);

/**
 * reel_file_lock:
 * @fd: a descriptor open for writing
 * @path: its path, for the message
 * @taken: (out): FALSE where somebody else holds the lock
 * @error: return location
 *
 * Tries to take the write lock of the whole file for this open file description (F_OFD_SETLK),
 * without waiting. The lock goes when the last copy of @fd is closed and the last mapping made
 * through it is gone, which the end of the process does too, however it ends.
 *
 * Returns: FALSE where the system knows no such lock or failed
 */
gboolean reel_file_lock (int fd, const char *path, gboolean *taken, GError **error);

/**
 * reel_file_unlock:
 * @fd: a descriptor
 *
 * Lets a lock go before that.
 */
void reel_file_unlock (int fd);

/**
 * reel_file_is_locked:
 * @fd: a descriptor, reading is enough, that does not hold the lock itself
 * @path: its path, for the message
 * @locked: (out): whether another open file description holds a lock on the file
 * @error: return location
 *
 * Asks whether the writer of a file is there.
 *
 * Returns: FALSE where the system knows no such lock or failed
 */
gboolean reel_file_is_locked (int fd, const char *path, gboolean *locked, GError **error);

G_END_DECLS
