#include "memory-limits.h"
#include "plain-calls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE ((size_t) 4 << 20)
#define BLOCK 4096
#define MAX_FILES 64
#define MAX_ROW 4096

double
limit_write_direct (const char *path, const uint8_t *data, size_t size)
{
  int file = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_DIRECT, 0666);
  int done;
  double begin = limit_now (), seconds;

  if (file < 0) /* a file system that has no direct writes */
    file = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  size = size / BLOCK * BLOCK;
  done = file >= 0 && (size == 0 || posix_fallocate (file, 0, (off_t) size) == 0)
         && limit_write_pieces (file, data, size, PIECE) && fdatasync (file) == 0;
  seconds = limit_now () - begin;
  if (file >= 0)
    close (file);
  unlink (path);
  return done ? seconds : -1;
}

double
limit_read_mapped (const char *const *paths, int n_files, int64_t rows, int64_t n)
{
  static uint64_t state = 1;
  static uint8_t to[MAX_ROW];
  uint8_t *maps[MAX_FILES];
  size_t sizes[MAX_FILES];
  uint64_t first = state;
  double begin = limit_now (), seconds;
  int i;

  for (i = 0; i < n_files && i < MAX_FILES; i++)
    {
      maps[i] = limit_map_file (paths[i], &sizes[i]);
      if (!maps[i])
        return -1;
      state = first;
      for (int64_t row = 0; row < n; row++)
        {
          size_t bytes = sizes[i] / (size_t) rows;

          state = state * 6364136223846793005u + 1442695040888963407u;
          memcpy (to, maps[i] + (state >> 33) % (uint64_t) rows * bytes,
                  bytes < MAX_ROW ? bytes : MAX_ROW);
        }
    }
  seconds = limit_now () - begin;
  while (i-- > 0)
    munmap (maps[i], sizes[i]);
  return seconds;
}
