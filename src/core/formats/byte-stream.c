#include "config.h"

#include "byte-stream.h"

#include "../tensor/mapped-memory.h"
#ifdef REEL_WITH_LZMA
#include "xz.h"
#endif

#include <string.h>
#include <zlib.h>

/* The most that a byte of deflated data can become, rounded up; some are in zlib already. */
#define MOST_EXPANSION 1040
#define MOST_PENDING 65536

#define XZ_MAGIC                                                                                   \
  "\xfd"                                                                                           \
  "7zXZ"

#define PIECE ((gsize) 1 << 20) /* bytes of the file between two looks at its pages */

typedef enum
{
  PLAIN,
  GZIP,
  ENTRY, /* deflated, in a zip archive */
  XZ,
} Form;

struct _ReelByteStream
{
  Form form;
  ReelMemory *memory;
  const guint8 *at, *end; /* of the packed bytes */
  const guint8 *forgotten;
  z_stream inflate;
#ifdef REEL_WITH_LZMA
  ReelXz *xz;
#endif
  gboolean is_over;
  gboolean is_checked; /* whether sum and size were given */
  guint32 sum, expected_sum;
  guint64 size, expected_size;
  GChecksum *checksum;
};

static gboolean
fail (const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s", what);
  return FALSE;
}

static ReelByteStream *
stream_new (Form form, ReelMemory *memory, const guint8 *begin, gsize length)
{
  ReelByteStream *self = g_new0 (ReelByteStream, 1);

  self->form = form;
  self->memory = reel_memory_ref (memory);
  self->at = self->forgotten = begin;
  self->end = begin + length;
  /* 16: with the header and the sums of gzip; negative: with none. */
  if (form == GZIP || form == ENTRY)
    inflateInit2 (&self->inflate, form == GZIP ? 16 + MAX_WBITS : -MAX_WBITS);
  return self;
}

ReelByteStream *
reel_byte_stream_new (ReelMemory *memory)
{
  gsize length;
  const guint8 *begin = reel_memory_get_data (memory, &length);

  return stream_new (PLAIN, memory, begin, length);
}

ReelByteStream *
reel_byte_stream_new_gzip (ReelMemory *memory)
{
  gsize length;
  const guint8 *begin = reel_memory_get_data (memory, &length);

  return stream_new (GZIP, memory, begin, length);
}

ReelByteStream *
reel_byte_stream_new_xz (ReelMemory *memory, GError **error)
{
#ifdef REEL_WITH_LZMA
  gsize length;
  const guint8 *begin = reel_memory_get_data (memory, &length);
  ReelByteStream *self;

  if (length < sizeof XZ_MAGIC || memcmp (begin, XZ_MAGIC, sizeof XZ_MAGIC - 1) != 0)
    {
      fail ("it is not packed by xz", error);
      return NULL;
    }
  self = stream_new (XZ, memory, begin, length);
  self->xz = reel_xz_new ();
  return self;
#else
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "it is packed by xz, which this library was built without: unpack it by "
                       "'xz -d', or install liblzma-dev and configure without --without-lzma");
  return NULL;
#endif
}

ReelByteStream *
reel_byte_stream_new_entry (const ReelZip *zip, const ReelZipEntry *entry, GError **error)
{
  ReelMemory *memory = reel_zip_get_memory (zip);
  const guint8 *begin = (const guint8 *) reel_memory_get_data (memory, NULL) + entry->payload;
  ReelByteStream *self;

  if (entry->method != REEL_ZIP_STORED && entry->method != REEL_ZIP_DEFLATED)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "it is compressed by method %d; only stored and deflated entries can be read",
                   entry->method);
      return NULL;
    }
  self =
      stream_new (entry->method == REEL_ZIP_STORED ? PLAIN : ENTRY, memory, begin, entry->packed);
  self->is_checked = TRUE;
  self->expected_sum = entry->crc;
  self->expected_size = entry->size;
  return self;
}

void
reel_byte_stream_add_to (ReelByteStream *self, GChecksum *checksum)
{
  self->checksum = checksum;
}

void
reel_byte_stream_free (ReelByteStream *self)
{
  if (!self)
    return;
  if (self->form == GZIP || self->form == ENTRY)
    inflateEnd (&self->inflate);
#ifdef REEL_WITH_LZMA
  reel_xz_free (self->xz);
#endif
  reel_memory_unref (self->memory);
  g_free (self);
}

/* ---- reading ---- */

static void
forget (ReelByteStream *self)
{
  gsize n = (gsize) (self->at - self->forgotten);

  if (n < PIECE && self->at < self->end)
    return;
  reel_memory_forget (self->memory, self->forgotten, n);
  self->forgotten = self->at;
}

