#include "plain-calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

double
limit_now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

int
limit_write_pieces (int file, const uint8_t *data, size_t size, size_t piece)
{
  for (size_t at = 0; at < size;)
    {
      ssize_t n = write (file, data + at, size - at < piece ? size - at : piece);

      if (n <= 0)
        return 0;
      at += (size_t) n;
    }
  return 1;
}

uint8_t *
limit_map_file (const char *path, size_t *size)
{
  struct stat status;
  int file = open (path, O_RDONLY | O_CLOEXEC);
  void *map = MAP_FAILED;

  if (file >= 0 && fstat (file, &status) == 0)
    {
      *size = (size_t) status.st_size;
      map = mmap (NULL, *size, PROT_READ, MAP_SHARED, file, 0);
    }
  if (file >= 0)
    close (file);
  return map == MAP_FAILED ? NULL : map;
}
