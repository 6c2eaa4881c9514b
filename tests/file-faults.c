#include "file-faults.h"

#include "../src/core/system/file-ops.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_CALLS 32

/* The counts of this process and of those that the library makes. */
typedef struct
{
  struct
  {
    const char *_Atomic name;
    atomic_llong count;
  } calls[MAX_CALLS];
  atomic_llong total, planned_seen, transfers;
  atomic_bool struck;
} Seen;

static const ReelFileOps *next;
static Seen *seen;
static const char *planned_call;
static gint64 planned_nth, planned_short;
static int planned_error;
static gboolean planned_onward;
static gint64 planned_call_nth;
static void (*planned_func) (gpointer data);
static gpointer planned_data;

/* Returns the number of the call, from 1. Names are compared as strings; a slot is claimed by the
 * first call of its name. */
static gint64
count (const char *name)
{
  gint64 number = atomic_fetch_add (&seen->total, 1) + 1;

  for (int i = 0; i < MAX_CALLS; i++)
    {
      const char *expected = NULL;

      atomic_compare_exchange_strong (&seen->calls[i].name, &expected, name);
      if (expected == NULL || strcmp (expected, name) == 0)
        {
          atomic_fetch_add (&seen->calls[i].count, 1);
          return number;
        }
    }
  g_assert_not_reached ();
}

/* Counts a call and sets errno where it is to fail. */
static gboolean
fails (const char *name)
{
  gint64 nth, number = count (name);

  if (number == planned_call_nth)
    {
      int saved_errno = errno;

      atomic_store (&seen->struck, TRUE);
      planned_func (planned_data);
      errno = saved_errno;
    }
  if (planned_nth == 0 || (planned_call && strcmp (planned_call, name) != 0))
    return FALSE;
  nth = atomic_fetch_add (&seen->planned_seen, 1) + 1;
  if (nth != planned_nth && !(planned_onward && nth > planned_nth))
    return FALSE;
  atomic_store (&seen->struck, TRUE);
  errno = planned_error;
  return TRUE;
}

static size_t
shortened (size_t length)
{
  if (atomic_fetch_add (&seen->transfers, 1) + 1 != planned_short)
    return length;
  atomic_store (&seen->struck, TRUE);
  return length - length / 2;
}