static gsize
copy (ReelByteStream *self, guint8 *to, gsize n)
{
  n = MIN (n, (gsize) (self->end - self->at));
  if (n > 0)
    memcpy (to, self->at, n);
  self->at += n;
  self->is_over = self->at == self->end;
  return n;
}

/* Another member of gzip may follow the end of one. */
static gboolean
end_member (ReelByteStream *self, GError **error)
{
  self->is_over = self->form == ENTRY || self->at == self->end;
  if (self->is_over)
    return self->at == self->end || fail ("bytes follow the compressed ones", error);
  return inflateReset (&self->inflate) == Z_OK || fail ("zlib cannot begin again", error);
}

/* A step of zlib, which counts in 32 bits. */
static gboolean
inflate_some (ReelByteStream *self, guint8 *to, gsize n, gsize *n_read, GError **error)
{
  gsize n_packed = MIN ((gsize) (self->end - self->at), PIECE);
  int result;

  n = MIN (n, PIECE);
  self->inflate.next_in = (Bytef *) self->at;
  self->inflate.avail_in = (uInt) n_packed;
  self->inflate.next_out = to;
  self->inflate.avail_out = (uInt) n;
  result = inflate (&self->inflate, Z_NO_FLUSH);
  self->at += n_packed - self->inflate.avail_in;
  *n_read = n - self->inflate.avail_out;
  if (result == Z_STREAM_END)
    return end_member (self, error);
  if (result == Z_OK && (*n_read > 0 || self->at < self->end))
    return TRUE;
  if (result == Z_OK || result == Z_BUF_ERROR)
    return fail ("the compressed bytes are cut off", error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "the compressed bytes are damaged: %s",
               self->inflate.msg ? self->inflate.msg : "zlib cannot unpack them");
  return FALSE;
}

static gboolean
unpack_some (ReelByteStream *self, guint8 *to, gsize n, gsize *n_read, GError **error)
{
#ifdef REEL_WITH_LZMA
  if (self->form == XZ)
    return reel_xz_read (self->xz, &self->at, self->end, to, n, n_read, &self->is_over, error);
#endif
  return inflate_some (self, to, n, n_read, error);
}

static gboolean
check_sum (const ReelByteStream *self, GError **error)
{
  if (!self->is_checked || (self->sum == self->expected_sum && self->size == self->expected_size))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "its %" G_GUINT64_FORMAT " bytes have the checksum %08x; %" G_GUINT64_FORMAT
               " bytes with %08x are expected",
               self->size, self->sum, self->expected_size, self->expected_sum);
  return FALSE;
}

static gboolean
read_some (ReelByteStream *self, guint8 *to, gsize n, gsize *n_read, GError **error)
{
  *n_read = 0;
  if (self->form == PLAIN)
    *n_read = copy (self, to, n);
  else if (!unpack_some (self, to, n, n_read, error))
    return FALSE;
  self->size += *n_read;
  if (self->is_checked && *n_read > 0)
    self->sum = (guint32) crc32_z (self->sum, to, *n_read);
  if (self->checksum)
    g_checksum_update (self->checksum, to, (gssize) *n_read);
  forget (self);
  return !self->is_over || check_sum (self, error);
}

gboolean
reel_byte_stream_read (ReelByteStream *self, guint8 *to, gsize n, gsize *n_read, GError **error)
{
  gsize n_more;

  for (*n_read = 0; *n_read < n && !self->is_over; *n_read += n_more)
    if (!read_some (self, to + *n_read, n - *n_read, &n_more, error))
      return FALSE;
  return TRUE;
}

gboolean
reel_byte_stream_take (ReelByteStream *self, guint8 *to, gsize n, GError **error)
{
  gsize n_read;

  if (!reel_byte_stream_read (self, to, n, &n_read, error))
    return FALSE;
  if (n_read == n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "it ends after %" G_GUINT64_FORMAT " bytes; %" G_GSIZE_FORMAT " more are expected",
               self->size, n - n_read);
  return FALSE;
}

guint64
reel_byte_stream_get_most (const ReelByteStream *self)
{
  guint64 n_packed = (guint64) (self->end - self->at);

  if (self->form == XZ)
    return G_MAXINT64;
  return self->form == PLAIN ? n_packed : n_packed * MOST_EXPANSION + MOST_PENDING;
}

gboolean
reel_byte_stream_end (ReelByteStream *self, GError **error)
{
  guint8 byte;
  gsize n_read;

  if (!reel_byte_stream_read (self, &byte, 1, &n_read, error))
    return FALSE;
  if (n_read == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "bytes follow where it is expected to end, after %" G_GUINT64_FORMAT " bytes",
               self->size - 1);
  return FALSE;
}
