#include "memory-limits.h"
#include "plain-calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE ((size_t) 1 << 20)
#define BEGUN ((off_t) 8 << 20) /* bytes that the disk gets at once */

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

/* A file that inflated bytes are written to. */
typedef struct
{
  int file;
  off_t at, begun; /* the bytes that are written, and that the disk has got */
  off_t size;
} Output;

static int
write_piece (Output *self, const uint8_t *piece, size_t n)
{
  if ((off_t) n > self->size - self->at)
    n = (size_t) (self->size - self->at);
  if (pwrite (self->file, piece, n, self->at) != (ssize_t) n)
    return 0;
  self->at += (off_t) n;
  if (self->at - self->begun >= BEGUN)
    {
      sync_file_range (self->file, self->begun, self->at - self->begun, SYNC_FILE_RANGE_WRITE);
      self->begun = self->at;
    }
  return 1;
}

/* So many times each piece; without an output none. */
static int
inflate_one (const LimitDeflated *stream, uint8_t *piece, Output *output, int times)
{
  z_stream z;
  int status = Z_OK, done = 1;

  memset (&z, 0, sizeof z);
  if (inflateInit2 (&z, 15 + 32) != Z_OK)
    return 0;
  z.next_in = stream->data;
  z.avail_in = (uInt) stream->size;
  while (done && status == Z_OK)
    {
      z.next_out = piece;
      z.avail_out = (uInt) PIECE;
      status = inflate (&z, Z_NO_FLUSH);
      for (int i = 0; done && i < times; i++)
        done = write_piece (output, piece, PIECE - z.avail_out);
    }
  inflateEnd (&z);
  return done && status == Z_STREAM_END;
}

double
limit_inflate (const LimitDeflated *streams, size_t n)
{
  uint8_t *piece = malloc (PIECE);
  double begin = limit_now (), seconds;
  int done = piece != NULL;

  for (size_t i = 0; done && i < n; i++)
    done = inflate_one (&streams[i], piece, NULL, 0);
  seconds = limit_now () - begin;
  free (piece);
  return done ? seconds : -1;
}

double
limit_inflate_write (const LimitDeflated *streams, size_t n, const char *to, size_t size, int times)
{
  uint8_t *piece = calloc (1, PIECE);
  double begin = limit_now (), seconds;
  Output output = { open (to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), 0, 0, (off_t) size };
  int done = output.file >= 0 && piece && posix_fallocate (output.file, 0, output.size) == 0;

  for (size_t i = 0; done && i < n; i++)
    done = inflate_one (&streams[i], piece, &output, times);
  while (done && output.at < output.size)
    done = write_piece (&output, piece, PIECE);
  done = done && fdatasync (output.file) == 0;
  seconds = limit_now () - begin;
  if (output.file >= 0)
    close (output.file);
  unlink (to);
  free (piece);
  return done ? seconds : -1;
}
