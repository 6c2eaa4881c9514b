#include "memory-limits.h"
#include "plain-calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE ((size_t) 4 << 20)
#define MAX_FILES 4096

/* Past the page cache, in space reserved before; through it where the file system cannot. */
static int
open_direct (const char *path, size_t size)
{
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int file = open (path, flags | O_DIRECT, 0666);

  if (file < 0)
    file = open (path, flags, 0666);
  if (file >= 0 && posix_fallocate (file, 0, (off_t) size) != 0)
    {
      close (file);
      return -1;
    }
  return file;
}

double
limit_write_files (const char *folder, const uint8_t *data, size_t size, int n_files)
{
  static int files[MAX_FILES];
  char path[4096];
  double begin = limit_now ();
  int n = 0, done = 1;

  for (; done && n < n_files && n < MAX_FILES; n++)
    {
      snprintf (path, sizeof path, "%s/plain-%d", folder, n);
      files[n] = open_direct (path, size);
      done = files[n] >= 0 && limit_write_pieces (files[n], data + (size_t) n * size, size, PIECE);
    }
  for (int i = 0; i < n; i++)
    {
      done = done && fdatasync (files[i]) == 0;
      close (files[i]);
    }
  return done ? limit_now () - begin : -1;
}

double
limit_map_files (const char *const *paths, int n_files)
{
  static void *maps[MAX_FILES];
  static size_t sizes[MAX_FILES];
  double begin = limit_now (), seconds;
  int i;

  for (i = 0; i < n_files && i < MAX_FILES; i++)
    {
      maps[i] = limit_map_file (paths[i], &sizes[i]);
      if (!maps[i])
        return -1;
    }
  seconds = limit_now () - begin;
  while (i-- > 0)
    munmap (maps[i], sizes[i]);
  return seconds;
}
