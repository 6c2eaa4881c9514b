#include "file-ops.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- calls that make or write something ---- */

static atomic_bool cancelled;

void
reel_file_ops_cancel (void)
{
  atomic_store_explicit (&cancelled, true, memory_order_relaxed);
}

static gboolean
is_cancelled (void)
{
  if (!atomic_load_explicit (&cancelled, memory_order_relaxed))
    return FALSE;
  errno = ECANCELED;
  return TRUE;
}

static int
system_openat (int directory, const char *path, int flags, mode_t mode)
{
  return flags & O_CREAT && is_cancelled () ? -1 : openat (directory, path, flags, mode);
}

#define CANCELLABLE(type, name, parameters, arguments)                                             \
  static type system_##name parameters { return is_cancelled () ? -1 : name arguments; }

CANCELLABLE (ssize_t, write, (int fd, const void *data, size_t length), (fd, data, length))
CANCELLABLE (ssize_t, pwrite, (int fd, const void *data, size_t length, off_t offset),
             (fd, data, length, offset))
CANCELLABLE (int, ftruncate, (int fd, off_t length), (fd, length))
CANCELLABLE (int, fallocate, (int fd, int mode, off_t offset, off_t length),
             (fd, mode, offset, length))
CANCELLABLE (int, fsync, (int fd), (fd))
CANCELLABLE (int, fdatasync, (int fd), (fd))
CANCELLABLE (int, sync_file_range, (int fd, off_t offset, off_t length, unsigned flags),
             (fd, offset, length, flags))
CANCELLABLE (int, mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode))

/* ---- the table ---- */

static int
system_lock (int fd, int command, struct flock *lock)
{
  return fcntl (fd, command, lock);
}

static const ReelFileOps system_ops = {
  .openat = system_openat,
  .close = close,
  .read = read,
  .pread = pread,
  .write = system_write,
  .pwrite = system_pwrite,
  .ftruncate = system_ftruncate,
  .fallocate = system_fallocate,
  .fsync = system_fsync,
  .fdatasync = system_fdatasync,
  .sync_file_range = system_sync_file_range,
  .renameat2 = renameat2,
  .mkdirat = system_mkdirat,
  .unlinkat = unlinkat,
  .fdopendir = fdopendir,
  .readdir = readdir,
  .closedir = closedir,
  .fstat = fstat,
  .fstatat = fstatat,
  .statvfs = statvfs,
  .mmap = mmap,
  .munmap = munmap,
  .madvise = madvise,
  .lock = system_lock,
  .flock = flock,
};

static _Atomic (const ReelFileOps *) current_ops = &system_ops;

const ReelFileOps *
reel_file_ops (void)
{
  return atomic_load_explicit (&current_ops, memory_order_acquire);
}

void
reel_file_ops_set (const ReelFileOps *ops)
{
  atomic_store_explicit (&current_ops, ops ? ops : &system_ops, memory_order_release);
}

const ReelFileOps *
reel_file_ops_system (void)
{
  return &system_ops;
}
