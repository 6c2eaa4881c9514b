#include "memory-limits.h"
#include "plain-calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

double
limit_populate_file (const char *path, size_t size)
{
  int file = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  double seconds = -1;

  if (file < 0)
    return -1;
  if (posix_fallocate (file, 0, (off_t) size) == 0)
    {
      void *data = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      double begin = limit_now ();

      if (data != MAP_FAILED && madvise (data, size, MADV_POPULATE_WRITE) == 0)
        seconds = limit_now () - begin;
      if (data != MAP_FAILED)
        munmap (data, size);
    }
  close (file);
  unlink (path);
  return seconds;
}