/* One forwarding function for each member. */
#define FORWARD(type, name, parameters, arguments, failure)                                        \
  static type faulty_##name parameters                                                             \
  {                                                                                                \
    if (fails (#name))                                                                             \
      return failure;                                                                              \
    return next->name arguments;                                                                   \
  }

/* The thing is gone afterwards even where the call fails. */
#define FORWARD_END(type, name, parameters, arguments)                                             \
  static type faulty_##name parameters                                                             \
  {                                                                                                \
    gboolean failed = fails (#name);                                                               \
    int saved_errno = errno;                                                                       \
    type result = next->name arguments;                                                            \
                                                                                                   \
    if (!failed)                                                                                   \
      return result;                                                                               \
    errno = saved_errno;                                                                           \
    return -1;                                                                                     \
  }

FORWARD (int, openat, (int directory, const char *path, int flags, mode_t mode),
         (directory, path, flags, mode), -1)
FORWARD_END (int, close, (int fd), (fd))
FORWARD (ssize_t, read, (int fd, void *data, size_t length), (fd, data, shortened (length)), -1)
FORWARD (ssize_t, pread, (int fd, void *data, size_t length, off_t offset),
         (fd, data, shortened (length), offset), -1)
FORWARD (ssize_t, write, (int fd, const void *data, size_t length), (fd, data, shortened (length)),
         -1)
FORWARD (ssize_t, pwrite, (int fd, const void *data, size_t length, off_t offset),
         (fd, data, shortened (length), offset), -1)
FORWARD (int, ftruncate, (int fd, off_t length), (fd, length), -1)
FORWARD (int, fallocate, (int fd, int mode, off_t offset, off_t length), (fd, mode, offset, length),
         -1)
FORWARD (int, fsync, (int fd), (fd), -1)
FORWARD (int, fdatasync, (int fd), (fd), -1)
FORWARD (int, sync_file_range, (int fd, off_t offset, off_t length, unsigned flags),
         (fd, offset, length, flags), -1)
FORWARD (int, renameat2,
         (int from, const char *old_path, int to, const char *new_path, unsigned flags),
         (from, old_path, to, new_path, flags), -1)
FORWARD (int, mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode), -1)
FORWARD (int, unlinkat, (int directory, const char *path, int flags), (directory, path, flags), -1)
FORWARD (DIR *, fdopendir, (int fd), (fd), NULL)
FORWARD (struct dirent *, readdir, (DIR * directory), (directory), NULL)
FORWARD_END (int, closedir, (DIR * directory), (directory))
FORWARD (int, fstat, (int fd, struct stat *status), (fd, status), -1)
FORWARD (int, fstatat, (int directory, const char *path, struct stat *status, int flags),
         (directory, path, status, flags), -1)
FORWARD (int, statvfs, (const char *path, struct statvfs *status), (path, status), -1)
FORWARD (void *, mmap,
         (void *address, size_t length, int protection, int flags, int fd, off_t offset),
         (address, length, protection, flags, fd, offset), MAP_FAILED)
FORWARD_END (int, munmap, (void *address, size_t length), (address, length))
FORWARD (int, madvise, (void *address, size_t length, int advice), (address, length, advice), -1)
FORWARD (int, lock, (int fd, int command, struct flock *lock), (fd, command, lock), -1)
FORWARD (int, flock, (int fd, int operation), (fd, operation), -1)

static const ReelFileOps faulty_ops = {
  .openat = faulty_openat,
  .close = faulty_close,
  .read = faulty_read,
  .pread = faulty_pread,
  .write = faulty_write,
  .pwrite = faulty_pwrite,
  .ftruncate = faulty_ftruncate,
  .fallocate = faulty_fallocate,
  .fsync = faulty_fsync,
  .fdatasync = faulty_fdatasync,
  .sync_file_range = faulty_sync_file_range,
  .renameat2 = faulty_renameat2,
  .mkdirat = faulty_mkdirat,
  .unlinkat = faulty_unlinkat,
  .fdopendir = faulty_fdopendir,
  .readdir = faulty_readdir,
  .closedir = faulty_closedir,
  .fstat = faulty_fstat,
  .fstatat = faulty_fstatat,
  .statvfs = faulty_statvfs,
  .mmap = faulty_mmap,
  .munmap = faulty_munmap,
  .madvise = faulty_madvise,
  .lock = faulty_lock,
  .flock = faulty_flock,
};

void
file_faults_begin (void)
{
  g_assert_null (next);
  if (!seen)
    seen = mmap (NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_assert_true (seen != MAP_FAILED);
  for (int i = 0; i < MAX_CALLS; i++)
    {
      atomic_store (&seen->calls[i].name, NULL);
      atomic_store (&seen->calls[i].count, 0);
    }
  atomic_store (&seen->total, 0);
  atomic_store (&seen->planned_seen, 0);
  atomic_store (&seen->transfers, 0);
  atomic_store (&seen->struck, FALSE);
  planned_nth = planned_short = planned_call_nth = 0;
  next = reel_file_ops ();
  reel_file_ops_set (&faulty_ops);
}

void
file_faults_end (void)
{
  g_assert_nonnull (next);
  reel_file_ops_set (next);
  next = NULL;
}

void
file_faults_fail (const char *call, gint64 nth, int error, gboolean onward)
{
  planned_call = call;
  planned_nth = nth;
  planned_error = error;
  planned_onward = onward;
}

void
file_faults_call (gint64 nth, void (*func) (gpointer data), gpointer data)
{
  planned_call_nth = nth;
  planned_func = func;
  planned_data = data;
}

void
file_faults_shorten (gint64 nth)
{
  planned_short = nth;
}

gint64
file_faults_count (const char *call)
{
  if (!call)
    return atomic_load (&seen->total);
  for (int i = 0; i < MAX_CALLS; i++)
    {
      const char *name = atomic_load (&seen->calls[i].name);

      if (name && strcmp (name, call) == 0)
        return atomic_load (&seen->calls[i].count);
    }
  return 0;
}

gboolean
file_faults_struck (void)
{
  return atomic_load (&seen->struck);
}
