/* The filters of HDF5 chunks, undone as HDF5 does: from the last to the first. */
#include "hdf5-chunk.h"

#include <string.h>
#ifdef REEL_WITH_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

#define SUMMED 360 /* words that 32 bits can add up twice */

struct _ReelHdf5Unpacker
{
#ifdef REEL_WITH_LIBDEFLATE
  struct libdeflate_decompressor *inflate;
#else
  z_stream inflate;
#endif
  guint8 *room; /* between two filters */
  gsize n_room;
};

/* Bytes on their way through the filters. */
typedef struct
{
  const guint8 *data;
  gsize size;
} Bytes;

/* ---- deflate ---- */

/* Both libraries compare the checksum, and let bytes follow. */
#ifdef REEL_WITH_LIBDEFLATE

static void
inflate_begin (ReelHdf5Unpacker *self)
{
  self->inflate = libdeflate_alloc_decompressor ();
}

static void
inflate_end (ReelHdf5Unpacker *self)
{
  libdeflate_free_decompressor (self->inflate);
}

static gboolean
inflate_bytes (ReelHdf5Unpacker *self, Bytes *bytes, guint8 *to, gsize room)
{
  gsize n_packed, n;

  if (!self->inflate
      || libdeflate_zlib_decompress_ex (self->inflate, bytes->data, bytes->size, to, room,
                                        &n_packed, &n)
             != LIBDEFLATE_SUCCESS)
    return FALSE;
  *bytes = (Bytes){ to, n };
  return TRUE;
}

#else

static void
inflate_begin (ReelHdf5Unpacker *self)
{
  inflateInit (&self->inflate);
}

static void
inflate_end (ReelHdf5Unpacker *self)
{
  inflateEnd (&self->inflate);
}

static gboolean
inflate_bytes (ReelHdf5Unpacker *self, Bytes *bytes, guint8 *to, gsize room)
{
  if (bytes->size > G_MAXUINT || room > G_MAXUINT || inflateReset (&self->inflate) != Z_OK)
    return FALSE;
  self->inflate.next_in = (Bytef *) bytes->data;
  self->inflate.avail_in = (uInt) bytes->size;
  self->inflate.next_out = to;
  self->inflate.avail_out = (uInt) room;
  if (inflate (&self->inflate, Z_FINISH) != Z_STREAM_END)
    return FALSE;
  *bytes = (Bytes){ to, room - self->inflate.avail_out };
  return TRUE;
}

#endif

ReelHdf5Unpacker *
reel_hdf5_unpacker_new (void)
{
  ReelHdf5Unpacker *self = g_new0 (ReelHdf5Unpacker, 1);

  inflate_begin (self);
  return self;
}

void
reel_hdf5_unpacker_free (ReelHdf5Unpacker *self)
{
  if (!self)
    return;
  inflate_end (self);
  g_free (self->room);
  g_free (self);
}

/* ---- other filters ---- */

/* Of words of 16 bits, the upper byte first; an odd byte is an upper one. */
static guint32
sum_fletcher (const guint8 *data, gsize size)
{
  guint32 one = 0, two = 0;

  for (gsize n_words = size / 2, n; n_words > 0; n_words -= n)
    {
      n = MIN (n_words, SUMMED);
      for (gsize i = 0; i < n; i++, data += 2)
        {
          one += (guint32) (data[0] << 8 | data[1]);
          two += one;
        }
      one = (one & 0xffff) + (one >> 16);
      two = (two & 0xffff) + (two >> 16);
    }
  if (size % 2)
    {
      one += (guint32) *data << 8;
      two += one;
      one = (one & 0xffff) + (one >> 16);
      two = (two & 0xffff) + (two >> 16);
    }
  one = (one & 0xffff) + (one >> 16);
  two = (two & 0xffff) + (two >> 16);
  return two << 16 | one;
}

static gboolean
check_fletcher (Bytes *bytes)
{
  guint32 sum;

  if (bytes->size < sizeof sum)
    return FALSE;
  bytes->size -= sizeof sum;
  memcpy (&sum, bytes->data + bytes->size, sizeof sum);
  return GUINT32_FROM_LE (sum) == sum_fletcher (bytes->data, bytes->size);
}

/* Bytes beyond whole elements stay behind them. */
static gboolean
unshuffle (Bytes *bytes, gsize item, guint8 *to, gsize room)
{
  const gsize n = bytes->size / item;
  const guint8 *from = bytes->data;

  if (bytes->size > room)
    return FALSE;
  for (gsize b = 0; b < item; b++)
    for (gsize i = 0; i < n; i++)
      to[i * item + b] = *from++;
  memcpy (to + n * item, from, bytes->size - n * item);
  bytes->data = to;
  return TRUE;
}

/* ---- a chunk ---- */

static gboolean
is_skipped (const ReelHdf5Layout *layout, const ReelHdf5Chunk *chunk, gint64 i)
{
  return (chunk->skipped & (gint64) 1 << i) || layout->filters[i] == REEL_HDF5_FLETCHER32;
}

/* Whether a filter that moves bytes is still to be undone. */
static gboolean
moves_again (const ReelHdf5Layout *layout, const ReelHdf5Chunk *chunk, gint64 i)
{
  while (i-- > 0)
    if (!is_skipped (layout, chunk, i))
      return TRUE;
  return FALSE;
}

static guint8 *
find_room (ReelHdf5Unpacker *self, gsize size)
{
  if (size > self->n_room)
    {
      g_free (self->room);
      self->room = g_malloc (size);
      self->n_room = size;
    }
  return self->room;
}

/* No filter is there twice, so that two at most move bytes: into the room, and to @to. A chunk may
 * be larger packed. */
gboolean
reel_hdf5_unpacker_run (ReelHdf5Unpacker *self, const ReelHdf5Layout *layout,
                        const ReelHdf5Chunk *chunk, const guint8 *file, guint8 *to, gsize size)
{
  Bytes bytes = { file + chunk->offset, (gsize) chunk->size };

  for (gint64 i = layout->n_filters; i-- > 0;)
    {
      const gboolean again = moves_again (layout, chunk, i);
      const gsize room =
          again ? MAX (size, (gsize) chunk->size) + REEL_HDF5_SLACK : size + REEL_HDF5_SLACK;
      guint8 *next = again ? find_room (self, room) : to;

      if (chunk->skipped & (gint64) 1 << i)
        continue;
      if (!(layout->filters[i] == REEL_HDF5_FLETCHER32 ? check_fletcher (&bytes)
            : layout->filters[i] == REEL_HDF5_SHUFFLE
                ? unshuffle (&bytes, (gsize) layout->item, next, room)
                : inflate_bytes (self, &bytes, next, room)))
        return FALSE;
    }
  if (bytes.size == size && bytes.data != to && size > 0)
    memcpy (to, bytes.data, size);
  return bytes.size == size;
}
