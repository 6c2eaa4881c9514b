#include "memory-limits.h"
#include "plain-calls.h"

#include <libdeflate.h>
#include <stdlib.h>

double
limit_inflate_whole (const LimitDeflated *streams, size_t n, size_t most)
{
  struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor ();
  uint8_t *whole = malloc (most);
  double begin = limit_now (), seconds;
  int done = inflate && whole;
  size_t size;

  for (size_t i = 0; done && i < n; i++)
    done =
        libdeflate_zlib_decompress (inflate, streams[i].data, streams[i].size, whole, most, &size)
        == LIBDEFLATE_SUCCESS;
  seconds = limit_now () - begin;
  libdeflate_free_decompressor (inflate);
  free (whole);
  return done ? seconds : -1;
}
