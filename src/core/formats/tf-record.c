#include "tf-record.h"

#include "../object/error.h"
#include "crc32c.h"

#include <string.h>

#define MOST_BYTES ((guint64) 512 << 20)
#define PIECE ((gsize) 1 << 20)

/* A checksum of bytes that contain checksums is weak: TensorFlow turns and shifts it. */
static guint32
mask (guint32 crc)
{
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

static gboolean
check_sum (gconstpointer data, gsize length, guint32 expected, const char *of, GError **error)
{
  const guint32 sum = mask (reel_crc32c (0, data, length));

  if (sum == expected)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s of a record has the checksum %08x, %08x is expected", of, sum, expected);
  return FALSE;
}

/* Little-endian, as the host is. */
static gboolean
take_head (ReelByteStream *stream, guint64 *length, gboolean *found, GError **error)
{
  guint8 head[12];
  guint32 sum;
  gsize n_read;

  if (!reel_byte_stream_read (stream, head, sizeof head, &n_read, error))
    return FALSE;
  *found = n_read > 0;
  if (n_read == 0)
    return TRUE;
  if (n_read < sizeof head)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                           "it is cut off within the length of a record");
      return FALSE;
    }
  memcpy (length, head, sizeof *length);
  memcpy (&sum, head + sizeof *length, sizeof sum);
  return check_sum (head, sizeof *length, sum, "the length", error);
}

/* Memory grows with what was read, whatever the length says. */
static gboolean
take_bytes (ReelByteStream *stream, GByteArray *record, gsize length, GError **error)
{
  g_byte_array_set_size (record, 0);
  for (gsize at = 0, n; at < length; at += n)
    {
      n = MIN (length - at, MAX (at, PIECE));
      g_byte_array_set_size (record, (guint) (at + n));
      if (!reel_byte_stream_take (stream, record->data + at, n, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_tf_record_read (ReelByteStream *stream, GByteArray *record, gboolean *found, GError **error)
{
  guint64 length = 0;
  guint32 sum;

  if (!take_head (stream, &length, found, error))
    return FALSE;
  if (!*found)
    return TRUE;
  if (length > MOST_BYTES)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "a record of %" G_GUINT64_FORMAT " bytes is unsupported; the most is 512 MB",
                   length);
      return FALSE;
    }
  return take_bytes (stream, record, (gsize) length, error)
         && reel_byte_stream_take (stream, (guint8 *) &sum, sizeof sum, error)
         && check_sum (record->data, (gsize) length, sum, "the content", error);
}
