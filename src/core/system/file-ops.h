/* The one table of file operations. Every access to a file that the library makes goes through it,
 * so that tests can fail any call and simulate a power loss. Use the calls of files.h, mapping.h
 * and directories.h, which stand on it. Private to the library. */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>

G_BEGIN_DECLS

/**
 * ReelFileOps:
 *
 * One member for each system call in use, with the call's own arguments, result and errno. A
 * replacement may be called from any thread.
 */
typedef struct
{
  int (*openat) (int directory, const char *path, int flags, mode_t mode);
  int (*close) (int fd);
  ssize_t (*read) (int fd, void *data, size_t length);
  ssize_t (*pread) (int fd, void *data, size_t length, off_t offset);
  ssize_t (*write) (int fd, const void *data, size_t length);
  ssize_t (*pwrite) (int fd, const void *data, size_t length, off_t offset);
  int (*ftruncate) (int fd, off_t length);
  int (*fallocate) (int fd, int mode, off_t offset, off_t length);
  int (*fsync) (int fd);
  int (*fdatasync) (int fd);
  int (*sync_file_range) (int fd, off_t offset, off_t length, unsigned flags);
  int (*renameat2) (int old_directory, const char *old_path, int new_directory,
                    const char *new_path, unsigned flags);
  int (*mkdirat) (int directory, const char *path, mode_t mode);
  int (*unlinkat) (int directory, const char *path, int flags);
  DIR *(*fdopendir) (int fd);
  struct dirent *(*readdir) (DIR *directory);
  int (*closedir) (DIR *directory);
  int (*fstat) (int fd, struct stat *status);
  int (*fstatat) (int directory, const char *path, struct stat *status, int flags);
  int (*statvfs) (const char *path, struct statvfs *status);
  void *(*mmap) (void *address, size_t length, int protection, int flags, int fd, off_t offset);
  int (*munmap) (void *address, size_t length);
  int (*madvise) (void *address, size_t length, int advice);
  int (*lock) (int fd, int command, struct flock *lock); /* fcntl with F_OFD_SETLK or F_OFD_GETLK */
  int (*flock) (int fd, int operation);
} ReelFileOps;

/**
 * reel_file_ops:
 *
 * The table in force. Any thread.
 *
 * Returns: (transfer none): the table
 */
const ReelFileOps *reel_file_ops (void);

/**
 * reel_file_ops_set:
 * @ops: (nullable) (transfer none): the table to use from now on, which must stay alive; NULL for
 *   the system's calls
 *
 * Replaces the table for the whole process. For tests; no file operation may be under way in
 * another thread.
 */
void reel_file_ops_set (const ReelFileOps *ops);

/**
 * reel_file_ops_cancel:
 *
 * From now on the system's calls that make files or write to them fail with ECANCELED. Any thread;
 * a signal handler too.
 */
void reel_file_ops_cancel (void);

/**
 * reel_file_ops_system:
 *
 * The table of the system's own calls, for a replacement to forward to. Any thread.
 *
 * Returns: (transfer none): the table
 */
const ReelFileOps *reel_file_ops_system (void);

G_END_DECLS
