#include "file-ops.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int
system_openat (int directory, const char *path, int flags, mode_t mode)
{
  return openat (directory, path, flags, mode);
}

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
  .write = write,
  .pwrite = pwrite,
  .ftruncate = ftruncate,
  .fallocate = fallocate,
  .fsync = fsync,
  .fdatasync = fdatasync,
  .sync_file_range = sync_file_range,
  .renameat2 = renameat2,
  .mkdirat = mkdirat,
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
