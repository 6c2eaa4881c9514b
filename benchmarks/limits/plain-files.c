#include "memory-limits.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PIECE ((size_t) 8 << 20)
#define MAX_FILES 4096

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static int
write_file (const char *path, const uint8_t *data, size_t size)
{
  int file = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int done = file >= 0;

  for (size_t at = 0; done && at < size;)
    {
      ssize_t n = write (file, data + at, size - at < PIECE ? size - at : PIECE);
      done = n > 0;
      at += done ? (size_t) n : 0;
    }
  done = done && fsync (file) == 0;
  if (file >= 0)
    close (file);
  return done;
}

double
limit_write_files (const char *folder, const uint8_t *data, size_t size, int n_files)
{
  char path[4096];
  double begin = now ();

  for (int i = 0; i < n_files; i++)
    {
      snprintf (path, sizeof path, "%s/plain-%d", folder, i);
      if (!write_file (path, data + (size_t) i * size, size))
        return -1;
    }
  return now () - begin;
}

double
limit_map_files (const char *const *paths, int n_files)
{
  static void *maps[MAX_FILES];
  static size_t sizes[MAX_FILES];
  double begin = now (), seconds;
  int i;

  for (i = 0; i < n_files && i < MAX_FILES; i++)
    {
      struct stat status;
      int file = open (paths[i], O_RDONLY | O_CLOEXEC);

      if (file < 0 || fstat (file, &status) != 0)
        return -1;
      sizes[i] = (size_t) status.st_size;
      maps[i] = mmap (NULL, sizes[i], PROT_READ, MAP_SHARED, file, 0);
      if (maps[i] == MAP_FAILED)
        return -1;
      close (file);
    }
  seconds = now () - begin;
  while (i-- > 0)
    munmap (maps[i], sizes[i]);
  return seconds;
}
