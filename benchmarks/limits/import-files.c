#include "memory-limits.h"
#include "plain-calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE ((size_t) 1 << 20)

/* Reads a file to its end. */
static int
read_all (const char *path, uint8_t *piece)
{
  int file = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = -1;

  if (file < 0)
    return 0;
  do
    n = read (file, piece, PIECE);
  while (n > 0);
  close (file);
  return n == 0;
}

double
limit_read_write (const char *from, const char *to, size_t size)
{
  uint8_t *piece = calloc (1, PIECE);
  double begin = limit_now (), seconds;
  int file = open (to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int done = file >= 0 && piece && read_all (from, piece);

  for (size_t n = 0; done && n < size; n += PIECE)
    done = write (file, piece, size - n < PIECE ? size - n : PIECE) > 0;
  done = done && fdatasync (file) == 0;
  seconds = limit_now () - begin;
  if (file >= 0)
    close (file);
  unlink (to);
  free (piece);
  return done ? seconds : -1;
}

/* One stream of zlib's or gzip's form. */
static int
inflate_one (const LimitDeflated *stream, uint8_t *piece)
{
  z_stream z;
  int status = Z_OK;

  memset (&z, 0, sizeof z);
  if (inflateInit2 (&z, 15 + 32) != Z_OK)
    return 0;
  z.next_in = stream->data;
  z.avail_in = (uInt) stream->size;
  while (status == Z_OK)
    {
      z.next_out = piece;
      z.avail_out = (uInt) PIECE;
      status = inflate (&z, Z_NO_FLUSH);
    }
  inflateEnd (&z);
  return status == Z_STREAM_END;
}

double
limit_inflate (const LimitDeflated *streams, size_t n)
{
  uint8_t *piece = malloc (PIECE);
  double begin = limit_now (), seconds;
  int done = piece != NULL;

  for (size_t i = 0; done && i < n; i++)
    done = inflate_one (&streams[i], piece);
  seconds = limit_now () - begin;
  free (piece);
  return done ? seconds : -1;
}
