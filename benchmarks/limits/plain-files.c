#include "memory-limits.h"
#include "plain-calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE ((size_t) 8 << 20)
#define MAX_FILES 4096

static int
write_file (const char *path, const uint8_t *data, size_t size)
{
  int file = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int done = file >= 0 && limit_write_pieces (file, data, size, PIECE) && fsync (file) == 0;

  if (file >= 0)
    close (file);
  return done;
}

double
limit_write_files (const char *folder, const uint8_t *data, size_t size, int n_files)
{
  char path[4096];
  double begin = limit_now ();

  for (int i = 0; i < n_files; i++)
    {
      snprintf (path, sizeof path, "%s/plain-%d", folder, i);
      if (!write_file (path, data + (size_t) i * size, size))
        return -1;
    }
  return limit_now () - begin;
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
